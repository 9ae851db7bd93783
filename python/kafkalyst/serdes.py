"""Writing to Kafka from Python in Confluent's wire format: for demos and tests. Needs the extra `kafkalyst[serdes]`."""

from __future__ import annotations

import io
import json
import struct
import urllib.error
import urllib.request
from collections.abc import Callable, Iterable
from typing import Any

MAGIC = 0
TIMEOUT_SECONDS = 10
# Key, value, and optionally the partition; None is Kafka's null.
Record = tuple[bytes | None, bytes | None] | tuple[bytes | None, bytes | None, int]


def request(registry: str, method: str, path: str, body: object = None) -> Any:
    """One call of the registry's Confluent API; the answer's JSON.

    Raises:
        RuntimeError: when the registry answers with an error; the message has its code and text.
    """
    data = None if body is None else json.dumps(body).encode()
    headers = {"Content-Type": "application/vnd.schemaregistry.v1+json"}
    call = urllib.request.Request(f"{registry.rstrip('/')}{path}", data, headers, method=method)
    try:
        with urllib.request.urlopen(call, timeout=TIMEOUT_SECONDS) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as error:
        raise RuntimeError(f"{method} {path}: {error.code} {error.read().decode(errors='replace')}") from error


def register(registry: str, subject: str, schema: object) -> int:
    """Registers an Avro schema under a subject; its id."""
    answer = request(registry, "POST", f"/subjects/{subject}/versions", {"schema": json.dumps(schema)})
    return int(answer["id"])


def avro_encoder(registry: str, subject: str, schema: dict[str, Any]) -> Callable[[object], bytes]:
    """Registers a schema and returns what turns a record (as fastavro takes it) into bytes in wire format."""
    import fastavro

    head = struct.pack(">bI", MAGIC, register(registry, subject, schema))
    parsed = fastavro.parse_schema(schema)

    def encode(record: object) -> bytes:
        buffer = io.BytesIO()
        buffer.write(head)
        fastavro.schemaless_writer(buffer, parsed, record)
        return buffer.getvalue()

    return encode


def create_topic(kafka: str, topic: str, partitions: int = 1) -> None:
    """Creates a topic.

    Raises:
        confluent_kafka.KafkaException: when it exists, or the broker refuses or does not answer.
    """
    from confluent_kafka.admin import AdminClient, NewTopic

    admin = AdminClient({"bootstrap.servers": kafka})
    admin.create_topics([NewTopic(topic, partitions, 1)])[topic].result(TIMEOUT_SECONDS)


def produce(kafka: str, topic: str, records: Iterable[Record]) -> int:
    """Writes records and waits until the broker has them all; how many.

    Raises:
        RuntimeError: when some were not delivered.
    """
    from confluent_kafka import Producer

    failures: list[str] = []

    def delivered(error: object, _: object) -> None:
        if error is not None:
            failures.append(str(error))

    producer = Producer({"bootstrap.servers": kafka, "linger.ms": 20, "queue.buffering.max.messages": 500_000})
    count = 0
    for count, (key, value, *partition) in enumerate(records, 1):
        target = {"partition": partition[0]} if partition else {}
        producer.produce(topic, value=value, key=key, on_delivery=delivered, **target)
        if count % 10_000 == 0:
            producer.poll(0)
    missing = producer.flush(60)
    if failures or missing:
        raise RuntimeError(f"{len(failures) + missing} of {count} records not delivered: {failures[:1]}")
    return count
