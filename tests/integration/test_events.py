"""Events of change data capture against a plain dictionary with the same changes."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.sql import SparkSession

from kafkalyst import serdes

if TYPE_CHECKING:
    from conftest import Servers

CHANGES = 3_000
Row = dict[str, Any]
# A change: its kind, the row before and the row after it.
Change = tuple[str, Row | None, Row | None]

VALUE = {
    "type": "record",
    "name": "Value",
    "fields": [
        {"name": "id", "type": "long"},
        {"name": "name", "type": ["null", "string"], "default": None},
        {"name": "amount", "type": ["null", "double"], "default": None},
    ],
}
SOURCE = {
    "type": "record",
    "name": "Source",
    "fields": [
        {"name": "connector", "type": "string"},
        {"name": "ts_ms", "type": "long"},
        {"name": "db", "type": "string"},
        {"name": "schema", "type": ["null", "string"], "default": None},
        {"name": "table", "type": "string"},
        {"name": "lsn", "type": ["null", "long"], "default": None},
    ],
}
ENVELOPE = {
    "type": "record",
    "name": "Envelope",
    "namespace": "shop.products",
    "fields": [
        {"name": "before", "type": ["null", VALUE], "default": None},
        {"name": "after", "type": ["null", "Value"], "default": None},
        {"name": "source", "type": SOURCE},
        {"name": "op", "type": "string"},
        {"name": "ts_ms", "type": ["null", "long"], "default": None},
    ],
}


def changes(rng: random.Random, rows: dict[int, Row]) -> Iterator[Change]:
    """Random changes of a table, applied to `rows`; some updates change the key."""

    def fresh(number: int) -> Row:
        return {"id": number, "name": rng.choice([None, "ä", "🙂", 'q"']), "amount": rng.choice([None, rng.random()])}

    for number in range(CHANGES):
        kind = rng.choice("iiuud") if rows else "i"
        if kind == "i":
            rows[number] = fresh(number)
            yield "i", None, rows[number]
            continue
        before = rows.pop(rng.choice(list(rows)))
        if kind == "d":
            yield "d", before, None
        else:
            after = fresh(number if rng.random() < 0.2 else before["id"])
            rows[after["id"]] = after
            yield "u", before, after


def debezium(change: Change, at: int) -> Row:
    """The event of a change as Debezium writes it."""
    kind, before, after = change
    source = {"connector": "test", "ts_ms": at - 5, "db": "shop", "schema": None, "table": "products", "lsn": at}
    return {"before": before, "after": after, "source": source, "op": {"i": "c"}.get(kind, kind), "ts_ms": at}


def maxwell(change: Change, at: int) -> Row:
    """The event of a change as Maxwell writes it."""
    kind, before, after = change
    event = {"database": "shop", "table": "products", "ts": at // 1000, "data": after or before}
    event["type"] = {"i": "insert", "u": "update", "d": "delete"}[kind]
    return {**event, **({"old": differing(before, after)} if before and after else {})}


def canal(change: Change, at: int) -> Row:
    """The event of a change as Canal writes it: every value is a string."""
    kind, before, after = change

    def texts(row: Row) -> Row:
        return {name: None if value is None else str(value) for name, value in row.items()}

    old = [texts(differing(before, after))] if before and after else None
    event = {"data": [texts(after or before or {})], "old": old, "database": "shop", "table": "products", "es": at}
    return {**event, "ts": at, "type": {"i": "INSERT", "u": "UPDATE", "d": "DELETE"}[kind], "isDdl": False}


def ogg(change: Change, at: int) -> Row:
    """The event of a change as GoldenGate writes it."""
    kind, before, after = change
    return {"table": "products", "op_type": kind.upper(), "before": before, "after": after}


def differing(before: Row, after: Row) -> Row:
    """The old values of the changed columns."""
    return {name: value for name, value in before.items() if after[name] != value}


EVENTS: dict[str, Callable[[Change, int], Row]] = {
    "DEBEZIUM_JSON": debezium,
    "DEBEZIUM_AVRO": debezium,
    "MAXWELL_JSON": maxwell,
    "CANAL_JSON": canal,
    "OGG_JSON": ogg,
}


@pytest.mark.parametrize("format_name", EVENTS)
def test_changes_and_latest_rows(
    spark: SparkSession, servers: Servers, topic: Callable[[str], str], format_name: str
) -> None:
    """A stream shows every change in order, a table the remaining rows."""
    name = topic(format_name.lower())
    left: dict[int, Row] = {}
    made = list(changes(random.Random(23), left))
    events = [EVENTS[format_name](change, 1_700_000_000_000 + at) for at, change in enumerate(made)]
    serdes.create_topic(servers.kafka, name, 1)
    columns = "(id BIGINT, name STRING, amount DOUBLE)"
    if format_name == "DEBEZIUM_AVRO":
        encode = serdes.avro_encoder(servers.registry, f"{name}-value", ENVELOPE)
        serdes.produce(servers.kafka, name, [(None, encode(event)) for event in events])
        # The registry has the columns.
        columns = ""
    else:
        serdes.produce(servers.kafka, name, [(None, json.dumps(event).encode()) for event in events])

    spark.sql(f"CREATE STREAM {name} {columns} WITH (KAFKA_TOPIC = '{name}', VALUE_FORMAT = '{format_name}')")
    shown = spark.sql(f"SELECT _op, struct(id, name, amount) AS row FROM {name} ORDER BY ROWOFFSET, _change").collect()
    kinds = {"i": [("+I", 2)], "u": [("-U", 1), ("+U", 2)], "d": [("-D", 1)]}
    expected = [(op, change[side]) for change in made for op, side in kinds[change[0]]]
    assert [(row["_op"], row["row"].asDict()) for row in shown] == expected
    assert spark.table(name).count() == len(expected)

    spark.sql(f"""
        CREATE TABLE {name}_rows (id BIGINT PRIMARY KEY, name STRING, amount DOUBLE)
        WITH (KAFKA_TOPIC = '{name}', VALUE_FORMAT = '{format_name}')""")
    rows = {row["id"]: row.asDict() for row in spark.table(f"{name}_rows").collect()}
    assert rows == left


def test_metadata_of_debezium_avro(spark: SparkSession, servers: Servers, topic: Callable[[str], str]) -> None:
    """Events in Avro have the same metadata as those in JSON."""
    told = {}
    event = debezium(("i", None, {"id": 1, "name": "a", "amount": None}), 1_700_000_000_123)
    for format_name in ("DEBEZIUM_JSON", "DEBEZIUM_AVRO"):
        name = topic(format_name.lower())
        serdes.create_topic(servers.kafka, name, 1)
        encode = serdes.avro_encoder(servers.registry, f"{name}-value", ENVELOPE)
        value = encode(event) if format_name == "DEBEZIUM_AVRO" else json.dumps(event).encode()
        serdes.produce(servers.kafka, name, [(None, value)])
        spark.sql(f"""
            CREATE STREAM {name} (
              id BIGINT, met TIMESTAMP METADATA FROM 'value.ingestion-timestamp',
              made BIGINT METADATA FROM 'value.source.timestamp', db STRING METADATA FROM 'value.source.database',
              sch STRING METADATA FROM 'value.source.schema', tab STRING METADATA FROM 'value.source.table',
              props MAP<STRING, STRING> METADATA FROM 'value.source.properties'
            ) WITH (KAFKA_TOPIC = '{name}', VALUE_FORMAT = '{format_name}')""")
        told[format_name] = spark.table(name).collect()[0].asDict()
    assert told["DEBEZIUM_AVRO"] == told["DEBEZIUM_JSON"]
    assert told["DEBEZIUM_AVRO"]["made"] == 1_700_000_000_118
    assert told["DEBEZIUM_AVRO"]["props"]["lsn"] == "1700000000123"
    assert told["DEBEZIUM_AVRO"]["props"]["schema"] is None
