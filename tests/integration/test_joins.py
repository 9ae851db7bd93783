"""Joins of topics against a plain simulation that processes the records of both sides one by one, by their time."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from support.patience import PATIENCE_SECONDS
from support.records import eventually

TRIGGER = "spark.kafkalyst.query.trigger"
ALONE = {"INNER": (False, False), "LEFT": (True, False), "RIGHT": (False, True), "FULL": (True, True)}
FORMATS = [("KAFKA", "KAFKA"), ("AVRO", "JSON"), ("JSON_SR", "PROTOBUF")]
WITHIN = 1000


@dataclass(frozen=True)
class Event:
    """A record: `value` is None for a tombstone; `target` is a foreign key."""

    side: int
    time: int
    key: int
    value: str | None
    target: int | None = None


# A result of a join: key, both sides' values, and ROWTIME; two None are a tombstone.
Result = tuple[int, "str | None", "str | None", int]
GONE = (None, None)


def events(seed: int, tombstones: tuple[float, float], count: int = 60, start: int = 0) -> list[Event]:
    """Random records of both sides with their times."""
    dice = random.Random(seed)
    times = sorted(dice.sample(range(start, start + count * 100), count))
    made = []
    for number, at in enumerate(times):
        side = dice.randrange(2)
        value = None if dice.random() < tombstones[side] else f"{'lr'[side]}{number}"
        made.append(Event(side, at, dice.randrange(5), value, dice.choice([None, 0, 1, 2, 3])))
    return made


def windows(given: list[Event], alone: tuple[bool, bool], before: int, after: int, grace: int | None) -> list[Result]:
    """Two streams: pairs that are close enough; without a grace period the first of a pair is also written alone."""
    out: list[Result] = []
    end = max(e.time for e in given)
    for number, event in enumerate(given):
        others = [o for o in given if o.side != event.side and o.key == event.key]
        lag = {o: (o.time - event.time) * (1 if event.side == 0 else -1) for o in others}
        matches = [o for o in others if -before <= lag[o] <= after]
        for other in matches:
            if given.index(other) < number:
                left, right = (event, other) if event.side == 0 else (other, event)
                out.append((event.key, left.value, right.value, event.time))
        if alone[event.side]:
            if grace is None:
                lonely = not any(given.index(o) < number for o in matches)
            else:
                lonely = not matches and event.time + (after, before)[event.side] + grace < end
            if lonely:
                values = (event.value, None) if event.side == 0 else (None, event.value)
                out.append((event.key, *values, event.time))
    return out


def lookups(given: list[Event], outer: bool) -> list[Result]:
    """Simulates a join of a stream with a table."""
    out: list[Result] = []
    table: dict[int, str | None] = {}
    for event in given:
        if event.side == 1:
            table[event.key] = event.value
        elif outer or table.get(event.key) is not None:
            out.append((event.key, event.value, table.get(event.key), event.time))
    return out


def changes(given: list[Event], alone: tuple[bool, bool]) -> list[Result]:
    """Two tables on their keys: the results of each change."""
    out: list[Result] = []
    sides: list[dict[int, Event]] = [{}, {}]
    for event in given:
        mine, other = sides[event.side], sides[1 - event.side]
        before = mine.pop(event.key, None)
        if event.value is not None:
            mine[event.key] = event
        met = other.get(event.key)
        at = max(event.time, met.time if met else 0)
        values: list[str | None] = [None, None]
        values[event.side] = event.value
        values[1 - event.side] = met.value if met else None
        if met and (event.value is not None or alone[1 - event.side]):
            out.append((event.key, values[0], values[1], at))
        elif met or (alone[event.side] and event.value is None and (before or not alone[1 - event.side])):
            out.append((event.key, *GONE, at))
        elif alone[event.side] and event.value is not None:
            out.append((event.key, values[0], values[1], at))
    return out


def pointed(given: list[Event], outer: bool) -> dict[int, tuple[str | None, str | None]]:
    """A table joined by a foreign key: the final rows."""
    sides: list[dict[int, Event]] = [{}, {}]
    for event in given:
        sides[event.side].pop(event.key, None)
        if event.value is not None:
            sides[event.side][event.key] = event
    rows = {}
    for key, left in sides[0].items():
        right = sides[1].get(left.target) if left.target is not None else None
        if right or outer:
            rows[key] = (left.value, right.value if right else None)
    return rows


@dataclass
class Sources:
    """Two declared sources, each over its own topic."""

    spark: SparkSession
    left: str
    right: str
    kinds: tuple[str, str]
    formats: tuple[str, str] = FORMATS[0]
    partitions: int = 2
    made: list[str] = field(default_factory=list)

    def declare(self) -> Sources:
        """Creates both."""
        for name, kind, key_format in zip((self.left, self.right), self.kinds, self.formats, strict=True):
            role = "PRIMARY KEY" if kind == "TABLE" else "KEY"
            self.spark.sql(
                f"CREATE {kind} {name} (id INT {role}, v STRING, target INT) WITH (KAFKA_TOPIC = '{name}', "
                f"KEY_FORMAT = '{key_format}', VALUE_FORMAT = 'JSON', PARTITIONS = {self.partitions})"
            )
        return self

    def insert(self, given: Iterable[Event]) -> None:
        """Writes the records of each side in order."""
        for side, name in enumerate((self.left, self.right)):
            table = self.kinds[side] == "TABLE"
            rows = ", ".join(
                f"({e.time}, {e.key}, {_sql(e.value)}, {_sql(e.target)}{f', {e.value is None}' if table else ''})"
                for e in given
                if e.side == side
            )
            more = ", _tombstone" if table else ""
            if rows:
                self.spark.sql(f"INSERT INTO {name} (ROWTIME, id, v, target{more}) VALUES {rows}")

    def written(self, sink: str) -> list[Result]:
        """All records of the sink's topic, in the order of their partitions."""
        log = f"log_of_{sink}"
        if log not in self.made:
            self.made.append(log)
            key = self.spark.sql(f"DESCRIBE {sink} EXTENDED").where("col_name = 'key format'").first()
            assert key is not None
            self.spark.sql(
                f"CREATE STREAM {log} (k INT KEY, a STRING, b STRING, off BIGINT METADATA FROM 'offset' VIRTUAL, "
                f"part INT METADATA FROM 'partition' VIRTUAL) "
                f"WITH (KAFKA_TOPIC = '{sink}', KEY_FORMAT = '{key['data_type']}', VALUE_FORMAT = 'JSON')"
            )
        rows = self.spark.sql(f"SELECT k, a, b, ROWTIME AS at FROM {log} ORDER BY part, off").collect()
        return [(row["k"], row["a"], row["b"], row["at"]) for row in rows]


