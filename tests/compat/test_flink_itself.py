"""Flink's own records and rows: what Flink writes is read here, and what is written here is read by Flink."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import partial
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

import pyspark
import pytest
from compat.flink_case import ROW_MESSAGE, Case, kafka, upsert
from compat.flink_cases import CASES, KEY
from compat.flink_records import READINGS, Reading
from confluent_kafka import Consumer, Producer, TopicPartition
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from kafkalyst import serdes
from support import flink
from support.flink import Flink, Value
from support.patience import PATIENCE_SECONDS
from support.records import messages

if TYPE_CHECKING:
    from conftest import Servers

pytestmark = [
    pytest.mark.skipif(
        not any(flink.JARS.glob("flink-dist-*.jar")), reason="`make flink-test` fetches the 300 MB of Flink"
    ),
    pytest.mark.skipif(pyspark.__version__.startswith("4.0."), reason="Spark 4.0 has no TIME"),
]


@pytest.fixture(scope="module")
def itself(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Flink]:
    """Flink, with the class of a message of Protobuf."""
    folder = tmp_path_factory.mktemp("flink")
    with flink.session(folder / "flink.log", flink.messages(folder, ROW_MESSAGE)) as session:
        yield session


def declared(case: Case, name: str, servers: Servers, topic: str = "") -> str:
    """The statement for both, over the topic of the table's name or another one."""
    start = {} if case.is_upsert else {"scan.startup.mode": "earliest-offset"}
    known = {"topic": topic or name, "properties.bootstrap.servers": servers.kafka}
    options = {**known, **start, "scan.bounded.mode": "latest-offset", **case.options}
    if "topic-pattern" in options:
        del options["topic"]
    for side in ("", "key.", "value."):
        for format_ in ("avro-confluent", "debezium-avro-confluent"):
            if case.options.get(f"{side}format") == format_:
                options[f"{side}{format_}.url"] = servers.registry
    said = ", ".join(f"'{option}' = '{value}'" for option, value in options.items())
    return f"CREATE TABLE {name} ({case.columns}) WITH ({said})"


def seen_by_flink(itself: Flink, case: Case, name: str) -> list[list[Value]]:
    """The table's current rows; of a log, its changes."""
    rows = itself.run(f"SELECT {case.selected} FROM {name}")
    return in_turn(case, rows) if case.is_log else current(case, rows)


def seen_here(spark: SparkSession, case: Case, name: str) -> list[list[Value]]:
    """The same as Kafkalyst reads it."""
    hidden = "_op, " if case.is_log else ""
    df = spark.sql(f"SELECT {hidden}{case.selected} FROM {name}")
    rows = flink.of_spark(df)
    if case.is_log:
        return in_turn(case, [[op.removeprefix("s:"), *row] for op, *row in rows])
    return current(case, [["+I", *row] for row in rows])


def in_turn(case: Case, changes: list[list[Value]]) -> list[list[Value]]:
    """The changes; those of each key in their order if there are several partitions."""
    return sorted(changes, key=lambda change: json.dumps(change[1])) if case.partitions > 1 else changes


def current(case: Case, changes: list[list[Value]]) -> list[list[Value]]:
    """The rows that the changes leave; sorted, unless they are those of one partition in order."""
    rows: list[list[Value]] = []
    for kind, *row in changes:
        if kind.startswith("+"):
            rows.append(row)
        else:
            rows.remove(row)
    return sorted(rows, key=json.dumps) if case.is_upsert or case.partitions > 1 else rows


def records(servers: Servers, case: Case, name: str) -> list[dict[str, Any]]:
    """Partition, key, value and headers of each record; without schema ids, as Flink names its records otherwise."""

    def without_id(side: str, payload: bytes | None) -> bytes | None:
        format_ = case.options.get(f"{side}.format") or case.options.get("format", "")
        return payload[5:] if payload and format_.endswith("-confluent") else payload

    return [
        {
            # It follows from the key's bytes, and so from the id.
            "partition": 0 if case.options.get("key.format") == "avro-confluent" else m.partition(),
            "key": without_id("key", m.key()),
            "value": without_id("value", m.value()),
            "headers": sorted(m.headers() or []),
        }
        for m in messages(servers.kafka, name)
    ]


