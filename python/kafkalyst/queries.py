"""Continuous queries: resumes them after a restart, waits for them, and draws their lag."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from kafkalyst.extras import needed
from kafkalyst.owners import running

if TYPE_CHECKING:
    import datetime

    from pyspark.sql import DataFrame, SparkSession

BARS = "▁▂▃▄▅▆▇█"
POLL_SECONDS = 1.0


def resume(spark: SparkSession) -> DataFrame:
    """Continues all continuous queries of the catalog that ran when their application ended.

    Runs `RESUME ALL`: failed queries start too; queries that were paused before this application started stay paused.

    Returns:
        A row per query: `query_id`, `sink`, `state`, and `error`, which is null if the query started.
    """
    return spark.sql("RESUME ALL")


def wait(spark: SparkSession, timeout: float | None = None) -> bool:
    """Waits until no continuous query of the session's application runs or waits for a restart.

    Args:
        spark: the session, classic or Connect.
        timeout: the most seconds to wait; None for no limit.

    Returns:
        True when no query runs, False when the time is up.

    Raises:
        PySparkException: when the queries cannot be listed, for example because the application has ended.
    """
    end = None if timeout is None else time.monotonic() + timeout
    while running(spark):
        if end is not None and time.monotonic() >= end:
            return False
        time.sleep(POLL_SECONDS if end is None else max(0.0, min(POLL_SECONDS, end - time.monotonic())))
    return True


def lag_history(spark: SparkSession) -> dict[str, list[tuple[datetime.datetime, int]]]:
    """The lag of each continuous query of this application, in records by time; at most 500 points."""
    rows = spark.sql("SHOW QUERIES EXTENDED").select("query_id", "lag_history").collect()
    return {row["query_id"]: [(p["at"], p["lag"]) for p in row["lag_history"]] for row in rows if row["lag_history"]}


def plot_lag(spark: SparkSession, text: bool = False, axes: Any = None) -> Any:
    """Draws how far each continuous query is behind, over time; needs matplotlib unless `text` is true.

    Args:
        spark: the session, classic or Connect, of the application in which the queries run.
        text: draw with characters instead, a line per query; the result is then the text, which is also printed.
        axes: matplotlib's axes to draw into; new ones when absent.

    Returns:
        The axes, or the text.

    Raises:
        MissingExtraError: when matplotlib is not installed and `text` is false.
    """
    history = lag_history(spark)
    if text:
        drawn = "\n".join(_line(query, [lag for _, lag in points]) for query, points in history.items())
        print(drawn or "No continuous query has reported its lag yet.")
        return drawn
    with needed("plot", "plot_lag (unless text=True)"):
        from matplotlib import pyplot
    if axes is None:
        axes = pyplot.subplots(figsize=(9, 4))[1]
    for query, points in history.items():
        axes.plot([at for at, _ in points], [lag for _, lag in points], drawstyle="steps-post", label=query)
    axes.set_ylabel("records behind")
    axes.set_ylim(bottom=0)
    if history:
        axes.legend()
    return axes


def _line(query: str, lags: Sequence[int], width: int = 60) -> str:
    """One query as a row of bars; the highest bar is the highest lag."""
    shown = lags[-width:]
    highest = max(shown)
    bars = "".join(BARS[0 if highest == 0 else (len(BARS) - 1) * lag // highest] for lag in shown)
    return f"{query}  {bars}  now {lags[-1]}, at most {max(lags)} records behind"
