"""Spark's real-time mode, since Spark 4.1: rows arrive at once, within batches that go on."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pyspark
import pytest
from confluent_kafka import Producer
from pyspark.errors import PySparkException, StreamingQueryException
from pyspark.sql import SparkSession
from pyspark.sql.streaming import StreamingQuery

from support.patience import PATIENCE_SECONDS
from support.records import eventually, everything

if TYPE_CHECKING:
    from conftest import Servers

TRIGGER = "spark.kafkalyst.query.trigger"
HAS_MODE = tuple(int(part) for part in pyspark.__version__.split(".")[:2]) >= (4, 1)
needs_mode = pytest.mark.skipif(not HAS_MODE, reason=f"Spark {pyspark.__version__} has no real-time mode")


def declare(spark: SparkSession, name: str, partitions: int = 2, more: str = "") -> None:
    """Declares a stream of numbers over a topic of the same name."""
    spark.sql(
        f"CREATE STREAM {name} (k INT KEY, v STRING) "
        f"WITH (KAFKA_TOPIC = '{name}', VALUE_FORMAT = 'JSON', PARTITIONS = {partitions}{more})"
    )


def insert(kafka: str, name: str, start: int, end: int) -> None:
    """Inserts the numbers of a range into two partitions; the query may occupy the session's two cores."""
    producer = Producer({"bootstrap.servers": kafka})
    for k in range(start, end):
        producer.produce(name, json.dumps({"v": f"v{k}"}), struct.pack(">i", k), partition=k % 2)
    producer.flush()


def keys(kafka: str, name: str) -> list[int]:
    """The column k, sorted."""
    return sorted(struct.unpack(">i", key or b"")[0] for key, _ in everything(kafka, name))


@contextmanager
def setting(spark: SparkSession, name: str, value: str) -> Iterator[None]:
    """Sets a setting for the duration of the block."""
    before = spark.conf.get(name, None)
    spark.conf.set(name, value)
    try:
        yield
    finally:
        spark.conf.unset(name) if before is None else spark.conf.set(name, before)


def copying(spark: SparkSession, source: str, sink: str, folder: Path, length: str) -> StreamingQuery:
    """Runs a query in real-time mode; only Spark 4.2's Python has the trigger."""
    writer = spark.readStream.table(source).writeStream.outputMode("update").option("checkpointLocation", str(folder))
    writer._jwrite.trigger(spark._jvm.org.apache.spark.sql.streaming.Trigger.RealTime(length))
    with setting(spark, "spark.sql.streaming.realTimeMode.allowlistCheck", "false"):
        return writer.toTable(sink)


@needs_mode
def test_rows_arrive_before_their_batch_ends(
    spark: SparkSession, servers: Servers, topic: Callable[[str], str], tmp_path: Path
) -> None:
    """Existing and later rows are written during the first batch."""
    source, sink = topic("source"), topic("sink")
    declare(spark, source)
    declare(spark, sink)
    insert(servers.kafka, source, 0, 20)
    query = copying(spark, source, sink, tmp_path, "10 minutes")
    try:
        eventually(lambda: keys(servers.kafka, sink) == list(range(20)))
        insert(servers.kafka, source, 20, 30)
        eventually(lambda: keys(servers.kafka, sink) == list(range(30)))
        assert query.lastProgress is None
    finally:
        query.stop()


@needs_mode
def test_restart_goes_on_behind_the_last_batch(
    spark: SparkSession, servers: Servers, topic: Callable[[str], str], tmp_path: Path
) -> None:
    """Rows of finished batches are written once, those of the stopped batch again; none is lost."""
    source, sink = topic("source"), topic("sink")
    declare(spark, source)
    declare(spark, sink)
    insert(servers.kafka, source, 0, 20)
    query = copying(spark, source, sink, tmp_path, "5 seconds")
    try:
        eventually(lambda: sum(p.numInputRows for p in query.recentProgress) == 20)
        assert query.lastProgress.sources[0].metrics["lagByPartition"] == f'{{"{source}":{{"0":0,"1":0}}}}'
    finally:
        query.stop()
    for start in (20, 40):
        insert(servers.kafka, source, start, start + 20)
        query = copying(spark, source, sink, tmp_path, "10 minutes")
        try:
            eventually(lambda start=start: set(keys(servers.kafka, sink)) == set(range(start + 20)))
        finally:
            query.stop()
    written = keys(servers.kafka, sink)
    assert written == sorted([*range(60), *range(20, 40)])
    # The checkpoint works with other triggers, too.
    writer = spark.readStream.table(source).writeStream.option("checkpointLocation", str(tmp_path))
    last = writer.trigger(availableNow=True).toTable(sink)
    assert last.awaitTermination(PATIENCE_SECONDS)
    assert keys(servers.kafka, sink) == sorted([*written, *range(20, 60)])


