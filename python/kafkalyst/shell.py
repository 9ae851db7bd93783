"""The interactive shell: statements over several lines until a semicolon, completion, history."""

from __future__ import annotations

import contextlib
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from kafkalyst.errors import describe
from kafkalyst.extras import needed
from kafkalyst.script import is_complete, run_statement, split
from kafkalyst.table import plain

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

HISTORY = Path("~/.kafkalyst_history")
HISTORY_LINES = 2000


class Completer:
    """Completions: the grammar's words, and the names of the session's tables."""

    def __init__(self, spark: SparkSession) -> None:
        self._spark = spark
        self._tables: list[str] | None = None
        self._matches: list[str] = []

    def forget(self) -> None:
        """Call it after a statement, which may have created or dropped a table."""
        self._tables = None

    def matches(self, begin: str) -> list[str]:
        """The words with this prefix, ignoring case."""
        if self._tables is None:
            self._tables = [row["tableName"] for row in self._spark.sql("SHOW TABLES").collect()]
        upper = begin.upper()
        return [word for word in [*keywords(), *self._tables] if word.upper().startswith(upper)]

    def __call__(self, begin: str, index: int) -> str | None:
        """Readline's interface: the completion number `index`, None after the last."""
        if index == 0:
            with contextlib.suppress(Exception):  # completion must never break the line being typed
                self._matches = self.matches(begin)
        return self._matches[index] if index < len(self._matches) else None


def keywords() -> Sequence[str]:
    """The grammar's words, sorted."""
    with needed("cli", "Completing words"):
        from kafkalyst._grammar.KafkalystParser import KafkalystParser

    words = (name.strip("'") for name in KafkalystParser.literalNames)
    return sorted(word for word in words if re.fullmatch("[A-Z]+", word))


def run_shell(spark: SparkSession, form: str = "table", out: Callable[[str], object] = print) -> int:
    """Reads and runs statements until the end of input or `exit`; the result is the exit code.

    At a terminal a failing statement is reported, and the next one is read. Other input is a script: its last statement
    needs no semicolon, and the first that fails ends it with code 1. `form` and `out` are as in `script.run_statement`.
    """
    typed = sys.stdin.isatty()
    completer = Completer(spark)
    if typed:
        _readline(completer)
        print("Statements end with a semicolon. Ctrl-C stops a running one, Ctrl-D or exit ends.")
    pending = ""
    while True:
        try:
            line = input(("     ...> " if pending else "kafkalyst> ") if typed else "")
        except KeyboardInterrupt:
            pending = ""
            print()
            continue
        except EOFError:
            if typed:
                print()
                return 0
            return 0 if _run(spark, pending, typed, form, out) else 1
        if not pending and line.strip().rstrip(";").lower() in ("exit", "quit"):
            return 0
        pending = f"{pending}\n{line}" if pending else line
        if not is_complete(pending):
            continue
        if not _run(spark, pending, typed, form, out) and not typed:
            return 1
        pending = ""
        completer.forget()


def _run(spark: SparkSession, text: str, typed: bool, form: str, out: Callable[[str], object]) -> bool:
    """Runs statements and returns whether all succeeded. A script stops at the first that fails."""
    fine = True
    for statement in split(text):
        try:
            run_statement(spark, statement.text, out, form)
        except KeyboardInterrupt:
            print("stopped")
        except Exception as error:
            print(f"error: {plain(describe(error))}", file=None if typed else sys.stderr)
            fine = False
            if not typed:
                break
    return fine


def _readline(completer: Completer) -> None:
    """Sets up history and completion, if Python has readline."""
    try:
        import atexit
        import readline
    except ImportError:
        return
    path = HISTORY.expanduser()
    with contextlib.suppress(OSError):
        readline.read_history_file(path)
    readline.set_history_length(HISTORY_LINES)
    readline.set_completer(completer)
    readline.set_completer_delims(" \t\n,;()'\"`=<>+-*/.")
    readline.parse_and_bind("tab: complete")

    def save() -> None:
        with contextlib.suppress(OSError):
            path.touch(mode=0o600)
            readline.write_history_file(path)

    atexit.register(save)
