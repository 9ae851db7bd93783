"""PROTOBUF against Google's compiler and runtime: Spark reads what they write, and the reverse."""

from __future__ import annotations

import base64
import datetime
import decimal
import random
import struct
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import google.type
import grpc_tools
import pytest
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from google.protobuf.message import Message
from grpc_tools import protoc
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from kafkalyst import serdes
from support.records import consume

if TYPE_CHECKING:
    from conftest import Servers

COUNT = 10_000
UTC = datetime.UTC
TEXTS = ["", "plain", "ümläut €", "🙂 emoji", "tab\tnew\nline", '"quoted" \\ back', "nul\x00l", "x" * 300]
GOOGLES = [Path(grpc_tools.__file__).parent / "_proto", Path(google.type.__path__[0]).parents[1]]
OURS = Path(__file__).resolve().parents[2] / "jvm" / "src" / "main" / "resources" / "proto"
SCHEMA = """// Every kind of field.
syntax = "proto3";
package shop.v1;

import "google/protobuf/timestamp.proto";
import "google/protobuf/wrappers.proto";
import "google/type/date.proto";

message Mixed {
  enum Kind { UNKNOWN = 0; RED = 1; BLUE = 7; }
  message Item {
    string sku = 1;
    double price = 2;
    message Tag { string name = 1; optional sint32 weight = 2; }
    repeated Tag tags = 3;
  }
  int64 id = 1;
  optional int32 i = 2;
  uint32 u = 3;
  fixed64 u64 = 4;
  float f = 5;
  bool ok = 6;
  string s = 7;
  bytes raw = 8;
  Kind kind = 9;
  google.protobuf.Timestamp at = 10;
  google.type.Date day = 11;
  google.protobuf.StringValue note = 12;
  repeated sint64 numbers = 13;
  repeated string words = 14;
  map<string, int64> counts = 15;
  map<int32, Item> by_number = 16;
  oneof payment { string card = 17; int32 cash = 18; Item barter = 19; }
  repeated Item items = 1000;
}
"""


def descriptors(out: Path, names: list[str], roots: list[Path]) -> descriptor_pb2.FileDescriptorSet:
    """The descriptors of `.proto` files and their imports, by Google's compiler."""
    arguments = [f"-I{root}" for root in roots]
    assert protoc.main(["protoc", *arguments, "--include_imports", f"--descriptor_set_out={out}", *names]) == 0
    return descriptor_pb2.FileDescriptorSet.FromString(out.read_bytes())


def compiled(folder: Path, texts: dict[str, str]) -> descriptor_pool.DescriptorPool:
    """The types of some `.proto` texts."""
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    pool = descriptor_pool.DescriptorPool()
    for file in descriptors(folder / "descriptors", list(texts), [folder, *GOOGLES, OURS]).file:
        pool.Add(file)
    return pool


def files(out: Path, names: list[str], roots: list[Path]) -> dict[str, tuple[Any, Any]]:
    """The parts of files' messages and enums that matter on the wire: no comments, options or JSON names."""

    def bare(message: Any) -> Any:
        fields = [(f.name, f.number, f.type, f.type_name, f.label, f.HasField("oneof_index")) for f in message.field]
        enums = [enum(e) for e in message.enum_type]
        return message.name, sorted(fields), enums, [bare(m) for m in message.nested_type]

    def enum(e: Any) -> Any:
        return e.name, [(v.name, v.number) for v in e.value]

    found = descriptors(out, names, roots).file
    return {f.name: ([bare(m) for m in f.message_type], [enum(e) for e in f.enum_type]) for f in found}


def message_class(pool: descriptor_pool.DescriptorPool, name: str) -> type[Message]:
    """The class of a message by its full name."""
    return message_factory.GetMessageClass(pool.FindMessageTypeByName(name))


