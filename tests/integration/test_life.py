"""The life of continuous queries: pause and resume, failure and repair, resumption by another process, monitoring."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyspark
import pytest
from pyspark.errors import PySparkException
from pyspark.sql import Row, SparkSession

import kafkalyst
from kafkalyst.queries import lag_history
from support.patience import PATIENCE_SECONDS, PROGRAM_SECONDS
from support.records import eventually

if TYPE_CHECKING:
    from conftest import Servers

BACKOFF = "spark.kafkalyst.query.restart.backoff"
ATTEMPTS = "spark.kafkalyst.query.restart.attempts"


@pytest.fixture
def session(spark: SparkSession) -> Iterator[SparkSession]:
    """The session; its continuous queries run until the test ends, and failed ones restart soon."""
    spark.conf.set(BACKOFF, "100 MILLISECONDS")
    yield spark
    spark.sql("TERMINATE ALL")
    for name in (BACKOFF, ATTEMPTS):
        spark.conf.unset(name)


def declare(spark: SparkSession, name: str, value: str = "STRING", topic: str | None = None) -> None:
    """Declares a stream over a topic of JSON."""
    spark.sql(
        f"CREATE STREAM {name} (k INT KEY, v {value}) "
        f"WITH (KAFKA_TOPIC = '{topic or name}', VALUE_FORMAT = 'JSON'{', PARTITIONS = 2' if topic is None else ''})"
    )


def start(spark: SparkSession, statement: str) -> str:
    """Runs a statement that starts a query; returns the query's id."""
    return str(spark.sql(statement).first()["query_id"])


def query(spark: SparkSession, name: str) -> Row:
    """A query's row of SHOW QUERIES EXTENDED."""
    (row,) = spark.sql("SHOW QUERIES EXTENDED").where(f"query_id = '{name}'").collect()
    return row


def keys(spark: SparkSession, name: str) -> list[int]:
    """The column k, sorted."""
    return sorted(row["k"] for row in spark.table(name).select("k").collect())


def test_checkpoints_are_copied_and_come_back(
    session: SparkSession, topic: Callable[[str], str], tmp_path: Path
) -> None:
    """As on a move to another machine: with checkpoints at the same path, a copy and a group lose and repeat no row."""
    name = topic("carried")
    declare(session, name)
    copied = start(session, f"CREATE STREAM {name}_copy WITH (KAFKA_TOPIC = '{name}_copy') AS SELECT k, v FROM {name}")
    grouped = start(session, f"CREATE TABLE {name}_n AS SELECT v, count(*) AS n FROM {name} GROUP BY v EMIT CHANGES")
    session.sql(f"INSERT INTO {name} VALUES (1, 'a'), (2, 'b'), (3, 'a')")

    def groups() -> list[tuple[object, ...]]:
        return sorted(tuple(row) for row in session.table(f"{name}_n").collect())

    eventually(lambda: keys(session, f"{name}_copy") == [1, 2, 3] and groups() == [("a", 2), ("b", 1)])
    for number, each in enumerate((copied, grouped)):
        session.sql(f"PAUSE {each}")
        there = Path(query(session, each)["checkpoint"].removeprefix("file:"))
        shutil.copytree(there, tmp_path / str(number))
        shutil.rmtree(there)
        shutil.copytree(tmp_path / str(number), there)
    session.sql(f"INSERT INTO {name} VALUES (4, 'a')")
    for each in (copied, grouped):
        session.sql(f"RESUME {each}")
    eventually(lambda: keys(session, f"{name}_copy") == [1, 2, 3, 4] and groups() == [("a", 3), ("b", 1)])


