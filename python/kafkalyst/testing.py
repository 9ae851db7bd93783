"""A pytest plugin to test your own pipelines: a real broker and registry, a session, records in and rows out.

pytest finds it by itself; fixtures are made when a test first asks for them. Where pytest-spark is
installed, the session is its own, with its `spark_options`.

    def test_paid(kafkalyst_spark, produce, assert_rows):
        kafkalyst_spark.sql("CREATE STREAM orders (id INT, status STRING) WITH (KAFKA_TOPIC='o', VALUE_FORMAT='JSON')")
        produce("o", [{"id": 1, "status": "PAID"}, {"id": 2, "status": "NEW"}])
        assert_rows("SELECT id FROM orders WHERE status = 'PAID'", [(1,)])

With KAFKALYST_KAFKA and KAFKALYST_REGISTRY set (`kafkalyst local up --print-env`) the servers there are used, and a run
of tests starts sooner. Needs the extras `spark` and `serdes`, and for servers of its own a checkout's `make setup`.
"""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

import kafkalyst

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

POLL_SECONDS = 0.2


@dataclass(frozen=True)
class Servers:
    """Addresses: `kafka` is host:port, `registry` the URL of the Confluent API."""

    kafka: str
    registry: str


def running_servers() -> Iterator[Servers]:
    """Those of the environment, or ones that run until the iterator is closed."""
    kafka, registry = os.environ.get("KAFKALYST_KAFKA"), os.environ.get("KAFKALYST_REGISTRY")
    if kafka and registry:
        yield Servers(kafka, registry)
        return
    with kafkalyst.LocalServers() as local:
        yield Servers(local.kafka, local.registry)


@pytest.fixture(scope="session")
def kafkalyst_servers() -> Iterator[Servers]:
    """A broker and a registry, those of the environment or ones that end with the run."""
    yield from running_servers()


@pytest.fixture(scope="session")
def kafkalyst_spark(request: pytest.FixtureRequest, kafkalyst_servers: Servers) -> Iterator[SparkSession]:
    """A session with the extension, over those servers; its queries are stopped at the end."""
    if request.config.pluginmanager.hasplugin("spark"):
        session = _of_pytest_spark(request, kafkalyst_servers)
    else:
        conf: dict[str, Any] = {"spark.ui.enabled": False, "spark.sql.shuffle.partitions": 2}
        session = kafkalyst.session(kafkalyst_servers.kafka, kafkalyst_servers.registry, **conf)
    yield session
    for query in session.streams.active:
        query.stop()


@pytest.fixture(scope="session")
def produce(kafkalyst_servers: Servers) -> Callable[..., int]:
    """`produce(topic, values, keys=None, format="JSON", schema=None)`: writes records, and creates the topic if needed.

    Values are what the format takes: JSON and JSON_SR anything of the module json, AVRO what fastavro takes, KAFKA
    bytes or text; None is a tombstone. AVRO and JSON_SR register `schema`, or use the subject's latest without it.
    Keys are text or bytes. Returns how many were written.
    """
    from confluent_kafka import KafkaException

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
        encode = _encoder(kafkalyst_servers.registry, topic, format, schema)
        with contextlib.suppress(KafkaException):  # it is there
            serdes.create_topic(kafkalyst_servers.kafka, topic)
        records = [(key, None if value is None else encode(value)) for key, value in zip(sides, rows, strict=True)]
        return serdes.produce(kafkalyst_servers.kafka, topic, records)

    return write


@pytest.fixture(scope="session")
def assert_rows(kafkalyst_spark: SparkSession) -> Callable[..., None]:
    """`assert_rows(sql, rows, within=30)`: a query gives these rows, in any order, at once or in so many seconds."""

    def check(sql: str, rows: Sequence[Sequence[object]], within: float = 30.0) -> None:
        expected = sorted((tuple(row) for row in rows), key=repr)
        end = time.monotonic() + within
        while True:
            found = sorted((tuple(row) for row in kafkalyst_spark.sql(sql).collect()), key=repr)
            if found == expected:
                return
            if time.monotonic() > end:
                missing = [row for row in expected if row not in found]
                extra = [row for row in found if row not in expected]
                raise AssertionError(
                    f"{sql}\nafter {within:g} s: {len(found)} rows, {len(expected)} expected"
                    f"\nmissing: {missing}\nnot expected: {extra}"
                )
            time.sleep(POLL_SECONDS)

    return check


def _of_pytest_spark(request: pytest.FixtureRequest, servers: Servers) -> SparkSession:
    """The session of its fixture, whose settings get ours before it starts."""
    from pyspark.sql import SparkSession
    from pytest_spark.config import SparkConfigBuilder

    conf = SparkConfigBuilder().get()
    builder = SparkSession.Builder()
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
    if kind not in ("AVRO", "JSON_SR"):
        raise ValueError(f"produce() writes JSON, JSON_SR, AVRO and KAFKA, not {format}: give bytes as KAFKA")
    serializer = (serdes.AvroSerializer if kind == "AVRO" else serdes.JsonSerializer)(registry, schema)
    return lambda value: serializer(value, serdes.Context(topic))


def _bytes(value: object) -> bytes | None:
    return value if value is None or isinstance(value, bytes) else str(value).encode()
