"""Continuous queries into the topics of a cluster's catalog: one application at a time runs each."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from pyspark import InheritableThread
from pyspark.errors import PySparkException
from pyspark.sql import Row, SparkSession

from conftest import Servers
from kafkalyst import owners, serdes
from support.patience import PATIENCE_SECONDS
from support.proxy import FaultProxy
from support.records import eventually, leases, messages
from support.rig import Chance, printed, rounds

CATALOG = "io.kafkalyst.KafkaCatalog"
# Long enough for a busy machine to renew it in time, short enough to be waited for.
LEASE_SECONDS = 12
LEASE = "spark.kafkalyst.query.lease"
# For refusals: no machine is so busy that it expires.
LONG_LEASE = "60 SECONDS"
PROGRAM = """
import json, sys
import kafkalyst
job = json.loads(sys.argv[1])
def started():
    spark = kafkalyst.session(job["kafka"], job["registry"], **job["conf"])
    spark.sql("USE kafka")
    return spark
spark = started()
rows = spark.sql(job["statement"]).collect()
print(json.dumps(rows[0].asDict() if rows else {}), flush=True)
for line in sys.stdin:
    if line == "spark.stop()\\n":
        spark.stop()
        spark = started()
    rows = [] if line == "spark.stop()\\n" else spark.sql(line).collect()
    print(json.dumps([row.asDict() for row in rows], default=str), flush=True)
"""


def asked(process: subprocess.Popen[str], statement: str) -> list[dict[str, str]]:
    """The rows of a statement in another application; `spark.stop()` stops its Spark, and restarts it."""
    assert process.stdin is not None
    process.stdin.write(statement + "\n")
    process.stdin.flush()
    rows: list[dict[str, str]] = json.loads(printed(process))
    return rows


def launched(program: str, job: dict[str, object], folder: Path, alone: bool = False) -> subprocess.Popen[str]:
    """Starts a Python program with the job as its argument; in its own process group if `alone`."""
    return subprocess.Popen(
        [sys.executable, "-c", program, json.dumps(job)],
        cwd=folder,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=alone,
    )


@pytest.fixture(scope="module")
def catalog(spark: SparkSession, servers: Servers) -> Iterator[SparkSession]:
    """A new session in the broker's catalog."""
    session = spark.newSession()
    session.conf.set("spark.sql.catalog.kafka", CATALOG)
    session.conf.set(LEASE, f"{LEASE_SECONDS} SECONDS")
    session.conf.set("spark.kafkalyst.sink.delivery-guarantee", "exactly-once")
    session.sql("USE kafka")
    yield session
    for row in session.sql("SHOW QUERIES").collect():
        if row.sink.startswith("kafka."):
            session.sql(f"TERMINATE {row.query_id}")


@pytest.fixture
def source(catalog: SparkSession, topic: Callable[[str], str]) -> Iterator[str]:
    """A stream of the catalog with two rows."""
    name = topic("leases")
    catalog.sql(f"CREATE STREAM `{name}` (k INT KEY, v INT) WITH (VALUE_FORMAT = 'JSON', PARTITIONS = 2)")
    add(catalog, name, 2)
    yield name


def add(session: SparkSession, name: str, count: int) -> None:
    """Inserts more rows, with the next numbers."""
    first = session.table(f"`{name}`").count()
    session.sql(f"INSERT INTO `{name}` SELECT CAST(id AS INT), 1 FROM range({first}, {first + count})")


def keys(session: SparkSession, name: str) -> list[int]:
    """The keys in a topic, in order."""
    return sorted(row.k for row in session.table(f"`{name}`").collect())


def shown(session: SparkSession, query: str) -> Row:
    """A query's row of SHOW QUERIES."""
    return next(row for row in session.sql("SHOW QUERIES EXTENDED").collect() if row.query_id == query)


def owned(session: SparkSession, query: str, former: str | None = None) -> Row:
    """A query's row once it has an owner, another one than `former`: its rows may be seen before its lease is."""

    def is_owned() -> bool:
        rows = session.sql("SHOW QUERIES EXTENDED").collect()
        return any(row.query_id == query and row.owner not in (None, former) for row in rows)

    eventually(is_owned)
    return shown(session, query)


