"""Other users' statements on a Connect server get none of its logins and files, and load no classes."""

from __future__ import annotations

import json
import re
import socket
import threading
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from kafkalyst.ports import held_ports
from support.cluster import addresses, client, connect

if TYPE_CHECKING:
    from conftest import Servers

CLIENT = r'''
import json, sys, time
from confluent_kafka import Producer
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from support.patience import PATIENCE_SECONDS
from support.records import messages

remote, topic, evil, file, kafka, canaries = sys.argv[1:]
canaries = json.loads(canaries)
KAFKA, REGISTRY = "spark.kafkalyst.kafka.", "spark.kafkalyst.schema.registry."
spark = SparkSession.builder.remote(remote).create()
told = []
# The client of Connect hangs if the garbage collector finds a session while it hands work to its thread pool.
kept = []


def refused(what, condition, run):
    """The refusal names the property and the setting that allows it, and no canary."""
    try:
        run()
    except PySparkException as error:
        text = str(error)
        told.append(text)
        assert error.getCondition() == f"KAFKALYST_{condition}", (what, text[:600])
        if condition == "LOCKED_PROPERTY":
            assert what in text and error.getSqlState() == "42501", (what, text[:600])
        if condition.startswith("LOCKED"):
            assert "spark.kafkalyst.session.properties" in text, (what, text[:600])
    else:
        raise AssertionError(f"{what} was not refused")


def soon(run):
    """What others write to the catalog is seen after a moment."""
    end = time.monotonic() + PATIENCE_SECONDS
    while True:
        try:
            return run()
        except (AssertionError, PySparkException):
            if time.monotonic() > end:
                raise
            time.sleep(1)


def sql(text, session=spark):
    return session.sql(text).collect()


definition = f"(k INT KEY, v STRING) WITH (KAFKA_TOPIC = '{topic}', VALUE_FORMAT = 'JSON', PARTITIONS = 1"
sql(f"CREATE STREAM s {definition})")
sql("INSERT INTO s VALUES (1, 'a'), (2, 'b')")
assert sql("SELECT count(*) FROM s")[0][0] == 2

# SET, each in a session of its own: what is read, asked or loaded is not, whatever statement has use for it.
attacks = {
    "spark.kafkalyst.bootstrap.servers": evil,
    "spark.kafkalyst.session.properties": "open",
    "spark.kafkalyst.query.checkpoint.root": "/tmp/theirs",
    "spark.kafkalyst.query.offsets.group.prefix": "payments-",
    REGISTRY + "url": f"http://{evil}",
    REGISTRY + "proxy.host": evil.split(":")[0],
    REGISTRY + "conf.file": file,
    REGISTRY + "ssl.truststore.location": file,
    REGISTRY + "bearer.auth.issuer.endpoint.url": f"http://{evil}",
    KAFKA + "security.protocol": "SASL_PLAINTEXT",
    KAFKA + "config.providers": "directory",
    KAFKA + "client.dns.lookup": "${file:" + file + ":root}",
    KAFKA + "client.rack": "${file:" + file + ":root}",
    KAFKA + "metric.reporters": "io.kafkalyst.Theirs",
    KAFKA + "interceptor.classes": "io.kafkalyst.Theirs",
    KAFKA + "sasl.oauthbearer.token.endpoint.url": f"file://{file}",
    KAFKA + "sasl.jaas.config": "com.sun.security.auth.module.JndiLoginModule required;",
    KAFKA + "ssl.keystore.location": file,
}
for name, value in attacks.items():
    session = spark.newSession() if hasattr(spark, "newSession") else SparkSession.builder.remote(remote).create()
    kept.append(session)
    session.conf.set(name, value)
    uses = ["PRINT " + topic] if not name.startswith(REGISTRY) else []
    uses += [] if "checkpoint" in name else ["ASSERT SCHEMA SUBJECT 'any'"]
    if "checkpoint" in name:
        uses = ["CREATE STREAM theirs AS SELECT * FROM s"]
    for use in uses:
        refused(name, "LOCKED_PROPERTY", lambda: sql(use, session))
    assert sql("SELECT 1", session)[0][0] == 1
    session.conf.unset(name)

# A catalog that a session makes up.
theirs = SparkSession.builder.remote(remote).create()
theirs.conf.set("spark.sql.catalog.theirs", "io.kafkalyst.KafkaCatalog")
theirs.conf.set("spark.sql.catalog.theirs.bootstrap.servers", evil)
bootstrap = "spark.sql.catalog.theirs.bootstrap.servers"
refused(bootstrap, "LOCKED_PROPERTY", lambda: sql("SHOW TABLES IN theirs", theirs))

# What a session took away stays.
spark.conf.unset(REGISTRY + "basic.auth.user.info")
spark.conf.unset("spark.kafkalyst.bootstrap.servers")
assert sql("SELECT count(*) FROM s")[0][0] == 2

# Definitions, options, hints, entries.
others = {"security.protocol": "PLAINTEXT", "client.id": "${file:" + file + ":root}", "bootstrap.servers": evil}
for name in ["interceptor.classes", "metric.reporters", "ssl.truststore.location", *others]:
    full, value = f"properties.{name}", others.get(name, file)
    refused(full, "LOCKED_PROPERTY", lambda: sql(f"CREATE STREAM x {definition}, '{full}' = '{value}')"))
    if name != "bootstrap.servers":
        flink = f"'connector' = 'kafka', 'topic' = '{topic}', 'format' = 'json', '{full}' = '{value}'"
        refused(full, "LOCKED_PROPERTY", lambda: sql(f"CREATE TABLE x (v STRING) WITH ({flink})"))
        hint = f"SELECT * FROM s /*+ OPTIONS('{full}' = '{value}') */"
        refused(full, "LOCKED_PROPERTY", lambda: sql(hint))
    refused(full, "LOCKED_PROPERTY", lambda: sql(f"ALTER TABLE s SET TBLPROPERTIES ('{full}' = '{value}')"))
    reader = spark.read.format("kafkalyst").schema("v STRING").option("value_format", "JSON")
    reader = reader.option("kafka_topic", topic).option(full, value)
    refused(full, "LOCKED_PROPERTY", lambda: reader.load().collect())
    entry = {row[0]: row[1] for row in sql("SHOW TBLPROPERTIES s")}
    whole = spark.read.format("kafkalyst").schema("k INT, v STRING").options(**entry, **{full: value})
    refused(full, "LOCKED_PROPERTY", lambda: whole.load().collect())
    writer = spark.createDataFrame([(3, "c")], "k INT, v STRING").write.format("kafkalyst").mode("append")
    refused(full, "LOCKED_PROPERTY", lambda: writer.options(**entry, **{full: value}).save())
secret = "'properties.sasl.jaas.config' = 'x'"
refused("sasl", "SECRET_IN_DEFINITION", lambda: sql(f"CREATE STREAM x {definition}, {secret})"))
refused("sasl", "SECRET_IN_DEFINITION", lambda: sql(f"ALTER TABLE s SET TBLPROPERTIES ({secret})"))

refused(file, "LOCKED_STATEMENT", lambda: sql(f"RUN SCRIPT '{file}'"))

# An entry that somebody wrote without Kafkalyst.
entry = f"kafka.`{topic}_entry`"
sql(f"CREATE STREAM {entry} {definition})".replace(f"'{topic}'", f"'{topic}_entry'"))

# The topic of definitions: a record there would be a query with any text and checkpoint.
for statement in ("INSERT INTO kafka._kafkalyst VALUES (X'01', X'02')", "DROP TABLE kafka._kafkalyst PURGE"):
    refused(statement, "RESERVED_TOPIC", lambda: sql(statement))

sql(f"INSERT INTO {entry} VALUES (1, 'a')")
(key, written), = [(m.key(), json.loads(m.value())) for m in messages(kafka, "_kafkalyst") if topic in str(m.key())]
feed = Producer({"bootstrap.servers": kafka})
login = f'a.Module required username="me" password="{canaries[4]}";'
for name, value, condition in (
    ("interceptor.classes", "io.kafkalyst.Theirs", "LOCKED_PROPERTY"),
    ("sasl.jaas.config", login, "SECRET_IN_DEFINITION"),
):
    full = f"properties.{name}"
    feed.produce("_kafkalyst", json.dumps({**written, "properties": {**written["properties"], full: value}}), key)
    assert feed.flush(60) == 0
    for use in (f"SELECT * FROM {entry}", f"INSERT INTO {entry} VALUES (2, 'b')"):
        soon(lambda: refused(full, condition, lambda: sql(use)))
    for show in ("DESCRIBE", "DESCRIBE EXTENDED", "SHOW TBLPROPERTIES", "SHOW CREATE TABLE"):
        try:
            told.append(str(sql(f"{show} {entry}")))
        except PySparkException as error:
            told.append(str(error))
feed.produce("_kafkalyst", json.dumps(written), key)
feed.flush(60)
assert soon(lambda: sql(f"SELECT count(*) FROM {entry}"))[0][0] == 1
sql(f"DROP STREAM {entry} DELETE TOPIC")

# Spark's own connector takes any option of a session, and the JVM asks no endpoint for tokens.
oauth = "org.apache.kafka.common.security.oauthbearer.OAuthBearer"
options = {
    "bootstrap.servers": kafka,
    "security.protocol": "SASL_PLAINTEXT",
    "sasl.mechanism": "OAUTHBEARER",
    "sasl.login.callback.handler.class": oauth + "LoginCallbackHandler",
    "sasl.jaas.config": oauth + "LoginModule required;",
    "sasl.oauthbearer.token.endpoint.url": f"file://{file}",
}
reader = spark.read.format("kafka").option("subscribe", topic)
try:
    reader.options(**{f"kafka.{name}": value for name, value in options.items()}).load().collect()
except Exception as error:
    assert "oauthbearer.allowed.urls" in str(error), str(error)
    told.append(str(error))
else:
    raise AssertionError("a token was read from a file")

# What needs no trust goes on.
spark.conf.set(KAFKA + "max.poll.records", "1")
sql(f"CREATE STREAM fine {definition}, 'properties.fetch.max.wait.ms' = '50')")
assert sql("SELECT count(*) FROM fine")[0][0] == 2
told += [str(sql(show)) for show in ("SHOW PROPERTIES", "DESCRIBE EXTENDED s", "SHOW TBLPROPERTIES s", "SET -v", "SET")]
for text in told:
    for canary in canaries:
        assert canary not in text, (canary, text)
sql("DROP STREAM fine")
sql("DROP STREAM s DELETE TOPIC")
print("kept:", len(told))
'''


