"""Topics that are deleted and recreated under a query, and the lag while a query catches up."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from confluent_kafka.admin import AdminClient
from pyspark.errors import PySparkException
from pyspark.sql import Row, SparkSession

from kafkalyst import serdes
from support.records import eventually

if TYPE_CHECKING:
    from conftest import Servers

BEHIND = 1500


@pytest.fixture
def session(spark: SparkSession) -> Iterator[SparkSession]:
    """The session; its continuous queries run until the test ends."""
    attempts = "spark.kafkalyst.query.restart.attempts"
    spark.conf.set(attempts, "0")
    yield spark
    spark.sql("TERMINATE ALL")
    spark.conf.unset(attempts)


def start(session: SparkSession, servers: Servers, source: str, sink: str, columns: str = "v") -> Row:
    """Starts a copy of a topic of three records; its row of SHOW QUERIES once they are copied."""
    serdes.create_topic(servers.kafka, source, 1)
    serdes.produce(servers.kafka, source, [(None, b'{"v":%d}' % i) for i in range(3)])
    session.sql(f"CREATE STREAM {source} (v INT) WITH (KAFKA_TOPIC = '{source}', VALUE_FORMAT = 'JSON')")
    name = session.sql(f"CREATE STREAM {sink} AS SELECT {columns} FROM {source}").first()["query_id"]
    eventually(lambda: values(session, sink) == [0, 1, 2])
    return session.sql("SHOW QUERIES EXTENDED").where(f"query_id = '{name}'").first()


def values(session: SparkSession, name: str) -> list[int]:
    """The column v, sorted."""
    return sorted(row.v for row in session.table(name).select("v").collect())


def replace(servers: Servers, topic: str, records: int) -> None:
    """Deletes the topic and recreates it with this many other records."""
    admin = AdminClient({"bootstrap.servers": servers.kafka})
    admin.delete_topics([topic])[topic].result(30)
    eventually(lambda: topic not in admin.list_topics(timeout=30).topics)
    serdes.create_topic(servers.kafka, topic, 1)
    serdes.produce(servers.kafka, topic, [(None, b'{"v":%d}' % (100 + i)) for i in range(records)])


@pytest.mark.parametrize("records", [3, 5])
def test_a_replaced_topic_is_told(
    session: SparkSession, servers: Servers, topic: Callable[[str], str], records: int
) -> None:
    """A recreated topic with as many records or more is noticed: the query does not continue at the old offset."""
    source, sink = topic("again"), topic("copy")
    query = start(session, servers, source, sink)
    session.sql(f"PAUSE {query.query_id}")
    replace(servers, source, records)
    try:
        session.sql(f"RESUME {query.query_id}")
    except PySparkException as e:
        assert e.getCondition() == "KAFKALYST_TOPIC_REPLACED"

    def error() -> str:
        (row,) = session.sql("SHOW QUERIES").where(f"query_id = '{query.query_id}'").collect()
        return str(row.error)

    eventually(lambda: "deleted and created again" in error())
    assert source in error() and "topic-ids.json" in error()
    assert values(session, sink) == [0, 1, 2]
    # One of the two ways to continue: the same offsets, in the new topic.
    (ids,) = Path(query.checkpoint).glob("sources/*/topic-ids.json")
    assert str(ids) in error()
    ids.unlink()
    session.sql(f"RESUME {query.query_id}")
    serdes.produce(servers.kafka, source, [(None, b'{"v":7}')])
    eventually(lambda: values(session, sink) == sorted([0, 1, 2, 7, *range(103, 100 + records)]))


def test_a_replaced_sink_is_told(session: SparkSession, servers: Servers, topic: Callable[[str], str]) -> None:
    """A query does not continue in silence in a new topic, which lacks the rows that it wrote before."""
    source, sink = topic("from"), topic("again")
    query = start(session, servers, source, sink)
    session.sql(f"PAUSE {query.query_id}")
    session.sql(f"RESUME {query.query_id}")
    session.sql(f"PAUSE {query.query_id}")
    replace(servers, sink, 0)
    with pytest.raises(PySparkException, match=f'Topic "{sink}".* was deleted and created again') as raised:
        session.sql(f"RESUME {query.query_id}")
    assert raised.value.getCondition() == "KAFKALYST_SINK_TOPIC_REPLACED"
    (row,) = session.sql("SHOW QUERIES").where(f"query_id = '{query.query_id}'").collect()
    assert row.state == "FAILED"
    ids = Path(query.checkpoint.removeprefix("file:")) / "sink-topic-ids.json"
    assert str(ids) in row.error
    # One of the two ways to continue: only the rows that follow.
    ids.unlink()
    session.sql(f"RESUME {query.query_id}")
    serdes.produce(servers.kafka, source, [(None, b'{"v":7}')])
    eventually(lambda: values(session, sink) == [7])


def test_lag_is_what_is_behind_now(session: SparkSession, servers: Servers, topic: Callable[[str], str]) -> None:
    """Records that arrive while a query is idle are its lag at once, and the status file always exists."""
    source, sink = topic("ahead"), topic("copy")
    query = start(session, servers, source, sink)
    status = Path(query.checkpoint.removeprefix("file:")) / "status.json"
    gone: list[BaseException] = []
    stop = threading.Event()

    def look() -> None:
        while not stop.is_set():
            try:
                json.loads(status.read_text())
            except (OSError, ValueError) as e:
                gone.append(e)

    watcher = threading.Thread(target=look)
    eventually(status.exists)
    watcher.start()
    try:
        session.sql(f"PAUSE {query.query_id}")
        serdes.produce(servers.kafka, source, [(None, b'{"v":1}')] * 2000)
        paused = session.sql("SHOW QUERIES").where(f"query_id = '{query.query_id}'").first()
        assert paused.lag == 2000
        session.sql(f"RESUME {query.query_id}")
        eventually(lambda: session.table(sink).count() == 2003)
        eventually(lambda: session.sql("SHOW QUERIES").where(f"query_id = '{query.query_id}'").first().lag == 0)
        session.sql(f"PAUSE {query.query_id}")
    finally:
        stop.set()
        watcher.join()
    assert gone == []
    assert json.loads(status.read_text())["read"] == 2003


def test_lag_while_a_batch_catches_up(
    session: SparkSession, servers: Servers, topic: Callable[[str], str], tmp_path: Path
) -> None:
    """All records of a running batch count as lag, from its begin to its end."""
    source, sink, gate, held = topic("much"), topic("caught"), tmp_path / "gate", tmp_path / "held"

    def passed(value: int) -> int:
        while gate.exists():
            held.touch()
            time.sleep(0.05)
        return value

    session.udf.register("passed", passed, "int")
    query = start(session, servers, source, sink, "passed(v) AS v")
    session.sql(f"PAUSE {query.query_id}")
    serdes.produce(servers.kafka, source, [(None, b'{"v":-1}')] * BEHIND)
    lags: list[int] = []

    def has_caught_up() -> bool:
        within = held.exists()
        (shown,) = session.sql("SHOW QUERIES").where(f"query_id = '{query.query_id}'").collect()
        if session.table(sink).count() == 3 + BEHIND:
            return True
        lags.append(shown.lag)
        # The batch ends when its lag has been seen.
        if within:
            gate.unlink(missing_ok=True)
        return False

    gate.touch()
    try:
        session.sql(f"RESUME {query.query_id}")
        eventually(has_caught_up)
    finally:
        gate.unlink(missing_ok=True)
    assert set(lags) == {BEHIND}
    eventually(lambda: session.sql("SHOW QUERIES").where(f"query_id = '{query.query_id}'").first().lag == 0)
