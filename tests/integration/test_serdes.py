"""kafkalyst.serdes with confluent-kafka's producers and consumers, against tables over the same topics, both ways."""

from __future__ import annotations

import datetime
import importlib
import json
import sys
import uuid
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import grpc_tools
import pytest
from confluent_kafka import DeserializingConsumer, SerializingProducer
from grpc_tools import protoc
from pyspark.sql import SparkSession

from kafkalyst import serdes

if TYPE_CHECKING:
    from conftest import Servers

ITEM = {"type": "record", "name": "Item", "namespace": "shop", "fields": [{"name": "sku", "type": "string"}]}
PRICE = {"type": "bytes", "logicalType": "decimal", "precision": 9, "scale": 2}
ORDER = {
    "type": "record",
    "name": "Order",
    "namespace": "shop",
    "fields": [
        {"name": "id", "type": "long"},
        {"name": "price", "type": ["null", PRICE], "default": None},
        {"name": "at", "type": {"type": "long", "logicalType": "timestamp-millis"}},
        {"name": "items", "type": {"type": "array", "items": "shop.Item"}},
    ],
}
AT = datetime.datetime(2024, 5, 6, 7, 8, 9, tzinfo=datetime.timezone.utc)
PROTO = """
syntax = "proto3";
package shop;
message Other { string x = 1; }
message Click {
  map<string, int32> tags = 1;
  message Page { string url = 1; }
  Page page = 2;
  int64 id = 3;
}
"""


@pytest.fixture(scope="module")
def registry(servers: Servers) -> serdes.Registry:
    """One registry client for all tests."""
    return serdes.Registry(servers.registry)


