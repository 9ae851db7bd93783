"""With Hive's metastore, where Spark does not run early rules, statements do what they do with an in-memory catalog."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from support.hive import run

if TYPE_CHECKING:
    from conftest import Servers

PROGRAM = """
import kafkalyst, sys
topic = sys.argv[3]
spark = kafkalyst.session(kafka=sys.argv[1], registry=sys.argv[2], **CONF)
made = "WITH (KAFKA_TOPIC='{}', VALUE_FORMAT='JSON', PARTITIONS=1)"
spark.sql("CREATE STREAM o (id INT, v STRING) " + made.format(topic))
spark.sql("CREATE TABLE t (k INT PRIMARY KEY, v STRING) " + made.format(topic + "_t"))
spark.sql("INSERT INTO o VALUES (1, 'a'), (2, 'b'), (3, 'c'), (4, 'd')")
spark.sql("INSERT INTO t VALUES (1, 'old'), (2, 'two'), (1, 'new')")
def rows(text, **arguments):
    return sorted(tuple(row) for row in spark.sql(text, **arguments).collect())
def refused(text):
    try:
        spark.sql(text)
    except Exception as error:
        return error.getCondition()
    return f"done: {text}"
"""

HIDDEN = """
for mode in ("", "FORMATTED ", "EXTENDED ", "COST "):
    plan = spark.sql(f"EXPLAIN {mode}SELECT id, ROWTIME FROM o WHERE ROWOFFSET > 1").first()[0]
    assert "ROWOFFSET" in plan and "MISSING_ATTRIBUTES" not in plan, plan
plan = spark.sql("EXPLAIN WITH c AS (SELECT k, ROWPARTITION FROM t) SELECT * FROM c").first()[0]
assert "Physical Plan" in plan and "Error occurred" not in plan, plan
spark.sql("CREATE VIEW places AS SELECT id, ROWOFFSET AS at FROM o WHERE ROWTIME > 0")
spark.sql("CREATE VIEW latest AS SELECT k, ROWOFFSET AS at, ROWKEY.k AS same FROM t")
assert rows("SELECT * FROM places") == [(1, 0), (2, 1), (3, 2), (4, 3)], rows("SELECT * FROM places")
assert rows("SELECT * FROM latest") == [(1, 2, 1), (2, 1, 2)], rows("SELECT * FROM latest")
assert rows("SELECT a.id FROM places a JOIN places b ON a.at = b.at + 1") == [(2,), (3,), (4,)]
print("hidden columns")
"""

TRAVEL = """
assert rows("SELECT count(*) FROM o VERSION AS OF 'partition:0,offset:3'") == [(3,)]
assert rows("SELECT count(*) FROM o TIMESTAMP AS OF now()") == [(4,)]
assert rows("WITH c AS (SELECT * FROM o VERSION AS OF 'partition:0,offset:1') SELECT id FROM c") == [(1,)]
assert rows("SELECT (SELECT max(id) FROM o VERSION AS OF 'partition:0,offset:2')") == [(2,)]
print("time travel")
"""

WRITERS = """
one = spark.sql("SELECT 5 AS id, 'e' AS v")
writers = {
    "writeTo": lambda option: one.writeTo("o").option(option, "fixed").append(),
    "insertInto": lambda option: one.write.format("kafkalyst").option(option, "fixed").insertInto("o"),
    "saveAsTable": lambda option: one.write.format("kafkalyst").mode("append").option(option, "fixed").saveAsTable("o"),
}
for way, write in writers.items():
    write("sink.partitioner")
    condition = None
    try:
        write("nonsense")
    except Exception as error:
        condition = error.getCondition()
    assert condition == "KAFKALYST_FLINK_OPTION", (way, condition)
assert rows("SELECT count(*) FROM o WHERE id = 5") == [(3,)]
print("writers")
"""

NAMED = """
spark.sql("CREATE VIEW v AS SELECT id FROM o")
for text in ("CACHE TABLE v", "CACHE LAZY TABLE v", "CACHE TABLE o", "CACHE TABLE default.v"):
    assert refused(text) == "KAFKALYST_CACHE_OF_TOPIC", refused(text)
name = f"kafka.{topic}"
for number, source in enumerate(("o", "v", name)):
    spark.sql(f"CACHE TABLE kept{number} AS SELECT * FROM {source}")
spark.sql("INSERT INTO o VALUES (5, 'e')")
for number in range(3):
    assert rows(f"SELECT count(*) FROM kept{number}") == [(4,)], number
