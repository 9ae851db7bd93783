"""Continuous aggregates against plain Python: random data out of order, in several batches of one query."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Iterator

import pytest
from pyspark.sql import SparkSession

ROUNDS = 3
ROWS = 120
HOUR = 3_600_000
SIZE = 60_000
ADVANCE = 20_000
GAP = 15_000

Row = tuple[str, int, int]  # key, value, time
Result = dict[tuple[object, ...], tuple[object, ...]]


def by_key(rows: list[Row]) -> Result:
    """Count and sum of keys whose sum is not a multiple of three."""
    groups: dict[tuple[object, ...], list[int]] = defaultdict(list)
    for key, value, _ in rows:
        groups[(key,)].append(value)
    return {k: (len(v), sum(v)) for k, v in groups.items() if sum(v) % 3 > 0}


def hopping(rows: list[Row]) -> Result:
    """Count and sum per key and window, for overlapping windows of one size."""
    groups: dict[tuple[object, ...], list[int]] = defaultdict(list)
    for key, value, time in rows:
        start = time - time % ADVANCE
        while start > time - SIZE:
            groups[(key, start, start + SIZE)].append(value)
            start -= ADVANCE
    return {k: (len(v), sum(v)) for k, v in groups.items()}


def tumbling(rows: list[Row]) -> Result:
    """Largest value and latest time per key and window."""
    groups: dict[tuple[object, ...], list[tuple[int, int]]] = defaultdict(list)
    for key, value, time in rows:
        start = time - time % SIZE
        groups[(key, start, start + SIZE)].append((value, time))
    return {k: (max(v for v, _ in g), max(t for _, t in g)) for k, g in groups.items()}


def sessions(rows: list[Row]) -> Result:
    """Count, mean and all values per key and session."""
    result: Result = {}
    for key in {k for k, _, _ in rows}:
        mine = sorted((time, value) for k, value, time in rows if k == key)
        session: list[tuple[int, int]] = []
        for time, value in [*mine, (1 << 60, 0)]:
            if session and time - session[-1][0] > GAP:
                values = [v for _, v in session]
                result[(key, session[0][0], session[-1][0])] = (len(values), sum(values) / len(values), sorted(values))
                session = []
            session.append((time, value))
    return result


QUERIES: dict[str, tuple[str, Callable[[list[Row]], Result], str]] = {
    "by_key": (
        "SELECT k, count(*) AS n, sum(v) AS total FROM {s} GROUP BY k HAVING sum(v) % 3 > 0",
        by_key,
        "k, n, total",
    ),
    "hopping": (
        f"SELECT k, count(*) AS n, sum(v) AS total FROM {{s}} WINDOW HOPPING (SIZE {SIZE} MILLISECONDS, "
        f"ADVANCE BY {ADVANCE} MILLISECONDS) GROUP BY k",
        hopping,
        "k, WINDOWSTART, WINDOWEND, n, total",
    ),
    "tumbling": (
        "SELECT k, max(v) AS top FROM {s} WINDOW TUMBLING (SIZE 1 MINUTE) GROUP BY k",
        tumbling,
        "k, WINDOWSTART, WINDOWEND, top, ROWTIME",
    ),
    "sessions": (
        f"SELECT k, count(*) AS n, avg(v) AS mean, sort_array(collect_list(v)) AS v FROM {{s}} "
        f"WINDOW SESSION ({GAP} MILLISECONDS) GROUP BY k",
        sessions,
        "k, WINDOWSTART, WINDOWEND, n, mean, v",
    ),
}


@pytest.fixture
def running(spark: SparkSession) -> Iterator[SparkSession]:
    """The session; queries that the test starts end with it."""
    yield spark
    spark.sql("TERMINATE ALL")


def drain(spark: SparkSession) -> None:
    """Waits until the running queries have read all available records."""
    for query in spark.streams.active:
        query.processAllAvailable()


@pytest.mark.parametrize("kind", QUERIES)
def test_against_oracle(running: SparkSession, topic: Callable[[str], str], kind: str) -> None:
    """After each batch the table is equal to plain Python's result over all rows so far."""
    spark = running
    query, oracle, columns = QUERIES[kind]
    source, sink = topic("facts"), topic(kind)
    spark.sql(
        f"CREATE STREAM {source} (k STRING KEY, v INT) "
        f"WITH (KAFKA_TOPIC = '{source}', VALUE_FORMAT = 'JSON', PARTITIONS = 2)"
    )
    spark.sql(f"CREATE TABLE {sink} WITH (KAFKA_TOPIC = '{sink}') AS {query.format(s=source)} EMIT CHANGES")
    rng = random.Random(7)
    rows: list[Row] = []
    for _ in range(ROUNDS):
        fresh = [(rng.choice("abcd"), rng.randrange(100), HOUR + rng.randrange(HOUR // 2)) for _ in range(ROWS)]
        spark.createDataFrame(fresh, "k STRING, v INT, ROWTIME BIGINT").writeTo(source).append()
        rows += fresh
        drain(spark)
        expected = oracle(rows)
        width = 3 if "WINDOWSTART" in columns else 1
        found = {tuple(r[:width]): tuple(r[width:]) for r in spark.sql(f"SELECT {columns} FROM {sink}").collect()}
        assert found == expected


def test_changes_of_a_table(running: SparkSession, topic: Callable[[str], str]) -> None:
    """Rows that no longer satisfy the condition are deleted from the sink, and so are rows that the table deletes."""
    spark = running
    source, sink = topic("cities"), topic("large")
    spark.sql(
        f"CREATE TABLE {source} (k INT PRIMARY KEY, v INT) "
        f"WITH (KAFKA_TOPIC = '{source}', VALUE_FORMAT = 'JSON', PARTITIONS = 2)"
    )
    spark.sql(
        f"CREATE TABLE {sink} WITH (KAFKA_TOPIC = '{sink}') AS "
        f"SELECT k, v * 2 AS twice FROM {source} WHERE v > 10 EMIT CHANGES"
    )
    rng = random.Random(1)
    state: dict[int, int] = {}
    for _ in range(ROUNDS):
        for _ in range(5):
            k, v, deleted = rng.randrange(8), rng.randrange(20), rng.random() < 0.3
            spark.sql(f"INSERT INTO {source} (k, v, _tombstone) VALUES ({k}, {v}, {str(deleted).lower()})")
            state.pop(k, None)
            if not deleted:
                state[k] = v
        drain(spark)
        assert {r["k"]: r["v"] for r in spark.table(source).collect()} == state
        expected = {k: v * 2 for k, v in state.items() if v > 10}
        assert {r["k"]: r["twice"] for r in spark.table(sink).collect()} == expected
