"""Shared by the long runs: seeds, kept histories, and the number of rounds."""

from __future__ import annotations

import os
import random
import re
import select
import subprocess
import uuid
import zlib
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier
from typing import TypeVar

from support.patience import PROGRAM_SECONDS

HISTORIES = Path(__file__).parents[2] / "build" / "soak"

T = TypeVar("T")


class Seeded(random.Random):
    """Random choices.

    The variable `runs`_SEED has their seed; otherwise it is the test's own, so that a failed test fails again, and a
    random one in a long run, in which the variable `runs`_ROUNDS is set.
    """

    def __init__(self, runs: str = "KAFKALYST") -> None:
        own = random.randrange(1 << 32) if f"{runs}_ROUNDS" in os.environ else zlib.crc32(_test().encode())
        self.chosen = int(os.environ.get(f"{runs}_SEED", own))
        super().__init__(self.chosen)


class Chance(Seeded):
    """Random choices, and a file in build/soak with the seed and then the history.

    The seed is printed with a failing test, and KAFKALYST_SEED repeats it.
    """

    def __init__(self) -> None:
        super().__init__()
        self._file = HISTORIES / f"{_test()}-{self.chosen}-{uuid.uuid4().hex[:8]}.log"
        HISTORIES.mkdir(parents=True, exist_ok=True)
        self.tell(f"KAFKALYST_SEED={self.chosen}")

    def tell(self, what: str) -> None:
        """Prints a line of the history and keeps it at once."""
        print(what)
        with self._file.open("a", encoding="utf-8") as file:
            file.write(what + "\n")


def rounds(short: int) -> int:
    """The number of rounds: `short` in the tests, KAFKALYST_ROUNDS in a long run."""
    return int(os.environ.get("KAFKALYST_ROUNDS", short))


def at_once(tasks: Sequence[Callable[[], T]]) -> list[T]:
    """Runs the tasks in threads that begin at the same moment: their results in order, or the first error."""
    barrier = Barrier(len(tasks))

    def run(task: Callable[[], T]) -> T:
        barrier.wait(60)
        return task()

    with ThreadPoolExecutor(len(tasks)) as pool:
        return [done.result() for done in [pool.submit(run, task) for task in tasks]]


def printed(process: subprocess.Popen[str]) -> str:
    """The next line of a program that prints one line at a time; it must come."""
    assert process.stdout is not None
    assert select.select([process.stdout], [], [], PROGRAM_SECONDS)[0], "the program hangs"
    line = process.stdout.readline()
    assert line, f"the program has ended: {process.poll()}"
    return line


def _test() -> str:
    """The name of the running test."""
    name = os.environ["PYTEST_CURRENT_TEST"].split("::")[-1].split(" ")[0]
    return re.sub(r"[^A-Za-z0-9_]+", "-", name).strip("-")
