"""The command line as a user sees it: a process, its output and its exit code."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from pyspark import InheritableThread
from pyspark.sql import SparkSession

from kafkalyst import ScriptError, check, cli, run_script, script, serdes
from kafkalyst.resources import version
from kafkalyst.shell import Completer, keywords
from support.patience import PROGRAM_SECONDS
from support.records import eventually

if TYPE_CHECKING:
    from conftest import Servers


@pytest.fixture
def command(servers: Servers, tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Runs `kafkalyst` with arguments and optional input lines."""
    addresses = {"KAFKALYST_KAFKA": servers.kafka, "KAFKALYST_REGISTRY": servers.registry, "HOME": str(tmp_path)}

    def run(*arguments: str, typed: str = "") -> subprocess.CompletedProcess[str]:
        words = [sys.executable, "-m", "kafkalyst", *arguments]
        return subprocess.run(
            words,
            input=typed,
            capture_output=True,
            text=True,
            cwd=tmp_path,
            env=os.environ | addresses,
            timeout=PROGRAM_SECONDS,
            check=False,
        )

    return run


def test_run_prints_statements_and_results_and_the_place_of_an_error(
    command: Callable[..., subprocess.CompletedProcess[str]], tmp_path: Path
) -> None:
    """A script stops at the first error."""
    (tmp_path / "a.sql").write_text("-- c\nSHOW STREAMS;\n\nSELECT 'x;y' AS v;\nSELECT nope;\nSELECT 2 AS never;")
    done = command("run", "a.sql")
    assert done.returncode == 1
    assert "> SHOW STREAMS\nname | topic" in done.stdout
    assert "v\n---\nx;y\n(1 row, " in done.stdout
    assert "never" not in done.stdout
    assert done.stderr.startswith("error: a.sql:5: [UNRESOLVED_COLUMN")
    assert "\tat " not in done.stderr


def test_sql_reads_until_a_semicolon(command: Callable[..., subprocess.CompletedProcess[str]]) -> None:
    """Input that is not from a terminal ends at its first error."""
    done = command("sql", typed="SELECT 1\n+ 1 AS two;\nSELEC;\nSELECT 3 AS never;\n")
    assert done.returncode == 1
    assert done.stdout.startswith("two\n---\n  2\n(1 row")
    assert "never" not in done.stdout
    assert done.stderr.startswith("error: [PARSE_SYNTAX_ERROR]")


