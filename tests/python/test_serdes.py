"""kafkalyst.serdes without servers: odd schemas, bytes that do not fit, and registries that fail."""

from __future__ import annotations

import datetime
import decimal
import json
import random
import socket
import threading
import time
import uuid
from contextlib import suppress
from typing import Any

import pytest
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory, struct_pb2

from kafkalyst import serdes
from kafkalyst.serdes import protobuf
from kafkalyst.serdes import registry as registry_module
from support.fake_registry import FakeRegistry, http, raw_server
from support.patience import PATIENCE_SECONDS

PLACE = serdes.Context("t")
RECORD = {
    "type": "record",
    "name": "R",
    "fields": [
        {"name": "at", "type": {"type": "long", "logicalType": "timestamp-micros"}},
        {"name": "time", "type": {"type": "int", "logicalType": "time-millis"}},
        {"name": "day", "type": ["null", {"type": "int", "logicalType": "date"}]},
        {"name": "amount", "type": {"type": "bytes", "logicalType": "decimal", "precision": 9, "scale": 2}},
        {"name": "id", "type": {"type": "string", "logicalType": "uuid"}},
        {"name": "kind", "type": {"type": "enum", "name": "E", "symbols": ["A"]}},
        {"name": "tags", "type": {"type": "array", "items": "string"}},
    ],
}
VALUE = {
    "at": datetime.datetime(2024, 1, 1, tzinfo=datetime.timezone.utc),
    "time": datetime.time(1),
    "day": datetime.date(2024, 1, 1),
    "amount": decimal.Decimal("9.50"),
    "id": uuid.UUID(int=1),
    "kind": "A",
    "tags": ["x", "y"],
}
DECIMAL = {"type": "bytes", "logicalType": "decimal", "precision": 4, "scale": 2}


@pytest.fixture(autouse=True)
def no_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Retries without waiting."""
    monkeypatch.setattr(registry_module, "RETRY_SECONDS", 0.0)


@pytest.mark.parametrize("schema", ['"bytes"', {"type": "bytes"}])
def test_bytes_alone_have_no_length(schema: object) -> None:
    """Values of just `bytes` have no length, in any spelling of the schema, as in Confluent's serializers."""
    registry = FakeRegistry()
    data = serdes.AvroSerializer(registry, schema)(b"abc", PLACE)
    assert data == b"\0\0\0\0\1abc"
    assert serdes.AvroDeserializer(registry)(data, PLACE) == b"abc"
    assert serdes.AvroDeserializer(registry, '"string"')(data, PLACE) == "abc"
    assert serdes.AvroDeserializer(registry, ["null", {"type": "bytes"}])(data, PLACE) == b"abc"
    with pytest.raises(serdes.SerdeError):
        serdes.AvroDeserializer(registry, '"int"')(data, PLACE)
    with pytest.raises(serdes.SerdeError):
        serdes.AvroSerializer(registry, schema)(3, PLACE)
    big = b"x" * 300
    assert serdes.AvroSerializer(registry, schema)(big, PLACE) == b"\0\0\0\0\1" + big


def test_a_decimal_alone_has_no_length_either() -> None:
    """A decimal is of the type bytes."""
    registry = FakeRegistry()
    data = serdes.AvroSerializer(registry, DECIMAL)(decimal.Decimal("1.25"), PLACE)
    assert data == b"\0\0\0\0\1\x7d"
    assert serdes.AvroDeserializer(registry)(data, PLACE) == decimal.Decimal("1.25")


def test_bytes_of_no_schema_are_an_error_of_their_own() -> None:
    """A consumer must be able to skip damaged records."""
    registry, chance = FakeRegistry(), random.Random(1)
    good = serdes.AvroSerializer(registry, RECORD)(VALUE, PLACE)
    assert good is not None
    reader = serdes.AvroDeserializer(registry)
    for _ in range(3000):
        bad = bytearray(good)
        for _ in range(chance.randint(1, 4)):
            bad[chance.randrange(5, len(bad))] = chance.randrange(256)
        if chance.random() < 0.3:
            bad = bad[: chance.randrange(5, len(bad))]
        try:
            reader(bytes(bad), PLACE)
        except serdes.SerdeError as error:
            assert str(error).startswith("value of topic t: ")


