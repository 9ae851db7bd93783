"""What is in topics, read by confluent-kafka, and waiting for it."""

from __future__ import annotations

import time
from collections.abc import Callable

from confluent_kafka import Consumer


def consume(kafka: str, topic: str, count: int) -> list[tuple[bytes | None, bytes | None]]:
    """Keys and values of a topic, at least `count`."""
    consumer = Consumer({"bootstrap.servers": kafka, "group.id": f"test-{topic}", "auto.offset.reset": "earliest"})
    consumer.subscribe([topic])
    records: list[tuple[bytes | None, bytes | None]] = []
    try:
        for _ in range(300):
            for message in consumer.consume(2000, timeout=0.2):
                assert message.error() is None
                records.append((message.key(), message.value()))
            if len(records) >= count:
                return records
    finally:
        consumer.close()
    raise AssertionError(f"only {len(records)} of {count} records came")


def eventually(check: Callable[[], bool], seconds: float) -> None:
    """Waits until something holds."""
    end = time.monotonic() + seconds
    while not check():
        assert time.monotonic() < end, "did not happen in time"
        time.sleep(0.2)
