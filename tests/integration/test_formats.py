"""Every format with every type over the real servers: other libraries read what Spark wrote, and the reverse."""

from __future__ import annotations

import base64
import csv
import datetime
import decimal
import io
import json
import struct
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest
from confluent_kafka.schema_registry import SchemaRegistryClient
from confluent_kafka.schema_registry.avro import AvroDeserializer, AvroSerializer
from confluent_kafka.schema_registry.json_schema import JSONDeserializer, JSONSerializer
from confluent_kafka.serialization import MessageField, SerializationContext
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from kafkalyst import serdes
from support.records import consume

if TYPE_CHECKING:
    from conftest import Servers

UTC = datetime.UTC
AT = datetime.datetime(2020, 1, 2, 3, 4, 5, 123000, UTC)
SCALARS: dict[str, tuple[str, list[Any]]] = {
    "ok": ("BOOLEAN", [True, False]),
    "tiny": ("TINYINT", [-128, 127]),
    "small": ("SMALLINT", [-32768, 32767]),
    "i": ("INT", [-(2**31), 2**31 - 1]),
    "l": ("BIGINT", [-(2**63), 2**63 - 1]),
    "f": ("FLOAT", [1.5, -0.25]),
    "d": ("DOUBLE", [1e300, -0.1]),
    "n": ("DECIMAL(24, 4)", [decimal.Decimal("-12345678901234567890.1200"), decimal.Decimal("0.0001")]),
    "s": ("STRING", ['ümläut €, "quoted"\r\nand more 🙂', ""]),
    "raw": ("BINARY", [b'\x00\xff,"', b"x"]),
    "day": ("DATE", [datetime.date(2020, 1, 2), datetime.date(1969, 12, 31)]),
    "at": ("TIMESTAMP", [AT, AT.replace(year=1960)]),
    "here": ("TIMESTAMP_NTZ", [AT.replace(tzinfo=None), AT.replace(tzinfo=None, microsecond=123456)]),
}
NESTED: dict[str, tuple[str, list[Any]]] = {
    "xs": ("ARRAY<INT>", [[1, None, 3], []]),
    "m": ("MAP<STRING, BIGINT>", [{"b": 1, "a": None}, {}]),
    "st": (
        "STRUCT<x: INT, y: ARRAY<STRUCT<z: STRING, w: DECIMAL(4, 2)>>>",
        [{"x": 1, "y": [{"z": "é", "w": decimal.Decimal("1.20")}, None]}, {"x": None, "y": None}],
    ),
}
TYPES: dict[str, dict[str, tuple[str, list[Any]]]] = {
    "AVRO": SCALARS | NESTED,
    "JSON": SCALARS | NESTED,
    "JSON_SR": SCALARS | NESTED,
    "DELIMITED": SCALARS,
}


class Other:
    """An independent library, for one side of one topic; values are Python's own, as in PySpark's rows."""

    def __init__(self, format_name: str, registry: str, topic: str, side: str, columns: dict[str, str]) -> None:
        self.format, self.columns = format_name, columns
        self.context = SerializationContext(topic, MessageField.KEY if side == "key" else MessageField.VALUE)
        self.client = SchemaRegistryClient({"url": registry})
        self.subject = f"{topic}-{side}"

    def read(self, data: bytes) -> dict[str, Any]:
        """The columns from bytes that Spark wrote."""
        if self.format == "AVRO":
            return AvroDeserializer(self.client)(data, self.context)  # type: ignore[return-value]
        if self.format == "DELIMITED":
            (fields,) = csv.reader(io.StringIO(data.decode(), newline=""), strict=True)
            assert len(fields) == len(self.columns)
            return {name: plain(text, t) for (name, t), text in zip(self.columns.items(), fields, strict=True)}
        if self.format == "JSON_SR":
            # It checks the record against the registered schema.
            JSONDeserializer(None, schema_registry_client=self.client)(data, self.context)
            assert data[0] == 0
            data = data[5:]
        record = json.loads(data, parse_float=decimal.Decimal)
        assert list(record) == list(self.columns)
        return {name: plain(record[name], t) for name, t in self.columns.items()}

    def write(self, record: dict[str, Any]) -> bytes:
        """Bytes for Spark to read, by the registry's schema."""
        if self.format == "AVRO":
            schema = self.client.get_latest_version(self.subject).schema
            return AvroSerializer(self.client, schema.schema_str)(record, self.context)  # type: ignore[return-value]
        if self.format == "DELIMITED":
            out = io.StringIO(newline="")
            # Python's csv cannot tell null from empty, so values that are not null are quoted.
            cells = [None if record[n] is None else text(record[n], t) for n, t in self.columns.items()]
            quoted = ["" if c is None else '"' + c.replace('"', '""') + '"' for c in cells]
            if None not in cells:
                csv.writer(out).writerow(cells)
                if "" not in cells:
                    return out.getvalue().encode()
            return ",".join(quoted).encode()
        record = {name: jsonable(record[name], t, self.format == "JSON_SR") for name, t in self.columns.items()}
        if self.format == "JSON_SR":
            schema = self.client.get_latest_version(self.subject).schema
            return JSONSerializer(schema.schema_str, self.client)(record, self.context)  # type: ignore[return-value]
        return json.dumps(record).encode()


