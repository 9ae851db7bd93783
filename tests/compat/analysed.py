"""Prints the analysed plans of Spark's own SQL test files, one JSON line for each statement.

    python analysed.py plain|extended OUT FILE…

`extended` has Kafkalyst's extension. Commands run; queries are only analysed.
"""

from __future__ import annotations

import json
import logging
import re
import sys
import tempfile
from pathlib import Path

import pyspark
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from kafkalyst.resources import jars_for

logging.getLogger("SQLQueryContextLogger").disabled = True

# Texts that differ from run to run: expression ids, seeds and times, hashes of objects, ids of plans, folders, lambdas.
VOLATILE = re.compile(
    r"#\d+L?|-?\d{10,}|@[0-9a-f]{5,}|plan_id=\d+|\[plan \d+\]|__auto_generated_subquery_name_?\d*"
    r"|\btmp[a-z0-9_]{8}\b|Lambda\S+|(?:Created Time|Last Access).*"
)
# The tables that Spark's suite creates for its files; here their columns suffice.
TABLES = {
    "testdata": "key INT, value STRING",
    "arraydata": "arraycol ARRAY<INT>, nestedarraycol ARRAY<ARRAY<INT>>",
    "mapdata": "mapcol MAP<INT, STRING>",
    "aggtest": "a INT, b FLOAT",
    "onek": ", ".join(
        f"{c} INT"
        for c in [
            "unique1",
            "unique2",
            "two",
            "four",
            "ten",
            "twenty",
            "hundred",
            "thousand",
            "twothousand",
            "fivethous",
            "tenthous",
            "odd",
            "even",
        ]
    )
    + ", stringu1 STRING, stringu2 STRING, string4 STRING",
}
TABLES["tenk1"] = TABLES["onek"]


def started(kind: str, folder: str) -> SparkSession:
    """The session; without the extension it has the jars all the same."""
    builder = (
        SparkSession.builder.master("local[1]")
        .config("spark.jars", ",".join(str(jar) for jar in jars_for(pyspark.__version__)))
        .config("spark.ui.enabled", "false")
        .config("spark.sql.warehouse.dir", folder)
        .config("spark.sql.session.timeZone", "America/Los_Angeles")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.sql.shuffle.partitions", "1")
    )
    if kind == "extended":
        builder = builder.config("spark.sql.extensions", "io.kafkalyst.KafkalystExtensions")
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    return session


def analysed(session: SparkSession, statement: str) -> str:
    """A statement's analysed plan, or its error."""
    try:
        plan = str(session.sql(statement)._jdf.queryExecution().analyzed().toString())
    except PySparkException as e:
        plan = f"{e.getCondition()} {e}"
    except Exception as e:
        plan = f"{type(e).__name__} {' '.join(str(e).splitlines()[1:2])}"
    numbers: dict[str, str] = {}
    return VOLATILE.sub(lambda m: numbers.setdefault(m.group(), f"#{len(numbers)}"), plan)


def main(kind: str, out: str, files: list[str]) -> None:
    """Analyses each file in its own session and database."""
    folder = tempfile.mkdtemp()
    root = started(kind, folder)
    parser = root._jvm.io.kafkalyst.support.RecordingParser
    with Path(out).open("w", encoding="utf-8") as lines:
        for number, file in enumerate(files):
            session = root.newSession()
            session.sql(f"CREATE DATABASE d{number}")
            session.sql(f"USE d{number}")
            for name, columns in TABLES.items():
                session.sql(f"CREATE TABLE {name} ({columns}) USING parquet")
            for statement in parser.statements(file):
                lines.write(json.dumps([file, statement, analysed(session, statement)]) + "\n")
    root.stop()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3:])