@pytest.fixture
def application(spark_conf: dict[str, object], servers: Servers, tmp_path: Path) -> Iterator[Callable[[str], object]]:
    """Starts another application that runs a statement and stays: its process, and the statement's row."""
    running: list[subprocess.Popen[str]] = []

    def start(statement: str, **more: str) -> tuple[subprocess.Popen[str], dict[str, str]]:
        conf = {
            "spark.master": "local[2]",
            "spark.ui.enabled": "false",
            "spark.sql.shuffle.partitions": "1",
            "spark.sql.warehouse.dir": str(tmp_path),
            "spark.kafkalyst.query.checkpoint.root": str(spark_conf["spark.kafkalyst.query.checkpoint.root"]),
            LEASE: f"{LEASE_SECONDS} SECONDS",
            "spark.kafkalyst.sink.delivery-guarantee": "exactly-once",
            **more,
        }
        job = {
            "kafka": servers.kafka,
            "registry": servers.registry,
            "conf": conf,
            "statement": statement,
        }
        process = launched(PROGRAM, job, tmp_path, alone=True)
        running.append(process)
        started: dict[str, str] = json.loads(printed(process))
        return process, started

    yield start
    for process in running:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGCONT)
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


@pytest.fixture
def copied(
    application: Callable[..., tuple[subprocess.Popen[str], dict[str, str]]], catalog: SparkSession, source: str
) -> Callable[..., tuple[subprocess.Popen[str], str]]:
    """Starts another application that copies the source into a topic: its process and the query, both rows copied."""

    def start(sink: str, **more: str) -> tuple[subprocess.Popen[str], str]:
        process, started = application(f"CREATE STREAM `{sink}` AS SELECT * FROM `{source}` EMIT CHANGES", **more)
        eventually(lambda: keys(catalog, sink) == [0, 1])
        return process, started["query_id"]

    return start


def test_they_are_kept_with_their_topics(catalog: SparkSession, source: str) -> None:
    """CREATE … AS, INSERT and GROUP BY into topics, by dotted names too; shown, paused, resumed, dropped."""
    copy = catalog.sql(f"CREATE STREAM `shop.{source}` AS SELECT k, v + 1 AS v FROM `{source}` EMIT CHANGES").collect()[
        0
    ]
    eventually(lambda: keys(catalog, f"shop.{source}") == [0, 1])
    line = shown(catalog, copy.query_id)
    assert (line.sink, line.sources, line.state) == (
        f"kafka.shop.{source}",
        f"kafka.{source}",
        "RUNNING",
    )
    assert line.owner.startswith(catalog.sparkContext.appName) and line.owned_since is not None
    catalog.sql(f"CREATE TABLE `{source}_n` AS SELECT v, COUNT(*) AS n FROM `{source}` GROUP BY v EMIT CHANGES")
    eventually(lambda: [(r.v, r.n) for r in catalog.table(f"`{source}_n`").collect()] == [(1, 2)])

    catalog.sql(f"PAUSE {copy.query_id}")
    assert (
        shown(catalog, copy.query_id).state,
        shown(catalog, copy.query_id).owner,
    ) == ("PAUSED", None)
    add(catalog, source, 1)
    catalog.sql(f"RESUME {copy.query_id}")
    eventually(lambda: keys(catalog, f"shop.{source}") == [0, 1, 2])

    with pytest.raises(PySparkException, match="KAFKALYST_OBJECT_IN_USE"):
        catalog.sql(f"DROP STREAM `{source}` DELETE TOPIC")
    for name in (f"shop.{source}", f"{source}_n"):
        catalog.sql(f"DROP {'TABLE' if name.endswith('_n') else 'STREAM'} `{name}` DELETE TOPIC")
    assert source in {row.tableName for row in catalog.sql("SHOW TABLES").collect()}
    assert not [row for row in catalog.sql("SHOW QUERIES").collect() if source in row.sink]


def test_inserts_into_a_topic_without_a_definition(
    spark: SparkSession, catalog: SparkSession, source: str, topic: Callable[[str], str]
) -> None:
    """The topic gets the inferred definition, with which the query is kept."""
    name = topic("inferred")
    spark.sql(f"CREATE STREAM {name} (k INT KEY, v INT) WITH (KAFKA_TOPIC='{name}', FORMAT='AVRO', PARTITIONS=1)")
    spark.sql(f"DROP STREAM {name}")
    query = (
        catalog.sql(f"INSERT INTO `{name}` SELECT k AS ROWKEY, v FROM `{source}` EMIT CHANGES").collect()[0].query_id
    )
    eventually(lambda: catalog.table(f"`{name}`").count() == 2)
    assert shown(catalog, query).state == "RUNNING"
    catalog.sql(f"TERMINATE {query}")
    assert sorted(row.ROWKEY for row in catalog.table(f"`{name}`").collect()) == [0, 1]


