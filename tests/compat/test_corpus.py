"""A text that Spark accepts is Spark's: its own SQL test files pass through Kafkalyst's parser unchanged."""

from __future__ import annotations

import json
import os
import random
import re
import subprocess
import sys
from pathlib import Path

import pyspark
import pytest
from pyspark.sql import SparkSession

ROOT = Path(__file__).resolve().parents[2]
CORPUS = ROOT / "build" / "corpus" / pyspark.__version__ / "sql-tests" / "inputs"
ANALYSED = Path(__file__).with_name("analysed.py")
ANALYSED_SECONDS = 3600
# Spark parses `TIMESTAMPADD(YEAR, …)` itself and has no function of that name.
ADDED = {"TIMESTAMPADD", "DATEADD"}
# How many files are analysed, or "all", and which.
FILES = os.environ.get("KAFKALYST_CORPUS_FILES", "12")
SEED = int(os.environ.get("KAFKALYST_CORPUS_SEED", "1"))
NEIGHBOURS = Path(__file__).with_name("neighbours.sql")


def door(spark: SparkSession, below: object) -> tuple[object, object]:
    """Kafkalyst's parser over a recording parser, and that parser."""
    jvm, session = spark._jvm, spark._jsparkSession
    recorder = jvm.io.kafkalyst.support.RecordingParser(below)
    early = jvm.io.kafkalyst.analyze.BeforeSpark.byHand(session)
    front = jvm.io.kafkalyst.parse.SqlFrontDoor(session, recorder, early)
    return jvm.io.kafkalyst.bridge.ParserShell(recorder, front), recorder


@pytest.mark.parametrize("identifiers", ["preserve", "upper"])
def test_sparks_own_statements(spark: SparkSession, identifiers: str) -> None:
    """Each statement reaches Spark's parser byte for byte, and the same plan object, or the same error, is returned."""
    files = sorted(CORPUS.rglob("*.sql"))
    assert len(files) > 300, "run make build/stamps/corpus"
    shell, recorder = door(spark, spark._jvm.org.apache.spark.sql.execution.SparkSqlParser())
    spark.conf.set("spark.kafkalyst.identifiers", identifiers)
    try:
        asked, changed = 0, []
        for file in files:
            for statement in recorder.statements(str(file)):
                asked += 1
                difference = recorder.difference(shell, statement)
                if difference:
                    changed.append(f"{file.relative_to(CORPUS)}: {statement}\n  {difference}")
    finally:
        spark.conf.unset("spark.kafkalyst.identifiers")
    assert asked > 10_000
    assert not changed, f"{len(changed)} of {asked}:\n" + "\n".join(changed[:20])


@pytest.mark.parametrize("identifiers", ["preserve", "upper"])
def test_statements_of_other_extensions(spark: SparkSession, identifiers: str) -> None:
    """A text that another extension's parser accepts stays its own, even with Kafkalyst's words."""
    shell, recorder = door(spark, None)
    statements = list(recorder.statements(str(NEIGHBOURS)))
    assert len(statements) >= 200
    spark.conf.set("spark.kafkalyst.identifiers", identifiers)
    try:
        changed = [f"{s}\n  {d}" for s in statements if (d := recorder.difference(shell, s))]
    finally:
        spark.conf.unset("spark.kafkalyst.identifiers")
    assert not changed, "\n".join(changed)


def _lacks_added(text: str) -> bool:
    """Whether Spark's error is an unknown function, and the extension adds that function."""
    lacking = re.match(r"UNRESOLVED_ROUTINE .*routine `(\w+)`", text)
    return lacking is not None and lacking[1].upper() in ADDED


def test_sparks_own_plans(tmp_path: Path) -> None:
    """With the extension's rules each statement is analysed to the same plan, or has the same error, as without."""
    files = sorted(str(path) for path in CORPUS.rglob("*.sql"))
    assert len(files) > 300, "run make build/stamps/corpus"
    chosen = files if FILES == "all" else sorted(random.Random(SEED).sample(files, int(FILES)))
    print(f"{len(chosen)} files of Spark {pyspark.__version__}, seed {SEED}")
    outputs = [tmp_path / kind for kind in ("plain", "extended")]
    programs = [
        subprocess.Popen([sys.executable, ANALYSED, out.name, str(out), *chosen], cwd=out.parent) for out in outputs
    ]
    assert [program.wait(ANALYSED_SECONDS) for program in programs] == [0, 0]
    plain, extended = ([json.loads(line) for line in out.read_text("utf-8").splitlines()] for out in outputs)
    assert len(plain) == len(extended) > len(chosen)
    changed = [(a, b[2]) for a, b in zip(plain, extended, strict=True) if a != b and not _lacks_added(a[2])]
    assert not changed, f"{len(changed)} of {len(plain)}, seed {SEED}:\n" + "\n".join(map(str, changed[:5]))
