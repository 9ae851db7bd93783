"""Drivers are killed at random points: nothing is lost, and exactly-once sinks have each row once.

KAFKALYST_KILL_ROUNDS sets how many are killed (3), KAFKALYST_KILL_SEED when (printed).
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from support.kills import Job, producer, seeded, send

if TYPE_CHECKING:
    from conftest import Servers

ROUNDS = int(os.environ.get("KAFKALYST_KILL_ROUNDS", "3"))
ROWS_PER_ROUND = 1000
MOST_BATCHES = 6  # of all queries, committed before the driver is killed
LONGEST_SECONDS = 1.0  # and how many seconds longer it lives


def test_killed_drivers(servers: Servers, topic: Callable[[str], str], tmp_path: Path) -> None:
    """In the end every sink has every row, and exactly-once sinks only once."""
    job = Job(servers.kafka, servers.registry, tmp_path, topic("kills"))
    expected = ROUNDS * ROWS_PER_ROUND
    feed = producer(servers.kafka)
    send(feed, job.source, range(expected))
    feed.flush()
    chance = seeded()
    for _ in range(ROUNDS):
        with job.driver(rows_per_batch=60) as driver:
            driver.until(job, job.batches() + chance.randint(0, MOST_BATCHES))
            time.sleep(chance.uniform(0, LONGEST_SECONDS))
    batches = job.batches()
    with job.driver() as driver:
        driver.finish()
    job.check(expected, f"{ROUNDS} drivers killed, {batches} batches before the last run", chance.chosen)