def test_equal_ids_of_two_catalogs(
    spark: SparkSession, servers: Servers, topic: Callable[[str], str], tmp_path: Path
) -> None:
    """Each is its own query; an id alone is ambiguous, and two catalogs over one topic of definitions are one."""
    both = spark.newSession()
    where = {name: topic(f"definitions_{name}") for name in ("one", "two")}

    def add_catalog(session: SparkSession, name: str, definitions: str) -> None:
        session.conf.set(f"spark.sql.catalog.{name}", CATALOG)
        session.conf.set(f"spark.sql.catalog.{name}.bootstrap.servers", servers.kafka)
        session.conf.set(f"spark.sql.catalog.{name}.catalog.topic", definitions)

    sinks = {name: topic(f"equal_{name}") for name in where}
    for name, definitions in where.items():
        session = spark.newSession()
        for each in (session, both):
            add_catalog(each, name, definitions)
        session.conf.set("spark.kafkalyst.query.checkpoint.root", str(tmp_path / name))
        session.conf.set("spark.kafkalyst.query.trigger", "available-now")
        for table in (f"{sinks[name]}_from", sinks[name]):
            session.sql(
                f"CREATE STREAM {name}.`{table}` (k INT KEY, v INT) WITH (VALUE_FORMAT = 'JSON', PARTITIONS = 1)"
            )
        session.sql(
            f"INSERT INTO {name}.`{sinks[name]}` WITH (QUERY_ID = 'EQUAL') "
            f"SELECT k, v FROM {name}.`{sinks[name]}_from` EMIT CHANGES"
        )
    add_catalog(both, "again", where["one"])

    def sinks_shown() -> list[str]:
        return sorted(row.sink.split(".")[1] for row in both.sql("SHOW QUERIES").collect() if row.query_id == "EQUAL")

    assert sinks_shown() == sorted(sinks.values())
    with pytest.raises(PySparkException) as refused:
        both.sql("TERMINATE EQUAL")
    assert refused.value.getCondition() == "KAFKALYST_QUERY_AMBIGUOUS" and "`two.EQUAL`" in str(refused.value)
    both.sql("TERMINATE `two.EQUAL`")
    assert sinks_shown() == [sinks["one"]]
    both.sql("TERMINATE EQUAL")
    # The other catalog of the same definitions reads them at most once a second.
    eventually(lambda: sinks_shown() == [])


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_two_names_of_one_cluster(catalog: SparkSession, servers: Servers, source: str, host: str) -> None:
    """DROP by the other name is refused while a query reads the object, and not by the object itself."""
    session, sink = catalog.newSession(), f"{source}_{host.replace('.', '_')}"
    for name, kafka in (("kafka", servers.kafka), ("again", servers.kafka.replace("127.0.0.1", host))):
        session.conf.set(f"spark.sql.catalog.{name}", CATALOG)
        session.conf.set(f"spark.sql.catalog.{name}.bootstrap.servers", kafka)
    made = f"CREATE STREAM kafka.`{sink}` AS SELECT * FROM kafka.`{source}` EMIT CHANGES"
    query = session.sql(made).collect()[0].query_id
    # The other name shows the bare topic until it has read the definitions again. Spark refuses to run a plan of the
    # one with the columns of the other.
    eventually(lambda: session.table(f"again.`{sink}`").columns == session.table(f"kafka.`{sink}`").columns)
    eventually(lambda: session.table(f"again.`{sink}`").count() == 2)
    for words in ("", " DELETE TOPIC"):
        with pytest.raises(PySparkException) as refused:
            session.sql(f"DROP STREAM again.`{source}`{words}")
        assert refused.value.getCondition() == "KAFKALYST_OBJECT_IN_USE" and query in str(refused.value)
    assert [row.state for row in session.sql("SHOW QUERIES").collect() if row.query_id == query] == ["RUNNING"]
    for name in (sink, source):
        session.sql(f"DROP STREAM again.`{name}` DELETE TOPIC")
    # Each name of the catalog reads its definitions at most once a second.
    eventually(lambda: not {source, sink} & {row.tableName for row in session.sql("SHOW TABLES IN kafka").collect()})
    eventually(lambda: not [row for row in session.sql("SHOW QUERIES").collect() if source in row.sink])