@pytest.fixture(scope="module")
def proto(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    """The module that protoc makes from PROTO."""
    folder = tmp_path_factory.mktemp("proto")
    (folder / "serdes_click.proto").write_text(PROTO, encoding="utf-8")
    assert protoc.main(["protoc", f"-I{folder}", f"--python_out={folder}", str(folder / "serdes_click.proto")]) == 0
    sys.path.insert(0, str(folder))
    import serdes_click_pb2  # type: ignore[import-not-found]

    return serdes_click_pb2


def send(servers: Servers, topic: str, serializer: Any, *values: object, key: Any = None) -> None:
    """Sends values by a SerializingProducer."""
    settings = {"bootstrap.servers": servers.kafka, "value.serializer": serializer}
    producer = SerializingProducer(settings | ({"key.serializer": key} if key else {}))
    for number, value in enumerate(values):
        producer.produce(topic, value=value, **({"key": number} if key else {}))
    assert producer.flush(30) == 0


def received(servers: Servers, topic: str, count: int, value: Any, key: Any = None) -> Iterator[tuple[Any, Any]]:
    """Reads this many records by a DeserializingConsumer."""
    settings = {
        "bootstrap.servers": servers.kafka,
        "group.id": f"g{uuid.uuid4().hex}",
        "auto.offset.reset": "earliest",
        "value.deserializer": value,
    }
    consumer = DeserializingConsumer(settings | ({"key.deserializer": key} if key else {}))
    consumer.subscribe([topic])
    try:
        for _ in range(count):
            message = consumer.poll(30)
            assert message is not None
            yield message.key(), message.value()
    finally:
        consumer.close()


def test_avro_both_ways(
    spark: SparkSession, servers: Servers, registry: serdes.Registry, topic: Callable[[str], str]
) -> None:
    """References, logical types, null fields, tombstones, and keys."""
    name = topic("serdes_avro")
    registry.register(f"{name}-item", serdes.Schema(json.dumps(ITEM)))
    reference = serdes.Reference("shop.Item", f"{name}-item", 1)
    writer = serdes.AvroSerializer(registry, ORDER, references=(reference,))
    first = {"id": 1, "price": Decimal("2.50"), "at": AT, "items": [{"sku": "a"}, {"sku": "b"}]}
    second = {"id": 2, "price": None, "at": AT, "items": []}
    serdes.create_topic(servers.kafka, name)
    send(servers, name, writer, first, second, None, key=serdes.AvroSerializer(registry, '"int"'))
    spark.sql(f"CREATE STREAM {name} WITH (KAFKA_TOPIC = '{name}', KEY_FORMAT = 'AVRO', VALUE_FORMAT = 'AVRO')")
    rows = spark.sql(f"SELECT ROWKEY, id, price, items.sku FROM {name} ORDER BY ROWKEY").collect()
    assert [tuple(row) for row in rows][:2] == [(0, 1, Decimal("2.50"), ["a", "b"]), (1, 2, None, [])]
    spark.sql(
        f"INSERT INTO {name} (ROWKEY, id, price, at, items) SELECT 9, 3, 1.25, TIMESTAMP '2024-05-06 07:08:09', "
        "array(named_struct('sku', 'c'))"
    )
    reader = serdes.AvroDeserializer(registry)
    got = list(received(servers, name, 4, reader, serdes.AvroDeserializer(registry)))
    assert got[:3] == [(0, first), (1, second), (2, None)]
    assert got[3] == (9, {"id": 3, "price": Decimal("1.25"), "at": AT, "items": [{"sku": "c"}]})
    narrow = {**ORDER, "fields": [ORDER["fields"][0], {"name": "more", "type": "string", "default": "d"}]}  # type: ignore[index]
    resolved = serdes.AvroDeserializer(registry, narrow)(writer(first, serdes.Context(name)), serdes.Context(name))
    assert resolved == {"id": 1, "more": "d"}


def test_json_both_ways(
    spark: SparkSession, servers: Servers, registry: serdes.Registry, topic: Callable[[str], str]
) -> None:
    """Values are written by the schema that CREATE registered, and refused if it does not allow them."""
    name = topic("serdes_json")
    spark.sql(
        f"CREATE STREAM {name} (id BIGINT, note STRING) "
        f"WITH (KAFKA_TOPIC = '{name}', VALUE_FORMAT = 'JSON_SR', PARTITIONS = 1)"
    )
    spark.sql(f"INSERT INTO {name} VALUES (1, 'é')")
    writer = serdes.JsonSerializer(registry)
    send(servers, name, writer, {"id": 2, "note": None})
    assert [tuple(r) for r in spark.sql(f"SELECT * FROM {name} ORDER BY id").collect()] == [(1, "é"), (2, None)]
    reader = serdes.JsonDeserializer(registry, validate=True)
    assert [v for _, v in received(servers, name, 2, reader)] == [{"id": 1, "note": "é"}, {"id": 2, "note": None}]
    with pytest.raises(serdes.SerdeError, match=rf"value of topic {name} does not fit schema \d+: \$\.id"):
        writer({"id": "x"}, serdes.Context(name))


@pytest.mark.parametrize("compiled", [True, False])
def test_protobuf_both_ways(
    compiled: bool,
    spark: SparkSession,
    servers: Servers,
    registry: serdes.Registry,
    proto: ModuleType,
    topic: Callable[[str], str],
) -> None:
    """A message that is neither its file's first nor its only one; its schema as text, and as a descriptor."""
    name = topic("serdes_proto")
    writer = serdes.ProtobufSerializer(registry, proto.Click, None if compiled else PROTO)
    serdes.create_topic(servers.kafka, name)
    click = proto.Click(id=7, tags={"a": 1}, page=proto.Click.Page(url="/"))
    send(servers, name, writer, click)
    spark.sql(
        f"CREATE STREAM {name} WITH (KAFKA_TOPIC = '{name}', KEY_FORMAT = 'NONE', VALUE_FORMAT = 'PROTOBUF', "
        "VALUE_SCHEMA_FULL_NAME = 'shop.Click')"
    )
    assert [tuple(r) for r in spark.sql(f"SELECT tags, page.url, id FROM {name}").collect()] == [({"a": 1}, "/", 7)]
    spark.sql(f"INSERT INTO {name} (id, page) SELECT 8, named_struct('url', '/b')")
    reader = serdes.ProtobufDeserializer(registry, proto.Click)
    got = [v for _, v in received(servers, name, 2, reader)]
    assert got == [click, proto.Click(id=8, page=proto.Click.Page(url="/b"))]
    # A nested message's index counts the entries of maps in a descriptor, but not in a text.
    page = serdes.ProtobufSerializer(registry, proto.Click.Page, None if compiled else PROTO, subject=f"{name}-page")
    data = page(proto.Click.Page(url="/c"))
    assert data is not None and data[5:8] == bytes([4, 2, 2 if compiled else 0])
    assert serdes.ProtobufDeserializer(registry, proto.Click.Page)(data).url == "/c"


def test_subjects_and_refusals(registry: serdes.Registry, topic: Callable[[str], str]) -> None:
    """The three strategies; with auto_register=False no schema is registered."""
    name = topic("serdes_subject")
    context = serdes.Context(name, "key")
    plain = {"type": "record", "name": "R", "namespace": name, "fields": [{"name": "x", "type": "int"}]}
    for strategy, expected in (
        ("TopicName", f"{name}-key"),
        ("RecordName", f"{name}.R"),
        ("TopicRecordName", f"{name}-{name}.R"),
    ):
        writer = serdes.AvroSerializer(registry, plain, subject_strategy=strategy)
        assert writer({"x": 1}, context)
        assert registry.latest(expected)[1].type == "AVRO"
    with pytest.raises(serdes.RegistryError) as refused:
        serdes.AvroSerializer(registry, plain, subject=f"{name}-new", auto_register=False)({"x": 1})
    assert refused.value.status == 404
    with pytest.raises(ValueError, match="one of TopicName"):
        serdes.AvroSerializer(registry, plain, subject_strategy="Topic")
    with pytest.raises(serdes.SerdeError, match="does not fit schema"):
        serdes.AvroSerializer(registry, plain)({"x": "text"}, context)
    reader = serdes.AvroDeserializer(registry)
    with pytest.raises(serdes.SerdeError, match="no schema id: 0x00 and four bytes are expected, found 7b7d"):
        reader(b"{}", context)
    data = serdes.AvroSerializer(registry, plain)({"x": 1}, context)
    assert data is not None
    with pytest.raises(serdes.SerdeError, match="1 byte follows the value"):
        reader(data + b"!", context)
    with pytest.raises(serdes.SerdeError, match="type AVRO, not JSON"):
        serdes.JsonDeserializer(registry)(data, context)


def test_protobuf_imports(
    spark: SparkSession, servers: Servers, registry: serdes.Registry, topic: Callable[[str], str], tmp_path: Path
) -> None:
    """The imports of the class's file are registered before it, and tables read what is written."""
    name = topic("imported")
    texts = {
        "deep": f'syntax = "proto3"; package {name}; message Deep {{ int32 n = 1; }}',
        "part": f'syntax = "proto3"; package {name}; import "{name}_deep.proto"; message Part {{ Deep deep = 1; }}',
        "main": f'syntax = "proto3"; package {name}; import "{name}_part.proto"; '
        'import "google/protobuf/wrappers.proto"; message Main { Part part = 1; google.protobuf.Int32Value w = 2; }',
    }
    for part, text in texts.items():
        (tmp_path / f"{name}_{part}.proto").write_text(text, encoding="utf-8")
    well_known = str(Path(grpc_tools.__file__).parent / "_proto")
    files = [str(tmp_path / f"{name}_{part}.proto") for part in texts]
    assert protoc.main(["protoc", f"-I{tmp_path}", f"-I{well_known}", f"--python_out={tmp_path}", *files]) == 0
    sys.path.insert(0, str(tmp_path))
    main, part, deep = (importlib.import_module(f"{name}_{each}_pb2") for each in ("main", "part", "deep"))
    refused = serdes.ProtobufSerializer(registry, main.Main, auto_register=False)
    value = main.Main(part=part.Part(deep=deep.Deep(n=7)))
    with pytest.raises(serdes.RegistryError):
        refused(value, serdes.Context(name))
    writer = serdes.ProtobufSerializer(registry, main.Main)
    serdes.create_topic(servers.kafka, name)
    send(servers, name, writer, value)
    assert refused(value, serdes.Context(name)) == writer(value, serdes.Context(name))
    spark.sql(f"CREATE STREAM {name} WITH (KAFKA_TOPIC = '{name}', KEY_FORMAT = 'NONE', VALUE_FORMAT = 'PROTOBUF')")
    assert [tuple(row) for row in spark.sql(f"SELECT part.deep.n FROM {name}").collect()] == [(7,)]
    assert [v for _, v in received(servers, name, 1, serdes.ProtobufDeserializer(registry, main.Main))] == [value]


def test_protobuf_of_another_message(registry: serdes.Registry, proto: ModuleType, topic: Callable[[str], str]) -> None:
    """Bytes of another message are refused, because Protobuf itself would misread them."""
    for text in (None, PROTO):
        context = serdes.Context(topic(f"serdes_other_{text is None}"))
        data = serdes.ProtobufSerializer(registry, proto.Other, text)(proto.Other(x="1"), context)
        with pytest.raises(serdes.SerdeError, match=r"it is a message Other, not Click"):
            serdes.ProtobufDeserializer(registry, proto.Click)(data, context)
        page = serdes.ProtobufSerializer(registry, proto.Click.Page, text)(proto.Click.Page(url="/"), context)
        with pytest.raises(serdes.SerdeError, match=r"it is a message Click\.Page, not Click$"):
            serdes.ProtobufDeserializer(registry, proto.Click)(page, context)
