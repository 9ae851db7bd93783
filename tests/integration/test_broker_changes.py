"""Changes of a broker and its topics while queries run, and leftovers of queries in their process."""

from __future__ import annotations

import os
import signal
import time
import uuid
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from confluent_kafka import Consumer, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewPartitions
from pyspark import InheritableThread
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from pyspark.sql.streaming import StreamingQuery

from support.broker import broker
from support.patience import PATIENCE_SECONDS
from support.records import eventually, everything

if TYPE_CHECKING:
    from conftest import Servers

STOPPED_SECONDS = 30.0
ROWS = 200
# The number of tasks that run at once.
TASKS = 2
SLOW_ROWS = 10_000  # of 100 ms each


def declare(session: SparkSession, name: str, partitions: int = 2) -> None:
    """Declares a stream of numbered rows that is written exactly once."""
    session.sql(
        f"CREATE STREAM {name} (k INT KEY, v STRING) WITH (KAFKA_TOPIC = '{name}', VALUE_FORMAT = 'JSON', "
        f"PARTITIONS = {partitions}, 'sink.delivery-guarantee' = 'exactly-once')"
    )


def send(kafka: str, topic: str, rows: range) -> None:
    """Sends rows with these numbers to any of the current partitions."""
    producer = Producer({"bootstrap.servers": kafka, "topic.metadata.refresh.interval.ms": 500})
    for k in rows:
        producer.produce(topic, key=k.to_bytes(4, "big"), value=b'{"v": "x"}')
    assert producer.flush(PATIENCE_SECONDS) == 0


def sent(kafka: str, topic: str) -> int:
    """The number of records, including those of open transactions."""
    consumer = Consumer({"bootstrap.servers": kafka, "group.id": "sent", "isolation.level": "read_uncommitted"})
    try:
        return sum(consumer.get_watermark_offsets(TopicPartition(topic, partition))[1] for partition in range(2))
    finally:
        consumer.close()


@contextmanager
def copying(session: SparkSession, source: str, sink: str, checkpoint: Path) -> Iterator[StreamingQuery]:
    """Runs a query from one topic to the other."""
    query = session.readStream.table(source).writeStream.option("checkpointLocation", str(checkpoint)).toTable(sink)
    try:
        yield query
    finally:
        query.stop()


def until(query: StreamingQuery, kafka: str, sink: str, rows: int) -> None:
    """Waits until the sink has this many rows, each once."""
    end = time.monotonic() + PATIENCE_SECONDS
    while len(everything(kafka, sink)) < rows:
        assert query.isActive, query.exception()
        assert time.monotonic() < end
        time.sleep(0.5)
    found = Counter(int.from_bytes(key or b"", "big") for key, _ in everything(kafka, sink))
    assert found == Counter(range(rows))


def test_a_stopped_broker(spark: SparkSession, topic: Callable[[str], str], tmp_path: Path) -> None:
    """A query survives a broker that does not answer for half a minute, without a restart; so does an INSERT."""
    source, sink, filled = topic("source"), topic("sink"), topic("filled")
    (tmp_path / "broker").mkdir()
    with broker(tmp_path / "broker", {}) as started:
        session = spark.newSession()
        session.conf.set("spark.kafkalyst.bootstrap.servers", started.kafka)
        for name in (source, sink, filled):
            declare(session, name)
        # Slow until the property is set.
        wait = f"if(reflect('java.lang.System', 'getProperty', '{filled}') IS NULL, 100L, 0L)"
        late = f"nvl(reflect('java.lang.Thread', 'sleep', {wait}), 'x') AS v"
        rows = session.range(0, SLOW_ROWS, 1, TASKS).selectExpr("cast(id AS INT) AS k", late)
        try:
            with ThreadPoolExecutor(1) as pool, copying(session, source, sink, tmp_path / "checkpoint") as query:
                send(started.kafka, source, range(ROWS))
                until(query, started.kafka, sink, ROWS)
                send(started.kafka, source, range(ROWS, 2 * ROWS))
                inserted = pool.submit(rows.writeTo(filled).append)
                try:
                    eventually(lambda: sent(started.kafka, filled) > 0)
                    os.kill(started.pid, signal.SIGSTOP)
                    time.sleep(STOPPED_SECONDS)
                    assert not inserted.done(), inserted.exception(0)
                finally:
                    session._jvm.java.lang.System.setProperty(filled, "fast")
                    os.kill(started.pid, signal.SIGCONT)
                until(query, started.kafka, sink, 2 * ROWS)
                inserted.result(PATIENCE_SECONDS)
                until(query, started.kafka, filled, SLOW_ROWS)
        finally:
            for name in (source, sink, filled):
                session.sql(f"DROP TABLE {name}")


