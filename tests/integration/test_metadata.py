"""Metadata that Kafkalyst writes, as an independent consumer sees it, and the reverse."""

from __future__ import annotations

import datetime
import random
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from confluent_kafka import Producer
from pyspark.sql import SparkSession

from support.patience import PATIENCE_SECONDS
from support.records import messages

if TYPE_CHECKING:
    from conftest import Servers

UTC = datetime.UTC
HEADERS = "ARRAY<STRUCT<key STRING, value BYTES>>"
BINARY_HEADERS = HEADERS.replace("BYTES", "BINARY")


def consumed(servers: Servers, topic: str, count: int) -> list[Any]:
    """All records of a topic, read by librdkafka: (partition, offset, timestamp, key, value, headers)."""
    records = [
        (m.partition(), m.offset(), m.timestamp()[1], m.key(), m.value(), m.headers() or [])
        for m in messages(servers.kafka, topic)
    ]
    assert len(records) == count
    return records


def test_written_metadata(spark: SparkSession, servers: Servers, topic: Callable[[str], str]) -> None:
    """Key, value, partition, timestamp and headers arrive byte for byte; for NULL the producer chooses."""
    name = topic("written")
    spark.sql(
        f"CREATE STREAM {name} (k STRING KEY, v INT, part INT METADATA FROM 'partition', at TIMESTAMP METADATA FROM "
        f"'timestamp', offset BIGINT METADATA VIRTUAL, h {HEADERS} METADATA FROM 'headers') "
        f"WITH (KAFKA_TOPIC = '{name}', VALUE_FORMAT = 'JSON', PARTITIONS = 4)"
    )
    before = int(time.time() * 1000)
    rows = [
        ("a", 1, 3, datetime.datetime(2024, 5, 6, 7, 8, 9, 123456, UTC), [("x", b"1"), ("x", b"2"), ("ü", None)]),
        ("b", 2, 3, datetime.datetime(1970, 1, 1, tzinfo=UTC), [("", b""), ("zero", b"\x00\xff")]),
        ("c", 3, 0, None, []),
        ("d", 4, None, None, None),
    ]
    spark.createDataFrame(rows, f"k STRING, v INT, part INT, at TIMESTAMP, h {BINARY_HEADERS}").writeTo(name).append()
    records = consumed(servers, name, 4)
    by_key = {record[3]: record for record in records}
    assert by_key[b"a"][0] == 3 and by_key[b"a"][2] == 1714979289123
    assert by_key[b"a"][4:] == (b'{"v":1}', [("x", b"1"), ("x", b"2"), ("ü", None)])
    assert by_key[b"b"][0] == 3 and by_key[b"b"][2] == 0
    assert by_key[b"b"][5] == [("", b""), ("zero", b"\x00\xff")]
    assert by_key[b"c"][0] == 0 and by_key[b"c"][5] == []
    assert by_key[b"d"][5] == []
    for key in (b"c", b"d"):
        assert before - 1000 <= by_key[key][2] <= time.time() * 1000 + 1000
    shown = spark.sql(f"SELECT k, part, offset, h FROM {name}").collect()
    read = {row["k"].encode(): (row["part"], row["offset"], [tuple(header) for header in row["h"]]) for row in shown}
    assert read == {key: (record[0], record[1], record[5]) for key, record in by_key.items()}


def test_map_headers(spark: SparkSession, servers: Servers, topic: Callable[[str], str]) -> None:
    """A map writes each entry and reads the last of each name."""
    name = topic("mapped")
    spark.sql(
        f"CREATE STREAM {name} (v INT, headers MAP<STRING, STRING> METADATA, one BYTES METADATA FROM 'headers.one') "
        f"WITH (KAFKA_TOPIC = '{name}', VALUE_FORMAT = 'JSON', PARTITIONS = 1)"
    )
    spark.sql(f"INSERT INTO {name} VALUES (1, map('a', 'ü', 'n', NULL), X'01')")
    spark.sql(f"INSERT INTO {name} VALUES (2, NULL, X'02')")
    written = [record[5] for record in consumed(servers, name, 2)]
    assert written == [[("a", "ü".encode()), ("n", None), ("one", b"\x01")], [("one", b"\x02")]]
    producer = Producer({"bootstrap.servers": servers.kafka})
    producer.produce(name, b'{"v":3}', headers=[("d", b"first"), ("one", b"x"), ("d", b"last"), ("one", None)])
    producer.flush(PATIENCE_SECONDS)
    (row,) = spark.sql(f"SELECT headers, one FROM {name} WHERE v = 3").collect()
    assert row["headers"] == {"d": "last", "one": None} and row["one"] is None