def test_a_folder_has_one_query(session: SparkSession, topic: Callable[[str], str], tmp_path: Path) -> None:
    """CHECKPOINT cannot name the folder of a query, however written; after TERMINATE it can, and goes on there."""
    source = topic("one")
    declare(session, source)
    session.sql(f"INSERT INTO {source} VALUES (1, 'a')")
    for table in ("first", "second"):
        session.sql(f"CREATE TABLE {source}_{table} (k INT, v STRING) USING parquet LOCATION '{tmp_path / table}'")
    folder = tmp_path / "offsets"
    insert = "INSERT INTO {} WITH (QUERY_ID = '{}', CHECKPOINT = '{}') SELECT k, v FROM {} EMIT CHANGES"
    first = start(session, insert.format(f"{source}_first", f"{source}_1", folder, source))
    eventually(lambda: keys(session, f"{source}_first") == [1])

    def refused(statement: str) -> str:
        with pytest.raises(PySparkException) as error:
            session.sql(statement)
        assert error.value.getCondition() == "KAFKALYST_CHECKPOINT_IN_USE", error.value
        assert not session.sql("SHOW QUERIES").where(f"query_id = '{source.upper()}_2'").collect()
        return str(error.value)

    for written in (folder, f"file:{folder}/", f"{folder.parent}/x/../offsets"):
        message = refused(insert.format(f"{source}_second", f"{source}_2", written, source))
        assert f"file:{folder}" in message and first in message and "RUNNING" in message
    made = f"CREATE TABLE {source}_third USING parquet TBLPROPERTIES ('checkpoint' = '{folder}')"
    refused(f"{made} AS SELECT k FROM {source} EMIT CHANGES")
    assert not session.catalog.tableExists(f"{source}_third")
    session.sql(f"INSERT INTO {source} VALUES (2, 'b')")
    eventually(lambda: keys(session, f"{source}_first") == [1, 2])
    session.sql(f"PAUSE {first}")
    assert "PAUSED" in refused(insert.format(f"{source}_second", f"{source}_2", folder, source))
    session.sql(f"TERMINATE {first}")
    session.sql(f"INSERT INTO {source} VALUES (3, 'c')")
    start(session, insert.format(f"{source}_first", f"{source}_2", folder, source))
    eventually(lambda: keys(session, f"{source}_first") == [1, 2, 3])
    session.sql("TERMINATE ALL")
    for table in ("first", "second"):
        session.sql(f"DROP TABLE {source}_{table}")


def test_a_lost_checkpoint_is_told(session: SparkSession, topic: Callable[[str], str], tmp_path: Path) -> None:
    """RESUME does not start anew, which would write all rows again; with the folder back it goes on."""
    source, sink = topic("kept"), topic("once")
    declare(session, source)
    session.sql(f"INSERT INTO {source} VALUES (1, 'a'), (2, 'b')")
    name = start(session, f"CREATE STREAM {sink} AS SELECT k, v FROM {source}")
    eventually(lambda: keys(session, sink) == [1, 2])
    session.sql(f"PAUSE {name}")
    folder = Path(query(session, name)["checkpoint"].removeprefix("file:"))
    shutil.move(folder, tmp_path / "elsewhere")
    for statement in (f"RESUME {name}", f"CREATE OR REPLACE STREAM {sink} AS SELECT k, v FROM {source}"):
        with pytest.raises(PySparkException) as refused:
            session.sql(statement)
        assert refused.value.getCondition() == "KAFKALYST_CHECKPOINT_GONE" and str(folder) in str(refused.value)
        assert query(session, name)["state"] == "FAILED" and not folder.exists()
    shutil.move(tmp_path / "elsewhere", folder)
    session.sql(f"INSERT INTO {source} VALUES (3, 'c')")
    session.sql(f"RESUME {name}")
    eventually(lambda: keys(session, sink) == [1, 2, 3])


def test_a_bounded_stream_ends_where_it_was_to_end(session: SparkSession, topic: Callable[[str], str]) -> None:
    """Records after the end of its first start are never read, also when it starts again."""
    source, sink = topic("bounded"), topic("until")
    declare(session, source)
    session.sql(f"INSERT INTO {source} VALUES (1, 'a'), (2, 'b')")
    session.sql(f"ALTER TABLE {source} SET TBLPROPERTIES ('scan.bounded.mode' = 'latest-offset')")
    name = start(session, f"CREATE STREAM {sink} AS SELECT k, v FROM {source}")
    eventually(lambda: keys(session, sink) == [1, 2])

    def idle() -> bool:
        (run,) = [q for q in session.streams.active if q.name == name]
        return str(run.status["message"]).startswith("Waiting")

    for later in (3, 4):
        session.sql(f"INSERT INTO {source} VALUES ({later}, 'c')")
        time.sleep(2)
        eventually(idle)
        session.sql(f"PAUSE {name}")
        session.sql(f"INSERT INTO {source} VALUES ({later + 10}, 'd')")
        session.sql(f"RESUME {name}")
    time.sleep(2)
    eventually(idle)
    assert keys(session, sink) == [1, 2] and query(session, name)["state"] == "RUNNING"


