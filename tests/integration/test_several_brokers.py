"""Moving leaders, and records that only a dead leader had, with three brokers."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient, NewTopic
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from kafkalyst.ports import held_ports
from support.broker import Brokers
from support.patience import PATIENCE_SECONDS
from support.records import eventually, everything

ROWS = 400


@pytest.fixture(scope="module")
def brokers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Brokers]:
    """Brokers 1, 2 and 3."""
    with held_ports(4) as ports, Brokers(tmp_path_factory.mktemp("brokers"), ports) as started:
        yield started


@pytest.fixture
def declared(
    spark: SparkSession, brokers: Brokers, topic: Callable[[str], str]
) -> Iterator[tuple[SparkSession, str, str]]:
    """A session with these brokers, a stream and its copy; topics have one partition with leader 2 and follower 3."""
    session, source, sink = spark.newSession(), topic("source"), topic("sink")
    session.conf.set("spark.kafkalyst.bootstrap.servers", brokers.kafka)
    unclean = {"unclean.leader.election.enable": "true"}
    new = [NewTopic(name, 1, replica_assignment=[[2, 3]], config=unclean) for name in (source, sink)]
    admin = AdminClient({"bootstrap.servers": brokers.kafka})  # keeps a reference until the answers have arrived
    for future in admin.create_topics(new).values():
        future.result()
    for name in (source, sink):
        session.sql(
            f"CREATE STREAM {name} (k INT KEY, v STRING) WITH (KAFKA_TOPIC = '{name}', VALUE_FORMAT = 'JSON', "
            "'sink.delivery-guarantee' = 'exactly-once')"
        )
    yield session, source, sink
    for name in (source, sink):
        session.sql(f"DROP STREAM {name}")


def send(kafka: str, topic: str, rows: range) -> None:
    """Sends rows with these numbers, each acknowledged by all in-sync replicas."""
    producer = Producer({"bootstrap.servers": kafka, "topic.metadata.refresh.interval.ms": 500})
    for k in rows:
        producer.produce(topic, key=k.to_bytes(4, "big"), value=json.dumps({"v": str(k)}).encode())
    assert producer.flush(PATIENCE_SECONDS) == 0


def state(kafka: str, topic: str) -> tuple[int, set[int]]:
    """The leader of the topic's partition and its in-sync replicas; -1 while a broker that starts does not know it."""
    admin = AdminClient({"bootstrap.servers": kafka})
    for partition in admin.list_topics(topic, PATIENCE_SECONDS).topics[topic].partitions.values():
        return partition.leader, set(partition.isrs)
    return -1, set()


def test_leaders_that_move(declared: tuple[SparkSession, str, str], brokers: Brokers, tmp_path: Path) -> None:
    """A query continues while each broker in turn dies and returns: every row once."""
    session, source, sink = declared
    copy = session.readStream.table(source).writeStream.option("checkpointLocation", str(tmp_path))
    query = copy.toTable(sink)
    try:
        sent = 0
        for dies, leads in ((2, 3), (3, 2)):
            send(brokers.kafka, source, range(sent, sent + ROWS))
            brokers.kill(dies)
            send(brokers.kafka, source, range(sent + ROWS, sent + 2 * ROWS))
            sent += 2 * ROWS
            eventually(lambda leads=leads: state(brokers.kafka, source) == (leads, {leads}))
            brokers.start(dies)
            eventually(lambda: state(brokers.kafka, source)[1] == {2, 3} == state(brokers.kafka, sink)[1])
        end = time.monotonic() + PATIENCE_SECONDS
        while len(found := everything(brokers.kafka, sink)) < sent:
            assert query.isActive, query.exception()
            assert time.monotonic() < end, len(found)
            time.sleep(0.5)
        assert Counter(int.from_bytes(key or b"", "big") for key, _ in found) == Counter(range(sent))
    finally:
        query.stop()


def test_an_unclean_election(declared: tuple[SparkSession, str, str], brokers: Brokers, tmp_path: Path) -> None:
    """A query whose records are lost with their leader fails by name instead of reading from another offset."""
    session, source, sink = declared

    def copy() -> None:
        writer = session.readStream.table(source).writeStream.option("checkpointLocation", str(tmp_path))
        writer.trigger(availableNow=True).toTable(sink).awaitTermination(PATIENCE_SECONDS)

    send(brokers.kafka, source, range(ROWS))
    eventually(lambda: state(brokers.kafka, source)[1] == {2, 3})
    brokers.kill(3)
    eventually(lambda: state(brokers.kafka, source) == (2, {2}))
    send(brokers.kafka, source, range(ROWS, 2 * ROWS))
    copy()
    brokers.kill(2)
    brokers.start(3)
    eventually(lambda: state(brokers.kafka, source)[0] == 3)
    with pytest.raises(PySparkException, match=r"DATA_LOSS|data may have been lost") as failed:
        copy()
    assert source in str(failed.value)
    brokers.start(2)
