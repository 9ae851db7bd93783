"""Predicates on partition, offset and timestamp: the same rows as without push-down, from fewer records."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest
from confluent_kafka import Producer, TopicPartition
from confluent_kafka.admin import AdminClient, AlterConfigOpType, ConfigEntry, ConfigResource, NewTopic
from pyspark.sql import DataFrame, SparkSession

from support.frames import metric
from support.rig import Chance, rounds

if TYPE_CHECKING:
    from conftest import Servers

PARTITIONS = 4
PER_PARTITION = 3000
START = 1_700_000_000_000


def fill(servers: Servers, topic: str, *, ordered: bool) -> None:
    """Sends records one second apart; if not ordered, their timestamps jump back by minutes."""
    rng = random.Random(3)
    producer = Producer({"bootstrap.servers": servers.kafka, "linger.ms": 20})
    for i in range(PER_PARTITION):
        for partition in range(PARTITIONS):
            at = START + i * 1000 - (0 if ordered else rng.choice([0, 0, 0, 1, 59_000, 600_000]))
            producer.produce(topic, f'{{"v":{i}}}'.encode(), partition=partition, timestamp=at)
        producer.poll(0)
    assert producer.flush(60) == 0


def fill_against_the_rules(servers: Servers, topic: str) -> None:
    """Sends records with missing, equal, future and falling times, then with the broker's, and deletes the first."""
    rng = random.Random(4)
    kafka = {"bootstrap.servers": servers.kafka}
    admin, resource = AdminClient(kafka), ConfigResource("TOPIC", topic)
    ahead = ConfigEntry("message.timestamp.after.max.ms", str(1 << 60))
    for kind in ("CreateTime", "LogAppendTime"):
        resource.incremental_configs = [ahead, ConfigEntry("message.timestamp.type", kind)]
        for entry in resource.incremental_configs:
            entry.incremental_operation = AlterConfigOpType.SET
        admin.incremental_alter_configs([resource])[resource].result(30)
        producer = Producer(kafka | {"linger.ms": 5})
        for i in range(120):
            at = rng.choice([-1, 1, START, START + i * 1000, START - i * 1000, START + 4_000_000_000_000])
            producer.produce(topic, f'{{"v":{i}}}'.encode(), partition=rng.randrange(PARTITIONS), timestamp=at)
            if rng.random() < 0.1:
                assert producer.flush(60) == 0
        assert producer.flush(60) == 0
    head = [TopicPartition(topic, 0, 7)]
    admin.delete_records(head)[head[0]].result(30)


@pytest.fixture(scope="module")
def streams(spark: SparkSession, servers: Servers) -> Any:
    """An unordered, an ordered and an adverse topic, each declared with all metadata columns."""
    names = ["unordered", "ordered", "adverse"]
    suffix = f"_{random.getrandbits(40):x}"
    for name in names:
        more = ", 'scan.timestamp.monotonic' = 'true'" if name == "ordered" else ""
        spark.sql(
            f"CREATE STREAM {name}{suffix} (v INT, part SMALLINT METADATA FROM 'partition', "
            "off INT METADATA FROM 'offset', ts TIMESTAMP METADATA FROM 'timestamp') "
            f"WITH (KAFKA_TOPIC = '{name}{suffix}', VALUE_FORMAT = 'JSON', PARTITIONS = {PARTITIONS}{more})"
        )
        if name == "adverse":
            fill_against_the_rules(servers, name + suffix)
        else:
            fill(servers, name + suffix, ordered=name == "ordered")
    return {name: name + suffix for name in names}


def fetched(frame: DataFrame) -> int:
    """Collects a DataFrame's rows; returns them with the number of records that its scans fetched."""
    return metric(frame, "recordsFetched")


def leaf(rng: random.Random) -> str:
    """A random comparison."""
    offset = rng.randint(-10, PER_PARTITION + 10)
    ms = rng.choice([START + rng.randint(-5, PER_PARTITION + 5) * 1000] * 6 + [0, 1, START, START + 4_000_000_000_000])
    ms += rng.choice([0, 0, 1, -1])
    compare = rng.choice(["=", "<", "<=", ">", ">=", "<>"])
    stamp = f"timestamp_millis({ms})"
    return rng.choice(
        [
            f"part {compare} {rng.randint(-1, PARTITIONS)}",
            f"ROWPARTITION IN ({rng.randint(0, 5)}, {rng.randint(0, 5)})",
            f"off {compare} {offset}",
            f"{offset} {compare} ROWOFFSET",
            f"ROWOFFSET BETWEEN {offset} AND {offset + rng.randint(0, 500)}",
            f"CAST(off AS BIGINT) {compare} {offset}",
            f"ROWOFFSET {compare} {offset}.5",
            f"ROWTIME {compare} {ms}",
            f"ts {compare} {stamp}",
            f"ts BETWEEN {stamp} AND {stamp} + INTERVAL {rng.randint(1, 900)} SECONDS",
            f"CAST(ts AS BIGINT) {compare} {ms // 1000}",
            f"date(ts) {compare} DATE'2023-11-{rng.randint(14, 16)}'",
            f"v {compare} {offset}",
        ]
    )


