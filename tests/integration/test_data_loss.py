"""Records that are deleted before they are read."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest
from confluent_kafka import TopicPartition
from confluent_kafka.admin import AdminClient
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from kafkalyst import errors, serdes
from support.patience import PATIENCE_SECONDS
from support.records import eventually

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Servers


def test_fail_on_data_loss(spark: SparkSession, servers: Servers, topic: Callable[[str], str], tmp_path: Path) -> None:
    """A read fails at deleted records, unless the object or the read has failOnDataLoss=false."""
    name = topic("loss")
    columns = f"(v INT) WITH (KAFKA_TOPIC = '{name}', VALUE_FORMAT = 'JSON', PARTITIONS = 1"
    spark.sql(f"CREATE STREAM {name} {columns})")
    spark.sql(f"CREATE STREAM {name}_on {columns}, 'failOnDataLoss' = 'false')")

    def read(source: str, **options: str) -> list[int]:
        """The rows of one more run of the source's query."""
        rows: list[int] = []
        query = (
            spark.readStream.options(**options)
            .table(source)
            .writeStream.option("checkpointLocation", str(tmp_path / f"{source}{len(options)}"))
            .foreachBatch(lambda df, _: rows.extend(row.v for row in df.collect()))
            .trigger(availableNow=True)
            .start()
        )
        assert query.awaitTermination(PATIENCE_SECONDS)
        return rows

    spark.sql(f"INSERT INTO {name} VALUES (1), (2)")
    assert read(name) == read(f"{name}_on") == read(name, failOnDataLoss="false") == [1, 2]
    spark.sql(f"INSERT INTO {name} VALUES (3), (4)")
    admin, head = (
        AdminClient({"bootstrap.servers": servers.kafka}),
        [TopicPartition(name, 0, 3)],
    )
    admin.delete_records(head)[head[0]].result(30)
    with pytest.raises(PySparkException) as failed:
        read(name)
    assert errors.condition(failed.value)
    assert read(f"{name}_on") == read(name, failOnDataLoss="false") == [4]


def test_a_start_that_is_gone(spark: SparkSession, servers: Servers, topic: Callable[[str], str]) -> None:
    """A bounded read is refused if its first offset is deleted."""
    name = topic("gone")
    spark.sql(f"CREATE STREAM {name} (v INT) WITH (KAFKA_TOPIC = '{name}', VALUE_FORMAT = 'JSON', PARTITIONS = 1)")
    spark.sql(f"INSERT INTO {name} VALUES (1), (2), (3)")
    admin, head = AdminClient({"bootstrap.servers": servers.kafka}), [TopicPartition(name, 0, 2)]
    admin.delete_records(head)[head[0]].result(30)

    def read(offset: int) -> list[int]:
        start = (
            f"'scan.startup.mode' = 'specific-offsets', 'scan.startup.specific-offsets' = 'partition:0,offset:{offset}'"
        )
        return [row.v for row in spark.sql(f"SELECT v FROM {name} /*+ OPTIONS({start}) */").collect()]

    with pytest.raises(PySparkException) as refused:
        read(0)
    assert errors.condition(refused.value) == "KAFKALYST_START_OFFSET_OUT_OF_RANGE"
    assert read(2) == [row.v for row in spark.table(name).collect()] == [3]


def test_a_topic_that_is_shorter_than_planned(
    spark: SparkSession, servers: Servers, topic: Callable[[str], str]
) -> None:
    """A read whose planned end no longer exists ends at the current end, or fails; it does not wait for records."""
    name = topic("shorter")
    serdes.create_topic(servers.kafka, name, 1)
    for object, more in ((name, ""), (f"{name}_on", ", 'failOnDataLoss' = 'false'")):
        spark.sql(f"CREATE STREAM {object} (v INT) WITH (KAFKA_TOPIC = '{name}', VALUE_FORMAT = 'JSON'{more})")
    spark.sql(f"INSERT INTO {name} VALUES (1), (2), (3)")
    reader = spark.read.option("kafkaConsumer.pollTimeoutMs", 5000)
    failing, going_on = reader.table(name).rdd, reader.table(f"{name}_on").rdd
    # This plans the read up to the third record.
    assert failing.getNumPartitions() == going_on.getNumPartitions() == 1
    admin = AdminClient({"bootstrap.servers": servers.kafka})
    admin.delete_topics([name])[name].result(30)
    eventually(lambda: name not in admin.list_topics(timeout=30).topics)
    serdes.create_topic(servers.kafka, name, 1)
    spark.sql(f"INSERT INTO {name} VALUES (7)")
    with pytest.raises(PySparkException) as failed:
        failing.collect()
    assert str(errors.condition(failed.value)).startswith("KAFKALYST_")
    assert [row.v for row in going_on.collect()] == [7]