def test_one_application_runs_a_query(
    catalog: SparkSession,
    source: str,
    copied: Callable[..., tuple[subprocess.Popen[str], str]],
) -> None:
    """Others see its owner and cannot start it, but can pause it. It is taken over when its application is gone."""
    sink = f"{source}_copy"
    here = owners.running(catalog)
    process, query = copied(sink, **{LEASE: LONG_LEASE})
    assert owners.running(catalog) == here
    line = owned(catalog, query)
    assert line.state == "RUNNING" and not line.owner.startswith(
        catalog.sparkContext.appName + " (" + catalog.sparkContext.applicationId
    )
    with pytest.raises(PySparkException, match="KAFKALYST_QUERY_HELD") as held:
        catalog.sql(f"RESUME {query}")
    assert line.owner in str(held.value)

    catalog.sql(f"PAUSE {query}")
    eventually(lambda: shown(catalog, query).owner is None)
    add(catalog, source, 2)
    catalog.sql(f"RESUME {query}")
    eventually(lambda: keys(catalog, sink) == [0, 1, 2, 3])
    assert owners.running(catalog) == here + 1
    catalog.sql(f"TERMINATE {query}")
    os.killpg(process.pid, signal.SIGKILL)


def test_one_application_runs_a_query_into_a_lake(
    catalog: SparkSession,
    source: str,
    application: Callable[..., tuple[subprocess.Popen[str], dict[str, str]]],
    tmp_path: Path,
) -> None:
    """Another one with the same checkpoints cannot start it, until the first one is gone."""
    table = f"spark_catalog.default.`{source}_lake`"
    create = f"CREATE TABLE {table} (k INT, v INT) USING parquet LOCATION '{tmp_path / 'lake'}'"
    process, _ = application(create)
    catalog.sql(create)
    try:
        insert = f"INSERT INTO {table} SELECT k, v FROM `{source}` EMIT CHANGES"
        query = asked(process, insert)[0]["query_id"]
        eventually(lambda: asked(process, f"SELECT count(*) AS n FROM {table}") == [{"n": 2}])
        catalog.conf.set(LEASE, LONG_LEASE)
        with pytest.raises(PySparkException) as refused:
            catalog.sql(f"RESUME {query}")
        assert refused.value.getCondition() == "KAFKALYST_QUERY_ELSEWHERE"
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        add(catalog, source, 2)

        def is_resumed() -> bool:
            try:
                catalog.sql(f"RESUME {query}")
            except PySparkException as error:
                # The JVM ends a little after it is killed.
                assert error.getCondition() == "KAFKALYST_QUERY_ELSEWHERE"
                return False
            return True

        eventually(is_resumed)
        eventually(lambda: catalog.sql(f"SELECT * FROM {table}").count() == 4)
        catalog.sql(f"TERMINATE {query}")
    finally:
        catalog.conf.set(LEASE, f"{LEASE_SECONDS} SECONDS")
        catalog.sql(f"DROP TABLE IF EXISTS {table}")


def test_a_standby_that_cannot_plan_changes_nothing(
    catalog: SparkSession,
    source: str,
    application: Callable[..., tuple[subprocess.Popen[str], dict[str, str]]],
) -> None:
    """The query runs on where it runs: no FAILED is written for it by an application that lacks a view."""
    sink, base = f"{source}_primary", f"{source}_base"
    catalog.sql(f"CREATE OR REPLACE VIEW spark_catalog.default.`{base}` AS SELECT k, v FROM kafka.`{source}`")
    try:
        made = catalog.sql(
            f"CREATE STREAM `{sink}` AS SELECT * FROM spark_catalog.default.`{base}` EMIT CHANGES"
        ).collect()[0]
        eventually(lambda: keys(catalog, sink) == [0, 1])
        # In its own in-memory catalog there is no such view.
        process, _ = application("SHOW TABLES")
        (line,) = [row for row in asked(process, "RESUME ALL") if row["query_id"] == made.query_id]
        assert (line["state"], line["error"]) == ("RUNNING", None)
        time.sleep(LEASE_SECONDS)
        add(catalog, source, 2)
        eventually(lambda: keys(catalog, sink) == [0, 1, 2, 3])
        line = shown(catalog, made.query_id)
        assert line.state == "RUNNING" and catalog.sparkContext.applicationId in line.owner
        catalog.sql(f"DROP STREAM `{sink}` DELETE TOPIC")
    finally:
        catalog.sql(f"DROP VIEW IF EXISTS spark_catalog.default.`{base}`")