def test_pause_and_resume(session: SparkSession, topic: Callable[[str], str]) -> None:
    """Rows that arrive during a pause are written after it, once; counts and lag continue; sources and sinks stay."""
    source, sink, into = topic("source"), topic("sink"), topic("into")
    declare(session, source)
    declare(session, into)
    session.sql(f"INSERT INTO {source} VALUES (1, 'a'), (2, 'b')")
    made = start(session, f"CREATE STREAM {sink} AS SELECT k, upper(v) AS v FROM {source} WHERE k > 1")
    inserted = start(session, f"INSERT INTO {into} SELECT k, v FROM {source} EMIT CHANGES")
    eventually(lambda: keys(session, into) == [1, 2] and keys(session, sink) == [2])
    assert [row["state"] for row in session.sql("PAUSE ALL").collect()] == ["PAUSED", "PAUSED"]
    session.sql(f"INSERT INTO {source} VALUES (3, 'c')")
    for dropped in (source, into):
        with pytest.raises(PySparkException) as refused:
            session.sql(f"DROP STREAM {dropped}")
        assert refused.value.getCondition() == "KAFKALYST_OBJECT_IN_USE"
        assert inserted in str(refused.value) and "PAUSED" in str(refused.value)
    # Spark 4.0 drops the table before any plan names it.
    if not pyspark.__version__.startswith("4.0."):
        for replaced in (source, into, sink):
            with pytest.raises(PySparkException) as refused:
                session.range(1).write.mode("overwrite").saveAsTable(replaced)
            assert refused.value.getCondition() == "KAFKALYST_OBJECT_IN_USE"
            assert "cannot be replaced" in str(refused.value) and session.table(replaced).columns == ["k", "v"]
    assert {row["state"] for row in kafkalyst.resume(session).collect()} == {"RUNNING"}
    eventually(lambda: keys(session, into) == [1, 2, 3] and keys(session, sink) == [2, 3])
    eventually(lambda: query(session, made)["rows"] == 3 and query(session, made)["lag"] == 0)
    row = query(session, made)
    assert (row["decoded"], row["bad"], row["dead_lettered"], row["written"]) == (3, 0, 0, 2)
    assert json.loads(row["lag_by_partition"]) == {source: {"0": 0, "1": 0}}
    assert sum(json.loads(row["offsets"])[source].values()) == 3
    assert f"{made} (RUNNING): 3 read, 3 decoded" in str(session.sql(f"DESCRIBE EXTENDED {sink}").collect())
    explained = dict(tuple(r) for r in session.sql(f"EXPLAIN {made}").collect())
    assert explained["sources"].endswith(source) and "upper(" in explained["plan"]
    assert made in lag_history(session)
    assert f"{made}  " in kafkalyst.plot_lag(session, text=True)


def test_progress_has_the_counts(session: SparkSession, topic: Callable[[str], str]) -> None:
    """Spark's own progress has the counts of records read, bad and written."""
    source, sink, wrong = topic("raw"), topic("numbers"), topic("wrong")
    declare(session, source)
    session.sql(f"INSERT INTO {source} VALUES (1, '10'), (2, 'x')")
    declare(session, wrong, "INT", source)
    session.sql(f"ALTER TABLE {wrong} SET TBLPROPERTIES ('on_error' = 'skip')")
    name = start(session, f"CREATE STREAM {sink} AS SELECT k, v FROM {wrong}")
    eventually(lambda: query(session, name)["bad"] == 1)
    (streaming,) = [q for q in session.streams.active if q.name == name]
    # The last one may be of a moment without records.
    (metrics,) = (p["sources"][0]["metrics"] for p in streaming.recentProgress if p["numInputRows"])
    counts = {metric: metrics[metric] for metric in ("recordsRead", "recordsDecoded", "badRecords", "deadLetters")}
    assert counts == {"recordsRead": "2", "recordsDecoded": "1", "badRecords": "1", "deadLetters": "0"}
    assert json.loads(metrics["lagByPartition"]) == {source: {"0": 0, "1": 0}}


