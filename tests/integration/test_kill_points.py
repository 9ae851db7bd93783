"""Drivers are killed, or stopped and continued as zombies, at named points of their writes.

Each round has one query at one point; KAFKALYST_ROUNDS sets how many (2). Each cell, a point with a sink, takes two.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from support.kills import Job, agent_jar, producer, send
from support.patience import PATIENCE_SECONDS
from support.records import eventually, none_open
from support.rig import Chance, rounds

if TYPE_CHECKING:
    from conftest import Servers

ROWS = 400  # rows more in each round, in more batches than visits of a point
ZOMBIE_SECONDS = 3.0
ENDED_SECONDS = 60.0  # seconds within which a restarted query has ended what the former one left open
MOST_VISITS = 6
SINKS = {"once": "exactly-once", "stateful": "exactly-once", "least": "at-least-once"}
PASSED_BY_ALL = {"before-flush", "after-flush", "after-offset-log", "before-commit-log", "after-commit-log"}


@pytest.fixture(scope="module")
def agent(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The jar of the agent with the named points."""
    return agent_jar(root, tmp_path_factory.mktemp("agent"))


def cells(root: Path) -> list[tuple[str, str]]:
    """Each point of the agent with each sink whose writes pass it; writes without transactions pass only some."""
    source = (root / "tests" / "support" / "Failpoints.java").read_text(encoding="utf-8")
    points = re.findall(r'Map\.entry\("([a-z-]+)"', source)
    assert set(points) >= PASSED_BY_ALL
    return [
        (point, name)
        for point in points
        for name, guarantee in SINKS.items()
        if guarantee == "exactly-once" or point in PASSED_BY_ALL
    ]


def test_points(servers: Servers, topic: Callable[[str], str], tmp_path: Path, root: Path, agent: Path) -> None:
    """Nothing is lost; with exactly-once, nothing is written twice and no transaction stays open."""
    chance = Chance()
    job = Job(servers.kafka, servers.registry, tmp_path, topic("points"), SINKS)
    feed, expected = producer(servers.kafka), 0
    dealt: list[tuple[str, str]] = []
    for turn in range(rounds(2)):
        send(feed, job.source, range(expected, expected + ROWS))
        feed.flush()
        expected += ROWS
        # First killed there, then stopped: the following drivers must end whatever either leaves open.
        mode = ("kill", "stop")[turn % 2]
        if mode == "kill":
            dealt = dealt or chance.sample(cells(root), len(cells(root)))
            point, sink = dealt.pop(0)
        reached, hits = tmp_path / f"reached-{turn}", chance.randint(1, MOST_VISITS)
        chance.tell(f"round {turn}: {point}, {sink}, {mode}, at visit {hits}")
        java = f"-javaagent:{agent}={point};{mode};{hits};{reached}"
        with job.driver(rows_per_batch=60, java=java, only=sink) as driver:
            began = time.monotonic()
            eventually(reached.exists, PATIENCE_SECONDS)
            chance.tell(f"reached after {time.monotonic() - began:.1f} s")
            if mode == "stop":
                with job.driver(only=sink) as other:
                    other.finish()
                driver.proceed()
                time.sleep(ZOMBIE_SECONDS)
        if mode == "stop":
            eventually(partial(none_open, servers.kafka, f"{job.source}-{sink}"), ENDED_SECONDS)
    with job.driver() as driver:
        driver.finish()
    eventually(partial(none_open, servers.kafka, *(f"{job.source}-{name}" for name in SINKS)), ENDED_SECONDS)
    job.check(expected, f"{rounds(2)} rounds", chance.chosen)
    chance.tell(f"nothing lost; exactly once, nothing twice of {expected} rows")
