"""A canary is in every secret setting, and must not be in any output."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from kafkalyst.session import SECRETS
from support.patience import PROGRAM_SECONDS
from support.secure_registry import SecureRegistry

if TYPE_CHECKING:
    from conftest import Servers

KAFKA = "spark.kafkalyst.kafka."
REGISTRY = "spark.kafkalyst.schema.registry."
FAR = "spark.sql.catalog.far"
# Everything that a user could look at, once in success and once in failure.
APP = r"""
import json, sys, traceback, urllib.request
import kafkalyst

topic, url = sys.argv[1:3]
spark = kafkalyst.session(**CONF)
spark.conf.set("spark.kafkalyst.query.trigger", "available-now")
WITH = "KEY_FORMAT = 'AVRO', VALUE_FORMAT = 'AVRO', PARTITIONS = 1"

def run(statement):
    print("statement:", statement)
    try:
        for row in spark.sql(statement).collect():
            print(row)
        return True
    except Exception as error:
        print(type(error), error, getattr(error, "getMessageParameters", lambda: "")())
        traceback.print_exc()
        return False

def must(statement):
    if not run(statement):
        sys.exit("failed: " + statement)

must(f"CREATE STREAM s (k BIGINT KEY, a INT, b STRING) WITH (KAFKA_TOPIC = '{topic}', {WITH})")
must("INSERT INTO s VALUES (1, 10, 'x'), (2, 20, 'y')")
must("SELECT * FROM s")
must(f"CREATE STREAM d WITH (KAFKA_TOPIC = '{topic}_d') AS SELECT k, a + 1 AS a FROM s")
for statement in ("DESCRIBE s", "DESCRIBE EXTENDED s", "DESCRIBE FORMATTED d", "SHOW CREATE TABLE s",
                  "SHOW TBLPROPERTIES s", "SHOW STREAMS", "SHOW QUERIES",
                  "SHOW TOPICS", "SHOW TABLE EXTENDED LIKE 's'", "SET", "SET -v",
                  f"PRINT '{topic}' FROM BEGINNING"):
    run(statement)
for kind in ("", "EXTENDED", "FORMATTED", "CODEGEN", "COST"):
    for query in ("SELECT a, count(*) FROM s WHERE b = 'x' GROUP BY a",
                  "INSERT INTO s SELECT k, a, b FROM d JOIN s USING (k, a)"):
        must(f"EXPLAIN {kind} {query}")
# The same topic in a catalog with logins of its own.
must(f"SELECT * FROM far.`{topic}`")
for statement in ("SHOW TABLES IN far", f"DESCRIBE far.`{topic}`", f"SHOW CREATE TABLE far.`{topic}`",
                  f"EXPLAIN EXTENDED SELECT * FROM far.`{topic}`", f"SHOW TBLPROPERTIES far.`{topic}`",
                  f"INSERT INTO far.`{topic}` SELECT ROWKEY, a, b FROM far.`{topic}`",
                  f"SELECT nothing FROM far.`{topic}`", "SELECT * FROM far.nothing"):
    run(statement)
for name in json.loads(sys.argv[3]):
    run(f"SET {name}")
# Statements and tasks that fail.
run("SELECT 1 / 0 FROM s")
run("SELECT raise_error('x') FROM s")
run("INSERT INTO s SELECT k, cast('x' AS INT), b FROM s")
run("SELECT nothing FROM s")
run(f"CREATE STREAM e (a MAP<INT, INT> KEY) WITH (KAFKA_TOPIC = '{topic}_e', {WITH})")
for setting, value in (
    ("spark.kafkalyst.bootstrap.servers", "127.0.0.1:1"),
    ("spark.kafkalyst.kafka.security.protocol", "SASL_PLAINTEXT"),
    ("spark.kafkalyst.kafka.security.protocol", "SSL"),
    ("spark.kafkalyst.schema.registry.basic.auth.credentials.source", "USER_INFO"),
    ("spark.kafkalyst.schema.registry.bearer.auth.credentials.source", "STATIC_TOKEN"),
    ("spark.kafkalyst.schema.registry.ssl.keystore.type", "PEM"),
    ("spark.kafkalyst.schema.registry.no.such.setting", "1"),
):
    before = spark.conf.get(setting, None)
    spark.conf.set(setting, value)
    for statement in ("SHOW TOPICS", "SELECT * FROM s", "INSERT INTO s VALUES (3, 30, 'z')",
                      f"CREATE STREAM e (a INT) WITH (KAFKA_TOPIC = '{topic}_e', {WITH})"):
        run(statement)
    spark.conf.unset(setting) if before is None else spark.conf.set(setting, before)
# A streaming query, and one whose tasks fail.
for name, expression in (("good", "a"), ("bad", "raise_error('x')")):
    query = (spark.readStream.table("s").selectExpr("k", f"{expression} AS a").writeStream.queryName(name)
             .option("checkpointLocation", sys.argv[4] + name).trigger(availableNow=True).format("memory").start())
    try:
        query.awaitTermination()
    except Exception as error:
        print(error)
    print(name, query.status, query.recentProgress, query.exception())
    query.explain(True)
for row in kafkalyst.check(spark).collect():
    print(row)
