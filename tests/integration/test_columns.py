"""The columns of topics as Spark's own tools see them: comments, schemas of readers, and what files keep of them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import Row, SparkSession

from kafkalyst import serdes

if TYPE_CHECKING:
    from conftest import Servers


@pytest.fixture
def kafka(spark: SparkSession, servers: Servers) -> SparkSession:
    """A session with the cluster as the catalog `kafka`."""
    session = spark.newSession()
    session.conf.set("spark.sql.catalog.kafka", "io.kafkalyst.KafkaCatalog")
    session.conf.set("spark.sql.catalog.kafka.bootstrap.servers", servers.kafka)
    session.conf.set("spark.sql.catalog.kafka.schema.registry.url", servers.registry)
    return session


def comments(spark: SparkSession, name: str) -> list[tuple[str, str | None]]:
    """The columns that Spark's Catalog lists, with their comments."""
    return [(column.name, column.description) for column in spark.catalog.listColumns(name)]


@pytest.mark.parametrize("catalog", ["spark_catalog.default", "kafka"])
def test_comments(kafka: SparkSession, topic: Callable[[str], str], catalog: str) -> None:
    """Spark's Catalog, schemas and DESCRIBE have the comments of columns and of the object, and a copy keeps them."""
    name = topic("commented")
    full = f"{catalog}.{name}"
    kafka.sql(
        f"CREATE STREAM {full} (k INT KEY COMMENT 'the key', id INT COMMENT 'the id', d STRING, "
        f"twice AS id * 2 COMMENT 'computed') COMMENT 'all of it' "
        f"WITH (KAFKA_TOPIC = '{name}', VALUE_FORMAT = 'JSON', PARTITIONS = 1)"
    )
    assert comments(kafka, full) == [("k", "the key"), ("id", "the id"), ("d", None)]
    assert kafka.catalog.getTable(full).description == "all of it"
    listed = {table.name: table.description for table in kafka.catalog.listTables(catalog)}
    assert listed[name] == "all of it"
    fields = kafka.table(full).schema.fields
    assert [field.metadata.get("comment") for field in fields] == ["the key", "the id", None, "computed"]
    described = kafka.sql(f"DESCRIBE {full} id").collect()
    assert ("comment", "the id") in [tuple(row) for row in described]
    kafka.sql(f"COMMENT ON TABLE {full} IS 'some of it'")
    assert kafka.catalog.getTable(full).description == "some of it"
    copy = topic("copy_of_commented")
    kafka.sql(f"CREATE TABLE spark_catalog.default.{copy} USING parquet AS SELECT * FROM {full}")
    assert comments(kafka, f"spark_catalog.default.{copy}")[:2] == [("k", "the key"), ("id", "the id")]
    kafka.sql(f"DROP TABLE spark_catalog.default.{copy}")


def test_comments_of_using(spark: SparkSession, topic: Callable[[str], str]) -> None:
    """CREATE TABLE … USING keeps them, too."""
    name = topic("used")
    spark.sql(
        f"CREATE TABLE {name} (id INT COMMENT 'the id') USING kafkalyst "
        f"OPTIONS (kafka_topic '{name}', value_format 'JSON')"
    )
    assert comments(spark, name) == [("id", "the id")]
    spark.sql(f"DROP TABLE {name}")


def test_comments_of_schemas(kafka: SparkSession, servers: Servers, topic: Callable[[str], str]) -> None:
    """The doc of a field in the registry is the comment of its inferred column."""
    name = topic("documented")
    serdes.create_topic(servers.kafka, name)
    field = {"name": "id", "type": "int", "doc": "the order's number"}
    record = {"type": "record", "name": "Order", "fields": [field, {"name": "d", "type": "string"}]}
    serdes.register(servers.registry, f"{name}-value", record)
    assert comments(kafka, f"kafka.{name}")[-2:] == [("id", "the order's number"), ("d", None)]
    described = {row[0]: row[2] for row in kafka.sql(f"DESCRIBE kafka.{name}").collect()}
    assert described["id"] == "the order's number"


