"""Unbounded results, as on the command line."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from contextlib import closing

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from kafkalyst.live import live


@pytest.fixture
def numbers(spark: SparkSession, topic: Callable[[str], str]) -> str:
    """A stream of the numbers 0 to 9, of which queries read one at a time."""
    name = topic("numbers")
    spark.sql(f"CREATE STREAM {name} (n BIGINT) WITH (KAFKA_TOPIC = '{name}', VALUE_FORMAT = 'JSON', PARTITIONS = 1)")
    spark.sql(f"INSERT INTO {name} SELECT id FROM range(0, 10, 1, 1)")
    return name


def test_a_query_waits_for_a_slow_caller(spark: SparkSession, numbers: str) -> None:
    """At most one batch waits for the caller, and another one for its place in the queue."""
    rows = live(spark, spark.readStream.option("maxOffsetsPerTrigger", 1).table(numbers))
    with closing(rows):
        first = next(batch for batch in rows if batch)
        (running,) = spark.streams.active
        while len(running.recentProgress) < 2:
            running.awaitTermination(1)
        running.awaitTermination(3)
        assert len(running.recentProgress) <= 3
        rest = itertools.islice((row for batch in rows for row in batch), 9)
        assert [row.n for row in [*first, *rest]] == list(range(10))
    assert not spark.streams.active


def test_a_caller_that_leaves_ends_the_query(spark: SparkSession, numbers: str) -> None:
    """A caller that leaves ends the query, even while it waits for the caller."""
    with closing(live(spark, spark.readStream.option("maxOffsetsPerTrigger", 1).table(numbers))) as rows:
        assert next(batch for batch in rows if batch)[0].n == 0
    assert not spark.streams.active


def test_what_made_the_query_fail_is_raised(spark: SparkSession, numbers: str) -> None:
    """The raised error is the row's, not that of the call into Python."""
    df = spark.readStream.table(numbers).selectExpr("if(n < 9, n, raise_error('nine')) AS n")
    with closing(live(spark, df)) as rows, pytest.raises(PySparkException, match="nine"):
        list(rows)
    assert not spark.streams.active
