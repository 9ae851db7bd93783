"""Queries in their own process while processes die around them, and the check of what they have written."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from confluent_kafka import Producer

from kafkalyst import serdes
from support import jvm
from support.cluster import ENVIRONMENT
from support.patience import PATIENCE_SECONDS
from support.records import everything
from support.rig import Seeded

ROWS_AT_ONCE = 25
ALL = {"once": "exactly-once", "shuffled": "exactly-once", "least": "at-least-once"}

PROGRAM = r"""
import json, select, sys, time
import kafkalyst
from pyspark import TaskContext
from pyspark.sql import functions as F

job = json.loads(sys.argv[1])
spark = kafkalyst.session(job["kafka"], job["registry"], **job["conf"])

@F.udf("string")
def shaky(k):
    if k % 1000 == 500 and TaskContext.get().attemptNumber() == 0:
        raise ValueError("first attempts fail")
    if k % 2000 == 1999:
        time.sleep(3)  # in every attempt, so that each is slower than the other tasks
    return "x"

@F.udf("string")
def slow(v):
    time.sleep(0.001)
    return v

columns = "(k INT KEY, v STRING)"
spark.sql(f"CREATE STREAM source {columns} WITH (KAFKA_TOPIC = '{job['source']}', VALUE_FORMAT = 'JSON')")
queries = []
for name, guarantee in job["sinks"].items():
    spark.sql(f"CREATE STREAM {name} {columns} WITH (KAFKA_TOPIC = '{job['source']}-{name}', VALUE_FORMAT = 'JSON', "
              f"'sink.delivery-guarantee' = '{guarantee}')")
    rows = spark.readStream.options(**job["options"]).table("source")
    rows = rows.repartition(3, "k") if name == "shuffled" else rows
    rows = rows.dropDuplicates(["k"]) if name == "stateful" else rows
    rows = rows.select("k", shaky("k").alias("v")) if job["shaky"] else rows
    rows = rows.select("k", slow("v").alias("v")) if job["slow"] else rows
    queries.append(rows.writeStream.option("checkpointLocation", f"{job['folder']}/{name}").toTable(name))
print("running", flush=True)
while not select.select([sys.stdin], [], [], 0.2)[0]:
    for query in queries:
        if query.exception():
            raise query.exception()
for query in queries:
    query.processAllAvailable()
print("done", flush=True)
"""


def agent_jar(root: Path, folder: Path) -> Path:
    """The Java agent of Failpoints.java, which ends or stops a process at a named point."""
    (folder / "manifest").write_text("Premain-Class: io.kafkalyst.support.Failpoints\n")
    classes = root / "build" / "classes" / "support"
    files = [str(file.relative_to(classes)) for file in classes.rglob("Failpoints*.class")]
    jar = folder / "failpoints.jar"
    subprocess.run(["jar", "cfm", str(jar), str(folder / "manifest"), *files], cwd=classes, check=True)
    return jar


class Job:
    """Copies a topic to others, each by its own query, in drivers that are killed and restarted.

    Args:
        folder: for checkpoints and logs.
        source: the topic; its name begins those of the sinks, which must not exist.
        sinks: their delivery guarantees; the rows of the one called shuffled come through an
            exchange, those of the one called stateful through a state store.
        shaky: whether some rows fail the first attempt of their task, and some delay any attempt.
        slow: whether rows take so long that tasks run most of the time.
        conf: Spark's settings.
    """

    def __init__(
        self,
        kafka: str,
        registry: str,
        folder: Path,
        source: str,
        sinks: Mapping[str, str] = ALL,
        shaky: bool = False,
        slow: bool = False,
        **conf: object,
    ) -> None:
        self.kafka, self.source, self._folder, self.sinks = kafka, source, folder, sinks
        settings = {
            "spark.master": "local[2]",
            "spark.ui.enabled": False,
            "spark.ui.showConsoleProgress": False,
            "spark.sql.warehouse.dir": str(folder / "warehouse"),
            "spark.sql.shuffle.partitions": 3,
            "spark.driver.memory": "1g",
            "spark.driver.host": "127.0.0.1",
            "spark.executor.memory": "512m",
            "spark.executor.extraJavaOptions": jvm.options(),
            "spark.eventLog.enabled": True,
            "spark.eventLog.dir": str(folder),
            "spark.eventLog.rolling.enabled": False,
            "spark.eventLog.compress": False,
            # A driver may die while it writes the offsets of its first batch.
            "spark.sql.streaming.verifyCheckpointDirectoryEmptyOnStart": False,
            **conf,
        }
        self._job = {
            "kafka": kafka,
            "registry": registry,
            "conf": settings,
            "folder": str(folder),
            "source": source,
            "shaky": shaky,
            "slow": slow,
        }
        for topic in (source, *(f"{source}-{name}" for name in sinks)):
            serdes.create_topic(kafka, topic, 2)

    @contextmanager
    def driver(self, rows_per_batch: int = 100_000, java: str = "", only: str = "") -> Iterator[Driver]:
        """A driver with all queries, or one sink's, running or starting in a JVM with these options; ends by a kill."""
        sinks = {only: self.sinks[only]} if only else self.sinks
        job = {**self._job, "sinks": sinks, "options": {"maxOffsetsPerTrigger": rows_per_batch}}
        driver = Driver(json.dumps(job), self._folder / "driver.log", java)
        try:
            if not java:
                driver.wait_for("running")
            yield driver
        finally:
            driver.kill()

    def batches(self) -> int:
        """The number of finished batches of the queries."""
        return sum(
            max((int(file.name) + 1 for file in (self._folder / name / "commits").glob("[0-9]*")), default=0)
            for name in self.sinks
        )

    def tasks(self) -> Counter[str]:
        """The results of the tasks."""
        counts: Counter[str] = Counter()
        for log in (file for kind in ("app-*", "local-*") for file in self._folder.glob(kind)):
            for line in log.read_text(encoding="utf-8").splitlines(keepends=True):
                if '"SparkListenerTaskEnd"' in line and line.endswith("\n"):
                    event = json.loads(line)
                    counts[event["Task End Reason"]["Reason"]] += 1
                    counts["speculative"] += event["Task Info"]["Speculative"]
        return counts

    def check(self, expected: int, story: str, seed: int) -> None:
        """Asserts that every row is in every sink, and in exactly-once sinks only once."""
        found = {
            name: Counter(int.from_bytes(key or b"", "big") for key, _ in everything(self.kafka, topic))
            for name, topic in ((name, f"{self.source}-{name}") for name in self.sinks)
        }
        lost = {name: len(set(range(expected)) - counts.keys()) for name, counts in found.items()}
        twice = {name: counts.total() - len(counts) for name, counts in found.items()}
        ended = ", ".join(f"{count} {reason}" for reason, count in sorted(self.tasks().items()))
        print(f"\nseed {seed}: {story}; {expected} rows, lost {lost}, again {twice}; tasks: {ended}")
        assert not any(lost.values()), f"rows are lost, seed {seed}"
        assert all(len(counts) == expected for counts in found.values()), f"rows of nobody, seed {seed}"
        assert not any(twice[name] for name in self.sinks if self.sinks[name] == "exactly-once"), (
            f"rows twice, seed {seed}"
        )


