"""Sessions that create, replace and drop the same objects at once: an entry always has its topic and its subject."""

from __future__ import annotations

import json
import urllib.request
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import pytest
from confluent_kafka.admin import AdminClient
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from support.rig import Chance, at_once, rounds

if TYPE_CHECKING:
    from conftest import Servers

# What a statement may end with that another one was faster than.
LOST = {
    "KAFKALYST_OBJECT_EXISTS",
    "KAFKALYST_OBJECT_NOT_FOUND",
    "KAFKALYST_OBJECT_IN_USE",
    "KAFKALYST_TOPIC_IN_USE",
    "KAFKALYST_REPLACEMENT_DIFFERS",
    "KAFKALYST_NOT_ALTERABLE",
    "KAFKALYST_DUPLICATE_COLUMN",
    "KAFKALYST_QUERY_NOT_FOUND",
    "KAFKALYST_COLUMN_EXISTS",
    "TABLE_OR_VIEW_NOT_FOUND",
}


def outcome(session: SparkSession, statement: str) -> str:
    """The condition that the statement fails with; empty where it does not fail."""
    try:
        session.sql(statement).collect()
    except PySparkException as e:
        return e.getCondition() or str(e)
    return ""


def subjects(servers: Servers) -> set[str]:
    """All subjects of the registry."""
    with urllib.request.urlopen(f"{servers.registry}/subjects", timeout=30) as answer:
        return set(json.load(answer))


def topics(servers: Servers) -> set[str]:
    """All topics of the broker."""
    return set(AdminClient({"bootstrap.servers": servers.kafka}).list_topics(timeout=30).topics)


@pytest.mark.parametrize("words", ["CREATE STREAM", "CREATE STREAM IF NOT EXISTS", "CREATE OR REPLACE STREAM"])
def test_the_winner_keeps_what_it_made(
    spark: SparkSession, servers: Servers, topic: Callable[[str], str], words: str
) -> None:
    """Three sessions run one statement: it is made once, and those that were slower take nothing of it away."""
    sessions = [spark.newSession() for _ in range(3)]
    names = [topic(f"won{i}") for i in range(rounds(6))]
    for name in names:
        statement = f"{words} {name} (v INT) WITH (KAFKA_TOPIC = '{name}', VALUE_FORMAT = 'AVRO', PARTITIONS = 1)"
        ends = sorted(at_once([partial(outcome, session, statement) for session in sessions]))
        assert ends == ["", *(["KAFKALYST_OBJECT_EXISTS"] * 2 if words == "CREATE STREAM" else ["", ""])]
    assert {f"{name}-value" for name in names} <= subjects(servers)
    assert set(names) <= topics(servers)
    spark.sql(f"INSERT INTO {names[0]} VALUES (7)")
    assert [row.v for row in spark.table(names[0]).select("v").collect()] == [7]


def test_a_failed_statement_keeps_what_others_use(
    spark: SparkSession, servers: Servers, topic: Callable[[str], str]
) -> None:
    """What is taken back is only what no entry names and nobody has written to."""
    source, sink = topic("given"), topic("failing")
    spark.sql(f"CREATE STREAM {source} (v INT) WITH (KAFKA_TOPIC = '{source}', VALUE_FORMAT = 'AVRO', PARTITIONS = 1)")
    made = f"CREATE STREAM {sink} WITH (VALUE_FORMAT = 'AVRO') AS SELECT v FROM {source}"
    root = "spark.kafkalyst.query.checkpoint.root"
    before = spark.conf.get(root)
    # A file where the folder should be: the query cannot start after topic and schema are made.
    spark.conf.set(root, "/dev/null/nowhere")
    try:
        with pytest.raises(Exception, match=r"(?i)not a directory"):
            spark.sql(made)
    finally:
        spark.conf.set(root, before)
    assert sink not in topics(servers)
    assert f"{sink}-value" not in subjects(servers)


def test_statements_at_random(spark: SparkSession, servers: Servers, topic: Callable[[str], str]) -> None:
    """Four sessions, each with any statement on two names: after every round each entry has its topic and subject."""
    rng = Chance()
    sessions = [spark.newSession() for _ in range(4)]
    names, source = [topic("one"), topic("two")], topic("base")
    shape = "VALUE_FORMAT = 'AVRO', PARTITIONS = 1"
    spark.sql(f"CREATE STREAM {source} (v INT) WITH (KAFKA_TOPIC = '{source}', {shape})")
    acknowledged: dict[str, set[int]] = {name: set() for name in names}

    def statement(name: str) -> str:
        over = f"(v INT) WITH (KAFKA_TOPIC = '{name}', {shape})"
        query = f"WITH (KAFKA_TOPIC = '{name}', {shape}) AS SELECT v FROM {source}"
        choices = {
            f"CREATE STREAM {name} {over}": 3,
            f"CREATE STREAM IF NOT EXISTS {name} {over}": 3,
            f"CREATE OR REPLACE STREAM {name} {over}": 3,
            f"CREATE OR REPLACE STREAM {name} {query}": 1,
            f"CREATE STREAM {name} {query}": 1,
            f"DROP STREAM IF EXISTS {name}": 2,
            f"DROP STREAM IF EXISTS {name} DELETE TOPIC": 2,
            f"ALTER STREAM {name} ADD COLUMN w{rng.randrange(1000)} INT": 2,
            "TERMINATE ALL": 1,
        }
        return rng.choices(list(choices), list(choices.values()))[0]

    for number in range(rounds(12)):
        for name in names:
            if outcome(spark, f"INSERT INTO {name} (v) VALUES ({number})") == "":
                acknowledged[name].add(number)
        picked = [statement(rng.choice(names)) for _ in sessions]
        ends = at_once([partial(outcome, *one) for one in zip(sessions, picked, strict=True)])
        told = list(zip(picked, ends, strict=True))
        rng.tell(f"round {number}: {told}")
        assert set(ends) - {""} <= LOST, told
        there = {row.name for row in spark.sql("SHOW STREAMS").collect()} & set(names)
        assert there <= topics(servers), told
        assert {f"{name}-value" for name in there} <= subjects(servers), told
        for name in names:
            if any(name in text and "DELETE TOPIC" in text and not end for text, end in told):
                acknowledged[name].clear()
        for name in there:
            assert acknowledged[name] <= {row.v for row in spark.table(name).select("v").collect()}, told
    spark.sql("TERMINATE ALL")


@pytest.mark.parametrize(
    "kind", ["USING parquet", "WITH ('connector' = 'kafka', 'topic' = '{}', 'format' = 'json', 'partitions' = '1')"]
)
def test_one_fills_what_it_creates(spark: SparkSession, topic: Callable[[str], str], kind: str) -> None:
    """Several sessions create a table with a continuous query if there is none: one query fills it."""
    source = topic("filling")
    spark.sql(f"CREATE STREAM {source} (v INT) WITH (KAFKA_TOPIC = '{source}', VALUE_FORMAT = 'JSON', PARTITIONS = 1)")
    sessions = [spark.newSession() for _ in range(3)]
    for session in sessions:
        session.conf.set("spark.kafkalyst.query.trigger", "available-now")

    def created(session: SparkSession, statement: str) -> str:
        return str(session.sql(statement).collect()[0]["state"])

    for i in range(rounds(4)):
        name = topic(f"filled{i}")
        statement = f"CREATE TABLE IF NOT EXISTS {name} {kind.format(name)} AS SELECT v FROM {source} EMIT CHANGES"
        ends = at_once([partial(created, session, statement) for session in sessions])
        assert sorted(ends) == ["FINISHED", "already exists", "already exists"]
