"""Unbounded results, as on the command line."""

from __future__ import annotations

import itertools
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Any

import pyspark
import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from pyspark.sql.streaming import StreamingQuery

from kafkalyst.live import live
from kafkalyst.script import run_statement
from support.patience import PATIENCE_SECONDS
from support.records import eventually


@pytest.fixture
def numbers(spark: SparkSession, topic: Callable[[str], str]) -> str:
    """A stream of the numbers 0 to 9, of which queries read one at a time."""
    name = topic("numbers")
    spark.sql(f"CREATE STREAM {name} (n BIGINT) WITH (KAFKA_TOPIC = '{name}', VALUE_FORMAT = 'JSON', PARTITIONS = 1)")
    spark.sql(f"INSERT INTO {name} SELECT id FROM range(0, 10, 1, 1)")
    return name


@pytest.fixture
def active(spark: SparkSession) -> Callable[[], list[StreamingQuery]]:
    """The active queries that the test has started."""
    before = {query.id for query in spark.streams.active}
    return lambda: [query for query in spark.streams.active if query.id not in before]


def test_a_query_waits_for_a_slow_caller(
    spark: SparkSession, numbers: str, active: Callable[[], list[StreamingQuery]]
) -> None:
    """At most one batch waits for the caller, and another one for its place in the queue."""
    rows = live(spark, spark.readStream.option("maxOffsetsPerTrigger", 1).table(numbers))
    with closing(rows):
        first = next(batch for batch in rows if batch)
        (running,) = active()
        eventually(lambda: len(running.recentProgress) >= 2)
        running.awaitTermination(3)
        assert len(running.recentProgress) <= 3
        rest = itertools.islice((row for batch in rows for row in batch), 9)
        assert [row.n for row in [*first, *rest]] == list(range(10))
    assert not active()


def test_a_bounded_one_is_refused(spark: SparkSession, numbers: str) -> None:
    """At once, with the way to a streaming one."""
    with pytest.raises(ValueError, match="EMIT CHANGES"):
        live(spark, spark.table(numbers))


def test_a_caller_that_leaves_ends_the_query(
    spark: SparkSession, numbers: str, active: Callable[[], list[StreamingQuery]]
) -> None:
    """A caller that leaves ends the query, even while it waits for the caller."""
    with closing(live(spark, spark.readStream.option("maxOffsetsPerTrigger", 1).table(numbers))) as rows:
        assert next(batch for batch in rows if batch)[0].n == 0
    assert not active()


def test_what_made_the_query_fail_is_raised(
    spark: SparkSession, numbers: str, active: Callable[[], list[StreamingQuery]]
) -> None:
    """The raised error is the row's, not that of the call into Python."""
    df = spark.readStream.table(numbers).selectExpr("if(n < 9, n, raise_error('nine')) AS n")
    with closing(live(spark, df)) as rows, pytest.raises(PySparkException, match="nine"):
        list(rows)
    assert not active()


def kept(spark: SparkSession) -> set[int]:
    """The batches, and others' rows, that the executors keep."""
    return set(spark.sparkContext._jsc.getPersistentRDDs())  # type: ignore[attr-defined]


@pytest.fixture
def many(spark: SparkSession, topic: Callable[[str], str]) -> Iterator[str]:
    """A stream of the numbers 0 to 299,999; in the end no batch of it is kept."""
    before = kept(spark)
    name = topic("many")
    spark.sql(f"CREATE STREAM {name} (n BIGINT) WITH (KAFKA_TOPIC = '{name}', VALUE_FORMAT = 'JSON', PARTITIONS = 1)")
    spark.sql(f"INSERT INTO {name} SELECT id FROM range(0, 300000, 1, 1)")
    yield name
    assert kept(spark) <= before


def test_rows_of_a_large_topic_come_in_parts(spark: SparkSession, many: str) -> None:
    """All rows arrive in order, and no more than a part of them at a time."""
    spark.conf.set("spark.kafkalyst.query.trigger", "available-now")
    try:
        with closing(live(spark, spark.readStream.table(many))) as batches:
            parts = [[row.n for row in rows] for rows in batches if rows]
    finally:
        spark.conf.unset("spark.kafkalyst.query.trigger")
    assert list(itertools.chain(*parts)) == list(range(300000))
    assert max(map(len, parts)) == 10000