def test_a_checkpoint_that_is_not_here(
    catalog: SparkSession,
    source: str,
    copied: Callable[..., tuple[subprocess.Popen[str], str]],
    tmp_path: Path,
) -> None:
    """An application without the folder does not take a query over, and leaves it to those that have it."""
    sink = f"{source}_rooted"
    process, query = copied(sink, **{"spark.kafkalyst.query.checkpoint.root": str(tmp_path / "there")})
    catalog.sql(f"PAUSE {query}")
    eventually(lambda: shown(catalog, query).owner is None)
    (tmp_path / "there").rename(tmp_path / "hidden")
    add(catalog, source, 1)
    with pytest.raises(PySparkException) as refused:
        catalog.sql(f"RESUME {query}")
    assert refused.value.getCondition() == "KAFKALYST_CHECKPOINT_GONE"
    line = shown(catalog, query)
    assert (line.state, line.owner) == ("PAUSED", None) and not (tmp_path / "there").exists()
    (tmp_path / "hidden").rename(tmp_path / "there")
    assert [row["state"] for row in asked(process, f"RESUME {query}")] == ["RUNNING"]
    eventually(lambda: keys(catalog, sink) == [0, 1, 2])
    catalog.sql(f"DROP STREAM `{sink}` DELETE TOPIC")
    os.killpg(process.pid, signal.SIGKILL)


@pytest.mark.parametrize("ending", [signal.SIGKILL, signal.SIGSTOP])
def test_a_query_is_taken_over(
    catalog: SparkSession,
    source: str,
    copied: Callable[..., tuple[subprocess.Popen[str], str]],
    servers: Servers,
    ending: signal.Signals,
) -> None:
    """Each row is written once, also if the former owner comes back and still believes that it runs the query."""
    sink = f"{source}_{ending.name.lower()}"
    process, query = copied(sink)
    os.killpg(process.pid, ending)  # Python and its JVM
    add(catalog, source, 3)
    assert query in {row.query_id for row in catalog.sql("RESUME ALL").collect()}
    eventually(lambda: keys(catalog, sink) == list(range(5)))
    line = shown(catalog, query)
    assert line.owner.find(catalog.sparkContext.applicationId) >= 0
    held = leases(servers.kafka, "_kafkalyst", query)
    before, taken = [lease for lease in held if lease["owner"] != line.owner][-1], held[-1]
    assert taken["owner"] == line.owner
    # Never while the lease is held.
    assert taken["since"] >= before["renewed"] + before["length"]
    if ending == signal.SIGSTOP:
        os.killpg(process.pid, signal.SIGCONT)
    for _ in range(4):
        add(catalog, source, 5)
        time.sleep(LEASE_SECONDS / 4)
    eventually(lambda: len(keys(catalog, sink)) >= 25)
    assert keys(catalog, sink) == list(range(25))
    assert shown(catalog, query).state == "RUNNING"
    catalog.sql(f"DROP STREAM `{sink}` DELETE TOPIC")


def test_the_command_takes_a_query_over(
    catalog: SparkSession,
    source: str,
    copied: Callable[..., tuple[subprocess.Popen[str], str]],
    spark_conf: dict[str, object],
    servers: Servers,
    tmp_path: Path,
) -> None:
    """`kafkalyst resume` waits until the lease of a dead application ends, and runs its query."""
    sink = f"{source}_command"
    process, query = copied(sink)
    former = owned(catalog, query).owner
    os.killpg(process.pid, signal.SIGKILL)
    add(catalog, source, 3)
    settings = {
        "spark.master": "local[2]",
        "spark.sql.shuffle.partitions": "1",
        "spark.kafkalyst.query.checkpoint.root": str(spark_conf["spark.kafkalyst.query.checkpoint.root"]),
        LEASE: f"{LEASE_SECONDS} SECONDS",
        "spark.kafkalyst.sink.delivery-guarantee": "exactly-once",
    }
    words = ["resume", "--kafka", servers.kafka, "--registry", servers.registry]
    words += [word for name, value in settings.items() for word in ("--spark-conf", f"{name}={value}")]
    resumed = subprocess.Popen([sys.executable, "-m", "kafkalyst", *words], cwd=tmp_path, start_new_session=True)
    try:
        eventually(lambda: keys(catalog, sink) == list(range(5)))
        line = owned(catalog, query, former)
        assert line.state == "RUNNING"
        assert catalog.sparkContext.applicationId not in line.owner
        catalog.sql(f"DROP STREAM `{sink}` DELETE TOPIC")
    finally:
        os.killpg(resumed.pid, signal.SIGKILL)
        resumed.wait()


