"""Errors and tables as a terminal shows them."""

from __future__ import annotations

import datetime
from decimal import Decimal

from pyspark.sql import Row

from kafkalyst.errors import condition, describe
from kafkalyst.table import cell, render


def test_ours_is_found_in_a_wrapped_failure() -> None:
    """Spark wraps what fails in a task."""
    text = (
        "An error occurred while calling o1.collect.\n: org.apache.spark.SparkException: Job aborted: "
        "[KAFKALYST_UNDECODABLE_RECORD] Topic t, partition 0. SQLSTATE: 22000\n\tat a.b.C(D.scala:1)\n"
    )
    assert describe(RuntimeError(text)) == "[KAFKALYST_UNDECODABLE_RECORD] Topic t, partition 0. SQLSTATE: 22000"
    assert condition(RuntimeError(text)) == "KAFKALYST_UNDECODABLE_RECORD"


def test_no_stack_and_no_plan() -> None:
    """Both are for developers of Spark."""
    text = "[UNRESOLVED_COLUMN] A column. SQLSTATE: 42703; line 1 pos 7;\n'Project ['x]\n+- OneRowRelation\n"
    assert describe(RuntimeError(text)) == "[UNRESOLVED_COLUMN] A column. SQLSTATE: 42703; line 1 pos 7"
    assert describe(RuntimeError("no\n\nJVM stacktrace:\nx")) == "no"


def test_cells() -> None:
    """Every type that collect() gives."""
    assert cell(None) == "NULL"
    assert cell(True) == "true"
    assert cell(Decimal("1E+3")) == "1000"
    assert cell(b"\x00\xff") == "X'00FF'"
    assert cell(datetime.datetime(2024, 1, 2, 3, 4, 5)) == "2024-01-02 03:04:05"
    assert cell(Row(a=1, b=[Row(c="x"), None])) == "{a: 1, b: [{c: x}, NULL]}"
    assert cell({"k": None}) == "{k: NULL}"


def test_render() -> None:
    """Numbers stand right, text left; long cells are cut."""
    assert render(["n", "text"], [(1, "a\nb"), (22, "x" * 9)], width=5) == [
        " n | text",
        "---+------",
        " 1 | a⏎b",
        "22 | xxxx…",
    ]
