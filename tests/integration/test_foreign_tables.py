"""A metastore with many foreign tables, one of which cannot be read: each table is fetched once."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

from support.hive import run

if TYPE_CHECKING:
    from conftest import Servers

COUNT = int(os.environ.get("KAFKALYST_FOREIGN_TABLES", "100"))

# Besides tables that Spark can read: a Kafkalyst object, and a table whose schema Spark cannot read.
PROGRAM = """
import json, sys, time
import kafkalyst
kafka, registry, topic, count = *sys.argv[1:4], int(sys.argv[4])
spark = kafkalyst.session(kafka=kafka, registry=registry, **CONF)
for i in range(count):
    spark.sql(f"CREATE TABLE t{i} (a INT) USING parquet")
spark.sql("CREATE TABLE torn (a INT) USING parquet")
connection = spark._jvm.java.sql.DriverManager.getConnection(CONF["spark.hadoop.javax.jdo.option.ConnectionURL"])
torn = connection.createStatement().executeUpdate(
    "UPDATE APP.TABLE_PARAMS SET PARAM_VALUE = 'oops' WHERE PARAM_KEY LIKE 'spark.sql.sources.schema%' "
    "AND TBL_ID IN (SELECT TBL_ID FROM APP.TBLS WHERE TBL_NAME = 'torn')")
connection.close()
assert torn > 0
try:
    spark.table("torn")
    sys.exit("torn can be read")
except Exception:
    pass
spark.conf.set("spark.kafkalyst.query.trigger", "available-now")
seconds = {}
def timed(name, statement):
    began = time.monotonic()
    rows = spark.sql(statement).collect()
    seconds[name] = round(time.monotonic() - began, 2)
    return rows
spark.sql(f"CREATE STREAM s (k INT KEY, v STRING) WITH (KAFKA_TOPIC='{topic}', VALUE_FORMAT='JSON', PARTITIONS=1)")
timed("first SHOW QUERIES", "SHOW QUERIES")
timed("SHOW QUERIES", "SHOW QUERIES")
timed("CREATE … AS", f"CREATE STREAM d WITH (KAFKA_TOPIC='{topic}_d') AS SELECT k, v FROM s")
names = [row["name"] for row in timed("SHOW STREAMS", "SHOW STREAMS")]
assert names == ["d", "s"], names
assert len(spark.sql("SHOW QUERIES").collect()) == 1
timed("DROP", "DROP STREAM d DELETE TOPIC")
spark.sql("DROP STREAM s DELETE TOPIC")
print(json.dumps(seconds))
"""


def test_many_foreign_tables(servers: Servers, tmp_path: Path) -> None:
    """Statements over Kafkalyst's objects work beside any foreign table; prints their times."""
    topic = f"foreign_{tmp_path.parent.name}_{tmp_path.name}".replace("-", "_")
    shown = run(PROGRAM, tmp_path, servers.kafka, servers.registry, topic, str(COUNT))
    print(COUNT, "foreign tables:", json.loads(shown.splitlines()[-1]))
