"""Flink's own records and rows: what Flink writes is read here, and what is written here is read by Flink."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

import pytest
from compat.flink_cases import CASES, KEY, Case, upsert
from compat.flink_records import READINGS, Reading
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from kafkalyst import serdes
from support import flink
from support.flink import Flink, Value
from support.records import messages

if TYPE_CHECKING:
    from conftest import Servers

pytestmark = pytest.mark.skipif(
    not any(flink.JARS.glob("flink-dist-*.jar")), reason="`make flink-test` fetches the 300 MB of Flink"
)


@pytest.fixture(scope="module")
def itself(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Flink]:
    """Flink."""
    with flink.session(tmp_path_factory.mktemp("flink") / "flink.log") as session:
        yield session


def declared(case: Case, name: str, servers: Servers, topic: str = "") -> str:
    """The statement for both, over the topic of the table's name or another one."""
    options = {**case.options, "topic": topic or name, "properties.bootstrap.servers": servers.kafka}
    options["scan.bounded.mode"] = "latest-offset"
    if not case.is_upsert:
        options.setdefault("scan.startup.mode", "earliest-offset")
    for side in ("", "key.", "value."):
        for format_ in ("avro-confluent", "debezium-avro-confluent"):
            if case.options.get(f"{side}format") == format_:
                options[f"{side}{format_}.url"] = servers.registry
    said = ", ".join(f"'{option}' = '{value}'" for option, value in options.items())
    return f"CREATE TABLE {name} ({case.columns}) WITH ({said})"


def seen_by_flink(itself: Flink, case: Case, name: str) -> list[list[Value]]:
    """The table's current rows; of a log, its changes."""
    rows = itself.run(f"SELECT {case.selected} FROM {name}")
    return rows if case.is_log else current(rows)


def seen_here(spark: SparkSession, case: Case, name: str) -> list[list[Value]]:
    """The same as Kafkalyst reads it."""
    hidden = "_op, " if case.is_log else ""
    df = spark.sql(f"SELECT {hidden}{case.selected} FROM {name}")
    rows = flink.of_spark(df)
    return (
        [[row[0].removeprefix("s:"), *row[1:]] for row in rows] if case.is_log else current([["+I", *r] for r in rows])
    )


def current(changes: list[list[Value]]) -> list[list[Value]]:
    """The rows that the changes leave."""
    rows: list[list[Value]] = []
    for kind, *row in changes:
        if kind.startswith("+"):
            rows.append(row)
        else:
            rows.remove(row)
    return sorted(rows, key=json.dumps)


def records(servers: Servers, name: str) -> list[dict[str, Any]]:
    """Partition, key, value and headers of each record."""
    return [
        {"partition": m.partition(), "key": m.key(), "value": m.value(), "headers": sorted(m.headers() or [])}
        for m in messages(servers.kafka, name)
    ]


def latest(found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The last record of each key."""
    return sorted({record["key"]: record for record in found}.values(), key=lambda record: record["key"])


def fill(itself: Flink, case: Case, name: str, servers: Servers) -> None:
    """Flink writes the rows; into a log, as the changes of an upsert table, whose second row is then deleted."""
    columns = "" if case.written == "*" else f" ({case.written})"
    if not case.is_log:
        itself.run(f"INSERT INTO {name}{columns} VALUES {', '.join(case.rows)}")
        return
    source = Case(f"{case.name}_source", f"{case.columns}, {KEY}", upsert("json", "json"), case.rows)
    serdes.create_topic(servers.kafka, f"{name}_source")
    itself.run(declared(source, f"{name}_source", servers))
    fill(itself, source, f"{name}_source", servers)
    serdes.produce(servers.kafka, f"{name}_source", [(b'{"id":2}', None)])
    itself.run(f"INSERT INTO {name} SELECT * FROM {name}_source")


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_both_ways(
    case: Case, spark: SparkSession, servers: Servers, itself: Flink, topic: Callable[[str], str]
) -> None:
    """What Flink has written is read here as Flink reads it. Written here, it is the same records and rows for Flink."""
    theirs, ours = topic(f"theirs_{case.name}"), topic(f"ours_{case.name}")
    for name in (theirs, ours):
        serdes.create_topic(servers.kafka, name, case.partitions)
        itself.run(declared(case, name, servers))
        if name == theirs:
            fill(itself, case, name, servers)
        spark.sql(declared(case, name, servers))
    expected = seen_by_flink(itself, case, theirs)
    found = {"Flink's records, read here": (seen_here(spark, case, theirs), expected)}
    columns = "" if case.written == "*" else f" ({case.written})"
    spark.sql(f"INSERT INTO {ours}{columns} SELECT {case.written} FROM {theirs}")
    chosen = latest if case.is_upsert else list
    if not case.unlike:
        found["records"] = (chosen(records(servers, ours)), chosen(records(servers, theirs)))
    found["read by Flink"] = (seen_by_flink(itself, case, ours), expected)
    found["read here"] = (seen_here(spark, case, ours), expected)
    assert {what: differing(*pair) for what, pair in found.items() if pair[0] != pair[1]} == {}


@pytest.mark.parametrize("reading", READINGS, ids=[reading.name for reading in READINGS])
def test_records(
    reading: Reading, spark: SparkSession, servers: Servers, itself: Flink, topic: Callable[[str], str]
) -> None:
    """The rows of records from elsewhere are those that Flink reads; where it fails, so does the query here."""
    name = topic(reading.name)
    serdes.create_topic(servers.kafka, name)
    serdes.produce(servers.kafka, name, reading.pairs())
    differences = {}
    for case in reading.cases():
        table = topic(case.name)
        itself.run(declared(case, table, servers, name))
        spark.sql(declared(case, table, servers, name))
        expected = rows_or_failure(lambda: seen_by_flink(itself, case, table))
        found = rows_or_failure(lambda: seen_here(spark, case, table))
        if found != expected:
            differences[case.name] = differing(found, expected)
    assert differences == {}


def rows_or_failure(rows: Callable[[], list[list[Value]]]) -> list[list[Value]]:
    """The rows; one that says so if the query fails."""
    try:
        return rows()
    except (flink.FlinkError, PySparkException):
        return [["fails"]]


def differing(found: list[Any], expected: list[Any]) -> list[tuple[Any, Any]]:
    """The rows or records that are not equal, side by side."""
    return [pair for pair in zip_longest(found, expected) if pair[0] != pair[1]]