def _sql(value: object) -> str:
    return "NULL" if value is None else f"'{value}'" if isinstance(value, str) else str(value)


def by_key(results: Iterable[Result]) -> dict[int, list[Result]]:
    """The results of each key in their order."""
    keys: dict[int, list[Result]] = {}
    for result in results:
        keys.setdefault(result[0], []).append(result)
    return keys


@pytest.fixture
def sources(spark: SparkSession, topic: Callable[[str], str]) -> Callable[..., Sources]:
    """Declares two sources of the given kinds."""

    def made(left: str, right: str, formats: tuple[str, str] = FORMATS[0], partitions: int = 2) -> Sources:
        return Sources(spark, topic("left"), topic("right"), (left, right), formats, partitions).declare()

    return made


@pytest.fixture
def available_now(spark: SparkSession) -> Iterable[None]:
    """Makes queries end when all available records are written."""
    spark.conf.set(TRIGGER, "available-now")
    yield
    spark.conf.unset(TRIGGER)


def key_of(kind: str) -> str:
    """The column that has the result's key."""
    return {"FULL": "ROWKEY AS k", "RIGHT": "r.id AS k"}.get(kind, "l.id AS k")


@pytest.mark.usefixtures("available_now")
@pytest.mark.parametrize("formats", FORMATS, ids="-".join)
@pytest.mark.parametrize("kind", ALONE)
def test_streams(
    kind: str, formats: tuple[str, str], sources: Callable[..., Sources], topic: Callable[[str], str]
) -> None:
    """Two streams, with and without a grace period."""
    given = events(len(kind), (0, 0))
    pair = sources("STREAM", "STREAM", formats)
    pair.insert(given)
    for grace in (None, 500):
        sink = topic(f"sink_{grace}")
        clause = "" if grace is None else f"GRACE PERIOD {grace} MILLISECONDS"
        pair.spark.sql(
            f"CREATE STREAM {sink} AS SELECT {key_of(kind)}, l.v AS a, r.v AS b FROM {pair.left} l {kind} JOIN "
            f"{pair.right} r WITHIN (1 SECOND, 2 SECONDS) {clause} ON l.id = r.id"
        )
        expected = windows(given, ALONE[kind], WITHIN, 2 * WITHIN, grace)
        assert sorted(pair.written(sink), key=str) == sorted(expected, key=str)