def test_a_namespace_in_quotes(catalog: SparkSession, source: str) -> None:
    """A query that was started in a namespace in quotes starts again."""
    sink = f"{source}_copy"
    catalog.sql(f"CREATE STREAM `shop-eu.{source}` (k INT KEY, v INT) WITH (VALUE_FORMAT = 'JSON', PARTITIONS = 1)")
    catalog.sql("USE kafka.`shop-eu`")
    try:
        query = catalog.sql(f"CREATE STREAM `{sink}` AS SELECT * FROM `{source}`").collect()[0].query_id
        catalog.sql(f"PAUSE {query}")
        catalog.sql(f"INSERT INTO `{source}` VALUES (7, 1)")
        catalog.sql(f"RESUME {query}")
        eventually(lambda: keys(catalog, sink) == [7])
        catalog.sql(f"DROP STREAM `{sink}` DELETE TOPIC")
    finally:
        for place in ("spark_catalog", "kafka"):
            catalog.sql(f"USE {place}")


def test_another_spark_in_the_same_process(
    catalog: SparkSession,
    source: str,
    copied: Callable[..., tuple[subprocess.Popen[str], str]],
) -> None:
    """As in a notebook: after `spark.stop()` the next application has the former one's queries."""
    sink = f"{source}_again"
    process, query = copied(sink)
    former = owned(catalog, query).owner
    asked(process, "spark.stop()")
    add(catalog, source, 3)
    (line,) = [row for row in asked(process, "SHOW QUERIES EXTENDED") if row["query_id"] == query]
    assert (line["state"], line["owner"]) == ("STOPPED", None)
    assert [row["state"] for row in asked(process, f"RESUME {query}")] == ["RUNNING"]
    eventually(lambda: keys(catalog, sink) == list(range(5)))
    time.sleep(LEASE_SECONDS * 1.5)
    line = shown(catalog, query)
    assert line.state == "RUNNING" and line.owner and line.owner != former
    catalog.sql(f"TERMINATE {query}")


def test_a_failed_query_is_left_to_others(
    catalog: SparkSession,
    source: str,
    copied: Callable[..., tuple[subprocess.Popen[str], str]],
    servers: Servers,
) -> None:
    """If another application pauses it while it waits for a restart, it is paused for all, and has no owner."""
    sink = f"{source}_left"
    process, query = copied(sink, **{"spark.kafkalyst.query.restart.backoff": "3 SECONDS"})
    (row,) = [row for row in asked(process, "SHOW QUERIES EXTENDED") if row["query_id"] == query]
    assert row["here"] and not shown(catalog, query).here

    def there() -> str:
        return next(row["state"] for row in asked(process, "SHOW QUERIES") if row["query_id"] == query)

    serdes.produce(servers.kafka, source, [(b"1", b"no JSON")])
    eventually(lambda: there() == "RESTARTING")
    catalog.sql(f"PAUSE {query}")
    eventually(lambda: there() == "PAUSED")
    eventually(lambda: shown(catalog, query).owner is None)
    catalog.sql(f"RESUME {query}")
    assert catalog.sparkContext.applicationId in shown(catalog, query).owner
    eventually(lambda: there() == "RUNNING")
    catalog.sql(f"TERMINATE {query}")


def test_an_interrupted_statement_ends(catalog: SparkSession, source: str, tmp_path: Path) -> None:
    """An available-now query that RESUME no longer waits for is finished once all is written."""
    sink = f"{source}_slow"
    gate = tmp_path / "gate"
    errors: list[Exception] = []
    threads: list[Any] = []

    def passed(value: int) -> int:
        while gate.exists():
            time.sleep(0.05)
        return value

    def run() -> None:
        threads.append(catalog._jvm.java.lang.Thread.currentThread())  # which also runs the statement
        try:
            catalog.sql(f"RESUME {query}")
        except Exception as e:
            errors.append(e)

    def waits() -> bool:
        stack = str([frame.toString() for thread in threads for frame in thread.getStackTrace()[:12]])
        return "ContinuousQueries" in stack and "awaitTermination" in stack

    catalog.udf.register("passed", passed, "int")
    catalog.conf.set("spark.kafkalyst.query.trigger", "available-now")
    try:
        made = catalog.sql(f"CREATE STREAM `{sink}` AS SELECT * FROM `{source}` WHERE passed(v) = 1").collect()[0]
        query = made.query_id
        assert made.state == "FINISHED"
        add(catalog, source, 6)
        gate.touch()
        statement = InheritableThread(run)
        statement.start()
        eventually(waits)
        threads[0].interrupt()
        statement.join(PATIENCE_SECONDS)
        assert ["InterruptedException" in str(error) for error in errors] == [True], errors
        assert shown(catalog, query).state == "RUNNING"
    finally:
        catalog.conf.unset("spark.kafkalyst.query.trigger")
        gate.unlink(missing_ok=True)
    eventually(lambda: shown(catalog, query).state == "FINISHED")
    eventually(lambda: keys(catalog, sink) == list(range(8)))
    catalog.sql(f"DROP STREAM `{sink}` DELETE TOPIC")


