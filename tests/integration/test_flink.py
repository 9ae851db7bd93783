"""Flink's dialect on a real broker: records and rows, watermarks, groups, clients, headers that are passed on."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import pytest
from confluent_kafka import Consumer, Producer, TopicPartition
from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession

from kafkalyst import serdes
from support.frames import metric
from support.patience import PATIENCE_SECONDS
from support.records import consume, messages, settle

if TYPE_CHECKING:
    from conftest import Servers

Header = tuple[str, bytes | None]


def produce(servers: Servers, topic: str, records: Sequence[dict[str, Any]], **settings: Any) -> None:
    """Sends records as confluent-kafka takes them."""
    producer = Producer({"bootstrap.servers": servers.kafka, **settings})
    for record in records:
        producer.produce(topic, **record)
    assert producer.flush(PATIENCE_SECONDS) == 0


def whole(servers: Servers, topic: str, count: int) -> list[tuple[int, int, bytes | None, bytes | None, list[Header]]]:
    """Partition, timestamp, key, value and headers of a topic's first records."""
    found = [
        (m.partition(), m.timestamp()[1], m.key(), m.value(), m.headers() or []) for m in messages(servers.kafka, topic)
    ]
    assert len(found) >= count
    return found


def test_records_left_out_are_counted(spark: SparkSession, servers: Servers, topic: Callable[[str], str]) -> None:
    """Records without key or value give no row, whatever columns are requested, and the metric counts them."""
    name = topic("gaps")
    serdes.create_topic(servers.kafka, name, 1)
    good = {"key": b'{"id":1}', "value": b'{"id":1,"v":1}'}
    produce(servers, name, [good, {"value": b'{"id":2}'}, {"key": b'{"id":3}'}, {}, good])
    spark.sql(
        f"CREATE TABLE {name} (id BIGINT, v INT) WITH ('connector' = 'kafka', 'topic' = '{name}', "
        "'key.format' = 'json', 'key.fields' = 'id', 'value.format' = 'json')"
    )
    assert metric(spark.sql(f"SELECT * FROM {name}"), "recordsDropped") == 3
    assert spark.sql(f"SELECT ROWOFFSET FROM {name}").collect() == [(0,), (4,)]
    assert spark.table(name).count() == 2
    every = f"SELECT id FROM {name} WITH ('scan.empty-records' = 'row')"
    assert [row.id for row in spark.sql(every).collect()] == [1, 2, 3, None, 1]


def test_both_dialects_read_the_same_rows(spark: SparkSession, servers: Servers, topic: Callable[[str], str]) -> None:
    """A table of Flink's DDL, and the ksqlDB statement that SHOW CREATE gives for it, have the same rows."""
    for key_format, value_format in [("json", "json"), ("avro-confluent", "avro-confluent"), ("csv", "csv")]:
        name = topic(f"both_{value_format.replace('-', '_')}")
        serdes.create_topic(servers.kafka, name, 2)
        spark.sql(
            f"CREATE TABLE {name} (a BIGINT, b STRING, at TIMESTAMP_LTZ(3) METADATA FROM 'timestamp', "
            f"d DECIMAL(9, 2), t TIMESTAMP(3), day DATE) WITH ('connector' = 'kafka', 'topic' = '{name}', "
            f"'key.format' = '{key_format}', 'key.fields' = 'a;b', 'value.format' = '{value_format}', "
            "'value.fields-include' = 'EXCEPT_KEY')"
        )
        spark.sql(
            f"INSERT INTO {name} SELECT id, concat('b', id), timestamp_millis(1000 + id), id / 4, "
            "cast(timestamp_millis(id * 1001) AS TIMESTAMP_NTZ), "
            "date_add(DATE'1969-12-30', cast(id AS INT)) FROM range(50)"
        )
        (shown,) = spark.sql(f"SHOW CREATE TABLE {name} AS KSQLDB").first()
        spark.sql(shown.replace(f"STREAM `{name}`", f"STREAM {name}_k"))
        columns = "a, b, at, d, t, day"
        flinks = sorted(spark.sql(f"SELECT {columns} FROM {name}").collect())
        assert len(flinks) == 50
        assert flinks == sorted(spark.sql(f"SELECT {columns} FROM {name}_k").collect())