class Driver:
    """A process with the queries, and its JVM."""

    def __init__(self, job: str, log: Path, java: str) -> None:
        with log.open("ab") as errors:
            self._process = subprocess.Popen(
                [sys.executable, "-c", PROGRAM, job],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
                env={**os.environ, **ENVIRONMENT, "PYSPARK_PYTHON": sys.executable, "JAVA_TOOL_OPTIONS": java},
                start_new_session=True,
            )
        self._log = log

    def wait_for(self, word: str) -> None:
        """Waits until the process prints this line."""
        limit = threading.Timer(PATIENCE_SECONDS, self.kill)
        limit.start()
        try:
            assert self._process.stdout is not None
            for line in self._process.stdout:
                if line.strip() == word:
                    return
        finally:
            limit.cancel()
        raise AssertionError(f"the driver ended before {word}:\n{self._log.read_text(errors='replace')[-6000:]}")

    def finish(self) -> None:
        """Waits until all records of the source are written."""
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):  # a driver has died; the next line has the reason
            self._process.stdin.write("finish\n")
            self._process.stdin.flush()
        self.wait_for("done")

    def until(self, job: Job, batches: int) -> None:
        """Waits until the queries have finished this many batches."""
        end = time.monotonic() + PATIENCE_SECONDS
        while job.batches() < batches:
            if self._process.poll() is not None:
                self.wait_for(f"{batches} batches")
            assert time.monotonic() < end, f"{job.batches()} batches of {batches} in {PATIENCE_SECONDS} s"
            time.sleep(0.1)

    def proceed(self) -> None:
        """Continues the stopped process."""
        os.killpg(self._process.pid, signal.SIGCONT)

    def is_over(self) -> bool:
        """Whether the process has ended."""
        return self._process.poll() is not None

    def kill(self) -> None:
        """Kills the process and its JVM by SIGKILL."""
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()


class Feed:
    """Rows for a job's source, numbered from 0, a few hundred a second while the block runs."""

    def __init__(self, job: Job) -> None:
        self.rows = 0
        self._producer = producer(job.kafka)
        self._job, self._over = job, threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> Feed:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()
        assert self._producer.flush(PATIENCE_SECONDS) == 0

    def _run(self) -> None:
        while not self._over.wait(0.1):
            send(self._producer, self._job.source, range(self.rows, self.rows + ROWS_AT_ONCE))
            self.rows += ROWS_AT_ONCE


def seeded() -> Seeded:
    """Random choices with the seed KAFKALYST_KILL_SEED."""
    return Seeded("KAFKALYST_KILL")


def producer(kafka: str, **settings: object) -> Producer:
    """A producer that sends each row once, whatever happens to the broker."""
    return Producer({"bootstrap.servers": kafka, "enable.idempotence": True, "log_level": 0, **settings})


def send(to: Producer, topic: str, rows: range) -> None:
    """Sends rows with these numbers."""
    for k in rows:
        to.produce(topic, key=k.to_bytes(4, "big"), value=b'{"v": "x"}')
        to.poll(0)