def test_a_thousand_headers(spark: SparkSession, servers: Servers, topic: Callable[[str], str]) -> None:
    """Random headers from another producer are read, and written back unchanged."""
    source, sink = topic("many"), topic("copied")
    rng = random.Random(7)

    def header() -> tuple[str, bytes | None]:
        return rng.choice(["", "a", "A", "ü", "long" * 50]), rng.choice([None, b"", rng.randbytes(rng.randint(1, 200))])

    given = [[header() for _ in range(rng.choice([0, 1, 20]))] for _ in range(50)] + [[header() for _ in range(1000)]]
    for name in (source, sink):
        spark.sql(
            f"CREATE STREAM {name} (v INT, at BIGINT METADATA FROM 'timestamp', h {HEADERS} METADATA FROM 'headers') "
            f"WITH (KAFKA_TOPIC = '{name}', VALUE_FORMAT = 'JSON', PARTITIONS = 1)"
        )
    producer = Producer({"bootstrap.servers": servers.kafka})
    for i, headers in enumerate(given):
        producer.produce(source, f'{{"v":{i}}}'.encode(), headers=headers, timestamp=1_700_000_000_000 + i)
    producer.flush(PATIENCE_SECONDS)
    spark.sql(f"INSERT INTO {sink} SELECT * FROM {source}")
    copied = sorted(consumed(servers, sink, len(given)), key=lambda record: record[2])
    assert [record[5] for record in copied] == given
    assert [record[2] for record in copied] == [1_700_000_000_000 + i for i in range(len(given))]


def test_streaming_writes(spark: SparkSession, servers: Servers, topic: Callable[[str], str], tmp_path: Any) -> None:
    """A stream fills metadata columns by name as a batch does, and reads those of its source."""
    source, sink = topic("from"), topic("into")
    spark.sql(f"CREATE STREAM {source} (v INT) WITH (KAFKA_TOPIC='{source}', VALUE_FORMAT='JSON', PARTITIONS=2)")
    spark.sql(
        f"CREATE STREAM {sink} (v INT, part INT METADATA FROM 'partition', at BIGINT METADATA FROM 'timestamp', "
        f"sum STRING METADATA FROM 'headers.sum', o BIGINT METADATA FROM 'offset' VIRTUAL) "
        f"WITH (KAFKA_TOPIC = '{sink}', VALUE_FORMAT = 'JSON', PARTITIONS = 3)"
    )
    spark.sql(f"INSERT INTO {source} (v, ROWTIME) SELECT cast(id AS INT), 1000 + id FROM range(20)")
    frame = spark.readStream.table(source).selectExpr(
        "v", "v % 3 AS part", "ROWTIME AS at", "concat(ROWPARTITION, '/', ROWOFFSET) AS sum"
    )
    query = frame.writeStream.option("checkpointLocation", str(tmp_path / "c")).trigger(availableNow=True).toTable(sink)
    assert query.awaitTermination(PATIENCE_SECONDS)
    at = {record[4]: f"{record[0]}/{record[1]}".encode() for record in consumed(servers, source, 20)}
    records = consumed(servers, sink, 20)
    for partition, _, timestamp, _, value, headers in records:
        number = int(value.split(b":")[1][:-1])
        assert (partition, timestamp) == (number % 3, 1000 + number)
        assert headers == [("sum", at[value])]
