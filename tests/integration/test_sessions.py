"""Objects outlive the session that declared them, and need the extension only for Kafkalyst's language."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from pyspark.sql import SparkSession

from support.hive import run
from support.patience import PATIENCE_SECONDS, PROGRAM_SECONDS
from support.secure_registry import SecureRegistry

if TYPE_CHECKING:
    from conftest import Servers

DECLARE = """
import kafkalyst, sys
spark = kafkalyst.session(kafka=sys.argv[1], registry=sys.argv[2], **CONF)
spark.sql("CREATE STREAM kept (k INT KEY, a STRING) WITH (KAFKA_TOPIC='kept_'||'x', VALUE_FORMAT='JSON', PARTITIONS=1)"
          .replace("'kept_'||'x'", repr(sys.argv[3])))
spark.sql("INSERT INTO kept VALUES (1, 'one'), (2, 'two')")
"""
# The same metastore and jars, but no extension: a plain session reads the objects.
READ = """
import sys
from pyspark.sql import SparkSession
from kafkalyst.resources import jars_for
import pyspark
builder = SparkSession.builder.config("spark.jars", ",".join(str(jar) for jar in jars_for(pyspark.__version__)))
for name, value in CONF.items():
    builder = builder.config(name, value)
spark = builder.config("spark.kafkalyst.bootstrap.servers", sys.argv[1]).getOrCreate()
assert [row.tableName for row in spark.sql("SHOW TABLES").collect()] == ["kept"]
rows = spark.sql("SELECT k, a FROM kept ORDER BY k").collect()
print("rows:", [tuple(row) for row in rows])
spark.sql("INSERT INTO kept SELECT 3 AS k, 'three' AS a")
print("count:", spark.table("kept").count())
"""


def test_a_metastore_keeps_objects(servers: Servers, tmp_path: Path) -> None:
    """Declared with the extension in one process, read and written without it in another."""
    topic = f"kept_{tmp_path.parent.name}_{tmp_path.name}".replace("-", "_")
    run(DECLARE, tmp_path, servers.kafka, servers.registry, topic)
    printed = run(READ, tmp_path, servers.kafka)
    assert "rows: [(1, 'one'), (2, 'two')]" in printed
    assert "count: 3" in printed


def test_new_session_sees_objects(spark: SparkSession, topic: Callable[[str], str]) -> None:
    """A new session of the same application has the same objects and its own settings."""
    name = topic("shared")
    spark.sql(f"CREATE STREAM {name} (a INT) WITH (KAFKA_TOPIC = '{name}', VALUE_FORMAT = 'JSON', PARTITIONS = 1)")
    other = spark.newSession()
    assert other.sql("SHOW STREAMS").where(f"name = '{name}'").count() == 1
    spark.sql(f"DROP STREAM {name} DELETE TOPIC")


WAYS = """
import kafkalyst, sys
spark = kafkalyst.session(kafka=sys.argv[1], registry=sys.argv[2], **CONF)
spark.sql(f"CREATE TABLE t (k INT PRIMARY KEY, v STRING) WITH (KAFKA_TOPIC='{sys.argv[3]}', VALUE_FORMAT='JSON', "
          "PARTITIONS=1)")
spark.sql("INSERT INTO t VALUES (1, 'old'), (2, 'gone'), (1, 'new')")
spark.sql("INSERT INTO t (k, _tombstone) VALUES (2, true)")
spark.sql("CREATE VIEW v AS SELECT * FROM t")
spark.sql("CREATE TEMPORARY VIEW tv AS SELECT * FROM t")
def rows(frame):
    return sorted(tuple(row) for row in frame.collect())
ways = {
    "SELECT": spark.sql("SELECT * FROM t"),
    "table": spark.table("t"),
    "read.table": spark.read.table("default.t"),
    "with a hidden column": spark.table("t").filter("ROWOFFSET >= 0"),
    "view": spark.sql("SELECT * FROM v"),
    "table of a view": spark.table("v"),
    "temporary view": spark.table("tv"),
}
for way, frame in ways.items():
    assert rows(frame) == [(1, "new")], (way, rows(frame))
query = spark.readStream.table("t").writeStream.format("memory").queryName("seen").trigger(availableNow=True).start()
query.awaitTermination()
assert spark.table("seen").count() == 4  # a stream has the changes
print("one answer")
"""


def test_one_answer_by_every_way_in(servers: Servers, tmp_path: Path) -> None:
    """With Hive's catalog, where Spark does not run early rules, `spark.table` gives the same rows as SELECT."""
    topic = f"ways_{tmp_path.parent.name}_{tmp_path.name}".replace("-", "_")
    assert "one answer" in run(WAYS, tmp_path, servers.kafka, servers.registry, topic)


