"""The broker is killed and restarted while queries run: they wait for it, and no row is lost or written twice.

Once, and once more for every five KAFKALYST_KILL_ROUNDS; KAFKALYST_KILL_SEED sets when (printed).
"""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import kafkalyst
from support.kills import Feed, Job, seeded
from support.patience import PATIENCE_SECONDS

ROUNDS = 1 + int(os.environ.get("KAFKALYST_KILL_ROUNDS", "3")) // 5
LONGEST_SECONDS = 1.0  # seconds that it lives after a batch
DOWN_SECONDS = 3.0


@contextmanager
def mortal(servers: kafkalyst.LocalServers) -> Iterator[Callable[[], None]]:
    """Kills the broker when called, and restarts it with the same command and data."""
    pids = [pid for pid in servers.pids() if b"kafka.Kafka" in Path(f"/proc/{pid}/cmdline").read_bytes()]
    command = Path(f"/proc/{pids[0]}/cmdline").read_bytes().rstrip(b"\0").split(b"\0")
    started: list[subprocess.Popen[bytes]] = []

    def restart() -> None:
        os.killpg(started[-1].pid if started else pids[0], signal.SIGKILL)
        time.sleep(DOWN_SECONDS)
        log = servers.data / f"broker{len(started)}.log"
        with log.open("wb") as out:
            again = subprocess.Popen(command, cwd=servers.data, stdout=out, stderr=out, start_new_session=True)
        started.append(again)
        end = time.monotonic() + PATIENCE_SECONDS
        while "Kafka Server started" not in log.read_text(errors="replace"):
            assert again.poll() is None and time.monotonic() < end, log.read_text(errors="replace")[-3000:]
            time.sleep(0.1)

    try:
        yield restart
    finally:
        for broker in started:
            broker.kill()
            broker.wait()


def test_restarted_broker(topic: Callable[[str], str], tmp_path: Path) -> None:
    """Queries continue where they were, without a restart."""
    chance = seeded()
    with kafkalyst.LocalServers() as servers, mortal(servers) as restart:
        job = Job(servers.kafka, servers.registry, tmp_path, topic("brokers"))
        with job.driver() as driver:
            with Feed(job) as feed:
                for _ in range(ROUNDS):
                    driver.until(job, job.batches() + len(job.sinks))
                    time.sleep(chance.uniform(0, LONGEST_SECONDS))
                    restart()
            driver.finish()
            job.check(feed.rows, f"broker killed {ROUNDS} time(s), {job.batches()} batches", chance.chosen)
