"""`kafkalyst top`: the state of the continuous queries, from the status files beside their checkpoints.

The application that runs the queries writes these files, so `top` neither connects to it nor starts Spark.
"""

from __future__ import annotations

import contextlib
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from kafkalyst.table import render

COLUMNS = [
    "query",
    "state",
    "read",
    "decoded",
    "bad",
    "dead",
    "written",
    "rows/s",
    "lag",
    "partitions",
    "seen",
    "error",
]
CLEAR = "\x1b[2J\x1b[H"
LIVING = ("RUNNING", "RESTARTING")
# An application writes after each batch and every five seconds within a long one, but not while there are no records.
SILENT_SECONDS = 60
PARTITIONS_SHOWN = 4
UNITS = (("d", 86400), ("h", 3600), ("min", 60))


def statuses(checkpoints: str | Path) -> list[dict[str, Any]]:
    """The status of each query with a checkpoint in the folder, by id.

    Raises:
        FileNotFoundError: when there is no such folder.
    """
    folder = Path(str(checkpoints).removeprefix("file:"))
    if not folder.is_dir():
        raise FileNotFoundError(
            f"No folder {checkpoints} of checkpoints on this machine: set --checkpoints to the value of "
            "spark.kafkalyst.query.checkpoint.root, or to _kafkalyst in the warehouse. Storage such as s3a:// and "
            "hdfs:// is not read; use SHOW QUERIES there"
        )
    found = []
    for path in sorted(folder.glob("*/status.json")):
        with contextlib.suppress(FileNotFoundError):  # the query was dropped meanwhile
            found.append(json.loads(path.read_text(encoding="utf-8")))
    return found


def lines(found: list[dict[str, Any]], now: float) -> list[str]:
    """The table; `now` in seconds since 1970."""
    return render(COLUMNS, [_row(status, now) for status in found], width=48)


def top(
    checkpoints: str | Path, once: bool = False, seconds: float = 1.0, out: Callable[[str], object] = print
) -> None:
    """Prints the table of queries every `seconds` until Ctrl-C, on a terminal in place of the last one; or once."""
    clear = CLEAR if not once and sys.stdout.isatty() else ""
    while True:
        shown = lines(statuses(checkpoints), time.time())
        out(clear + "\n".join(shown))
        if once:
            return
        time.sleep(seconds)


def _row(status: dict[str, Any], now: float) -> list[object]:
    behind = [(lag, f"{topic}-{p}") for topic, of in status["lag_by_partition"].items() for p, lag in of.items()]
    worst = sorted((b for b in behind if b[0]), key=lambda b: (-b[0], b[1]))
    partitions = ", ".join(f"{name}: {lag}" for lag, name in worst[:PARTITIONS_SHOWN])
    rate = status.get("rows_per_second")
    age = max(0, round(now - status["updated"] / 1000))
    # Either there are no records, or the application is gone.
    silent = status["state"] in LIVING and age > SILENT_SECONDS
    state = status["state"] + (f" ({status['restarts']})" if status["restarts"] else "")
    return [
        status["id"],
        f"{state}, not seen for {_span(age)}" if silent else state,
        *(status[name] for name in ("read", "decoded", "bad", "dead_lettered", "written")),
        None if rate is None else round(rate, 1),
        status.get("lag"),
        partitions + (", …" if len(worst) > PARTITIONS_SHOWN else ""),
        f"{_span(age)} ago",
        status.get("error", "").split("\n")[0],
    ]


def _span(seconds: int) -> str:
    """A number of seconds for people: `59 s`, `2 min`, `3 h`, `4 d`."""
    if seconds < 120:
        return f"{seconds} s"
    return next(f"{seconds // size} {unit}" for unit, size in UNITS if seconds >= 2 * size)