def test_one_insert_sets_everything(spark: SparkSession, servers: Servers, topic: Callable[[str], str]) -> None:
    """Key, partition, timestamp and headers, two of them with one name, are written byte for byte."""
    name = topic("everything")
    serdes.create_topic(servers.kafka, name, 3)
    spark.sql(
        f"CREATE TABLE {name} (id BIGINT, v STRING, `partition` INT METADATA, `timestamp` TIMESTAMP_LTZ(3) METADATA, "
        "headers ARRAY<ROW<`key` STRING, `value` BYTES>> METADATA) WITH ('connector' = 'kafka', "
        f"'topic' = '{name}', 'key.format' = 'raw', 'key.fields' = 'id', 'value.format' = 'raw', "
        "'value.fields-include' = 'EXCEPT_KEY')"
    )
    spark.sql(
        f"INSERT INTO {name} VALUES (7, 'x', 2, timestamp_millis(1234), array("
        "named_struct('key', 'h', 'value', X'01'), named_struct('key', 'h', 'value', NULL), "
        "named_struct('key', 'e', 'value', X'')))"
    )
    headers: list[Header] = [("h", b"\x01"), ("h", None), ("e", b"")]
    assert whole(servers, name, 1) == [(2, 1234, (7).to_bytes(8, "big"), b"x", headers)]


def test_headers_go_through_queries(spark: SparkSession, servers: Servers, topic: Callable[[str], str]) -> None:
    """A query without state passes headers on unchanged, even a thousand; one with state passes none."""
    source, sink, into, grouped = topic("from"), topic("sink"), topic("into"), topic("grouped")
    rng = random.Random(5)

    def headers(count: int) -> list[Header]:
        return [(rng.choice(["", "a", "ü", "b"]), rng.choice([None, b"", rng.randbytes(9)])) for _ in range(count)]

    given = [headers(count) for count in (0, 1, 5, 1000)]
    serdes.create_topic(servers.kafka, source, 1)
    produce(servers, source, [{"value": json.dumps({"v": i}), "headers": h} for i, h in enumerate(given)])
    spark.conf.set("spark.kafkalyst.query.trigger", "available-now")
    try:
        spark.sql(f"CREATE STREAM {source} (v INT) WITH (KAFKA_TOPIC = '{source}', VALUE_FORMAT = 'JSON')")
        spark.sql(f"CREATE STREAM {sink} AS SELECT v * 2 AS w FROM {source} WHERE v >= 0")
        spark.sql(f"CREATE STREAM {into} (v INT) WITH (KAFKA_TOPIC = '{into}', VALUE_FORMAT = 'JSON', PARTITIONS = 1)")
        spark.sql(f"INSERT INTO {into} SELECT v FROM {source} EMIT CHANGES")
        spark.sql(f"CREATE TABLE {grouped} AS SELECT v, count(*) AS n FROM {source} GROUP BY v EMIT CHANGES")
    finally:
        spark.conf.unset("spark.kafkalyst.query.trigger")
    assert [record[4] for record in whole(servers, sink, 4)] == given
    assert [record[4] for record in whole(servers, into, 4)] == given
    assert [record[4] for record in whole(servers, grouped, 4)] == [[]] * 4
    rows = spark.sql(f"SELECT _headers FROM {source} ORDER BY ROWOFFSET").collect()
    assert [[(h["key"], None if h["value"] is None else bytes(h["value"])) for h in row[0]] for row in rows] == given
    assert "_headers" not in spark.table(source).columns


def test_sinks_take_their_time_from_a_column(
    spark: SparkSession, servers: Servers, topic: Callable[[str], str]
) -> None:
    """TIMESTAMP and TIMESTAMP_FORMAT of a query's sink, also with a nested field, set the records' timestamps."""
    source, flat, nested = topic("timed"), topic("flat"), topic("nested")
    serdes.create_topic(servers.kafka, source, 1)
    produce(servers, source, [{"value": b'{"v":1,"st":{"at":"2024-05-06 07:08:09"}}', "timestamp": 5}])
    with_time = "TIMESTAMP_FORMAT = 'yyyy-MM-dd HH:mm:ss'"
    spark.conf.set("spark.kafkalyst.query.trigger", "available-now")
    try:
        spark.sql(
            f"CREATE STREAM {source} (v INT, st STRUCT<at STRING>) "
            f"WITH (KAFKA_TOPIC = '{source}', VALUE_FORMAT = 'JSON')"
        )
        spark.sql(f"CREATE STREAM {flat} WITH (TIMESTAMP = 'at', {with_time}) AS SELECT v, st->at AS at FROM {source}")
        spark.sql(f"CREATE STREAM {nested} WITH (TIMESTAMP = 'st->at', {with_time}) AS SELECT v, st FROM {source}")
    finally:
        spark.conf.unset("spark.kafkalyst.query.trigger")
    assert {record[1] for name in (flat, nested) for record in whole(servers, name, 1)} == {1_714_979_289_000}