def plain(value: Any, t: str) -> Any:
    """The Python value of a JSON value, or of a delimited field's text, for a column of this type."""
    if value is None or (value == "" and t != "STRING"):
        return None
    if t == "BOOLEAN":
        return value if isinstance(value, bool) else {"true": True, "false": False}[value]
    if t in ("TINYINT", "SMALLINT", "INT", "BIGINT"):
        return int(value)
    if t in ("FLOAT", "DOUBLE"):
        return float(value)
    if t.startswith("DECIMAL"):
        return decimal.Decimal(value)
    if t == "BINARY":
        return base64.b64decode(value, validate=True)
    if t == "DATE":
        is_text = isinstance(value, str) and "-" in value[1:]
        epoch = datetime.date(1970, 1, 1)
        return datetime.date.fromisoformat(value) if is_text else epoch + datetime.timedelta(days=int(value))
    if t == "TIMESTAMP":
        if isinstance(value, str) and "T" in value:
            return datetime.datetime.fromisoformat(value.replace("Z", "+00:00"))
        return datetime.datetime(1970, 1, 1, tzinfo=UTC) + datetime.timedelta(
            microseconds=int(decimal.Decimal(value) * 1000)
        )
    if t == "TIMESTAMP_NTZ":
        return datetime.datetime.fromisoformat(value)
    return value


def jsonable(value: Any, t: str, numeric_times: bool) -> Any:
    """The inverse of `plain` for JSON; small decimals are floats, which Python's json can write."""
    if value is None:
        return None
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    if isinstance(value, datetime.datetime):
        if t == "TIMESTAMP" and numeric_times:
            return (value - datetime.datetime(1970, 1, 1, tzinfo=UTC)) // datetime.timedelta(milliseconds=1)
        return value.isoformat()
    if isinstance(value, datetime.date):
        return (value - datetime.date(1970, 1, 1)).days if numeric_times else value.isoformat()
    if isinstance(value, decimal.Decimal):
        # A float of this many digits would be another number.
        return float(value) if abs(value) < 10**6 else int(value)
    if isinstance(value, dict):
        return {k: jsonable(v, "", numeric_times) for k, v in value.items()}
    if isinstance(value, list):
        return [jsonable(v, "", numeric_times) for v in value]
    return value


def text(value: Any, t: str) -> str:
    """The text of a delimited field for a value that is not null."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, decimal.Decimal):
        return f"{value:f}"
    return str(jsonable(value, t, numeric_times=t in ("TIMESTAMP", "DATE")))


def rows_of(types: dict[str, tuple[str, list[Any]]], number: int) -> list[dict[str, Any]]:
    """Rows of every column's values, and one of nulls."""
    rows = [{name: values[i] for name, (_, values) in types.items()} for i in range(2)]
    return [{"id": number + i, **row} for i, row in enumerate([*rows, dict.fromkeys(types)])]


def collected(spark: SparkSession, query: str) -> dict[int, dict[str, Any]]:
    """Rows by their id, with plain Python values."""
    rows = {}
    for row in spark.sql(query).collect():
        found = row.asDict(recursive=True)
        for name, value in found.items():
            if isinstance(value, bytearray):
                found[name] = bytes(value)
            if name == "at" and value is not None:
                found[name] = value.astimezone(UTC)
        rows[found["id"]] = found
    return rows


