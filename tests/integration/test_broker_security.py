"""A broker with TLS, logins and ACLs: each refusal has a condition of its own, and no message tells a secret."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from confluent_kafka.admin import (
    AclBinding,
    AclOperation,
    AclPermissionType,
    AdminClient,
    ResourcePatternType,
    ResourceType,
)
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from conftest import Servers
from support.broker import broker

Topic = Callable[[str], str]
STORE_PASSWORD = "store-canary-1f"
NAMES = ("admin", "whole", "describer", "reader", "nobody", "groupless", "untransacted")
USERS = {name: f"{name}-canary-7c" for name in NAMES}
MODULE = "org.apache.kafka.common.security.plain.PlainLoginModule required"


def login(user: str, password: str, more: str = "") -> str:
    """Kafka's own notation."""
    return f'{MODULE} username="{user}" password="{password}"{more};'


def keytool(folder: Path, *words: str) -> None:
    """The JDK's own maker of certificates."""
    home = os.environ.get("JAVA_HOME")
    command = str(Path(home) / "bin" / "keytool") if home else "keytool"
    subprocess.run([command, *words, "-storepass", STORE_PASSWORD], cwd=folder, check=True, capture_output=True)


def certificates(folder: Path) -> None:
    """broker.p12 has the broker's key, trust.p12 and ca.pem its certificate."""
    made = ("-genkeypair", "-keyalg", "EC", "-alias", "broker", "-dname", "CN=broker", "-keystore", "broker.p12")
    keytool(folder, *made, "-ext", "san=dns:localhost,ip:127.0.0.1", "-storetype", "PKCS12")
    keytool(folder, "-exportcert", "-rfc", "-alias", "broker", "-keystore", "broker.p12", "-file", "ca.pem")
    trust = ("-importcert", "-noprompt", "-alias", "broker", "-file", "ca.pem", "-keystore", "trust.p12")
    keytool(folder, *trust, "-storetype", "PKCS12")


@dataclass(frozen=True)
class SecureBroker:
    """Its address, and the folder with its certificates."""

    kafka: str
    folder: Path

    def session(self, spark: SparkSession, user: str, password: str | None = None, trusts: bool = True) -> SparkSession:
        """A session of a user's."""
        session = spark.newSession()
        settings = self.settings(user, USERS[user] if password is None else password)
        for name, value in settings.items():
            if trusts or ".ssl." not in name:
                session.conf.set(f"spark.kafkalyst.{name}", value)
        return session

    def catalogs(self, spark: SparkSession, near: str, user: str) -> SparkSession:
        """A session with two clusters: `far`, this one with a user's login, and `near`, which asks for none."""
        session = spark.newSession()
        session.conf.unset("spark.kafkalyst.bootstrap.servers")
        for name, settings in (("far", self.settings(user, USERS[user])), ("near", {"bootstrap.servers": near})):
            session.conf.set(f"spark.sql.catalog.{name}", "io.kafkalyst.KafkaCatalog")
            for key, value in settings.items():
                session.conf.set(f"spark.sql.catalog.{name}.{key}", value)
        return session

    def settings(self, user: str, password: str) -> dict[str, str]:
        """What a session or a catalog needs, by the names after its prefix."""
        return {
            "bootstrap.servers": self.kafka,
            "kafka.security.protocol": "SASL_SSL",
            "kafka.sasl.mechanism": "PLAIN",
            "kafka.sasl.jaas.config": login(user, password),
            "kafka.ssl.truststore.location": str(self.folder / "trust.p12"),
            "kafka.ssl.truststore.type": "PKCS12",
            "kafka.ssl.truststore.password": STORE_PASSWORD,
        }


