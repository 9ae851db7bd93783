"""Decoded rows against independent libraries: Spark shows what fastavro and json wrote, and the reverse."""

from __future__ import annotations

import datetime
import decimal
import io
import json
import random
import struct
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import fastavro
import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from kafkalyst import serdes
from support.records import consume

if TYPE_CHECKING:
    from conftest import Servers

COUNT = 10_000
UTC = datetime.UTC
ITEM = {
    "type": "record",
    "name": "Item",
    "fields": [
        {"name": "sku", "type": "string"},
        {"name": "price", "type": {"type": "bytes", "logicalType": "decimal", "precision": 9, "scale": 2}},
    ],
}
SCHEMA: dict[str, Any] = {
    "type": "record",
    "name": "Mixed",
    "fields": [
        {"name": "id", "type": "long"},
        {"name": "i", "type": ["null", "int"]},
        {"name": "f", "type": "float"},
        {"name": "d", "type": ["double", "null"]},
        {"name": "ok", "type": "boolean"},
        {"name": "s", "type": ["null", "string"]},
        {"name": "raw", "type": "bytes"},
        {"name": "day", "type": {"type": "int", "logicalType": "date"}},
        {"name": "at", "type": ["null", {"type": "long", "logicalType": "timestamp-micros"}]},
        {"name": "kind", "type": {"type": "enum", "name": "Kind", "symbols": ["A", "B", "C"]}},
        {"name": "counts", "type": {"type": "map", "values": ["null", "long"]}},
        {"name": "items", "type": {"type": "array", "items": ITEM}},
    ],
}
TEXTS = ["", "plain", "ümläut €", "🙂 emoji", "tab\tnew\nline", '"quoted" \\ back', "nul\x00l", "x" * 300]


def mixed(rng: random.Random, number: int) -> dict[str, Any]:
    """One record of SCHEMA, every field over its whole range."""

    def maybe(value: object) -> object:
        return None if rng.random() < 0.2 else value

    return {
        "id": rng.choice([number, -number, 2**63 - 1, -(2**63)]),
        "i": maybe(rng.randint(-(2**31), 2**31 - 1)),
        "f": struct.unpack("f", struct.pack("f", rng.uniform(-1e6, 1e6)))[0],
        "d": maybe(rng.uniform(-1e300, 1e300)),
        "ok": rng.random() < 0.5,
        "s": maybe(rng.choice(TEXTS)),
        "raw": rng.randbytes(rng.randint(0, 20)),
        "day": datetime.date.fromordinal(rng.randint(1, 3_000_000)),
        "at": maybe(
            datetime.datetime.fromtimestamp(rng.randint(-(2**31), 2**32), UTC).replace(microsecond=rng.randrange(10**6))
        ),
        "kind": rng.choice("ABC"),
        "counts": {rng.choice(TEXTS): maybe(rng.randint(-(2**63), 2**63 - 1)) for _ in range(rng.randint(0, 3))},
        "items": [
            {"sku": rng.choice(TEXTS), "price": decimal.Decimal(rng.randint(-(10**9) + 1, 10**9 - 1)).scaleb(-2)}
            for _ in range(rng.randint(0, 4))
        ],
    }


def test_avro_read_as_fastavro_wrote(spark: SparkSession, servers: Servers, topic: Callable[[str], str]) -> None:
    """All columns, and a few of them alone, have the values that fastavro wrote."""
    name = topic("mixed")
    rng = random.Random(7)
    records = [mixed(rng, n) for n in range(COUNT)]
    encode = serdes.avro_encoder(servers.registry, f"{name}-value", SCHEMA)
    serdes.create_topic(servers.kafka, name, 2)
    serdes.produce(servers.kafka, name, [(struct.pack(">i", n), encode(r)) for n, r in enumerate(records)])

    spark.sql(f"CREATE STREAM {name} (n INT KEY) WITH (KAFKA_TOPIC = '{name}', VALUE_FORMAT = 'AVRO')")
    rows = {row["n"]: row for row in spark.table(name).collect()}
    assert len(rows) == COUNT
    for n, record in enumerate(records):
        got = rows[n].asDict(recursive=True)
        got.pop("n")
        got["raw"] = bytes(got["raw"])
        got["at"] = got["at"] and got["at"].astimezone(UTC)
        assert got == record

    pruned = {row["n"]: row for row in spark.sql(f"SELECT n, kind, get(items, 0).price AS price FROM {name}").collect()}
    for n, record in enumerate(records):
        assert pruned[n]["kind"] == record["kind"]
        assert pruned[n]["price"] == (record["items"][0]["price"] if record["items"] else None)


def test_json_read_as_json_wrote(spark: SparkSession, servers: Servers, topic: Callable[[str], str]) -> None:
    """JSON of Python's own writer, in both of its spellings, is read correctly."""
    name = topic("json")
    rng = random.Random(11)
    records = []
    for number in range(COUNT):
        record = {
            "@id": number,
            "s": rng.choice([*TEXTS, None]),
            "big": rng.randint(-(10**37), 10**37),
            "d": rng.uniform(-1e300, 1e300),
            "nested": {"a b": [rng.randint(-9, 9) for _ in range(rng.randint(0, 3))], "ok": rng.random() < 0.5},
        }
        records.append(record)
    texts = [json.dumps(r, ensure_ascii=n % 2 == 0, indent=n % 3 or None) for n, r in enumerate(records)]
    serdes.create_topic(servers.kafka, name, 2)
    serdes.produce(servers.kafka, name, [(None, text.encode()) for text in texts])

    spark.sql(f"""
        CREATE STREAM {name} ("@id" BIGINT, s STRING, big DECIMAL(38, 0), d DOUBLE,
                              nested STRUCT<"a b" ARRAY<INT>, ok BOOLEAN>, absent STRING)
        WITH (KAFKA_TOPIC = '{name}', VALUE_FORMAT = 'JSON')""")
    rows = {row["@id"]: row.asDict(recursive=True) for row in spark.table(name).collect()}
    assert len(rows) == COUNT
    for record in records:
        assert rows[record["@id"]] == {**record, "big": decimal.Decimal(record["big"]), "absent": None}