def predicate(rng: random.Random, depth: int) -> str:
    """A random predicate."""
    kind = rng.randrange(6) if depth else 5
    if kind < 2:
        return f"({predicate(rng, depth - 1)} AND {predicate(rng, depth - 1)})"
    if kind == 2:
        return f"({predicate(rng, depth - 1)} OR {predicate(rng, depth - 1)})"
    if kind == 3:
        return f"NOT {predicate(rng, depth - 1)}"
    return f"({leaf(rng)})"


@pytest.mark.parametrize("kind", ["unordered", "ordered", "adverse"])
def test_rows_are_the_same(spark: SparkSession, streams: dict[str, str], kind: str) -> None:
    """Random predicates give the same counts and sums as over a copy without push-down."""
    rng = Chance()
    columns = "v, part, off, ts, ROWTIME, ROWPARTITION, ROWOFFSET"
    copy = f"copy_{kind}"
    spark.sql(f"SELECT {columns} FROM {streams[kind]}").coalesce(1).localCheckpoint().createOrReplaceTempView(copy)
    places = "sum(ROWOFFSET * 4 + ROWPARTITION)"
    for number in range(rounds(1)):
        predicates = [predicate(rng, rng.randint(0, 3)) for _ in range(40)]
        sums = [f"struct(count_if({p}), sum(v) FILTER (WHERE {p}), {places} FILTER (WHERE {p}))" for p in predicates]
        expected = spark.sql(f"SELECT {', '.join(sums)} FROM {copy}").first()
        assert expected is not None
        for i, wanted in enumerate(predicates):
            (row,) = spark.sql(f"SELECT count(*), sum(v), {places} FROM {streams[kind]} WHERE {wanted}").collect()
            assert tuple(row) == tuple(expected[i]), wanted
        rng.tell(f"round {number}: {len(predicates)} predicates, the last {predicates[-1]}")


OFFSETS = ", only partition (= 2) and offset (1000 to 1119)"
TIMES = ", only timestamp ("


@pytest.mark.parametrize(
    ("kind", "condition", "shown"),
    [
        ("unordered", "ROWPARTITION = 2 AND ROWOFFSET BETWEEN 1000 AND 1119", OFFSETS),
        ("unordered", "part = 2 AND off >= 1000 AND off < 1120", OFFSETS),
        ("unordered", f"ROWTIME >= {START + (PER_PARTITION - 30) * 1000}", TIMES),
        ("ordered", f"ROWTIME BETWEEN {START + 1_000_000} AND {START + 1_029_000}", TIMES),
        ("ordered", "ts >= '2023-11-14 22:30:00' AND ts < '2023-11-14 22:30:30'", TIMES),
    ],
)
def test_one_percent_of_the_topic(
    spark: SparkSession, streams: dict[str, str], kind: str, condition: str, shown: str
) -> None:
    """A range of one in a hundred records fetches at most two in a hundred, and EXPLAIN shows it."""
    frame = spark.sql(f"SELECT v FROM {streams[kind]} WHERE {condition}")
    assert 0 < frame.count() <= PARTITIONS * PER_PARTITION // 100
    assert fetched(frame) <= PARTITIONS * PER_PARTITION // 50
    (plan,) = spark.sql(f"EXPLAIN SELECT v FROM {streams[kind]} WHERE {condition}").collect()
    assert shown in plan[0]


def test_nothing_is_fetched_where_nothing_can_be(spark: SparkSession, streams: dict[str, str]) -> None:
    """An empty range fetches no record, and one without bounds fetches all."""
    name = streams["unordered"]
    assert fetched(spark.sql(f"SELECT v FROM {name} WHERE ROWPARTITION = 9")) == 0
    assert fetched(spark.sql(f"SELECT v FROM {name} WHERE ROWOFFSET > {PER_PARTITION}")) == 0
    assert fetched(spark.sql(f"SELECT v FROM {name}")) == PARTITIONS * PER_PARTITION


def test_upper_bounds_need_ordered_timestamps(
    spark: SparkSession, servers: Servers, streams: dict[str, str], topic: Callable[[str], str]
) -> None:
    """An upper bound on the time ends a read only if the user declares that times never decrease."""
    early = f"ROWTIME < {START + 30_000}"
    assert fetched(spark.sql(f"SELECT v FROM {streams['ordered']} WHERE {early}")) <= PARTITIONS * 30
    assert fetched(spark.sql(f"SELECT v FROM {streams['unordered']} WHERE {early}")) == PARTITIONS * PER_PARTITION
    name = topic("appended")
    admin = AdminClient({"bootstrap.servers": servers.kafka})
    config = {"message.timestamp.type": "LogAppendTime"}
    admin.create_topics([NewTopic(name, 1, 1, config=config)])[name].result(30)
    spark.sql(f"CREATE STREAM {name} (v INT) WITH (KAFKA_TOPIC = '{name}', VALUE_FORMAT = 'JSON')")
    spark.sql(f"INSERT INTO {name} VALUES (1), (2)")
    assert fetched(spark.sql(f"SELECT v FROM {name} WHERE ROWTIME < {START}")) == 2
    assert fetched(spark.sql(f"SELECT v FROM {name} WHERE ROWTIME > {START}")) == 2
