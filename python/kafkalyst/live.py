"""The rows of an unbounded result as they arrive."""

from __future__ import annotations

import atexit
import contextlib
import queue
import threading
import uuid
from collections.abc import Generator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, Row, SparkSession

POLL_SECONDS = 0.5
SOURCE = "kafkalyst-live"


def live(spark: SparkSession, df: DataFrame) -> Generator[list[Row]]:
    """The rows of an unbounded result as they arrive.

    Ends when the query ends: with the setting `spark.kafkalyst.query.trigger` = `available-now` after all available
    records, otherwise when it fails, is stopped, or the caller closes the iterator. The query waits for a slow caller,
    over Connect for ten minutes. A batch stays on the executors, in memory and on disk; the driver and Python hold
    a few times 10,000 of its rows.

    Args:
        spark: the session, classic or Connect.
        df: a streaming DataFrame of this session.

    Yields:
        The next rows, at most 10,000; none if there are no new ones within half a second.

    Raises:
        ValueError: when the DataFrame is bounded.
        PySparkException: when the query fails, with its cause; over Connect also when it was not read for ten minutes.
    """
    if not df.isStreaming:
        raise ValueError("live() needs a streaming DataFrame: spark.readStream.table(…), or SELECT … EMIT CHANGES")
    if type(df).__module__.startswith("pyspark.sql.connect"):
        return _until_exit(_read(spark, df, local=False))
    return _until_exit(_ahead(_read(spark, df, local=True)))


def _until_exit(rows: Generator[list[Row]]) -> Generator[list[Row]]:
    """The same rows. An iterator left open is closed when Python ends: later, its threads could not end any more."""

    def close() -> None:
        with contextlib.suppress(ValueError):  # another thread is in it
            rows.close()

    atexit.register(close)
    try:
        yield from rows
    finally:
        atexit.unregister(close)


def _ahead(rows: Generator[list[Row]]) -> Generator[list[Row]]:
    """The same rows, read in a thread: Ctrl-C in a call to the JVM would leave its connection with a stray answer."""
    from pyspark import InheritableThread

    arrived: queue.Queue[list[Row] | None] = queue.Queue(maxsize=1)
    closed = threading.Event()
    failures: list[Exception] = []

    def put(given: list[Row] | None) -> None:
        while not closed.is_set():
            with contextlib.suppress(queue.Full):
                arrived.put(given, timeout=POLL_SECONDS)
                return

    def read() -> None:
        try:
            with contextlib.closing(rows):
                for some in rows:
                    if some:
                        put(some)
                    if closed.is_set():
                        return
        except Exception as error:
            failures.append(error)
        finally:
            put(None)

    reader = InheritableThread(target=read, name="kafkalyst-live", daemon=True)
    reader.start()
    try:
        while True:
            try:
                some = arrived.get(timeout=POLL_SECONDS)
            except queue.Empty:
                yield []
                continue
            if some is None:
                break
            yield some
    finally:
        closed.set()
        reader.join()
    if failures:
        raise failures[0]


def _read(spark: SparkSession, df: DataFrame, local: bool) -> Generator[list[Row]]:
    view = f"_kafkalyst_{uuid.uuid4().hex}"
    df.createTempView(view)

    def asked(**options: object) -> list[Row]:
        reader = spark.read.format(SOURCE).option("view", view)
        return reader.options(**options).load().collect()  # type: ignore[arg-type]

    wait = int(POLL_SECONDS * 1000)
    try:
        rows = asked(wait=wait, local=local)  # starts the query
        received = 0
        ended = False
        while rows or not ended:
            received += bool(rows)
            yield rows
            # Before the read: after the query has ended, a read returns its last rows or its error.
            ended = not rows and not asked(query="ask")[0].active
            rows = asked(wait=wait, received=received)
    finally:
        asked(query="stop")
        spark.catalog.dropTempView(view)
