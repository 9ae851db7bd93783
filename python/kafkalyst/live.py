"""The rows of an unbounded result as they come."""

from __future__ import annotations

import contextlib
import queue
import threading
import uuid
from collections.abc import Callable, Generator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, Row, SparkSession
    from pyspark.sql.streaming.query import StreamingQuery
    from pyspark.sql.streaming.readwriter import DataStreamWriter

POLL_SECONDS = 0.5
TRIGGER = "spark.kafkalyst.query.trigger"


def live(spark: SparkSession, df: DataFrame) -> Generator[list[Row]]:
    """The rows of an unbounded result as they come.

    Ends when the query ends: with the setting `spark.kafkalyst.query.trigger` = `available-now` after all that was
    there, else when it fails, is stopped, or the caller closes the iterator. A classic session holds two batches of
    rows at most, and the query waits for a slow caller. A Connect server keeps all rows until the end, as the only sink
    that its clients can read is Spark's memory sink.

    Args:
        spark: the session, classic or Connect.
        df: a streaming DataFrame of this session.

    Yields:
        What came since the last time, perhaps nothing; about twice a second.

    Raises:
        PySparkException: what made the query fail.
    """
    if type(df).__module__.startswith("pyspark.sql.connect"):
        return _from_memory(spark, df)
    return _from_batches(spark, df)


def _from_batches(spark: SparkSession, df: DataFrame) -> Generator[list[Row]]:
    arrived: queue.Queue[list[Row]] = queue.Queue(maxsize=1)
    closed = threading.Event()
    failures: list[Exception] = []

    def take(batch: DataFrame, _: int) -> None:
        try:
            rows = batch.collect()
        except Exception as error:
            # Spark would report the call, not what failed in it.
            failures.append(error)
            raise
        while rows and not closed.is_set():
            with contextlib.suppress(queue.Full):
                arrived.put(rows, timeout=POLL_SECONDS)
                return

    running = _start(spark, df, lambda writer: writer.foreachBatch(take))
    try:
        # Asked first: what a query that has ended put there is there.
        while running.isActive or not arrived.empty():
            try:
                yield arrived.get(timeout=POLL_SECONDS)
            except queue.Empty:
                yield []
        if failures:
            raise failures[0]
        _check(running)
    finally:
        closed.set()
        running.stop()


def _from_memory(spark: SparkSession, df: DataFrame) -> Generator[list[Row]]:
    name = f"_kafkalyst_{uuid.uuid4().hex[:12]}"
    running = _start(spark, df, lambda writer: writer.format("memory").queryName(name))
    seen = 0
    try:
        active = True
        while active:
            running.awaitTermination(POLL_SECONDS)  # type: ignore[arg-type]  # a fraction is fine
            active = running.isActive
            rows = spark.table(name).offset(seen).collect()
            seen += len(rows)
            yield rows
        _check(running)
    finally:
        running.stop()
        spark.catalog.dropTempView(name)


def _start(spark: SparkSession, df: DataFrame, into: Callable[[DataStreamWriter], DataStreamWriter]) -> StreamingQuery:
    from pyspark.errors import AnalysisException

    available_now = spark.conf.get(TRIGGER, "continuous") == "available-now"
    writer = into(df.writeStream)
    writer = writer.trigger(availableNow=True) if available_now else writer.trigger(processingTime="0 seconds")
    try:
        return writer.outputMode("update").start()
    except AnalysisException:  # e.g. LIMIT, which Spark has only in append mode
        return writer.outputMode("append").start()


def _check(running: StreamingQuery) -> None:
    error = running.exception()
    if error is not None:
        raise error
