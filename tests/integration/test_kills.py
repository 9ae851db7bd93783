"""Drivers killed at random points: nothing is lost, and what is written exactly once is there once.

KAFKALYST_KILL_ROUNDS sets how many are killed (3), KAFKALYST_KILL_SEED when (random; it is printed).
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from confluent_kafka import Producer

from kafkalyst import serdes
from support.records import consume, eventually

if TYPE_CHECKING:
    from conftest import Servers

ROUNDS = int(os.environ.get("KAFKALYST_KILL_ROUNDS", "3"))
SEED = int(os.environ.get("KAFKALYST_KILL_SEED", str(random.randrange(1_000_000))))
ROWS_PER_ROUND = 1000
MOST_BATCHES = 6  # of all queries, that a driver commits before it is killed
LONGEST_SECONDS = 1.0  # and how much longer it lives
START_SECONDS = 180
SINKS = {"once": "exactly-once", "shuffled": "exactly-once", "least": "at-least-once"}

DRIVER = r"""
import sys
import kafkalyst

kafka, registry, folder, source, last = sys.argv[1:6]
sinks = dict(pair.split("=") for pair in sys.argv[6:])
spark = kafkalyst.session(kafka, registry, **{
    "spark.master": "local[2]", "spark.ui.enabled": False, "spark.sql.warehouse.dir": folder + "/warehouse",
    "spark.sql.shuffle.partitions": 3, "spark.driver.memory": "1g",
})
columns = "(k INT KEY, v STRING)"
spark.sql(f"CREATE STREAM source {columns} WITH (KAFKA_TOPIC = '{source}', VALUE_FORMAT = 'JSON')")
queries = []
for name, guarantee in sinks.items():
    spark.sql(f"CREATE STREAM {name} {columns} WITH (KAFKA_TOPIC = '{source}-{name}', VALUE_FORMAT = 'JSON', "
              f"'sink.delivery-guarantee' = '{guarantee}')")
    rows = spark.readStream.option("maxOffsetsPerTrigger", 100000 if last == "last" else 60).table("source")
    rows = rows.repartition(3, "k") if name == "shuffled" else rows
    writer = rows.writeStream.option("checkpointLocation", f"{folder}/{name}")
    queries.append((writer.trigger(availableNow=True) if last == "last" else writer).toTable(name))
print("running", flush=True)
for query in queries:
    query.awaitTermination()
print("done", flush=True)
"""


class Driver:
    """A process of its own with the queries, and its JVM."""

    def __init__(self, arguments: list[str], log: Path) -> None:
        with log.open("ab") as errors:
            self._process = subprocess.Popen(
                [sys.executable, "-c", DRIVER, *arguments],
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
                start_new_session=True,
            )
        self._log = log

    def wait_for(self, word: str) -> None:
        """Returns when it has said so."""
        limit = threading.Timer(START_SECONDS, self.kill)
        limit.start()
        try:
            assert self._process.stdout is not None
            for line in self._process.stdout:
                if line.strip() == word:
                    return
        finally:
            limit.cancel()
        raise AssertionError(f"the driver ended before {word}:\n{self._log.read_text(errors='replace')[-4000:]}")

    def kill(self) -> None:
        """As kill -9 does it, the JVM too."""
        os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()


def committed(folder: Path) -> int:
    """The batches that the queries have behind them."""
    return sum(len(list((folder / name / "commits").glob("[0-9]*"))) for name in SINKS)


def test_killed_drivers(servers: Servers, topic: Callable[[str], str], tmp_path: Path) -> None:
    """Every row is in every sink at the end; in those that are written exactly once, once."""
    source = topic("kills")
    serdes.create_topic(servers.kafka, source, 2)
    for name in SINKS:
        serdes.create_topic(servers.kafka, f"{source}-{name}", 2)
    expected = range(ROUNDS * ROWS_PER_ROUND)
    producer = Producer({"bootstrap.servers": servers.kafka})
    for k in expected:
        producer.produce(source, key=k.to_bytes(4, "big"), value=b'{"v": "x"}')
        producer.poll(0)
    producer.flush()

    chance = random.Random(SEED)
    arguments = [servers.kafka, servers.registry, str(tmp_path), source]
    sinks = [f"{name}={guarantee}" for name, guarantee in SINKS.items()]
    for _ in range(ROUNDS):
        driver = Driver([*arguments, "more", *sinks], tmp_path / "driver.log")
        try:
            driver.wait_for("running")
            goal = committed(tmp_path) + chance.randint(0, MOST_BATCHES)
            eventually(lambda goal=goal: committed(tmp_path) >= goal, START_SECONDS)
            time.sleep(chance.uniform(0, LONGEST_SECONDS))
        finally:
            driver.kill()
    batches = committed(tmp_path)
    driver = Driver([*arguments, "last", *sinks], tmp_path / "driver.log")
    try:
        driver.wait_for("done")
    finally:
        driver.kill()

    found = {
        name: Counter(
            int.from_bytes(key or b"", "big") for key, _ in consume(servers.kafka, f"{source}-{name}", len(expected))
        )
        for name in SINKS
    }
    twice = {name: sum(counts.values()) - len(counts) for name, counts in found.items()}
    print(f"seed {SEED}: {ROUNDS} kills, {batches} batches committed before the last run, rows again {twice}")
    for name, guarantee in SINKS.items():
        assert found[name].keys() == Counter(expected).keys(), f"{name} lost rows, seed {SEED}"
        if guarantee == "exactly-once":
            assert twice[name] == 0, f"{name} has rows twice, seed {SEED}"
