"""Drivers killed, or stopped and let go on as zombies, at named points of their writes.

Two points in the tests; KAFKALYST_ROUNDS many in `make soak-kill`, which keeps what it did in build/soak.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from confluent_kafka import IsolationLevel, TopicPartition
from confluent_kafka.admin import AdminClient, OffsetSpec

from support.kills import Job, agent_jar, producer, send
from support.patience import PATIENCE_SECONDS
from support.records import eventually
from support.rig import rounds, seeded

if TYPE_CHECKING:
    from conftest import Servers

ROWS = 200  # more in each round
ZOMBIE_SECONDS = 3.0
SINKS = {"once": "exactly-once", "stateful": "exactly-once", "least": "at-least-once"}


@pytest.fixture(scope="module")
def agent(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The jar of the agent that knows the points."""
    return agent_jar(root, tmp_path_factory.mktemp("agent"))


def points(root: Path) -> list[str]:
    """The names of all points, as the agent has them."""
    source = (root / "tests" / "support" / "Failpoints.java").read_text(encoding="utf-8")
    return re.findall(r'Map\.entry\("([a-z-]+)"', source)


def none_open(kafka: str, topics: list[str]) -> bool:
    """Whether no transaction keeps readers from what is in the topics."""
    admin = AdminClient({"bootstrap.servers": kafka})
    wanted = {TopicPartition(topic, partition): OffsetSpec.latest() for topic in topics for partition in range(2)}
    ends = []
    for level in (IsolationLevel.READ_COMMITTED, IsolationLevel.READ_UNCOMMITTED):
        found = admin.list_offsets(wanted, isolation_level=level)
        ends.append([found[place].result().offset for place in wanted])
    return bool(ends[0] == ends[1])


def test_points(servers: Servers, topic: Callable[[str], str], tmp_path: Path, root: Path, agent: Path) -> None:
    """Nothing is lost; exactly once, nothing is there twice and no transaction stays open."""
    chance = seeded()
    job = Job(servers.kafka, servers.registry, tmp_path, topic("points"), SINKS)
    feed, expected, history = producer(servers.kafka), 0, []
    for turn in range(rounds(2)):
        send(feed, job.source, range(expected, expected + ROWS))
        feed.flush()
        expected += ROWS
        mode, point, hits = ("kill", "stop")[turn % 2], chance.choice(points(root)), chance.randint(1, 6)
        reached = tmp_path / f"reached-{turn}"
        with job.driver(rows_per_batch=60, java=f"-javaagent:{agent}={point};{mode};{hits};{reached}") as driver:
            began = time.monotonic()
            eventually(reached.exists, PATIENCE_SECONDS)
            history.append(f"{mode} at visit {hits} of {point} after {time.monotonic() - began:.1f} s")
            if mode == "stop":
                with job.driver() as other:
                    other.finish()
                driver.proceed()
                time.sleep(ZOMBIE_SECONDS)
        print(history[-1])
    with job.driver() as driver:
        driver.finish()
    log = root / "build" / "soak" / f"{job.source}.log"
    log.parent.mkdir(exist_ok=True)
    log.write_text("\n".join(history) + "\n", encoding="utf-8")
    assert none_open(servers.kafka, [f"{job.source}-{name}" for name in SINKS])
    job.check(expected, "; ".join(history))