def test_watermark_leaves_late_rows_out(
    spark: SparkSession, servers: Servers, topic: Callable[[str], str], tmp_path: Any
) -> None:
    """The DDL's watermark is Spark's: it moves with the rows, closes windows, and late rows no longer count."""
    name = topic("late")
    serdes.create_topic(servers.kafka, name, 1)
    spark.sql(
        f"CREATE TABLE {name} (v INT, at TIMESTAMP(3), WATERMARK FOR at AS at - INTERVAL '5' SECOND) "
        f"WITH ('connector' = 'kafka', 'topic' = '{name}', 'format' = 'json')"
    )
    counts = (
        spark.sql(
            f"SELECT window(at, '10 seconds') AS w, count(*) AS n FROM {name} "
            "GROUP BY window(at, '10 seconds') EMIT CHANGES"
        )
        .selectExpr("w.start AS start", "n")
        .writeStream.format("memory")
        .queryName(name + "_counts")
        .option("checkpointLocation", str(tmp_path / "c"))
        .outputMode("append")
    )
    query = counts.start()
    try:
        for second in (1, 2, 30, 3, 60):
            at = f"2024-05-06 07:{8 + second // 60:02d}:{second % 60:02d}"
            produce(servers, name, [{"value": json.dumps({"v": 1, "at": at})}])
            query.processAllAvailable()
        watermark = query.lastProgress["eventTime"]["watermark"]
    finally:
        query.stop()
    assert watermark == "2024-05-06T07:08:55.000Z"
    rows = spark.sql(f"SELECT CAST(start AS STRING) AS s, n FROM {name}_counts ORDER BY start").collect()
    # The row of second 3 arrived after the watermark of second 25.
    assert [tuple(row) for row in rows] == [("2024-05-06 07:08:00", 2), ("2024-05-06 07:08:30", 1)]


def test_offsets_of_a_group(spark: SparkSession, servers: Servers, topic: Callable[[str], str]) -> None:
    """A read begins and ends at the committed offsets of a consumer group."""
    name = topic("grouped")
    serdes.create_topic(servers.kafka, name, 2)
    produce(servers, name, [{"value": f'{{"v":{i}}}', "partition": i % 2} for i in range(10)])
    consumer = Consumer({"bootstrap.servers": servers.kafka, "group.id": name, "enable.auto.commit": False})
    consumer.commit(offsets=[TopicPartition(name, 0, 3)], asynchronous=False)
    spark.sql(f"CREATE TABLE {name} (v INT) WITH ('connector' = 'kafka', 'topic' = '{name}', 'format' = 'json')")

    def read(**options: str) -> list[int]:
        named = {option.replace("__", "-").replace("_", "."): value for option, value in options.items()}
        return sorted(
            row.v for row in spark.read.options(**named, **{"properties.group.id": name}).table(name).collect()
        )

    begins = {"scan_startup_mode": "group-offsets"}
    assert read(**begins, properties_auto_offset_reset="latest") == [6, 8]
    assert read(**begins, properties_auto_offset_reset="earliest") == [1, 3, 5, 6, 7, 8, 9]
    # If a partition has no committed offset, there is no end.
    with pytest.raises(AnalysisException, match=r"GROUP_WITHOUT_OFFSET.*partition 1"):
        read(scan_bounded_mode="group-offsets")
    consumer.commit(offsets=[TopicPartition(name, 1, 1)], asynchronous=False)
    consumer.close()
    assert read(scan_bounded_mode="group-offsets") == [0, 1, 2, 4]


def test_properties_reach_the_clients(spark: SparkSession, servers: Servers, topic: Callable[[str], str]) -> None:
    """`properties.*` are consumer properties: a read of uncommitted records sees aborted ones."""
    name = topic("committed")
    serdes.create_topic(servers.kafka, name, 1)
    producer = Producer({"bootstrap.servers": servers.kafka, "transactional.id": name})
    producer.init_transactions(PATIENCE_SECONDS)
    for value, keeps in ((b'{"v":1}', False), (b'{"v":2}', True)):
        producer.begin_transaction()
        producer.produce(name, value)
        producer.flush(PATIENCE_SECONDS)
        settle(producer.commit_transaction if keeps else producer.abort_transaction, servers.kafka, name)
    spark.sql(f"CREATE TABLE {name} (v INT) WITH ('connector' = 'kafka', 'topic' = '{name}', 'format' = 'json')")
    assert [row.v for row in spark.sql(f"SELECT v FROM {name}").collect()] == [2]
    whole = f"SELECT v FROM {name} WITH ('properties.isolation.level' = 'read_uncommitted')"
    assert [row.v for row in spark.sql(whole).collect()] == [1, 2]


