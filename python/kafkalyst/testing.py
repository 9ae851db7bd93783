"""A pytest plugin to test your own pipelines: a real broker and registry, a session, records in and rows out.

pytest finds it by itself; fixtures are made when a test first uses them. If pytest-spark is installed, the session is
pytest-spark's, with its `spark_options`.

    def test_paid(kafkalyst_spark, produce, assert_rows):
        kafkalyst_spark.sql("CREATE STREAM orders (id INT, status STRING) WITH (KAFKA_TOPIC='o', VALUE_FORMAT='JSON')")
        produce("o", [{"id": 1, "status": "PAID"}, {"id": 2, "status": "NEW"}])
        assert_rows("SELECT id FROM orders WHERE status = 'PAID'", [(1,)])

Streams, tables and queries that a test makes are dropped after it. In a cluster's catalog only queries that then run
are ended, and definitions stay, because other applications use it. Topics stay, too: the fixture `kafkalyst_topic`
gives names that no other test has.

If KAFKALYST_KAFKA and KAFKALYST_REGISTRY are set (`kafkalyst local up --print-env`), the tests use these servers and
start sooner. Needs the extras `spark` and `serdes`, and for servers of its own `kafkalyst local fetch`, once.
"""

from __future__ import annotations

import json
import os
import time
import uuid
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

import kafkalyst
from kafkalyst.inventory import WAREHOUSE, _definitions
from kafkalyst.owners import full_id, own

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

POLL_SECONDS = 0.2


@dataclass(frozen=True)
class Servers:
    """Addresses: `kafka` is host:port, `registry` the URL of the Confluent API."""

    kafka: str
    registry: str


def running_servers() -> Iterator[Servers]:
    """The servers of the environment, or new ones that run until the iterator is closed."""
    kafka, registry = os.environ.get("KAFKALYST_KAFKA"), os.environ.get("KAFKALYST_REGISTRY")
    if kafka and registry:
        yield Servers(kafka, registry)
        return
    with kafkalyst.LocalServers() as local:
        yield Servers(local.kafka, local.registry)


@pytest.fixture(scope="session")
def kafkalyst_servers() -> Iterator[Servers]:
    """A broker and a registry: those of the environment, or new ones that end with the run."""
    yield from running_servers()


