"""`kafkalyst serve` and `run --wait` as processes, as a service manager and a monitoring system see them."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace as Fake
from typing import TYPE_CHECKING, Any

import pytest
from confluent_kafka import ConsumerGroupTopicPartitions, TopicPartition
from confluent_kafka.admin import AdminClient
from pyspark.sql import SparkSession

from kafkalyst import ScriptError, apply, cli, owners, queries, serdes
from kafkalyst.ports import held_ports
from kafkalyst.serve import Health
from support.patience import PATIENCE_SECONDS, PROGRAM_SECONDS
from support.records import eventually, everything

if TYPE_CHECKING:
    from conftest import Servers

SCRIPT = """
SET spark.sql.shuffle.partitions = 1;
CREATE STREAM src (id INT KEY, a STRING) WITH (KAFKA_TOPIC = '{topic}', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
CREATE STREAM big WITH (KAFKA_TOPIC = '{topic}_big') AS SELECT id, upper(a) AS a FROM src WHERE id > 1;
"""


def start(servers: Servers, folder: Path, *arguments: str) -> subprocess.Popen[str]:
    """Starts a `kafkalyst` command."""
    environment = {**os.environ, "KAFKALYST_KAFKA": servers.kafka, "KAFKALYST_REGISTRY": servers.registry}
    return subprocess.Popen(
        [sys.executable, "-m", "kafkalyst", *arguments],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def get(url: str) -> str:
    """The content of an address, also for an error's status."""
    try:
        with urllib.request.urlopen(url, timeout=PATIENCE_SECONDS) as answer:
            return str(answer.read().decode())
    except urllib.error.HTTPError as error:
        return error.read().decode()


def of_the_image(root: Path, **places: str) -> list[str]:
    """The arguments of the container's command, with other folders and addresses."""
    text = (root / "conf" / "deploy" / "Dockerfile").read_text(encoding="utf-8").replace("\\\n", "")
    (command,) = (line for line in text.splitlines() if line.startswith("ENTRYPOINT"))
    words = json.loads(command.removeprefix("ENTRYPOINT"))
    assert words[0] == "kafkalyst"
    return [places.get(word.strip("/"), word) for word in words[1:]]


def test_serve(servers: Servers, tmp_path: Path, topic: Callable[[str], str], root: Path) -> None:
    """The container's command applies, runs, reports health and metrics, commits to the group, and ends on SIGTERM.

    A second run continues where the first one stopped.
    """
    name = topic("serve")
    scripts = tmp_path / "sql"
    scripts.mkdir()
    (scripts / "a.sql").write_text(SCRIPT.format(topic=name), encoding="utf-8")
    page = (root / "docs" / "operate.md").read_text(encoding="utf-8").splitlines()
    told = {"=".join(line.split()) for line in page if line.startswith(("spark.ui.", "spark.metrics."))}
    prefix = f"spark.kafkalyst.query.offsets.group.prefix={name}-"
    data = tmp_path / "data"
    data.mkdir()
    words = of_the_image(root, sql=str(scripts), data=str(data), **{"0.0.0.0:8090": "127.0.0.1:0"})
    assert len(told) == 4 and told <= set(words)
    with (
        held_ports(1) as [ui],
        start(servers, data, *words, "--spark-conf", prefix, "--spark-conf", f"spark.ui.port={ui}") as served,
    ):
        try:
            assert served.stdout is not None
            lines = [served.stdout.readline().strip() for _ in range(3)]
            assert lines[:2] == ["create `src`", "create `big`"], (lines, served.stderr and served.stderr.read())
            health = lines[2].split(", ")[1]
            serdes.produce(servers.kafka, name, [(i.to_bytes(4, "big"), b'{"a": "x"}') for i in range(1, 4)])

            def shown() -> list[dict[str, Any]]:
                return list(json.loads(get(health))["queries"])

            eventually(lambda: [q["rows"] for q in shown()] == [3])
            (query,) = shown()
            metrics = dict(
                line.rsplit(" ", 1) for line in get(f"http://127.0.0.1:{ui}/metrics/prometheus").splitlines() if line
            )
            of_query = {
                metric.split(f"_kafkalyst_{query['query_id']}_")[1].split("{")[0]: value
                for metric, value in metrics.items()
                if f"_kafkalyst_{query['query_id']}_" in metric
            }
            seen = {name: of_query[f"{name}_Value"] for name in ("running", "records_read", "records_written", "lag")}
            assert seen == {"running": "1", "records_read": "3", "records_written": "2", "lag": "0"}
            assert of_query[f"lag_{name}_0_Value"] == "0"
            assert int(of_query["last_success_milliseconds_Value"]) > 0
            group = f"{name}-{query['query_id']}"
            assert all(
                metric.startswith("metrics_kafkalyst_driver_") for metric in metrics if query["query_id"] in metric
            )
            admin = AdminClient({"bootstrap.servers": servers.kafka})

            def committed() -> int:
                asked = ConsumerGroupTopicPartitions(group, [TopicPartition(name, 0)])
                (found,) = admin.list_consumer_group_offsets([asked])[group].result(PATIENCE_SECONDS).topic_partitions
                return int(found.offset)

            eventually(lambda: committed() == 3)
            # The status file keeps the counts; it is written beside the batches.
            eventually(lambda: [json.loads(f.read_text())["read"] for f in data.rglob("status.json")] == [3])
            os.killpg(served.pid, signal.SIGTERM)  # as `timeout` does: Spark's JVM gets it too
            out, err = served.communicate(timeout=PROGRAM_SECONDS)
            assert served.returncode == 0 and out.startswith("stopping\n") and "error" not in err, out + err
        finally:
            served.kill()
    goes_on(servers, name, scripts, data)


def goes_on(servers: Servers, name: str, scripts: Path, data: Path) -> None:
    """A further run of `serve` with the same catalog and a changed script."""
    changed = scripts / "b.sql"
    changed.write_text(
        f"CREATE STREAM more WITH (KAFKA_TOPIC = '{name}_more') AS SELECT id FROM src;", encoding="utf-8"
    )
    with start(servers, data, "serve", str(scripts), "--catalog", str(data), "--dry-run") as shown:
        out, err = shown.communicate(timeout=PROGRAM_SECONDS)
    assert shown.returncode == 0 and f"+CREATE STREAM more WITH (KAFKA_TOPIC = '{name}_more')" in out, out + err
    changed.unlink()
    serdes.produce(servers.kafka, name, [((4).to_bytes(4, "big"), b'{"a": "late"}')])
    words = ["serve", str(scripts), "--catalog", str(data), "--health", "127.0.0.1:0"]
    with start(servers, data, *words) as served:
        try:
            assert served.stdout is not None
            health = served.stdout.readline().strip().split(", ")[1]
            eventually(lambda: [q["rows"] for q in json.loads(get(health))["queries"]] == [4])
            served.send_signal(signal.SIGTERM)
            out, err = served.communicate(timeout=PROGRAM_SECONDS)
            assert (served.returncode, out) == (0, "stopping\n"), err
        finally:
            served.kill()
    assert sorted(key or b"" for key, _ in everything(servers.kafka, f"{name}_big")) == [
        b"\0\0\0" + bytes([n]) for n in (2, 3, 4)
    ]


def test_serve_ends_while_it_applies(servers: Servers, tmp_path: Path) -> None:
    """SIGTERM ends a long statement, which is not recorded, so the next run begins with it."""
    script = tmp_path / "a.sql"
    script.write_text("CREATE TABLE first (a INT); SELECT max(a.id) FROM range(10000000) a, range(10000000) b;")
    with start(servers, tmp_path, "serve", str(script), "--state", "kafkalyst-applied.json") as served:
        try:
            assert served.stdout is not None
            lines = [served.stdout.readline().strip() for _ in range(2)]
            assert lines[0] == "create `first`" and lines[1].startswith("run SELECT max"), lines
            served.send_signal(signal.SIGTERM)
            _, err = served.communicate(timeout=PROGRAM_SECONDS)
            assert served.returncode == 143, err
            assert list(json.loads((tmp_path / "kafkalyst-applied.json").read_text())) == ["`first`"]
        finally:
            served.kill()


def test_apply(spark: SparkSession, tmp_path: Path, topic: Callable[[str], str]) -> None:
    """Existing objects are kept, changed ones replaced; other statements run once, and settings each time."""
    name = topic("applied")
    script = tmp_path / "s.sql"
    text = f"SET a.b = 1; CREATE STREAM IF NOT EXISTS {name} (x INT) WITH (KAFKA_TOPIC = '{name}', "
    text += f"VALUE_FORMAT = 'JSON', PARTITIONS = 1); INSERT INTO {name} VALUES (1);"
    script.write_text(text, encoding="utf-8")

    def go() -> list[str]:
        applied = apply.Applied(tmp_path / "note.json")
        return [step.action for step in apply.apply(spark, apply.plan(spark, script, applied), applied, lambda _: None)]

    assert go() == ["session", "create", "run"]
    assert go() == ["session", "keep", "keep"]
    script.write_text(text.replace("x INT", "x INT, y INT"), encoding="utf-8")
    applied = apply.Applied(tmp_path / "note.json")
    lines = list(apply.shown(spark, apply.plan(spark, script, applied), applied))
    assert [line[:1] for line in lines] == ["-", "+", "@", "-", "+"]
    assert "(x INT, y INT)" in lines[-1]
    assert go() == ["session", "replace", "keep"]
    assert spark.table(name).columns == ["x", "y"]
    assert spark.table(name).count() == 1
    script.write_text("SET a.b = 1", encoding="utf-8")
    applied = apply.Applied(tmp_path / "note.json")
    assert any(
        line.endswith(f"kept: `{name}`") for line in apply.shown(spark, apply.plan(spark, script, applied), applied)
    )
    with pytest.raises(FileNotFoundError, match="No file"):
        apply.plan(spark, tmp_path / "..", applied)


def test_apply_replaces_topics_objects_only(spark: SparkSession, tmp_path: Path, topic: Callable[[str], str]) -> None:
    """Foreign tables keep their rows; types are created once; the same name in another database is another object."""
    name = topic("placed")
    script = tmp_path / "s.sql"
    stream = f"CREATE STREAM {name} (x INT) WITH (KAFKA_TOPIC = '{name}', VALUE_FORMAT = 'JSON', PARTITIONS = 1);"
    text = f"""
        CREATE TYPE {name}_type AS STRUCT<a INT>;
        CREATE TABLE IF NOT EXISTS {name}_other (x INT) USING parquet;
        {stream}
        CREATE DATABASE IF NOT EXISTS {name}_db;
        USE {name}_db;
        {stream}
    """
    script.write_text(text, encoding="utf-8")
    database = spark.catalog.currentDatabase()

    def go(note: str) -> list[str]:
        applied = apply.Applied(tmp_path / note)
        try:
            done = apply.apply(spark, apply.plan(spark, script, applied), applied, lambda _: None)
            return [step.action for step in done]
        finally:
            spark.catalog.setCurrentDatabase(database)

    def lines() -> list[str]:
        applied = apply.Applied(tmp_path / "note.json")
        try:
            return list(apply.shown(spark, apply.plan(spark, script, applied), applied))
        finally:
            spark.catalog.setCurrentDatabase(database)

    try:
        assert lines()[-1].startswith("not known before what is above is applied: ")
        assert go("note.json") == ["create", "create", "create", "run", "session", "create"]
        spark.sql(f"INSERT INTO {name}_other VALUES (1)")
        assert lines() == []
        assert go("note.json") == ["keep", "keep", "keep", "keep", "session", "keep"]
        assert go("lost.json") == ["keep", "keep", "replace", "run", "session", "replace"]
        assert spark.table(f"{name}_other").count() == 1
    finally:
        spark.sql(f"DROP TABLE IF EXISTS {name}_other")
        spark.sql(f"DROP TYPE IF EXISTS {name}_type")
        spark.sql(f"DROP DATABASE IF EXISTS {name}_db CASCADE")


def test_a_query_is_not_started_again(spark: SparkSession, tmp_path: Path, topic: Callable[[str], str]) -> None:
    """Though the note of what was applied is lost: two would write each row twice. One that is gone starts again."""
    source, sink = topic("rows"), topic("copies")
    for name in (source, sink):
        spark.sql(f"CREATE STREAM {name} (x INT) WITH (KAFKA_TOPIC='{name}', VALUE_FORMAT='JSON', PARTITIONS=1)")
    script = tmp_path / "s.sql"
    script.write_text(
        f"DEFINE least = '0'; INSERT  INTO {sink} SELECT x FROM {source} WHERE x > ${{least}}\n EMIT CHANGES;",
        encoding="utf-8",
    )

    def go(note: str) -> list[str]:
        applied = apply.Applied(tmp_path / note)
        return [step.action for step in apply.apply(spark, apply.plan(spark, script, applied), applied, lambda _: None)]

    def started() -> list[str]:
        return [row["query_id"] for row in spark.sql("SHOW QUERIES").collect() if sink in str(row)]

    assert go("note.json") == ["session", "run"]
    try:
        assert go("note.json") == go("lost.json") == ["session", "keep"]
        (query,) = started()
        spark.sql(f"TERMINATE {query}")
        assert go("note.json") == ["session", "run"]  # as after the loss of a catalog
        (query,) = started()
        changed = script.read_text(encoding="utf-8").replace("SELECT x", "SELECT x + 1 AS x")
        script.write_text(changed, encoding="utf-8")
        with pytest.raises(ScriptError, match=rf"The query {query} writes into .* TERMINATE `{query}` first"):
            go("note.json")
        assert started() == [query]
        spark.sql(f"TERMINATE {query}")
        assert go("note.json") == ["session", "run"]
    finally:
        spark.sql("UNDEFINE least")
        for query in started():
            spark.sql(f"TERMINATE {query}")


def test_a_catalog_in_memory_keeps_nothing(spark: SparkSession) -> None:
    """It is refused, because the record of what was applied would outlive it."""
    with pytest.raises(ValueError, match=r"catalog is in memory .* Give --catalog DIR"):
        apply.require_durable(spark)


def test_run_wait_counts_queries_between_restarts(
    spark: SparkSession, servers: Servers, tmp_path: Path, topic: Callable[[str], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A query that waits for its restart has no active stream, but is waited for, and its failure is the exit code."""
    name, copy = topic("between"), topic("copies")
    serdes.create_topic(servers.kafka, name)
    serdes.produce(servers.kafka, name, [(None, b"no JSON")])
    settings = {"restart.attempts": "1", "restart.backoff": "600 SECONDS", "restart.backoff.max": "600 SECONDS"}
    for key, value in settings.items():
        spark.conf.set(f"spark.kafkalyst.query.{key}", value)
    spark.sql(f"CREATE STREAM {name} (x INT) WITH (KAFKA_TOPIC = '{name}', VALUE_FORMAT = 'JSON')")
    (tmp_path / "s.sql").write_text("SELECT 1;", encoding="utf-8")
    counts: list[int] = []
    failures: list[SparkSession] = []
    monkeypatch.setattr(cli, "_session", lambda _: contextlib.nullcontext(spark))
    monkeypatch.setattr(cli, "_wait", lambda _, count: counts.append(count))
    monkeypatch.setattr(cli, "_failed", lambda session: failures.append(session) or 1)
    try:
        before = owners.running(spark)
        spark.sql(f"CREATE STREAM {copy} WITH (KAFKA_TOPIC = '{copy}') AS SELECT * FROM {name}")

        def state() -> list[str]:
            return [row["state"] for row in spark.sql("SHOW QUERIES").collect() if copy in row["sink"]]

        eventually(lambda: state() == ["RESTARTING"])
        assert cli.main(["run", str(tmp_path / "s.sql"), "--wait"]) == 1
        assert counts == [before + 1] and failures == [spark]
        assert not queries.wait(spark, 0)
    finally:
        for key in settings:
            spark.conf.unset(f"spark.kafkalyst.query.{key}")
        spark.sql(f"DROP STREAM IF EXISTS {copy}")


INTERRUPTED = """
import os, signal, sys
from types import SimpleNamespace as Fake
from kafkalyst import cli

def cancels(number, frame):
    raise RuntimeError("the JVM is asked while it answers")

asked = []

def wait(spark, timeout):
    asked.append(timeout)
    for _ in range(int(sys.argv[1])):
        os.kill(os.getpid(), signal.SIGINT)
    return False

signal.signal(signal.SIGINT, cancels)
cli.wait, cli.POLL_SECONDS = wait, 0.01
try:
    cli._wait(Fake(conf={}), 2)
    print("ended")
except KeyboardInterrupt:
    print("interrupted")
assert signal.getsignal(signal.SIGINT) is cancels and len(asked) == 1
"""


@pytest.mark.parametrize(("signals", "told"), [(1, "ended"), (2, "interrupted")])
def test_ctrl_c_while_it_waits(signals: int, told: str) -> None:
    """It ends between two looks, without PySpark's handler, which calls the JVM; a second one ends a hanging look."""
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED, str(signals)], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0 and done.stdout.splitlines()[-1] == told, done.stdout + done.stderr


def test_queries_of_other_applications() -> None:
    """Those that run under another application's lease are not counted, and have their catalog's name."""

    def row(state: str, owner: str | None, here: bool = False) -> dict[str, object]:
        return {"state": state, "owner": owner, "here": here}

    rows = [
        row("RUNNING", None),
        row("RUNNING", "mine", here=True),
        row("RUNNING", "other"),
        row("RESTARTING", "other"),
    ]
    rows.append(row("FAILED", "mine", here=True))
    shown = Fake(collect=lambda: rows)
    conf = {"spark.sql.catalog.kafka": "io.kafkalyst.KafkaCatalog"}
    session: Any = Fake(sql=lambda _: shown, conf=conf)
    assert owners.running(session) == 3
    assert owners.full_id(session, {"sink": "`kafka`.x", "query_id": "A"}) == "kafka.A"
    assert owners.full_id(session, {"sink": "default.x", "query_id": "A"}) == "spark_catalog.A"


def test_run_wait_tells_of_queries_that_fail(servers: Servers, tmp_path: Path, topic: Callable[[str], str]) -> None:
    """It reports failed queries by its exit code and on stderr, where the log line has the query's id."""
    name = topic("fails")
    serdes.create_topic(servers.kafka, name)
    serdes.produce(servers.kafka, name, [(None, b"no JSON")])
    (tmp_path / "f.sql").write_text(
        f"SET spark.kafkalyst.query.restart.attempts = 0; CREATE STREAM s (a INT) WITH (KAFKA_TOPIC = '{name}', "
        f"VALUE_FORMAT = 'JSON'); CREATE STREAM d WITH (KAFKA_TOPIC = '{name}_d') AS SELECT * FROM s;",
        encoding="utf-8",
    )
    with start(servers, tmp_path, "run", "f.sql", "--wait") as process:
        out, err = process.communicate(timeout=PROGRAM_SECONDS)
    assert process.returncode == 1, out + err
    query = next(line for line in err.splitlines() if line.startswith("error: ")).split()[1]
    assert f"error: {query} failed: [KAFKALYST_" in err
    assert f": [{query}] {query} failed and is not started again" in err


KEEPS = """
import os, signal, sys, threading, time
from types import SimpleNamespace as Fake
from kafkalyst import serve

LIMIT = 30
asked, resumed, hangs = [], [], threading.Event()

def sleep(seconds):
    # The limit is over as soon as the main thread hangs.
    hangs.wait() if seconds == LIMIT else time.sleep(0.02)

def hang():
    hangs.set()
    time.sleep(60)

# Each look at the queries takes a second.
serve.time = Fake(sleep=sleep, monotonic=lambda: len(asked))
serve.RETRY_SECONDS = 3
serve.resume = lambda spark: Fake(collect=lambda: resumed.append(len(asked)))

def retried():
    resumed.append(len(asked))
    if len(resumed) < 4:
        raise ValueError("not yet")

def sql(text):
    if text.startswith("RESUME"):
        assert text == "RESUME `kafka.q`", text
        return Fake(collect=retried)
    asked.append(text)
    if len(asked) == 3:
        raise ValueError("no metastore")
    if len(resumed) == 4 or sys.argv[1] != "failed":
        os.kill(os.getpid(), signal.SIGTERM)
    if sys.argv[1] == "stuck":
        hang()
    none = {**dict.fromkeys(serve.SHOWN), "sink": "kafka.x", "here": True}
    row = {**none, "query_id": "q", "state": "FAILED" if len(resumed) < 4 else "RUNNING", "error": "why"}
    paused = {**none, "query_id": "p", "state": "PAUSED"}
    theirs = {**none, "query_id": "t", "state": "FAILED", "error": "of another application", "here": False}
    return Fake(collect=lambda: [row, paused, theirs])

late = Fake(stop=hang)
conf = Fake(get=lambda name, default=None: "io.kafkalyst.KafkaCatalog" if name.endswith(".kafka") else default)
spark = Fake(sql=sql, conf=conf, streams=Fake(active=[late] if sys.argv[1] == "late" else []))
code = serve.keep_running(spark, None, LIMIT, lambda line: print(line, flush=True))
assert resumed == [0, 4, 8, 12], resumed
sys.exit(code)
"""


@pytest.mark.parametrize(
    ("kind", "code", "told"),
    [
        (
            "failed",
            0,
            [
                "q failed: why",
                "SHOW QUERIES failed, and is tried again: no metastore",
                "RESUME `kafka.q` failed, and is tried again: not yet",
                "stopping",
            ],
        ),
        ("late", 3, ["q failed: why", "stopping"]),
        ("stuck", 3, []),
    ],
)
def test_keeps_queries_running(kind: str, code: int, told: list[str]) -> None:
    """Only a query that stays FAILED is retried after a while; what does not stop in time is abandoned."""
    done = subprocess.run([sys.executable, "-c", KEEPS, kind], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout.splitlines()) == (code, told), done.stderr


def test_a_driver_that_does_not_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    """If the last look at the queries is too old, the answer is 503."""
    health = Health("127.0.0.1:0")
    try:
        health.saw([{"query_id": "q", "state": "RUNNING"}])
        assert health.answer("/ready")[0] == 200
        monkeypatch.setattr(sys.modules[Health.__module__], "STALE_SECONDS", 0.0)
        assert (health.answer("/ready")[0], health.answer("/health")[0]) == (503, 503)
    finally:
        health.stop()


def test_health_answers() -> None:
    """Not ready before the first look at the queries; unhealthy while a query is FAILED."""
    health = Health("127.0.0.1:0")
    try:
        assert health.answer("/ready")[0] == 503
        health.saw([{"query_id": "q", "state": "RUNNING"}])
        assert (health.answer("/ready")[0], health.answer("/health")[0]) == (200, 200)
        health.saw([{"query_id": "q", "state": "FAILED"}])
        assert (health.answer("/ready")[0], health.answer("/health")[0]) == (200, 503)
        assert json.loads(get(f"http://127.0.0.1:{health.port}/health"))["failed"] == ["q"]
        assert get(f"http://127.0.0.1:{health.port}/x") == '{"paths": ["/health", "/ready"]}\n'
    finally:
        health.stop()
