"""The rows of an unbounded result as they come, in bounded memory."""

from __future__ import annotations

import contextlib
import queue
import threading
import uuid
from collections.abc import Generator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, Row, SparkSession
    from pyspark.sql.streaming.query import StreamingQuery
    from pyspark.sql.streaming.readwriter import DataStreamWriter

POLL_SECONDS = 0.2
TRIGGER = "spark.kafkalyst.query.trigger"
MOST_ROWS = 10_000
MOST_ROWS_REMOTE = 1_000_000


def live(spark: SparkSession, df: DataFrame) -> Generator[list[Row]]:
    """The rows of an unbounded result as they come.

    Ends when the query ends: with the setting `spark.kafkalyst.query.trigger` = `available-now` after all available
    rows, otherwise when it fails, is stopped, or the caller closes the iterator.

    At most 10,000 unread rows are in memory: the query waits for its reader. Over Spark Connect the server keeps all
    rows, at most 1,000,000.

    Yields:
        What came since the last time, perhaps nothing; at least once in a while.

    Raises:
        RuntimeError: over Spark Connect, if the result has more rows than the server may keep.
    """
    writer = df.writeStream
    if spark.conf.get(TRIGGER, "continuous") == "available-now":
        writer = writer.trigger(availableNow=True)
    else:
        writer = writer.trigger(processingTime="0 seconds")
    is_remote = type(df).__module__.startswith("pyspark.sql.connect")
    return _remote(spark, writer) if is_remote else _local(writer)


def _local(writer: DataStreamWriter) -> Generator[list[Row]]:
    """Each batch hands its rows over, one partition after the other, through a queue of limited length."""
    rows: queue.Queue[Row] = queue.Queue(MOST_ROWS)
    closed = threading.Event()
    failures: list[Exception] = []

    def hand_over(batch: DataFrame, _id: int) -> None:
        try:
            for row in batch.toLocalIterator():
                while not _put(rows, row):
                    if closed.is_set():
                        return
        except Exception as error:
            failures.append(error)  # Spark's own report of it names this function, not the cause.
            raise

    query = _start(writer.foreachBatch(hand_over))
    try:
        active = True
        while active:
            active = query.isActive
            yield _taken(rows)
        for failure in failures:
            raise failure
        _raise_failure(query)
    finally:
        closed.set()
        query.stop()


def _put(rows: queue.Queue[Row], row: Row) -> bool:
    """Whether the row found room within a moment."""
    with contextlib.suppress(queue.Full):
        rows.put(row, timeout=POLL_SECONDS)
        return True
    return False


def _taken(rows: queue.Queue[Row]) -> list[Row]:
    """What the queue holds, after waiting a little for a first row."""
    try:
        first = rows.get(timeout=POLL_SECONDS)
    except queue.Empty:
        return []
    return [first, *(rows.get_nowait() for _ in range(rows.qsize()))]


def _remote(spark: SparkSession, writer: DataStreamWriter) -> Generator[list[Row]]:
    """The memory sink of the server keeps the rows."""
    name = f"_kafkalyst_{uuid.uuid4().hex[:12]}"
    query = _start(writer.format("memory").queryName(name))
    seen = 0
    try:
        active = True
        while active:
            query.awaitTermination(POLL_SECONDS)  # type: ignore[arg-type]  # a fraction is fine
            active = query.isActive
            rows = spark.table(name).offset(seen).limit(MOST_ROWS).collect()
            while rows:
                seen += len(rows)
                yield rows
                rows = spark.table(name).offset(seen).limit(MOST_ROWS).collect()
            if active and seen >= MOST_ROWS_REMOTE:
                raise RuntimeError(
                    f"The result has more than {MOST_ROWS_REMOTE:,} rows, which the Spark Connect server would keep in "
                    "memory. Add LIMIT, or write the result with writeStream."
                )
            yield []
        _raise_failure(query)
    finally:
        query.stop()
        spark.catalog.dropTempView(name)


def _start(writer: DataStreamWriter) -> StreamingQuery:
    from pyspark.errors import AnalysisException

    try:
        return writer.outputMode("update").start()
    except AnalysisException:  # e.g. LIMIT, which Spark has only in append mode
        return writer.outputMode("append").start()


def _raise_failure(query: StreamingQuery) -> None:
    error = query.exception()
    if error is not None:
        raise error