def test_written_records_are_read_by_others(spark: SparkSession, servers: Servers, topic: Callable[[str], str]) -> None:
    """fastavro and json read what INSERT … SELECT writes: 10,000 rows each, keys big-endian."""
    source = f"""
        SELECT cast(id AS BIGINT) AS k, if(id % 7 = 0, NULL, concat('row ', id)) AS s,
               cast(id AS DECIMAL(18, 3)) / 8 AS price, array(cast(id AS INT), NULL) AS xs,
               named_struct('a', id % 3 = 0, 'b', timestamp_micros(id * 1000003)) AS st
        FROM range({COUNT})"""
    columns = "k BIGINT KEY, s STRING, price DECIMAL(18, 3), xs ARRAY<INT>, st STRUCT<a BOOLEAN, b TIMESTAMP>"
    for format_name in ("AVRO", "JSON"):
        name = topic(format_name.lower())
        spark.sql(
            f"CREATE STREAM {name} ({columns}) WITH (KAFKA_TOPIC='{name}', VALUE_FORMAT='{format_name}', PARTITIONS=2)"
        )
        spark.sql(f"INSERT INTO {name} {source}")
        found = {}
        for key, value in consume(servers.kafka, name, COUNT):
            found[struct.unpack(">q", key)[0]] = decode(servers.registry, format_name, value)
        assert len(found) == COUNT
        for k in range(COUNT):
            at = datetime.datetime(1970, 1, 1, tzinfo=UTC) + datetime.timedelta(microseconds=k * 1000003)
            expected = {
                "s": None if k % 7 == 0 else f"row {k}",
                "price": decimal.Decimal(k * 125).scaleb(-3),
                "xs": [k, None],
                "st": {"a": k % 3 == 0, "b": at},
            }
            assert found[k] == expected


def test_a_bad_record_fails_behind_the_rows_before_it(
    spark: SparkSession, servers: Servers, topic: Callable[[str], str]
) -> None:
    """Rows are read in batches, but a query of the first rows does not fail at a bad record after them."""
    name = topic("behind")
    spark.sql(f"CREATE STREAM {name} (v INT) WITH (KAFKA_TOPIC='{name}', VALUE_FORMAT='JSON', PARTITIONS=1)")
    serdes.produce(servers.kafka, name, [(None, text) for text in (b'{"v": 1}', b'{"v": 2}', b"{")])
    assert [row["v"] for row in spark.sql(f"SELECT v FROM {name} LIMIT 2").collect()] == [1, 2]
    with pytest.raises(PySparkException) as failed:
        spark.sql(f"SELECT v FROM {name}").collect()
    assert failed.value.getCondition() == "KAFKALYST_RECORD_NOT_DECODABLE"


def test_fastavro_reads_maps_of_ksqldb(spark: SparkSession, servers: Servers, topic: Callable[[str], str]) -> None:
    """A MAP in ksqlDB's dialect is an array of Connect's entries, with the names that Connect gives them."""
    name = topic("entries")
    spark.conf.set("spark.kafkalyst.dialect", "ksqldb")
    try:
        spark.sql(
            f"CREATE STREAM {name} (k INT KEY, m MAP<STRING, INT>, n MAP<STRING, STRUCT<x INT>>)"
            f" WITH (KAFKA_TOPIC='{name}', VALUE_FORMAT='AVRO', PARTITIONS=1)"
        )
        spark.sql(f"INSERT INTO {name} VALUES (1, MAP('a' := 1, 'b' := NULL), MAP('c' := STRUCT(x := 2)))")
    finally:
        spark.conf.unset("spark.kafkalyst.dialect")
    ((_, value),) = consume(servers.kafka, name, 1)
    assert decode(servers.registry, "AVRO", value) == {
        "M": [{"key": "a", "value": 1}, {"key": "b", "value": None}],
        "N": [{"key": "c", "value": {"X": 2}}],
    }
    schema = json.loads(serdes.request(servers.registry, "GET", f"/subjects/{name}-value/versions/latest")["schema"])
    entries = {field["name"]: field["type"][1]["items"] for field in schema["fields"]}
    assert [(entry["name"], entry["connect.internal.type"]) for entry in entries.values()] == [
        ("KsqlDataSourceSchema_M", "MapEntry"),
        ("KsqlDataSourceSchema_N", "MapEntry"),
    ]
    key, struct_value = entries["N"]["fields"]
    assert key == {"name": "key", "type": ["null", "string"], "default": None}
    assert struct_value["type"][1]["name"] == "KsqlDataSourceSchema_N_MapValue"
    assert struct_value["default"] is None


def decode(registry: str, format_name: str, value: bytes) -> dict[str, Any]:
    """One value, read by fastavro or json."""
    if format_name == "JSON":
        record = json.loads(value, parse_float=decimal.Decimal, parse_int=decimal.Decimal)
        since = datetime.timedelta(microseconds=int(record["st"]["b"] * 1000))
        record["st"]["b"] = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC) + since
        return record
    magic, schema_id = struct.unpack(">bI", value[:5])
    assert magic == 0
    answer = serdes.request(registry, "GET", f"/schemas/ids/{schema_id}")
    return fastavro.schemaless_reader(io.BytesIO(value[5:]), json.loads(answer["schema"]), None)  # type: ignore[return-value]
