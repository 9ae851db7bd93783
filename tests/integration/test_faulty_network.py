"""A network that resets, stalls, crawls and delays between Kafkalyst and its servers: a right result or a named error.

A few faults in the tests, KAFKALYST_ROUNDS many in `make soak-proxy`, which keeps what they did in build/soak.
"""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest
from confluent_kafka import Producer
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from kafkalyst import serdes
from kafkalyst.ports import held_ports
from support.broker import broker
from support.patience import PATIENCE_SECONDS
from support.proxy import Fault, FaultProxy
from support.records import everything
from support.rig import Chance, rounds

if TYPE_CHECKING:
    from conftest import Servers

DELIVERY_SECONDS = 6  # and as long for a fetch
LIMIT_SECONDS = DELIVERY_SECONDS + 10
SLOW_START_SECONDS = 10  # the first statement of a session is slow by itself
LIST_TRANSACTIONS = 66  # of Kafka's API keys
DESCRIBE_TRANSACTIONS = 65
ROWS = 40
LIMITS = {
    "kafka.request.timeout.ms": "3000",
    "kafka.delivery.timeout.ms": str(DELIVERY_SECONDS * 1000),
    "kafka.max.block.ms": "6000",
    "kafka.default.api.timeout.ms": "6000",
    "kafka.reconnect.backoff.max.ms": "500",
    "schema.registry.timeout.ms": "3000",
}


@dataclass(frozen=True)
class Doors:
    """A broker as it is and as the proxy shows it, and the proxies before broker and registry."""

    kafka: str
    shown: str
    broker: FaultProxy
    registry: FaultProxy
    url: str


@pytest.fixture(scope="module")
def doors(servers: Servers, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Doors]:
    """Clients that come by the proxy are sent back to it; what the broker says to itself goes past it."""
    registry = urlsplit(servers.registry)
    with FaultProxy() as before, FaultProxy(registry.netloc) as other, held_ports(1) as (port,):
        before.target = f"127.0.0.1:{port}"
        own = "BROKER://127.0.0.1:${broker_port}"
        settings = {
            "listeners": f"{own},PROXIED://127.0.0.1:{port},CONTROLLER://127.0.0.1:${{controller_port}}",
            "advertised.listeners": f"{own},PROXIED://127.0.0.1:{before.port}",
            "listener.security.protocol.map": "BROKER:PLAINTEXT,PROXIED:PLAINTEXT,CONTROLLER:PLAINTEXT",
        }
        with broker(tmp_path_factory.mktemp("proxied"), settings) as started:
            url = registry._replace(netloc=f"127.0.0.1:{other.port}").geturl()
            yield Doors(started.kafka, f"127.0.0.1:{before.port}", before, other, url)


def connected(spark: SparkSession, doors: Doors) -> SparkSession:
    """A session that reaches its servers by the proxies, within short limits."""
    session = spark.newSession()
    session.conf.set("spark.kafkalyst.bootstrap.servers", doors.shown)
    session.conf.set("spark.kafkalyst.schema.registry.url", doors.url)
    for name, value in LIMITS.items():
        session.conf.set(f"spark.kafkalyst.{name}", value)
    return session


def random_fault(chance: random.Random) -> Fault:
    """One of those that networks have."""
    kind = chance.choice(["reset", "silent", "rate", "latency"])
    if kind == "reset":
        return Fault(reset_after=chance.choice([0, 1, 3, chance.randrange(4, 400), chance.randrange(400, 4000)]))
    if kind == "silent":
        return Fault(silent_after=chance.choice([0, 1, chance.randrange(4, 400)]))
    return Fault(rate=1024) if kind == "rate" else Fault(latency=chance.choice([0.2, 2.0, 10.0]))


def test_every_fault_has_a_result_or_a_name(
    spark: SparkSession, doors: Doors, topic: Callable[[str], str], root: Path
) -> None:
    """Statements end in time; what they say was written is there, and exactly once it is there whole or not at all."""
    chance, session = Chance(), connected(spark, doors)
    streams = {topic("once"): "exactly-once", topic("least"): "at-least-once"}
    for name, guarantee in streams.items():
        session.sql(
            f"CREATE STREAM {name} (k INT KEY, v STRING) WITH (KAFKA_TOPIC = '{name}', VALUE_FORMAT = 'AVRO', "
            f"PARTITIONS = 1, 'sink.delivery-guarantee' = '{guarantee}')"
        )
        session.sql(f"INSERT INTO {name} VALUES (-1, 'first')")
    acked: dict[str, set[int]] = {name: {-1} for name in streams}
    batches: dict[str, list[range]] = {name: [] for name in streams}
    history, slowest = [], 0.0
    for turn in range(rounds(3)):
        fault, (door, where) = (
            random_fault(chance),
            chance.choice([(doors.broker, "broker"), (doors.registry, "registry")]),
        )
        name = chance.choice(list(streams))
        batch = range(turn * ROWS, (turn + 1) * ROWS)
        rows = session.range(batch.start, batch.stop, 1, 1).selectExpr("cast(id AS INT) AS k", "repeat('v', 50) AS v")
        door.fault = fault
        began = time.monotonic()
        try:
            if chance.random() < 0.7:
                batches[name].append(batch)
                rows.writeTo(name).append()
                acked[name] |= set(batch)
                outcome = "written"
            else:
                patient = session.read.option("kafkaConsumer.pollTimeoutMs", DELIVERY_SECONDS * 1000)
                seen = {row["k"] for row in patient.table(name).collect()}
                assert acked[name] <= seen <= {-1, *range(batch.start)}
                outcome = f"{len(seen)} rows read"
        except PySparkException as error:
            assert error.getCondition(), f"{fault} before the {where}: {error}"
            outcome = str(error.getCondition())
        finally:
            door.fault = None
        took = time.monotonic() - began
        slowest = max(slowest, took)
        history.append(f"{fault} before the {where}, {streams[name]}: {outcome} after {took:.1f} s")
        print(history[-1])
        assert took < LIMIT_SECONDS + (SLOW_START_SECONDS if turn == 0 else 0), history[-1]
    log = root / "build" / "soak" / f"proxy-{next(iter(streams))}.log"
    log.parent.mkdir(exist_ok=True)
    log.write_text("\n".join(history) + "\n", encoding="utf-8")
    for name, guarantee in streams.items():
        found = Counter(int.from_bytes(key or b"", "big", signed=True) for key, _ in everything(doors.kafka, name))
        assert acked[name] <= found.keys(), f"{guarantee}: acknowledged rows are lost"
        if guarantee == "exactly-once":
            assert found.total() == len(found)
            assert all(len(found.keys() & set(batch)) in (0, len(batch)) for batch in batches[name])
    print(f"slowest {slowest:.1f} s")


