"""Resets, stalls, low rates and delays between Kafkalyst and its servers: a right result or a named error.

The tests have a few faults; `make soak-proxy` has KAFKALYST_ROUNDS.
"""

from __future__ import annotations

import io
import random
import struct
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import fastavro
import pytest
from confluent_kafka import Producer
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from kafkalyst import serdes
from kafkalyst.ports import held_ports
from support.broker import broker
from support.patience import PATIENCE_SECONDS
from support.proxy import Fault, FaultProxy
from support.records import everything, settle
from support.rig import Chance, rounds

if TYPE_CHECKING:
    from conftest import Servers

DELIVERY_SECONDS = 6  # and the same time for a fetch
# Each of a statement's phases may take its limit, and a busy machine its time; Kafka's own limits are a minute or more.
LIMIT_SECONDS = 6 * DELIVERY_SECONDS + 20
FETCH = 1  # Kafka's API keys
LIST_TRANSACTIONS = 66
DESCRIBE_TRANSACTIONS = 65
ROWS = 40
REGISTRY_MS = 3000
LIMITS = {
    "kafka.request.timeout.ms": "3000",
    "kafka.delivery.timeout.ms": str(DELIVERY_SECONDS * 1000),
    "kafka.max.block.ms": "6000",
    "kafka.default.api.timeout.ms": "6000",
    "kafka.reconnect.backoff.max.ms": "500",
    "schema.registry.timeout.ms": str(REGISTRY_MS),
}


@dataclass(frozen=True)
class Doors:
    """The addresses of a broker and of its proxy, and the proxies before broker and registry."""

    kafka: str
    shown: str
    broker: FaultProxy
    registry: FaultProxy
    url: str


@pytest.fixture(scope="module")
def doors(servers: Servers, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Doors]:
    """Clients that connect by the proxy are referred back to it; the broker's own connections bypass it."""
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


def connected(spark: SparkSession, doors: Doors, **settings: str) -> SparkSession:
    """A session that reaches its servers by the proxies."""
    session = spark.newSession()
    session.conf.set("spark.kafkalyst.bootstrap.servers", doors.shown)
    session.conf.set("spark.kafkalyst.schema.registry.url", doors.url)
    for name, value in settings.items():
        session.conf.set(f"spark.kafkalyst.{name}", value)
    return session


def random_fault(chance: random.Random) -> Fault:
    """A random fault of a kind that networks have."""
    kind = chance.choice(["reset", "silent", "rate", "latency"])
    if kind == "reset":
        return Fault(reset_after=chance.choice([0, 1, 3, chance.randrange(4, 400), chance.randrange(400, 4000)]))
    if kind == "silent":
        return Fault(silent_after=chance.choice([0, 1, chance.randrange(4, 400)]))
    return Fault(rate=1024) if kind == "rate" else Fault(latency=chance.choice([0.2, 2.0, 10.0]))


