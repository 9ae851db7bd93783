"""Missing servers and statements that fail half-way: a named error, soon, and nothing is left."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

import pytest
from confluent_kafka import Consumer, KafkaException, TopicPartition
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

import kafkalyst
from kafkalyst import serdes
from support.patience import PATIENCE_SECONDS, ends
from support.records import eventually

if TYPE_CHECKING:
    from conftest import Servers

BROKERS = "spark.kafkalyst.bootstrap.servers"
REGISTRY = "spark.kafkalyst.schema.registry.url"
NOBODY = "127.0.0.1:1"
# Of Kafka's own, a minute by default. Kafkalyst's is a few seconds.
CLIENT_LIMIT = "spark.kafkalyst.kafka.default.api.timeout.ms"


@contextmanager
def setting(spark: SparkSession, name: str, value: str) -> Iterator[None]:
    """Sets a setting for the duration of the block."""
    before = spark.conf.get(name, None)
    spark.conf.set(name, value)
    try:
        yield
    finally:
        spark.conf.unset(name) if before is None else spark.conf.set(name, before)


def refused(spark: SparkSession, statement: str) -> str:
    """The condition that a statement fails with, before Kafka's own limit."""
    with ends(), pytest.raises(PySparkException) as failed:
        spark.sql(statement).collect()
    return str(failed.value.getCondition())


def test_no_broker(spark: SparkSession, topic: Callable[[str], str]) -> None:
    """Every use of the broker ends in a named condition with its address."""
    name = topic("lost")
    create = f"CREATE STREAM {name} (v INT) WITH (KAFKA_TOPIC = '{name}', VALUE_FORMAT = 'JSON', PARTITIONS = 1)"
    spark.sql(create)
    with setting(spark, BROKERS, NOBODY), setting(spark, CLIENT_LIMIT, str(2 * PATIENCE_SECONDS * 1000)):
        for statement in ("SHOW TOPICS", f"PRINT {name}", f"SELECT * FROM {name}", f"INSERT INTO {name} VALUES (1)"):
            assert refused(spark, statement) == "KAFKALYST_BROKER_UNREACHABLE"
        assert refused(spark, create.replace(name, topic("other"))) == "KAFKALYST_BROKER_UNREACHABLE"
    assert spark.table(name).count() == 0


def test_no_registry_leaves_nothing(spark: SparkSession, servers: Servers, topic: Callable[[str], str]) -> None:
    """A CREATE whose schema cannot be registered removes the topic that it created."""
    name = topic("halfway")
    create = f"CREATE STREAM {name} (v INT) WITH (KAFKA_TOPIC = '{name}', VALUE_FORMAT = 'AVRO', PARTITIONS = 1)"
    with setting(spark, REGISTRY, f"http://{NOBODY}"):
        assert refused(spark, create) == "KAFKALYST_REGISTRY_UNREACHABLE"
    assert spark.sql("SHOW TOPICS").where(f"topic = '{name}'").count() == 0
    assert spark.sql("SHOW STREAMS").where(f"name = '{name}'").count() == 0


def test_failed_entry_leaves_no_subject(spark: SparkSession, servers: Servers, topic: Callable[[str], str]) -> None:
    """A CREATE that fails at its last step, the catalog, removes subject and topic."""
    name = topic("nowhere")
    create = f"""CREATE STREAM no_such_database.{name} (v INT)
                 WITH (KAFKA_TOPIC = '{name}', VALUE_FORMAT = 'AVRO', PARTITIONS = 1)"""
    assert refused(spark, create) == "SCHEMA_NOT_FOUND"
    assert f"{name}-value" not in serdes.request(servers.registry, "GET", "/subjects")
    assert spark.sql("SHOW TOPICS").where(f"topic = '{name}'").count() == 0


def test_incompatible_schema_is_refused_before_anything(
    spark: SparkSession, servers: Servers, topic: Callable[[str], str]
) -> None:
    """CREATE … AS SELECT registers its schema; if the registry refuses it, no record is written."""
    source, sink = topic("ids"), topic("taken")
    spark.sql(f"CREATE STREAM {source} (v STRING) WITH (KAFKA_TOPIC='{source}', VALUE_FORMAT='JSON', PARTITIONS=1)")
    old = {"type": "record", "name": "Old", "fields": [{"name": "v", "type": "int"}]}
    serdes.register(servers.registry, f"{sink}-value", old)
    serdes.request(servers.registry, "PUT", f"/config/{sink}-value", {"compatibility": "BACKWARD"})
    statement = f"CREATE STREAM {sink} WITH (VALUE_FORMAT = 'AVRO') AS SELECT v FROM {source}"
    assert refused(spark, statement) == "KAFKALYST_SCHEMA_REFUSED"
    assert spark.sql("SHOW TOPICS").where(f"topic = '{sink}'").count() == 0
    assert f"{sink}-value" in serdes.request(servers.registry, "GET", "/subjects")


def kill_when_written(local: kafkalyst.LocalServers, topic: str) -> None:
    """Kills the broker when the topic has its first record."""
    consumer = Consumer({"bootstrap.servers": local.kafka, "group.id": "watch"})

    def is_written() -> bool:
        # The partition may have no leader yet.
        with suppress(KafkaException):
            return bool(consumer.get_watermark_offsets(TopicPartition(topic, 0), timeout=10)[1] > 0)
        return False

    eventually(is_written)
    os.kill(local.pids()[1], signal.SIGKILL)
    consumer.close()


def test_broker_lost_while_writing(spark: SparkSession, topic: Callable[[str], str]) -> None:
    """A statement whose broker dies fails within the client's limit, and names that limit."""
    name = topic("cut")
    limits = {"delivery.timeout.ms": "6000", "request.timeout.ms": "2000", "max.block.ms": "6000"}
    with kafkalyst.LocalServers() as local, setting(spark, BROKERS, local.kafka), ThreadPoolExecutor(1) as pool:
        for limit, value in limits.items():
            spark.conf.set(f"spark.kafkalyst.kafka.{limit}", value)
        try:
            spark.sql(f"CREATE STREAM {name} (v STRING) WITH (KAFKA_TOPIC='{name}', VALUE_FORMAT='JSON', PARTITIONS=1)")
            killed = pool.submit(kill_when_written, local, name)
            with pytest.raises(PySparkException) as failed:
                spark.sql(f"INSERT INTO {name} SELECT java_method('java.lang.Thread', 'sleep', 50L) FROM range(2000)")
            killed.result()
        finally:
            for limit in limits:
                spark.conf.unset(f"spark.kafkalyst.kafka.{limit}")
    assert failed.value.getCondition() == "KAFKALYST_WRITE_FAILED"
    assert name in str(failed.value)
    assert "spark.kafkalyst.kafka.delivery.timeout.ms (6000 ms)" in str(failed.value)