@pytest.mark.parametrize("odd", [None, "x", 2**70, 1e300, float("nan"), decimal.Decimal("NaN"), b"z", [1], object()])
def test_values_of_no_schema_are_an_error_of_their_own(odd: object) -> None:
    """A value that does not fit is a SerdeError, in any field."""
    writer = serdes.AvroSerializer(FakeRegistry(), RECORD)
    for name in VALUE:
        try:
            writer({**VALUE, name: odd}, PLACE)
        except serdes.SerdeError as error:
            assert "does not fit schema 1" in str(error)


def test_bytes_behind_the_value() -> None:
    """The error has the number of extra bytes."""
    registry = FakeRegistry(serdes.Schema('"int"'))
    with pytest.raises(serdes.SerdeError, match="3 bytes follow the value"):
        serdes.AvroDeserializer(registry)(b"\0\0\0\0\1\2abc", PLACE)


@pytest.mark.parametrize("text", ["nonsense", '{"type":"nope"}', "5"])
def test_a_schema_that_is_none(text: str) -> None:
    """An invalid schema is a SerdeError, in either format."""
    for reader, kind in ((serdes.AvroDeserializer, "AVRO"), (serdes.JsonDeserializer, "JSON")):
        options = {"validate": True} if kind == "JSON" else {}
        with pytest.raises(serdes.SerdeError):
            reader(FakeRegistry(serdes.Schema(text, kind)), **options)(b"\0\0\0\0\1[1]", PLACE)


def test_json_without_end() -> None:
    """Endlessly nested JSON is a SerdeError."""
    registry = FakeRegistry(serdes.Schema("{}", "JSON"))
    with pytest.raises(serdes.SerdeError, match="no JSON"):
        serdes.JsonDeserializer(registry)(b"\0\0\0\0\1" + b"[" * 200_000, PLACE)
    deep: Any = 1
    for _ in range(200_000):
        deep = [deep]
    with pytest.raises(serdes.SerdeError):
        serdes.JsonSerializer(registry, {})(deep, PLACE)


@pytest.mark.parametrize("schema", [{"$ref": "gone.json"}, {"pattern": r"^\p{L}+$"}, {"$ref": "#"}])
def test_a_schema_that_cannot_check(schema: object) -> None:
    """References to nothing or to itself, and patterns that Python does not support."""
    with pytest.raises(serdes.SerdeError, match="its schema cannot check it"):
        serdes.JsonSerializer(FakeRegistry(), schema)("x", PLACE)


A = '{"type": "record", "name": "com.x.A", "fields": [{"name": "n", "type": "int"}]}'
TREE = """{"type": "record", "name": "T", "namespace": "com.x", "fields": [
  {"name": "a", "type": "A"}, {"name": "more", "type": {"type": "array", "items": ["null", "A", "T"]}}]}"""
TREES = {"a": {"n": 1}, "more": [None, {"n": 2}, {"a": {"n": 3}, "more": []}]}


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ('["null", "com.x.A"]', {"n": 5}),
        ('{"type": "array", "items": "com.x.A"}', [{"n": 5}, {"n": 6}]),
        ('{"type": "map", "values": ["int", "com.x.A"]}', {"a": {"n": 5}, "b": 6}),
        (TREE, TREES),
        ('"com.x.A"', {"n": 5}),
    ],
)
def test_references_of_avro_schemas(schema: str, value: object) -> None:
    """Names of referenced schemas are resolved wherever they are used."""
    registry = FakeRegistry(serdes.Schema(A))
    writer = serdes.AvroSerializer(registry, schema, references=(serdes.Reference("com.x.A", "1", 1),))
    data = writer(value, PLACE)
    assert serdes.AvroDeserializer(registry)(data, PLACE) == value


@pytest.mark.parametrize("login", [{"token": "s3cret\n"}, {"user_info": "me:s3cret\n"}, {"token": "s3cret\nx"}])
def test_logins_are_not_shown(login: dict[str, str]) -> None:
    """Errors do not show logins, even invalid ones; a line end after a token, as in files, is removed."""
    with raw_server([http('{"schema": "1"}')]) as (url, requests):
        try:
            assert serdes.Registry(url, **login).by_id(1).text == "1"  # type: ignore[arg-type]
            assert b"Bearer s3cret\r\n" in requests[0] or b"Basic " in requests[0]
        except serdes.RegistryError as error:
            assert "line break" in str(error) and "s3cret" not in str(error)
            assert login == {"token": "s3cret\nx"}