@needs_mode
def test_continuous_query_with_bad_records(spark: SparkSession, topic: Callable[[str], str]) -> None:
    """The setting; ON_ERROR; the counts of SHOW QUERIES after a batch; a pause that loses nothing."""
    source, sink, letters = topic("text"), topic("sink"), topic("letters")
    spark.sql(f"CREATE STREAM {source} (v STRING) WITH (KAFKA_TOPIC='{source}', VALUE_FORMAT='JSON', PARTITIONS=1)")
    numbers = topic("numbers")
    spark.sql(
        f"CREATE STREAM {numbers} (v INT) WITH (KAFKA_TOPIC = '{source}', VALUE_FORMAT = 'JSON', "
        f"ON_ERROR = 'dead-letter', DEAD_LETTER_TOPIC = '{letters}')"
    )
    spark.sql(f"INSERT INTO {source} VALUES ('1'), ('two'), ('3')")
    with setting(spark, TRIGGER, "real-time 5 SECONDS"):
        (started,) = spark.sql(f"CREATE STREAM {sink} AS SELECT v * 10 AS v FROM {numbers}").collect()
        query = started["query_id"]
        try:

            def values() -> list[int]:
                return sorted(row["v"] for row in spark.table(sink).collect())

            def shown() -> dict[str, object]:
                return spark.sql("SHOW QUERIES EXTENDED").where(f"query_id = '{query}'").first().asDict()

            eventually(lambda: values() == [10, 30])
            eventually(lambda: shown()["rows"] == 3)
            counts = shown()
            assert (counts["bad"], counts["dead_lettered"], counts["written"], counts["lag"]) == (1, 1, 2, 0)
            spark.sql(f"PAUSE {query}")
            spark.sql(f"INSERT INTO {source} VALUES ('four'), ('5')")
            spark.sql(f"RESUME {query}")
            eventually(lambda: set(values()) == {10, 30, 50})
            # The batch has ended: TERMINATE would repeat an open one, whose letter may not be written.
            eventually(lambda: shown()["rows"] == 5)
        finally:
            spark.sql(f"TERMINATE {query}")
    spark.sql(f"CREATE STREAM {letters} (v STRING) WITH (KAFKA_TOPIC = '{letters}', VALUE_FORMAT = 'JSON')")
    assert [row["v"] for row in spark.table(letters).collect()] == ["two", "four"]


@needs_mode
def test_a_bad_record_fails_the_query(spark: SparkSession, topic: Callable[[str], str], tmp_path: Path) -> None:
    """ON_ERROR = fail ends the batch of the bad record."""
    source, sink = topic("text"), topic("sink")
    spark.sql(f"CREATE STREAM {source} (v STRING) WITH (KAFKA_TOPIC='{source}', VALUE_FORMAT='JSON', PARTITIONS=1)")
    spark.sql(f"CREATE STREAM {source}_n (v INT) WITH (KAFKA_TOPIC='{source}', VALUE_FORMAT='JSON')")
    spark.sql(f"CREATE STREAM {sink} (v INT) WITH (KAFKA_TOPIC='{sink}', VALUE_FORMAT='JSON', PARTITIONS=1)")
    query = copying(spark, f"{source}_n", sink, tmp_path, "10 minutes")
    try:
        spark.sql(f"INSERT INTO {source} VALUES ('1'), ('two')")
        with pytest.raises(StreamingQueryException) as failed:
            query.awaitTermination(PATIENCE_SECONDS)
        assert "KAFKALYST_RECORD_NOT_DECODABLE" in str(failed.value)
    finally:
        query.stop()


@needs_mode
def test_what_is_refused(spark: SparkSession, topic: Callable[[str], str], tmp_path: Path) -> None:
    """State, exactly-once, and more partitions than cores are refused, and nothing is left."""
    source, sink = topic("source"), topic("sink")
    declare(spark, source)
    with setting(spark, TRIGGER, "real-time"):
        for statement, condition in (
            (
                f"CREATE TABLE {sink} AS SELECT k, count(*) AS n FROM {source} GROUP BY k EMIT CHANGES",
                "REAL_TIME_WITH_STATE",
            ),
            (
                f"CREATE STREAM {sink} WITH ('sink.delivery-guarantee' = 'exactly-once') AS SELECT k, v FROM {source}",
                "EXACTLY_ONCE_REAL_TIME",
            ),
        ):
            with pytest.raises(PySparkException) as refused:
                spark.sql(statement)
            assert refused.value.getCondition() == f"KAFKALYST_{condition}"
            assert spark.sql("SHOW STREAMS").where(f"name = '{sink}'").count() == 0
    declare(spark, sink, more=", 'sink.delivery-guarantee' = 'exactly-once'")
    wide, plain = topic("wide"), topic("plain")
    declare(spark, wide, partitions=3)
    declare(spark, plain)
    for frm, to, condition in ((source, sink, "EXACTLY_ONCE_REAL_TIME"), (wide, plain, "REAL_TIME_SLOTS")):
        query = copying(spark, frm, to, tmp_path / condition, "10 minutes")
        with pytest.raises(StreamingQueryException) as ended:
            query.awaitTermination(PATIENCE_SECONDS)
        assert f"KAFKALYST_{condition}" in str(ended.value)


@pytest.mark.skipif(HAS_MODE, reason="this Spark has real-time mode")
def test_spark_without_the_mode(spark: SparkSession, topic: Callable[[str], str]) -> None:
    """On Spark 4.0 the error says which Spark versions have the mode."""
    source = topic("source")
    declare(spark, source)
    with setting(spark, TRIGGER, "real-time"), pytest.raises(PySparkException) as refused:
        spark.sql(f"CREATE STREAM {topic('sink')} AS SELECT k, v FROM {source}")
    assert refused.value.getCondition() == "KAFKALYST_REAL_TIME_NOT_IN_SPARK"
