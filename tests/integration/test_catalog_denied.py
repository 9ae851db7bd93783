"""A catalog whose topic cannot be read for a while: what was known stays, and its running queries go on."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from confluent_kafka.admin import (
    AclBinding,
    AclBindingFilter,
    AclOperation,
    AclPermissionType,
    AdminClient,
    ResourcePatternType,
    ResourceType,
)
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from support.broker import broker
from support.records import eventually

MODULE = "org.apache.kafka.common.security.plain.PlainLoginModule required"
# Renewed every two seconds.
LEASE_SECONDS = 6


def login(kafka: str, user: str) -> AdminClient:
    """A user's client."""
    password = {"sasl.mechanism": "PLAIN", "sasl.username": user, "sasl.password": f"{user}-1"}
    return AdminClient({"bootstrap.servers": kafka, "security.protocol": "SASL_PLAINTEXT", **password})


@dataclass
class Cluster:
    """A broker at which every login may do everything that is not denied."""

    kafka: str
    admin: AdminClient
    denied: list[str] = field(default_factory=list)

    def deny(self, topic: str) -> None:
        """Takes a topic from the application, which then cannot see it either."""
        acl = (ResourceType.TOPIC, topic, ResourcePatternType.LITERAL, "User:app", "*", AclOperation.ALL)
        for made in self.admin.create_acls([AclBinding(*acl, AclPermissionType.DENY)]).values():
            made.result()
        self.denied.append(topic)
        eventually(lambda: topic not in self.seen())

    def allow(self) -> None:
        """Gives all topics back."""
        for topic in self.denied:
            which = (ResourceType.TOPIC, topic, ResourcePatternType.LITERAL, "User:app", "*", AclOperation.ANY)
            for gone in self.admin.delete_acls([AclBindingFilter(*which, AclPermissionType.ANY)]).values():
                gone.result()
        eventually(lambda: self.seen().issuperset(self.denied))
        self.denied.clear()

    def seen(self) -> set[str]:
        """The topics that the application sees: the broker applies changes of ACLs a moment later."""
        return set(login(self.kafka, "app").list_topics(timeout=30).topics)

    def session(self, spark: SparkSession, user: str) -> SparkSession:
        """A session with a user's login to the catalog `far`."""
        session = spark.newSession()
        session.conf.set("spark.kafkalyst.query.lease", f"{LEASE_SECONDS} SECONDS")
        session.conf.set("spark.sql.catalog.far", "io.kafkalyst.KafkaCatalog")
        for name, value in {
            "bootstrap.servers": self.kafka,
            "kafka.security.protocol": "SASL_PLAINTEXT",
            "kafka.sasl.mechanism": "PLAIN",
            "kafka.sasl.jaas.config": f'{MODULE} username="{user}" password="{user}-1";',
        }.items():
            session.conf.set(f"spark.sql.catalog.far.{name}", value)
        return session


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    """A new broker: the names of the topics are always the same."""
    users = "".join(f' user_{user}="{user}-1"' for user in ("admin", "app"))
    settings = {
        "listener.security.protocol.map": "BROKER:SASL_PLAINTEXT,CONTROLLER:PLAINTEXT",
        "sasl.enabled.mechanisms": "PLAIN",
        "sasl.mechanism.inter.broker.protocol": "PLAIN",
        "listener.name.broker.plain.sasl.jaas.config": f'{MODULE} username="admin" password="admin-1"{users};',
        "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
        "allow.everyone.if.no.acl.found": "true",
        "super.users": "User:admin;User:ANONYMOUS",
    }
    with broker(tmp_path, settings) as started:
        yield Cluster(started.kafka, login(started.kafka, "admin"))


@pytest.fixture
def query(spark: SparkSession, cluster: Cluster) -> Iterator[tuple[SparkSession, str]]:
    """A session and its running query from `far.src` into `far.copy`, which has the first row."""
    session = cluster.session(spark, "app")
    session.sql("CREATE STREAM far.src (k INT KEY, v INT) WITH (VALUE_FORMAT = 'JSON', PARTITIONS = 1)")
    session.sql("INSERT INTO far.src VALUES (1, 1)")
    made = session.sql("CREATE STREAM far.copy AS SELECT * FROM far.src EMIT CHANGES").collect()[0]
    eventually(lambda: copied(session) == [1])
    yield session, made.query_id
    cluster.allow()
    for row in session.sql("SHOW QUERIES").collect():
        if row.query_id == made.query_id:
            session.sql(f"TERMINATE {made.query_id}")


