"""A broker with TLS, logins and ACLs: each refusal has its own condition, and no message contains a secret."""

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
    ScramCredentialInfo,
    ScramMechanism,
    UserScramCredentialUpsertion,
)
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from conftest import Servers
from support.broker import broker

Topic = Callable[[str], str]
STORE_PASSWORD = "store-canary-1f"
NAMES = ("admin", "whole", "describer", "reader", "nobody", "groupless", "untransacted")
TOPIC, GROUP, IDS = ResourceType.TOPIC, ResourceType.GROUP, ResourceType.TRANSACTIONAL_ID
READ, WRITE, DESCRIBE = AclOperation.READ, AclOperation.WRITE, AclOperation.DESCRIBE
CREATE, DELETE, CONFIGS = AclOperation.CREATE, AclOperation.DELETE, AclOperation.DESCRIBE_CONFIGS
# The rows of docs/security.md, What each statement needs: a user for each, the rights by resource, and what they allow.
Rights = dict[tuple[ResourceType, str], tuple[AclOperation, ...]]
LEAST: dict[str, tuple[Rights, list[str]]] = {
    "reads": ({(TOPIC, "guarded"): (READ,)}, ["SELECT * FROM guarded", "SELECT count(*) FROM guarded"]),
    "writes": ({(TOPIC, "plain"): (WRITE,)}, ["INSERT INTO plain VALUES (1, 'a')", "DELETE FROM plain WHERE k = 1"]),
    "once": (
        {
            (TOPIC, "guarded"): (READ, WRITE),
            (IDS, "kafkalyst-"): (WRITE, DESCRIBE),
            (GROUP, "kafkalyst-"): (READ, DELETE),
        },
        ["INSERT INTO guarded VALUES (4, 'd')"],
    ),
    "makes": (
        {(TOPIC, "made"): (CREATE, DESCRIBE, CONFIGS)},
        ["CREATE STREAM made (k INT) WITH (KAFKA_TOPIC = 'made', VALUE_FORMAT = 'JSON', PARTITIONS = 1)"],
    ),
    "drops": ({(TOPIC, "made"): (DELETE,)}, ["DROP STREAM made DELETE TOPIC"]),
    "looks": ({(TOPIC, "guarded"): (READ, CONFIGS)}, ["DESCRIBE TOPIC guarded", "SHOW TOPICS EXTENDED"]),
    "letters": (
        {(TOPIC, "plain"): (READ,), (TOPIC, "plain-dlq"): (WRITE,)},
        ["SELECT k, v FROM plain"],
    ),
    "replays": (
        {
            (TOPIC, "plain"): (WRITE,),
            (TOPIC, "plain-dlq"): (READ,),
            (GROUP, "kafkalyst-replay"): (READ,),
            (IDS, "kafkalyst-replay-plain-dlq"): (WRITE, DESCRIBE),
        },
        ["REPLAY plain"],
    ),
    "follows": (
        {(TOPIC, "guarded"): (READ,), (GROUP, "others"): (DESCRIBE,)},
        [
            "SELECT * FROM guarded WITH ('scan.startup.mode' = 'group-offsets', 'properties.group.id' = 'others', "
            "'properties.auto.offset.reset' = 'earliest')"
        ],
    ),
    # All rights on this topic, and none on the catalog's own.
    "topical": (
        {
            (TOPIC, "guarded"): (READ, WRITE, CONFIGS),
            (IDS, "kafkalyst-"): (WRITE, DESCRIBE),
            (GROUP, "kafkalyst-"): (READ, DELETE),
        },
        [
            "SELECT CAST(ROWVAL AS STRING) FROM far.guarded",
            "INSERT INTO far.guarded VALUES (X'00000007', X'7B2276223A2278227D')",
            "DESCRIBE far.guarded",
            "SHOW TABLES IN far",
            "SELECT * FROM far.guarded VERSION AS OF 'partition:0,offset:1'",
            "SELECT * FROM far.guarded TIMESTAMP AS OF current_timestamp()",
            "SELECT * FROM far.guarded EMIT CHANGES LIMIT 1",
        ],
    ),
    "defines": (
        {
            (TOPIC, "guarded"): (DESCRIBE,),
            (TOPIC, "_kafkalyst"): (CREATE, READ, WRITE, CONFIGS),
            (IDS, "kafkalyst-catalog-_kafkalyst"): (WRITE, DESCRIBE),
        },
        [
            "CREATE STREAM far.guarded (k INT KEY, v STRING) WITH (VALUE_FORMAT = 'JSON')",
            "DROP STREAM far.guarded",
            "CREATE STREAM far.guarded (k INT KEY, v STRING) WITH (VALUE_FORMAT = 'JSON')",
            "DROP STREAM far.guarded",
        ],
    ),
}
USERS = {name: f"{name}-canary-7c" for name in (*NAMES, *LEAST)}
MODULE = "org.apache.kafka.common.security.plain.PlainLoginModule required"
SCRAM = "org.apache.kafka.common.security.scram.ScramLoginModule required"


