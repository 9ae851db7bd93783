"""The promises of docs/howto/migrate.md for jobs with Spark's own Kafka source: checkpoints and offsets."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from pyspark.sql import DataFrame, Row, SparkSession
from pyspark.sql import functions as F

from support.patience import PATIENCE_SECONDS

if TYPE_CHECKING:
    from conftest import Servers

Topic = Callable[[str], str]


def test_checkpoints(spark: SparkSession, servers: Servers, topic: Topic, tmp_path: Path) -> None:
    """If a query's source becomes Kafkalyst's, and back, it continues with the next record, and with its counts."""
    name = topic("moved")
    kafka = spark.readStream.format("kafka").option("kafka.bootstrap.servers", servers.kafka)
    kafka = kafka.option("subscribe", name).option("startingOffsets", "earliest")
    value = F.from_json(F.col("value").cast("string"), "v STRING")
    by_hand = kafka.load().select(value.alias("o")).select("o.*")
    spark.sql(f"CREATE STREAM {name} (v STRING) WITH (KAFKA_TOPIC = '{name}', VALUE_FORMAT = 'JSON', PARTITIONS = 2)")
    ours = spark.readStream.table(name).select("v")
    sent = 0
    for step, source in enumerate((by_hand, ours, by_hand, ours)):
        spark.sql(f"INSERT INTO {name} VALUES ('{step}'), ('{step}')")
        sent += 2
        rows = through(source, tmp_path / "rows", "append")
        assert [row["v"] for row in rows] == [str(step)] * 2
        assert through(source.groupBy().count(), tmp_path / "state", "complete")[-1]["count"] == sent


def through(rows: DataFrame, checkpoint: Path, mode: str) -> list[Row]:
    """The rows of a query with this checkpoint over all available records."""
    found: list[Row] = []
    writer = rows.writeStream.foreachBatch(lambda batch, _: found.extend(batch.collect())).outputMode(mode)
    query = writer.option("checkpointLocation", str(checkpoint)).trigger(availableNow=True).start()
    assert query.awaitTermination(PATIENCE_SECONDS)
    return found