def test_a_slow_network_loses_nothing(
    spark: SparkSession, doors: Doors, topic: Callable[[str], str], tmp_path: Path
) -> None:
    """A query runs on through delays and resets, without another start of its own."""
    session, source, sink = connected(spark, doors), topic("source"), topic("sink")
    for name in (source, sink):
        session.sql(
            f"CREATE STREAM {name} (k INT KEY, v STRING) WITH (KAFKA_TOPIC = '{name}', VALUE_FORMAT = 'JSON', "
            "PARTITIONS = 1, 'sink.delivery-guarantee' = 'exactly-once')"
        )
    feed = Producer({"bootstrap.servers": doors.kafka})
    query = session.readStream.table(source).writeStream.option("checkpointLocation", str(tmp_path)).toTable(sink)
    try:
        for turn, fault in enumerate([None, Fault(latency=0.2), Fault(reset_after=20_000), None]):
            doors.broker.fault = fault
            for k in range(turn * 100, (turn + 1) * 100):
                feed.produce(source, key=k.to_bytes(4, "big"), value=b'{"v": "x"}')
            assert feed.flush(PATIENCE_SECONDS) == 0
            time.sleep(1)
        query.processAllAvailable()
    finally:
        doors.broker.fault = None
        query.stop()
    found = Counter(int.from_bytes(key or b"", "big") for key, _ in everything(doors.kafka, sink))
    assert found == Counter(range(400))


def test_a_start_asks_only_for_its_own(
    spark: SparkSession, doors: Doors, topic: Callable[[str], str], tmp_path: Path
) -> None:
    """The transactions of others, of which a cluster may have many, are not listed when a query starts."""
    session, name = connected(spark, doors), topic("own")
    serdes.create_topic(doors.kafka, name, 1)
    session.sql(
        f"CREATE STREAM {name} (k INT KEY, v STRING) WITH (KAFKA_TOPIC = '{name}', VALUE_FORMAT = 'JSON', "
        "'sink.delivery-guarantee' = 'exactly-once')"
    )
    rows = session.readStream.format("rate-micro-batch").option("rowsPerBatch", 5).load()
    writer = rows.selectExpr("cast(value AS INT) AS k", "'a' AS v").writeStream
    for batches in (1, 2):
        doors.broker.kafka.clear()
        query = writer.option("checkpointLocation", str(tmp_path)).toTable(name)
        try:
            end = time.monotonic() + PATIENCE_SECONDS
            while not any(p["batchId"] >= batches for p in query.recentProgress):
                assert query.isActive and time.monotonic() < end, query.exception()
                time.sleep(0.2)
        finally:
            query.stop()
        assert doors.broker.kafka[LIST_TRANSACTIONS] == 0
    assert doors.broker.kafka[DESCRIBE_TRANSACTIONS] > 0


@pytest.mark.parametrize("commits", [[True], [False], [False, False]])
def test_a_commit_of_a_definition_that_is_not_answered(
    spark: SparkSession, doors: Doors, topic: Callable[[str], str], commits: list[bool]
) -> None:
    """Whether it took place or not: the statement ends well, and the definition is there."""
    session, name = connected(spark, doors), topic("defined")
    session.conf.set("spark.sql.catalog.behind", "io.kafkalyst.KafkaCatalog")
    session.sql(
        f"CREATE STREAM behind.{name} (k INT KEY) WITH (KEY_FORMAT = 'JSON', VALUE_FORMAT = 'JSON', PARTITIONS = 1)"
    )
    doors.broker.commits.extend(commits)
    session.sql(f"ALTER STREAM behind.{name} ADD COLUMN v STRING")
    assert not doors.broker.commits
    assert session.table(f"behind.{name}").columns == ["k", "v"]
