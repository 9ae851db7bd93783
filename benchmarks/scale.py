"""Checks that time grows with the records and memory does not; measures planning: many partitions, and by a catalog.

SCALE_RECORDS (200000,2000000,20000000) and SCALE_PARTITIONS (1000) change the sizes. Prints one line per size.
"""

from __future__ import annotations

import os
import statistics
import sys
import time

from confluent_kafka import TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic, OffsetSpec
from peers import timed
from pyspark.sql import SparkSession
from run import say, session_conf
from works import ALL, DATASETS, MILLIS

import kafkalyst

RECORDS = [int(n) for n in os.environ.get("SCALE_RECORDS", "200000,2000000,20000000").split(",") if n]
PARTITIONS = int(os.environ.get("SCALE_PARTITIONS", "1000"))
RUNS = 3
PLANS = 200


def columns() -> str:
    """The columns of the orders."""
    return ", ".join(f"{name} {kind}" for name, kind in DATASETS["avro"].columns.items())


def retained(spark: SparkSession) -> float:
    """MiB that the last garbage collections of the driver's JVM, which also runs the tasks, did not free."""
    pools = spark._jvm.java.lang.management.ManagementFactory.getMemoryPoolMXBeans()
    used = [pool.getCollectionUsage() for pool in (pools.get(i) for i in range(pools.size()))]
    return sum(usage.getUsed() for usage in used if usage is not None) / 2**20


def grown(spark: SparkSession, count: int) -> None:
    """Median seconds of reading all columns of `count` records, and the most memory retained meanwhile."""
    name = f"scale_{count}"
    spark.sql(
        f"CREATE STREAM {name} ({columns()}) WITH (KAFKA_TOPIC = '{name}', VALUE_FORMAT = 'AVRO', PARTITIONS = 4)"
    )
    ids = f"(SELECT id FROM range(0, {count}, 1, 4))"
    spark.sql(f"INSERT INTO {name} {DATASETS['avro'].rows.format(ids=ids, millis=f'timestamp_millis({MILLIS})')}")
    query = ALL.format(source=name)
    timed(spark, query)
    spark._jvm.System.gc()
    seconds, most = [], 0.0
    for _ in range(RUNS):
        seconds.append(timed(spark, query)[0])
        most = max(most, retained(spark))
    took = sorted(seconds)[RUNS // 2]
    say(f"{count:,} records: {took:.2f} s, {count / took / 1e6:.2f} M/s, {most:.0f} MiB retained")
    spark.sql(f"DROP STREAM {name} DELETE TOPIC")


def planned(spark: SparkSession, kafka: str) -> None:
    """Seconds of planning a read of many partitions, compared with the broker's answers about their offsets."""
    admin = AdminClient({"bootstrap.servers": kafka})
    for made in admin.create_topics([NewTopic("scale_partitions", PARTITIONS)]).values():
        made.result(120)
    spark.sql(
        f"CREATE STREAM scale_partitions ({columns()}) WITH (KAFKA_TOPIC = 'scale_partitions', VALUE_FORMAT = 'AVRO')"
    )
    places = [TopicPartition("scale_partitions", p) for p in range(PARTITIONS)]
    for run in range(RUNS):
        # Kafkalyst first: it waits until each partition of the new topic has a leader.
        began = time.perf_counter()
        spark.sql("SELECT id FROM scale_partitions")._jdf.queryExecution().toRdd().getNumPartitions()
        ours = time.perf_counter() - began
        began = time.perf_counter()
        for spec in (OffsetSpec.earliest(), OffsetSpec.latest()):
            for found in admin.list_offsets(dict.fromkeys(places, spec)).values():
                found.result(60)
        broker = time.perf_counter() - began
        say(f"run {run}: {PARTITIONS:,} partitions planned in {ours:.2f} s; the broker's answers take {broker:.2f} s")


def compared(spark: SparkSession) -> None:
    """Median time of planning a SELECT over a topic of the cluster's catalog, and over a session catalog's object."""
    name = "scale_catalog"
    spark.sql(
        f"CREATE STREAM {name} ({columns()}) WITH (KAFKA_TOPIC = '{name}', VALUE_FORMAT = 'AVRO', PARTITIONS = 4)"
    )
    seconds: dict[str, list[float]] = {name: [], f"kafka.{name}": []}
    for _ in range(PLANS):
        for source, took in seconds.items():
            began = time.perf_counter()
            spark.sql(f"SELECT id FROM {source} WHERE id > 7")._jdf.queryExecution().executedPlan()
            took.append(time.perf_counter() - began)
    own, cluster = (statistics.median(took[PLANS // 4 :]) for took in seconds.values())
    say(
        f"planning a SELECT: {own * 1e3:.1f} ms over an object of Spark's catalog, {cluster * 1e3:.1f} ms over a topic "
        f"of the cluster's: {cluster / own:.2f} ×"
    )
    spark.sql(f"DROP STREAM {name} DELETE TOPIC")


def main(only: str = "") -> int:
    """Measures everything, in a JVM of 1 GiB; with the argument `planning` only the comparison of catalogs."""
    with kafkalyst.LocalServers(progress=say) as servers:
        conf = {**session_conf(servers), "spark.driver.memory": "1g"}
        spark = kafkalyst.session(servers.kafka, servers.registry, **conf)
        compared(spark)
        if only != "planning":
            planned(spark, servers.kafka)
            for count in RECORDS:
                grown(spark, count)
        spark.stop()
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