@pytest.mark.parametrize("base", [None, "http://shop/orders/main.json"])
def test_references_of_json_schemas(base: str | None) -> None:
    """`$ref` may be a reference's name, or the name relative to the schema's own `$id`."""
    parts = serdes.Schema(
        '{"properties": {"zip": {"$ref": "zip.json"}}}', "JSON", (serdes.Reference("zip.json", "1", 1),)
    )
    registry = FakeRegistry(serdes.Schema('{"type": "integer"}', "JSON"), parts)
    main = {"properties": {"to": {"$ref": "address.json"}}} | ({"$id": base} if base else {})
    references = (serdes.Reference("address.json", "2", 1),)
    writer = serdes.JsonSerializer(registry, main, references=references)
    assert writer({"to": {"zip": 1}}, PLACE)
    with pytest.raises(serdes.SerdeError, match=r"\$\.to\.zip"):
        writer({"to": {"zip": "x"}}, PLACE)


NOT_FOUND = json.dumps({"error_code": 40403, "message": "Schema not found"})


@pytest.mark.parametrize("by_guid", [False, True])
def test_only_an_unknown_schema_is_the_records_fault(by_guid: bool) -> None:
    """An outage, a refused login or a wrong path is a RegistryError."""
    headers = [("__value_schema_id", b"\1" + bytes(16))] if by_guid else None
    place = serdes.Context("t", headers=headers)
    with raw_server([http(NOT_FOUND, 404)]) as (url, _), pytest.raises(serdes.SerdeError, match="could not be read"):
        serdes.AvroDeserializer(url)(b"\0\0\0\0\7x", place)
    for answer in (http("down", 503), http("who?", 401), http("<html>", 404), http('{"error_code": 404}', 404)):
        with raw_server([answer]) as (url, _), pytest.raises(serdes.RegistryError):
            serdes.AvroDeserializer(url)(b"\0\0\0\0\7x", place)


