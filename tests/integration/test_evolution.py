"""Schemas change while records arrive: five versions in one topic, read as by fastavro's own resolution."""

from __future__ import annotations

import contextlib
import io
import json
import struct
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import fastavro
import pytest
from fastavro.read import SchemaResolutionError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, Row, SparkSession

from kafkalyst import serdes
from support.records import eventually
from support.secure_registry import SecureRegistry

if TYPE_CHECKING:
    from conftest import Servers

PLACE_V1 = {"type": "record", "name": "Place", "fields": [{"name": "city", "type": "string"}]}
PLACE_V3 = {
    "type": "record",
    "name": "Place",
    "fields": [
        {"name": "city", "type": "string"},
        {"name": "land", "type": "string", "default": "DE"},
        {"name": "zip", "type": ["null", "int"], "default": None},
    ],
}


def order(*fields: dict[str, Any]) -> dict[str, Any]:
    """A version of the record."""
    return {"type": "record", "name": "Order", "namespace": "shop", "fields": list(fields)}


def amount(avro: str) -> dict[str, Any]:
    """A number that is wider in each version."""
    return {"name": "amount", "type": avro, "default": 7}


ID = {"name": "id", "type": "long"}
WHO = {"name": "who", "type": ["null", "string"], "default": None}
CUSTOMER = WHO | {"name": "customer", "aliases": ["who"]}
TAGS = {"name": "tags", "type": {"type": "array", "items": "string"}, "default": ["new"]}
PLACE = {"name": "place", "type": ["null", PLACE_V3], "default": None}
PRICE = {"name": "price", "type": "double", "default": 9.5}
PLACES = {"name": "places", "type": {"type": "array", "items": "Place"}, "default": []}
# New fields with defaults, also nested ones; promotion; a rename by alias; dropped fields; another order.
VERSIONS = [
    order(ID, WHO, {"name": "place", "type": ["null", PLACE_V1], "default": None}),
    order(ID, WHO, {"name": "place", "type": ["null", PLACE_V1], "default": None}, TAGS, amount("int")),
    order(TAGS, amount("int"), ID, WHO, PLACE, PRICE),
    order(ID, CUSTOMER, PLACE, PRICE, PLACES, amount("long")),
    order(
        ID,
        CUSTOMER,
        PLACE,
        PLACES,
        {"name": "counts", "type": {"type": "map", "values": "long"}, "default": {"one": 1}},
        {"name": "level", "type": ["string", "null"], "default": "low"},
        amount("double"),
    ),
]


def rows_of(version: int, i: int) -> dict[str, Any]:
    """A record of that version; every third lacks its place."""
    place: Any = None if i % 3 == 0 else {"city": f"c{i}"}
    if place and version >= 2 and i % 2:
        place |= {"land": "FR", "zip": i}
    row: dict[str, Any] = {"id": i, "place": place}
    row["who" if version < 3 else "customer"] = f"w{i}"
    if version in (1, 2):
        row["tags"] = [f"t{i}", "u"]
    if version in (2, 3):
        row["price"] = i + 0.25
    if version >= 1:
        row["amount"] = i if version < 4 else i + 0.5
    if version >= 3:
        row["places"] = [{"city": "x", "land": "y", "zip": None}] * (i % 3)
    if version == 4:
        row |= {"counts": {"n": i}, "level": None if i % 2 else "high"}
    return row


def framed(schema_id: int, schema: dict[str, Any], row: dict[str, Any]) -> bytes:
    """The record in wire format."""
    out = io.BytesIO()
    fastavro.schemaless_writer(out, fastavro.parse_schema(schema), row)
    return struct.pack(">bI", serdes.MAGIC, schema_id) + out.getvalue()


def resolved(written: list[tuple[int, bytes]], reader: int) -> list[dict[str, Any]]:
    """The records that fastavro can resolve to a version, resolved."""
    rows = []
    for version, record in written:
        writer = fastavro.parse_schema(VERSIONS[version])
        with contextlib.suppress(SchemaResolutionError):
            rows.append(
                fastavro.schemaless_reader(io.BytesIO(record[5:]), writer, fastavro.parse_schema(VERSIONS[reader]))
            )
    return rows


def plain(value: Any) -> Any:
    """Rows as dicts."""
    if isinstance(value, Row):
        return {name: plain(field) for name, field in value.asDict().items()}
    return [plain(item) for item in value] if isinstance(value, list) else value