def register(registry: str, subject: str, text: str, references: list[dict[str, Any]] | None = None) -> int:
    """Registers a `.proto` text under a subject; its id."""
    body = {"schemaType": "PROTOBUF", "schema": text, "references": references or []}
    return int(serdes.request(registry, "POST", f"/subjects/{subject}/versions", body)["id"])


def mixed(rng: random.Random, number: int) -> dict[str, Any]:
    """A record of SCHEMA as Spark shows it; None is an unset field."""

    def maybe(value: object) -> object:
        return None if rng.random() < 0.2 else value

    def item() -> dict[str, Any]:
        tags = [{"name": rng.choice(TEXTS), "weight": maybe(rng.randint(-9, 9))} for _ in range(rng.randint(0, 2))]
        return {"sku": rng.choice(TEXTS), "price": rng.uniform(-1e9, 1e9), "tags": tags}

    at = datetime.datetime.fromtimestamp(rng.randint(-(2**31), 2**32), UTC)
    record: dict[str, Any] = {
        "id": rng.choice([number, -number, 2**63 - 1, -(2**63)]),
        "i": maybe(rng.choice([0, 1, -1, 2**31 - 1, -(2**31)])),
        "u": rng.randint(0, 2**32 - 1),
        "u64": decimal.Decimal(rng.choice([0, number, 2**64 - 1])),
        "f": struct.unpack("f", struct.pack("f", rng.uniform(-1e6, 1e6)))[0],
        "ok": rng.random() < 0.5,
        "s": rng.choice(TEXTS),
        "raw": rng.randbytes(rng.randint(0, 20)),
        "kind": rng.choice(["UNKNOWN", "RED", "BLUE"]),
        "at": maybe(at.replace(microsecond=rng.randrange(10**6))),
        "day": maybe(datetime.date.fromordinal(rng.randint(1, 3_000_000))),
        "note": maybe(rng.choice(TEXTS)),
        "numbers": [rng.randint(-(2**63), 2**63 - 1) for _ in range(rng.randint(0, 3))],
        "words": [rng.choice(TEXTS) for _ in range(rng.randint(0, 3))],
        "counts": {rng.choice(TEXTS): rng.randint(-(2**63), 2**63 - 1) for _ in range(rng.randint(0, 3))},
        "by_number": {rng.randint(-9, 9): item() for _ in range(rng.randint(0, 2))},
        "card": None,
        "cash": None,
        "barter": None,
        "items": [item() for _ in range(rng.randint(0, 3))],
    }
    paid = rng.choice(["card", "cash", "barter", None])
    if paid:
        record[paid] = {"card": rng.choice(TEXTS), "cash": rng.randint(-5, 5), "barter": item()}[paid]
    return record


def filled(message: Any, record: dict[str, Any]) -> Any:
    """A message with the fields of a record set."""
    for name, value in record.items():
        if value is None:
            continue
        field = message.DESCRIPTOR.fields_by_name[name]
        target = getattr(message, name)
        if isinstance(value, datetime.datetime):
            since = value - datetime.datetime(1970, 1, 1, tzinfo=UTC)
            target.seconds, target.nanos = since.days * 86400 + since.seconds, since.microseconds * 1000
        elif isinstance(value, datetime.date):
            target.year, target.month, target.day = value.year, value.month, value.day
        elif field.message_type and field.message_type.full_name == "google.protobuf.StringValue":
            target.value = value
            target.SetInParent()
        elif isinstance(value, dict) and field.message_type.GetOptions().map_entry:
            for key, inner in value.items():
                if isinstance(inner, dict):
                    filled(target[key], inner)
                else:
                    target[key] = inner
        elif isinstance(value, dict):
            target.SetInParent()
            filled(target, value)
        elif isinstance(value, list):
            for inner in value:
                if isinstance(inner, dict):
                    filled(target.add(), inner)
                else:
                    target.append(inner)
        elif isinstance(value, decimal.Decimal):
            setattr(message, name, int(value))
        else:
            kind = field.enum_type
            setattr(message, name, kind.values_by_name[value].number if kind else value)
    return message


