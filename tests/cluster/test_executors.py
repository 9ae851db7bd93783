"""Executors that die, freeze and race each other while the driver lives.

KAFKALYST_KILL_ROUNDS sets how many rounds (2), KAFKALYST_KILL_SEED when what happens (printed).
"""

from __future__ import annotations

import os
import random
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from support.cluster import Cluster, standalone
from support.kills import Feed, Job, seeded
from support.patience import PATIENCE_SECONDS

if TYPE_CHECKING:
    from conftest import Servers

ROUNDS = int(os.environ.get("KAFKALYST_KILL_ROUNDS", "2"))
# Until chance has hit a task, which takes a few rounds.
MOST_ROUNDS = max(30, ROUNDS)
MOST_BATCHES = 3  # of all queries, committed before the next executor dies
LONGEST_SECONDS = 1.0  # and how many seconds longer it lives
PAUSE_SECONDS = 2.0


def some(chance: random.Random, cluster: Cluster) -> list[int]:
    """The executors to kill or stop: mostly one, at times all."""
    end = time.monotonic() + PATIENCE_SECONDS
    while not (there := cluster.executors()):
        assert time.monotonic() < end, "no executor came back"
        time.sleep(0.1)
    return there if chance.random() < 0.25 else [chance.choice(there)]


def test_killed_executors(servers: Servers, topic: Callable[[str], str], tmp_path: Path) -> None:
    """Tasks of killed executors are retried elsewhere."""
    chance, killed, rounds = seeded(), 0, 0
    with standalone(tmp_path) as cluster:
        # As many attempts as kills: chance may hit the same task each time.
        conf = {"spark.master": cluster.address, "spark.task.maxFailures": MOST_ROUNDS + 4}
        job = Job(servers.kafka, servers.registry, tmp_path, topic("executors"), slow=True, **conf)
        with job.driver() as driver:
            with Feed(job) as feed:
                # An executor may die between two tasks, which leaves no trace.
                while rounds < ROUNDS or (rounds < MOST_ROUNDS and not job.tasks()["ExecutorLostFailure"]):
                    driver.until(job, job.batches() + chance.randint(1, MOST_BATCHES))
                    time.sleep(chance.uniform(0, LONGEST_SECONDS))
                    for executor in some(chance, cluster):
                        os.kill(executor, signal.SIGKILL)
                        killed += 1
                    rounds += 1
            driver.finish()
            job.check(
                feed.rows, f"{killed} executors killed in {rounds} rounds, {job.batches()} batches", chance.chosen
            )
            assert job.tasks()["ExecutorLostFailure"] > 0, f"no task was hit, seed {chance.chosen}"


def raced(job: Job) -> bool:
    """Whether there were second attempts, and failed attempts."""
    tasks = job.tasks()
    return tasks["speculative"] > 0 and tasks["ExceptionFailure"] > 0


def test_attempts_that_race(servers: Servers, topic: Callable[[str], str], tmp_path: Path) -> None:
    """Two attempts of a task at a time, attempts that fail half-way, and late attempts of frozen executors."""
    chance, rounds = seeded(), 0
    conf = {
        "spark.speculation": True,
        "spark.speculation.interval": "100ms",
        "spark.speculation.multiplier": 1.2,
        "spark.speculation.quantile": 0.5,
        "spark.speculation.efficiency.enabled": False,
    }
    sinks = {"once": "exactly-once", "shuffled": "exactly-once"}
    # Spare cores, or there is none for a second attempt.
    with standalone(tmp_path, cores=3) as cluster:
        conf["spark.master"] = cluster.address
        job = Job(servers.kafka, servers.registry, tmp_path, topic("races"), sinks, shaky=True, **conf)
        with job.driver() as driver:
            with Feed(job) as feed:
                while rounds < ROUNDS or (rounds < MOST_ROUNDS and not raced(job)):
                    driver.until(job, job.batches() + chance.randint(1, MOST_BATCHES))
                    time.sleep(chance.uniform(0, LONGEST_SECONDS))
                    for executor in some(chance, cluster)[:1]:
                        os.kill(executor, signal.SIGSTOP)
                        time.sleep(PAUSE_SECONDS)
                        os.kill(executor, signal.SIGCONT)
                    rounds += 1
            driver.finish()
            job.check(feed.rows, f"{rounds} executors paused, {job.batches()} batches", chance.chosen)
            assert raced(job), f"no attempts raced, seed {chance.chosen}"