def test_rolling_evolution(spark: SparkSession, servers: Servers, topic: Callable[[str], str], tmp_path: Path) -> None:
    """Pinned and unpinned readers of interleaved versions agree with fastavro, in batch and in a running stream."""
    name = topic("rolling")
    serdes.create_topic(servers.kafka, name, 1)
    ids = [serdes.register(servers.registry, f"{name}-value", VERSIONS[0])]
    unpinned = f"CREATE STREAM {name}_first WITH (KAFKA_TOPIC = '{name}', VALUE_FORMAT = 'AVRO')"
    spark.sql(unpinned)
    written: list[tuple[int, bytes]] = []

    def produce(version: int, i: int) -> None:
        written.append((version, framed(ids[version], VERSIONS[version], rows_of(version, i))))
        serdes.produce(servers.kafka, name, [(None, written[-1][1])])

    produce(0, 0)
    sink = str(tmp_path / "rows")
    writer = spark.readStream.table(f"{name}_first").writeStream.format("json")
    query = writer.option("checkpointLocation", str(tmp_path / "checkpoint")).start(sink)
    try:
        for version in range(1, 5):
            # Registered only now, with the stream running.
            ids.append(serdes.register(servers.registry, f"{name}-value", VERSIONS[version]))
            for i in range(6):
                produce(version - (i % (version + 1)), 10 * version + i)
        expected = resolved(written, 0)
        assert len(expected) == len(written)
        eventually(lambda: query.exception() is not None or len(streamed(spark, sink)) == len(written))
        assert query.exception() is None
    finally:
        query.stop()
    assert by_id(streamed(spark, sink)) == by_id(expected)
    spark.sql(f"CREATE STREAM {name}_last WITH (KAFKA_TOPIC = '{name}', VALUE_FORMAT = 'AVRO')")
    assert by_id(collected(spark.table(f"{name}_first"))) == by_id(expected)
    last = resolved(written, 4)
    assert len(last) == len(written)
    assert by_id(collected(spark.table(f"{name}_last"))) == by_id(last)
    for version, schema_id in enumerate(ids):
        spark.sql(
            f"CREATE STREAM {name}_{version} "
            f"WITH (KAFKA_TOPIC = '{name}', VALUE_FORMAT = 'AVRO', VALUE_SCHEMA_ID = {schema_id}, "
            "ON_ERROR = 'skip')"
        )
        # A number that does not fit is bad in both.
        pinned = resolved(written, version)
        assert (len(pinned) == len(written)) == (version in (0, 4))
        assert by_id(collected(spark.table(f"{name}_{version}"))) == by_id(pinned)
    # A stream of nested columns alone is resolved, too.
    cities = spark.sql(f"SELECT id, place.land AS land FROM {name}_4").collect()
    assert sorted((r["id"], r["land"]) for r in cities) == sorted(
        (row["id"], row["place"] and row["place"]["land"]) for row in last
    )


def collected(frame: DataFrame) -> list[dict[str, Any]]:
    """All rows."""
    return [plain(row) for row in frame.collect()]


def streamed(spark: SparkSession, folder: str) -> list[dict[str, Any]]:
    """The rows that a stream has written so far, with null for fields that JSON leaves out."""
    if not list(Path(folder).glob("*.json")):
        return []
    schema = "id BIGINT, who STRING, place STRUCT<city: STRING>"
    return collected(spark.read.schema(schema).json(folder))