def test_a_failing_query_is_healed(session: SparkSession, topic: Callable[[str], str]) -> None:
    """It restarts repeatedly, shows its error meanwhile, and continues where it stopped once the cause is gone."""
    source, sink, wrong = topic("texts"), topic("healed"), topic("ints")
    declare(session, source)
    session.sql(f"INSERT INTO {source} VALUES (1, 'x')")
    declare(session, wrong, "INT", source)
    name = start(session, f"CREATE STREAM {sink} AS SELECT k, v FROM {wrong}")
    told: list[Row] = []

    def restarted() -> bool:
        told.append(query(session, name))
        return told[-1]["restarts"] >= 4

    eventually(restarted)
    again = [row for row in told if row["restarts"] > 1]
    assert [row for row in again if "KAFKALYST_RECORD_NOT_DECODABLE" not in str(row["error"])] == []
    session.sql(f"ALTER TABLE {wrong} SET TBLPROPERTIES ('on_error' = 'null')")
    eventually(lambda: keys(session, sink) == [1])
    eventually(lambda: query(session, name)["error"] is None)
    assert (query(session, name)["state"], query(session, name)["restarts"]) == ("RUNNING", 0)


def test_a_failing_query_gives_up(session: SparkSession, topic: Callable[[str], str]) -> None:
    """After the limit it is FAILED with its last error; RESUME retries it."""
    source, sink, wrong = topic("texts"), topic("hopeless"), topic("ints")
    session.conf.set(ATTEMPTS, "1")
    declare(session, source)
    session.sql(f"INSERT INTO {source} VALUES (1, 'x')")
    declare(session, wrong, "INT", source)
    name = start(session, f"CREATE STREAM {sink} AS SELECT k, v FROM {wrong}")
    eventually(lambda: query(session, name)["state"] == "FAILED")
    assert query(session, name)["restarts"] == 1
    assert "KAFKALYST_RECORD_NOT_DECODABLE" in query(session, name)["error"]
    session.sql(f"ALTER TABLE {wrong} SET TBLPROPERTIES ('on_error' = 'null')")
    session.sql(f"RESUME {name}")
    eventually(lambda: keys(session, sink) == [1])


def test_stopped_while_it_waits_for_a_restart(session: SparkSession, topic: Callable[[str], str]) -> None:
    """PAUSE and TERMINATE affect a query that waits for a restart, and RESUME starts the paused one."""
    source, wrong, sinks = topic("texts"), topic("ints"), [topic(f"sink{i}") for i in range(3)]
    session.conf.set(BACKOFF, "2 SECONDS")
    declare(session, source)
    session.sql(f"INSERT INTO {source} VALUES (1, 'x')")
    declare(session, wrong, "INT", source)
    paused, ended = (start(session, f"CREATE STREAM {sink} AS SELECT k, v FROM {wrong}") for sink in sinks[:2])
    eventually(lambda: all(query(session, name)["restarts"] >= 1 for name in (paused, ended)))
    session.sql(f"PAUSE {paused}")
    session.sql(f"TERMINATE {ended}")
    # Its restarts show that enough time has passed for those of the others.
    other = start(session, f"CREATE STREAM {sinks[2]} AS SELECT k, v FROM {wrong}")
    eventually(lambda: query(session, other)["restarts"] >= 3)
    shown = {row["query_id"]: row["state"] for row in session.sql("SHOW QUERIES").collect()}
    assert shown.pop(other) and shown == {paused: "PAUSED"}
    assert [q.name for q in session.streams.active if q.name in (paused, ended)] == []
    session.sql(f"ALTER TABLE {wrong} SET TBLPROPERTIES ('on_error' = 'null')")
    session.sql(f"RESUME {paused}")
    eventually(lambda: keys(session, sinks[0]) == [1])


