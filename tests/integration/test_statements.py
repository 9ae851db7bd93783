"""Exactly-once statements leave nothing at the broker, even if their process was killed."""

from __future__ import annotations

import getpass
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from confluent_kafka.admin import AdminClient
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from support.broker import broker
from support.cluster import ENVIRONMENT
from support.patience import PATIENCE_SECONDS
from support.records import eventually

if TYPE_CHECKING:
    from conftest import Servers

SLOW = """
import json, sys
import kafkalyst

job = json.loads(sys.argv[1])
spark = kafkalyst.session(job["kafka"], job["registry"], **job["conf"])

spark.sql(f"CREATE STREAM {job['name']} (k INT KEY, v STRING) WITH (KAFKA_TOPIC = '{job['name']}', "
          "VALUE_FORMAT = 'JSON', 'sink.delivery-guarantee' = 'exactly-once')")
late = "if(id = 1999, reflect('java.lang.Thread', 'sleep', 600000L), repeat('v', 2000)) AS v"
rows = spark.range(0, 2000, 1, 1).selectExpr("cast(id AS INT) AS k", late)
rows.coalesce(1).writeTo(job["name"]).append()
"""


def declare(spark: SparkSession, name: str) -> None:
    """Declares a stream that is written exactly once."""
    spark.sql(
        f"CREATE STREAM {name} (k INT KEY, v STRING) WITH (KAFKA_TOPIC = '{name}', VALUE_FORMAT = 'JSON', "
        "PARTITIONS = 1, 'sink.delivery-guarantee' = 'exactly-once')"
    )


def groups(kafka: str, topic: str) -> list[str]:
    """The consumer groups with marks of writes to a topic."""
    admin = AdminClient({"bootstrap.servers": kafka})
    found = admin.list_consumer_groups().result()
    return [group.group_id for group in found.valid if f"-{topic}-" in group.group_id]


def note_of(folder: Path, topic: str) -> Path:
    """The file that names a statement's transaction."""
    notes = []
    for file in folder.glob("*.statement"):
        # All processes of the user share the folder, and delete their files.
        with suppress(FileNotFoundError):
            if f"topic={topic}" in file.read_text():
                notes.append(file)
    (note,) = notes
    return note


def test_a_statement_leaves_no_group(spark: SparkSession, servers: Servers, topic: Callable[[str], str]) -> None:
    """A finished statement's mark is not needed any more, so its group is deleted."""
    name = topic("plain")
    declare(spark, name)
    spark.sql(f"INSERT INTO {name} VALUES (1, 'a'), (2, 'b')")
    assert spark.table(name).count() == 2
    assert groups(servers.kafka, name) == []


def test_the_transaction_of_a_killed_statement_is_ended(
    spark: SparkSession,
    servers: Servers,
    spark_conf: dict[str, object],
    topic: Callable[[str], str],
    tmp_path: Path,
) -> None:
    """The next exactly-once statement ends the transaction, so readers need not wait for its timeout.

    Only the user can read the file that names the transaction.
    """
    name, other = topic("killed"), topic("other")
    declare(spark, name)
    declare(spark, other)
    conf = {**spark_conf, "spark.sql.warehouse.dir": str(tmp_path), "spark.driver.memory": "512m"}
    job = {"kafka": servers.kafka, "registry": servers.registry, "conf": conf, "name": name}
    with (tmp_path / "driver.log").open("wb") as log:
        driver = subprocess.Popen(
            [sys.executable, "-c", SLOW, json.dumps(job)],
            stdout=log,
            stderr=log,
            env={**os.environ, **ENVIRONMENT, "PYSPARK_PYTHON": sys.executable},
            start_new_session=True,
        )
    spark.conf.set("spark.kafkalyst.kafka.isolation.level", "read_uncommitted")
    try:

        def begun() -> bool:
            assert driver.poll() is None, (tmp_path / "driver.log").read_text()[-3000:]
            return spark.table(name).count() > 0

        eventually(begun)
        folder = Path(tempfile.gettempdir(), f"kafkalyst-{getpass.getuser()}")
        assert [path.stat().st_mode & 0o777 for path in (folder, note_of(folder, name))] == [0o700, 0o600]
    finally:
        spark.conf.unset("spark.kafkalyst.kafka.isolation.level")
        os.killpg(driver.pid, signal.SIGKILL)
        driver.wait()
    spark.sql(f"INSERT INTO {other} VALUES (1, 'a')")
    spark.sql(f"INSERT INTO {name} VALUES (7, 'a')")
    began = time.monotonic()
    eventually(lambda: [row["k"] for row in spark.table(name).collect()] == [7])
    print(f"seen {time.monotonic() - began:.1f} s after the next statement")
    assert groups(servers.kafka, name) == []


def test_short_retention_is_refused(spark: SparkSession, topic: Callable[[str], str], tmp_path: Path) -> None:
    """A broker that may forget marks before the query returns is refused."""
    name = topic("forgotten")
    (tmp_path / "broker").mkdir()
    with broker(tmp_path / "broker", {"offsets.retention.minutes": 60}) as started:
        session = spark.newSession()
        session.conf.set("spark.kafkalyst.bootstrap.servers", started.kafka)
        declare(session, name)
        session.sql(f"INSERT INTO {name} VALUES (1, 'a')")  # an INSERT's mark is not needed later
        rows = session.readStream.format("rate").load().selectExpr("cast(value AS INT) AS k", "'a' AS v")
        query = rows.writeStream.option("checkpointLocation", str(tmp_path / "checkpoint")).toTable(name)
        try:
            with pytest.raises(PySparkException) as failed:
                query.awaitTermination(PATIENCE_SECONDS)
        finally:
            query.stop()
            session.sql(f"DROP TABLE {name}")
        assert "KAFKALYST_EXACTLY_ONCE_RETENTION" in str(failed.value)
        assert "only 60 minutes" in str(failed.value)
