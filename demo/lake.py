"""The demo's lake: one Iceberg table follows the changes of a topic, another one keeps records that a topic deletes.

python demo/lake.py FOLDER (the broker's address in KAFKALYST_KAFKA, the registry's in KAFKALYST_REGISTRY)
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from confluent_kafka import TopicPartition
from confluent_kafka.admin import AdminClient, OffsetSpec
from pyspark.sql import SparkSession

import kafkalyst
from kafkalyst.table import render

PATIENCE_SECONDS = 60
FOLDER = Path(__file__).resolve().parent
JARS = (FOLDER.parent / "build" / "neighbours").glob("iceberg/*.jar")


def main() -> int:
    """Runs lake.sql, deletes a topic's records, and shows that a SELECT over the topic has the same answer."""
    root = sys.argv[1]
    conf: dict[str, Any] = {
        "spark.ui.enabled": False,
        "spark.ui.showConsoleProgress": False,
        "spark.jars": ",".join(str(jar) for jar in JARS),
        "spark.sql.extensions": "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions",
        "spark.sql.catalog.lake": "org.apache.iceberg.spark.SparkCatalog",
        "spark.sql.catalog.lake.type": "hadoop",
        "spark.sql.catalog.lake.warehouse": f"{root}/lake",
        "spark.sql.shuffle.partitions": 1,
        "spark.sql.warehouse.dir": f"{root}/lake-warehouse",
        "spark.kafkalyst.query.checkpoint.root": f"{root}/lake-checkpoints",
    }
    spark = kafkalyst.session(**conf)
    kafkalyst.run_script(spark, FOLDER / "lake.sql")
    shown(spark, "SELECT * FROM lake.shop.members ORDER BY name", [("Ada", "GOLD", 11), ("Björn", "GOLD", 12)])
    total = [(10000, spark.sql("SELECT sum(amount) FROM payments").collect()[0][0])]
    shown(spark, "SELECT count(*) AS payments, sum(amount) AS total FROM lake.shop.payments", total)
    print(f"\nThe topic forgets: {forget('shop.payments')} of its records are left.")
    shown(spark, "SELECT count(*) AS payments, sum(amount) AS total FROM payments", total)
    spark.sql("TERMINATE ALL")
    spark.stop()
    return 0


def shown(spark: SparkSession, query: str, expected: Sequence[tuple[object, ...]]) -> None:
    """Prints the query's rows once they are the expected ones: continuous queries need a moment."""
    end = time.monotonic() + PATIENCE_SECONDS
    found = spark.sql(query)
    while (rows := [tuple(row) for row in found.collect()]) != expected:
        if time.monotonic() > end:
            raise TimeoutError(f"{query}: {rows}")
        time.sleep(0.5)
        found = spark.sql(query)
    print(f"\n{query}\n" + "\n".join(render(found.columns, rows)), flush=True)


def forget(topic: str) -> int:
    """Deletes all records except the last ten of each partition, as retention does; returns how many are left."""
    admin = AdminClient({"bootstrap.servers": os.environ["KAFKALYST_KAFKA"]})
    partitions = [TopicPartition(topic, partition) for partition in admin.list_topics(topic).topics[topic].partitions]
    ends = {p: admin.list_offsets({p: OffsetSpec.latest()})[p].result().offset for p in partitions}
    for deleted in admin.delete_records(
        [TopicPartition(topic, p.partition, ends[p] - 10) for p in partitions]
    ).values():
        deleted.result()
    return 10 * len(partitions)


if __name__ == "__main__":
    sys.exit(main())