def test_upserts(spark: SparkSession, servers: Servers, topic: Callable[[str], str]) -> None:
    """A tombstone deletes its key although the value would also have the key's columns."""
    name = topic("upserts")
    serdes.create_topic(servers.kafka, name, 1)
    spark.sql(
        f"CREATE TABLE {name} (id BIGINT, n STRING, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'upsert-kafka', "
        f"'topic' = '{name}', 'key.format' = 'json', 'value.format' = 'json')"
    )
    spark.sql(f"INSERT INTO {name} VALUES (1, 'a'), (2, 'b'), (1, 'c'), (3, 'd')")
    produce(servers, name, [{"key": b'{"id":2}'}, {"value": b'{"id":9,"n":"no key"}'}])
    assert sorted(tuple(row) for row in spark.table(name).collect()) == [(1, "c"), (3, "d")]
    first = consume(servers.kafka, name, 6)[0]
    assert first == (b'{"id":1}', b'{"id":1,"n":"a"}')


def test_windows_are_appended_when_they_are_over(
    spark: SparkSession, servers: Servers, topic: Callable[[str], str]
) -> None:
    """Groups by window_end in output mode append give the rows of windows that the watermark has passed."""
    name = topic("bids")
    serdes.create_topic(servers.kafka, name, 1)
    spark.sql(
        f"CREATE TABLE {name} (item STRING, price INT, at TIMESTAMP(3), WATERMARK FOR at AS at - INTERVAL '1' SECOND) "
        f"WITH ('connector' = 'kafka', 'topic' = '{name}', 'format' = 'json')"
    )
    rows = [("A", 1, "08:01"), ("B", 5, "08:03"), ("A", 3, "08:07"), ("A", 7, "08:14"), ("B", 7, "09:29")]
    values = ", ".join(f"('{item}', {price}, TIMESTAMP_NTZ'2024-01-01 {at}:00')" for item, price, at in rows)
    spark.sql(f"INSERT INTO {name} VALUES {values}")

    def appended(query: str, key: str) -> set[tuple[Any, ...]]:
        table = f"{name}_{key}"
        frame = spark.sql(f"{query} EMIT CHANGES")
        writer = frame.writeStream.format("memory").queryName(table).outputMode("append")
        writer.trigger(availableNow=True).start().awaitTermination()
        return {tuple(row) for row in spark.sql(f"SELECT * FROM {table}").collect()}

    def windows(function: str, *lengths: int) -> str:
        spans = ", ".join(f"INTERVAL '{length}' MINUTES" for length in lengths)
        return f"TABLE({function}(TABLE {name}, DESCRIPTOR(at), {spans}))"

    text = "date_format(window_start, 'HH:mm'), date_format(window_end, 'HH:mm')"
    both = "GROUP BY window_start, window_end"
    tumbled = appended(f"SELECT {text}, item, SUM(price) FROM {windows('TUMBLE', 10)} {both}, item", "tumbled")
    assert tumbled == {("08:00", "08:10", "A", 4), ("08:00", "08:10", "B", 5), ("08:10", "08:20", "A", 7)}
    hopped = appended(f"SELECT {text}, COUNT(*) FROM {windows('HOP', 5, 10)} {both}", "hopped")
    assert hopped == {("07:55", "08:05", 2), ("08:00", "08:10", 3), ("08:05", "08:15", 2), ("08:10", "08:20", 1)}
    grown = appended(f"SELECT {text}, COUNT(*) FROM {windows('CUMULATE', 5, 10)} {both} HAVING COUNT(*) > 1", "grown")
    assert grown == {("08:00", "08:05", 2), ("08:00", "08:10", 3)}
    sets = appended(
        f"SELECT {text}, item, MAX(price) FROM {windows('TUMBLE', 10)} {both}, GROUPING SETS ((item), ())", "sets"
    )
    assert sets == {
        ("08:00", "08:10", "A", 3),
        ("08:00", "08:10", "B", 5),
        ("08:00", "08:10", None, 5),
        ("08:10", "08:20", "A", 7),
        ("08:10", "08:20", None, 7),
    }
    sums = f"SELECT window_start, window_end, SUM(price) AS s FROM {windows('TUMBLE', 10)} {both}, item"
    most = appended(f"WITH sums AS ({sums}) SELECT {text}, MAX(s) FROM sums {both}", "most")
    assert most == {("08:00", "08:10", 5), ("08:10", "08:20", 7)}