def latest(found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The last record of each key."""
    return sorted({record["key"]: record for record in found}.values(), key=lambda record: record["key"])


def fill(itself: Flink, case: Case, name: str, servers: Servers) -> None:
    """Flink writes the rows; into a log, as the changes of an upsert table, whose second row is then deleted."""
    columns = "" if case.written == "*" else f" ({case.written})"
    if not case.is_log:
        rows = case.rows if isinstance(case.rows, str) else f"VALUES {', '.join(case.rows)}"
        itself.run(f"INSERT INTO {name}{columns} {rows}")
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
    """What Flink has written is read here as Flink reads it. Written here, it is the same records and rows."""
    theirs, ours = topic(f"theirs_{case.name}"), topic(f"ours_{case.name}")
    for name in (theirs, ours):
        serdes.create_topic(servers.kafka, name, case.partitions)
        itself.run(declared(case, name, servers))
        if name == theirs:
            fill(itself, case, name, servers)
        spark.sql(declared(case.as_here(), name, servers))
    expected = seen_by_flink(itself, case, theirs)
    found = {"Flink's records, read here": (seen_here(spark, case, theirs), expected)}
    columns = "" if case.written == "*" else f" ({case.written})"
    spark.sql(f"INSERT INTO {ours}{columns} SELECT {case.written} FROM {theirs}")
    chosen = latest if case.is_upsert else list
    if not case.unlike:
        found["records"] = (chosen(records(servers, case, ours)), chosen(records(servers, case, theirs)))
    found["read by Flink"] = (seen_by_flink(itself, case, ours), expected)
    found["read here"] = (seen_here(spark, case, ours), expected)
    require_equal(found)


@pytest.mark.parametrize("reading", READINGS, ids=[reading.name for reading in READINGS])
def test_records(
    reading: Reading, spark: SparkSession, servers: Servers, itself: Flink, topic: Callable[[str], str]
) -> None:
    """The rows of records from elsewhere are those that Flink reads; where it fails, so does the query here."""
    name = topic(reading.name)
    serdes.create_topic(servers.kafka, name)
    serdes.produce(servers.kafka, name, reading.pairs())
    found = {}
    for case in reading.cases():
        table = topic(case.name)
        itself.run(declared(case, table, servers, name))
        spark.sql(declared(case, table, servers, name))
        expected = rows_or_failure(partial(seen_by_flink, itself, case, table))
        found[case.name] = (rows_or_failure(partial(seen_here, spark, case, table)), expected)
    if reading.unlike:
        assert [pair for pair in found.values() if pair[0] == pair[1]] == [], "docs/differences.md is out of date"
    else:
        require_equal(found)


LENGTHS = (
    "a CHAR(3), b CHAR(3), c BINARY(2), d BINARY(2), e VARCHAR(2), f CHARACTER VARYING(4), g VARBINARY(2), "
    "h BINARY VARYING(3), i CHAR"
)
# Flink casts no STRING or BYTES to CHAR or BINARY by itself, but literals, whose types have a length.
SELECTED = "'abcdef', 'a', X'010203', X'01', s, s, b, b, 'xyz'"
COPIES = {
    "json": (LENGTHS, kafka("json"), SELECTED),
    "csv": (LENGTHS, kafka("csv"), SELECTED),
    "upsert_csv": (
        "id INT, s STRING, PRIMARY KEY (id) NOT ENFORCED",
        upsert("csv", "csv", value__fields_include="EXCEPT_KEY"),
        "id, s",
    ),
}


@pytest.mark.parametrize("name", COPIES)
def test_copies(name: str, spark: SparkSession, servers: Servers, itself: Flink, topic: Callable[[str], str]) -> None:
    """The same INSERT writes the same records: texts and bytes with other lengths than the columns have, and NULLs."""
    columns, options, selected = COPIES[name]
    source = topic(f"copied_{name}")
    serdes.create_topic(servers.kafka, source)
    given = (
        '{"id":1,"s":"abcdef","b":"AQIDBA=="}',
        '{"id":2,"s":"","b":""}',
        '{"id":3}',
        '{"id":4,"s":"a","b":"AQ=="}',
    )
    serdes.produce(servers.kafka, source, [(None, value.encode()) for value in given])
    case = Case(name, columns, options, ())
    written = []
    for run, who in ((itself.run, "theirs"), (spark.sql, "ours")):
        known, target = topic(f"{who}_source_{name}"), topic(f"{who}_copy_{name}")
        serdes.create_topic(servers.kafka, target)
        run(declared(Case(name, "id INT, s STRING, b BYTES", kafka("json"), ()), known, servers, source))
        run(declared(case, target, servers))
        run(f"INSERT INTO {target} SELECT {selected} FROM {known}")
        written.append(sorted(records(servers, case, target), key=repr))
    require_equal({"records": (written[1], written[0])})


RANGES = {
    "earliest": {},
    "from_time": {"scan.startup.mode": "timestamp", "scan.startup.timestamp-millis": "3000"},
    "from_late_time": {"scan.startup.mode": "timestamp", "scan.startup.timestamp-millis": "9000"},
    "from_offsets": {
        "scan.startup.mode": "specific-offsets",
        "scan.startup.specific-offsets": "partition:0,offset:1;partition:1,offset:2",
    },
    "from_group": {"scan.startup.mode": "group-offsets", "properties.group.id": "${group}"},
    "from_new_group": {
        "scan.startup.mode": "group-offsets",
        "properties.group.id": "${group}_new",
        "properties.auto.offset.reset": "earliest",
    },
    "to_time": {"scan.bounded.mode": "timestamp", "scan.bounded.timestamp-millis": "3000"},
    "to_early_time": {"scan.bounded.mode": "timestamp", "scan.bounded.timestamp-millis": "0"},
    "to_offsets": {
        "scan.bounded.mode": "specific-offsets",
        "scan.bounded.specific-offsets": "partition:0,offset:1;partition:1,offset:2",
    },
    "to_group": {"scan.bounded.mode": "group-offsets", "properties.group.id": "${group}"},
    "between": {
        "scan.startup.mode": "timestamp",
        "scan.startup.timestamp-millis": "2000",
        "scan.bounded.mode": "timestamp",
        "scan.bounded.timestamp-millis": "5000",
    },
    "two_topics": {"topic": "${topic};${topic}_b"},
    "pattern": {"topic-pattern": "${topic}.*"},
    "partition_discovery": {"scan.topic-partition-discovery.interval": "1 s", "scan.parallelism": "1"},
}


@pytest.mark.parametrize("name", RANGES)
def test_ranges(name: str, spark: SparkSession, servers: Servers, itself: Flink, topic: Callable[[str], str]) -> None:
    """The same records of the same topics are read."""
    source = topic(f"range_{name}")
    serdes.create_topic(servers.kafka, source, 2)
    serdes.create_topic(servers.kafka, f"{source}_b", 1)
    producer = Producer({"bootstrap.servers": servers.kafka})
    for n in range(6):
        producer.produce(source, f'{{"n":{n}}}'.encode(), partition=n % 2, timestamp=1000 * (n + 1))
    producer.produce(f"{source}_b", b'{"n":10}', timestamp=2500)
    assert producer.flush(PATIENCE_SECONDS) == 0
    group = Consumer({"bootstrap.servers": servers.kafka, "group.id": f"{source}_group"})
    group.commit(offsets=[TopicPartition(source, 0, 2), TopicPartition(source, 1, 1)], asynchronous=False)
    group.close()
    said = {
        option: value.replace("${topic}", source).replace("${group}", f"{source}_group")
        for option, value in RANGES[name].items()
    }
    columns = "n INT, p INT METADATA FROM 'partition' VIRTUAL, t STRING METADATA FROM 'topic' VIRTUAL"
    case = Case(name, columns, {**kafka("json"), **said}, (), partitions=2)
    for run in (itself.run, spark.sql):
        run(declared(case, topic(name), servers, source))
    expected = seen_by_flink(itself, case, topic(name))
    require_equal({name: (seen_here(spark, case, topic(name)), expected)})
    assert expected or "late" in name or "early" in name


def rows_or_failure(rows: Callable[[], list[list[Value]]]) -> list[list[Value]]:
    """The rows; one that says so if the query fails."""
    try:
        return rows()
    except (flink.FlinkError, PySparkException):
        return [["fails"]]


def require_equal(found: dict[str, tuple[list[Any], list[Any]]]) -> None:
    """Fails with the rows or records that differ: what is found here, and below it what Flink has."""
    lines = []
    for what, pair in found.items():
        for here, flinks in zip_longest(*pair):
            if here != flinks:
                lines += [what, f"  here  {here}", f"  Flink {flinks}"]
    assert not lines, "\n".join(lines)
