"""`live()`: all rows in order, few of them in memory, and the query's own errors."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator

import pytest
from py4j.protocol import Py4JJavaError
from pyspark.sql import SparkSession

from kafkalyst import errors
from kafkalyst.live import MOST_ROWS, TRIGGER, live


@pytest.fixture
def numbers(spark: SparkSession, topic: Callable[[str], str]) -> Iterator[int]:
    """A stream `numbers` of more rows than are kept, read once; their count."""
    count = 3 * MOST_ROWS + 7
    name = topic("numbers")
    spark.sql(f"CREATE STREAM numbers (n INT) WITH (KAFKA_TOPIC = '{name}', VALUE_FORMAT = 'JSON', PARTITIONS = 1)")
    spark.sql(f"INSERT INTO numbers SELECT CAST(id AS INT) FROM range(0, {count}, 1, 1)")
    spark.conf.set(TRIGGER, "available-now")
    yield count
    spark.conf.unset(TRIGGER)
    spark.sql("DROP STREAM numbers DELETE TOPIC")


def test_a_batch_larger_than_the_bound(spark: SparkSession, numbers: int) -> None:
    """One batch has all rows; they come in parts, and the query waits while its reader does."""
    parts = live(spark, spark.sql("SELECT n FROM numbers EMIT CHANGES"))
    seen = [row.n for row in next(parts)]
    time.sleep(1)
    for part in parts:
        assert len(part) <= MOST_ROWS + 1  # one row may be put while the others are taken
        seen += [row.n for row in part]
    assert seen == list(range(numbers))


def test_closing_ends_a_query_that_waits(spark: SparkSession, numbers: int) -> None:
    """A reader that stops early leaves no query behind."""
    before = len(spark.streams.active)
    with contextlib.closing(live(spark, spark.sql("SELECT n FROM numbers EMIT CHANGES"))) as parts:
        assert any(part for part in parts)
        assert numbers > MOST_ROWS
    assert len(spark.streams.active) == before


def test_the_error_is_the_querys(spark: SparkSession, numbers: int) -> None:
    """What fails within a task is told as of any query."""
    with pytest.raises(Py4JJavaError) as failed:
        list(
            live(spark, spark.sql(f"SELECT raise_error('at ' || n) FROM numbers WHERE n > {numbers - 2} EMIT CHANGES"))
        )
    assert f"at {numbers - 1}" in errors.describe(failed.value)