@pytest.mark.parametrize(
    "answer",
    [
        b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{",
        b"nonsense\r\n\r\n",
        b"",
        b"HTTP/1.1 404 X\r\nContent-Length: 100\r\n\r\n{",
        http("<html>"),
        http("[" * 100_000),
        *(http(text) for text in ("[]", "null", "{}", '"x"', '{"schema": 1}', '{"schema": "1", "references": [1]}')),
    ],
)
def test_odd_answers(answer: bytes) -> None:
    """Answers of a server that is not a registry."""
    with raw_server([answer]) as (url, _), pytest.raises(serdes.RegistryError, match="GET /"):
        serdes.Registry(url).by_id(1)
    with raw_server([answer]) as (url, _), pytest.raises(serdes.RegistryError, match="GET /"):
        serdes.Registry(url).latest("s")
    with raw_server([answer]) as (url, _), pytest.raises(serdes.RegistryError, match="POST /"):
        serdes.Registry(url).register("s", serdes.Schema('"int"'))


def test_an_answer_that_never_ends() -> None:
    """Each byte comes in time, and the whole does not."""

    def drip(listening: socket.socket) -> None:
        with suppress(OSError):
            connection, _ = listening.accept()
            connection.recv(65536)
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
            while True:
                connection.sendall(b" ")
                time.sleep(0.05)

    with socket.create_server(("127.0.0.1", 0)) as listening:
        threading.Thread(target=drip, args=[listening], daemon=True).start()
        registry = serdes.Registry(f"http://127.0.0.1:{listening.getsockname()[1]}", timeout=0.5)
        with pytest.raises(serdes.RegistryError, match="did not end in time"):
            registry.by_id(1)


def test_schemas_that_refer_to_each_other() -> None:
    """A circle is an error by name."""
    schemas = [serdes.Schema("{}", "JSON", (serdes.Reference("other", str(other), 1),)) for other in (2, 1)]
    with pytest.raises(serdes.RegistryError, match="refers to itself"):
        FakeRegistry(*schemas).imports(schemas[0])


def test_retries() -> None:
    """Temporary errors are retried, others are not."""
    for passing in (http("x", 429), http("x", 503), b""):
        with raw_server([passing, passing, http('{"schema": "1"}')]) as (url, requests):
            assert serdes.Registry(url).by_id(1).text == "1"
            assert len(requests) == 3
    for final in (http("x", 401), http("x", 501), http(NOT_FOUND, 404)):
        with raw_server([final]) as (url, requests), pytest.raises(serdes.RegistryError):
            serdes.Registry(url).by_id(1)
        assert len(requests) == 1


def test_several_addresses() -> None:
    """The address that answered last is tried first; each address has its own login."""
    with raw_server([http('{"schema": "1"}')]) as (url, requests):
        registry = serdes.Registry(f"http://127.0.0.1:1, {url.replace('//', '//me:secret@')}/")
        assert registry.by_id(1).text == registry.by_id(2).text == "1"
        assert all(b"Authorization: Basic bWU6c2VjcmV0" in request for request in requests)
    with pytest.raises(serdes.RegistryError, match="no answer from http://127"):
        serdes.Registry("http://127.0.0.1:1,http://127.0.0.1:1").by_id(1)
    for odd in ("", "localhost:8081", "nothing"):
        with pytest.raises(serdes.RegistryError):
            serdes.Registry(odd).by_id(1)


def test_one_schema_does_not_wait_for_another() -> None:
    """Each schema is requested once, however many threads need it, and does not block another one."""
    registry, begun, slow = serdes.Registry("http://none"), threading.Event(), threading.Event()
    answered: list[str] = []

    def call(method: str, path: str, body: object = None) -> object:
        if path.endswith("/1"):
            begun.set()
            slow.wait(PATIENCE_SECONDS)
        answered.append(path)
        return {"schema": path}

    registry.call = call  # type: ignore[method-assign]
    threads = [threading.Thread(target=registry.by_id, args=(1,)) for _ in range(3)]
    for thread in threads:
        thread.start()
    assert begun.wait(PATIENCE_SECONDS)
    assert registry.by_id(2).text == "/schemas/ids/2"
    assert answered == ["/schemas/ids/2"]
    slow.set()
    for thread in threads:
        thread.join()
    assert answered == ["/schemas/ids/2", "/schemas/ids/1"]


PROTO = r"""
syntax = "proto3"; // message Not { }
/* message Nor { } */
option java_package = "message X { }";
message A { oneof x { string message = 1; } map<string, int32> m = 2; message B { enum E { Z = 0; } message C {} } }
service S { rpc Do (A) returns (A) { option (o) = { message: "x" }; } }
message message { A message = 1; }
"""


@pytest.mark.parametrize(
    ("path", "name"), [([0], "A"), ([0, 0], "A.B"), ([0, 0, 0], "A.B.C"), ([1], "message"), ([2], None)]
)
def test_messages_of_a_text(path: list[int], name: str | None) -> None:
    """Messages are found by their indexes; texts that only look like messages do not count."""
    assert protobuf._name(PROTO, tuple(path)) == name
    assert protobuf._name("message A { optional group G = 1 { } message B { } }", tuple(path)) is None


def test_damaged_protobuf() -> None:
    """Damaged bytes are a SerdeError; implausible indexes cost no time."""
    registry, chance = FakeRegistry(), random.Random(2)
    good = serdes.ProtobufSerializer(registry, struct_pb2.Struct, references=())(
        struct_pb2.Struct(fields={"a": struct_pb2.Value(number_value=1)}), PLACE
    )
    assert good is not None
    reader = serdes.ProtobufDeserializer(registry, struct_pb2.Struct)
    for _ in range(3000):
        bad = bytearray(good)
        for _ in range(chance.randint(1, 4)):
            bad[chance.randrange(5, len(bad))] = chance.randrange(256)
        try:
            reader(bytes(bad), PLACE)
        except serdes.SerdeError as error:
            assert str(error).startswith("value of topic t: ")
    with pytest.raises(serdes.SerdeError, match="too deep"):
        reader(good[:5] + bytes([0xFE, 0xFF, 0xFF, 0xFF, 0x0F]) + bytes(1000), PLACE)


def test_built_in_imports_are_not_registered() -> None:
    """Google's types are known to every reader, as in Confluent's client."""
    pool = descriptor_pool.DescriptorPool()
    pool.Add(descriptor_pb2.FileDescriptorProto(name="google/type/date.proto", package="google.type", syntax="proto3"))
    file = descriptor_pb2.FileDescriptorProto(name="m.proto", dependency=["google/type/date.proto"], syntax="proto3")
    file.message_type.add(name="M")
    pool.Add(file)
    message = message_factory.GetMessageClass(pool.FindMessageTypeByName("M"))
    registry = FakeRegistry()
    assert serdes.ProtobufSerializer(registry, message)(message(), PLACE) == b"\0\0\0\0\1\0"
    assert [schema.references for schema in registry.schemas] == [()]
