"""Statements whose process is killed halfway: the next process can continue."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from confluent_kafka.admin import AdminClient

from kafkalyst import serdes
from support.cluster import ENVIRONMENT
from support.kills import agent_jar
from support.patience import PROGRAM_SECONDS
from support.records import everything

if TYPE_CHECKING:
    from conftest import Servers


@pytest.fixture
def command(servers: Servers, tmp_path: Path, root: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Runs `kafkalyst` with a permanent catalog; with `point` until its JVM reaches that point for the n-th time."""
    agent = agent_jar(root, tmp_path)
    (tmp_path / "sql").mkdir()

    def run(*words: str, point: str = "", visit: int = 1) -> subprocess.CompletedProcess[str]:
        java = f"-javaagent:{agent}={point};kill;{visit};{tmp_path / point}" if point else ""
        addresses = {"KAFKALYST_KAFKA": servers.kafka, "KAFKALYST_REGISTRY": servers.registry}
        done = subprocess.run(
            [sys.executable, "-m", "kafkalyst", *words, "--catalog", str(tmp_path / "catalog")],
            cwd=tmp_path,
            env={**os.environ, **ENVIRONMENT, **addresses, "JAVA_TOOL_OPTIONS": java},
            capture_output=True,
            text=True,
            timeout=PROGRAM_SECONDS,
            check=False,
        )
        if point:
            assert (tmp_path / point).exists(), done.stdout[-1000:] + done.stderr[-2000:]
            assert done.returncode != 0
        else:
            assert done.returncode == 0, done.stdout[-1000:] + done.stderr[-2000:]
        return done

    return run


def test_between_topic_and_entry(
    command: Callable[..., subprocess.CompletedProcess[str]],
    servers: Servers,
    tmp_path: Path,
    topic: Callable[[str], str],
) -> None:
    """The topic exists and the object does not; the same statement then creates the object over that topic."""
    name = topic("halfway")
    create = f"CREATE STREAM {name} (k INT KEY, v INT) WITH (KAFKA_TOPIC='{name}', VALUE_FORMAT='AVRO', PARTITIONS=2);"
    (tmp_path / "c.sql").write_text(create, encoding="utf-8")
    command("run", "c.sql", point="entry")
    admin = AdminClient({"bootstrap.servers": servers.kafka})
    assert len(admin.list_topics(timeout=30).topics[name].partitions) == 2
    (tmp_path / "again.sql").write_text(
        f"SHOW STREAMS; {create} INSERT INTO {name} VALUES (1, 2); SELECT v AS found FROM {name};", encoding="utf-8"
    )
    out = command("run", "again.sql").stdout
    assert name not in out.partition("> CREATE")[0].partition("> SHOW STREAMS")[2]
    assert "found\n-----\n    2" in out


def test_within_the_status_file(
    command: Callable[..., subprocess.CompletedProcess[str]],
    servers: Servers,
    tmp_path: Path,
    topic: Callable[[str], str],
) -> None:
    """A query whose process died while it replaced the status file continues: no row is lost or written twice."""
    source, sink = topic("source"), topic("sink")
    serdes.create_topic(servers.kafka, source, 1)
    serdes.produce(servers.kafka, source, [(None, b'{"v":%d}' % v) for v in range(5)])
    (tmp_path / "q.sql").write_text(
        f"CREATE STREAM {source} (v INT) WITH (KAFKA_TOPIC = '{source}', VALUE_FORMAT = 'JSON');"
        f"CREATE STREAM {sink} WITH (KAFKA_TOPIC = '{sink}', PARTITIONS = 1, 'sink.delivery-guarantee' = "
        f"'exactly-once') AS SELECT v FROM {source};",
        encoding="utf-8",
    )
    command("run", "q.sql", "--wait", point="status", visit=3)
    serdes.produce(servers.kafka, source, [(None, b'{"v":%d}' % v) for v in range(5, 8)])
    trigger = ("--spark-conf", "spark.kafkalyst.query.trigger=available-now")
    command("resume", *trigger)
    assert sorted(value or b"" for _, value in everything(servers.kafka, sink)) == [b'{"v":%d}' % v for v in range(8)]
    assert sink.upper() in command("top", "--once").stdout
