"""Flink SQL in a JVM of its own, as `make bench-setup` fetches it."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from support.jvm import ROOT

_JARS = ROOT / "build" / "benchmarks" / "flink"
_PROGRAM = ROOT / "benchmarks" / "peers" / "FlinkSql.java"
_OPENS = ("java.util", "java.lang", "java.net", "java.io", "java.nio", "java.text", "java.time", "sun.nio.ch")


def is_here() -> bool:
    """Whether Flink's jars have been fetched."""
    return any(_JARS.glob("flink-dist-*.jar"))


class Flink:
    """A process that runs statements in batch mode."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def run(self, statement: str) -> list[str]:
        """The last row's fields; an AssertionError with Flink's words if the statement fails."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"batch\t{' '.join(statement.split())}\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline().rstrip("\n")
        assert answer and not answer.startswith("!"), f"{statement}: {answer}"
        return answer.split("\t")[1:]


@contextmanager
def flink(log: Path) -> Iterator[Flink]:
    """A Flink that lives as long as the block.

    Args:
        log: the file that has what Flink says beside its answers.
    """
    opens = [f"--add-opens=java.base/{package}=ALL-UNNAMED" for package in _OPENS]
    with log.open("w") as said:
        command = ["java", "-Xmx1g", *opens, "-cp", f"{_JARS}/*", str(_PROGRAM)]
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=said, text=True)
        try:
            yield Flink(process)
        finally:
            process.kill()
            process.wait()