# The UI's own pages and REST.
ui = spark.sparkContext.uiWebUrl
app = spark.sparkContext.applicationId
for path in ("/environment/", "/SQL/", "/jobs/", "/StreamingQuery/", f"/api/v1/applications/{app}/environment",
             f"/api/v1/applications/{app}/sql?details=true&planDescription=true&length=1000",
             f"/api/v1/applications/{app}/jobs", f"/api/v1/applications/{app}/stages?details=true"):
    print(path, urllib.request.urlopen(ui + path).read().decode())
for i in range(60):
    try:
        print(urllib.request.urlopen(f"{ui}/SQL/execution/?id={i}").read().decode())
    except Exception as error:
        print(error)
spark.stop()
print("done:", topic)
"""


def test_no_output_tells_a_secret(servers: Servers, topic: Callable[[str], str], tmp_path: Path) -> None:
    """Rows, plans, errors, logs with Kafkalyst's at DEBUG, the event log and the UI."""
    canaries = [f"canary{i}x{uuid.uuid4().hex[:8]}" for i in range(12)]
    name = topic("secrets")
    module = "org.apache.kafka.common.security.plain.PlainLoginModule"
    with SecureRegistry(servers.registry, user=f"me:{canaries[0]}") as door:
        secrets = {
            REGISTRY + "url": door.address.replace("://", f"://me:{canaries[1]}@"),
            REGISTRY + "basic.auth.user.info": f"me:{canaries[0]}",
            REGISTRY + "bearer.auth.client.secret": canaries[2],
            KAFKA + "sasl.jaas.config": f'{module} required username="me" password="{canaries[3]}";',
            KAFKA + "ssl.truststore.password": canaries[4],
            KAFKA + "ssl.keystore.password": canaries[5],
            KAFKA + "ssl.key.password": canaries[6],
            KAFKA + "ssl.keystore.key": canaries[7],
            KAFKA + "sasl.oauthbearer.client.credentials.client.secret": canaries[8],
            f"{FAR}.schema.registry.url": door.address.replace("://", f"://me:{canaries[9]}@"),
            f"{FAR}.schema.registry.basic.auth.user.info": f"me:{canaries[0]}",
            f"{FAR}.kafka.sasl.jaas.config": f'{module} required username="me" password="{canaries[10]}";',
            f"{FAR}.kafka.ssl.truststore.password": canaries[11],
        }
        output = run(secrets, servers, name, tmp_path)
    assert f"done: {name}" in output, output[-3000:]
    assert door.passed > 0
    events = [path for path in (tmp_path / "events").rglob("*") if path.is_file()]
    assert events
    logs = [tmp_path / "log4j.log"]
    looked_at = {path.name: path.read_text(encoding="utf-8", errors="replace") for path in events + logs}
    looked_at["output"] = output
    # The settings are shown as set, but without their values.
    assert all(any(secret in text for text in looked_at.values()) for secret in secrets)
    for where, text in looked_at.items():
        for canary in canaries:
            at = text.find(canary)
            assert at < 0, f"{where}: …{text[max(0, at - 300) : at + 40]}…"


def run(secrets: dict[str, str], servers: Servers, name: str, folder: Path) -> str:
    """Runs the application as a process: its output; the folder has the tables' files and its logs."""
    (folder / "events").mkdir()
    log = folder / "log4j.properties"
    log.write_text(
        f"rootLogger.level=info\nrootLogger.appenderRef.file.ref=file\nappender.file.type=File\nappender.file.name=file\n"
        f"appender.file.fileName={folder}/log4j.log\nappender.file.layout.type=PatternLayout\n"
        f"appender.file.layout.pattern=%p %c: %m%n%ex\nlogger.ours.name=io.kafkalyst\nlogger.ours.level=debug\n"
    )
    conf = {
        "spark.master": "local[2]",
        "spark.ui.enabled": "true",
        "spark.ui.port": "0",
        "spark.eventLog.enabled": "true",
        "spark.eventLog.compress": "false",
        "spark.eventLog.dir": f"file:{folder}/events",
        "spark.sql.shuffle.partitions": "1",
        "spark.sql.warehouse.dir": f"{folder}/warehouse",
        "spark.driver.extraJavaOptions": f"-Dlog4j2.configurationFile={log}",
        "spark.kafkalyst.bootstrap.servers": servers.kafka,
        FAR: "io.kafkalyst.KafkaCatalog",
        f"{FAR}.bootstrap.servers": servers.kafka,
        **secrets,
    }
    arguments = [name, servers.registry, str(list(secrets)).replace("'", '"'), f"{folder}/checkpoint-"]
    done = subprocess.run(
        [sys.executable, "-c", f"CONF = {conf!r}\n{APP}", *arguments],
        capture_output=True,
        text=True,
        timeout=PROGRAM_SECONDS,
        cwd=folder,
        env={k: v for k, v in os.environ.items() if not k.startswith("KAFKALYST_")},
        check=False,
    )
    return done.stdout + done.stderr


def test_ready_files_hide_what_the_package_hides(root: Path) -> None:
    """Python's sessions, the configuration files and Kafkalyst's redaction have the same list of words."""
    files = sorted((root / "conf" / "spark-defaults").glob("*.conf"))
    assert files
    for path in files:
        assert re.findall(r"^spark\.redaction\.regex\s+(.*)$", path.read_text("utf-8"), re.MULTILINE) == [SECRETS]
    ours = (root / "jvm/src/main/scala/io/kafkalyst/errors/Redaction.scala").read_text("utf-8")
    names = SECRETS.removeprefix("(?i)").rsplit("|", 1)[0]
    assert f'"(?i){names}".r' in ours
