"""The rows of an unbounded result as they arrive."""

from __future__ import annotations

import contextlib
import queue
import threading
import uuid
from collections.abc import Callable, Generator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, Row, SparkSession
    from pyspark.sql.streaming.query import StreamingQuery
    from pyspark.sql.streaming.readwriter import DataStreamWriter

POLL_SECONDS = 0.5
SOURCE = "kafkalyst-live"
TRIGGER = "spark.kafkalyst.query.trigger"


def live(spark: SparkSession, df: DataFrame) -> Generator[list[Row]]:
    """The rows of an unbounded result as they arrive.

    Ends when the query ends: with the setting `spark.kafkalyst.query.trigger` = `available-now` after all available
    records, otherwise when it fails, is stopped, or the caller closes the iterator. The query waits for a slow caller.
    A batch stays on the executors, in memory and on disk; the driver and Python hold a few times 10,000 of its rows.

    Args:
        spark: the session, classic or Connect.
        df: a streaming DataFrame of this session.

    Yields:
        The next rows, at most 10,000; none if there are no new ones within half a second.

    Raises:
        PySparkException: when the query fails, with its cause.
    """
    if type(df).__module__.startswith("pyspark.sql.connect"):
        return _from_server(spark, df)
    return _from_batches(spark, df)


def _from_batches(spark: SparkSession, df: DataFrame) -> Generator[list[Row]]:
    arrived: queue.Queue[list[Row]] = queue.Queue(maxsize=1)
    closed = threading.Event()
    failures: list[Exception] = []

    def take(batch: DataFrame, _: int) -> None:
        try:
            with contextlib.closing(_parts(spark, batch)) as parts:
                for rows in parts:
                    while not closed.is_set():
                        with contextlib.suppress(queue.Full):
                            arrived.put(rows, timeout=POLL_SECONDS)
                            break
                    if closed.is_set():
                        return
        except Exception as error:
            if closed.is_set():  # the caller has left, and the batch was cancelled
                return
            # Spark would report the callback, not the failure in it. No chain of causes, because Spark may be unable to
            # serialize it.
            failures.append(error)
            raise RuntimeError(type(error).__name__) from None

    running = _start(spark, _in_steps(spark, df), lambda writer: writer.foreachBatch(take))
    try:
        # isActive first: the rows of a query that has ended are then in the queue.
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


def _in_steps(spark: SparkSession, df: DataFrame) -> DataFrame:
    """The query in batches of a limited size, where its results do not depend on them."""
    from pyspark.sql import DataFrame

    return DataFrame(_push(spark).ShownStream.inSteps(df._jdf), spark)


def _parts(spark: SparkSession, batch: DataFrame) -> Generator[list[Row]]:
    """The rows of a batch, some at a time."""
    from pyspark.sql import DataFrame

    shown = _push(spark).ShownBatch(batch._jdf)
    try:
        frames = shown.frames()
        while frames.hasNext():
            yield DataFrame(frames.next(), spark).collect()
    finally:
        shown.close()


def _push(spark: SparkSession) -> Any:
    return spark._jvm.io.kafkalyst.query.push  # type: ignore[union-attr]


def _from_server(spark: SparkSession, df: DataFrame) -> Generator[list[Row]]:
    view = f"_kafkalyst_{uuid.uuid4().hex}"
    df.createTempView(view)
    reader = spark.read.format(SOURCE).option("view", view).option("wait", int(POLL_SECONDS * 1000))

    def running() -> list[StreamingQuery]:
        return [query for query in spark.streams.active if query.name == view]

    try:
        rows = reader.load().collect()  # starts the query
        received = 0
        active = True
        while active:
            received += bool(rows)
            yield rows
            # Before the read: after the query has ended, a read returns its last rows or its error.
            active = bool(running())
            rows = reader.option("received", received).load().collect()
        yield rows
    finally:
        for query in running():
            query.stop()
        spark.catalog.dropTempView(view)


def _start(spark: SparkSession, df: DataFrame, into: Callable[[DataStreamWriter], DataStreamWriter]) -> StreamingQuery:
    from pyspark.errors import AnalysisException

    available_now = spark.conf.get(TRIGGER, "continuous") == "available-now"
    writer = into(df.writeStream)
    writer = writer.trigger(availableNow=True) if available_now else writer.trigger(processingTime="0 seconds")
    try:
        return writer.outputMode("update").start()
    except AnalysisException:  # e.g. LIMIT, which Spark supports only in append mode
        return writer.outputMode("append").start()


def _check(running: StreamingQuery) -> None:
    error = running.exception()
    if error is not None:
        raise error
