"""Reads topics by confluent-kafka, and waits for records."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any

from confluent_kafka import (
    OFFSET_BEGINNING,
    Consumer,
    IsolationLevel,
    KafkaError,
    KafkaException,
    Message,
    TopicPartition,
)
from confluent_kafka.admin import AdminClient, OffsetSpec
from pyspark.errors import PySparkException

from support.patience import PATIENCE_SECONDS

# A check may raise these while a server starts, or while it sees a former state: an application's copy of a cluster's
# definitions is up to a second old. A column that is not there yet is an AttributeError of its row.
NOT_YET = (AttributeError, KafkaException, PySparkException)
# A consumer goes on after these: a broker has died or has just started.
PASSES = {
    KafkaError._TRANSPORT,
    KafkaError._ALL_BROKERS_DOWN,
    KafkaError.LEADER_NOT_AVAILABLE,
    KafkaError.NOT_LEADER_FOR_PARTITION,
}


def consume(kafka: str, topic: str, count: int) -> list[tuple[bytes | None, bytes | None]]:
    """Keys and values of a topic, at least `count`."""
    consumer = Consumer({"bootstrap.servers": kafka, "group.id": f"test-{topic}", "auto.offset.reset": "earliest"})
    consumer.subscribe([topic])
    records: list[tuple[bytes | None, bytes | None]] = []
    try:
        end = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < end:
            for message in consumer.consume(2000, timeout=0.2):
                assert message.error() is None
                records.append((message.key(), message.value()))
            if len(records) >= count:
                return records
    finally:
        consumer.close()
    raise AssertionError(f"only {len(records)} of {count} records came")


def eventually(
    check: Callable[[], bool],
    seconds: float = PATIENCE_SECONDS,
    but: type[Exception] | tuple[type[Exception], ...] = NOT_YET,
) -> None:
    """Waits until something holds.

    Args:
        but: the errors of a check that is repeated; the last one is the cause of the failure. Any other, and an error
            inside Spark, ends the wait.
    """
    cause: Exception | None = None
    end = time.monotonic() + seconds
    while True:
        try:
            if check():
                return
        except but as error:
            if "INTERNAL_ERROR" in str(error):
                raise
            if str(error) != str(cause):
                print(f"asked again after: {error}")
            cause = error
        if time.monotonic() > end:
            raise AssertionError("did not happen in time") from cause
        time.sleep(0.2)


def none_open(kafka: str, *topics: str) -> bool:
    """Whether no open transaction blocks readers of the topics."""
    admin = AdminClient({"bootstrap.servers": kafka})
    found = admin.list_topics(timeout=30).topics
    wanted = {TopicPartition(topic, each): OffsetSpec.latest() for topic in topics for each in found[topic].partitions}
    ends = []
    for level in (IsolationLevel.READ_COMMITTED, IsolationLevel.READ_UNCOMMITTED):
        listed = admin.list_offsets(wanted, isolation_level=level)
        ends.append([listed[place].result().offset for place in wanted])
    return bool(ends[0] == ends[1])


def settle(end: Callable[[], None], kafka: str, topic: str) -> None:
    """Commits or aborts by `end`, and waits until readers see it: brokers answer before they write the markers."""
    end()
    eventually(lambda: none_open(kafka, topic))


def everything(kafka: str, topic: str) -> list[tuple[bytes | None, bytes | None]]:
    """Keys and values of all records that a read_committed consumer sees, up to the topic's current end."""
    return [(message.key(), message.value()) for message in messages(kafka, topic)]


def messages(kafka: str, topic: str) -> list[Message]:
    """All records that a read_committed consumer sees, up to the topic's current end, by partition and offset."""
    consumer = Consumer(
        {
            "bootstrap.servers": kafka,
            "group.id": "everything",
            "enable.auto.commit": False,
            "enable.partition.eof": True,
        }
    )
    partitions = sorted(consumer.list_topics(topic, timeout=30).topics[topic].partitions)
    open_ones = set(partitions)
    consumer.assign([TopicPartition(topic, p, OFFSET_BEGINNING) for p in partitions])
    records: list[Message] = []
    end = time.monotonic() + PATIENCE_SECONDS
    try:
        while open_ones:
            assert time.monotonic() < end, f"{topic} could not be read to its end"
            for message in consumer.consume(2000, timeout=0.5):
                if message.error() is None:
                    records.append(message)
                elif message.error().code() == KafkaError._PARTITION_EOF:
                    open_ones.discard(message.partition())
                elif message.error().code() not in PASSES:
                    raise KafkaException(message.error())
    finally:
        consumer.close()
    return sorted(records, key=lambda message: (message.partition(), message.offset()))


def leases(kafka: str, definitions: str, query: str) -> list[dict[str, Any]]:
    """The records of a query's leases in a catalog's topic, with their times as `renewed`, in order."""
    key = {"kind": "lease", "query": query}
    return [
        {**json.loads(message.value()), "renewed": message.timestamp()[1]}
        for message in messages(kafka, definitions)
        if message.value() and json.loads(message.key()) == key
    ]