@pytest.mark.usefixtures("available_now")
@pytest.mark.parametrize("formats", FORMATS, ids="-".join)
@pytest.mark.parametrize("kind", ["INNER", "LEFT"])
def test_stream_with_table(
    kind: str, formats: tuple[str, str], sources: Callable[..., Sources], topic: Callable[[str], str]
) -> None:
    """Each row of the stream is joined with the table's row of that time."""
    given = events(7, (0, 0.3))
    pair, sink = sources("STREAM", "TABLE", formats), topic("sink")
    pair.insert(given)
    pair.spark.sql(
        f"CREATE STREAM {sink} AS SELECT l.id AS k, l.v AS a, r.v AS b FROM {pair.left} l {kind} JOIN {pair.right} r "
        "ON l.id = r.id"
    )
    assert by_key(pair.written(sink)) == by_key(lookups(given, kind == "LEFT"))


@pytest.mark.usefixtures("available_now")
@pytest.mark.parametrize("formats", FORMATS, ids="-".join)
@pytest.mark.parametrize("kind", ALONE)
def test_tables(
    kind: str, formats: tuple[str, str], sources: Callable[..., Sources], topic: Callable[[str], str]
) -> None:
    """Two tables: each change, in order, and the final rows."""
    given = events(11 + len(kind), (0.3, 0.3))
    pair, sink = sources("TABLE", "TABLE", formats), topic("sink")
    pair.insert(given)
    pair.spark.sql(
        f"CREATE TABLE {sink} AS SELECT {key_of(kind)}, l.v AS a, r.v AS b FROM {pair.left} l {kind} JOIN "
        f"{pair.right} r ON l.id = r.id EMIT CHANGES"
    )
    expected = by_key(changes(given, ALONE[kind]))
    assert by_key(pair.written(sink)) == expected
    rows = {row["k"]: (row["a"], row["b"]) for row in pair.spark.table(sink).collect()}
    assert rows == {key: last[-1][1:3] for key, last in expected.items() if last[-1][1:3] != GONE}


@pytest.mark.usefixtures("available_now")
@pytest.mark.parametrize("kind", ["INNER", "LEFT"])
@pytest.mark.parametrize("seed", [3, 4])
def test_foreign_key(kind: str, seed: int, sources: Callable[..., Sources], topic: Callable[[str], str]) -> None:
    """A join by a foreign key; the tables may have different numbers of partitions."""
    given = events(seed, (0.2, 0.3))
    pair, sink = sources("TABLE", "TABLE", FORMATS[seed % 2]), topic("sink")
    pair.insert(given)
    pair.spark.sql(
        f"CREATE TABLE {sink} AS SELECT l.id AS k, l.v AS a, r.v AS b FROM {pair.left} l {kind} JOIN {pair.right} r "
        "ON l.target = r.id EMIT CHANGES"
    )
    rows = {row["k"]: (row["a"], row["b"]) for row in pair.spark.table(sink).collect()}
    assert rows == pointed(given, kind == "LEFT")
    for last in by_key(pair.written(sink)).values():
        assert last[-1][1:3] == rows.get(last[0][0], GONE)


