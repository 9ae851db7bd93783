"""Calls to Spark that Ctrl-C ends, without the jobs of continuous queries."""

from __future__ import annotations

import contextlib
import signal
import threading
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import Future, wait
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Run = Callable[[Callable[[], Any]], Any]
# For a statement to take back what it has made.
CANCEL_SECONDS = 30.0


@contextlib.contextmanager
def stoppable(spark: SparkSession) -> Iterator[Run]:
    """Gives a function that calls Spark in another thread; Ctrl-C cancels the jobs of these calls, and no others.

    PySpark's own handler cancels all jobs, and its call to the JVM fails while this thread awaits an answer from there.
    Over Connect, and in another thread than the main one, the calls are made directly.

    Raises:
        KeyboardInterrupt: at Ctrl-C, after the calls have ended or 30 seconds have passed.
    """
    context = getattr(spark, "sparkContext", None)
    before = signal.getsignal(signal.SIGINT)
    if not callable(before) or threading.current_thread() is not threading.main_thread():
        yield lambda call: call()
        return
    signal.signal(signal.SIGINT, signal.default_int_handler)
    calls: list[Future[Any]] = []
    tag = f"kafkalyst-{uuid.uuid4().hex}"
    try:
        yield (lambda call: call()) if context is None else (lambda call: _called(context, tag, call, calls))
    except KeyboardInterrupt:
        if context is not None:
            context.cancelJobsWithTag(tag)
            wait(calls, CANCEL_SECONDS)
        raise
    finally:
        signal.signal(signal.SIGINT, before)


def _called(context: Any, tag: str, call: Callable[[], Any], calls: list[Future[Any]]) -> Any:
    """The result of a call in another thread, whose jobs have the tag."""
    from pyspark import InheritableThread

    result: Future[Any] = Future()
    calls.append(result)

    def work() -> None:
        try:
            context.addJobTag(tag)
            result.set_result(call())
        except BaseException as error:
            result.set_exception(error)

    InheritableThread(target=work, name="kafkalyst-statement", daemon=True).start()
    return result.result()
