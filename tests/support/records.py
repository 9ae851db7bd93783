"""Reads topics by confluent-kafka, and waits for records."""

from __future__ import annotations

import time
from collections.abc import Callable

from confluent_kafka import OFFSET_BEGINNING, Consumer, KafkaError, Message, TopicPartition

from support.patience import PATIENCE_SECONDS


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


def eventually(check: Callable[[], bool], seconds: float = PATIENCE_SECONDS) -> None:
    """Waits until something holds."""
    end = time.monotonic() + seconds
    while not check():
        assert time.monotonic() < end, "did not happen in time"
        time.sleep(0.2)


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
                else:
                    assert message.error().code() == KafkaError._PARTITION_EOF
                    open_ones.discard(message.partition())
    finally:
        consumer.close()
    return sorted(records, key=lambda message: (message.partition(), message.offset()))