@contextmanager
def listener() -> Iterator[tuple[str, list[bytes]]]:
    """A host that accepts everything: its address, and what it received."""
    heard: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as server:

        def listen() -> None:
            while True:
                try:
                    connection, _ = server.accept()
                except OSError:
                    return
                with connection:
                    connection.settimeout(2)
                    heard.append(b"connected")

        threading.Thread(target=listen, daemon=True).start()
        yield f"127.0.0.1:{server.getsockname()[1]}", heard


def endpoints(root: Path) -> dict[str, str]:
    """The OAuth endpoints in the configuration files for servers."""
    name = "spark.driver.extraJavaOptions"
    (found,) = {
        re.search(rf"^{re.escape(name)}\s+(.*)$", path.read_text("utf-8"), re.MULTILINE)[1]
        for path in (root / "conf" / "spark-defaults" / file for file in ("connect.conf", "cluster.conf"))
    }
    return {name: found}


def shown(ui: str, folder: Path) -> dict[str, str]:
    """The contents of the server's UI, event log and log."""

    def page(path: str) -> str:
        with urllib.request.urlopen(ui + path, timeout=60) as answer:
            return str(answer.read().decode())

    app = json.loads(page("/api/v1/applications"))[0]["id"]
    paths = ["/environment/", "/SQL/", "/jobs/", "/stages/", "/connect/", f"/api/v1/applications/{app}/environment"]
    paths += [f"/api/v1/applications/{app}/{kind}" for kind in ("jobs", "sql?details=true&length=10000")]
    executions = json.loads(page(f"/api/v1/applications/{app}/sql?length=10000"))
    assert executions
    paths += [f"/SQL/execution/?id={execution['id']}" for execution in executions]
    files = [*(path for path in (folder / "events").rglob("*") if path.is_file()), folder / "connect.log"]
    assert len(files) > 1
    return {path: page(path) for path in paths} | {str(file): file.read_text(errors="replace") for file in files}


