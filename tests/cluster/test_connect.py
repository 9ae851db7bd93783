"""A Spark Connect server with the extension and the jars, and a client with nothing but PySpark and our Python."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pyspark
import pytest

from kafkalyst.ports import held_ports
from kafkalyst.resources import jars_for
from support.patience import PATIENCE_SECONDS, PROGRAM_SECONDS

if TYPE_CHECKING:
    from conftest import Servers

CLIENT = r'''
import sys, tempfile
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
import kafkalyst

remote, topic = sys.argv[1:]
spark = SparkSession.builder.remote(remote).getOrCreate()
spark.sql(f"""CREATE STREAM s (k INT KEY, "a b" STRING)
              WITH (KAFKA_TOPIC = '{topic}', VALUE_FORMAT = 'JSON', PARTITIONS = 1)""")
spark.sql("INSERT INTO s VALUES (1, 'one'), (2, 'two')")
assert [tuple(r) for r in spark.sql("SELECT k, `a b` FROM s ORDER BY k").collect()] == [(1, "one"), (2, "two")]
assert spark.table("s").count() == 2
assert spark.sql("SELECT k FROM s WHERE k > :low", args={"low": 1}).count() == 1
endless = spark.sql('SELECT k, "a b" AS name FROM s EMIT CHANGES')
assert endless.isStreaming
with tempfile.TemporaryDirectory() as checkpoint:
    query = endless.writeStream.format("memory").queryName("seen").option("checkpointLocation", checkpoint)
    query = query.trigger(availableNow=True).start()
    assert query.awaitTermination(90)
assert sorted(tuple(r) for r in spark.table("seen").collect()) == [(1, "one"), (2, "two")]
spark.sql(f"""CREATE STREAM a (k STRING KEY, price DECIMAL(10, 2))
              WITH (KAFKA_TOPIC = '{topic}_avro', VALUE_FORMAT = 'AVRO', PARTITIONS = 1)""")
spark.sql("INSERT INTO a VALUES ('x', 1.25)")
spark.sql(f"CREATE STREAM b (k STRING KEY) WITH (KAFKA_TOPIC = '{topic}_avro', VALUE_FORMAT = 'AVRO')")
assert [str(r["price"]) for r in spark.sql("SELECT * FROM b").collect()] == ["1.25"]
spark.sql("DROP STREAM b")
spark.sql("DROP STREAM a DELETE TOPIC")
assert spark.readStream.table("s").isStreaming
try:
    spark.sql("CREATE STREAM t (a INT) WITH (KAFKA_TOPC = 'x')")
    raise AssertionError("not refused")
except PySparkException as refused:
    assert refused.getCondition() == "KAFKALYST_UNKNOWN_PROPERTY", refused.getCondition()
    assert refused.getSqlState() == "42616", refused.getSqlState()
spark.conf.set("spark.kafkalyst.query.trigger", "available-now")
(started,) = spark.sql(f"CREATE STREAM d WITH (KAFKA_TOPIC = '{topic}_d') AS SELECT k, k + 1 AS n FROM s").collect()
assert started["state"] == "FINISHED"
assert sorted(r["n"] for r in spark.table("d").collect()) == [2, 3]
with tempfile.NamedTemporaryFile("w", suffix=".sql") as script:
    script.write("SELECT count(*) AS c FROM s; SHOW STREAMS;")
    script.flush()
    kafkalyst.run_script(spark, script.name)
for row in kafkalyst.check(spark).collect():
    print("check:", tuple(row))
    assert row["ok"], row
from pyspark.sql import functions as F
from kafkalyst.functions import kafka_decode, kafka_encode
encoded = spark.table("s").select("k", kafka_encode(F.struct("k"), "AVRO", {"subject": f"{topic}-made"}).alias("e"))
back = encoded.select(kafka_decode("e", "AVRO", {"subject": f"{topic}-made"}).alias("v")).select("v.k")
assert sorted(r["k"] for r in back.collect()) == [1, 2]
try:
    spark.range(1).select(kafka_decode(F.lit(b"x"), "JSON", {"shema": "a INT"})).collect()
    raise AssertionError("not refused")
except PySparkException as refused:
    assert refused.getCondition() == "KAFKALYST_FUNCTION_UNKNOWN_OPTION", refused.getCondition()
spark.sql(
    "CREATE STREAM odd (k INT KEY, v INT) "
    f"WITH (KAFKA_TOPIC = '{topic}', VALUE_FORMAT = 'KAFKA', ON_ERROR = 'null')"
)
assert sorted(spark.table("odd").columns) == ["k", "v"]
odd = spark.table("odd").select("k", "v", "_error").collect()
assert [(r["v"], "value is not KAFKA" in r["_error"]) for r in odd] == [(None, True)] * 2, odd
spark.sql("DROP STREAM odd")
spark.sql("DROP STREAM d DELETE TOPIC")
spark.sql("DROP STREAM s DELETE TOPIC")
print("over connect: fine")
'''

GOLDENS = r"""
import sys
from pathlib import Path
from pyspark import __version__
from pyspark.sql import SparkSession
from support.golden import Case, run