def copied(session: SparkSession) -> list[int]:
    """The keys that the query has written."""
    return sorted(row[0] for row in session.sql("SELECT k FROM far.copy").collect())


def state(session: SparkSession, query: str) -> tuple[str, bool]:
    """A query's state, and whether it has an error."""
    (line,) = [row for row in session.sql("SHOW QUERIES").collect() if row.query_id == query]
    return line.state, line.error is not None


def test_rights_that_are_lost_for_a_while(cluster: Cluster, query: tuple[SparkSession, str]) -> None:
    """The query goes on and restarts, declared topics stay declared, and nothing is defined meanwhile."""
    session, name = query
    cluster.deny("_kafkalyst")
    time.sleep(LEASE_SECONDS)
    session.sql("INSERT INTO far.src VALUES (2, 2)")
    eventually(lambda: copied(session) == [1, 2])
    assert state(session, name) == ("RUNNING", False)
    assert session.table("far.src").columns == ["k", "v"]
    for statement in (
        "CREATE STREAM far.src (k INT KEY, w STRING) WITH (VALUE_FORMAT = 'JSON')",
        "CREATE OR REPLACE STREAM far.src (k INT KEY, v INT, w STRING) WITH (VALUE_FORMAT = 'JSON')",
        "ALTER STREAM far.src ADD COLUMN w STRING",
    ):
        with pytest.raises(PySparkException) as refused:
            session.sql(statement)
        assert refused.value.getCondition() in {"KAFKALYST_CATALOG_DENIED", "KAFKALYST_OBJECT_EXISTS"}, statement

    # Its batches fail, too, as when an authorizer restarts.
    cluster.deny("copy")
    session.sql("INSERT INTO far.src VALUES (3, 3)")
    eventually(lambda: state(session, name)[1])
    time.sleep(LEASE_SECONDS)
    cluster.allow()
    eventually(lambda: copied(session) == [1, 2, 3])
    eventually(lambda: state(session, name) == ("RUNNING", False))


def test_an_application_that_has_not_read_the_catalog(
    spark: SparkSession, cluster: Cluster, query: tuple[SparkSession, str]
) -> None:
    """Without the right from the beginning, a declared topic is one of bytes, and cannot be declared again."""
    session, _ = query
    cluster.deny("_kafkalyst")
    other = cluster.session(spark, "app")
    # Another setting, so that nothing which is known is shared.
    other.conf.set("spark.sql.catalog.far.kafka.client.id", "other")
    assert other.table("far.src").columns == ["ROWKEY", "ROWVAL"]
    with pytest.raises(PySparkException) as refused:
        other.sql("CREATE STREAM far.src (k INT KEY, w STRING) WITH (VALUE_FORMAT = 'JSON')")
    assert refused.value.getCondition() == "KAFKALYST_CATALOG_DENIED"
    cluster.allow()
    eventually(lambda: other.table("far.src").columns == ["k", "v"])
    assert session.table("far.src").columns == ["k", "v"]


def test_a_catalog_topic_that_is_gone(cluster: Cluster, query: tuple[SparkSession, str]) -> None:
    """The queries go on; one that TERMINATE ends stays ended, which does not end the others."""
    session, name = query
    other = session.sql("CREATE STREAM far.other AS SELECT * FROM far.src EMIT CHANGES").collect()[0].query_id
    cluster.admin.delete_topics(["_kafkalyst"])["_kafkalyst"].result()
    time.sleep(LEASE_SECONDS)
    assert state(session, name) == ("RUNNING", False)
    assert "_kafkalyst" not in cluster.admin.list_topics(timeout=30).topics
    session.sql(f"TERMINATE {name}")
    assert not [row for row in session.sql("SHOW QUERIES").collect() if row.query_id == name]
    time.sleep(LEASE_SECONDS)
    assert state(session, other) == ("RUNNING", False)
    assert "_kafkalyst" not in cluster.admin.list_topics(timeout=30).topics
    session.sql(f"TERMINATE {other}")