def test_partitions_that_are_added(
    spark: SparkSession, servers: Servers, topic: Callable[[str], str], tmp_path: Path
) -> None:
    """Added partitions are read from their beginning, while rows arrive."""
    source, sink = topic("source"), topic("sink")
    declare(spark, source)
    declare(spark, sink)
    admin = AdminClient({"bootstrap.servers": servers.kafka})
    with copying(spark, source, sink, tmp_path) as query:
        send(servers.kafka, source, range(ROWS))
        for added in admin.create_partitions([NewPartitions(source, 5)]).values():
            added.result()
        # Producers learn of them a moment later.
        eventually(lambda: len(admin.list_topics(source).topics[source].partitions) == 5)
        send(servers.kafka, source, range(ROWS, 5 * ROWS))
        until(query, servers.kafka, sink, 5 * ROWS)
    partitions = spark.sql(f"SELECT count(DISTINCT ROWPARTITION) FROM {source}").first()
    assert partitions is not None and partitions[0] == 5


def test_a_topic_that_is_deleted(
    spark: SparkSession, servers: Servers, topic: Callable[[str], str], tmp_path: Path
) -> None:
    """The query fails with an error that names the topic, because unread rows may be lost."""
    source, sink = topic("source"), topic("sink")
    declare(spark, source)
    declare(spark, sink)
    send(servers.kafka, source, range(ROWS))
    admin = AdminClient({"bootstrap.servers": servers.kafka})
    with copying(spark, source, sink, tmp_path) as query:
        until(query, servers.kafka, sink, ROWS)
        admin.delete_topics([source])[source].result()
        with pytest.raises(PySparkException) as failed:
            query.awaitTermination(PATIENCE_SECONDS)
    assert f"[KAFKALYST_TOPIC_DELETED] The topic {source} " in str(failed.value)


def connections(process: int, port: int) -> int:
    """The number of a process's connections to this port."""
    established = "01"
    lines = [line.split() for name in ("tcp", "tcp6") for line in Path("/proc/net", name).read_text().splitlines()[1:]]
    inodes = {words[9] for words in lines if words[3] == established and int(words[2].rpartition(":")[2], 16) == port}
    held = 0
    for file in Path(f"/proc/{process}/fd").iterdir():
        with suppress(FileNotFoundError):
            held += str(file.readlink()).removeprefix("socket:[").removesuffix("]") in inodes
    return held


def until_cancelled(spark: SparkSession, statement: str) -> None:
    """Runs a statement with endless tasks, and cancels its job group while they run."""
    group, sc = uuid.uuid4().hex, spark.sparkContext
    ended: list[str] = []

    def run() -> None:
        sc.setJobGroup(group, statement, interruptOnCancel=True)
        try:
            spark.sql(statement).collect()
        except Exception as e:
            ended.append(str(e))

    thread = InheritableThread(run)
    thread.start()
    tracker = sc.statusTracker()

    def runs() -> bool:
        jobs = [tracker.getJobInfo(job) for job in tracker.getJobIdsForGroup(group)]
        stages = [tracker.getStageInfo(stage) for job in jobs if job for stage in job.stageIds]
        return any(stage and stage.numActiveTasks for stage in stages)

    eventually(runs)
    time.sleep(1)
    sc.cancelJobGroup(group)
    thread.join(PATIENCE_SECONDS)
    assert not thread.is_alive() and "cancelled" in ended[0], ended


def test_what_is_stopped_leaves_no_clients(
    spark: SparkSession, servers: Servers, topic: Callable[[str], str], tmp_path: Path
) -> None:
    """Stopped and terminated queries, and cancelled and failed statements, leave no clients."""
    source, sink = topic("source"), topic("sink")
    declare(spark, source)
    declare(spark, sink)
    send(servers.kafka, source, range(ROWS))
    endless = f"SELECT k, if(k = 100, reflect('java.lang.Thread', 'sleep', 600000L), v) AS v FROM {source}"
    failing = f"SELECT k, if(k = 100, raise_error('x'), v) AS v FROM {source}"
    process, port = spark.sparkContext._gateway.proc.pid, int(servers.kafka.rpartition(":")[2])

    def clients() -> tuple[int, int]:
        """Threads of clients, and connections to the broker: consumers have no threads."""
        threads = spark._jvm.java.lang.Thread.getAllStackTraces().keySet()
        return sum("kafka" in thread.getName() for thread in threads), connections(process, port)

    counts = []
    for turn in range(6):
        with copying(spark, source, sink, tmp_path / str(turn)) as query:
            query.processAllAvailable()
        for statement in (endless, f"INSERT INTO {sink} {endless}"):
            until_cancelled(spark, statement)
        for statement in (failing, f"INSERT INTO {sink} {failing}"):
            with pytest.raises(PySparkException):
                spark.sql(statement).collect()
        made = spark.sql(f"CREATE STREAM {topic(f'made{turn}')} AS SELECT k, v FROM {source}").first()
        spark.sql(f"TERMINATE {made['query_id']}")
        counts.append(clients())
    assert counts[1][1] > 0, "connections are not seen"
    # Clients close soon after their use, and a pool keeps one more for each task that ran at once. A leak grows by
    # one or more in each turn, beyond that, and stays.
    limits = [max(kind) + TASKS for kind in zip(*counts[:3], strict=True)]
    end = time.monotonic() + PATIENCE_SECONDS
    while any(now > limit for now, limit in zip(clients(), limits, strict=True)):
        assert time.monotonic() < end, (counts, clients())
        time.sleep(1)
