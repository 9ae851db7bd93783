"""Definitions by keyword arguments, and errors as classes."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest
from pyspark.sql import SparkSession
from pyspark.sql.types import ArrayType, IntegerType, StructField, StructType

import kafkalyst
from kafkalyst import errors, serdes

if TYPE_CHECKING:
    from conftest import Servers


def test_texts() -> None:
    """Names and values are quoted if necessary; errors for unknown properties have the nearest names."""
    text = kafkalyst.create_stream(
        "a.b c",
        StructType([StructField("select me", IntegerType())]),
        topic="it's",
        partitions=2,
        wrap_single_value=False,
        sink_delivery_guarantee="exactly-once",
        or_replace=True,
        run=False,
    )
    assert text == (
        "CREATE OR REPLACE STREAM a.`b c` (`select me` int) WITH (KAFKA_TOPIC = 'it''s', PARTITIONS = 2, "
        "WRAP_SINGLE_VALUE = 'false', 'SINK.DELIVERY-GUARANTEE' = 'exactly-once')"
    )
    table = kafkalyst.create_table("t", query="SELECT 1", value_format=None, if_not_exists=True, run=False)
    assert table == "CREATE TABLE IF NOT EXISTS t AS SELECT 1"
    nested = StructType([StructField("s", ArrayType(StructType([StructField("order by", IntegerType())])))])
    assert kafkalyst.create_stream("n", nested, key_fields=["a", "b"], value_types=["x.A", "x.B"], run=False) == (
        "CREATE STREAM n (s array<struct<`order by`: int>>) WITH ('KEY.FIELDS' = 'a;b', VALUE_TYPES = 'x.A,x.B')"
    )
    said = StructType().add("id", IntegerType(), False, {"comment": "Tom's"}).add("v", IntegerType())
    assert kafkalyst.create_stream("c", said, run=False) == (
        "CREATE STREAM c (id int NOT NULL COMMENT 'Tom''s', v int)"
    )
    with pytest.raises(TypeError, match="no property 'valu_format'; did you mean value_format"):
        kafkalyst.create_stream("s", valu_format="JSON")


@pytest.mark.parametrize("value", ["it's", "a\\b", "C:\\", "it\\'s", "''", "\\\\"])
def test_values_arrive(spark: SparkSession, topic: Callable[[str], str], servers: Servers, value: str) -> None:
    """Values of properties arrive unchanged, with quotes and backslashes."""
    name = topic("valued")
    kafkalyst.create_stream(
        name, "x STRING", topic=name, value_format="DELIMITED", value_null_literal=value, partitions=1, spark=spark
    )
    serdes.produce(servers.kafka, name, [(b"k", value.encode()), (b"k", b"other")])
    assert [row.x for row in spark.sql(f"SELECT x FROM {name}").collect()] == [None, "other"]


def test_run_and_typed_errors(spark: SparkSession, topic: Callable[[str], str]) -> None:
    """Created objects exist; a missing subject is its own exception with condition, SQLSTATE and details."""
    name = topic("defined")
    kafkalyst.create_stream(name, "x INT", topic=name, value_format="JSON", partitions=1, spark=spark)
    assert spark.table(name).columns == ["x"]
    missing = errors.SubjectNotFound
    with pytest.raises(missing) as raised:
        kafkalyst.create_stream(f"{name}_2", topic=name, value_format="AVRO", spark=spark)
    assert (raised.value.condition, raised.value.sqlstate) == ("KAFKALYST_SUBJECT_NOT_FOUND", "42704")
    assert raised.value.details["subject"] == f"{name}-value"
    assert isinstance(raised.value, kafkalyst.KafkalystError)
    with pytest.raises(ZeroDivisionError), errors.typed():
        _ = 1 / 0
    with pytest.raises(AttributeError, match="NoSuchThing"):
        _ = errors.NoSuchThing