def test_a_limit_leaves_the_rest_of_a_large_topic(
    spark: SparkSession, many: str, active: Callable[[], list[StreamingQuery]]
) -> None:
    """The first rows come from a first batch of a part of the topic, and the query ends with them."""
    with closing(live(spark, spark.readStream.table(many))) as batches:
        assert [row.n for row in next(rows for rows in batches if rows)[:5]] == [0, 1, 2, 3, 4]
        (running,) = active()
    assert not active()
    assert sum(progress.numInputRows for progress in running.recentProgress) <= 100000
    lines: list[str] = []
    run_statement(spark, f"SELECT n FROM {many} EMIT CHANGES LIMIT 5", lines.append, "csv")
    assert lines == ["n", "0", "1", "2", "3", "4"]


def test_ctrl_c_ends_its_own_result_only(spark: SparkSession, numbers: str) -> None:
    """A job beside the shown result, as of a continuous query, goes on; PySpark's own handler is back afterwards."""
    before = signal.getsignal(signal.SIGINT)
    rows: list[Any] = []
    beside = spark.range(1, numPartitions=1).selectExpr("java_method('java.lang.Thread', 'sleep', 5000 + id)")
    job = threading.Thread(target=lambda: rows.extend(beside.collect()))

    def shown(line: str) -> None:
        if line == "9":
            job.start()
            eventually(lambda: bool(spark.sparkContext.statusTracker().getActiveJobsIds()))
            os.kill(os.getpid(), signal.SIGINT)

    run_statement(spark, f"SELECT n FROM {numbers} EMIT CHANGES", shown, "csv")
    job.join(PATIENCE_SECONDS)
    assert len(rows) == 1
    assert signal.getsignal(signal.SIGINT) is before


def test_parts_of_a_batch_with_state(spark: SparkSession, many: str) -> None:
    """A group's rows depend on its batch, which therefore has all records; its rows still come in parts."""
    groups = spark.readStream.table(many).groupBy("n").count()
    with closing(live(spark, groups)) as batches:
        parts = list(itertools.islice((rows for rows in batches if rows), 30))
        assert sorted(row.n for rows in parts for row in rows) == list(range(300000))
        assert {len(rows) for rows in parts} == {10000}


def test_a_slow_caller_holds_a_part(spark: SparkSession, many: str) -> None:
    """While the caller waits, the driver fetches no more of the batch."""
    with closing(live(spark, spark.readStream.option("maxOffsetsPerTrigger", 300000).table(many))) as batches:
        first = next(rows for rows in batches if rows)
        before = jobs(spark)
        time.sleep(3)
        assert jobs(spark) - before <= 6, "the batch was fetched without its reader"
        rest = itertools.islice((row for rows in batches for row in rows), 290000)
        assert [row.n for row in [*first, *rest]] == list(range(300000))
        assert jobs(spark) - before >= 20


def test_a_time_column_in_another_session(spark: SparkSession, topic: Callable[[str], str]) -> None:
    """A stream with TIME runs in a session of its own, and the caller's need not be the first."""
    if pyspark.__version__.startswith("4.0."):
        pytest.skip("Spark 4.0 has no TIME")
    name, session = topic("times"), spark.newSession()
    session.sql(f"CREATE STREAM {name} (t TIME) WITH (KAFKA_TOPIC = '{name}', VALUE_FORMAT = 'JSON', PARTITIONS = 1)")
    session.sql(f"INSERT INTO {name} VALUES (TIME '10:00:00')")
    with closing(live(session, session.sql(f"SELECT t FROM STREAM {name}"))) as batches:
        assert [str(row.t) for row in next(rows for rows in batches if rows)] == ["10:00:00"]
        time.sleep(3)
        assert next(batches) == []
        session.sql(f"INSERT INTO {name} VALUES (TIME '11:00:00')")
        assert [str(row.t) for row in next(rows for rows in batches if rows)] == ["11:00:00"]


def test_many_partitions_need_few_jobs(spark: SparkSession, many: str) -> None:
    """Small rests of partitions are fetched together."""
    shuffles = "spark.sql.shuffle.partitions"
    before = spark.conf.get(shuffles)
    spark.conf.set(shuffles, "50")
    try:
        groups = spark.readStream.table(many).where("n < 15000").groupBy("n").count()
        with closing(live(spark, groups)) as batches:
            began = jobs(spark)
            parts = list(itertools.islice((rows for rows in batches if rows), 2))
            assert sorted(row.n for rows in parts for row in rows) == list(range(15000))
            assert jobs(spark) - began <= 10
    finally:
        spark.conf.set(shuffles, before)


def jobs(spark: SparkSession) -> int:
    """How many jobs the application has started."""
    return spark.sparkContext._jsc.sc().dagScheduler().numTotalJobs()  # type: ignore[attr-defined]