@pytest.mark.parametrize("side", ["key", "value"])
@pytest.mark.parametrize("format_name", TYPES)
def test_all_types(
    spark: SparkSession, servers: Servers, topic: Callable[[str], str], format_name: str, side: str
) -> None:
    """Both ways between spark.sql and another library, all types in one record, as value and as key."""
    name = topic(f"{format_name.lower()}_{side}")
    types = TYPES[format_name]
    columns = {"id": "BIGINT", **{n: t for n, (t, _) in types.items()}}
    ddl = ", ".join(f"{n} {t}{' KEY' if side == 'key' else ''}" for n, t in columns.items())
    key_format, value_format = (format_name, "KAFKA") if side == "key" else ("KAFKA", format_name)
    extra = ", v STRING" if side == "key" else ", k STRING KEY"
    spark.sql(
        f"CREATE STREAM {name} ({ddl}{extra}) WITH (KAFKA_TOPIC = '{name}', PARTITIONS = 1, "
        f"KEY_FORMAT = '{key_format}', VALUE_FORMAT = '{value_format}')"
    )
    ours = rows_of(types, 0)
    source = spark.createDataFrame(
        [tuple(row.values()) for row in ours], ", ".join(f"{n} {t}" for n, t in columns.items())
    )
    source.createOrReplaceTempView(f"{name}_rows")
    listed = ", ".join(columns)
    spark.sql(
        f"INSERT INTO {name} ({listed}, {'v' if side == 'key' else 'k'}) SELECT {listed}, 'other' FROM {name}_rows"
    )

    other = Other(format_name, servers.registry, name, side, columns)
    found = {}
    for key, value in consume(servers.kafka, name, len(ours)):
        data, rest = (key, value) if side == "key" else (value, key)
        assert data is not None and rest == b"other"
        record = other.read(data)
        found[record["id"]] = record
    for row in ours:
        if format_name == "DELIMITED":  # Python's csv reads null and empty alike
            row = {n: "" if v is None and columns[n] == "STRING" else v for n, v in row.items()}
        expected = {n: truncated(v, format_name, columns[n]) for n, v in row.items()}
        assert found[row["id"]] == expected

    theirs = rows_of(types, 100)
    for row in theirs:
        if format_name in ("JSON", "JSON_SR") and row["n"] is not None and abs(row["n"]) > 10**6:
            row["n"] = row["n"].to_integral_value().quantize(decimal.Decimal("1.0000"))
    pairs = [(other.write(row), b"other") for row in theirs]
    serdes.produce(servers.kafka, name, pairs if side == "key" else [(b, a) for a, b in pairs])
    read = collected(spark, f"SELECT {listed} FROM {name} WHERE id >= 100")
    assert read == {row["id"]: row for row in theirs}


