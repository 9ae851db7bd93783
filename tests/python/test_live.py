"""How `kafkalyst.live` handles a batch that fails; needs no Spark."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from kafkalyst import live

Take = Callable[[Any, int], None]


def failing(_: object, __: object) -> Iterator[Any]:
    """The rows of a batch that fails, as a cancelled one does."""
    yield [1]
    raise ValueError("the batch failed")


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> tuple[Iterator[Any], list[Take], argparse.Namespace]:
    """Starts live(): its rows, the function that takes the batches, and the query."""
    takes: list[Take] = []
    query = argparse.Namespace(isActive=True, stop=lambda: None, exception=lambda: None)

    def start(_: object, __: object, into: Callable[[Any], object]) -> Any:
        into(argparse.Namespace(foreachBatch=takes.append))
        return query

    monkeypatch.setattr(live, "_start", start)
    monkeypatch.setattr(live, "_in_steps", lambda _, df: df)
    monkeypatch.setattr(live, "_parts", failing)
    monkeypatch.setattr(live, "POLL_SECONDS", 0.01)
    rows = live.live(None, argparse.Namespace())  # type: ignore[arg-type]
    assert next(rows) == []
    return rows, takes, query


def test_a_batch_that_the_caller_has_left(started: Any) -> None:
    """A batch that was cancelled because the caller left raises nothing."""
    rows, takes, _ = started
    rows.close()
    takes[0](None, 0)


def test_a_batch_that_fails(started: Any) -> None:
    """Spark gets a short error without causes, which it may fail to serialize; the caller gets the batch's error."""
    rows, takes, query = started
    with pytest.raises(RuntimeError, match=r"^ValueError$") as raised:
        takes[0](None, 0)
    assert raised.value.__cause__ is None and raised.value.__suppress_context__
    query.isActive = False
    with pytest.raises(ValueError, match="the batch failed"):
        list(rows)
