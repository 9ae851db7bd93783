"""kafka_decode and kafka_encode against independent libraries, and against tables."""

from __future__ import annotations

import io
import json
import random
import struct
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import fastavro
import pytest
from confluent_kafka import Consumer, TopicPartition
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from kafkalyst import errors, serdes
from kafkalyst.functions import kafka_decode, kafka_encode
from support.patience import PATIENCE_SECONDS

if TYPE_CHECKING:
    from conftest import Servers

COUNT = 2000
SCHEMA: dict[str, Any] = {
    "type": "record",
    "name": "Order",
    "fields": [
        {"name": "id", "type": "long"},
        {"name": "note", "type": ["null", "string"]},
        {"name": "items", "type": {"type": "array", "items": "string"}},
        {"name": "at", "type": {"type": "long", "logicalType": "timestamp-micros"}},
    ],
}


def order(rng: random.Random, number: int) -> dict[str, Any]:
    """One record of SCHEMA, with its timestamp as a number."""
    note = rng.choice([None, "", "ümläut €", "x" * 200])
    return {"id": number, "note": note, "items": ["a"] * rng.randint(0, 3), "at": rng.randint(0, 2**51)}


def kafka(spark: SparkSession, servers: Servers, topic: str) -> DataFrame:
    """The topic as Spark's own source reads it: bytes."""
    reader = spark.read.format("kafka").option("kafka.bootstrap.servers", servers.kafka)
    return reader.option("subscribe", topic).load()


@pytest.fixture
def orders(servers: Servers, topic: Callable[[str], str]) -> tuple[str, list[dict[str, Any]]]:
    """A topic with orders that fastavro wrote, and the orders."""
    name = topic("orders")
    rng = random.Random(3)
    records = [order(rng, n) for n in range(COUNT)]
    encode = serdes.avro_encoder(servers.registry, f"{name}-value", SCHEMA)
    serdes.create_topic(servers.kafka, name, 2)
    serdes.produce(servers.kafka, name, [(struct.pack(">i", n), encode(r)) for n, r in enumerate(records)])
    return name, records


def test_decoded_bytes_of_sparks_source_are_the_table(
    spark: SparkSession, servers: Servers, orders: tuple[str, list[dict[str, Any]]]
) -> None:
    """Key and value of Spark's own source, decoded, are equal to the table's rows and to fastavro's input."""
    name, records = orders
    raw = kafka(spark, servers, name)
    value = kafka_decode("value", "AVRO", {"subject": f"{name}-value"})
    key = kafka_decode(raw["key"], "kafka", {"schema": "INT"})
    decoded = raw.select(key.alias("n"), value.alias("v")).select("n", "v.*")
    spark.sql(f"CREATE STREAM {name} (n INT KEY) WITH (KAFKA_TOPIC = '{name}', VALUE_FORMAT = 'AVRO')")
    table = spark.table(name)
    assert [(f.name, f.dataType) for f in decoded.schema] == [(f.name, f.dataType) for f in table.schema]
    assert decoded.exceptAll(table).count() == 0 and table.exceptAll(decoded).count() == 0
    plain = decoded.withColumn("at", F.unix_micros("at")).orderBy("n").collect()
    assert [row.asDict() for row in plain] == [{"n": n, **record} for n, record in enumerate(records)]


def test_by_id_and_in_a_stream(
    spark: SparkSession, servers: Servers, orders: tuple[str, list[dict[str, Any]]], tmp_path: Path
) -> None:
    """A schema id gives the type as its subject does; streams decode, too."""
    name, _ = orders
    schema_id = serdes.request(servers.registry, "GET", f"/subjects/{name}-value/versions/latest")["id"]
    reader = spark.readStream.format("kafka").option("kafka.bootstrap.servers", servers.kafka)
    raw = reader.option("subscribe", name).option("startingOffsets", "earliest").load()
    decoded = raw.select(kafka_decode("value", "AVRO", {"schema.id": schema_id}).alias("v")).where("v.id % 2 = 0")
    out = decoded.select("v.id").writeStream.trigger(availableNow=True).format("parquet")
    query = out.option("checkpointLocation", str(tmp_path / "c")).start(str(tmp_path / "rows"))
    assert query.awaitTermination(PATIENCE_SECONDS)
    read = sorted(row["id"] for row in spark.read.parquet(str(tmp_path / "rows")).collect())
    assert read == list(range(0, COUNT, 2))


