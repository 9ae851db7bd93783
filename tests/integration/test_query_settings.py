"""Continuous queries keep the settings of their start, whatever is set later, and do not mix up sessions."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from confluent_kafka import Consumer, TopicPartition
from pyspark.sql import Row, SparkSession

from conftest import Servers
from support.patience import PATIENCE_SECONDS
from support.records import eventually, leases

GUARANTEE = "spark.kafkalyst.sink.delivery-guarantee"


@pytest.fixture
def session(spark: SparkSession) -> Iterator[SparkSession]:
    """A new session, whose queries end with the test."""
    own = spark.newSession()
    own.conf.set("spark.kafkalyst.query.restart.backoff", "100 MILLISECONDS")
    yield own
    own.sql("TERMINATE ALL")


def query(session: SparkSession, name: str) -> Row:
    """A query's row of SHOW QUERIES."""
    return session.sql("SHOW QUERIES EXTENDED").where(f"query_id = '{name}'").first()


def markers(kafka: str, topic: str, records: int) -> int:
    """The number of transaction markers in a topic with one partition."""
    consumer = Consumer({"bootstrap.servers": kafka, "group.id": "markers"})
    try:
        return consumer.get_watermark_offsets(TopicPartition(topic, 0), timeout=PATIENCE_SECONDS)[1] - records
    finally:
        consumer.close()


@pytest.mark.parametrize("again", ["restarted", "resumed"])
def test_the_guarantee_of_its_start(
    session: SparkSession, servers: Servers, topic: Callable[[str], str], again: str
) -> None:
    """A query that began with exactly-once keeps it after RESET, in a restart and in RESUME of another session."""
    source, sink, numbers = topic("texts"), topic("once"), topic("numbers")
    session.sql(
        f"CREATE STREAM {source} (k INT KEY, v STRING) WITH (KAFKA_TOPIC = '{source}', VALUE_FORMAT = 'JSON', "
        "PARTITIONS = 1)"
    )
    session.sql(f"CREATE STREAM {numbers} (k INT KEY, v INT) WITH (KAFKA_TOPIC = '{source}', VALUE_FORMAT = 'JSON')")
    session.conf.set(GUARANTEE, "exactly-once")
    name = session.sql(f"CREATE STREAM {sink} AS SELECT k, v FROM {numbers}").first()["query_id"]
    session.conf.unset(GUARANTEE)
    session.sql(f"INSERT INTO {source} VALUES (1, '10')")
    eventually(lambda: session.table(sink).count() == 1)
    before = markers(servers.kafka, sink, 1)
    assert before > 0
    if again == "resumed":
        session.sql(f"PAUSE {name}")
        session.newSession().sql(f"RESUME {name}")
    else:
        session.sql(f"INSERT INTO {source} VALUES (2, 'x')")
        eventually(lambda: query(session, name)["restarts"] >= 1)
        session.sql(f"ALTER TABLE {numbers} SET TBLPROPERTIES ('on_error' = 'skip')")
    session.sql(f"INSERT INTO {source} VALUES (3, '30')")
    eventually(lambda: session.table(sink).count() == 2)
    eventually(lambda: markers(servers.kafka, sink, 2) > before)
    assert session.conf.get(GUARANTEE, "none") == "none"


def test_leases_of_catalogs_with_one_name(spark: SparkSession, servers: Servers, topic: Callable[[str], str]) -> None:
    """Two sessions give their catalogs the same name; each session's queries renew their leases in its own catalog."""
    sessions = []
    for number in (1, 2):
        own = spark.newSession()
        own.conf.set("spark.sql.catalog.same", "io.kafkalyst.KafkaCatalog")
        own.conf.set("spark.sql.catalog.same.catalog.topic", topic(f"_catalog_{number}"))
        own.conf.set("spark.sql.catalog.same.bootstrap.servers", spark.conf.get("spark.kafkalyst.bootstrap.servers"))
        own.sql("USE same")
        sessions.append(own)
    source = topic("source")
    started = []
    for number, own in enumerate(sessions):
        own.sql(
            f"CREATE STREAM {source} (k INT KEY, v INT) WITH (KAFKA_TOPIC = '{source}', VALUE_FORMAT = 'JSON', "
            "PARTITIONS = 1)"
        )
        made = own.sql(f"CREATE STREAM {topic(f'sink_{number}')} AS SELECT k, v FROM {source} EMIT CHANGES")
        started.append(made.first()["query_id"])
    for number, name in enumerate(started, 1):
        definitions = topic(f"_catalog_{number}")
        first = len(leases(servers.kafka, definitions, name))
        eventually(lambda d=definitions, n=name, first=first: len(leases(servers.kafka, d, n)) > first)
    shown = [query(own, name) for own, name in zip(sessions, started, strict=True)]
    active = {streaming.name for own in sessions for streaming in own.streams.active}
    for own, name in zip(sessions, started, strict=True):
        own.sql(f"TERMINATE {name}")
    assert [line["state"] for line in shown] == ["RUNNING"] * 2 and set(started) <= active


def test_statements_leave_the_settings_alone(session: SparkSession, topic: Callable[[str], str]) -> None:
    """Parsing, inserting, and starting a query with state change no setting of the user's session."""

    def settings() -> dict[str, str]:
        """The settings that are set explicitly."""
        return {row["key"]: row["value"] for row in session.sql("SET").collect()}

    source, sink = topic("plain"), topic("counted")
    before = settings()
    session.sql(
        f"CREATE STREAM {source} (k INT KEY, v STRING, t TIME) WITH (KAFKA_TOPIC = '{source}', VALUE_FORMAT = 'JSON', "
        "PARTITIONS = 1)"
    )
    session.sql(f"INSERT INTO {source} VALUES (1, 'one', CAST('10:00:00' AS TIME))")
    session.sql(f"SELECT v, t FROM {source} WHERE k = 1").collect()
    session.sql(f"CREATE TABLE {sink} AS SELECT k, count(*) AS n FROM {source} GROUP BY k EMIT CHANGES")
    eventually(lambda: session.table(sink).count() == 1)
    assert settings() == before