def by_id(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Rows in the order of the column id."""
    return sorted(rows, key=lambda row: row["id"])


def test_incompatible_version(spark: SparkSession, servers: Servers, topic: Callable[[str], str]) -> None:
    """A record of an incompatible schema is bad, with the field's path, under each policy; its neighbours are read."""
    name = topic("unfit")
    serdes.create_topic(servers.kafka, name, 1)
    fits = serdes.register(servers.registry, f"{name}-value", VERSIONS[0])
    cities = ["null", {"type": "array", "items": "long"}]
    place = {"type": "record", "name": "Place", "fields": [{"name": "city", "type": cities}]}
    other = order(ID, {"name": "place", "type": ["null", place]})
    unfit = serdes.register(servers.registry, f"{name}-elsewhere", other)
    records = [
        framed(fits, VERSIONS[0], {"id": 1, "who": None, "place": {"city": "a"}}),
        framed(unfit, other, {"id": 2, "place": {"city": [5]}}),
        framed(fits, VERSIONS[0], {"id": 3, "who": None, "place": {"city": "c"}}),
    ]
    serdes.produce(servers.kafka, name, [(None, record) for record in records])
    for policy in ("fail", "skip", "null", "dead-letter"):
        spark.sql(
            f"CREATE STREAM {name}_{policy.replace('-', '_')} "
            f"WITH (KAFKA_TOPIC = '{name}', VALUE_FORMAT = 'AVRO', ON_ERROR = '{policy}', VALUE_SCHEMA_ID = {fits})"
        )
    with pytest.raises(PySparkException) as failed:
        spark.table(f"{name}_fail").collect()
    assert failed.value.getCondition() == "KAFKALYST_RECORD_NOT_DECODABLE"
    assert "column place.city" in str(failed.value) and f"schema id {unfit}" in str(failed.value)
    # Only requested fields are resolved, so the incompatible one is not.
    assert sorted(r["id"] for r in spark.sql(f"SELECT id FROM {name}_fail").collect()) == [1, 2, 3]
    assert sorted(r["id"] for r in spark.table(f"{name}_skip").collect()) == [1, 3]
    errors = [r["_error"] for r in spark.sql(f"SELECT *, _error FROM {name}_null").collect() if r["id"] is None]
    assert len(errors) == 1 and "column place.city" in errors[0]
    assert sorted(r["id"] for r in spark.table(f"{name}_dead_letter").collect()) == [1, 3]
    letters = spark.read.format("kafka").option("kafka.bootstrap.servers", servers.kafka)
    letter = letters.option("subscribe", f"{name}-dlq").option("includeHeaders", True).load().first()
    assert letter is not None and bytes(letter["value"]) == records[1]
    headers = {h["key"]: bytes(h["value"]).decode() for h in letter["headers"]}
    assert "column place.city" in headers["kafkalyst.dlq.error"]
    assert headers["kafkalyst.dlq.schema.id"] == str(unfit)


def test_registry_stops_while_a_query_runs(
    spark: SparkSession, servers: Servers, topic: Callable[[str], str], tmp_path: Path
) -> None:
    """Known ids need no registry; a new one is requested repeatedly, then the query fails by name."""
    name = topic("stopped")
    serdes.create_topic(servers.kafka, name, 1)
    ids = [serdes.register(servers.registry, f"{name}-value", VERSIONS[v]) for v in (0, 1)]

    def produce(version: int, i: int) -> None:
        serdes.produce(servers.kafka, name, [(None, framed(ids[version], VERSIONS[version], rows_of(version, i)))])

    session = spark.newSession()
    with SecureRegistry(servers.registry) as door:
        for setting, value in {
            "url": door.address,
            "max.retries": 2,
            "retries.wait.ms": 50,
            "timeout.ms": 3000,
        }.items():
            session.conf.set(f"spark.kafkalyst.schema.registry.{setting}", str(value))
        # Bad records are skipped, but records do not become bad because the registry is away.
        session.sql(
            f"CREATE STREAM {name} WITH (KAFKA_TOPIC = '{name}', VALUE_FORMAT = 'AVRO', ON_ERROR = 'skip', "
            f"VALUE_SCHEMA_ID = {ids[0]})"
        )
        produce(0, 1)
        sink = str(tmp_path / "rows")
        writer = session.readStream.table(name).writeStream.format("json")
        query = writer.option("checkpointLocation", str(tmp_path / "checkpoint")).start(sink)
        eventually(lambda: len(streamed(spark, sink)) == 1)
        before = door.passed
    try:
        produce(0, 2)
        produce(0, 3)
        eventually(lambda: len(streamed(spark, sink)) == 3)
        assert session.table(name).count() == 3 and door.passed == before
        assert query.isActive
        produce(1, 4)
        eventually(lambda: query.exception() is not None)
        assert "KAFKALYST_REGISTRY_UNREACHABLE" in str(query.exception())
        assert door.address in str(query.exception())
        assert sorted(row["id"] for row in streamed(spark, sink)) == [1, 2, 3]
        with pytest.raises(PySparkException) as failed:
            session.table(name).collect()
        assert failed.value.getCondition() == "KAFKALYST_REGISTRY_UNREACHABLE"
    finally:
        query.stop()


def test_record_types(spark: SparkSession, servers: Servers, topic: Callable[[str], str]) -> None:
    """Record types of one topic: unrequested types are not decoded; versions and unions of the others are."""
    name = topic("types")
    serdes.create_topic(servers.kafka, name, 1)
    placed = {"type": "record", "name": f"{name}.Placed", "fields": [{"name": "id", "type": "long"}]}
    newer = placed | {"fields": [*placed["fields"], {"name": "total", "type": "double", "default": 1.5}]}
    shipped = {"type": "record", "name": f"{name}.Shipped", "fields": [{"name": "to", "type": "string"}]}
    ids = {
        "placed": serdes.register(servers.registry, f"{name}.Placed", placed),
        "newer": serdes.register(servers.registry, f"{name}.Placed", newer),
        "shipped": serdes.register(servers.registry, f"{name}.Shipped", shipped),
        "union": serdes.register(servers.registry, f"{name}-union", ["null", placed, shipped]),
    }
    broken = framed(ids["shipped"], shipped, {"to": "nowhere"})[:-3]
    records: list[bytes | None] = [
        framed(ids["placed"], placed, {"id": 1}),
        framed(ids["newer"], newer, {"id": 2, "total": 2.5}),
        framed(ids["shipped"], shipped, {"to": "x"}),
        # The second branch of the union.
        struct.pack(">bI", serdes.MAGIC, ids["union"]) + bytes([4, 2]) + b"y",
        struct.pack(">bI", serdes.MAGIC, ids["union"]) + bytes([0]),
        None,
    ]
    serdes.produce(servers.kafka, name, [(None, record) for record in records])
    spark.sql(
        f"CREATE STREAM {name} WITH (KAFKA_TOPIC = '{name}', VALUE_FORMAT = 'AVRO', "
        f"VALUE_TYPES = '{name}.Placed, {name}.Shipped')"
    )
    one, two = {"id": 1, "total": 1.5}, {"id": 2, "total": 2.5}
    expected = [
        (f"{name}.Placed", one, None),
        (f"{name}.Placed", two, None),
        (f"{name}.Shipped", None, {"to": "x"}),
        (f"{name}.Shipped", None, {"to": "y"}),
        (None, None, None),
        (None, None, None),
    ]
    assert [tuple(plain(row).values()) for row in spark.table(name).collect()] == expected
    serdes.produce(servers.kafka, name, [(None, broken)])
    with pytest.raises(PySparkException) as failed:
        spark.table(name).collect()
    assert failed.value.getCondition() == "KAFKALYST_RECORD_NOT_DECODABLE"
    # No column of the broken record's struct is requested, so the struct is not decoded.
    assert spark.sql(f"SELECT Placed.id FROM {name} WHERE Placed.id IS NOT NULL").count() == 2
    assert spark.sql(f"SELECT _type FROM {name} WHERE _type = '{name}.Shipped'").count() == 3
    kept = spark.sql(f"SELECT Placed, Shipped FROM {name} WHERE _type = '{name}.Placed'").collect()
    assert [plain(row["Placed"]) for row in kept] == [one, two]
    assert spark.readStream.table(name).select("_type").isStreaming


def test_add(spark: SparkSession, servers: Servers, topic: Callable[[str], str]) -> None:
    """Two running queries read five interleaved versions: no value is lost, and no record is read twice."""
    name = topic("grows")
    serdes.create_topic(servers.kafka, name, 2)
    ids = [serdes.register(servers.registry, f"{name}-value", VERSIONS[0])]
    spark.sql(f"CREATE STREAM {name} WITH (KAFKA_TOPIC = '{name}', VALUE_FORMAT = 'AVRO', 'schema.evolution' = 'add')")
    spark.sql(f"CREATE STREAM {name}_copy AS SELECT * FROM {name}")
    spark.sql(f"CREATE STREAM {name}_next AS SELECT *, id * 2 AS twice FROM {name}_copy")
    spark.sql(
        f"CREATE TABLE {name}_count AS SELECT id % 2 AS odd, count(*) AS n FROM {name} GROUP BY id % 2 EMIT CHANGES"
    )
    written: list[tuple[int, dict[str, Any]]] = []

    def arrived(sink: str) -> bool:
        return int(spark.table(sink).count()) >= len(written)

    for version in range(5):
        if version:
            ids.append(serdes.register(servers.registry, f"{name}-value", VERSIONS[version]))
        records: list[tuple[bytes | None, bytes | None]] = []
        for i in range(10):
            of, row = version - (i % (version + 1)), rows_of(version - (i % (version + 1)), 10 * version + i)
            written.append((of, row))
            records.append((None, framed(ids[of], VERSIONS[of], row)))
        serdes.produce(servers.kafka, name, records)
        eventually(lambda: arrived(f"{name}_next"))
    for source in (name, f"{name}_copy", f"{name}_next"):
        rows = by_id(collected(spark.table(source)))
        assert [row["id"] for row in rows] == list(range(50)), source
        for (version, row), found in zip(written, rows, strict=True):
            assert holds(found, row), (source, version, row, found)
    assert [row["twice"] for row in by_id(collected(spark.table(f"{name}_next")))] == list(range(0, 100, 2))
    types = dict(spark.table(f"{name}_next").dtypes)
    assert types["amount"] == "double" and types["place"] == "struct<city:string,land:string,zip:int>"
    eventually(lambda: {r["odd"]: r["n"] for r in spark.table(f"{name}_count").collect()} == {0: 25, 1: 25})

    def queries() -> dict[str, str]:
        rows = spark.sql("SHOW QUERIES").collect()
        return {r["query_id"]: r["state"] for r in rows if name.lower() in r["sink"].lower()}

    # New columns restart a query.
    eventually(lambda: list(queries().values()) == ["RUNNING"] * 3)
    for query in queries():
        spark.sql(f"TERMINATE {query}")


def holds(found: Any, wanted: Any) -> bool:
    """Whether all values of a record are in a row that may have more fields."""
    if isinstance(wanted, dict):
        return found is not None and all(holds(found[field], value) for field, value in wanted.items())
    if isinstance(wanted, list):
        return len(found) == len(wanted) and all(map(holds, found, wanted))
    return bool(found == wanted)


def test_rescue(spark: SparkSession, servers: Servers, topic: Callable[[str], str], tmp_path: Path) -> None:
    """Fields of five interleaved versions without columns in an object of the first, in batch and in a stream."""
    name = topic("rescue")
    serdes.create_topic(servers.kafka, name, 1)
    ids = [serdes.register(servers.registry, f"{name}-value", VERSIONS[0])]
    evolution = "'schema.evolution' = 'rescue'"
    spark.sql(f"CREATE STREAM {name} WITH (KAFKA_TOPIC = '{name}', VALUE_FORMAT = 'AVRO', {evolution})")
    assert spark.table(name).columns == ["id", "who", "place", "_rescued"]
    written: list[tuple[int, bytes]] = []
    sink = str(tmp_path / "rows")
    writer = spark.readStream.table(name).writeStream.format("json")
    query = writer.option("checkpointLocation", str(tmp_path / "checkpoint")).start(sink)
    try:
        for version in range(5):
            if version:
                ids.append(serdes.register(servers.registry, f"{name}-value", VERSIONS[version]))
            for i in range(6):
                of = version - (i % (version + 1))
                written.append((of, framed(ids[of], VERSIONS[of], rows_of(of, 10 * version + i))))
                serdes.produce(servers.kafka, name, [(None, written[-1][1])])
        query.processAllAvailable()
    finally:
        query.stop()
    expected = {}
    for version, record in written:
        fields = fastavro.schemaless_reader(io.BytesIO(record[5:]), fastavro.parse_schema(VERSIONS[version]), None)
        place = fields.pop("place")
        rest = {field: value for field, value in fields.items() if field not in ("id", "who") and value is not None}
        inner = {field: value for field, value in (place or {}).items() if field != "city" and value is not None}
        expected[fields["id"]] = rest | ({"place": inner} if inner else {}) or None

    def rescued(frame: DataFrame) -> dict[int, Any]:
        rows = frame.select("id", "_rescued").collect()
        assert len(rows) == len(written)
        return {row[0]: row[1] and without_nulls(json.loads(row[1])) for row in rows}

    expected = {i: rest and without_nulls(rest) for i, rest in expected.items()}
    assert len([rest for rest in expected.values() if rest]) > 15 and None in expected.values()
    assert rescued(spark.table(name)) == expected
    assert rescued(spark.read.schema("id BIGINT, _rescued STRING").json(sink)) == expected
    # A query without the column has the same rows.
    assert [row["id"] for row in spark.sql(f"SELECT id FROM {name}").collect()] == list(expected)


def without_nulls(value: Any) -> Any:
    """A JSON value without its null fields, also within lists."""
    if isinstance(value, dict):
        return {name: without_nulls(field) for name, field in value.items() if field is not None}
    return [without_nulls(item) for item in value] if isinstance(value, list) else value