def test_sql_of_an_argument(command: Callable[..., subprocess.CompletedProcess[str]], servers: Servers) -> None:
    """Its queries end with it, without output of Java; a stream shows no more rows than its LIMIT."""
    name = f"argument_{uuid.uuid4().hex[:8]}"
    serdes.create_topic(servers.kafka, name)
    serdes.produce(servers.kafka, name, [(None, b'{"n": %d}' % n) for n in range(9)])
    done = command(
        "sql",
        "-e",
        f"CREATE STREAM s (n INT) WITH (KAFKA_TOPIC = '{name}', VALUE_FORMAT = 'JSON'); "
        f"CREATE STREAM d WITH (KAFKA_TOPIC = '{name}_d') AS SELECT * FROM s; SELECT n FROM s EMIT CHANGES LIMIT 2",
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "\nn\n-\n0\n1\n(2 rows, " in done.stdout
    assert ">" not in done.stdout


def test_log_level(command: Callable[..., subprocess.CompletedProcess[str]]) -> None:
    """It shows Spark's own lines, on stderr."""
    done = command("sql", "--log-level", "info", "--format", "csv", "-e", "SELECT 1 AS one")
    assert (done.returncode, done.stdout) == (0, "one\n1\n")
    assert " INFO " in done.stderr and "SparkContext" in done.stderr, done.stderr[-2000:]


def test_rows_for_programs(command: Callable[..., subprocess.CompletedProcess[str]], servers: Servers) -> None:
    """CSV and JSON have all rows in standard form, and nothing else."""
    name = f"rows_{uuid.uuid4().hex[:8]}"
    serdes.create_topic(servers.kafka, name)
    records = [{"n": n, "t": t} for n, t in ((1, None), (2, ""), (3, 'a,"b"\n'))]
    serdes.produce(servers.kafka, name, [(None, json.dumps(record).encode()) for record in records])
    declared = f"CREATE STREAM s (n INT, t STRING) WITH (KAFKA_TOPIC = '{name}', VALUE_FORMAT = 'JSON')"
    queries = "SELECT * FROM s EMIT CHANGES LIMIT 3; SELECT id, 0.50 AS d, array(1) AS a FROM range(50)"
    for form in ("csv", "json"):
        done = command("sql", "--format", form, "-e", f"{declared}; {queries}")
        assert (done.returncode, done.stderr) == (0, "")
        if form == "csv":
            _, _, rows = done.stdout.split("\n", 2)  # CREATE STREAM also has a result
            assert rows.startswith('n,t\n1,\n2,""\n3,"a,""b""\n"\nid,d,a\n0,0.50,[1]\n1,0.50,[1]\n')
            assert len(rows.splitlines()) == 6 + 50
        else:
            status, *found = (json.loads(line) for line in done.stdout.splitlines())
            assert list(status) == ["status"]
            assert found == [*records, *({"id": n, "d": 0.5, "a": [1]} for n in range(50))]


def test_settings_of_a_file(command: Callable[..., subprocess.CompletedProcess[str]], tmp_path: Path) -> None:
    """Spark gets them, and they are on no command line."""
    file = tmp_path / "my.conf"
    file.write_text("spark.kafkalyst.kafka.client.id  a=b\nspark.sql.extensions  no.such.Extension\n")
    done = command(
        "sql",
        "--properties-file",
        str(file),
        "--format",
        "csv",
        "-e",
        "SET spark.kafkalyst.kafka.client.id; SET spark.sql.extensions",
    )
    assert done.returncode == 0, done.stderr
    assert "spark.kafkalyst.kafka.client.id,a=b\n" in done.stdout
    assert 'spark.sql.extensions,"no.such.Extension,io.kafkalyst.KafkalystExtensions"' in done.stdout
    both = command("check", "--properties-file", str(file), "--remote", "sc://127.0.0.1:1")
    assert both.returncode == 1 and both.stderr.startswith("error: --properties-file is for a local session")


def test_check_command(command: Callable[..., subprocess.CompletedProcess[str]]) -> None:
    """The exit code says whether all checks pass."""
    done = command("check")
    assert done.returncode == 0, done.stdout
    bad = command("check", "--registry", "http://127.0.0.1:1")
    assert bad.returncode == 1
    assert "Connection refused" in bad.stdout


def test_no_such_script(command: Callable[..., subprocess.CompletedProcess[str]]) -> None:
    """A missing script is reported before a session is started."""
    done = command("run", "none.sql")
    assert (done.returncode, done.stderr) == (1, "error: No script none.sql\n")


def test_any_failure_is_a_message(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Any exception of a library becomes a message."""

    def fails(*_: object) -> None:
        raise ValueError("no such thing")

    monkeypatch.setattr(cli, "_session", fails)
    assert cli.main(["check"]) == 1
    assert capsys.readouterr().err == "error: no such thing\n"


def test_check(spark: SparkSession) -> None:
    """All checks pass, without a fix."""
    rows = {row["name"]: row for row in check(spark).collect()}
    assert list(rows) == ["versions", "extension", "jar", "broker", "registry", "catalog", "settings"]
    assert all(row["ok"] and not row["fix"] for row in rows.values()), rows
    # This session's user has set its master and partitions.
    assert [part.split(": ")[0] for part in rows["settings"]["found"].split("; ")] == [
        "spark.sql.extensions",
        "spark.jars",
        "spark.redaction.regex",
        "spark.driver.extraJavaOptions",
    ]
    assert rows["jar"]["found"] == f"jar {version()}, Python package {version()}"


def test_check_tells_of_a_jar_of_another_version(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    """Patch versions may differ, minor versions may not."""
    major, minor, _ = version().split(".")
    for other, fits in ((f"{major}.{minor}.99", True), (f"{major}.{int(minor) + 1}.0", False)):
        monkeypatch.setattr(sys.modules[check.__module__], "version", lambda other=other: other)
        (row,) = check(spark).where("name = 'jar'").collect()
        assert (row["ok"], bool(row["fix"])) == (fits, not fits), row


def test_check_on_a_locked_server(spark: SparkSession) -> None:
    """It suggests nothing that locked sessions cannot do."""
    finding = sys.modules[check.__module__]
    assert finding._set(spark, "a", "b") == "SET a=b"

    class Locked:
        def __init__(self, **settings: str) -> None:
            self.conf = {name.replace("_", "."): value for name, value in settings.items()}

    for settings in ({"spark_kafkalyst_session_properties": "locked"}, {"spark_master": "yarn"}):
        assert finding._set(Locked(**settings), "a", "b") == "set a=b where the server or application starts"


def test_run_script(spark: SparkSession, tmp_path: Path) -> None:
    """A script runs in the user's session."""
    path = tmp_path / "s.sql"
    path.write_text("SELECT 1 AS one")
    lines: list[str] = []
    run_script(spark, path, lines.append)
    assert lines[:5] == ["", "> SELECT 1 AS one", "one", "---", "  1"]
    path.write_text("\nSELECT nope")
    with pytest.raises(ScriptError, match=r"s\.sql:2: \[UNRESOLVED_COLUMN"):
        run_script(spark, path, lines.append)


@pytest.mark.parametrize("form", ["table", "csv"])
def test_ctrl_c_cancels_the_statement_only(spark: SparkSession, form: str) -> None:
    """Its job ends, another one goes on, and the session can be used."""
    tracker = spark.sparkContext.statusTracker()
    # One task each: the session has two cores.
    endless = "SELECT max(a.id) FROM range(0, 10000000, 1, 1) a, range(0, 10000000, 1, 1) b"

    def other() -> None:
        spark.sparkContext.setJobGroup(f"other {form}", "")
        with contextlib.suppress(Exception):
            spark.sql(endless).collect()

    def jobs() -> int:
        return len(tracker.getActiveJobsIds())

    before = signal.getsignal(signal.SIGINT)
    running = InheritableThread(target=other)
    try:
        running.start()
        eventually(lambda: len(tracker.getJobIdsForGroup(f"other {form}")) == 1)
        there = jobs()

        def interrupt() -> None:
            # Without the signal the statement would never end.
            try:
                eventually(lambda: jobs() > there)
            finally:
                os.kill(os.getpid(), signal.SIGINT)

        InheritableThread(target=interrupt).start()
        with pytest.raises(KeyboardInterrupt):
            script.run_statement(spark, endless, lambda _: None, form)
        eventually(lambda: jobs() <= there)
        assert running.is_alive() and signal.getsignal(signal.SIGINT) is before
        assert spark.sql("SELECT 1").collect() == [(1,)]
    finally:
        spark.sparkContext.cancelJobGroup(f"other {form}")
        running.join()


def test_completion(spark: SparkSession) -> None:
    """Completions come from the grammar and from the session's tables."""
    assert {"STREAM", "TERMINATE", "EMIT"} <= set(keywords())
    spark.sql("CREATE OR REPLACE TEMP VIEW strange AS SELECT 1")
    completer = Completer(spark)
    assert completer.matches("str") == ["STREAM", "STREAMS", "strange"]
    assert [completer("terminat", 0), completer("terminat", 1)] == ["TERMINATE", None]