PLACES = """
import kafkalyst, sys
spark = kafkalyst.session(kafka=sys.argv[1], registry=sys.argv[2], **CONF)
made = "WITH (KAFKA_TOPIC='{}', VALUE_FORMAT='JSON', PARTITIONS=1)"
columns = "(id INT, s STRUCT<a INT, A INT>)"
for number, place in enumerate(("one", "two")):
    spark.sql(f"CREATE DATABASE {place}")
    spark.sql(f"USE {place}")
    spark.sql(f"CREATE STREAM orders {columns} " + made.format(sys.argv[3] + place))
    spark.sql(f"INSERT INTO orders VALUES ({number}, named_struct('a', {number}, 'A', {number + 10}))")
spark.sql("CREATE STREAM items (id INT) " + made.format(sys.argv[3] + "items"))
spark.sql("INSERT INTO items VALUES (7)")
spark.sql("USE one")
spark.sql("CREATE TABLE items USING parquet AS SELECT 6 AS id")
spark.sql("CREATE VIEW own AS SELECT * FROM orders")
spark.sql("CREATE VIEW fields AS WITH o AS (SELECT * FROM orders) SELECT o.id, o.s.A AS upper, o.s.a AS lower FROM o")
spark.sql("CREATE VIEW files AS SELECT * FROM items")
spark.sql("USE two")
spark.sql("CREATE VIEW outside AS SELECT v.id, o.id AS here FROM one.own v CROSS JOIN orders o")
spark.sql("CREATE TEMPORARY VIEW passing AS SELECT id FROM orders")
for place in ("one", "two", "default"):
    spark.sql(f"USE {place}")
    def rows(name):
        return [tuple(row) for row in spark.sql(f"SELECT * FROM {name}").collect()]
    assert [row[0] for row in rows("one.own")] == [0], (place, rows("one.own"))
    assert rows("one.fields") == [(0, 10, 0)], (place, rows("one.fields"))
    assert rows("one.files") == [(6,)], (place, rows("one.files"))
    assert rows("two.outside") == [(0, 1)], (place, rows("two.outside"))
    assert rows("passing") == [(1,)], (place, rows("passing"))
    assert spark.table("one.own").count() == 1
print("their own")
"""


def test_views_have_their_own_names(servers: Servers, tmp_path: Path) -> None:
    """With Hive's catalog, too, a view's names belong to the database in which it was created."""
    topic = f"places_{tmp_path.parent.name}_{tmp_path.name}".replace("-", "_")
    assert "their own" in run(PLACES, tmp_path, servers.kafka, servers.registry, topic)


LACKING = """
import sys
from pathlib import Path
from pyspark.sql import SparkSession
from kafkalyst.resources import jars_for
import pyspark
jars = [str(jar) for jar in jars_for(pyspark.__version__) if sys.argv[2] not in jar.name]
builder = SparkSession.builder.config("spark.jars", ",".join(jars))
for name, value in CONF.items():
    builder = builder.config(name, value)
spark = builder.config("spark.sql.extensions", "io.kafkalyst.KafkalystExtensions").config(
    "spark.kafkalyst.bootstrap.servers", sys.argv[1]).getOrCreate()
assert spark.sql("SELECT 1 AS one").first().one == 1
try:
    spark.sql("SHOW TOPICS")
except Exception as error:
    print(error.getCondition(), error)
"""


@pytest.mark.parametrize("jar", ["spark-sql-kafka-0-10", "kafka-clients"])
def test_a_missing_jar_is_named(servers: Servers, tmp_path: Path, jar: str) -> None:
    """Without a jar of the connector, Spark's own statements run, and Kafkalyst's name the missing jar."""
    printed = run(LACKING, tmp_path, servers.kafka, jar)
    assert "KAFKALYST_CONNECTOR_MISSING" in printed
    assert f"the jar {jar}" in printed


AGAIN = """
import sys, time
import kafkalyst
from kafkalyst.live import live
from pyspark import SparkContext
topic, url = sys.argv[1:3]
def threads():
    names = [t.getName() for t in SparkContext._jvm.java.lang.Thread.getAllStackTraces().keySet()]
    return [name for name in names if "kafka-admin-client-thread" in name or "stream execution thread" in name]
def left():
    # A client's thread ends a moment after the client is closed, and an idle client would stay for five minutes.
    end = time.monotonic() + PATIENCE_SECONDS
    while threads() and time.monotonic() < end:
        time.sleep(0.1)
    return threads()
def declare(spark):
    try:
        spark.sql(f"CREATE STREAM s WITH (KAFKA_TOPIC = '{topic}', VALUE_FORMAT = 'AVRO')")
        return str([row.v for row in spark.sql("SELECT v FROM s").collect()])
    except Exception as error:
        return error.getCondition()
for login in ("me:right", "me:wrong", "me:right"):
    conf = {**CONF, "spark.kafkalyst.schema.registry.basic.auth.user.info": login}
    spark = kafkalyst.session(kafka=sys.argv[3], registry=url, catalog=None, **conf)
    print(login, declare(spark), len(threads()) > 0)
    rows = live(spark, spark.readStream.format("rate-micro-batch").option("rowsPerBatch", 1).load())
    next(some for some in rows if some)
    spark.stop()
    print("left:", left())
"""


def test_the_next_application_has_its_own_logins(
    spark: SparkSession, servers: Servers, topic: Callable[[str], str], tmp_path: Path
) -> None:
    """Sessions of one process share no logins, clients or cached answers, and their shown streams end with them."""
    name = topic("again")
    spark.sql(f"CREATE STREAM {name} (v INT) WITH (KAFKA_TOPIC = '{name}', VALUE_FORMAT = 'AVRO', PARTITIONS = 1)")
    spark.sql(f"INSERT INTO {name} VALUES (7)")
    conf = {"spark.master": "local[1]", "spark.ui.enabled": "false", "spark.sql.warehouse.dir": str(tmp_path)}
    with SecureRegistry(servers.registry, user="me:right") as door:
        command = [
            sys.executable,
            "-c",
            f"CONF = {conf!r}\n{PATIENCE_SECONDS = }\n{AGAIN}",
            name,
            door.address,
            servers.kafka,
        ]
        done = subprocess.run(
            command, cwd=tmp_path, capture_output=True, text=True, timeout=PROGRAM_SECONDS, check=False
        )
    assert done.returncode == 0, done.stderr[-3000:]
    assert done.stdout.splitlines() == [
        "me:right [7] True",
        "left: []",
        "me:wrong KAFKALYST_REGISTRY_DENIED True",
        "left: []",
        "me:right [7] True",
        "left: []",
    ]
