"""Creates and fills topics in one call, for demos and tests."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping

from kafkalyst.extras import needed

TIMEOUT_SECONDS = 10
# Key, value, and optionally the partition; None is Kafka's null.
Record = tuple[bytes | None, bytes | None] | tuple[bytes | None, bytes | None, int]


def create_topic(kafka: str, topic: str, partitions: int = 1, client: Mapping[str, object] | None = None) -> None:
    """Creates a topic, and waits until the broker shows it.

    Args:
        kafka: brokers, `host:port,…`.
        topic: its name.
        partitions: how many.
        client: further properties of librdkafka's clients, as for security.

    Raises:
        confluent_kafka.KafkaException: when it exists, or the broker refuses or does not answer.
    """
    with needed("serdes", "Creating a topic"):
        from confluent_kafka.admin import AdminClient, NewTopic

    admin = AdminClient({**(client or {}), "bootstrap.servers": kafka})
    admin.create_topics([NewTopic(topic, partitions, 1)])[topic].result(TIMEOUT_SECONDS)
    end = time.monotonic() + TIMEOUT_SECONDS
    while topic not in admin.list_topics(timeout=TIMEOUT_SECONDS).topics and time.monotonic() < end:
        time.sleep(0.02)


def produce(kafka: str, topic: str, records: Iterable[Record], client: Mapping[str, object] | None = None) -> int:
    """Writes records and waits until the broker has them all; returns their number.

    Args:
        kafka: brokers, `host:port,…`.
        topic: its name.
        records: key and value in bytes, and perhaps the partition.
        client: further properties of librdkafka's clients, as for security.

    Raises:
        RuntimeError: when some were not delivered within a minute.
        confluent_kafka.KafkaException: for a property or a topic's name that librdkafka refuses.
    """
    with needed("serdes", "Producing records"):
        from confluent_kafka import Producer

    failures: list[str] = []

    def delivered(error: object, _: object) -> None:
        if error is not None:
            failures.append(str(error))

    settings = {"linger.ms": 20, "queue.buffering.max.messages": 500_000}
    producer = Producer({**settings, **(client or {}), "bootstrap.servers": kafka})
    count = 0
    for count, (key, value, *partition) in enumerate(records, 1):
        target = {"partition": partition[0]} if partition else {}
        while True:
            try:
                producer.produce(topic, value=value, key=key, on_delivery=delivered, **target)
                break
            except BufferError:  # more than the queue holds
                producer.poll(1)
        if count % 10_000 == 0:
            producer.poll(0)
    missing = producer.flush(60)
    if failures or missing:
        raise RuntimeError(f"{len(failures) + missing} of {count} records not delivered: {failures[:1]}")
    return count
