"""A program: runs the operations of the tests' sessions, and waits until the JVM has archived its classes.

Loading and verifying Spark's classes takes half of the time of a session's start, and tests start many sessions.
"""

from __future__ import annotations

from pyspark.sql import SparkSession

STATEMENTS = (
    "CREATE TABLE archived USING parquet AS SELECT id, id % 3 AS k, map('a', named_struct('b', id)) AS m FROM range(9)",
    "INSERT INTO archived VALUES (10, 1, NULL)",
    "SELECT k, sum(id), collect_list(m) FROM archived GROUP BY k HAVING k > 0 ORDER BY k",
    "SELECT /*+ SHUFFLE_HASH(b) */ * FROM archived a LEFT JOIN range(5) b ON a.id = b.id WHERE a.k IN (1, 2)",
    "SELECT *, row_number() OVER (PARTITION BY k ORDER BY id) AS n FROM archived",
    "SELECT from_json('{\"a\": 1}', 'a INT'), CAST('2024-01-01' AS TIMESTAMP), explode(array(1, 2))",
    "DESCRIBE EXTENDED archived",
    "SHOW TABLES",
    "DROP TABLE archived",
)


def main() -> None:
    """Runs batch queries with most operators, then a streaming query with state."""
    settings = {
        "spark.master": "local[2]",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.shuffle.partitions": "2",
    }
    spark = SparkSession.builder.config(map=settings).getOrCreate()
    for statement in STATEMENTS:
        spark.sql(statement).collect()
    rates = spark.readStream.format("rate").load().groupBy("value").count()
    stream = rates.writeStream.format("memory").queryName("rates").outputMode("complete").trigger(availableNow=True)
    stream.start().awaitTermination()
    jvm = spark.sparkContext._gateway.proc
    spark.stop()
    jvm.stdin.close()
    jvm.wait(300)


if __name__ == "__main__":
    main()