@pytest.fixture(scope="module")
def secure(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SecureBroker]:
    """The broker, and users of whom each lacks another right."""
    folder = tmp_path_factory.mktemp("secure")
    certificates(folder)
    known = "".join(f' user_{user}="{password}"' for user, password in USERS.items())
    settings = {
        "listener.security.protocol.map": "BROKER:SASL_SSL,CONTROLLER:PLAINTEXT",
        "sasl.enabled.mechanisms": "PLAIN",
        "sasl.mechanism.inter.broker.protocol": "PLAIN",
        "listener.name.broker.plain.sasl.jaas.config": login("admin", USERS["admin"], known),
        "ssl.keystore.location": folder / "broker.p12",
        "ssl.keystore.password": STORE_PASSWORD,
        "ssl.truststore.location": folder / "trust.p12",
        "ssl.truststore.password": STORE_PASSWORD,
        "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
        "super.users": "User:admin;User:ANONYMOUS",
    }
    with broker(folder, settings) as started:
        admin = AdminClient(
            {
                "bootstrap.servers": started.kafka,
                "security.protocol": "SASL_SSL",
                "sasl.mechanism": "PLAIN",
                "sasl.username": "admin",
                "sasl.password": USERS["admin"],
                "ssl.ca.location": str(folder / "ca.pem"),
            }
        )
        topic, group, ids = ResourceType.TOPIC, ResourceType.GROUP, ResourceType.TRANSACTIONAL_ID
        everything = {"whole": {topic, group, ids}, "groupless": {topic, ids}, "untransacted": {topic, group}}
        acls = [acl(user, kind, AclOperation.ALL) for user, kinds in everything.items() for kind in kinds] + [
            acl("describer", topic, AclOperation.DESCRIBE),
            acl("reader", topic, AclOperation.READ),
            acl("reader", group, AclOperation.READ),
        ]
        for made in admin.create_acls(acls).values():
            made.result()
        yield SecureBroker(started.kafka, folder)


def acl(user: str, kind: ResourceType, operation: AclOperation) -> AclBinding:
    """A right to everything of its kind."""
    pattern = ResourcePatternType.LITERAL
    return AclBinding(kind, "*", pattern, f"User:{user}", "*", operation, AclPermissionType.ALLOW)


@pytest.fixture(scope="module")
def stream(spark: SparkSession, secure: SecureBroker) -> str:
    """A stream with a row, which is written exactly once."""
    session = secure.session(spark, "admin")
    session.sql(
        "CREATE STREAM guarded (k INT KEY, v STRING) WITH (KAFKA_TOPIC = 'guarded', VALUE_FORMAT = 'JSON', "
        "PARTITIONS = 1, 'sink.delivery-guarantee' = 'exactly-once')"
    )
    session.sql("INSERT INTO guarded VALUES (1, 'a')")
    return "guarded"


def refusal(run: Callable[[], object]) -> tuple[str, str]:
    """The condition and the message; neither it nor what stands behind it tells a secret."""
    with pytest.raises(PySparkException) as failed:
        run()
    error = failed.value
    text = f"{error} {getattr(error, '_stackTrace', '')} {getattr(error, 'desc', '')}"
    for secret in (*USERS.values(), STORE_PASSWORD, "wrong-canary"):
        assert secret not in text
    return str(error.getCondition()), str(error)


def test_a_user_with_all_rights(spark: SparkSession, secure: SecureBroker, stream: str) -> None:
    """What is refused below is not so for lack of something else."""
    session = secure.session(spark, "whole")
    session.sql(f"INSERT INTO {stream} VALUES (2, 'b')")
    assert {row["k"] for row in session.table(stream).collect()} >= {1, 2}


def test_login_and_certificate(spark: SparkSession, secure: SecureBroker, stream: str) -> None:
    """A wrong password and a broker that is not trusted, from the first request on."""
    wrong = secure.session(spark, "whole", "wrong-canary")
    condition, message = refusal(lambda: wrong.table(stream).collect())
    assert condition == "KAFKALYST_LOGIN_REFUSED"
    assert "the user whole" in message and secure.kafka in message
    untrusting = secure.session(spark, "whole", trusts=False)
    condition, message = refusal(lambda: untrusting.table(stream).collect())
    assert condition == "KAFKALYST_BROKER_UNTRUSTED"
    assert "ssl.truststore.location" in message