def test_replaced_in_its_place(session: SparkSession, topic: Callable[[str], str]) -> None:
    """OR REPLACE continues from the offsets; if it is refused or fails, the old query runs on."""
    source, sink = topic("source"), topic("sink")
    declare(session, source)
    session.sql(f"INSERT INTO {source} VALUES (1, 'a')")
    name = start(session, f"CREATE STREAM {sink} AS SELECT k, upper(v) AS v FROM {source}")
    eventually(lambda: keys(session, sink) == [1])
    assert start(session, f"CREATE OR REPLACE STREAM {sink} AS SELECT k, concat(v, '!') AS v FROM {source}") == name
    session.sql(f"INSERT INTO {source} VALUES (2, 'b')")
    eventually(lambda: keys(session, sink) == [1, 2])
    assert sorted(row["v"] for row in session.table(sink).collect()) == ["A", "b!"]
    other = topic("other")
    declare(session, other)
    with pytest.raises(PySparkException) as refused:
        session.sql(f"CREATE OR REPLACE STREAM {sink} AS SELECT k, v FROM {other}")
    assert refused.value.getCondition() == "KAFKALYST_QUERY_NOT_REPLACEABLE"
    with pytest.raises(PySparkException):
        session.sql(f"CREATE OR REPLACE STREAM {sink} WITH (VALUE_FORMAT = 'AVRO') AS SELECT k, v FROM {source}")
    session.sql(f"INSERT INTO {source} VALUES (3, 'c')")
    eventually(lambda: keys(session, sink) == [1, 2, 3])
    assert query(session, name)["state"] == "RUNNING" and "concat" in query(session, name)["statement"]


def test_a_topic_of_two_objects_stays(session: SparkSession, topic: Callable[[str], str]) -> None:
    """DELETE TOPIC names the others."""
    source, other = topic("shared"), topic("second")
    declare(session, source)
    declare(session, other, "INT", source)
    with pytest.raises(PySparkException) as refused:
        session.sql(f"DROP STREAM {source} DELETE TOPIC")
    assert refused.value.getCondition() == "KAFKALYST_TOPIC_IN_USE" and other in str(refused.value)
    session.sql(f"DROP STREAM {other}")
    session.sql(f"DROP STREAM {source} DELETE TOPIC")


SCRIPT = """
import os, sys, time
import kafkalyst
spark = kafkalyst.session(**CONF)
def eventually(found):
    end = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < end:
        if found():
            return
        time.sleep(0.2)
    raise AssertionError("not in time: " + str(spark.sql("SHOW QUERIES").collect()))
def keys(name):
    return sorted(row["k"] for row in spark.table(name).select("k").collect())
def states():
    return [row["state"] for row in spark.sql("SHOW QUERIES").orderBy("query_id").collect()]
"""
FIRST = """
spark.sql("CREATE STREAM source (k INT KEY, v STRING) WITH (KAFKA_TOPIC='@T', VALUE_FORMAT='JSON', PARTITIONS=2)")
spark.sql("CREATE STREAM filled (k INT KEY, v STRING) WITH (KAFKA_TOPIC='@T_in', VALUE_FORMAT='JSON', PARTITIONS=1)")
spark.sql("SET TIME ZONE 'Asia/Tokyo'")
spark.sql("CREATE STREAM copied WITH (KAFKA_TOPIC='@T_copied') AS SELECT k, v FROM source")
spark.sql("CREATE TABLE counted WITH (KAFKA_TOPIC='@T_counted') AS SELECT v, count(*) AS c FROM source GROUP BY v")
spark.sql("INSERT INTO filled SELECT k, v FROM source EMIT CHANGES")
spark.sql("INSERT INTO source VALUES (1, 'a'), (2, 'a')")
eventually(lambda: keys("copied") == [1, 2] and keys("filled") == [1, 2] and spark.table("counted").count() == 1)
spark.sql("PAUSE INSERTQUERY_3")
spark.sql("INSERT INTO source VALUES (3, 'a')")
os.kill(os.getpid(), 9)
"""
SECOND = """
eventually(lambda: states() == ["RUNNING", "RUNNING", "PAUSED"])
eventually(lambda: keys("copied") == [1, 2, 3])
eventually(lambda: spark.sql("SELECT c FROM counted").first()["c"] == 3)
assert keys("filled") == [1, 2]
rows = spark.sql("EXPLAIN CSAS_COPIED_1").where("name = 'with spark.sql.session.timeZone'").collect()
assert rows[0]["value"] == "Asia/Tokyo", rows
spark.sql("RESUME INSERTQUERY_3")
eventually(lambda: keys("filled") == [1, 2, 3])
print("brought back")
spark.sql("PAUSE ALL")
"""


