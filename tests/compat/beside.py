"""A program: Kafkalyst's extension beside another one that owns the session catalog.

Arguments: neighbour (delta | iceberg), order (before | after), brokers, registry, folder, a suffix for topics.
"""

from __future__ import annotations

import sys
from pathlib import Path

from pyspark.sql import SparkSession

from kafkalyst.resources import jars_for
from support.jvm import UNFORKED
from support.patience import PATIENCE_SECONDS

OURS = "io.kafkalyst.KafkalystExtensions"
CATALOGS = {
    "delta": ("io.delta.sql.DeltaSparkSessionExtension", "org.apache.spark.sql.delta.catalog.DeltaCatalog"),
    "iceberg": (
        "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions",
        "org.apache.iceberg.spark.SparkSessionCatalog",
    ),
}


def session(neighbour: str, order: str, kafka: str, registry: str, folder: str) -> SparkSession:
    """A session with both extensions in the given order; the neighbour owns spark_catalog."""
    import pyspark

    extension, catalog = CATALOGS[neighbour]
    extensions = [OURS, extension] if order == "before" else [extension, OURS]
    there = Path("build/neighbours") / neighbour
    jars = [str(jar) for jar in [*jars_for(pyspark.__version__), *there.glob("*.jar")]]
    conf = {
        "spark.master": "local[2]",
        "spark.ui.enabled": "false",
        **UNFORKED,
        "spark.ui.showConsoleProgress": "false",
        "spark.databricks.delta.snapshotPartitions": "2",
        "spark.sql.shuffle.partitions": "2",
        "spark.jars": ",".join(jars),
        "spark.sql.extensions": ",".join(extensions),
        "spark.sql.catalog.spark_catalog": catalog,
        "spark.sql.catalog.kafka": "io.kafkalyst.KafkaCatalog",
        "spark.sql.warehouse.dir": f"{folder}/warehouse",
        "spark.kafkalyst.bootstrap.servers": kafka,
        "spark.kafkalyst.schema.registry.url": registry,
        "spark.kafkalyst.query.trigger": "available-now",
        "spark.kafkalyst.query.checkpoint.root": f"{folder}/checkpoints",
    }
    if neighbour == "delta":
        # Delta 4.4's own parser drops a statement's parameters on Spark 4.1, even without Kafkalyst, unless Spark puts
        # them in before.
        conf["spark.sql.legacy.parameterSubstitution.constantsOnly"] = "true"
    if neighbour == "iceberg":
        conf |= {
            "spark.sql.catalog.spark_catalog.type": "hadoop",
            "spark.sql.catalog.spark_catalog.warehouse": f"{folder}/warehouse",
        }
    builder = SparkSession.builder
    for name, value in conf.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


def ours(spark: SparkSession, suffix: str) -> None:
    """Kafkalyst's statements and queries."""
    topic = f"beside_{suffix}"
    spark.sql(f"""CREATE STREAM s (k INT KEY, "a b" STRING, n DOUBLE)
                  WITH (KAFKA_TOPIC = '{topic}', VALUE_FORMAT = 'JSON', PARTITIONS = 1)""")
    spark.sql("INSERT INTO s VALUES (1, 'one', 1.5), (2, 'two', 2.5)")
    spark.sql("INSERT INTO s (k, \"a b\") VALUES (3, 'three')")
    assert [tuple(r) for r in spark.sql('SELECT k, "a b" FROM s ORDER BY k').collect()] == [
        (1, "one"),
        (2, "two"),
        (3, "three"),
    ]
    assert spark.sql("SELECT x.k FROM s x JOIN s y ON x.k = y.k").count() == 3
    assert spark.table("s").count() == 3
    assert spark.sql("SELECT k FROM s WHERE k > :low", args={"low": 1}).count() == 2
    assert spark.sql("SELECT k FROM s EMIT CHANGES").isStreaming
    assert spark.sql("SELECT k FROM STREAM s").isStreaming
    assert spark.readStream.table("s").isStreaming
    assert [r["comment"] for r in spark.sql("DESCRIBE s").collect()] == ["KEY", "", ""]
    assert spark.sql("SHOW STREAMS").count() == 1
    spark.sql(f"CREATE STREAM d WITH (KAFKA_TOPIC = '{topic}_d') AS SELECT k, upper(\"a b\") AS u FROM s")
    assert sorted(r["u"] for r in spark.table("d").collect()) == ["ONE", "THREE", "TWO"]