@pytest.fixture(scope="session")
def kafkalyst_spark(
    request: pytest.FixtureRequest, kafkalyst_servers: Servers, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[SparkSession]:
    """A session with the extension and these servers; its queries are stopped at the end.

    Its warehouse, which also has the checkpoints, is a temporary folder, unless pytest-spark's options set one.
    """
    warehouse = str(tmp_path_factory.mktemp("kafkalyst") / "warehouse")
    if request.config.pluginmanager.hasplugin("spark"):
        session = _of_pytest_spark(request, kafkalyst_servers, warehouse)
    else:
        conf: dict[str, Any] = {"spark.ui.enabled": False, "spark.sql.shuffle.partitions": 2, WAREHOUSE: warehouse}
        session = kafkalyst.session(kafkalyst_servers.kafka, kafkalyst_servers.registry, **conf)
    yield session
    for query in session.streams.active:
        query.stop()


@pytest.fixture
def kafkalyst_topic() -> Callable[[str], str]:
    """Names of topics and objects that no other test has: `kafkalyst_topic("orders")` → `orders_3f2a9c1b`."""
    suffix = uuid.uuid4().hex[:8]
    return lambda name: f"{name}_{suffix}"


@pytest.fixture(autouse=True)
def _kafkalyst_objects(request: pytest.FixtureRequest) -> Iterator[None]:
    """Drops what a test makes; objects that fixtures of a wider scope made before it stay.

    In a cluster's catalog, which other applications use, it only ends the queries that run in this application.
    """
    if "kafkalyst_spark" not in request.fixturenames:
        yield
        return
    spark: SparkSession = request.getfixturevalue("kafkalyst_spark")
    objects, queries = _objects(spark), _queries(spark)
    active = {query.runId for query in spark.streams.active}
    yield
    for query in sorted(_queries(spark) - queries):
        spark.sql(f"TERMINATE `{query}`")
    for running in spark.streams.active:
        if running.runId not in active:
            running.stop()
    for name in sorted(_objects(spark) - objects):
        spark.sql(f"DROP TABLE IF EXISTS {name}")


@pytest.fixture(scope="session")
def produce(kafkalyst_servers: Servers) -> Callable[..., int]:
    """`produce(topic, values, keys=None, format="JSON", schema=None)`: writes records, and creates the topic if needed.

    Values are what the format takes: JSON and JSON_SR anything of the module json, AVRO what fastavro takes, PROTOBUF
    messages of one generated class, KAFKA bytes or text; None is a tombstone. AVRO and JSON_SR register `schema`, or
    use the subject's latest without it. Keys are text or bytes, as many as values. Returns how many were written.
    """
    from confluent_kafka import KafkaError, KafkaException

    from kafkalyst import serdes

    def write(
        topic: str,
        values: Iterable[object],
        keys: Iterable[str | bytes | None] | None = None,
        format: str = "JSON",
        schema: object = None,
    ) -> int:
        rows = list(values)
        sides = [None] * len(rows) if keys is None else [_bytes(key) for key in keys]
        if len(sides) != len(rows):
            raise ValueError(f"{len(sides)} keys for {len(rows)} values")
        encode = _encoder(kafkalyst_servers.registry, topic, format, schema)
        try:
            serdes.create_topic(kafkalyst_servers.kafka, topic)
        except KafkaException as error:
            if error.args[0].code() != KafkaError.TOPIC_ALREADY_EXISTS:
                raise
        records = [(key, None if value is None else encode(value)) for key, value in zip(sides, rows, strict=True)]
        return serdes.produce(kafkalyst_servers.kafka, topic, records)

    return write


@pytest.fixture(scope="session")
def assert_rows(kafkalyst_spark: SparkSession) -> Callable[..., None]:
    """`assert_rows(query, rows, within=30)`: a query gives these rows, in any order, within this many seconds.

    Query and rows may be DataFrames. A row that is expected twice must come twice.
    """

    def check(query: str | DataFrame, rows: Iterable[Sequence[object]] | DataFrame, within: float = 30.0) -> None:
        expected = [tuple(row) for row in _rows(rows)]
        sql = query if isinstance(query, str) else f"the DataFrame of {', '.join(query.columns)}"
        end = time.monotonic() + within
        while True:
            df = kafkalyst_spark.sql(query) if isinstance(query, str) else query
            found = [tuple(row) for row in df.collect()]
            missing, extra = _without(expected, found), _without(found, expected)
            if not missing and not extra:
                return
            if time.monotonic() > end:
                raise AssertionError(
                    f"{sql}\nafter {within:g} s: {len(found)} rows, {len(expected)} expected"
                    f"\nmissing: {missing}\nnot expected: {extra}"
                )
            time.sleep(POLL_SECONDS)

    return check


def _rows(rows: Iterable[Sequence[object]] | DataFrame) -> Iterable[Sequence[object]]:
    collect = getattr(rows, "collect", None)
    return collect() if callable(collect) else rows  # type: ignore[return-value]


def _without(rows: Sequence[tuple[object, ...]], others: Sequence[tuple[object, ...]]) -> list[tuple[object, ...]]:
    """The rows that the others lack, each as often as it is missing, sorted."""
    if all(_is_hashable(row) for row in (*rows, *others)):
        left = list((Counter(rows) - Counter(others)).elements())
    else:
        left = list(rows)
        for row in others:
            if row in left:
                left.remove(row)
    return sorted(left, key=repr)


def _is_hashable(row: tuple[object, ...]) -> bool:
    try:
        hash(row)
    except TypeError:
        return False
    return True


def _objects(spark: SparkSession) -> set[str]:
    return {each.name for each in _definitions(spark)}


def _queries(spark: SparkSession) -> set[str]:
    """The full ids of queries; those of a cluster's catalog only if they run or ran here."""
    return {full_id(spark, row) for row in own(spark)}


def _of_pytest_spark(request: pytest.FixtureRequest, servers: Servers, warehouse: str) -> SparkSession:
    """The session of pytest-spark's fixture; adds Kafkalyst's settings before it starts."""
    from pyspark.sql import SparkSession
    from pytest_spark.config import SparkConfigBuilder

    conf = SparkConfigBuilder().get()
    builder = SparkSession.Builder()
    if conf.get(WAREHOUSE) is None:
        conf.set(WAREHOUSE, warehouse)
    for name, value in conf.getAll():
        builder = builder.config(name, value)
    for name, value in kafkalyst.configure(builder, servers.kafka, servers.registry)._options.items():
        conf.set(name, str(value))
    session: SparkSession = request.getfixturevalue("spark_session")
    return session


def _encoder(registry: str, topic: str, format: str, schema: object) -> Callable[[Any], bytes | None]:
    from kafkalyst import serdes

    kind = format.upper()
    if kind == "KAFKA":
        return _bytes
    if kind == "JSON":
        return lambda value: json.dumps(value).encode()
    if kind == "PROTOBUF":
        return _protobuf_encoder(registry, topic, schema)
    if kind not in ("AVRO", "JSON_SR"):
        raise ValueError(f"produce() writes JSON, JSON_SR, AVRO, PROTOBUF and KAFKA, not {format}: give bytes as KAFKA")
    serializer = (serdes.AvroSerializer if kind == "AVRO" else serdes.JsonSerializer)(registry, schema)
    return lambda value: serializer(value, serdes.Context(topic))


def _protobuf_encoder(registry: str, topic: str, schema: object) -> Callable[[Any], bytes | None]:
    from kafkalyst import serdes

    found: list[serdes.ProtobufSerializer] = []

    def encode(value: Any) -> bytes | None:
        if not found:
            found.append(serdes.ProtobufSerializer(registry, type(value), None if schema is None else str(schema)))
        return found[0](value, serdes.Context(topic))

    return encode


def _bytes(value: object) -> bytes | None:
    return value if value is None or isinstance(value, bytes) else str(value).encode()
