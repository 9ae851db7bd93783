"""A program: which columns of tables of Delta and Iceberg a query writes, and what the others have.

Argument: a JSON object of kafka, registry, folder, topic. Prints `lake_columns: fine`.
"""

from __future__ import annotations

import json
import sys

from pyspark.sql import SparkSession

from support.lake import TABLES, eventually, refused, session, uncommitted

ONCE = "WITH (TRIGGER = 'available-now')"
DEFAULTS = "TBLPROPERTIES ('delta.feature.allowColumnDefaults' = 'supported')"


def check(spark: SparkSession, topic: str) -> None:
    """Tables with columns of others, with defaults, generated and identity columns; and keys that are not the first."""
    spark.sql("CREATE NAMESPACE lake.db")
    spark.sql(f"""CREATE STREAM rows (k INT, v STRING)
                  WITH (KAFKA_TOPIC = '{topic}', VALUE_FORMAT = 'JSON', PARTITIONS = 1)""")
    spark.sql(f"""CREATE TABLE changes (k STRING PRIMARY KEY, v STRING)
                  WITH (KAFKA_TOPIC = '{topic}-changes', VALUE_FORMAT = 'JSON', PARTITIONS = 1)""")
    spark.sql("INSERT INTO rows VALUES (1, 'a'), (2, 'b')")
    spark.sql("INSERT INTO changes VALUES ('x', 'a'), ('y', 'b')")
    found, expected = {}, {}

    def landed(table: str, columns: str, source: str, rows: list[tuple[object, ...]], select: str = "k, v") -> None:
        spark.sql(f"INSERT INTO {table} {ONCE} {columns} SELECT {select} FROM {source} EMIT CHANGES")
        spark.catalog.refreshTable(table)
        expected[f"{table} {source}"] = rows
        found[f"{table} {source}"] = [tuple(row) for row in spark.table(table).orderBy("k").collect()]

    for kind, db in TABLES.items():
        spark.sql(f"CREATE TABLE {db}.turned (v STRING, k STRING) USING {kind}")
        landed(f"{db}.turned", "", "changes", [("a", "x"), ("b", "y")], "v, k")
        spark.sql(f"CREATE TABLE {db}.noted (k STRING, v STRING, note STRING) USING {kind}")
        spark.sql(f"INSERT INTO {db}.noted VALUES ('y', 'old', 'mine')")
        landed(f"{db}.noted", "(k, v)", "changes", [("x", "a", None), ("y", "b", "mine")])
        spark.sql(f"CREATE TABLE {db}.wide (k INT, v STRING, note STRING) USING {kind}")
        landed(f"{db}.wide", "(k, v)", "rows", [(1, "a", None), (2, "b", None)])
    spark.sql(f"CREATE TABLE given (k INT, v STRING, d INT DEFAULT 7) USING delta {DEFAULTS}")
    landed("given", "BY NAME", "rows", [(1, "a", 7), (2, "b", 7)])
    spark.sql(f"CREATE TABLE merged (k STRING, v STRING, d INT DEFAULT 7) USING delta {DEFAULTS}")
    spark.sql("INSERT INTO merged VALUES ('y', 'old', 8)")
    landed("merged", "(k, v)", "changes", [("x", "a", 7), ("y", "b", 8)])
    spark.sql("CREATE TABLE twice (k INT, v STRING, g INT GENERATED ALWAYS AS (k * 2)) USING delta PARTITIONED BY (g)")
    landed("twice", "(k, v)", "rows", [(1, "a", 2), (2, "b", 4)])
    spark.sql("CREATE TABLE loud (k STRING, v STRING, g STRING GENERATED ALWAYS AS (concat(k, '!'))) USING delta")
    landed("loud", "(k, v)", "changes", [("x", "a", "x!"), ("y", "b", "y!")])
    spark.sql("CREATE TABLE counted (k INT, v STRING, i BIGINT GENERATED ALWAYS AS IDENTITY) USING delta")
    landed("counted", "(k, v)", "rows", [(1, "a", 1), (2, "b", 2)])
    assert found == expected, (found, expected)


