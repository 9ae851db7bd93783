"""A program: queries into tables of Delta and Iceberg while broker, registry, disk and table fail.

Argument: a JSON object of kafka, registry, folder, topic, the broker's process, and the seconds that things are away.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sys
import time
from pathlib import Path

from pyspark.sql import SparkSession

from support.guid_registry import GuidRegistry
from support.lake import TABLES, eventually, failed, refused, session

FAULTY = [f"{db}.{name}" for db in TABLES.values() for name in ("faulty_rows", "faulty_changes")]


class Away(GuidRegistry):
    """A registry that can be away for a while."""

    away = False

    def answer(self, method: str, path: str, body: bytes) -> tuple[int, bytes]:
        """Answers as the registry behind it does, or not at all."""
        return (503, b"") if self.away else super().answer(method, path, body)


def outputs(spark: SparkSession, ids: range) -> None:
    """Waits until all four tables have these rows, each once; short failures must not end their queries."""
    send(spark, ids)
    complete(spark, ids.stop)


def send(spark: SparkSession, ids: range) -> None:
    """Rows for the topic."""
    rows = [(k, f"v{k}") for k in ids]
    spark.sql("INSERT INTO rows SELECT * FROM VALUES " + ", ".join(str(row) for row in rows))


def complete(spark: SparkSession, count: int) -> None:
    """Waits until the tables have the rows up to this one, each once."""
    for table in FAULTY:
        eventually(
            spark,
            f"SELECT count(*), count(DISTINCT k), max(k), count_if(v = 'v' || k) FROM {table}",
            [(count, count, count - 1, count)],
            refreshed=table,
        )


def check(spark: SparkSession, folder: str, topic: str, broker: int, registry: Away, seconds: float) -> None:
    """Rows of one topic appended and merged into both kinds of tables, while one thing after another fails.

    Args:
        folder: where the lake is, in a file system of its own.
        broker: the broker's process.
        seconds: how long broker and registry are away.
    """
    spark.sql("CREATE NAMESPACE lake.db")
    spark.sql(f"""CREATE STREAM rows (k INT KEY, v STRING)
                  WITH (KAFKA_TOPIC = '{topic}', FORMAT = 'AVRO', PARTITIONS = 2)""")
    spark.sql(f"CREATE TABLE changes (k INT PRIMARY KEY, v STRING) WITH (KAFKA_TOPIC = '{topic}', FORMAT = 'AVRO')")
    for table in FAULTY:
        kind, source = next(kind for kind, db in TABLES.items() if table.startswith(db)), table.rpartition("_")[2]
        place = f" LOCATION '{folder}/lake/{source}'" if kind == "delta" else ""
        spark.sql(f"CREATE TABLE {table} (k INT, v STRING) USING {kind}{place}")
        spark.sql(f"""INSERT INTO {table} WITH (QUERY_ID = '{kind}_{source}', TRIGGER = '200 MILLISECONDS') BY NAME
                      SELECT k, v FROM {source} EMIT CHANGES""")
    outputs(spark, range(100))

    send(spark, range(100, 200))
    os.kill(broker, signal.SIGSTOP)  # while their batches are read
    time.sleep(seconds)
    os.kill(broker, signal.SIGCONT)
    complete(spark, 200)

    registry.away = True
    began = time.monotonic()
    outputs(spark, range(200, 300))  # its schemas are cached
    time.sleep(max(0.0, began + seconds - time.monotonic()))
    registry.away = False
    outputs(spark, range(300, 400))

    ballast = Path(folder) / "lake" / "ballast"
    with contextlib.suppress(OSError), ballast.open("wb", buffering=0) as file:
        while True:
            file.write(bytes(4096))
    spark.sql("INSERT INTO rows VALUES (400, 'v400')")
    queries = [row["query_id"] for row in spark.sql("SHOW QUERIES").collect()]
    assert len(queries) == len(FAULTY)
    for query in queries:
        failed(spark, query, "No space left on device")
    complete(spark, 400)
    ballast.unlink()
    spark.sql("RESUME ALL")
    complete(spark, 401)

    # Each batch is merged by the columns that the table has then.
    merged = f"{TABLES['iceberg']}.faulty_changes"
    spark.sql(f"ALTER TABLE {merged} RENAME COLUMN v TO w")
    spark.sql("INSERT INTO rows VALUES (401, 'v401')")
    failed(spark, "ICEBERG_CHANGES", "`t`.`v` cannot be resolved")
    assert refused(lambda: spark.sql("RESUME ICEBERG_CHANGES")) == "KAFKALYST_LAKE_COLUMNS"
    spark.sql(f"ALTER TABLE {merged} RENAME COLUMN w TO v")
    spark.sql("RESUME ICEBERG_CHANGES")
    spark.sql("INSERT INTO rows VALUES (402, 'v402')")
    complete(spark, 403)
    print("lake: fine", flush=True)


def main() -> None:
    """Runs the checks with the argument's settings."""
    job = json.loads(sys.argv[1])
    registry = Away(job["registry"])
    with registry:
        spark = session(job["kafka"], registry.address, job["folder"])
        check(spark, job["folder"], job["topic"], job["broker"], registry, job["seconds"])


if __name__ == "__main__":
    main()
