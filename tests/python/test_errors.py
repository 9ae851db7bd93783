"""Errors and tables on a terminal."""

from __future__ import annotations

import datetime
import os
import subprocess
import sys
from decimal import Decimal
from pathlib import Path

import pytest
from pyspark.sql import Row

from kafkalyst import errors
from kafkalyst.errors import condition, describe
from kafkalyst.table import cell, render


def test_ours_is_found_in_a_wrapped_failure() -> None:
    """A Kafkalyst condition is found in the error that Spark wraps around a task's failure."""
    text = (
        "An error occurred while calling o1.collect.\n: org.apache.spark.SparkException: Job aborted: "
        "[KAFKALYST_UNDECODABLE_RECORD] Topic t, partition 0. SQLSTATE: 22000\n\tat a.b.C(D.scala:1)\n"
    )
    assert describe(RuntimeError(text)) == "[KAFKALYST_UNDECODABLE_RECORD] Topic t, partition 0. SQLSTATE: 22000"
    assert condition(RuntimeError(text)) == "KAFKALYST_UNDECODABLE_RECORD"


def test_no_stack_and_no_plan() -> None:
    """Messages have neither Java stacks nor query plans."""
    text = "[UNRESOLVED_COLUMN] A column. SQLSTATE: 42703; line 1 pos 7;\n'Project ['x]\n+- OneRowRelation\n"
    assert describe(RuntimeError(text)) == "[UNRESOLVED_COLUMN] A column. SQLSTATE: 42703; line 1 pos 7"
    assert describe(RuntimeError("no\n\nJVM stacktrace:\nx")) == "no"
    created = "This stopped SparkContext was created at:\n\norg.a.B.c(D.scala:1)"
    stopped = f"Cannot call methods on a stopped SparkContext.\n{created}"
    assert describe(RuntimeError(stopped)) == "Cannot call methods on a stopped SparkContext."


def test_cells() -> None:
    """Every type that collect() returns."""
    assert cell(None) == "NULL"
    assert cell(True) == "true"
    assert cell(Decimal("1E+3")) == "1000"
    assert cell(b"\x00\xff") == "X'00FF'"
    assert cell(datetime.datetime(2024, 1, 2, 3, 4, 5)) == "2024-01-02 03:04:05"
    assert cell(Row(a=1, b=[Row(c="x"), None])) == "{a: 1, b: [{c: x}, NULL]}"
    assert cell({"k": None}) == "{k: NULL}"


def test_render() -> None:
    """Numbers are right-aligned, texts left-aligned; long cells are cut."""
    assert render(["n", "text"], [(1, "a\nb"), (22, "x" * 9)], width=5) == [
        " n | text",
        "---+------",
        " 1 | a⏎b",
        "22 | xxxx…",
    ]


def test_names_are_known_to_type_checkers(tmp_path: Path) -> None:
    """Type checkers know the names of conditions, and refuse others."""
    pytest.importorskip("mypy")
    program = tmp_path / "program.py"
    lines = ["from kafkalyst import errors", "def f(e: errors.SubjectNotFound) -> str:", "    return e.condition", "{}"]
    found = []
    for last in ("errors.typed()", "errors.NoSuchThing"):
        program.write_text("\n".join(lines).format(last), encoding="utf-8")
        command = [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", f"--cache-dir={tmp_path}"]
        environment = {**os.environ, "MYPYPATH": str(Path(errors.__file__).parent.parent)}
        done = subprocess.run(
            [*command, str(program)], capture_output=True, text=True, env=environment, cwd=tmp_path, check=False
        )
        found.append(done.stdout)
    assert found[0].startswith("Success"), found[0]
    assert 'has no attribute "NoSuchThing"' in found[1]
