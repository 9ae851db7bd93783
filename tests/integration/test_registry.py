"""Logins to a real registry behind a proxy that requires them, and rows written by given schemas."""

from __future__ import annotations

import io
import shutil
import struct
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import fastavro
import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from kafkalyst import check, serdes
from support.records import consume
from support.secure_registry import SecureRegistry, certificates

if TYPE_CHECKING:
    from conftest import Servers

PREFIX = "spark.kafkalyst.schema.registry."
USER = "reader:pass-of-reader"


@contextmanager
def registry(spark: SparkSession, **settings: str) -> Iterator[SparkSession]:
    """A new session with these settings of the registry, `_` for the dots."""
    session = spark.newSession()
    for name, value in settings.items():
        session.conf.set(PREFIX + name.replace("_", "."), value)
    yield session


def works(session: SparkSession, topic: Callable[[str], str], name: str) -> None:
    """Declares, writes and reads a stream with a schema of the registry."""
    stream = topic(name)
    session.sql(
        f"CREATE STREAM {stream} (a INT, b STRING) "
        f"WITH (KAFKA_TOPIC = '{stream}', VALUE_FORMAT = 'AVRO', PARTITIONS = 1)"
    )
    session.sql(f"INSERT INTO {stream} VALUES (1, 'x')")
    assert [tuple(row) for row in session.table(stream).collect()] == [(1, "x")]
    session.sql(f"DROP STREAM {stream} DELETE TOPIC")


def test_basic(spark: SparkSession, servers: Servers, topic: Callable[[str], str], tmp_path: Path) -> None:
    """In the url, in the settings, in a client's properties file, and inherited from Kafka's login."""
    with SecureRegistry(servers.registry, user=USER) as door:
        with registry(spark, url=door.address.replace("://", f"://{USER}@")) as session:
            works(session, topic, "url")
            assert all(row["ok"] for row in check(session).collect())
            assert USER not in str(check(session).collect())
        with registry(spark, url=door.address, basic_auth_user_info=USER) as session:
            works(session, topic, "settings")
        file = tmp_path / "client.properties"
        file.write_text(
            f"bootstrap.servers={servers.kafka}\nschema.registry.basic.auth.credentials.source=USER_INFO\n"
            f"schema.registry.basic.auth.user.info={USER}\n"
        )
        with registry(spark, url=door.address, conf_file=str(file)) as session:
            works(session, topic, "file")
        with registry(spark, url=door.address, basic_auth_credentials_source="SASL_INHERIT") as session:
            user, password = USER.split(":")
            module = "org.apache.kafka.common.security.plain.PlainLoginModule"
            jaas = f'{module} required username="{user}" password="{password}";'
            session.conf.set("spark.kafkalyst.kafka.sasl.jaas.config", jaas)
            works(session, topic, "inherited")
        assert door.passed > 0 and door.refused == 0


def test_bearer_and_oauth(spark: SparkSession, servers: Servers, topic: Callable[[str], str]) -> None:
    """A fixed token; and a token of the OAuth server, requested once per process, and again after it is revoked."""
    with SecureRegistry(servers.registry, token="fixed-token", client="me:secret-of-me") as door:
        with registry(spark, url=door.address, bearer_auth_token="fixed-token") as session:
            works(session, topic, "token")
        oauth = {
            "bearer_auth_credentials_source": "OAUTHBEARER",
            "bearer_auth_issuer_endpoint_url": f"{door.address}/token",
            "bearer_auth_client_id": "me",
            "bearer_auth_client_secret": "secret-of-me",
        }
        with registry(spark, url=door.address, **oauth) as session:
            works(session, topic, "oauth")
            assert door.tokens == 1
            door.taken.clear()
            door.taken.add("Bearer nobody-has-this")
            works(session, topic, "renewed")
            assert door.tokens == 2


@pytest.mark.skipif(shutil.which("openssl") is None, reason="no openssl; the JVM's suite has keytool's certificates")
def test_tls(spark: SparkSession, servers: Servers, topic: Callable[[str], str], tmp_path: Path) -> None:
    """A private authority, and a client certificate."""
    files = certificates(tmp_path)
    with SecureRegistry(servers.registry, tls=files) as door:
        with registry(spark, url=door.address, ssl_ca_location=str(files["ca.pem"])) as session:
            works(session, topic, "ca")
        with registry(spark, url=door.address, timeout_ms="3000") as session:
            assert refused(session) == "KAFKALYST_REGISTRY_UNREACHABLE"
    with SecureRegistry(servers.registry, tls=files, mtls=True) as door:
        own = {
            "ssl_truststore_type": "PEM",
            "ssl_truststore_location": str(files["ca.pem"]),
            "ssl_certificate_location": str(files["client.pem"]),
            "ssl_key_location": str(files["client.key"]),
        }
        with registry(spark, url=door.address, **own) as session:
            works(session, topic, "mtls")
        trust = {name: own[name] for name in ("ssl_truststore_type", "ssl_truststore_location")}
        with registry(spark, url=door.address, timeout_ms="3000", **trust) as session:
            assert refused(session) == "KAFKALYST_REGISTRY_UNREACHABLE"