def test_sessions_of_a_server(servers: Servers, topic: Callable[[str], str], tmp_path: Path, root: Path) -> None:
    """No secret of the server leaks, by any way in; its own settings work, also from a file of secrets."""
    canaries = [f"canary{n}x9" for n in range(5)]
    file = tmp_path / "secrets.properties"
    file.write_text(f"root={canaries[0]}\nid={canaries[1]}\nurl=http://{canaries[2]}\n{canaries[2]} is not a property")
    provider = "org.apache.kafka.common.config.provider.FileConfigProvider"
    conf = {
        **addresses(servers),
        "spark.kafkalyst.schema.registry.basic.auth.user.info": f"me:{canaries[3]}",
        # The application's own reference works, so the provider is there for sessions to misuse.
        "spark.kafkalyst.kafka.config.providers": "file",
        "spark.kafkalyst.kafka.config.providers.file.class": provider,
        "spark.kafkalyst.kafka.client.id": f"${{file:{file}:id}}",
        "spark.redaction.regex": "user[.]info",
        "spark.sql.catalog.kafka": "io.kafkalyst.KafkaCatalog",
        **endpoints(root),
        "spark.eventLog.enabled": "true",
        "spark.eventLog.compress": "false",
        "spark.eventLog.dir": f"file:{tmp_path}/events",
        "spark.ui.enabled": "true",
    }
    (tmp_path / "events").mkdir()
    name = topic("trust")
    with (
        listener() as (evil, heard),
        held_ports(1) as [port],
        connect(tmp_path, {**conf, "spark.ui.port": str(port)}) as server,
    ):
        done = client(root, CLIENT, [server, name, evil, str(file), servers.kafka, json.dumps(canaries)])
        looked_at = shown(f"http://127.0.0.1:{port}", tmp_path)
    assert "kept:" in done.stdout, done.stdout[-1500:] + re.sub(r"\\n\\tat .*", "", done.stderr)[-4000:]
    assert not heard
    assert sum(name in text for text in looked_at.values()) > 10
    for where, text in looked_at.items():
        for canary in (canaries[0], *canaries[2:]):
            at = text.find(canary)
            assert at < 0, f"{where}: …{text[max(0, at - 300) : at + 40]}…"