@pytest.mark.parametrize(
    ("user", "statement", "condition", "said"),
    [
        ("nobody", "SELECT * FROM guarded", "TOPIC_DENIED", 'topic "guarded"'),
        ("describer", "SELECT * FROM guarded", "TOPIC_DENIED", 'topic "guarded"'),
        ("nobody", "INSERT INTO guarded VALUES (3, 'c')", "TOPIC_DENIED", 'topic "guarded"'),
        ("groupless", "INSERT INTO guarded VALUES (3, 'c')", "GROUP_DENIED", "kafkalyst-"),
        ("untransacted", "INSERT INTO guarded VALUES (3, 'c')", "TRANSACTION_DENIED", "the user untransacted"),
    ],
)
def test_rights(
    spark: SparkSession, secure: SecureBroker, stream: str, user: str, statement: str, condition: str, said: str
) -> None:
    """The right that is missing, of whom and to what."""
    session = secure.session(spark, user)
    found, message = refusal(lambda: session.sql(statement).collect())
    assert found == f"KAFKALYST_{condition}"
    assert said in message and f"the user {user}" in message


def test_two_clusters(spark: SparkSession, secure: SecureBroker, stream: str, servers: Servers, topic: Topic) -> None:
    """Each with a login of its own: joined, and copied from one into the other; a broadcast is by statistics."""
    session, name = secure.catalogs(spark, servers.kafka, "whole"), topic("near")
    session.sql(f"CREATE STREAM near.{name} (k INT KEY, w STRING) WITH (VALUE_FORMAT = 'JSON', PARTITIONS = 1)")
    session.sql(f"INSERT INTO near.{name} VALUES (1, 'x')")
    session.sql("CREATE STREAM far.copied (k INT KEY, w STRING) WITH (VALUE_FORMAT = 'JSON', PARTITIONS = 1)")
    session.sql(f"INSERT INTO far.copied SELECT k, w FROM near.{name}")
    rows = session.sql(f"SELECT a.w, b.w FROM far.copied AS a JOIN near.{name} AS b ON a.k = b.k").collect()
    assert [tuple(row) for row in rows] == [("x", "x")]
    assert [row.tableName for row in session.sql("SHOW TABLES IN far LIKE 'copied'").collect()] == ["copied"]
    assert not session.sql("SHOW TABLES IN near LIKE 'copied'").collect()
    # Nothing of one login is used for the other: without the right one the cluster with logins refuses.
    session.conf.set("spark.sql.catalog.far.kafka.sasl.jaas.config", login("whole", "wrong-canary"))
    assert refusal(lambda: session.sql("SELECT * FROM far.copied").collect())[0] == "KAFKALYST_CATALOG_SETTING"
    assert session.table(f"near.{name}").count() == 1


@pytest.mark.parametrize(("user", "right"), [("reader", "CREATE, READ, WRITE"), ("untransacted", "transactional id")])
def test_a_catalog_without_the_right_to_write(
    spark: SparkSession, secure: SecureBroker, stream: str, servers: Servers, user: str, right: str
) -> None:
    """Topics are tables all the same; CREATE names the right that it lacks, and leaves nothing behind."""
    session = secure.catalogs(spark, servers.kafka, user)
    assert [row.tableName for row in session.sql("SHOW TABLES IN far LIKE 'guarded'").collect()] == ["guarded"]
    assert session.table("far.guarded").count() >= 1
    found, message = refusal(
        lambda: session.sql("CREATE STREAM far.guarded (k INT KEY, v STRING) WITH (VALUE_FORMAT = 'JSON')")
    )
    assert found == "KAFKALYST_CATALOG_DENIED"
    assert right in message and "far" in message
    assert session.table("far.guarded").columns == ["ROWKEY", "ROWVAL"]
