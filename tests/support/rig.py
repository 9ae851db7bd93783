"""What the rigs share: seeds that are printed, and how long a run is."""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import TypeVar

T = TypeVar("T")


def seeded() -> random.Random:
    """Random choices; the seed is printed with a failing test, and KAFKALYST_SEED repeats it."""
    seed = int(os.environ.get("KAFKALYST_SEED", random.randrange(1 << 32)))
    print(f"KAFKALYST_SEED={seed}")
    return random.Random(seed)


def rounds(short: int) -> int:
    """How many rounds a rig runs: `short` in the tests, KAFKALYST_ROUNDS in a soak."""
    return int(os.environ.get("KAFKALYST_ROUNDS", short))


def at_once(tasks: Sequence[Callable[[], T]]) -> list[T]:
    """Runs the tasks in threads that begin at the same moment; their results in order, or the first error."""
    barrier = Barrier(len(tasks))

    def run(task: Callable[[], T]) -> T:
        barrier.wait(60)
        return task()

    with ThreadPoolExecutor(len(tasks)) as pool:
        return [done.result() for done in [pool.submit(run, task) for task in tasks]]
