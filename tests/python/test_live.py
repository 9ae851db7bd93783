"""How `kafkalyst.live` reads in a thread; needs no Spark."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pytest

from kafkalyst import live


def numbers(left: threading.Event, failing_at: int) -> Iterator[Any]:
    """Rows without end, or until they fail."""
    try:
        for n in range(10**9):
            if n == failing_at:
                raise ValueError(n)
            yield [n]
    finally:
        left.set()


def test_a_caller_that_leaves() -> None:
    """The rows are closed before the caller goes on, and no thread is left."""
    left = threading.Event()
    rows = live._ahead(numbers(left, -1))  # type: ignore[arg-type]
    assert [next(rows), next(rows)] == [[0], [1]]
    rows.close()
    assert left.is_set()
    assert "kafkalyst-live" not in {thread.name for thread in threading.enumerate()}


def test_rows_that_fail() -> None:
    """The error comes after the rows before it."""
    left = threading.Event()
    rows = live._ahead(numbers(left, 3))  # type: ignore[arg-type]
    assert [next(rows), next(rows), next(rows)] == [[0], [1], [2]]
    with pytest.raises(ValueError, match="3"):
        next(rows)
    assert left.is_set()


def test_rows_wait_for_a_slow_caller() -> None:
    """One waits in the queue, another one for its place there."""
    given = []

    def noted() -> Iterator[Any]:
        for rows in numbers(threading.Event(), 100):
            given.append(rows)
            yield rows

    rows = live._ahead(noted())  # type: ignore[arg-type]
    assert next(rows) == [0]
    threading.Event().wait(1)
    assert len(given) == 3
    rows.close()
