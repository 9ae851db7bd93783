"""Runs the golden files; see support/golden.py. `make golden` rewrites what is expected, to be read as a diff."""

from __future__ import annotations

import difflib
import os
import zlib
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from pyspark import __version__ as spark_version
from pyspark.sql import SparkSession

from support.golden import Case, run

if TYPE_CHECKING:
    from conftest import Servers

FOLDER = Path(__file__).parent / "sql"
MINOR = spark_version.rsplit(".", 1)[0]


def _chosen(paths: list[Path]) -> list[Path]:
    """The cases to run: all, or with KAFKALYST_EACH=n one in n and those that depend on the Spark version.

    Chosen by their names, so that a new case does not change whether others run.

    Most of a case's time is Spark's own, so `make test` runs every case only on the default Spark.
    """
    each = int(os.environ.get("KAFKALYST_EACH", "1"))
    if each == 1:
        return paths
    turn = int(MINOR.replace(".", "")) % each
    share = {p for p in paths if zlib.crc32(f"{p.parent.name}/{p.stem}".encode()) % each == turn}
    return [p for p in paths if p in share or Case(p).of("spark") or p.with_suffix(f".{MINOR}.out").exists()]


CASES = _chosen(sorted(FOLDER.glob("*/*.sql")))


@pytest.mark.parametrize("path", CASES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_golden(path: Path, spark: SparkSession, servers: Servers) -> None:
    """The case's output is the expected one."""
    case = Case(path)
    if not case.runs_on(MINOR):
        pytest.skip(f"not for Spark {MINOR}")
    actual = run(case, spark, servers.kafka, servers.registry)
    if os.environ.get("GOLDEN"):
        common = path.with_suffix(".out")
        special = path.with_suffix(f".{MINOR}.out")
        own = common.exists() and os.environ["GOLDEN"] == "minor" and common.read_text(encoding="utf-8") != actual
        (special if own else common).write_text(actual, encoding="utf-8")
        return
    expected = case.expected(MINOR)
    assert expected.exists(), f"no {expected.name} yet: make golden"
    before, now = (text.splitlines() for text in (expected.read_text(encoding="utf-8"), actual))
    difference = "\n".join(difflib.unified_diff(before, now, expected.name, "now", lineterm=""))
    assert not difference, f"\n{difference}"