def shown(row: Any) -> dict[str, Any]:
    """A row as a record."""
    record: dict[str, Any] = row.asDict(recursive=True)
    record["raw"] = bytes(record["raw"])
    record["at"] = record["at"] and record["at"].astimezone(UTC)
    return record


def test_read_as_googles_runtime_wrote(
    spark: SparkSession, servers: Servers, topic: Callable[[str], str], tmp_path: Path
) -> None:
    """All columns, inferred from the registry, or a few of them, have the values given to Python's protobuf."""
    name = topic("pb")
    message = message_class(compiled(tmp_path, {"mixed.proto": SCHEMA}), "shop.v1.Mixed")
    head = struct.pack(">bIb", 0, register(servers.registry, f"{name}-value", SCHEMA), 0)
    rng = random.Random(7)
    records = [mixed(rng, n) for n in range(COUNT)]
    bodies = [filled(message(), r).SerializeToString() for r in records]
    serdes.create_topic(servers.kafka, name, 2)
    serdes.produce(servers.kafka, name, [(struct.pack(">i", n), head + body) for n, body in enumerate(bodies)])

    spark.sql(f"CREATE STREAM {name} (n INT KEY) WITH (KAFKA_TOPIC = '{name}', VALUE_FORMAT = 'PROTOBUF')")
    rows = {row["n"]: shown(row) for row in spark.table(name).collect()}
    assert len(rows) == COUNT
    for n, record in enumerate(records):
        assert rows[n] == {"n": n, **record}

    # Written again by Kafkalyst: the same messages, by the registered schema.
    copy = topic("copy")
    register(servers.registry, f"{copy}-value", SCHEMA)
    serdes.create_topic(servers.kafka, copy, 2)
    spark.sql(f"CREATE STREAM {copy} (n INT KEY) WITH (KAFKA_TOPIC = '{copy}', VALUE_FORMAT = 'PROTOBUF')")
    spark.sql(f"INSERT INTO {copy} SELECT * FROM {name}")
    found = {struct.unpack(">i", key)[0]: value for key, value in consume(servers.kafka, copy, COUNT)}
    assert len(found) == COUNT
    for n, record in enumerate(records):
        assert found[n][:6] == head
        assert message.FromString(found[n][6:]) == filled(message(), record)