def delta(spark: SparkSession, folder: str) -> None:
    """Delta's own SQL, and a pipeline into a Delta table."""
    spark.sql("CREATE TABLE t (k INT, name STRING) USING delta")
    spark.sql('INSERT INTO t SELECT k, "a b" FROM s')
    spark.sql("MERGE INTO t USING s ON t.k = s.k WHEN MATCHED AND s.k = 1 THEN UPDATE SET name = 'merged'")
    assert spark.sql("SELECT count(*) AS c FROM t WHERE name = 'merged'").first()["c"] == 1
    assert spark.sql("DESCRIBE HISTORY t").count() >= 3
    spark.sql("OPTIMIZE t")
    assert spark.sql("SELECT * FROM t JOIN s ON t.k = s.k").count() == 3
    pipeline(spark, folder, "delta")


def iceberg(spark: SparkSession, folder: str) -> None:
    """Iceberg's own SQL, and a pipeline into an Iceberg table."""
    spark.sql("CREATE TABLE t (k INT, name STRING) USING iceberg")
    spark.sql("ALTER TABLE t WRITE ORDERED BY k")
    spark.sql('INSERT INTO t SELECT k, "a b" FROM s')
    assert spark.sql("SELECT * FROM t JOIN s ON t.k = s.k").count() == 3
    assert spark.sql("SELECT count(*) AS c FROM default.t.snapshots").first()["c"] == 1
    spark.sql("CALL spark_catalog.system.rewrite_manifests('default.t')")
    pipeline(spark, folder, "iceberg")


def pipeline(spark: SparkSession, folder: str, format_name: str) -> None:
    """A topic into a table, as a stream."""
    spark.sql(f"CREATE TABLE landed (k INT, n DOUBLE) USING {format_name}")
    writer = spark.readStream.table("s").select("k", "n").writeStream.trigger(availableNow=True)
    query = writer.format(format_name).option("checkpointLocation", f"{folder}/landing").toTable("landed")
    assert query.awaitTermination(PATIENCE_SECONDS)
    assert sorted(r["k"] for r in spark.table("landed").collect()) == [1, 2, 3]


def cluster(spark: SparkSession, suffix: str, folder: str) -> None:
    """The cluster as a catalog: rows are copied from the neighbour's tables and into them."""
    topic = f"beside_{suffix}_c"
    spark.sql(f"CREATE STREAM kafka.{topic} (k INT KEY, v STRING) WITH (VALUE_FORMAT = 'JSON', PARTITIONS = 1)")
    spark.sql(f"INSERT INTO kafka.{topic} SELECT k, name FROM t")
    spark.sql(f"INSERT INTO t SELECT k + 10, v FROM kafka.{topic}")
    assert spark.sql(f"SELECT * FROM t JOIN kafka.{topic} c ON t.name = c.v").count() == 6
    writer = spark.readStream.table(f"kafka.{topic}").writeStream.trigger(availableNow=True)
    query = writer.option("checkpointLocation", f"{folder}/copied").toTable(f"kafka.{topic}_copy")
    assert query.awaitTermination(PATIENCE_SECONDS)
    assert sorted(r["k"] for r in spark.table(f"kafka.{topic}_copy").collect()) == [1, 2, 3]
    for name in (topic, f"{topic}_copy"):
        spark.sql(f"DROP TABLE kafka.{name} PURGE")


def main() -> None:
    """Runs the whole check; prints `beside each other: fine`."""
    neighbour, order, kafka, registry, folder, suffix = sys.argv[1:]
    spark = session(neighbour, order, kafka, registry, folder)
    ours(spark, suffix)
    {"delta": delta, "iceberg": iceberg}[neighbour](spark, folder)
    cluster(spark, suffix, folder)
    spark.sql("DROP STREAM d")
    spark.sql("DROP TABLE s")
    assert spark.sql("SHOW STREAMS").count() == 0
    print("beside each other: fine")


if __name__ == "__main__":
    main()