def test_queries_wait_for_brokers_that_do_not_answer(
    catalog: SparkSession,
    source: str,
    application: Callable[..., tuple[subprocess.Popen[str], dict[str, str]]],
    copied: Callable[..., tuple[subprocess.Popen[str], str]],
    servers: Servers,
) -> None:
    """An application that starts before a catalog's brokers resumes the catalog's queries once they answer."""
    sink = f"{source}_later"
    process, query = copied(sink)
    former = owned(catalog, query).owner
    os.killpg(process.pid, signal.SIGKILL)
    add(catalog, source, 3)
    with FaultProxy("127.0.0.1:1") as proxy:  # nothing listens there
        _, none = application(
            "SHOW QUERIES",
            **{
                "spark.sql.catalog.kafka.bootstrap.servers": f"127.0.0.1:{proxy.port}",
                "spark.kafkalyst.query.resume.at-start": "true",
                "spark.kafkalyst.kafka.request.timeout.ms": "4000",
                "spark.kafkalyst.kafka.default.api.timeout.ms": "5000",
            },
        )
        assert none == {} and keys(catalog, sink) == [0, 1]
        proxy.target = servers.kafka
        eventually(lambda: keys(catalog, sink) == list(range(5)))
        line = owned(catalog, query, former)
        assert line.state == "RUNNING" and catalog.sparkContext.applicationId not in line.owner
    catalog.sql(f"DROP STREAM `{sink}` DELETE TOPIC")


CHANGES = """
import json, logging, random, sys
import kafkalyst
logging.getLogger("SQLQueryContextLogger").disabled = True
job = json.loads(sys.argv[1])
random = random.Random(job["seed"])
spark = kafkalyst.session(job["kafka"], job["registry"], **job["conf"])
spark.sql("USE kafka")
spark.sql("SHOW TABLES").collect()
print("ready", flush=True)
sys.stdin.readline()
for i in range(job["count"]):
    name, mine = random.choice(job["names"]), f"{job['number']}_{i}"
    over = f"WITH (KAFKA_TOPIC = '{job['topic']}', VALUE_FORMAT = 'JSON')"
    change, statement = random.choice([
        ("create", f"CREATE STREAM `{name}` (c{mine} INT) {over}"),
        ("create", f"CREATE STREAM `{name}` (c{mine} INT) {over}"),
        ("add", f"ALTER STREAM `{name}` ADD COLUMN c{mine} INT"),
        ("add", f"ALTER STREAM `{name}` ADD COLUMN c{mine} INT"),
        ("set", f"ALTER TABLE `{name}` SET TBLPROPERTIES ('on_error' = '{random.choice(['skip', 'null', 'fail'])}')"),
        ("comment", f"COMMENT ON TABLE `{name}` IS 'n{mine}'"),
        ("drop", f"DROP STREAM `{name}`"),
        ("type", f"CREATE TYPE `{name}` AS STRUCT<c{mine} INT>"),
        ("drop type", f"DROP TYPE `{name}`"),
    ])
    try:
        spark.sql(statement).collect()
        refused = None
    except Exception as e:
        refused = getattr(e, "getCondition", lambda: None)() or str(e)
    print(json.dumps([change, name, mine, refused]), flush=True)
"""
# Changes without an author in their record.
UNNAMED = {"drop", "drop type", "set"}
# Conditions of a change that another application has overtaken.
OVERTAKEN = {
    f"KAFKALYST_{name}"
    for name in (
        "OBJECT_EXISTS",
        "OBJECT_NOT_FOUND",
        "TOPIC_NOT_FOUND",
        "INFERRED_TABLE",
        "TYPE_EXISTS",
        "TYPE_NOT_FOUND",
    )
} | {"TABLE_OR_VIEW_NOT_FOUND"}