def check_history(spark: SparkSession, topic: str) -> None:
    """Delta computes generated columns of a history."""
    spark.sql("CREATE TABLE handed (k INT, p INT, o BIGINT, g INT GENERATED ALWAYS AS (k * 2)) USING delta")
    spark.sql(f"""CREATE STREAM handed_rows (k INT)
                  WITH (KAFKA_TOPIC = '{topic}', VALUE_FORMAT = 'JSON', PARTITIONS = 1, HISTORY = 'handed')""")
    spark.sql("INSERT INTO handed_rows VALUES (1), (2)")
    spark.sql(f"INSERT INTO handed {ONCE} (k, p, o) SELECT k, ROWPARTITION, ROWOFFSET FROM handed_rows EMIT CHANGES")
    eventually(spark, "SELECT k, g FROM handed ORDER BY k", [(1, 2), (2, 4)])


def check_grown(spark: SparkSession) -> None:
    """Tables get nested fields and wider types; what a catalog refuses loses no row."""
    for kind, db in TABLES.items():
        table = f"{db}.grown"
        spark.sql(f"CREATE TABLE {table} (k INT, s STRUCT<a: INT>) USING {kind}")
        insert = f"""INSERT INTO {table} WITH (TRIGGER = 'available-now', SCHEMA_EVOLUTION = 'add') BY NAME
                     SELECT k, named_struct('a', CAST(k AS BIGINT), 'b', v) AS s FROM rows EMIT CHANGES"""
        if kind == "delta":
            assert refused(lambda insert=insert: spark.sql(insert)) == "KAFKALYST_LAKE_GROWTH"
            assert spark.table(table).isEmpty()
            spark.sql(f"ALTER TABLE {table} SET TBLPROPERTIES ('delta.enableTypeWidening' = 'true')")
        spark.sql(insert)
        rows = f"SELECT k, s.a, s.b FROM {table} ORDER BY k"
        eventually(spark, rows, [(1, 1, "a"), (2, 2, "b")], table)
        # A nested field that a query does not give is NULL.
        fewer = "SELECT k + 2 AS k, named_struct('b', v) AS s FROM rows EMIT CHANGES"
        spark.sql(f"INSERT INTO {table} {ONCE} BY NAME {fewer}")
        eventually(spark, rows, [(1, 1, "a"), (2, 2, "b"), (3, None, "a"), (4, None, "b")], table)


def check_groups(spark: SparkSession, folder: str) -> None:
    """Changes of groups are appended with their kind, those of a repeated batch once."""
    before = [("a", 1, "upsert"), ("b", 1, "upsert")]
    for kind, db in TABLES.items():
        spark.sql(f"""CREATE TABLE {db}.counts USING {kind} TBLPROPERTIES ('MERGE' = 'append',
                      'QUERY_ID' = '{kind}', 'TRIGGER' = 'available-now')
                      AS SELECT v, count(*) AS n FROM changes GROUP BY v EMIT CHANGES""")
        eventually(spark, f"SELECT v, n, ROWKIND FROM {db}.counts ORDER BY v", before, f"{db}.counts")
    spark.sql("INSERT INTO changes VALUES ('y', 'c')")
    after = [(*row, None, True) for row in (before[0], ("b", 0, "delete"), before[1], ("c", 1, "upsert"))]
    for kind, db in TABLES.items():
        rows = f"SELECT v, n, ROWKIND, ROWOFFSET, ROWTIME > 0 FROM {db}.counts ORDER BY v, n"
        spark.sql(f"RESUME {kind}")
        eventually(spark, rows, after, f"{db}.counts")
        uncommitted(folder, kind.upper())
        spark.sql(f"RESUME {kind}")
        spark.catalog.refreshTable(f"{db}.counts")
        eventually(spark, rows, after)


def main() -> None:
    """Runs the checks in a session with Delta and Iceberg."""
    job = json.loads(sys.argv[1])
    spark = session(job["kafka"], job["registry"], job["folder"])
    check(spark, job["topic"])
    check_history(spark, f"{job['topic']}-handed")
    check_grown(spark)
    check_groups(spark, job["folder"])
    print("lake_columns: fine", flush=True)


if __name__ == "__main__":
    main()