def truncated(value: Any, format_name: str, t: str) -> Any:
    """The part of a value that the format keeps."""
    if t == "TIMESTAMP" and value is not None and format_name in ("DELIMITED", "JSON_SR"):
        return value.replace(microsecond=value.microsecond // 1000 * 1000)
    return value


SINGLES = {
    "BIGINT": 7,
    "STRING": "é",
    "DECIMAL(5, 2)": decimal.Decimal("-1.50"),
    "ARRAY<STRING>": ["a", None],
    "STRUCT<x: INT, y: STRING>": {"x": 1, "y": None},
}


@pytest.mark.parametrize("format_name", [*TYPES, "KAFKA"])
def test_single_columns(spark: SparkSession, servers: Servers, topic: Callable[[str], str], format_name: str) -> None:
    """A single value column is a field of a record if the format has records; a single key column is bare."""
    records = format_name in ("AVRO", "JSON", "JSON_SR")
    takes = [t for t in SINGLES if records or t in ("BIGINT", "STRING") or (format_name == "DELIMITED" and "DEC" in t)]
    for number, t in enumerate(takes):
        name = topic(f"one_{format_name.lower()}_{number}")
        spark.sql(
            f"CREATE STREAM {name} (k {t} KEY, v {t}) WITH (KAFKA_TOPIC = '{name}', PARTITIONS = 1, "
            f"FORMAT = '{format_name}')"
        )
        spark.createDataFrame([(SINGLES[t], SINGLES[t])], f"k {t}, v {t}").createOrReplaceTempView(f"{name}_rows")
        spark.sql(f"INSERT INTO {name} SELECT k, v FROM {name}_rows")
        ((key, value),) = consume(servers.kafka, name, 1)
        assert key is not None and value is not None
        expected = SINGLES[t]
        if format_name == "AVRO":
            client = SchemaRegistryClient({"url": servers.registry})
            context = SerializationContext(name, MessageField.VALUE)
            assert AvroDeserializer(client)(value, context) == {"v": expected}
            bare = AvroDeserializer(client)(key, context)
            # Bare bytes are passed unchanged, also those of a decimal.
            unscaled = int.from_bytes(bare, "big", signed=True) if isinstance(bare, bytes) else None
            assert bare == expected if unscaled is None else decimal.Decimal(unscaled).scaleb(-2) == expected
        elif records:
            cut = 5 if format_name == "JSON_SR" else 0
            assert json.loads(value[cut:], parse_float=decimal.Decimal) == {"v": expected}
            assert json.loads(key[cut:], parse_float=decimal.Decimal) == expected
        elif format_name == "KAFKA" and t == "BIGINT":
            assert key == value == struct.pack(">q", 7)
        else:
            assert key == value == str(expected).encode()
        (row,) = spark.table(name).collect()
        assert row.asDict(recursive=True) == {"k": expected, "v": expected}


def test_equal_map_keys_are_equal_bytes(spark: SparkSession, servers: Servers, topic: Callable[[str], str]) -> None:
    """Entries of a key's MAP are written in one order, whatever their order in a query."""
    for format_name in ("AVRO", "JSON", "JSON_SR"):
        name = topic(f"maps_{format_name.lower()}")
        spark.sql(
            f"CREATE STREAM {name} (k MAP<STRING, MAP<STRING, INT>> KEY, v INT) "
            f"WITH (KAFKA_TOPIC = '{name}', PARTITIONS = 4, KEY_FORMAT = '{format_name}', VALUE_FORMAT = 'JSON')"
        )
        spark.sql(f"""
            INSERT INTO {name}
            SELECT map('b', map('y', 1, 'x', 2), 'a', map()), 1 UNION ALL
            SELECT map('a', map(), 'b', map('x', 2, 'y', 1)), 2""")
        assert len({key for key, _ in consume(servers.kafka, name, 2)}) == 1


def test_json_schema_gives_columns(spark: SparkSession, servers: Servers, topic: Callable[[str], str]) -> None:
    """Columns come from a schema that another library registered, with definitions and its own types."""
    name = topic("inferred")
    schema = {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "Order",
        "type": "object",
        "properties": {
            "id": {"type": "integer"},
            "price": {"type": "number"},
            "status": {"enum": ["NEW", "PAID"]},
            "items": {"type": "array", "items": {"$ref": "#/definitions/item"}},
            "tags": {"type": "object", "additionalProperties": {"type": "string"}},
            "either": {"oneOf": [{"type": "string"}, {"type": "integer"}]},
            "note": {"type": ["null", "string"]},
        },
        "required": ["id"],
        "definitions": {"item": {"type": "object", "properties": {"sku": {"type": "string"}}}},
    }
    client = SchemaRegistryClient({"url": servers.registry})
    encode = JSONSerializer(json.dumps(schema), client)
    context = SerializationContext(name, MessageField.VALUE)
    order = {"id": 1, "price": 1.5, "status": "PAID", "items": [{"sku": "a"}], "tags": {"k": "v"}, "either": "x"}
    serdes.create_topic(servers.kafka, name)
    serdes.produce(
        servers.kafka, name, [(None, encode(order, context)), (None, encode({"id": 2, "either": 3}, context))]
    )

    spark.sql(f"CREATE STREAM {name} WITH (KAFKA_TOPIC = '{name}', VALUE_FORMAT = 'JSON_SR', KEY_FORMAT = 'NONE')")
    rows = collected(spark, f"SELECT * FROM {name}")
    nothing = dict.fromkeys([*order, "note"])
    assert rows == {1: {**nothing, **order, "either": '"x"'}, 2: {**nothing, "id": 2, "either": "3"}}
    # Written by that schema: fields that it does not allow to be null are left out.
    spark.sql(f"INSERT INTO {name} (id, either) VALUES (3, '[4]')")
    written = consume(servers.kafka, name, 3)[-1][1]
    assert written is not None and json.loads(written[5:]) == {"id": 3, "either": [4], "note": None}


def test_refused_at_create(spark: SparkSession, topic: Callable[[str], str]) -> None:
    """CREATE refuses a column that the format does not support, by name, and says what would work."""
    name = topic("refused")
    for format_name, t in [("DELIMITED", "ARRAY<INT>"), ("KAFKA", "DECIMAL(5, 2)"), ("JSON_SR", "MAP<INT, STRING>")]:
        for side, declared in [("key", f"c {t} KEY, v INT"), ("value", f"c {t}")]:
            with pytest.raises(PySparkException) as refused:
                spark.sql(
                    f"CREATE STREAM {name} ({declared}) WITH (KAFKA_TOPIC = '{name}', PARTITIONS = 1, "
                    f"KEY_FORMAT = '{format_name if side == 'key' else 'NONE'}', "
                    f"VALUE_FORMAT = '{format_name if side == 'value' else 'JSON'}')"
                )
            assert refused.value.getCondition() == "KAFKALYST_UNSUPPORTED_COLUMN_TYPE"
            message = str(refused.value)
            assert all(part in message for part in (format_name, side, "column c", t.replace(", 2)", ",2)")))
