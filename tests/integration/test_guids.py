"""Schemas named by GUID in a header, as Confluent's own client writes and reads them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pytest
from confluent_kafka import Producer
from confluent_kafka.schema_registry import SchemaRegistryClient, header_schema_id_serializer
from confluent_kafka.schema_registry.avro import AvroDeserializer, AvroSerializer
from confluent_kafka.serialization import MessageField, SerializationContext
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from kafkalyst import serdes
from support.guid_registry import GuidRegistry
from support.records import messages

if TYPE_CHECKING:
    from conftest import Servers

SCHEMA = {
    "type": "record",
    "name": "Order",
    "namespace": "shop",
    # A null's branch is a zero byte, so the body looks as if it began with a schema id.
    "fields": [{"name": "note", "type": ["null", "string"], "default": None}, {"name": "id", "type": "long"}],
}


@pytest.fixture
def guids(servers: Servers) -> Iterator[GuidRegistry]:
    """A registry with GUIDs."""
    with GuidRegistry(servers.registry) as server:
        yield server


def session_of(spark: SparkSession, guids: GuidRegistry) -> SparkSession:
    """A session with this registry."""
    session = spark.newSession()
    session.conf.set("spark.kafkalyst.schema.registry.url", guids.address)
    return session


def test_read(spark: SparkSession, servers: Servers, guids: GuidRegistry, topic: Callable[[str], str]) -> None:
    """Records with a GUID in the header, and records with an id in their bytes, are read; one request each."""
    name = topic("guids")
    serdes.create_topic(servers.kafka, name, 1)
    client = SchemaRegistryClient({"url": guids.address})
    in_header = AvroSerializer(client, json.dumps(SCHEMA), conf={"schema.id.serializer": header_schema_id_serializer})
    in_bytes = AvroSerializer(client, json.dumps(SCHEMA))
    producer = Producer({"bootstrap.servers": servers.kafka})
    for i in range(6):
        context = SerializationContext(name, MessageField.VALUE, [])
        row = {"id": i, "note": f"n{i}" if i % 3 else None}
        value = (in_header if i % 2 else in_bytes)(row, context)
        producer.produce(name, value, headers=context.headers)
    producer.flush()
    session = session_of(spark, guids)
    session.sql(f"CREATE STREAM {name} WITH (KAFKA_TOPIC = '{name}', VALUE_FORMAT = 'AVRO')")
    rows = {r["id"]: r["note"] for r in session.table(name).collect()}
    assert rows == {i: f"n{i}" if i % 3 else None for i in range(6)}
    session.table(name).collect()
    assert guids.asked == 1
    # An unknown GUID makes a bad record.
    context.headers[:] = [("__value_schema_id", b"\x01" + bytes(16))]
    producer.produce(name, b"\x00\x02", headers=context.headers)
    producer.produce(name, b"\x00\x02", headers=[("__value_schema_id", b"\x07abc")])
    producer.flush()
    with pytest.raises(PySparkException) as failed:
        session.table(name).collect()
    assert failed.value.getCondition() == "KAFKALYST_RECORD_NOT_DECODABLE"
    assert "00000000-0000-0000-0000-000000000000" in str(failed.value)
    session.sql(f"ALTER TABLE {name} SET TBLPROPERTIES ('on_error' = 'null')")
    errors = [r[0] for r in session.sql(f"SELECT _error FROM {name} WHERE _error IS NOT NULL").collect()]
    assert len(errors) == 2 and any("__value_schema_id" in error for error in errors)


def test_write(spark: SparkSession, servers: Servers, guids: GuidRegistry, topic: Callable[[str], str]) -> None:
    """If SCHEMA_GUID_HEADERS is set, Confluent's client finds the schemas of both sides in the headers."""
    name = topic("written")
    session = session_of(spark, guids)
    session.sql(
        f"CREATE STREAM {name} (k STRING KEY, id BIGINT, note STRING) WITH (KAFKA_TOPIC = '{name}', FORMAT = 'AVRO', "
        "PARTITIONS = 1, SCHEMA_GUID_HEADERS = 'true')"
    )
    session.sql(f"INSERT INTO {name} VALUES ('first key', 1, 'a note'), ('second key', 2, 'another')")
    assert sorted(tuple(r) for r in session.table(name).collect()) == [
        ("first key", 1, "a note"),
        ("second key", 2, "another"),
    ]
    client = SchemaRegistryClient({"url": guids.address})
    read = []
    for message in messages(servers.kafka, name):
        assert [key for key, _ in message.headers()] == ["__key_schema_id", "__value_schema_id"]
        value = AvroDeserializer(client)(
            message.value(), SerializationContext(name, MessageField.VALUE, message.headers())
        )
        key = AvroDeserializer(client)(message.key(), SerializationContext(name, MessageField.KEY, message.headers()))
        read.append((key, value))
    # Confluent's reader refuses bodies of less than six bytes.
    assert sorted(read, key=lambda pair: pair[0]) == [
        ("first key", {"id": 1, "note": "a note"}),
        ("second key", {"id": 2, "note": "another"}),
    ]
    # Copied headers must not name another schema than that of the written row.
    copy = topic("copy")
    session.sql(
        f"CREATE STREAM {name}_h (note STRING, h ARRAY<STRUCT<key STRING, value BYTES>> METADATA FROM 'headers') "
        f"WITH (KAFKA_TOPIC = '{name}', VALUE_FORMAT = 'AVRO')"
    )
    session.sql(
        f"CREATE STREAM {copy} (note STRING, h ARRAY<STRUCT<key STRING, value BYTES>> METADATA FROM 'headers') "
        f"WITH (KAFKA_TOPIC = '{copy}', VALUE_FORMAT = 'AVRO', PARTITIONS = 1)"
    )
    session.sql(f"INSERT INTO {copy} SELECT note, h FROM {name}_h")
    rows = session.sql(f"SELECT note, transform(h, x -> x.key) AS names FROM {copy}").collect()
    assert sorted((r["note"], r["names"]) for r in rows) == [
        ("a note", ["__key_schema_id"]),
        ("another", ["__key_schema_id"]),
    ]