class Statements:
    """The statements that run during a fault, and the checks after it."""

    def __init__(self, spark: SparkSession, doors: Doors, topic: Callable[[str], str]) -> None:
        self.session, self._patient = connected(spark, doors, **LIMITS), connected(spark, doors)
        self._kafka, self._topic = doors.kafka, topic
        self.streams = {topic("once"): "exactly-once", topic("least"): "at-least-once"}
        self._versions = topic("versions")
        for name in (*self.streams, self._versions):
            guarantee = self.streams.get(name, "at-least-once")
            self._patient.sql(declaration(name, f", 'sink.delivery-guarantee' = '{guarantee}'"))
            self._patient.sql(f"INSERT INTO {name} VALUES (-1, 'first')")
        self._add_version(doors.url)
        self.acked: dict[str, set[int]] = {name: {-1} for name in self.streams}
        self.batches: dict[str, list[range]] = {name: [] for name in self.streams}

    def _add_version(self, registry: str) -> None:
        """Sends a record of another version of the schema, which every new client of the registry must request."""
        fields = [{"name": name, "type": ["null", "string"], "default": None} for name in ("V", "v", "later")]
        schema = {"type": "record", "name": "Later", "fields": fields}
        body = io.BytesIO()
        fastavro.schemaless_writer(body, fastavro.parse_schema(schema), {"later": "x"})
        head = struct.pack(">bI", 0, serdes.register(registry, f"{self._versions}-later", schema))
        serdes.produce(self._kafka, self._versions, [((-2).to_bytes(4, "big", signed=True), head + body.getvalue())])

    def write(self, name: str, batch: range) -> str:
        """Inserts rows, which are acknowledged when it returns."""
        rows = self.session.range(batch.start, batch.stop, 1, 1)
        self.batches[name].append(batch)
        rows.selectExpr("cast(id AS INT) AS k", "repeat('v', 50) AS v").writeTo(name).append()
        self.acked[name] |= set(batch)
        return "written"

    def read(self, name: str, batch: range) -> str:
        """Asserts that all acknowledged rows are there."""
        seen = self._keys(name)
        assert self.acked[name] <= seen <= {-1, *range(batch.start)}
        return f"{len(seen)} rows read"

    def read_versions(self, name: str, batch: range) -> str:
        """Records of two versions of a schema."""
        assert self._keys(self._versions) == {-1, -2}
        return "2 versions read"

    def create(self, name: str, batch: range) -> str:
        """Creates an object with its own subject."""
        self.session.sql(declaration(self._topic(f"made{batch.start}")))
        return "created"

    def clear(self, batch: range, outcome: str) -> None:
        """After the fault: created objects exist, and failed statements have left nothing."""
        made = self._topic(f"made{batch.start}")
        assert self._patient.catalog.tableExists(made) == (outcome == "created"), outcome
        if outcome == "created":
            self._patient.sql(f"DROP STREAM {made} DELETE TOPIC")

    def _keys(self, name: str) -> set[int]:
        patient = self.session.read.option("kafkaConsumer.pollTimeoutMs", DELIVERY_SECONDS * 1000)
        return {row["k"] for row in patient.table(name).collect()}

    def check(self) -> None:
        """Acknowledged rows are not lost; with exactly-once, each write is complete or absent."""
        for name, guarantee in self.streams.items():
            found = Counter(int.from_bytes(key or b"", "big", signed=True) for key, _ in everything(self._kafka, name))
            assert self.acked[name] <= found.keys(), f"{guarantee}: acknowledged rows are lost"
            if guarantee == "exactly-once":
                assert found.total() == len(found)
                assert all(len(found.keys() & set(batch)) in (0, len(batch)) for batch in self.batches[name])


def declaration(name: str, more: str = "") -> str:
    """The declaration of an AVRO stream."""
    return (
        f"CREATE STREAM {name} (k INT KEY, v STRING) "
        f"WITH (KAFKA_TOPIC = '{name}', VALUE_FORMAT = 'AVRO', PARTITIONS = 1{more})"
    )


def test_every_fault_has_a_result_or_a_name(spark: SparkSession, doors: Doors, topic: Callable[[str], str]) -> None:
    """Statements end in time; acknowledged rows are there; with exactly-once, each write is complete or absent."""
    chance, statements, slowest = Chance(), Statements(spark, doors, topic), 0.0
    for turn in range(rounds(4)):
        where, batch = ("broker", "registry")[turn % 2], range(turn * ROWS, (turn + 1) * ROWS)
        door = doors.broker if where == "broker" else doors.registry
        if where == "broker":
            statement = statements.write if chance.random() < 0.7 else statements.read
        else:
            statement = statements.create if chance.random() < 0.5 else statements.read_versions
            # A new client has no schema in its cache.
            statements.session.conf.set("spark.kafkalyst.schema.registry.timeout.ms", str(REGISTRY_MS + turn))
        name, fault = chance.choice(list(statements.streams)), random_fault(chance)
        door.fault, door.http = fault, 0
        began = time.monotonic()
        try:
            outcome = statement(name, batch)
        except PySparkException as error:
            assert error.getCondition(), f"{fault} before the {where}: {error}"
            outcome = str(error.getCondition())
        finally:
            door.fault = None
        took = time.monotonic() - began
        slowest = max(slowest, took)
        asked = f", {door.http} requests" if where == "registry" else f", {statements.streams[name]}"
        story = f"{fault} before the {where}, {statement.__name__}: {outcome} after {took:.1f} s{asked}"
        chance.tell(story)
        assert where == "broker" or door.http > 0, story
        assert took < LIMIT_SECONDS, story
        statements.clear(batch, outcome)
    statements.check()
    chance.tell(f"slowest {slowest:.1f} s")


