"""Hostile bytes: for each format and side, each is a bad record with a reason, and its neighbours are read.

Every record is between two good ones. Under ON_ERROR=null the rows of bad ones have an `_error`, under skip and
dead-letter only the good ones are left, and under fail the error names the first bad one.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import Row, SparkSession

from kafkalyst import serdes

if TYPE_CHECKING:
    from conftest import Servers

AVRO = '{"type":"record","name":"R","fields":[{"name":"a","type":"long"},{"name":"s","type":"string"}]}'
JSON = (
    '{"$schema":"http://json-schema.org/draft-07/schema#","type":"object",'
    '"properties":{"a":{"type":"integer"},"s":{"type":"string"}}}'
)
PROTO = 'syntax = "proto3"; message R { int64 a = 1; string s = 2; }'
TYPES = {"AVRO": ("AVRO", AVRO), "JSON_SR": ("JSON", JSON), "PROTOBUF": ("PROTOBUF", PROTO)}

DEEP = 10_000
HUGE = b"\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01"  # the largest length of 64 bits

GOOD = {
    "AVRO": b"\x02\x02x",
    "JSON_SR": b'{"a":1,"s":"x"}',
    "PROTOBUF": b"\x00\x08\x01\x12\x01x",
    "JSON": b'{"a":1,"s":"x"}',
    "PROTOBUF_NOSR": b"\x08\x01\x12\x01x",
    "DELIMITED": b"1,x",
}
TEXTS = {
    "deep": b'{"a":1,"s":"x","b":' + b"[" * DEEP + b"]" * DEEP + b"}",
    "deep object": b'{"b":' * DEEP + b"1" + b"}" * DEEP,
    "deep in a column": b'{"a":' + b"[" * DEEP + b"]" * DEEP + b"}",
    "cut off": b'{"a":1,"s":"x',
    "no UTF-8": b'{"a":1,"s":"\xff\xfe"}',
    "NUL": b"\x00\x00\x00",
    "bare NUL": b'{"a":1,"s":"x\x00"}',
    "huge exponent": b'{"a":1e999999999,"s":"x"}',
    "other type": b'{"a":{"b":1},"s":"x"}',
    "two values": b'{"a":1,"s":"x"} {"a":2}',
    "an array": b"[1]",
    "HTML": b"<html>",
}
PROTOS = {
    "huge length": b"\x12" + b"\xff\xff\xff\xff\xff\xff\xff\xff\x7f",
    "negative length": b"\x12" + b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
    "cut off": b"\x08\x01\x12\x05x",
    "field zero": b"\x00\x00",
    "no such kind": b"\x0f",
    "end without group": b"\x0c",
    "deep groups": b"\x1b" * DEEP,
    "long number": b"\x08" + b"\xff" * 11,
    "no UTF-8": b"\x12\x02\xff\xfe",
}
BAD = {
    "AVRO": {
        "cut off": b"\x02\x08x",
        "too long": b"\x02\x02xyz",
        "huge length": b"\x02" + HUGE,
        "negative length": b"\x02\x01",
        "long number": b"\xff" * 11,
        "no body": b"",
        "no UTF-8": b"\x02\x04\xff\xfe",
    },
    "JSON_SR": TEXTS,
    "PROTOBUF": {name: b"\x00" + body for name, body in PROTOS.items()}
    | {"no such message": b"\x02\x0e", "many indexes": b"\xfe\xff\xff\x0f", "no indexes": b""},
    "JSON": TEXTS,
    "PROTOBUF_NOSR": PROTOS,
    "DELIMITED": {
        "few": b"1",
        "many": b"1,x,y",
        "no number": b"one,x",
        "open quote": b'1,"x',
        "no UTF-8": b"1,\xff\xfe",
        "overflow": b"99999999999999999999,x",
        "huge exponent": b"1e999999999,x",
    },
}
WITH_ID = {
    "empty": b"",
    "no magic byte": b"\x01\x00\x00\x00\x01\x02\x02x",
    "four bytes": b"\x00\x00\x00\x01",
    "unknown id": b"\x00\x7f\xff\xff\xf0\x02\x02x",
    "negative id": b"\x00\xff\xff\xff\xff\x02\x02x",
}


def cases(name: str, head: bytes) -> dict[str, bytes]:
    """The bad bytes of a format, preceded by the schema's id if it has one."""
    framed = {what: head + body for what, body in BAD[name].items()}
    return framed | (WITH_ID if head else {})


@pytest.mark.parametrize("side", ["KEY", "VALUE"])
@pytest.mark.parametrize("name", list(BAD))
def test_bytes(spark: SparkSession, servers: Servers, topic: Callable[[str], str], name: str, side: str) -> None:
    """Tests each of the bytes under all four policies."""
    t = topic(f"hostile_{name.lower()}_{side.lower()}")
    serdes.create_topic(servers.kafka, t, 1)
    head = b""
    if name in TYPES:
        kind, schema = TYPES[name]
        body = {"schema": schema, "schemaType": kind}
        path = f"/subjects/{t}-{side.lower()}/versions"
        head = struct.pack(">bI", 0, serdes.request(servers.registry, "POST", path, body)["id"])
    bad = cases(name, head)
    good = head + GOOD[name]
    pairs = [good, *(record for body in bad.values() for record in (body, good))]
    plain = b"7" if side == "VALUE" else b'{"v":7}'
    serdes.produce(servers.kafka, t, [(r, plain) if side == "KEY" else (plain, r) for r in pairs])
    declared = (
        f"(a BIGINT KEY, s STRING KEY, v INT) WITH (KEY_FORMAT = '{name}', VALUE_FORMAT = 'JSON'"
        if side == "KEY"
        else f"(k STRING KEY, a BIGINT, s STRING) WITH (VALUE_FORMAT = '{name}'"
    )
    for policy in ("fail", "skip", "null", "dead-letter"):
        spark.sql(f"CREATE STREAM {t}_{policy[0]} {declared}, KAFKA_TOPIC = '{t}', ON_ERROR = '{policy}')")
    with pytest.raises(PySparkException) as failed:
        spark.sql(f"SELECT a, s FROM {t}_f").collect()
    assert failed.value.getCondition() == "KAFKALYST_RECORD_NOT_DECODABLE"
    whole = Row(a=1, s="x")
    rows = spark.sql(f"SELECT a, s, _error FROM {t}_n").collect()
    assert [Row(a=r.a, s=r.s) for r in rows[::2]] == [whole] * (len(bad) + 1)
    assert all(r._error is None for r in rows[::2])
    told = dict(zip(bad, rows[1::2], strict=True))
    silent = {what: row for what, row in told.items() if row._error is None}
    assert not silent, f"read as if nothing were wrong: {silent}"
    assert all(r.a is None and r.s is None and len(r._error) < 2000 for r in told.values())
    for policy in ("s", "d"):
        assert spark.sql(f"SELECT a, s FROM {t}_{policy}").collect() == [whole] * (len(bad) + 1)
    letters = spark.sql(f"PRINT '{t}-dlq' FROM BEGINNING LIMIT 1000").count()
    assert letters == len(bad)
