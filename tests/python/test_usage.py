"""Wrong arguments and files, reported before anything is started; and scripts without a terminal."""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import pickle
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyspark
import pytest
from pyspark import SparkContext

from kafkalyst import ScriptError, Statement, apply, arguments, cli, errors, inventory, local, script, shell
from kafkalyst.replay import MOST_TOPICS, PREFIX, ReplayError, _Run, letter, replay
from kafkalyst.session import catalog_in
from support.patience import ends


@pytest.fixture(autouse=True)
def no_spark(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test here may start Spark."""

    def refused(**_: object) -> None:
        raise AssertionError("a session was started")

    monkeypatch.setattr(cli, "session", refused)
    monkeypatch.setenv("KAFKALYST_KAFKA", "127.0.0.1:1")


def failed(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """The error output of a failing command."""
    assert cli.main(arguments) == 1
    return capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["serve", ".", "--health", "foo"], "argument --health: 'foo' is not of the form host:port"),
        (["serve", ".", "--health", "a:b"], "argument --health: 'a:b' is not of the form host:port"),
        (["serve", ".", "--stop-seconds", "x"], "argument --stop-seconds: 'x' is not a number of seconds"),
        (["top", "--seconds", "-1"], "argument --seconds: '-1' is not a number of seconds"),
        (["replay", "a-dlq", "--limit", "-1"], "argument --limit: '-1' is not a number from 0"),
    ],
)
def test_wrong_usage(arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The error names the argument."""
    with pytest.raises(SystemExit) as ended:
        cli.main(arguments)
    assert ended.value.code == 2
    assert said in capsys.readouterr().err


def test_files_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Errors name files that do not exist, are not UTF-8, or have the wrong content."""
    latin, state = tmp_path / "latin.sql", tmp_path / "state.json"
    latin.write_bytes(b"SELECT '\xe9'")
    for command in ("run", "serve"):
        assert failed(capsys, command, str(latin)).startswith(f"error: {latin} is not UTF-8: ")
        assert failed(capsys, command, "/nope") == "error: No script /nope\n"
        if command == "run":
            assert failed(capsys, command, str(tmp_path)) == f"error: No script {tmp_path}\n"
    assert failed(capsys, "import", "/nope") == "error: No script /nope\n"
    (tmp_path / "empty").mkdir()
    assert "No file *.sql in" in failed(capsys, "serve", str(tmp_path / "empty"))
    for damaged in ("{", "[]", '{"a": 1}'):
        state.write_text(damaged)
        said = failed(capsys, "serve", str(tmp_path), "--state", str(state))
        assert said.startswith(f"error: {state} is not a record of what was applied: ")


def test_a_catalog_in_use(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """It is told at once, before anything is started; a lock file that a killed process left does not matter."""
    monkeypatch.setattr(SparkContext, "_gateway", None)
    jars = ":".join(str(jar) for jar in (Path(pyspark.__file__).parent / "jars").glob("derby*.jar"))
    java = [local._java(), "-cp", jars, "org.apache.derby.tools.ij"]
    with subprocess.Popen(java, cwd=tmp_path, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as database:
        try:
            assert database.stdin is not None and database.stdout is not None
            database.stdin.write("connect 'jdbc:derby:;databaseName=metastore;create=true';\nVALUES 42;\n")
            database.stdin.flush()
            assert any(line.strip() == "42" for line in database.stdout)
            said = failed(capsys, "sql", "-e", "SHOW QUERIES", "--catalog", str(tmp_path))
            assert said.startswith(f"error: The catalog in {tmp_path} is in use by another process"), said
        finally:
            database.kill()
    assert (tmp_path / "metastore" / "dbex.lck").is_file()
    assert catalog_in(str(tmp_path))["spark.sql.catalogImplementation"] == "hive"


def test_checkpoints_are_known_by_their_names() -> None:
    """Spark qualifies a path, so the checkpoint of a query that is there is not called left over."""
    found = [
        {"path": f"hdfs://name:8020/user/kafkalyst/{name}/metadata", "modificationTime": "now"}
        for name in ("CSAS_A_1", "CSAS_B_2")
    ]
    frame = SimpleNamespace(load=lambda _: frame, select=lambda *_: frame, collect=lambda: found)
    spark: Any = SimpleNamespace(conf={}, read=SimpleNamespace(format=lambda _: frame))
    queries: Any = [{"query_id": "CSAS_A_1", "checkpoint": "/user/kafkalyst/CSAS_A_1"}]
    names = [name for _, name, _, _ in inventory._checkpoints(spark, queries)]
    assert names == ["hdfs://name:8020/user/kafkalyst/CSAS_B_2"]


def test_a_remote_that_is_not_there(capsys: pytest.CaptureFixture[str]) -> None:
    """An unreachable server is reported at once, not after minutes."""
    with ends():
        said = failed(capsys, "check", "--remote", "sc://127.0.0.1:1/;user_id=me")
    assert said.startswith("error: No Spark Connect server at 127.0.0.1:1 (--remote): ")
    with socket.create_server(("127.0.0.1", 0)) as server:
        cli._reach(f"sc://127.0.0.1:{server.getsockname()[1]}")
    cli._reach("local[2]")


def test_whatever_can_be_read_is_a_script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pipes and standard input work, too; a byte order mark is ignored."""
    seen: list[tuple[str, str]] = []

    class Spark:
        class streams:
            active = ()

        def stop(self) -> None:
            pass

    monkeypatch.setattr(cli, "session", lambda **_: Spark())
    monkeypatch.setattr(cli, "running", lambda _: 0)
    monkeypatch.setattr(cli, "run_text", lambda _, text, place, *__: seen.append((text, place)))
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writing = threading.Thread(target=lambda: pipe.write_text("SELECT 1"))
    writing.start()
    assert cli.main(["run", str(pipe)]) == 0
    writing.join()
    (tmp_path / "bom.sql").write_bytes(b"\xef\xbb\xbfSELECT 2")
    assert cli.main(["run", str(tmp_path / "bom.sql")]) == 0
    monkeypatch.setattr(sys, "stdin", io.StringIO("SELECT 3"))
    assert cli.main(["run", "-"]) == 0
    assert [text for text, _ in seen] == ["SELECT 1", "SELECT 2", "SELECT 3"]
    assert seen[2][1] == "-"


def test_streams_are_stopped_before_spark(monkeypatch: pytest.MonkeyPatch) -> None:
    """A query that still runs when Spark stops prints a Java stack; a server's queries are left alone."""
    for remote in (False, True):
        seen: list[str] = []

        class Query:
            def __init__(self, seen: list[str] = seen) -> None:
                self.stop = lambda: seen.append("query")

        class Spark:
            def __init__(self, seen: list[str] = seen) -> None:
                self.streams = argparse.Namespace(active=[Query()])
                self.stop = lambda: seen.append("spark")

        monkeypatch.setattr(cli, "session", lambda made=Spark, **_: made())
        monkeypatch.setattr(cli, "_reach", lambda _: None)
        options = ["check", *(["--remote", "sc://a"] if remote else [])]
        with cli._session(arguments.parser().parse_args(options)):
            pass
        assert seen == (["spark"] if remote else ["query", "spark"])


def test_the_ui_is_off_unless_asked_for(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The UI can be switched on by --spark-conf or by spark-defaults."""
    given: list[dict[str, Any]] = []

    def session(**conf: Any) -> Any:
        given.append(conf)
        return argparse.Namespace(streams=argparse.Namespace(active=[]), stop=lambda: None)

    monkeypatch.setattr(cli, "session", session)
    for name in ("SPARK_HOME", "SPARK_CONF_DIR", "PYSPARK_SUBMIT_ARGS", "PYSPARK_GATEWAY_PORT"):
        monkeypatch.delenv(name, raising=False)

    def ui(*options: str) -> object:
        with cli._session(arguments.parser().parse_args(["check", *options])):
            return given[-1].get("spark.ui.enabled")

    assert ui() is False
    assert ui("--spark-conf", "spark.ui.enabled=true") == "true"
    (tmp_path / "spark-defaults.conf").write_text("spark.ui.enabled true\n")
    monkeypatch.setenv("SPARK_CONF_DIR", str(tmp_path))
    assert ui() is None


def shell_of(monkeypatch: pytest.MonkeyPatch, typed: str, fails: str = "") -> tuple[int, list[str]]:
    """Runs the shell: the exit code, and the statements that ran."""
    ran: list[str] = []

    def run(_: object, text: str, out: object, form: str) -> None:
        ran.append(text)
        if text == fails:
            raise ValueError("no such thing")

    monkeypatch.setattr(shell, "run_statement", run)
    monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
    return shell.run_shell(None), ran  # type: ignore[arg-type]


@pytest.mark.parametrize("is_terminal", [True, False])
def test_rows_do_not_control_the_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], is_terminal: bool
) -> None:
    """The shell escapes control characters in any format at a terminal; other programs get them as they are."""

    @contextlib.contextmanager
    def session(_: object) -> Iterator[None]:
        yield None

    def run(_: object, text: str, out: Callable[[str], object], form: str) -> None:
        out(f"{form}\x1b[31m\u202e")

    monkeypatch.setattr(cli, "_session", session)
    monkeypatch.setattr(shell, "run_statement", run)
    monkeypatch.setattr(sys, "stdin", io.StringIO("SELECT 1"))
    monkeypatch.setattr(sys.stdout, "isatty", lambda: is_terminal)
    assert cli.main(["sql", "--format", "csv"]) == 0
    assert capsys.readouterr().out == ("csv\\x1b[31m\\u202e\n" if is_terminal else "csv\x1b[31m\u202e\n")


def test_the_shell_without_a_terminal(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """No banner and no prompt; the last statement needs no semicolon; the first error ends it."""
    assert shell_of(monkeypatch, "SELECT 1;\nSELECT\n2") == (0, ["SELECT 1", "SELECT\n2"])
    assert shell_of(monkeypatch, "SELECT 1;\nexit\nSELECT 2;") == (0, ["SELECT 1"])
    assert capsys.readouterr() == ("", "")
    assert shell_of(monkeypatch, "A; B; C;\nD", fails="B") == (1, ["A", "B"])
    assert shell_of(monkeypatch, "A;\nB", fails="B") == (1, ["A", "B"])
    assert capsys.readouterr() == ("", "error: no such thing\n" * 2)


@pytest.mark.parametrize(
    "text", ["CREATE", "CREATE OR REPLACE", "CREATE STREAM", "CREATE TABLE IF NOT EXISTS", "CREATE TYPE"]
)
def test_statements_that_are_cut_off(text: str) -> None:
    """Spark reports incomplete statements."""
    assert apply._created(text.split()) is None

    class Spark:
        class catalog:
            currentCatalog = currentDatabase = staticmethod(lambda: "a")

    (step,) = apply._steps(Spark(), "s.sql", f"{text};", {}, "`a`.`a`")  # type: ignore[arg-type]
    assert (step.action, step.text) == ("run", text)


def test_replay_is_an_error_of_its_own() -> None:
    """Replaying raises ReplayError, also for unknown properties; `to` may be a single text."""
    with pytest.raises(ReplayError, match="foo"):
        replay("127.0.0.1:1", "orders-dlq", client={"foo": "bar"})
    with pytest.raises(ReplayError, match=r"socket\.timeout\.ms"):
        replay("127.0.0.1:1", "bad", to="orders", client={"socket.timeout.ms": "x"})
    with pytest.raises(ValueError, match="limit is -1"):
        replay("127.0.0.1:1", "orders-dlq", limit=-1)


def test_replay_takes_one_topic(monkeypatch: pytest.MonkeyPatch) -> None:
    """A topic given as text is one topic, not a collection of its letters."""
    seen: list[frozenset[str]] = []

    class Run:
        def __init__(self, *arguments: Any) -> None:
            seen.append(frozenset(arguments[0]))
            self.through = lambda *_: None

    monkeypatch.setattr(sys.modules["kafkalyst.replay"], "_Run", Run)
    replay("127.0.0.1:1", "bad", to="orders")
    assert seen == [frozenset({"orders"})]


@pytest.mark.parametrize("topic", ["$(id)", "a b", "..", "a\n", "", "a" * 250])
def test_a_letter_of_no_topic_is_none(topic: str) -> None:
    """Kafka has no topic of such a name, so Kafkalyst has not written the letter."""

    def found(name: str) -> object:
        return letter(b"k", None, [(f"{PREFIX}topic", name.encode()), (f"{PREFIX}error", b"e")])

    assert found("a..b") is not None
    assert found(topic) is None


def test_letters_for_many_topics(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Forged letters, each for a topic of its own, fill neither the memory nor the screen."""
    consumers: dict[str, Any] = {"a": None}
    run = _Run(consumers, None, None, print)
    for number in range(MOST_TOPICS + 500):
        run.skip(f"t{number}")
    run.skip("t7")
    assert (len(run.done.elsewhere), run.done.elsewhere["t7"], run.done.further) == (MOST_TOPICS, 2, 500)
    monkeypatch.setattr(sys.modules["kafkalyst.replay"], "replay", lambda *_: run.done)
    assert cli.main(["replay", "a-dlq", "--kafka", "127.0.0.1:1"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == cli.SHOWN_TOPICS + 2 and "2 skipped: they are for topic t7; add --to t7" in lines
    assert f"{MOST_TOPICS + 501 - cli.SHOWN_TOPICS - 1} skipped: they are for further topics" in lines


def test_exceptions_can_be_pickled() -> None:
    """Exceptions survive pickle, as between processes."""
    text = "[KAFKALYST_UNKNOWN_TOPIC.WITH_NAMES] No topic x. SQLSTATE: 42704"
    own = errors.of(RuntimeError(text))
    assert own is not None
    again = pickle.loads(pickle.dumps(own))
    assert (type(again), str(again), vars(again)) == (type(own), str(own), vars(own))
    failure = ScriptError("a.sql", Statement("SELECT 1", 3), ValueError(text))
    other = pickle.loads(pickle.dumps(failure))
    assert (type(other), str(other), other.statement) == (ScriptError, str(failure), failure.statement)
    assert "SubjectNotFound" in dir(errors) and "typed" in dir(errors)


def test_java_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The error says that java is missing, and where it was looked for."""
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(local.LocalServersError, match=f"No java in JAVA_HOME={tmp_path}. Install a JDK 17 or 21"):
        local._java()
    monkeypatch.delenv("JAVA_HOME")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(local.LocalServersError, match="No java on the PATH"):
        local._java()


def test_clients_settings_of_a_file(tmp_path: Path) -> None:
    """Secrets are taken from a file only: the list of processes shows the arguments."""
    file = tmp_path / "client.properties"
    file.write_text("# login\nsasl.username = me\n\nsasl.password=a=b\nsecurity.protocol=SSL\n")
    given = arguments.client(["security.protocol=SASL_SSL"], str(file))
    assert given == {"sasl.username": "me", "sasl.password": "a=b", "security.protocol": "SASL_SSL"}
    with pytest.raises(ValueError, match="--client-file"):
        arguments.client(["sasl.password=x"], None)
    file.write_text("a=1\nnothing\n")
    with pytest.raises(ValueError, match="line 2"):
        arguments.client([], str(file))


def test_local_says_whose_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    """The help says that the servers belong to the current folder."""
    with pytest.raises(SystemExit):
        cli.main(["local", "--help"])
    assert "belong to the current folder" in " ".join(capsys.readouterr().out.split())


def test_echo(monkeypatch: pytest.MonkeyPatch) -> None:
    """Scripts show their statements, `sql -e` does not."""
    monkeypatch.setattr(script, "run_statement", lambda _, text, out, form: out(f"ran {text}"))
    for echo, expected in ((True, ["", "> A", "ran A"]), (False, ["ran A"])):
        lines: list[str] = []
        script.run_text(None, "A;", "-e", lines.append, echo)  # type: ignore[arg-type]
        assert lines == expected