def login(user: str, password: str, more: str = "") -> str:
    """Kafka's own notation."""
    return f'{MODULE} username="{user}" password="{password}"{more};'


def keytool(folder: Path, *words: str) -> None:
    """Runs the JDK's keytool."""
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
        """A session with a user's login."""
        session = spark.newSession()
        settings = self.settings(user, USERS[user] if password is None else password)
        for name, value in settings.items():
            if trusts or ".ssl." not in name:
                session.conf.set(f"spark.kafkalyst.{name}", value)
        return session

    def catalogs(self, spark: SparkSession, near: str, user: str) -> SparkSession:
        """A session with two clusters: `far`, this one with a user's login, and `near`, which needs no login."""
        session = spark.newSession()
        session.conf.unset("spark.kafkalyst.bootstrap.servers")
        session.conf.unset("spark.sql.catalog.kafka")
        for name, settings in (("far", self.settings(user, USERS[user])), ("near", {"bootstrap.servers": near})):
            session.conf.set(f"spark.sql.catalog.{name}", "io.kafkalyst.KafkaCatalog")
            for key, value in settings.items():
                session.conf.set(f"spark.sql.catalog.{name}.{key}", value)
        return session

    def settings(self, user: str, password: str) -> dict[str, str]:
        """The settings of a session or a catalog, by their names after the prefix."""
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
    """The broker, and users that each lack one right."""
    folder = tmp_path_factory.mktemp("secure")
    certificates(folder)
    known = "".join(f' user_{user}="{password}"' for user, password in USERS.items())
    settings = {
        "listener.security.protocol.map": "BROKER:SASL_SSL,CONTROLLER:PLAINTEXT",
        "sasl.enabled.mechanisms": "PLAIN,SCRAM-SHA-512",
        "sasl.mechanism.inter.broker.protocol": "PLAIN",
        "listener.name.broker.plain.sasl.jaas.config": login("admin", USERS["admin"], known),
        "listener.name.broker.scram-sha-512.sasl.jaas.config": f"{SCRAM};",
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
        everything = {"whole": {TOPIC, GROUP, IDS}, "groupless": {TOPIC, IDS}, "untransacted": {TOPIC, GROUP}}
        acls = [acl(user, kind, AclOperation.ALL) for user, kinds in everything.items() for kind in kinds]
        acls += [acl("describer", TOPIC, DESCRIBE), acl("reader", TOPIC, READ), acl("reader", GROUP, READ)]
        for user, (rights, _) in LEAST.items():
            acls += [acl(user, kind, of, name) for (kind, name), all_of in rights.items() for of in all_of]
        for made in admin.create_acls(acls).values():
            made.result()
        hashed = ScramCredentialInfo(ScramMechanism.SCRAM_SHA_512, 4096)
        scram = UserScramCredentialUpsertion("whole", hashed, USERS["whole"].encode())
        for made in admin.alter_user_scram_credentials([scram]).values():
            made.result()
        yield SecureBroker(started.kafka, folder)


def acl(user: str, kind: ResourceType, operation: AclOperation, name: str = "*") -> AclBinding:
    """A right to all resources of a kind, to one name, or to names that begin with `kafkalyst-`."""
    pattern = ResourcePatternType.PREFIXED if name == "kafkalyst-" else ResourcePatternType.LITERAL
    return AclBinding(kind, name, pattern, f"User:{user}", "*", operation, AclPermissionType.ALLOW)


@pytest.fixture(scope="module")
def stream(spark: SparkSession, secure: SecureBroker) -> str:
    """Creates a stream with a row, which is written exactly once."""
    session = secure.session(spark, "admin")
    session.sql(
        "CREATE STREAM guarded (k INT KEY, v STRING) WITH (KAFKA_TOPIC = 'guarded', VALUE_FORMAT = 'JSON', "
        "PARTITIONS = 1, 'sink.delivery-guarantee' = 'exactly-once')"
    )
    session.sql("INSERT INTO guarded VALUES (1, 'a')")
    return "guarded"


def refusal(run: Callable[[], object]) -> tuple[str, str]:
    """The condition and the message; neither the message nor its causes contain a secret."""
    with pytest.raises(PySparkException) as failed:
        run()
    error = failed.value
    text = f"{error} {getattr(error, '_stackTrace', '')} {getattr(error, 'desc', '')}"
    for secret in (*USERS.values(), STORE_PASSWORD, "wrong-canary"):
        assert secret not in text
    return str(error.getCondition()), str(error)


def test_a_user_with_all_rights(spark: SparkSession, secure: SecureBroker, stream: str) -> None:
    """All rights suffice, so the refusals below have no other reason."""
    session = secure.session(spark, "whole")
    session.sql(f"INSERT INTO {stream} VALUES (2, 'b')")
    assert {row["k"] for row in session.table(stream).collect()} >= {1, 2}


def test_login_and_certificate(spark: SparkSession, secure: SecureBroker, stream: str) -> None:
    """A wrong password and an untrusted broker are reported from the first request on."""
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
    """The error names the missing right, the user and the resource."""
    session = secure.session(spark, user)
    found, message = refusal(lambda: session.sql(statement).collect())
    assert found == f"KAFKALYST_{condition}"
    assert said in message and f"the user {user}" in message


def test_two_clusters(spark: SparkSession, secure: SecureBroker, stream: str, servers: Servers, topic: Topic) -> None:
    """Clusters with their own logins are joined and copied into each other; statistics decide on a broadcast."""
    session, name = secure.catalogs(spark, servers.kafka, "whole"), topic("near")
    session.sql(f"CREATE STREAM near.{name} (k INT KEY, w STRING) WITH (VALUE_FORMAT = 'JSON', PARTITIONS = 1)")
    session.sql(f"INSERT INTO near.{name} VALUES (1, 'x')")
    session.sql("CREATE STREAM far.copied (k INT KEY, w STRING) WITH (VALUE_FORMAT = 'JSON', PARTITIONS = 1)")
    session.sql(f"INSERT INTO far.copied SELECT k, w FROM near.{name}")
    rows = session.sql(f"SELECT a.w, b.w FROM far.copied AS a JOIN near.{name} AS b ON a.k = b.k").collect()
    assert [tuple(row) for row in rows] == [("x", "x")]
    assert [row.tableName for row in session.sql("SHOW TABLES IN far LIKE 'copied'").collect()] == ["copied"]
    assert not session.sql("SHOW TABLES IN near LIKE 'copied'").collect()
    # One cluster's login is not used for the other: without its own, the cluster with logins refuses.
    session.conf.set("spark.sql.catalog.far.kafka.sasl.jaas.config", login("whole", "wrong-canary"))
    assert refusal(lambda: session.sql("SELECT * FROM far.copied").collect())[0] == "KAFKALYST_CATALOG_SETTING"
    assert session.table(f"near.{name}").count() == 1


@pytest.mark.parametrize(("user", "right"), [("reader", "CREATE, READ, WRITE"), ("untransacted", "transactional id")])
def test_a_catalog_without_the_right_to_write(
    spark: SparkSession, secure: SecureBroker, stream: str, servers: Servers, user: str, right: str
) -> None:
    """Topics are tables all the same; CREATE names the missing right, and leaves nothing."""
    session = secure.catalogs(spark, servers.kafka, user)
    assert [row.tableName for row in session.sql("SHOW TABLES IN far LIKE 'guarded'").collect()] == ["guarded"]
    assert session.table("far.guarded").count() >= 1
    found, message = refusal(
        lambda: session.sql("CREATE STREAM far.guarded (k INT KEY, v STRING) WITH (VALUE_FORMAT = 'JSON')")
    )
    assert found == "KAFKALYST_CATALOG_DENIED"
    assert right in message and "far" in message
    assert session.table("far.guarded").columns == ["ROWKEY", "ROWVAL"]


def test_streams_of_a_catalog_without_the_right_to_write(
    spark: SparkSession, secure: SecureBroker, stream: str, servers: Servers, tmp_path: Path
) -> None:
    """Spark's streams read and write its topics; a continuous query names the missing right."""
    session = secure.catalogs(spark, servers.kafka, "topical")
    before = session.table("far.guarded").count()
    copy = session.readStream.table("far.guarded").writeStream.option("checkpointLocation", str(tmp_path))
    copy.trigger(availableNow=True).toTable("far.guarded").awaitTermination()
    assert session.table("far.guarded").count() == 2 * before
    for statement in (
        "INSERT INTO far.guarded SELECT * FROM far.guarded EMIT CHANGES",
        "ALTER TABLE far.guarded SET TBLPROPERTIES ('on_error' = 'skip')",
    ):
        found, message = refusal(lambda statement=statement: session.sql(statement).collect())
        assert found == "KAFKALYST_CATALOG_DENIED", statement
        assert "CREATE, READ, WRITE" in message


@pytest.mark.parametrize("user", ["nobody", "describer"])
def test_rights_of_a_catalog(
    spark: SparkSession, secure: SecureBroker, stream: str, servers: Servers, user: str
) -> None:
    """A topic of a catalog that the user may not read or write; listings still work."""
    session = secure.catalogs(spark, servers.kafka, user)
    listed = [row.tableName for row in session.sql("SHOW TABLES IN far LIKE 'guarded'").collect()]
    assert listed == ([] if user == "nobody" else ["guarded"])
    statements = ["SELECT * FROM far.guarded", "INSERT INTO far.guarded VALUES (X'31', X'32')"]
    if user == "describer":
        assert [row.col_name for row in session.sql("DESCRIBE far.guarded").collect()][:2] == ["ROWKEY", "ROWVAL"]
    for statement in statements:
        found, message = refusal(lambda statement=statement: session.sql(statement).collect())
        assert found == "KAFKALYST_TOPIC_DENIED", (statement, message)
        assert 'topic "guarded"' in message and f"the user {user}" in message
    # A missing topic is reported as missing to a user who may see all topics.
    if user == "describer":
        assert refusal(lambda: session.sql("SELECT * FROM far.none").collect())[0] == "KAFKALYST_TOPIC_NOT_FOUND"


def test_least_rights(spark: SparkSession, secure: SecureBroker, stream: str, servers: Servers) -> None:
    """Each row of the table of ACLs in docs/security.md suffices for its statements."""
    admin = secure.session(spark, "admin")
    admin.sql(
        "CREATE STREAM plain (k INT KEY, v STRING) WITH (KAFKA_TOPIC = 'plain', VALUE_FORMAT = 'JSON', PARTITIONS = 1, "
        "ON_ERROR = 'dead-letter')"
    )
    admin.sql("CREATE STREAM plain_bytes (v STRING) WITH (KAFKA_TOPIC = 'plain', VALUE_FORMAT = 'KAFKA')")
    admin.sql("INSERT INTO plain_bytes VALUES ('no JSON')")
    refused = {}
    for user, (_, statements) in LEAST.items():
        of_catalog = "far." in statements[0]
        session = secure.catalogs(spark, servers.kafka, user) if of_catalog else secure.session(spark, user)
        for statement in statements:
            try:
                session.sql(statement).collect()
            except PySparkException as error:
                refused[f"{user}: {statement}"] = str(error)[:300]
    assert refused == {}, "\n".join(f"{k} -> {v}" for k, v in refused.items())


def test_scram(spark: SparkSession, secure: SecureBroker, stream: str) -> None:
    """A login by SCRAM; the broker stores only the password's hash."""
    session = secure.session(spark, "whole")
    session.conf.set("spark.kafkalyst.kafka.sasl.mechanism", "SCRAM-SHA-512")
    jaas = "spark.kafkalyst.kafka.sasl.jaas.config"
    session.conf.set(jaas, login("whole", USERS["whole"]).replace(MODULE, SCRAM))
    session.sql(f"INSERT INTO {stream} VALUES (5, 'scram')")
    assert "scram" in {row["v"] for row in session.table(stream).collect()}
    session.conf.set(jaas, login("whole", "wrong-canary").replace(MODULE, SCRAM))
    assert refusal(lambda: session.table(stream).collect())[0] == "KAFKALYST_LOGIN_REFUSED"


def test_client_certificate(spark: SparkSession, tmp_path: Path) -> None:
    """A login by a certificate alone (mTLS); the store's password is in a file that Kafka's provider reads."""
    certificates(tmp_path)
    made = ("-genkeypair", "-keyalg", "EC", "-alias", "me", "-dname", "CN=me", "-keystore", "me.p12")
    keytool(tmp_path, *made, "-storetype", "PKCS12")
    keytool(tmp_path, "-exportcert", "-rfc", "-alias", "me", "-keystore", "me.p12", "-file", "me.pem")
    keytool(tmp_path, "-importcert", "-noprompt", "-alias", "me", "-file", "me.pem", "-keystore", "trust.p12")
    (tmp_path / "me.properties").write_text(f"store={STORE_PASSWORD}\n")
    settings = {
        "listener.security.protocol.map": "BROKER:SSL,CONTROLLER:PLAINTEXT",
        "ssl.client.auth": "required",
        "ssl.keystore.location": tmp_path / "broker.p12",
        "ssl.keystore.password": STORE_PASSWORD,
        "ssl.truststore.location": tmp_path / "trust.p12",
        "ssl.truststore.password": STORE_PASSWORD,
    }
    password = f"${{file:{tmp_path}/me.properties:store}}"
    ours = {
        "security.protocol": "SSL",
        "ssl.truststore.location": tmp_path / "trust.p12",
        "ssl.truststore.type": "PKCS12",
        "ssl.truststore.password": password,
        "config.providers": "file",
        "config.providers.file.class": "org.apache.kafka.common.config.provider.FileConfigProvider",
        "config.providers.file.param.allowed.paths": tmp_path,
    }
    key = {"ssl.keystore.location": tmp_path / "me.p12", "ssl.keystore.type": "PKCS12"}
    with broker(tmp_path, settings) as started:
        session = spark.newSession()
        session.conf.set("spark.kafkalyst.bootstrap.servers", started.kafka)
        for name, value in {**ours, **key, "ssl.keystore.password": password}.items():
            session.conf.set(f"spark.kafkalyst.kafka.{name}", str(value))
        session.sql("CREATE STREAM certified (v STRING) WITH (KAFKA_TOPIC='c', VALUE_FORMAT='JSON', PARTITIONS=1)")
        session.sql("INSERT INTO certified VALUES ('a')")
        assert [row["v"] for row in session.table("certified").collect()] == ["a"]
        for name in (*key, "ssl.keystore.password"):
            session.conf.unset(f"spark.kafkalyst.kafka.{name}")
        assert refusal(lambda: session.table("certified").collect())[0] == "KAFKALYST_BROKER_UNTRUSTED"