assert rows("SELECT count(*) FROM v") == [(5,)]
assert rows(f"SELECT count(*) FROM IDENTIFIER('{name}')") == [(5,)]
assert rows("SELECT max(ROWOFFSET) FROM IDENTIFIER(:name) WHERE ROWOFFSET < 2", args={"name": name}) == [(1,)]
assert rows("WITH c AS (SELECT id FROM IDENTIFIER('o')) SELECT count(*) FROM c") == [(5,)]
explained = spark.sql(f"EXPLAIN SELECT max(ROWOFFSET) FROM IDENTIFIER('{name}')").first()[0]
assert topic in explained and "Error" not in explained, explained
spark.sql(f"DECLARE VARIABLE source STRING DEFAULT '{name}'")
assert rows("SELECT count(*) FROM IDENTIFIER(source)") == [(5,)]
spark.sql("INSERT INTO IDENTIFIER('default.' || 'o') VALUES (6, 'f')")
assert rows("SELECT count(*) FROM o") == [(6,)]
spark.sql("CREATE TABLE default_catalog.default_database.plain USING parquet AS SELECT 7 AS a")
assert rows("SELECT a FROM default_database.plain") == [(7,)]
spark.sql("DROP TABLE default_catalog.default_database.plain")
spark.sql("DROP TABLE IF EXISTS default_catalog.default_database.plain")
spark.sql("USE default_catalog.default_database")
print("other names")
"""


def _program(servers: Servers, folder: Path, part: str) -> str:
    topic = f"hive_{folder.parent.name}_{folder.name}".replace("-", "_")
    return run(PROGRAM + part, folder, servers.kafka, servers.registry, topic)


def test_hidden_columns(servers: Servers, tmp_path: Path) -> None:
    """EXPLAIN and views may name hidden columns."""
    assert "hidden columns" in _program(servers, tmp_path, HIDDEN)


def test_time_travel(servers: Servers, tmp_path: Path) -> None:
    """VERSION AS OF and TIMESTAMP AS OF, also in a CTE and a subquery."""
    assert "time travel" in _program(servers, tmp_path, TRAVEL)


def test_options_of_writers(servers: Servers, tmp_path: Path) -> None:
    """Options of a DataFrame's writer are applied, or refused by name."""
    assert "writers" in _program(servers, tmp_path, WRITERS)


def test_names_of_other_statements(servers: Servers, tmp_path: Path) -> None:
    """CACHE TABLE of a view, names that are expressions, and those of Flink's default catalog and database."""
    assert "other names" in _program(servers, tmp_path, NAMED)


CALLS = """
spark.sql("CREATE TABLE files USING parquet AS SELECT 1 AS a")
calls = spark._jvm.org.apache.spark.metrics.source.HiveCatalogMetrics.METRIC_HIVE_CLIENT_CALLS()
def count(text):
    before = calls.getCount()
    spark.sql(text).collect()
    return calls.getCount() - before
count("SELECT * FROM files")
print("calls:", count("SELECT * FROM files"), count("SELECT * FROM files a JOIN files b USING (a)"))
assert spark.catalog.tableExists("files") and not spark.catalog.tableExists("nowhere.files")
assert refused("SELECT * FROM nowhere.files") == refused("SELECT * FROM lost") == "TABLE_OR_VIEW_NOT_FOUND"
"""


SCRIPTS = """
for database in ("one", "two"):
    spark.sql(f"CREATE DATABASE {database}")
    spark.sql(f"CREATE STREAM {database}.orders (place STRING) " + made.format(f"{topic}_{database}"))
    spark.sql(f"INSERT INTO {database}.orders VALUES ('{database}')")
handler = "DECLARE EXIT HANDLER FOR SQLEXCEPTION BEGIN SELECT 'handled' AS r; END;"
assert rows(f"BEGIN {handler} SELECT 1 / (id - id) FROM o; END") == [("handled",)]
spark.sql("USE one")
assert rows("BEGIN USE two; SELECT * FROM orders; END") == [("two",)]
spark.sql("USE default")
copied = f"BEGIN CREATE TABLE kafka.{topic}_copy USING kafkalyst AS SELECT id FROM o; "
assert rows(copied + f"SELECT count(*) FROM kafka.{topic}_copy; END") == [(4,)]
counted = "DELETE FROM t WHERE k = g; SELECT k, ROWOFFSET FROM t; END"
assert rows("BEGIN DECLARE g INT DEFAULT 1; " + counted) == [(2, 1)]
assert rows("BEGIN DECLARE g INT DEFAULT 0; SET g = (SELECT max(ROWOFFSET) FROM o); SELECT g; END") == [(3,)]
spark.sql("BEGIN ALTER TABLE o ADD COLUMNS (z INT); END")
assert spark.table("o").columns == ["id", "v", "z"], spark.table("o").columns
for text in ("DROP TABLE o", "DROP TABLE IDENTIFIER(n)", "BEGIN DROP TABLE o; END", "DROP SCHEMA two CASCADE"):
    if "two" in text:
        spark.sql("DROP STREAM many")
    if "TABLE o" in text and "BEGIN" not in text:
        spark.sql("DECLARE n = 'o'")
        spark.sql("CREATE STREAM many AS SELECT * FROM o EMIT CHANGES")
    if "two" in text:
        spark.sql("CREATE STREAM many AS SELECT * FROM two.orders EMIT CHANGES")
    assert refused(text) == "KAFKALYST_OBJECT_IN_USE", (text, refused(text))
spark.sql("DROP STREAM many")
spark.sql("DROP SCHEMA two CASCADE")
spark.sql("DELETE FROM IDENTIFIER('t' || '') WHERE k = 2")
assert rows("SELECT * FROM t") == []
spark.sql("ALTER TABLE IDENTIFIER(n) RENAME TO p")
spark.sql("SET VAR n = 'p'")
spark.sql("DROP TABLE IDENTIFIER(n)")
assert rows("SHOW STREAMS") == []
print("scripts")
"""


def test_scripts(servers: Servers, tmp_path: Path) -> None:
    """The statements of scripts, statements over IDENTIFIER(…), and DROP SCHEMA."""
    assert "scripts" in _program(servers, tmp_path, SCRIPTS)


def test_few_requests_for_other_tables(servers: Servers, tmp_path: Path) -> None:
    """A table of files in a query costs the metastore three requests more than Spark's own."""
    one, two = _program(servers, tmp_path, CALLS).split("calls:")[1].split()[:2]
    assert int(one) <= 6
    assert int(two) <= 12
