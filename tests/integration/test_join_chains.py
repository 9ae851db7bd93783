"""Chains of joins over several micro-batches, compared with a plain simulation of ksqlDB."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest
from pyspark.sql import SparkSession

if TYPE_CHECKING:
    from pathlib import Path

WITHIN = 10  # seconds
# Seconds, source, key: sources a, b, c; several batches, all in the order of time.
BATCHES = [
    [(1, "a", 1), (2, "b", 1), (3, "c", 1), (4, "a", 2), (5, "c", 3)],
    [(6, "b", 2), (8, "a", 1), (9, "b", 3), (11, "c", 2), (13, "a", 3), (30, "a", 1), (31, "c", 1), (32, "b", 4)],
    [(33, "c", 4), (34, "b", 1), (36, "a", 4), (60, "c", 2), (61, "a", 2), (62, "b", 2), (75, "b", 1), (77, "c", 5)],
]
Row = tuple[int, int, tuple[str | None, ...]]  # time, key, values


class Join:
    """Joins two streams within a time: an outer row without a match is written at once, and again with its match."""

    def __init__(self, kind: str, widths: tuple[int, int]) -> None:
        self.alone = (kind in ("LEFT", "FULL"), kind in ("RIGHT", "FULL"))
        self.widths = widths
        self.kept: tuple[list[Row], list[Row]] = ([], [])

    def take(self, side: int, row: Row) -> list[Row]:
        """The results of a row."""
        time, key, values = row
        matches = [r for r in self.kept[1 - side] if r[1] == key and abs(r[0] - time) <= WITHIN]
        self.kept[side].append(row)
        if not matches and self.alone[side]:
            matches = [(time, key, (None,) * self.widths[1 - side])]
        return [
            (max(time, other[0]), key, values + other[2] if side == 0 else other[2] + values)
            for other in sorted(matches, key=lambda r: r[0])
        ]


def simulated(first: str, second: str) -> Counter[tuple[str | None, ...]]:
    """The values of all results of `a first JOIN b second JOIN c`."""
    ab, abc = Join(first, (1, 1)), Join(second, (2, 1))
    found: list[Row] = []
    for time, source, key in itertools.chain(*BATCHES):
        row: Row = (time, key, (f"{source}{time}",))
        if source == "c":
            found += abc.take(1, row)
        else:
            for result in ab.take("ab".index(source), row):
                found += abc.take(0, result)
    return Counter(values for _, _, values in found)


@pytest.mark.parametrize(
    ("first", "second"),
    [("LEFT", "LEFT"), ("FULL", "FULL"), ("INNER", "RIGHT")],
)
def test_chain(first: str, second: str, spark: SparkSession, topic: Callable[[str], str], tmp_path: Path) -> None:
    """Three streams, batch by batch."""
    a, b, c, sink = (topic(name) for name in ("a", "b", "c", "sink"))
    for name, column in ((a, "va"), (b, "vb"), (c, "vc")):
        spark.sql(
            f"CREATE STREAM {name} (k INT KEY, {column} STRING) "
            f"WITH (KAFKA_TOPIC = '{name}', VALUE_FORMAT = 'JSON', PARTITIONS = 1)"
        )
    # The key of a full join is its own column; otherwise it is that of the side that always has a row.
    key = "ROWKEY" if "FULL" in (first, second) else {"RIGHT": "c.k"}.get(second, "a.k")
    started = spark.sql(
        f"CREATE STREAM {sink} WITH (KAFKA_TOPIC = '{sink}', VALUE_FORMAT = 'JSON') AS "
        f"SELECT {key} AS id, va, vb, vc FROM {a} a {first} JOIN {b} b WITHIN {WITHIN} SECONDS ON a.k = b.k "
        f"{second} JOIN {c} c WITHIN {WITHIN} SECONDS ON {'b' if first == 'RIGHT' else 'a'}.k = c.k"
    ).collect()[0]

    def settled() -> None:
        next(q for q in spark.streams.active if q.name == started.query_id).processAllAvailable()

    settled()
    for batch in BATCHES:
        # Paused while the topics are filled: within a batch, records are processed in the order of their times.
        spark.sql(f"PAUSE {started.query_id}")
        for source, name in (("a", a), ("b", b), ("c", c)):
            rows = [f"({t * 1000}, {k}, '{s}{t}')" for t, s, k in batch if s == source]
            if rows:
                spark.sql(f"INSERT INTO {name} (ROWTIME, k, v{source}) VALUES {', '.join(rows)}")
        spark.sql(f"RESUME {started.query_id}")
        settled()
    spark.sql(f"TERMINATE {started.query_id}")
    rows = spark.sql(f"SELECT va, vb, vc FROM {sink}").collect()
    assert Counter(tuple(row) for row in rows) == simulated(first, second)