def replayed(kafka: str, definitions: str) -> tuple[list[tuple[str, str, str]], dict[str, list[str]]]:
    """The committed changes by their records, in order: action, name and author; and the final state."""
    done, now = [], {}
    for message in messages(kafka, definitions):
        key, value = json.loads(message.key()), json.loads(message.value() or "null")
        place = (key["kind"], key["name"])
        before, after = now.get(place), (value.get("type") or value["properties"]) if value else None
        text = json.dumps(after)
        news = set(re.findall(r"[cn](\d+_\d+)", text)) - set(re.findall(r"[cn](\d+_\d+)", json.dumps(before)))
        if key["kind"] == "type":
            change = "type" if after else "drop type"
        elif before is None or after is None:
            change = "create" if after else "drop"
        else:
            changed = {name for name in after.keys() | before.keys() if after.get(name) != before.get(name)}
            (one,) = changed
            change = {"comment": "comment", "kafkalyst.schema": "add", "on_error": "set"}[one]
        assert len(news) == (0 if change in UNNAMED else 1), (change, before, after)
        done.append((change, key["name"].lower(), news.pop() if news else ""))
        now[place] = after
    columns = {
        name: re.findall(r"c\d+_\d+", state["kafkalyst.schema"])
        for (kind, name), state in now.items()
        if kind == "object" and state
    }
    return done, columns


def test_no_change_of_a_definition_is_lost(
    catalog: SparkSession, source: str, servers: Servers, tmp_path: Path, topic: Callable[[str], str]
) -> None:
    """Four applications change a few definitions and types at once, at random.

    The records of the catalog's topic are exactly the successful changes, each based on the one before it.
    """
    count, seed, applications, definitions = rounds(25), Chance().randrange(1 << 32), [], topic("_changed")
    conf = {
        "spark.master": "local[1]",
        "spark.ui.enabled": "false",
        "spark.sql.catalog.kafka": CATALOG,
        "spark.sql.catalog.kafka.catalog.topic": definitions,
    }
    for number in range(4):
        job = {
            "kafka": servers.kafka,
            "registry": servers.registry,
            "conf": conf,
            "topic": source,
            "names": [f"{source}_{letter}" for letter in "abc"],
            "count": count,
            "number": number,
            "seed": seed + number,
        }
        application = launched(CHANGES, job, tmp_path)
        applications.append(application)
        # One after the other: several that start at once would overload a slow machine.
        assert printed(application) == "ready\n"
    for application in applications:
        assert application.stdin is not None
        application.stdin.write("\n")
        application.stdin.flush()
    patience = PATIENCE_SECONDS + 10 * count
    with ThreadPoolExecutor(4) as pool:
        told = list(pool.map(lambda application: application.communicate(timeout=patience)[0], applications))
    assert [application.returncode for application in applications] == [0] * 4
    tried = [json.loads(line) for lines in told for line in lines.splitlines()]
    assert len(tried) == 4 * count
    assert {refused for *_, refused in tried if refused} <= OVERTAKEN, Counter((line[0], line[3]) for line in tried)
    succeeded = [
        (change, name.lower(), "" if change in UNNAMED else mine)
        for change, name, mine, refused in tried
        if not refused
    ]
    done, columns = replayed(servers.kafka, definitions)
    print(f"{len(tried)} changes, {len(succeeded)} of them not refused:", Counter(change for change, *_ in succeeded))
    # Setting an existing value writes no record.
    same = Counter(succeeded) - Counter(done)
    assert {change for change, *_ in same} <= {"set"}
    assert Counter(done) == Counter(succeeded) - same
    session = catalog.newSession()
    for name, value in {**conf, "spark.sql.catalog.kafka.bootstrap.servers": servers.kafka}.items():
        if "catalog" in name:
            session.conf.set(name, value)
    assert {name: session.table(f"kafka.`{name}`").columns for name in columns} == columns


def test_a_dropped_definition_stays_dropped(catalog: SparkSession, source: str) -> None:
    """A change of a definition that was dropped after it was read is refused; a change of an inferred one is not."""
    store = catalog._jvm.io.kafkalyst.catalog.ObjectStore(catalog._jsparkSession)
    name = catalog._jvm.PythonUtils.toSeq([source])
    before = store.find(name).get()
    catalog.sql(f"DROP STREAM `{source}`")
    assert not store.replace(before, before.topic(), before.properties())
    with pytest.raises(PySparkException, match="KAFKALYST_INFERRED_TABLE"):
        catalog.sql(f"DROP STREAM `{source}`")
    inferred = store.find(name).get()
    assert store.replace(inferred, before.topic(), inferred.properties())
    assert catalog.table(f"`{source}`").columns == ["k", "v"]