def test_encoded_bytes_are_read_by_others(spark: SparkSession, servers: Servers, topic: Callable[[str], str]) -> None:
    """fastavro and json read what kafka_encode encoded and Spark's own sink wrote; the registry has the schema once."""
    name = topic("made")
    serdes.create_topic(servers.kafka, name)
    rows = spark.range(0, 100, 1, 4).selectExpr("id", "concat('n', id) AS note", "array(id, NULL) AS list")
    value = kafka_encode(F.struct("id", "note", "list"), "AVRO", {"subject": f"{name}-value"})
    key = kafka_encode(F.struct("id"), "JSON")
    out = rows.select(key.alias("key"), value.alias("value")).write.format("kafka")
    out.option("kafka.bootstrap.servers", servers.kafka).option("topic", name).save()

    (version,) = serdes.request(servers.registry, "GET", f"/subjects/{name}-value/versions")
    registered = serdes.request(servers.registry, "GET", f"/subjects/{name}-value/versions/{version}")
    parsed = fastavro.parse_schema(json.loads(registered["schema"]))
    consumer = Consumer({"bootstrap.servers": servers.kafka, "group.id": "none", "enable.auto.commit": "false"})
    consumer.assign([TopicPartition(name, 0, 0)])
    messages = consumer.consume(100, PATIENCE_SECONDS)
    consumer.close()
    found = {}
    for message in messages:
        magic, schema_id = struct.unpack(">bI", message.value()[:5])
        assert (magic, schema_id) == (0, registered["id"])
        record = fastavro.schemaless_reader(io.BytesIO(message.value()[5:]), parsed, None)
        found[json.loads(message.key())["id"]] = {field.lower(): content for field, content in record.items()}
    assert found == {n: {"id": n, "note": f"n{n}", "list": [n, None]} for n in range(100)}


@pytest.mark.parametrize("whole_stage", ["true", "false"])
@pytest.mark.parametrize("factory", ["CODEGEN_ONLY", "NO_CODEGEN"])
def test_round_trip(spark: SparkSession, topic: Callable[[str], str], whole_stage: str, factory: str) -> None:
    """Values of all types survive every format that supports them, with generated code or not, after a shuffle."""
    conf = {"spark.sql.codegen.wholeStage": whole_stage, "spark.sql.codegen.factoryMode": factory}
    for name, value in conf.items():
        spark.conf.set(name, value)
    try:
        frame = spark.range(0, 200, 1, 3).selectExpr(
            """CASE WHEN id % 7 <> 0 THEN named_struct('i', CAST(id AS INT), 'd', id / 3,
               'dec', CAST(id AS DECIMAL(9, 2)),
               's', IF(id % 3 = 0, NULL, repeat('é', CAST(id AS INT))), 'b', CAST(CAST(id AS STRING) AS BINARY),
               'day', date_add(DATE'2024-01-01', CAST(id AS INT)), 'm', map('k', id), 'deep', array(struct(id AS x)),
               'ok', id % 2 = 0) END AS v"""
        )
        ddl = frame.schema["v"].dataType.simpleString()
        for format, writing, reading in (
            ("JSON", {}, {"schema": ddl}),
            ("AVRO", {"subject": f"{topic('trip')}-value"}, {"subject": f"{topic('trip')}-value"}),
            ("AVRO", {"subject": f"{topic('trip')}-value"}, {"schema": ddl}),
        ):
            encoded = frame.select("v", kafka_encode("v", format, writing).alias("e")).repartition(2, "e")
            both = encoded.select("v", kafka_decode("e", format, reading).alias("back"), "e")
            # Maps cannot be compared, so their texts are.
            wrong = both.where("to_json(v) IS DISTINCT FROM to_json(back) OR (v IS NULL) <> (e IS NULL)")
            assert wrong.count() == 0
            assert both.where("back.i + 1 = v.i + 1 AND size(back.deep) = 1").count() == 171
        bare = spark.range(5).select(
            kafka_decode(kafka_encode("id", "KAFKA"), "KAFKA", {"schema": "BIGINT"}).alias("n")
        )
        assert [row["n"] for row in bare.orderBy("n").collect()] == [0, 1, 2, 3, 4]
    finally:
        for name in conf:
            spark.conf.unset(name)


def test_bad_bytes_and_no_registry(spark: SparkSession) -> None:
    """Mode `null` turns bad bytes into NULL, but not a registry that is down."""
    raw = spark.createDataFrame([(b"\x00",), (b"\x00\x00\x00\x00\x01\x02",), (None,)], "value BINARY")
    options = {"schema": "id BIGINT", "mode": "null"}
    lost = raw.select(kafka_decode("value", "AVRO", options | {"mode": "fail"}))
    with pytest.raises(PySparkException) as failed:
        lost.collect()
    assert errors.condition(failed.value) == "KAFKALYST_FUNCTION_BYTES_NOT_DECODABLE"
    registry = spark.conf.get("spark.kafkalyst.schema.registry.url")
    spark.conf.set("spark.kafkalyst.schema.registry.url", "http://127.0.0.1:1")
    try:
        with pytest.raises(PySparkException) as failed:
            raw.select(kafka_decode("value", "AVRO", options)).collect()
        assert errors.condition(failed.value) == "KAFKALYST_REGISTRY_UNREACHABLE"
    finally:
        spark.conf.set("spark.kafkalyst.schema.registry.url", registry)
    short = raw.where("length(value) = 1 OR value IS NULL")
    assert [row[0] for row in short.select(kafka_decode("value", "AVRO", options)).collect()] == [None, None]