def test_brought_back_by_another_process(servers: Servers, tmp_path: Path, topic: Callable[[str], str]) -> None:
    """A killed application's queries continue in the next one, from the catalog; paused ones stay paused."""
    conf: dict[str, Any] = {
        "spark.master": "local[2]",
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "1",
        "spark.sql.warehouse.dir": str(tmp_path / "warehouse"),
        "spark.sql.catalogImplementation": "hive",
        "spark.hadoop.javax.jdo.option.ConnectionURL": f"jdbc:derby:;databaseName={tmp_path}/metastore;create=true",
        "spark.kafkalyst.bootstrap.servers": servers.kafka,
        "spark.kafkalyst.schema.registry.url": servers.registry,
    }

    def run(script: str, **more: str) -> subprocess.CompletedProcess[str]:
        text = f"CONF = {conf | more!r}\n{PATIENCE_SECONDS = }\n{SCRIPT}{script}".replace("@T", topic("life"))
        command = [sys.executable, "-c", text]
        return subprocess.run(
            command, cwd=tmp_path, capture_output=True, text=True, timeout=PROGRAM_SECONDS, check=False
        )

    killed = run(FIRST)
    assert killed.returncode == -9, killed.stderr[-3000:]
    top = [sys.executable, "-m", "kafkalyst", "top", "--once", "--catalog", str(tmp_path)]
    shown = subprocess.run(
        top, cwd=tmp_path, capture_output=True, text=True, timeout=PROGRAM_SECONDS, check=True
    ).stdout
    assert [line.split()[0] for line in shown.splitlines()[2:]] == ["CSAS_COPIED_1", "CTAS_COUNTED_2", "INSERTQUERY_3"]
    assert "| PAUSED" in shown and "| RUNNING" in shown
    back = run(SECOND, **{"spark.kafkalyst.query.resume.at-start": "true"})
    assert back.returncode == 0, back.stdout[-1000:] + back.stderr[-2000:]
    assert "brought back" in back.stdout


def test_counts_after_a_pause(spark: SparkSession, topic: Callable[[str], str]) -> None:
    """A trigger without new records reports the number of the next batch, whose records are still counted."""
    name, idle = topic("paused"), "spark.sql.streaming.noDataProgressEventInterval"
    spark.sql(f"CREATE STREAM {name} (v INT) WITH (KAFKA_TOPIC = '{name}', VALUE_FORMAT = 'JSON', PARTITIONS = 1)")
    spark.sql(f"CREATE TABLE {name}_landed (v INT) USING parquet")
    spark.conf.set(idle, "50")
    try:
        for sink in (f"{name}_copy", f"{name}_landed"):
            made = "CREATE STREAM {} AS" if sink.endswith("copy") else "INSERT INTO {}"
            spark.sql(f"{made.format(sink)} SELECT * FROM {name} EMIT CHANGES")
    finally:
        spark.conf.unset(idle)

    def queries() -> list[Row]:
        return spark.sql("SHOW QUERIES EXTENDED").where(f"sink LIKE '%{name}%'").collect()

    def counted(count: int) -> Callable[[], bool]:
        return lambda: [(q["rows"], q["written"]) for q in queries()] == [(count, count)] * 2

    for count in (1, 2, 3):
        spark.sql(f"INSERT INTO {name} VALUES ({count})")
        eventually(counted(count))
        time.sleep(0.5)
    for query in queries():
        spark.sql(f"TERMINATE {query['query_id']}")
    spark.sql(f"DROP TABLE {name}_landed")