def test_a_slow_network_loses_nothing(
    spark: SparkSession, doors: Doors, topic: Callable[[str], str], tmp_path: Path
) -> None:
    """A query continues through delays and resets, without a restart."""
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


def test_progress_without_records(spark: SparkSession, doors: Doors, topic: Callable[[str], str]) -> None:
    """A read continues if it fetches only aborted records for longer than its timeout."""
    session, name = connected(spark, doors), topic("aborted")
    serdes.create_topic(doors.kafka, name, 1)
    # One batch each, and one fetch.
    feed = Producer({"bootstrap.servers": doors.kafka, "transactional.id": name, "batch.num.messages": 1})
    feed.init_transactions(PATIENCE_SECONDS)
    feed.begin_transaction()
    for _ in range(60):
        feed.produce(name, b'{"v":1}')
    assert feed.flush(PATIENCE_SECONDS) == 0
    feed.abort_transaction()
    feed.begin_transaction()
    feed.produce(name, b'{"v":2}')
    settle(feed.commit_transaction, doors.kafka, name)
    session.sql(
        f"CREATE TABLE {name} (v INT) WITH ('connector' = 'kafka', 'topic' = '{name}', 'format' = 'json', "
        "'properties.max.partition.fetch.bytes' = '1', 'properties.fetch.max.bytes' = '1')"
    )
    doors.broker.kafka.clear()
    doors.broker.fault = Fault(latency=0.1)
    try:
        read = session.sql(f"SELECT v FROM {name} WITH ('kafkaConsumer.pollTimeoutMs' = '5000')")
        assert [row.v for row in read.collect()] == [2]
    finally:
        doors.broker.fault = None
    # Of 0.2 s each.
    assert doors.broker.kafka[FETCH] > 50


def test_a_start_asks_only_for_its_own(
    spark: SparkSession, doors: Doors, topic: Callable[[str], str], tmp_path: Path
) -> None:
    """A starting query does not list the transactions of others, of which a cluster may have many."""
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


@pytest.mark.parametrize("is_done", [True, False])
def test_a_commit_of_rows_that_is_not_answered(
    spark: SparkSession, doors: Doors, topic: Callable[[str], str], is_done: bool
) -> None:
    """A statement succeeds if its unanswered commit was carried out; otherwise it fails and leaves nothing."""
    session, name = connected(spark, doors), topic("rows")
    session.sql(declaration(name, ", 'sink.delivery-guarantee' = 'exactly-once'"))
    doors.broker.commits.append(is_done)
    if is_done:
        session.sql(f"INSERT INTO {name} VALUES (1, 'a'), (2, 'b')")
    else:
        with pytest.raises(PySparkException) as failed:
            session.sql(f"INSERT INTO {name} VALUES (1, 'a'), (2, 'b')")
        assert failed.value.getCondition() == "KAFKALYST_WRITE_FAILED"
    assert not doors.broker.commits
    assert session.table(name).count() == (2 if is_done else 0)


@pytest.mark.parametrize("commits", [[True], [False], [False, False]])
def test_a_commit_of_a_definition_that_is_not_answered(
    spark: SparkSession, doors: Doors, topic: Callable[[str], str], commits: list[bool]
) -> None:
    """If the commit is not answered, done or not, the statement succeeds, and the definition is there."""
    session, name = connected(spark, doors), topic("defined")
    session.conf.set("spark.sql.catalog.behind", "io.kafkalyst.KafkaCatalog")
    session.sql(
        f"CREATE STREAM behind.{name} (k INT KEY) WITH (KEY_FORMAT = 'JSON', VALUE_FORMAT = 'JSON', PARTITIONS = 1)"
    )
    doors.broker.commits.extend(commits)
    session.sql(f"ALTER STREAM behind.{name} ADD COLUMN v STRING")
    assert not doors.broker.commits
    assert session.table(f"behind.{name}").columns == ["k", "v"]
