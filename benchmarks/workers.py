"""Measures scaling of a cluster: the same read by one worker with one core, and by two, each its own process.

All columns of JSON, which keeps the workers busier than the broker, of so many records that what a query costs whatever
it reads weighs little. WORKERS_RECORDS (5000000), WORKERS_ROUNDS (2) and WORKERS_RUNS (5, of each round) change the
size. Writes workers.json.
Needs tests/ on PYTHONPATH, for the cluster; `make bench-workers` puts it there.
"""

from __future__ import annotations

import json
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

from peers import timed
from pyspark.sql import SparkSession
from run import say
from works import ALL, DATASETS, MILLIS

import kafkalyst
from support.cluster import ENVIRONMENT, standalone

RECORDS = int(os.environ.get("WORKERS_RECORDS", "5000000"))
# One worker and two take turns, so that neither has the warmer driver nor the quieter machine.
ROUNDS = int(os.environ.get("WORKERS_ROUNDS", "2"))
RUNS = int(os.environ.get("WORKERS_RUNS", "5"))
# The first runs warm up an executor's compiler. With two workers each executor has read only half as much, so it takes
# them until the seventh run to be as fast per record as one worker.
WARMUP = 7
PARTITIONS = 4
GOAL = 1.7
TOPIC = "workers"
QUERIES = {"json:all": ALL}


def session(servers: kafkalyst.LocalServers, master: str) -> SparkSession:
    """A session with the topic's stream."""
    conf = {
        "spark.master": master,
        "spark.driver.host": "127.0.0.1",
        "spark.executor.cores": 1,
        "spark.executor.memory": "768m",
        "spark.ui.enabled": False,
        "spark.ui.showConsoleProgress": False,
        "spark.sql.shuffle.partitions": 2,
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.warehouse.dir": str(servers.data / "warehouse"),
    }
    spark = kafkalyst.session(servers.kafka, servers.registry, **conf)
    columns = ", ".join(f"{name} {kind}" for name, kind in DATASETS["json"].columns.items())
    spark.sql(
        f"CREATE STREAM IF NOT EXISTS {TOPIC} ({columns}) "
        f"WITH (KAFKA_TOPIC = '{TOPIC}', VALUE_FORMAT = 'JSON', PARTITIONS = {PARTITIONS})"
    )
    return spark


def filled(servers: kafkalyst.LocalServers) -> None:
    """The records."""
    spark = session(servers, "local[2]")
    ids = f"(SELECT id FROM range(0, {RECORDS}, 1, {PARTITIONS}))"
    spark.sql(f"INSERT INTO {TOPIC} {DATASETS['json'].rows.format(ids=ids, millis=f'timestamp_millis({MILLIS})')}")
    spark.stop()


def measured(servers: kafkalyst.LocalServers, workers: int) -> dict[str, list[float]]:
    """Seconds of each query's warm runs."""
    seconds = {}
    with tempfile.TemporaryDirectory() as folder, standalone(Path(folder), workers=workers, bound=True) as cluster:
        spark = session(servers, cluster.address)
        end = time.monotonic() + 60
        # The driver is one of them.
        while spark.sparkContext._jsc.sc().getExecutorMemoryStatus().size() <= workers:
            assert time.monotonic() < end, f"{workers} executors did not come"
            time.sleep(0.2)
        for name, query in QUERIES.items():
            seconds[name] = [timed(spark, query.format(source=TOPIC))[0] for _ in range(WARMUP + RUNS)][WARMUP:]
            say(f"{name}, workers {workers}: " + ", ".join(f"{run:.2f} s" for run in seconds[name]))
        spark.stop()
    return seconds


def main() -> int:
    """Rounds of one worker, then two."""
    os.environ.update(ENVIRONMENT)
    load = os.getloadavg()[0]
    with kafkalyst.LocalServers(progress=say) as servers:
        filled(servers)
        rounds = [[measured(servers, workers) for workers in (1, 2)] for _ in range(ROUNDS)]
    results = {}
    for name in QUERIES:
        one, two = (statistics.median(run for each in rounds for run in each[n][name]) for n in (0, 1))
        results[name] = {"one": round(one, 3), "two": round(two, 3), "ratio": round(one / two, 3)}
    for name, result in results.items():
        say(f"{name}: two workers are {result['ratio']:.2f} × one (goal {GOAL})")
    say(f"{os.cpu_count()} cores for workers, driver and broker; load {load:.1f} before the start")
    page = {"records": RECORDS, "cores": os.cpu_count(), "load_before": round(load, 1), "queries": results}
    Path(__file__).with_name("workers.json").write_text(json.dumps(page, indent=2) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
