"""Tests of `kafkalyst.describe`."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest
from pyspark.sql import SparkSession

import kafkalyst
from kafkalyst import errors, serdes

if TYPE_CHECKING:
    from conftest import Servers


def test_a_topic_with_schemas(spark: SparkSession, topic: Callable[[str], str]) -> None:
    """Partitions with offsets and bytes, the versions of its subject, and decoded rows."""
    name = topic("described")
    spark.sql(f"CREATE STREAM {name} (k INT KEY, a INT) WITH (KAFKA_TOPIC = '{name}', FORMAT = 'AVRO', PARTITIONS = 2)")
    spark.sql(f"INSERT INTO {name} VALUES (1, 10), (2, 20), (3, 30)")
    spark.sql(f"ALTER STREAM {name} ADD COLUMN b STRING")
    spark.sql(f"INSERT INTO {name} VALUES (4, 40, 'x')")
    found = kafkalyst.describe(spark, name)
    assert [part.number for part in found.partitions] == [0, 1]
    assert sum(part.next for part in found.partitions) == found.records == 4
    assert found.bytes is not None and found.bytes > 0
    assert (found.formats["value"], found.versions) == ({"AVRO": 4}, {"key": [1], "value": [1, 2]})
    assert found.objects == [f"default.{name}"]
    assert sorted(row["a"] for row in found.rows) == [10, 20, 30, 40]
    assert found.facts["value subject"] == f"{name}-value, version 2, AVRO"
    shown = str(found)
    assert "partition | first | next | bytes" in shown and "value schema versions" in shown
    assert f"streams and tables | default.{name}" in re.sub(" +", " ", shown)
    assert len(kafkalyst.describe(spark, name, rows=1).rows) == 1
    assert len(kafkalyst.describe(spark, name, rows=0).rows) == 0
    with pytest.raises(ValueError, match="0 or more, not -1"):
        kafkalyst.describe(spark, name, rows=-1)


def test_a_topic_without_schemas(spark: SparkSession, servers: Servers, topic: Callable[[str], str]) -> None:
    """A topic of mixed contents has rows as text; an empty topic; a missing topic."""
    mixed, empty = topic("it's.mixed").replace("'", ""), topic("empty")
    serdes.create_topic(servers.kafka, mixed)
    serdes.produce(servers.kafka, mixed, [(b"a", b'{"x": 1}'), (None, b"plain"), (b"b", None)])
    found = kafkalyst.describe(spark, mixed)
    assert found.formats == {"key": {"text": 2, "none": 1}, "value": {"JSON": 1, "none": 1, "text": 1}}
    assert [row["value"] for row in found.rows] == ['{"x": 1}', "plain", None]
    assert found.versions == {"key": [], "value": []}
    serdes.create_topic(servers.kafka, empty)
    nothing = kafkalyst.describe(spark, empty)
    assert (nothing.records, list(nothing.rows), nothing.formats["value"]) == (0, [], {})
    with pytest.raises(errors.TopicNotFound):
        kafkalyst.describe(spark, f"{empty}_no")


def test_a_topic_that_only_a_declaration_decodes(
    spark: SparkSession, servers: Servers, topic: Callable[[str], str]
) -> None:
    """Its subject has another name: rows as text, with their format."""
    name = topic("described_record")
    schema = {"type": "record", "name": "Ev", "namespace": name, "fields": [{"name": "id", "type": "int"}]}
    writer = serdes.AvroSerializer(servers.registry, schema, subject_strategy="RecordName")
    serdes.create_topic(servers.kafka, name)
    serdes.produce(servers.kafka, name, [(None, writer({"id": 1}, serdes.Context(name)))])
    found = kafkalyst.describe(spark, name)
    assert len(found.rows) == 1
    assert found.formats["value"] == {"AVRO": 1}
    assert "value formats" in str(found) and "AVRO (1)" in str(found)