@pytest.mark.usefixtures("available_now")
def test_partitions_keep_their_order(sources: Callable[..., Sources], topic: Callable[[str], str]) -> None:
    """A record that is older than the one before it in its partition is processed after that one."""
    pair, sink = sources("STREAM", "TABLE", partitions=1), topic("sink")
    pair.insert([Event(1, 10, 1, "first"), Event(1, 5, 1, "second"), Event(0, 7, 1, "early"), Event(0, 20, 1, "late")])
    pair.spark.sql(
        f"CREATE STREAM {sink} AS SELECT l.id AS k, l.v AS a, r.v AS b FROM {pair.left} l LEFT JOIN {pair.right} r "
        "ON l.id = r.id"
    )
    assert pair.written(sink) == [(1, "early", None, 7), (1, "late", "second", 20)]


@pytest.mark.usefixtures("available_now")
@pytest.mark.parametrize(
    ("kinds", "clause"),
    [
        (("STREAM", "STREAM"), "LEFT JOIN {right} r WITHIN 1 SECOND GRACE PERIOD 1 SECOND"),
        (("STREAM", "TABLE"), "LEFT JOIN {right} r"),
    ],
    ids=["streams", "lookup"],
)
def test_second_run(
    kinds: tuple[str, str],
    clause: str,
    sources: Callable[..., Sources],
    topic: Callable[[str], str],
    tmp_path: Path,
) -> None:
    """A second run from the checkpoint gives the same results as one run over everything."""
    first = events(5, (0, 0))
    second = events(6, (0, 0), start=6000)
    pair, sink = sources(*kinds), topic("sink")
    pair.spark.sql(
        f"CREATE STREAM {sink} (k INT KEY, a STRING, b STRING) WITH (KAFKA_TOPIC = '{sink}', "
        "VALUE_FORMAT = 'JSON', PARTITIONS = 1)"
    )
    join = clause.format(right=pair.right)
    for given in (first, second):
        pair.insert(given)
        frame = pair.spark.sql(
            f"SELECT l.id AS k, l.v AS a, r.v AS b FROM {pair.left} l {join} ON l.id = r.id EMIT CHANGES"
        )
        query = frame.writeStream.option("checkpointLocation", str(tmp_path)).trigger(availableNow=True).toTable(sink)
        assert query.awaitTermination(PATIENCE_SECONDS)
    whole = first + second
    expected = windows(whole, ALONE["LEFT"], 1000, 1000, 1000) if kinds[1] == "STREAM" else lookups(whole, True)
    assert sorted((r[:3] for r in pair.written(sink)), key=str) == sorted((r[:3] for r in expected), key=str)


@pytest.mark.parametrize("kinds", [("STREAM", "STREAM"), ("TABLE", "TABLE")], ids=["streams", "tables"])
def test_continuous(kinds: tuple[str, str], sources: Callable[..., Sources], topic: Callable[[str], str]) -> None:
    """A continuous query follows its sources."""
    given = events(21, (0, 0) if kinds[0] == "STREAM" else (0.3, 0.3), 40)
    pair, sink = sources(*kinds), topic("sink")
    pair.spark.conf.set(TRIGGER, "continuous")
    within = "WITHIN (1 SECOND, 2 SECONDS)" if kinds[0] == "STREAM" else ""
    (started,) = pair.spark.sql(
        f"CREATE {kinds[0]} {sink} AS SELECT l.id AS k, l.v AS a, r.v AS b FROM {pair.left} l JOIN {pair.right} r "
        f"{within} ON l.id = r.id EMIT CHANGES"
    ).collect()
    try:
        pair.insert(given[:20])
        pair.insert(given[20:])
        if kinds[0] == "STREAM":
            expected = sorted(windows(given, ALONE["INNER"], WITHIN, 2 * WITHIN, None), key=str)
            eventually(lambda: sorted(pair.written(sink), key=str) == expected)
        else:
            last = {key: r[-1][1:3] for key, r in by_key(changes(given, ALONE["INNER"])).items() if r[-1][1:3] != GONE}
            eventually(lambda: {r["k"]: (r["a"], r["b"]) for r in pair.spark.table(sink).collect()} == last)
    finally:
        pair.spark.sql(f"TERMINATE {started['query_id']}")
