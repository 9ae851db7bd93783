"""All reads of a statement see a topic as it was at one moment, although others write meanwhile."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator

import pytest
from pyspark.sql import SparkSession

from kafkalyst import serdes
from kafkalyst.testing import Servers
from support.kills import producer, send

ROUNDS = 5


@pytest.fixture
def growing(spark: SparkSession, servers: Servers, topic: Callable[[str], str]) -> Iterator[str]:
    """A stream whose topic gets records all the time."""
    name = topic("growing")
    serdes.create_topic(servers.kafka, name, 2)
    spark.sql(
        f"CREATE STREAM {name} (k INT KEY, v STRING) WITH (KAFKA_TOPIC='{name}', KEY_FORMAT='KAFKA', "
        "VALUE_FORMAT='JSON')"
    )
    ended, feed = threading.Event(), producer(servers.kafka)

    def write() -> None:
        sent = 0
        while not ended.wait(0.005):
            send(feed, name, range(sent, sent + 20))
            sent += 20
            feed.flush()

    writer = threading.Thread(target=write)
    writer.start()
    yield name
    ended.set()
    writer.join()
    spark.sql(f"DROP STREAM {name}")


def test_one_end(spark: SparkSession, growing: str) -> None:
    """Subqueries, two uses of a CTE, and both sides of a self-join have the same rows; a later statement has more."""
    counts = set()
    for _ in range(ROUNDS):
        (row,) = spark.sql(
            f"WITH c AS (SELECT k FROM {growing}) SELECT (SELECT count(*) FROM c), (SELECT count(k) FROM c), "
            f"(SELECT count(DISTINCT k) FROM {growing})"
        ).collect()
        assert len(set(row)) == 1, row
        counts.add(row[0])
        unmatched = spark.sql(
            f"WITH c AS (SELECT k FROM {growing}) SELECT count(*) FROM c a FULL JOIN c b ON a.k = b.k "
            "WHERE a.k IS NULL OR b.k IS NULL"
        ).first()
        assert unmatched[0] == 0
    assert len(counts) > 1


def test_shared_shuffle(spark: SparkSession, growing: str) -> None:
    """A topic that both sides of a join read in the same way is read once."""
    session = spark.newSession()
    session.conf.set("spark.sql.adaptive.enabled", "false")
    session.conf.set("spark.sql.autoBroadcastJoinThreshold", "-1")
    plan = session.sql(
        f"EXPLAIN SELECT count(*) FROM {growing} a JOIN {growing} b ON a.k = b.k WHERE a.v = 'x' AND b.v = 'x'"
    ).first()[0]
    assert "ReusedExchange" in plan, plan
