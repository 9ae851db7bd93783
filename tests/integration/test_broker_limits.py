"""Records deleted by retention or compaction, large records, and a broker that throttles its clients."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from confluent_kafka import Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

from support.patience import PATIENCE_SECONDS
from support.records import eventually, everything

if TYPE_CHECKING:
    from conftest import Servers


def made(servers: Servers, name: str, **config: object) -> Producer:
    """Creates a topic of one partition with these settings; returns it with a producer."""
    settings = {key.replace("_", "."): str(value) for key, value in config.items()}
    admin = AdminClient({"bootstrap.servers": servers.kafka})
    admin.create_topics([NewTopic(name, 1, config=settings)])[name].result(30)
    return Producer({"bootstrap.servers": servers.kafka, "message.max.bytes": 4_000_000})


def send(producer: Producer, topic: str, values: range, keys: int = 1_000_000) -> None:
    """Sends these numbers as JSON; the key is the number modulo `keys`."""
    for v in values:
        producer.produce(topic, key=(v % keys).to_bytes(4, "big"), value=b'{"v":%d}' % v)
    assert producer.flush(PATIENCE_SECONDS) == 0


def declare(spark: SparkSession, name: str, kind: str = "STREAM", more: str = "") -> None:
    """Declares a stream or table over that topic."""
    key = "PRIMARY KEY" if kind == "TABLE" else "KEY"
    spark.sql(
        f"CREATE {kind} {name} (k INT {key}, v BIGINT{more}) WITH (KAFKA_TOPIC = '{name}', VALUE_FORMAT = 'JSON')"
    )


def seen(rows: DataFrame, checkpoint: Path, table: str) -> list[int]:
    """The rows of a query from its checkpoint to the end."""
    writer = rows.select("v").writeStream.format("parquet").option("checkpointLocation", str(checkpoint))
    query = writer.trigger(availableNow=True).option("path", table).start()
    try:
        query.processAllAvailable()
    finally:
        query.stop()
    found = rows.sparkSession.read.schema("v BIGINT").parquet(table).collect()
    return sorted(row.v for row in found if row.v is not None)


def test_retention_passes_the_offset(
    spark: SparkSession, servers: Servers, topic: Callable[[str], str], tmp_path: Path
) -> None:
    """The query fails and reports the lost offsets; with failOnDataLoss=false it continues with what is left."""
    name, out = topic("aged"), str(tmp_path / "out")
    producer = made(servers, name)
    declare(spark, name)
    send(producer, name, range(3))
    assert seen(spark.readStream.table(name), tmp_path / "c", out) == [0, 1, 2]
    send(producer, name, range(3, 8))
    lost, admin = TopicPartition(name, 0, 6), AdminClient({"bootstrap.servers": servers.kafka})
    admin.delete_records([lost])[lost].result(30)
    with pytest.raises(PySparkException, match="DATA_LOSS") as told:
        seen(spark.readStream.table(name), tmp_path / "c", out)
    assert name in str(told.value) and "6" in str(told.value)
    rows = spark.readStream.option("failOnDataLoss", "false").table(name)
    assert seen(rows, tmp_path / "c", out) == [0, 1, 2, 6, 7]


def test_compaction(spark: SparkSession, servers: Servers, topic: Callable[[str], str], tmp_path: Path) -> None:
    """Reads end where offsets are missing, within a topic and at its end, and have the latest row of each key."""
    name = topic("compacted")
    compact = {"cleanup.policy": "compact", "min.cleanable.dirty.ratio": "0.001", "segment.ms": "100"}
    producer = made(servers, name, **compact, delete_retention_ms=1)
    declare(spark, name, "TABLE")
    send(producer, name, range(500), keys=5)

    def is_compacted() -> bool:
        # The last segment is not compacted, and a segment ends only when a record is added.
        time.sleep(0.5)
        producer.produce(name, key=(9).to_bytes(4, "big"), value=None)
        producer.flush(PATIENCE_SECONDS)
        return len(everything(servers.kafka, name)) < 400

    eventually(is_compacted)
    assert sorted(row.v for row in spark.table(name).collect()) == [495, 496, 497, 498, 499]
    stream = topic("events")
    spark.sql(f"CREATE STREAM {stream} (v BIGINT) WITH (KAFKA_TOPIC = '{name}', VALUE_FORMAT = 'JSON')")
    assert set(seen(spark.readStream.table(stream), tmp_path / "c", str(tmp_path / "out"))) >= {495, 499}


def test_large_records(spark: SparkSession, servers: Servers, topic: Callable[[str], str]) -> None:
    """A record larger than a fetch is read; one larger than the producer may send is refused with size and setting."""
    name = topic("large")
    producer = made(servers, name, max_message_bytes=4_000_000)
    session = spark.newSession()
    session.conf.set("spark.kafkalyst.kafka.max.partition.fetch.bytes", "1000")
    session.conf.set("spark.kafkalyst.kafka.fetch.max.bytes", "1000")
    declare(session, name, more=", t STRING")
    producer.produce(name, key=(1).to_bytes(4, "big"), value=b'{"v":1,"t":"%s"}' % (b"x" * 2_000_000))
    producer.flush(PATIENCE_SECONDS)
    send(producer, name, range(2, 5))
    assert session.sql(f"SELECT v, length(t) FROM {name} ORDER BY v").collect()[0][1] == 2_000_000
    assert session.table(name).count() == 4
    with pytest.raises(PySparkException, match=r"max\.request\.size") as told:
        session.sql(f"INSERT INTO {name} VALUES (5, 5, repeat('x', 2000000))")
    assert "2000" in str(told.value)
    assert session.table(name).count() == 4


def test_a_quota(spark: SparkSession, servers: Servers, topic: Callable[[str], str]) -> None:
    """An INSERT that the broker throttles takes longer, and loses nothing."""
    name, client = topic("slow"), topic("client")
    made(servers, name)
    java = spark._jvm
    assert java is not None
    clients = java.org.apache.kafka.clients.admin
    admin = clients.Admin.create(java.java.util.Map.of("bootstrap.servers", servers.kafka))
    entity = java.org.apache.kafka.common.quota.ClientQuotaEntity(java.java.util.Map.of("client-id", client))
    quota = java.org.apache.kafka.common.quota
    rate = getattr(quota, "ClientQuotaAlteration$Op")("producer_byte_rate", 40_000.0)
    change = quota.ClientQuotaAlteration(entity, java.java.util.List.of(rate))
    admin.alterClientQuotas(java.java.util.List.of(change)).all().get()
    admin.close()
    session = spark.newSession()
    session.conf.set("spark.kafkalyst.kafka.client.id", client)
    session.conf.set("spark.kafkalyst.kafka.batch.size", "8000")
    declare(session, name, more=", t STRING")
    began = time.monotonic()
    session.sql(f"INSERT INTO {name} SELECT id, id, repeat(uuid(), 28) FROM range(600)")
    assert time.monotonic() - began > 3.0
    assert [row.v for row in session.sql(f"SELECT v FROM {name} ORDER BY v").collect()] == list(range(600))
