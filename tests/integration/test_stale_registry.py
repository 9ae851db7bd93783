"""A registry that does not know a record's schema yet: no good record is skipped."""

from __future__ import annotations

import io
import math
import os
import struct
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

import fastavro
import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from kafkalyst import serdes
from support.rig import Chance, rounds
from support.stale_registry import StaleRegistry

if TYPE_CHECKING:
    from conftest import Servers

LAG_SECONDS = float(os.environ.get("KAFKALYST_LAG_SECONDS", "1.5"))
EACH = int(os.environ.get("KAFKALYST_RECORDS", "50"))  # records of a version


def produce(stale: StaleRegistry, kafka: str, topic: str, versions: list[int], lags: list[float], each: int) -> None:
    """Sends this many records of each version of a schema, which is registered just before."""
    for version, lag in zip(versions, lags, strict=True):
        fields = [{"name": "v", "type": "long"}, {"name": f"w{version}", "type": "string", "default": ""}]
        schema = {"type": "record", "name": "R", "fields": fields}
        schema_id = stale.register(f"{topic}-{version}", schema, lag)
        body = io.BytesIO()
        fastavro.schemaless_writer(body, fastavro.parse_schema(schema), {"v": version, f"w{version}": "x"})
        serdes.produce(kafka, topic, [(None, struct.pack(">bI", 0, schema_id) + body.getvalue())] * each)


@pytest.mark.parametrize("policy", ["skip", "dead-letter"])
def test_no_good_record_is_lost(
    spark: SparkSession, servers: Servers, topic: Callable[[str], str], policy: str
) -> None:
    """Records that arrive before the registry's follower knows their schemas are rows all the same."""
    rng = Chance()
    with StaleRegistry(servers.registry) as stale:
        session = spark.newSession()
        session.conf.set("spark.kafkalyst.schema.registry.url", stale.address)
        session.conf.set("spark.kafkalyst.schema.registry.unknown.id.seconds", str(int(LAG_SECONDS * 2 + 3)))
        name = topic("late")
        serdes.create_topic(servers.kafka, name, 2)
        session.sql(
            f"CREATE STREAM {name} (v BIGINT) "
            f"WITH (KAFKA_TOPIC = '{name}', VALUE_FORMAT = 'AVRO', ON_ERROR = '{policy}')"
        )
        for number in range(rounds(2)):
            versions = [number * 3 + i for i in range(3)]
            lags = [rng.uniform(0, LAG_SECONDS) for _ in versions]
            produce(stale, servers.kafka, name, versions, lags, EACH)
            found = session.sql(f"SELECT v, count(*) AS n FROM {name} GROUP BY v").collect()
            rng.tell(f"round {number}: {len(versions) * EACH} records of {versions}, known {lags} s late")
            assert {row.v: row.n for row in found} == dict.fromkeys(range(number * 3 + 3), EACH), lags


def test_a_bad_record_has_the_next_id(spark: SparkSession, servers: Servers, topic: Callable[[str], str]) -> None:
    """A bad record has an id that good records get later: these are rows, also with a lagging follower."""
    with StaleRegistry(servers.registry) as stale:
        session = spark.newSession()
        session.conf.set("spark.kafkalyst.schema.registry.url", stale.address)
        session.conf.set("spark.kafkalyst.schema.registry.unknown.id.seconds", "3")
        name = topic("next")
        serdes.create_topic(servers.kafka, name, 1)
        session.sql(
            f"CREATE STREAM {name} (v BIGINT) WITH (KAFKA_TOPIC = '{name}', VALUE_FORMAT = 'AVRO', ON_ERROR = 'skip')"
        )
        schema = {"type": "record", "name": "R", "fields": [{"name": "v", "type": "long"}]}
        schema_id = stale.register(f"{name}-next", schema, math.inf)
        head = struct.pack(">bI", 0, schema_id)
        serdes.produce(servers.kafka, name, [(None, head)])
        assert session.table(name).collect() == []
        stale.until[schema_id] = time.monotonic() + 1
        serdes.produce(servers.kafka, name, [(None, head + b"\x02")] * 50)
        assert [row.v for row in session.table(name).collect()] == [1] * 50


@pytest.mark.parametrize(
    "unknown",
    ["", "<html>no such page</html>", '{"error_code": 404, "message": "HTTP 404 Not Found"}', '{"status": 404}'],
)
def test_any_other_404_is_an_error(
    spark: SparkSession, servers: Servers, topic: Callable[[str], str], unknown: str
) -> None:
    """Another 404 fails the read with the address; nothing is skipped."""
    with StaleRegistry(servers.registry) as stale:
        session = spark.newSession()
        session.conf.set("spark.kafkalyst.schema.registry.url", stale.address)
        name = topic("elsewhere")
        serdes.create_topic(servers.kafka, name, 1)
        session.sql(
            f"CREATE STREAM {name} (v BIGINT) WITH (KAFKA_TOPIC = '{name}', VALUE_FORMAT = 'AVRO', ON_ERROR = 'skip')"
        )
        stale.unknown = unknown
        produce(stale, servers.kafka, name, [1], [60], 10)
        with pytest.raises(PySparkException) as failed:
            session.table(name).collect()
        assert failed.value.getCondition() == "KAFKALYST_REGISTRY_ERROR"
        assert stale.address in str(failed.value)


def test_an_unknown_id_is_skipped_after_a_while(
    spark: SparkSession, servers: Servers, topic: Callable[[str], str]
) -> None:
    """ON_ERROR applies to an id that never becomes known, after one wait."""
    session = spark.newSession()
    session.conf.set("spark.kafkalyst.schema.registry.unknown.id.seconds", "1")
    name = topic("garbage")
    serdes.create_topic(servers.kafka, name, 1)
    session.sql(
        f"CREATE STREAM {name} (v BIGINT) WITH (KAFKA_TOPIC = '{name}', VALUE_FORMAT = 'AVRO', ON_ERROR = 'skip')"
    )
    session.sql(f"INSERT INTO {name} VALUES (1)")
    serdes.produce(
        servers.kafka, name, [(None, struct.pack(">bI", 0, 2_000_000_000 + i) + b"\x02") for i in range(200)]
    )
    session.sql(f"INSERT INTO {name} VALUES (2)")
    assert sorted(row.v for row in session.table(name).collect()) == [1, 2]
