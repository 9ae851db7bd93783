"""Unbounded reads and writes: DataFrame API, admission, restart from a checkpoint, continuous queries."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

from support.patience import PATIENCE_SECONDS
from support.records import eventually


def declare(spark: SparkSession, name: str, partitions: int = 1) -> None:
    """Declares a stream of numbers over a topic of the same name."""
    spark.sql(
        f"CREATE STREAM {name} (k INT KEY, v STRING) "
        f"WITH (KAFKA_TOPIC = '{name}', VALUE_FORMAT = 'JSON', PARTITIONS = {partitions})"
    )


def insert(spark: SparkSession, name: str, start: int, end: int) -> None:
    """Inserts the numbers of a range."""
    spark.sql(f"INSERT INTO {name} SELECT cast(id AS INT), concat('v', id) FROM range({start}, {end})")


def keys(frame: DataFrame) -> list[int]:
    """The column k, sorted."""
    return sorted(row["k"] for row in frame.select("k").collect())


def test_dataframe_api(spark: SparkSession, topic: Callable[[str], str]) -> None:
    """spark.table, spark.read, writeTo and toTable work on an object as on any table."""
    name = topic("api")
    declare(spark, name)
    spark.range(3).selectExpr("cast(id AS INT) AS k", "'a' AS v").writeTo(name).append()
    spark.range(3, 5).selectExpr("cast(id AS INT) AS k").writeTo(name).append()
    assert keys(spark.table(name)) == [0, 1, 2, 3, 4]
    by_options = spark.read.format("kafkalyst").options(KAFKA_TOPIC=name, VALUE_FORMAT="JSON").schema("v STRING").load()
    assert by_options.where("v = 'a'").count() == 3


@pytest.mark.parametrize("spelled", ["startingOffsets", "startingoffsets", "STARTINGOFFSETS"])
def test_start_of_a_read(spark: SparkSession, topic: Callable[[str], str], spelled: str) -> None:
    """A reader's option overrides the table's own start, in any spelling of the option and the topic."""
    name = topic("start")
    declare(spark, name)
    insert(spark, name, 0, 5)
    option = {spelled: f'{{"{name}": {{"0": 3}}}}'}

    def offsets(frame: DataFrame) -> list[int]:
        return sorted(row["ROWOFFSET"] for row in frame.select("ROWOFFSET").collect())

    by_topic = spark.read.format("kafkalyst").option("topic", name).options(**option).load()
    assert by_topic.count() == 2
    assert offsets(by_topic) == [3, 4]
    assert offsets(spark.read.options(**option).table(name)) == [3, 4]
    assert offsets(spark.sql(f"SELECT * FROM {name} WITH (`{spelled}` = '{option[spelled]}')")) == [3, 4]
    start = "'scan.startup.mode' = 'timestamp', 'scan.startup.timestamp-millis' = '1'"
    spark.sql(f"ALTER TABLE {name} SET TBLPROPERTIES ({start})")
    assert offsets(spark.read.options(**option).table(name)) == [3, 4]


def test_restart_from_checkpoint(spark: SparkSession, topic: Callable[[str], str], tmp_path: Path) -> None:
    """A restarted query continues where it stopped, with admission as in Spark's Kafka source."""
    source, sink = topic("source"), topic("sink")
    declare(spark, source, 2)
    declare(spark, sink)
    insert(spark, source, 0, 10)

    def run() -> int:
        frame = spark.readStream.option("maxOffsetsPerTrigger", 4).table(source)
        writer = frame.writeStream.option("checkpointLocation", str(tmp_path)).trigger(availableNow=True)
        query = writer.toTable(sink)
        assert query.awaitTermination(PATIENCE_SECONDS)
        return sum(1 for progress in query.recentProgress if progress.numInputRows)

    assert run() >= 3
    assert keys(spark.table(sink)) == list(range(10))
    insert(spark, source, 10, 15)
    run()
    assert keys(spark.table(sink)) == list(range(15))


def test_life_of_a_continuous_query(spark: SparkSession, topic: Callable[[str], str]) -> None:
    """A continuous query follows its source, is listed, prevents a DROP of its source, and ends."""
    source, sink = topic("facts"), topic("derived")
    declare(spark, source)
    insert(spark, source, 0, 3)
    spark.conf.set("spark.kafkalyst.query.trigger", "continuous")
    statement = f"CREATE STREAM {sink} AS SELECT k, upper(v) AS v FROM {source} WHERE k <> 1"
    (started,) = spark.sql(statement).collect()
    try:
        assert started["state"] == "RUNNING"
        eventually(lambda: keys(spark.table(sink)) == [0, 2])
        insert(spark, source, 3, 5)
        eventually(lambda: keys(spark.table(sink)) == [0, 2, 3, 4])
        eventually(lambda: spark.sql("SHOW QUERIES").where(f"query_id = '{started['query_id']}'").first()["lag"] == 0)
        (shown,) = spark.sql("SHOW QUERIES").where(f"query_id = '{started['query_id']}'").collect()
        assert (shown["state"], shown["rows"], shown["error"]) == ("RUNNING", 5, None)
        assert shown["sink"].endswith(sink) and shown["sources"].endswith(source)
        for statement in (f"DROP STREAM {source}", f"DROP TABLE {source}"):
            with pytest.raises(PySparkException) as refused:
                spark.sql(statement)
            assert refused.value.getCondition() == "KAFKALYST_OBJECT_IN_USE"
            assert started["query_id"] in str(refused.value)
    finally:
        spark.sql(f"TERMINATE {started['query_id']}")
        spark.conf.unset("spark.kafkalyst.query.trigger")
    assert spark.sql("SHOW QUERIES").where(f"query_id = '{started['query_id']}'").count() == 0
    spark.sql(f"DROP STREAM {source}")
    assert keys(spark.table(sink)) == [0, 2, 3, 4]


def test_a_bad_record_stops_the_query_and_is_named(spark: SparkSession, topic: Callable[[str], str]) -> None:
    """With available-now the statement itself fails with the record's position."""
    source = topic("bad")
    spark.sql(f"CREATE STREAM {source} (v STRING) WITH (KAFKA_TOPIC='{source}', VALUE_FORMAT='JSON', PARTITIONS=1)")
    spark.sql(f"INSERT INTO {source} VALUES ('text')")
    wrong = topic("wrong")
    spark.sql(f"CREATE STREAM {wrong} (v INT) WITH (KAFKA_TOPIC = '{source}', VALUE_FORMAT = 'JSON')")
    spark.conf.set("spark.kafkalyst.query.trigger", "available-now")
    try:
        with pytest.raises(PySparkException) as failed:
            spark.sql(f"CREATE STREAM {topic('copy')} AS SELECT v FROM {wrong}")
    finally:
        spark.conf.unset("spark.kafkalyst.query.trigger")
    assert failed.value.getCondition() == "KAFKALYST_RECORD_NOT_DECODABLE"
    assert failed.value.getSqlState() == "22000"
    assert spark.sql("SHOW STREAMS").where(f"name = '{topic('copy')}'").count() == 0