def refused(session: SparkSession) -> str:
    """The condition of a failing look-up."""
    with pytest.raises(PySparkException) as failed:
        session.sql("CREATE STREAM nothing (a INT) WITH (KAFKA_TOPIC='nothing', VALUE_FORMAT='AVRO', PARTITIONS=1)")
    return str(failed.value.getCondition())


def test_denied(spark: SparkSession, servers: Servers) -> None:
    """Each kind of refused login is reported by its kind, and nothing is left."""
    with SecureRegistry(servers.registry, user=USER, client="me:secret") as door:
        for settings in ({}, {"basic_auth_user_info": "reader:wrong"}, {"bearer_auth_token": "wrong"}):
            with registry(spark, url=door.address, **settings) as session:
                assert refused(session) == "KAFKALYST_REGISTRY_DENIED"
        with registry(
            spark,
            url=door.address,
            bearer_auth_issuer_endpoint_url=f"{door.address}/token",
            bearer_auth_client_id="me",
            bearer_auth_client_secret="wrong",
        ) as session:
            assert refused(session) == "KAFKALYST_REGISTRY_TOKEN"
        assert door.passed == 0
    assert spark.sql("SHOW TOPICS").where("topic = 'nothing'").count() == 0


def test_rows_by_a_given_schema(spark: SparkSession, servers: Servers, topic: Callable[[str], str]) -> None:
    """fastavro reads rows written by a schema's id: extra fields have their default or null, also nested ones."""
    name, sink = topic("given"), topic("sink")
    inner = {
        "type": "record",
        "name": "Inner",
        "fields": [{"name": "x", "type": "int"}, {"name": "y", "type": "string", "default": "why"}],
    }
    schema = {
        "type": "record",
        "name": "Given",
        "fields": [
            {"name": "id", "type": "long"},
            {
                "name": "Price",
                "type": ["null", {"type": "bytes", "logicalType": "decimal", "precision": 9, "scale": 2}],
            },
            {"name": "tags", "type": {"type": "array", "items": "string"}},
            {"name": "kind", "type": {"type": "enum", "name": "Kind", "symbols": ["A", "B"]}, "default": "B"},
            {"name": "inner", "type": ["null", inner], "default": None},
            {"name": "numbers", "type": {"type": "map", "values": "long"}, "default": {"one": 1}},
            {"name": "last", "type": ["string", "null"], "default": "-"},
        ],
    }
    given = serdes.register(servers.registry, f"{name}-elsewhere", schema)
    session = spark.newSession()
    session.conf.set("spark.kafkalyst.query.trigger", "available-now")
    session.sql(
        f"CREATE STREAM {name} (id BIGINT, p DECIMAL(9, 2), t ARRAY<STRING>) "
        f"WITH (KAFKA_TOPIC = '{name}', VALUE_FORMAT = 'AVRO', PARTITIONS = 1)"
    )
    session.sql(f"INSERT INTO {name} VALUES (1, 2.50, array('a', 'b')), (2, NULL, array())")
    session.sql(
        f"CREATE STREAM {sink} WITH (VALUE_SCHEMA_ID = {given}) AS SELECT id, p AS Price, t AS tags FROM {name}"
    )
    records = [value for _, value in consume(servers.kafka, sink, 2)]
    parsed = fastavro.parse_schema(schema)
    rows = []
    for record in records:
        magic, schema_id = struct.unpack(">bI", record[:5])
        assert (magic, schema_id) == (0, given)
        rows.append(fastavro.schemaless_reader(io.BytesIO(record[5:]), parsed, None))
    rest = {"kind": "B", "inner": None, "numbers": {"one": 1}, "last": "-"}
    assert [{k: row[k] for k in rest} for row in rows] == [rest, rest]
    assert sorted((r["id"], r["Price"] and str(r["Price"]), tuple(r["tags"])) for r in rows) == [
        (1, "2.50", ("a", "b")),
        (2, None, ()),
    ]
    subject = serdes.request(servers.registry, "GET", f"/subjects/{sink}-value/versions/latest")
    assert subject["id"] == given
