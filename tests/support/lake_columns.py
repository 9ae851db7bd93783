"""A program: which columns of tables of Delta and Iceberg a query writes, and what the others have.

Argument: a JSON object of kafka, registry, folder, topic. Prints `lake_columns: fine`.
"""

from __future__ import annotations

import json
import sys

from pyspark.sql import SparkSession

from support.lake import TABLES, session

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


def main() -> None:
    """Runs the checks in a session with Delta and Iceberg."""
    job = json.loads(sys.argv[1])
    spark = session(job["kafka"], job["registry"], job["folder"])
    check(spark, job["topic"])
    print("lake_columns: fine", flush=True)


if __name__ == "__main__":
    main()