@pytest.mark.parametrize("format_name", ["PROTOBUF", "PROTOBUF_NOSR"])
def test_derived_schemas_are_read_by_googles_runtime(
    format_name: str, spark: SparkSession, servers: Servers, topic: Callable[[str], str], tmp_path: Path
) -> None:
    """Kafkalyst's registered text compiles, and reads 10,000 rows of INSERT … SELECT."""
    columns = """s STRING, price DECIMAL(18, 3), xs ARRAY<INT>, m MAP<STRING, STRUCT<day DATE>>,
                 st STRUCT<a BOOLEAN, b TIMESTAMP, c STRUCT<d DOUBLE>>"""
    registered = topic("derived")
    spark.sql(f"""CREATE STREAM {registered} (k BIGINT KEY, {columns})
                  WITH (KAFKA_TOPIC='{registered}', KEY_FORMAT='KAFKA', VALUE_FORMAT='PROTOBUF', PARTITIONS=2)""")
    text = serdes.request(servers.registry, "GET", f"/subjects/{registered}-value/versions/latest")["schema"]
    message = message_class(compiled(tmp_path, {"derived.proto": text}), "ConnectDefault1")
    name = registered
    if format_name == "PROTOBUF_NOSR":
        name = topic("nosr")
        spark.sql(f"""CREATE STREAM {name} (k BIGINT KEY, {columns})
                      WITH (KAFKA_TOPIC='{name}', VALUE_FORMAT='PROTOBUF_NOSR', PARTITIONS=2)""")
    spark.sql(f"""
        INSERT INTO {name}
        SELECT cast(id AS BIGINT) AS k, if(id % 7 = 0, NULL, concat('row ', id)) AS s,
               cast(id AS DECIMAL(18, 3)) / 8 AS price, array(cast(id AS INT), 0) AS xs,
               map('k', named_struct('day', date_add(DATE'1970-01-01', cast(id AS INT)))) AS m,
               named_struct('a', id % 3 = 0, 'b', timestamp_micros(id * 1000003),
                            'c', named_struct('d', id / 4)) AS st
        FROM range({COUNT})""")
    found = {}
    for key, value in consume(servers.kafka, name, COUNT):
        body = value if format_name == "PROTOBUF_NOSR" else value[6:]
        found[struct.unpack(">q", key)[0]] = message.FromString(body)
    assert len(found) == COUNT
    for k, row in found.items():
        got: Any = row
        assert got.s == ("" if k % 7 == 0 else f"row {k}")
        unscaled = int.from_bytes(got.price.value, "big", signed=True)
        assert (unscaled, got.price.scale, got.price.precision) == (k * 125, 3, len(str(k * 125)))
        assert list(got.xs) == [k, 0]
        day = got.m["k"].day
        assert datetime.date(day.year, day.month, day.day) == datetime.date(1970, 1, 1) + datetime.timedelta(k)
        assert got.st.a == (k % 3 == 0)
        assert got.st.b.seconds * 10**9 + got.st.b.nanos == k * 1000003 * 1000
        assert got.st.c.d == k / 4
    again = spark.table(name).selectExpr("k", "s", "st.b", "price").collect()
    assert {row["k"]: (row["s"], row["price"]) for row in again} == {
        k: ("" if k % 7 == 0 else f"row {k}", decimal.Decimal(k * 125).scaleb(-3)) for k in range(COUNT)
    }


def test_wrapped_elements_and_values(
    spark: SparkSession, servers: Servers, topic: Callable[[str], str], tmp_path: Path
) -> None:
    """Google's classes for a derived schema with wrappers read lists and maps; a NULL in a map is no value there."""
    name = topic("wrapped")
    spark.sql(f"""CREATE STREAM {name} (xs ARRAY<INT>, m MAP<STRING, INT>, days MAP<STRING, DATE>, x INT)
                  WITH (KAFKA_TOPIC='{name}', VALUE_FORMAT='PROTOBUF', PARTITIONS=1,
                        VALUE_PROTOBUF_NULLABLE_REPRESENTATION='WRAPPER')""")
    spark.sql(f"""INSERT INTO {name} VALUES
                  (array(1, 0), map('a', 1, 'b', 0, 'c', NULL), map('d', DATE'2024-05-06', 'e', NULL), NULL)""")
    text = serdes.request(servers.registry, "GET", f"/subjects/{name}-value/versions/latest")["schema"]
    message = message_class(compiled(tmp_path, {"wrapped.proto": text}), "ConnectDefault1")
    ((_, value),) = consume(servers.kafka, name, 1)
    got: Any = message.FromString(value[6:])
    assert [type(x).DESCRIPTOR.full_name for x in got.xs] == ["google.protobuf.Int32Value"] * 2
    assert [x.value for x in got.xs] == [1, 0]
    assert {key: x.value for key, x in got.m.items()} == {"a": 1, "b": 0, "c": 0}
    assert (got.days["d"].day, got.days["e"].year) == (6, 0)
    assert not got.HasField("x")
    row = spark.table(name).first()
    assert row is not None
    assert row.asDict() == {
        "xs": [1, 0],
        "m": {"a": 1, "b": 0, "c": None},
        "days": {"d": datetime.date(2024, 5, 6), "e": None},
        "x": None,
    }