def test_registry_without_guids(spark: SparkSession, topic: Callable[[str], str]) -> None:
    """If the registry has no GUIDs, the write fails by name."""
    name = topic("without")
    spark.sql(
        f"CREATE STREAM {name} (id BIGINT) WITH (KAFKA_TOPIC = '{name}', VALUE_FORMAT = 'AVRO', PARTITIONS = 1, "
        "SCHEMA_GUID_HEADERS = 'true')"
    )
    with pytest.raises(PySparkException) as failed:
        spark.sql(f"INSERT INTO {name} VALUES (1)")
    assert failed.value.getCondition() == "KAFKALYST_SCHEMA_WITHOUT_GUID"


def test_protobuf(spark: SparkSession, servers: Servers, guids: GuidRegistry, topic: Callable[[str], str]) -> None:
    """The header also has the message indexes, as the documented format requires; the value is the body alone."""
    name = topic("proto")
    session = session_of(spark, guids)
    text = 'syntax = "proto3"; message A { int32 x = 1; } message B { message C { int64 id = 1; string note = 2; } }'
    body = {"schema": text, "schemaType": "PROTOBUF"}
    serdes.request(servers.registry, "POST", f"/subjects/{name}-value/versions", body)
    session.sql(
        f"CREATE STREAM {name} WITH (KAFKA_TOPIC = '{name}', VALUE_FORMAT = 'PROTOBUF', PARTITIONS = 1, "
        "VALUE_SCHEMA_FULL_NAME = 'B.C', SCHEMA_GUID_HEADERS = 'true')"
    )
    session.sql(f"INSERT INTO {name} VALUES (1, 'first'), (2, 'second')")
    assert sorted(tuple(r) for r in session.table(name).collect()) == [(1, "first"), (2, "second")]
    message = messages(servers.kafka, name)[0]
    [(key, header)] = message.headers()
    # Two indexes, zigzag: message 1 of the file, message 0 of that.
    assert key == "__value_schema_id" and header[0] == 1 and header[17:] == bytes([4, 2, 0])
    assert message.value() in (b"\x08\x01\x12\x05first", b"\x08\x02\x12\x06second")


class OtherId(GuidRegistry):
    """A registry that gives another id to a schema that is registered again."""

    def answer(self, method: str, path: str, body: bytes) -> tuple[int, bytes]:
        """The real registry's answer, with that id."""
        status, found = super().answer(method, path, body)
        if method == "POST" and path.endswith("/versions"):
            found = json.dumps(json.loads(found) | {"id": json.loads(found)["id"] + 1}).encode()
        return status, found


def test_other_id(spark: SparkSession, servers: Servers, topic: Callable[[str], str]) -> None:
    """A given schema that gets another id under the topic's subject is refused, and nothing is left."""
    name = topic("other")
    given = serdes.register(servers.registry, f"{name}-elsewhere", SCHEMA)
    with OtherId(servers.registry) as server:
        session = session_of(spark, server)
        with pytest.raises(PySparkException) as failed:
            session.sql(
                f"CREATE STREAM {name} WITH (KAFKA_TOPIC = '{name}', VALUE_FORMAT = 'AVRO', PARTITIONS = 1, "
                f"VALUE_SCHEMA_ID = {given})"
            )
    assert failed.value.getCondition() == "KAFKALYST_SCHEMA_ID_DIFFERS"
    assert str(given) in str(failed.value) and str(given + 1) in str(failed.value)
    assert spark.sql("SHOW STREAMS").where(f"name = '{name}'").count() == 0
    assert spark.sql("SHOW TOPICS").where(f"topic = '{name}'").count() == 0
    assert f"{name}-value" not in serdes.request(servers.registry, "GET", "/subjects")
