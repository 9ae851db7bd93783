"""How `kafkalyst.live` reads in a thread; needs no Spark."""

from __future__ import annotations

import itertools
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

from kafkalyst import live
from support.patience import PROGRAM_SECONDS
from support.records import eventually


def numbers(left: threading.Event, failing_at: int) -> Iterator[Any]:
    """Rows without end, or until they fail."""
    try:
        for n in range(10**9):
            if n == failing_at:
                raise ValueError(n)
            yield [n]
    finally:
        left.set()


def some(rows: Iterator[Any], count: int) -> list[Any]:
    """The next of the rows; without the empty ones, which only say that a slow machine has none yet."""
    return list(itertools.islice((given for given in rows if given), count))


def test_a_caller_that_leaves() -> None:
    """The rows are closed before the caller goes on, and no thread is left."""
    left = threading.Event()
    rows = live._ahead(numbers(left, -1))  # type: ignore[arg-type]
    assert some(rows, 2) == [[0], [1]]
    rows.close()
    assert left.is_set()
    assert "kafkalyst-live" not in {thread.name for thread in threading.enumerate()}


def test_rows_that_fail() -> None:
    """The error comes after the rows before it."""
    left = threading.Event()
    rows = live._ahead(numbers(left, 3))  # type: ignore[arg-type]
    assert some(rows, 3) == [[0], [1], [2]]
    with pytest.raises(ValueError, match="3"):
        some(rows, 1)
    assert left.is_set()


def test_rows_wait_for_a_slow_caller() -> None:
    """One waits in the queue, another one for its place there."""
    given = []

    def noted() -> Iterator[Any]:
        for rows in numbers(threading.Event(), 100):
            given.append(rows)
            yield rows

    rows = live._ahead(noted())  # type: ignore[arg-type]
    assert some(rows, 1) == [[0]]
    eventually(lambda: len(given) == 3)
    time.sleep(1)
    assert len(given) == 3
    rows.close()


LEFT_OPEN = """
import atexit, threading
from kafkalyst import live

left = threading.Event()
atexit.register(lambda: print("closed" if left.is_set() else "open"))

def numbers():
    try:
        while True:
            yield [1]
    finally:
        left.set()

rows = live._until_exit(live._ahead(numbers()))
next(rows)
"""


def test_a_caller_that_ends() -> None:
    """An iterator that a program leaves open is closed at the program's end."""
    command = [sys.executable, "-c", LEFT_OPEN]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PROGRAM_SECONDS, check=True)
    assert (done.stdout, done.stderr) == ("closed\n", "")