def test_nested_messages_are_found_by_their_index(
    spark: SparkSession, servers: Servers, topic: Callable[[str], str], tmp_path: Path
) -> None:
    """Records of several messages of one text in one topic: each is read as its own message, columns by name."""
    name = topic("several")
    text = """syntax = "proto3";
message Order { message Line { int32 id = 3; string sku = 1; } string note = 2; int32 id = 1; }
message Refund { int32 amount = 2; int32 id = 9; }
"""
    pool = compiled(tmp_path, {"several.proto": text})
    schema_id = register(servers.registry, f"{name}-value", text)
    order, line, refund = (message_class(pool, n) for n in ("Order", "Order.Line", "Refund"))
    bodies = [
        (b"\x00", order(id=1, note="n")),
        (b"\x02\x00", order(id=2)),
        (b"\x04\x00\x00", line(id=3, sku="x")),
        (b"\x02\x02", refund(id=4, amount=5)),
    ]
    head = struct.pack(">bI", 0, schema_id)
    serdes.create_topic(servers.kafka, name, 1)
    serdes.produce(servers.kafka, name, [(None, head + index + body.SerializeToString()) for index, body in bodies])
    spark.sql(f"""CREATE STREAM {name} (id INT, note STRING, sku STRING, amount INT)
                  WITH (KAFKA_TOPIC = '{name}', VALUE_FORMAT = 'PROTOBUF')""")
    rows = sorted(tuple(row) for row in spark.sql(f"SELECT id, note, sku, amount FROM {name}").collect())
    assert rows == [(1, "n", None, None), (2, "", None, None), (3, None, "x", None), (4, None, None, 5)]


def test_a_schema_in_its_compiled_form(
    spark: SparkSession, servers: Servers, topic: Callable[[str], str], tmp_path: Path
) -> None:
    """A descriptor in base64, which Confluent's client for Python registers and Apicurio returns unchanged."""
    name = topic("form")
    text = SCHEMA.replace("  oneof payment", "  message After { int32 n = 1; }\n  oneof payment")
    pool = compiled(tmp_path, {"mixed.proto": text})
    form = descriptor_pb2.FileDescriptorProto()
    pool.FindFileByName("mixed.proto").CopyToProto(form)
    schema_id = register(servers.registry, f"{name}-value", base64.b64encode(form.SerializeToString()).decode())
    after = message_class(pool, "shop.v1.Mixed.After")
    # As that client counts: entries of maps are also nested messages.
    index = [m.name for m in pool.FindMessageTypeByName("shop.v1.Mixed").nested_types].index("After")
    head = struct.pack(">bI", 0, schema_id) + bytes([4, 0, index * 2])
    serdes.create_topic(servers.kafka, name, 1)
    mixed_head = struct.pack(">bIb", 0, schema_id, 0)
    record = filled(message_class(pool, "shop.v1.Mixed")(), {"id": 5, "counts": {"a": 1}, "kind": "BLUE"})
    bodies = [mixed_head + record.SerializeToString(), head + after(n=7).SerializeToString()]
    serdes.produce(servers.kafka, name, [(None, body) for body in bodies])
    declared = f"CREATE STREAM {name} WITH (KAFKA_TOPIC = '{name}', VALUE_FORMAT = 'PROTOBUF', ON_ERROR = '{{}}')"
    spark.sql(declared.format("fail"))
    with pytest.raises(PySparkException, match=r"it is a shop\.v1\.Mixed\.After, not the shop\.v1\.Mixed "):
        spark.sql(f"SELECT id FROM {name}").collect()
    spark.sql(declared.format("skip").replace("CREATE", "CREATE OR REPLACE"))
    rows = spark.sql(f"SELECT id, counts, kind FROM {name}").collect()
    assert [tuple(row) for row in rows] == [(5, {"a": 1}, "BLUE")]


def test_known_types_are_googles_own(tmp_path: Path) -> None:
    """Every Google file in the jar has the messages and enums of Google's own file."""
    paths = [str(p.relative_to(OURS)) for p in sorted(OURS.glob("google/**/*.proto")) if p.stem != "descriptor"]
    assert len(paths) > 20
    ours, googles = (files(tmp_path / name, paths, roots) for name, roots in (("ours", [OURS]), ("googles", GOOGLES)))
    assert ours == googles
