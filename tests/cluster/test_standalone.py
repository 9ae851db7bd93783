"""A standalone cluster with two worker processes, used through spark-submit."""

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

from kafkalyst.resources import jars_for

if TYPE_CHECKING:
    from conftest import Servers

START_SECONDS = 60
APP_SECONDS = 240
HOME = Path(pyspark.__file__).parent
APP = r"""
import sys
from pyspark import TaskContext
from pyspark.sql import SparkSession

topic = sys.argv[1]
spark = SparkSession.builder.appName("cluster").getOrCreate()
spark.sql(f"CREATE STREAM s (k INT KEY, a STRING) "
          f"WITH (KAFKA_TOPIC = '{topic}', VALUE_FORMAT = 'AVRO', PARTITIONS = 4)")
spark.sql("INSERT INTO s SELECT cast(id AS INT), concat('row ', id) FROM range(0, 1000, 1, 4)")
spark.sql(f"CREATE STREAM d WITH (KAFKA_TOPIC = '{topic}_d') AS SELECT k, upper(a) AS a FROM s WHERE k % 2 = 0")
rows = spark.sql("SELECT count(*) AS c, min(a) AS low, max(k) AS high FROM d").first()
print("result:", tuple(rows))
"""


def free_port() -> int:
    """A loopback port that nobody has."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


@pytest.fixture
def master(tmp_path: Path) -> Iterator[str]:
    """A master and two workers of one core each; the master's address."""
    port = free_port()
    environment = {**os.environ, "SPARK_HOME": str(HOME), "SPARK_LOCAL_IP": "127.0.0.1", "SPARK_DAEMON_MEMORY": "256m"}
    deploy = "org.apache.spark.deploy"
    network = ["--host", "127.0.0.1", "--webui-port", "0"]
    address = f"spark://127.0.0.1:{port}"
    commands = [[f"{deploy}.master.Master", *network, "--port", str(port)]]
    commands += [
        [
            f"{deploy}.worker.Worker",
            *network,
            "--cores",
            "1",
            "--memory",
            "1g",
            "--work-dir",
            str(tmp_path / f"w{n}"),
            address,
        ]
        for n in range(2)
    ]
    logs = [tmp_path / f"daemon{n}.log" for n in range(len(commands))]
    processes = []
    try:
        for command, log in zip(commands, logs, strict=True):
            with log.open("wb") as out:
                start = [str(HOME / "bin" / "spark-class"), *command]
                processes.append(
                    subprocess.Popen(
                        start, stdout=out, stderr=out, env=environment, cwd=tmp_path, start_new_session=True
                    )
                )
        end = time.monotonic() + START_SECONDS
        while logs[0].read_text(errors="replace").count("Registering worker") < 2:
            assert time.monotonic() < end, "\n".join(log.read_text(errors="replace")[-1500:] for log in logs)
            time.sleep(0.3)
        yield address
    finally:
        for process in processes:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait(20)


def test_spark_submit(master: str, servers: Servers, tmp_path: Path) -> None:
    """Declared on the driver, read and written by two executors in processes of their own."""
    app = tmp_path / "app.py"
    app.write_text(APP, encoding="utf-8")
    conf = {
        "spark.sql.extensions": "io.kafkalyst.KafkalystExtensions",
        "spark.kafkalyst.bootstrap.servers": servers.kafka,
        "spark.kafkalyst.schema.registry.url": servers.registry,
        "spark.kafkalyst.query.trigger": "available-now",
        "spark.kafkalyst.query.checkpoint.root": str(tmp_path / "checkpoints"),
        "spark.sql.warehouse.dir": str(tmp_path / "warehouse"),
        "spark.executor.memory": "512m",
        "spark.sql.shuffle.partitions": "2",
        "spark.driver.host": "127.0.0.1",
        "spark.eventLog.enabled": "true",
        "spark.eventLog.dir": str(tmp_path),
        "spark.eventLog.rolling.enabled": "false",
        "spark.eventLog.compress": "false",
        "spark.ui.enabled": "false",
    }
    jars = ",".join(str(jar) for jar in jars_for(pyspark.__version__))
    command = [str(HOME / "bin" / "spark-submit"), "--master", master, "--jars", jars]
    command += [word for name, value in conf.items() for word in ("--conf", f"{name}={value}")]
    topic = f"cluster_{tmp_path.parent.name}".replace("-", "_")
    environment = {
        **os.environ,
        "SPARK_HOME": str(HOME),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "PYSPARK_PYTHON": sys.executable,
    }
    done = subprocess.run(
        [*command, str(app), topic],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=APP_SECONDS,
        check=False,
    )
    assert "result: (500, 'ROW 0', 998)" in done.stdout, done.stdout[-1000:] + done.stderr[-3000:]
    events = next(path for path in tmp_path.iterdir() if path.name.startswith("app-")).read_text(encoding="utf-8")
    assert '"Executor ID":"0"' in events and '"Executor ID":"1"' in events