remote, kafka, registry, folder = sys.argv[1:]
minor = __version__.rsplit(".", 1)[0]
for path in sorted(p for room in ("names", "keys") for p in (Path(folder) / room).glob("*.sql")):
    case = Case(path)
    if not case.runs_on(minor):
        continue
    session = SparkSession.builder.remote(remote).create()
    session.conf.set("spark.sql.ansi.doubleQuotedIdentifiers", "true")
    actual = run(case, session, kafka, registry)
    session.stop()
    expected = case.expected(minor).read_text(encoding="utf-8")
    if actual != expected:
        parts = zip(actual.split("-- statement"), expected.split("-- statement"))
        for over_connect, classic in parts:
            if over_connect != classic:
                print("DIFFERENT", path.name, over_connect, "INSTEAD OF", classic)
    else:
        print("same:", path.name)
"""


@pytest.fixture
def port() -> Iterator[int]:
    """The server's."""
    with held_ports(1) as [port]:
        yield port


@pytest.fixture
def connect_server(servers: Servers, port: int, tmp_path: Path) -> Iterator[str]:
    """A Connect server; the address for clients."""
    home = Path(pyspark.__file__).parent
    conf = {
        "spark.sql.extensions": "io.kafkalyst.KafkalystExtensions",
        "spark.jars": ",".join(str(jar) for jar in jars_for(pyspark.__version__)),
        "spark.kafkalyst.bootstrap.servers": servers.kafka,
        "spark.kafkalyst.schema.registry.url": servers.registry,
        "spark.kafkalyst.query.checkpoint.root": str(tmp_path / "checkpoints"),
        "spark.sql.warehouse.dir": str(tmp_path / "warehouse"),
        "spark.connect.grpc.binding.port": str(port),
        "spark.connect.grpc.binding.address": "127.0.0.1",
        "spark.sql.shuffle.partitions": "2",
        "spark.ui.enabled": "false",
    }
    command = [str(home / "bin" / "spark-submit"), "--master", "local[2]"]
    command += [word for name, value in conf.items() for word in ("--conf", f"{name}={value}")]
    command += ["--class", "org.apache.spark.sql.connect.service.SparkConnectServer", "spark-internal"]
    log = tmp_path / "connect.log"
    environment = {**os.environ, "SPARK_HOME": str(home)}
    with log.open("wb") as out:
        server = subprocess.Popen(
            command, stdout=out, stderr=out, env=environment, cwd=tmp_path, start_new_session=True
        )
    try:
        end = time.monotonic() + PATIENCE_SECONDS
        while True:
            assert server.poll() is None and time.monotonic() < end, log.read_text(errors="replace")[-3000:]
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.3)
        yield f"sc://127.0.0.1:{port}"
    finally:
        os.killpg(server.pid, signal.SIGKILL)
        server.wait(20)


def test_over_connect(connect_server: str, tmp_path: Path, root: Path) -> None:
    """Names, streams, conditions, scripts and the check work from a client."""
    topic = f"connect_{tmp_path.parent.name}".replace("-", "_")
    done = client(root, CLIENT, [connect_server, topic])
    assert "over connect: fine" in done.stdout, done.stdout[-1500:] + done.stderr[-3000:]


def test_goldens_over_connect(connect_server: str, servers: Servers, root: Path) -> None:
    """Names and keys are what they are in a classic session."""
    arguments = [connect_server, servers.kafka, servers.registry, str(root / "tests" / "sql")]
    done = client(root, GOLDENS, arguments)
    assert done.returncode == 0, done.stderr[-3000:]
    assert "DIFFERENT" not in done.stdout, done.stdout[-6000:]
    assert done.stdout.count("same:") >= 6


def client(root: Path, program: str, arguments: list[str]) -> subprocess.CompletedProcess[str]:
    """Runs a client's program, which knows the server by its address only."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("KAFKALYST_")}
    environment["PYTHONPATH"] = str(root / "tests")
    return subprocess.run(
        [sys.executable, "-c", program, *arguments],
        cwd=root / "python",
        env=environment,
        capture_output=True,
        text=True,
        timeout=PROGRAM_SECONDS,
        check=False,
    )