def test_schema_of_a_reader(kafka: SparkSession, topic: Callable[[str], str], tmp_path: Path) -> None:
    """Without a format, `.schema(…)` chooses columns, their order and wider types; a narrower type is refused."""
    name = topic("chosen")
    kafka.sql(f"CREATE STREAM kafka.{name} (k INT KEY, id INT, d STRING) WITH (VALUE_FORMAT = 'JSON', PARTITIONS = 1)")
    kafka.sql(f"INSERT INTO kafka.{name} VALUES (1, 2, 'x')")
    read = kafka.read.format("kafkalyst").option("topic", name)
    chosen = read.schema("d STRING, ID BIGINT").load()
    assert chosen.dtypes == [("d", "string"), ("ID", "bigint")]
    assert chosen.collect() == [Row(d="x", ID=2)]
    assert chosen.where("id = 2").select("d").collect() == [Row(d="x")]
    assert kafka.read.format("kafkalyst").option("topic", name).load().columns == ["k", "id", "d"]
    stream = kafka.readStream.format("kafkalyst").option("topic", name).schema("id BIGINT, k INT").load()
    written = stream.writeStream.format("parquet").option("checkpointLocation", str(tmp_path / "checkpoint"))
    query = written.trigger(availableNow=True).option("path", str(tmp_path / "rows")).start()
    query.awaitTermination(120)
    rows = kafka.read.parquet(str(tmp_path / "rows"))
    assert (rows.dtypes, rows.collect()) == ([("id", "bigint"), ("k", "int")], [Row(id=2, k=1)])
    for frames in (kafka.read, kafka.readStream):
        with pytest.raises(AnalysisException) as raised:
            frames.format("kafkalyst").option("topic", name).schema("id SMALLINT").load()
        assert raised.value.getCondition() == "KAFKALYST_READER_SCHEMA"
        assert "id as SMALLINT" in str(raised.value) and "it is INT" in str(raised.value)
    # A writer's rows are matched by their names, whatever their order.
    chosen.selectExpr("ID AS id", "d", "7 AS k").write.format("kafkalyst").option("topic", name).mode("append").save()
    assert sorted(kafka.table(f"kafka.{name}").collect()) == [(1, 2, "x"), (7, 2, "x")]


def test_files_have_no_keys(kafka: SparkSession, topic: Callable[[str], str], tmp_path: Path) -> None:
    """Columns of files and tables are no topic's, even if a topic's rows filled them."""
    name = topic("filed")
    kafka.sql(
        f"CREATE STREAM kafka.{name} (k INT KEY, p INT METADATA FROM 'partition' VIRTUAL, v STRING) "
        "WITH (VALUE_FORMAT = 'JSON', PARTITIONS = 1)"
    )
    kafka.sql(f"INSERT INTO kafka.{name} VALUES (1, 'x')")
    rows = kafka.table(f"kafka.{name}")
    assert rows.schema["k"].metadata == {"kafkalyst.role": "key"}
    rows.write.parquet(str(tmp_path / "files"))
    table = topic("table_of_files")
    rows.write.saveAsTable(f"spark_catalog.default.{table}")
    for read in (
        kafka.read.parquet(str(tmp_path / "files")),
        kafka.table(f"spark_catalog.default.{table}"),
        kafka.sql(f"SELECT k, p, v FROM spark_catalog.default.{table} WHERE k = 1"),
        kafka.readStream.schema(rows.schema).parquet(str(tmp_path / "files")),
    ):
        assert [field.metadata for field in read.schema] == [{}, {}, {}]
    again = topic("again")
    kafka.sql(f"CREATE TABLE kafka.{again} USING kafkalyst AS SELECT * FROM spark_catalog.default.{table}")
    described = {row[0]: row[2] for row in kafka.sql(f"DESCRIBE kafka.{again}").collect()}
    assert (described["k"], described["p"]) == ("", "")
    assert kafka.table(f"kafka.{again}").collect() == [(1, 0, "x")]
    kafka.sql(f"DROP TABLE spark_catalog.default.{table}")
