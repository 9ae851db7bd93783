"""From topics into tables of Delta, Iceberg and Parquet, by SQL alone.

KAFKALYST_KILL_ROUNDS sets how many drivers are killed (2), KAFKALYST_KILL_SEED the times (printed);
KAFKALYST_AWAY_SECONDS how long broker and registry are away (5).
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pyspark
import pytest

from kafkalyst import serdes
from support.broker import broker
from support.kills import producer, seeded
from support.patience import PROGRAM_SECONDS

if TYPE_CHECKING:
    from conftest import Servers

ROUNDS = int(os.environ.get("KAFKALYST_KILL_ROUNDS", "2"))
KEYS = int(os.environ.get("KAFKALYST_LAKE_KEYS", "500"))
ROWS_PER_ROUND = int(os.environ.get("KAFKALYST_LAKE_ROWS", "2000"))
LONGEST_SECONDS = 8.0
AWAY_SECONDS = float(os.environ.get("KAFKALYST_AWAY_SECONDS", "5"))

pytestmark = pytest.mark.skipif(
    not pyspark.__version__.startswith("4.1."), reason="the jars of Delta and Iceberg are for Spark 4.1"
)


@pytest.fixture
def program(
    servers: Servers, tmp_path: Path, topic: Callable[[str], str], root: Path
) -> Callable[..., subprocess.Popen[str]]:
    """Starts `support/lake.py` with this task."""
    job = json.dumps(
        {"kafka": servers.kafka, "registry": servers.registry, "folder": str(tmp_path), "topic": topic("lake")}
    )

    def start(what: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "tests/support/lake.py", what, job],
            cwd=root,
            env={**os.environ, "PYTHONPATH": "tests"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=(tmp_path / "log").open("a"),
            text=True,
            start_new_session=True,
        )

    return start


def test_tables(program: Callable[..., subprocess.Popen[str]], tmp_path: Path) -> None:
    """Rows are appended, changes merged, batches repeated; columns do not fit, and tables disappear."""
    out, _ = program("check").communicate(timeout=2 * PROGRAM_SECONDS)
    assert "lake: fine" in out, (tmp_path / "log").read_text(errors="replace")[-4000:]


def test_killed_drivers(
    program: Callable[..., subprocess.Popen[str]], servers: Servers, topic: Callable[[str], str], tmp_path: Path
) -> None:
    """Drivers are killed while rows arrive: in the end the tables have each row, or the latest of each key, once.

    So has a history together with its topic, which has lost the records that the history has.
    """
    name = topic("lake")
    serdes.create_topic(servers.kafka, name, 2)
    feed, chance, rows = producer(servers.kafka), seeded(), []
    print(f"seed {chance.chosen}")

    def send() -> None:
        for i in range(ROWS_PER_ROUND):
            rows.append((chance.randrange(KEYS), len(rows)))
            feed.produce(name, key=rows[-1][0].to_bytes(4, "big"), value=json.dumps({"v": rows[-1][1]}).encode())
            feed.poll(0)
            if i % (ROWS_PER_ROUND // 20) == 0:
                feed.flush()
                time.sleep(LONGEST_SECONDS / 20)
        feed.flush()

    for _ in range(ROUNDS):
        driver, sending, wait = (
            program("drive"),
            threading.Thread(target=send),
            chance.uniform(0, 1.5 * LONGEST_SECONDS),
        )
        assert driver.stdout is not None
        try:
            assert driver.stdout.readline() == "running\n", (tmp_path / "log").read_text(errors="replace")[-4000:]
            sending.start()
            time.sleep(wait)
        finally:
            os.killpg(driver.pid, signal.SIGKILL)
            driver.wait()
        sending.join()
    out, _ = program("drive").communicate("finish\n", timeout=PROGRAM_SECONDS)
    lines = out.splitlines()
    assert len(lines) == 2, (tmp_path / "log").read_text(errors="replace")[-4000:]
    found = {table: [tuple(row) for row in given] for table, given in json.loads(lines[1]).items()}
    latest = sorted(dict(rows).items())
    for kind in ("iceberg", "delta"):
        assert found[f"{kind} appended"] == sorted(rows), f"{kind}, seed {chance.chosen}"
        assert found[f"{kind} handed"] == sorted(rows), f"{kind}, seed {chance.chosen}"
        assert found[f"{kind} merged"] == latest, f"{kind}, seed {chance.chosen}"


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A folder whose file system is full after 16 MB."""
    folder = tmp_path / "lake"
    folder.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16m", "tmpfs", str(folder)], check=False)
    if mounted.returncode:
        pytest.skip("mounting needs root")
    yield folder
    subprocess.run(["umount", "--lazy", str(folder)], check=True)


def test_faults(servers: Servers, disk: Path, tmp_path: Path, topic: Callable[[str], str], root: Path) -> None:
    """Broker and registry are away, the disk is full, a column is renamed: in the end each row is there once."""
    (tmp_path / "broker").mkdir()
    with broker(tmp_path / "broker", {}) as started:
        job = {
            "kafka": started.kafka,
            "registry": servers.registry,
            "folder": str(disk.parent),
            "topic": topic("faults"),
            "broker": started.pid,
            "seconds": AWAY_SECONDS,
        }
        done = subprocess.run(
            [sys.executable, "-m", "support.lake_faults", json.dumps(job)],
            cwd=root,
            env={**os.environ, "PYTHONPATH": "tests"},
            capture_output=True,
            text=True,
            check=False,
            timeout=2 * PROGRAM_SECONDS + 4 * AWAY_SECONDS,
        )
    assert "lake: fine" in done.stdout, done.stderr[-4000:]


@pytest.fixture
def fine(servers: Servers, tmp_path: Path, topic: Callable[[str], str], root: Path) -> Callable[[str], None]:
    """Runs a program of tests/support/, which finally prints that all is fine."""

    def run(what: str) -> None:
        job = {"kafka": servers.kafka, "registry": servers.registry, "folder": str(tmp_path), "topic": topic(what)}
        done = subprocess.run(
            [sys.executable, f"tests/support/{what}.py", json.dumps(job)],
            cwd=root,
            env={**os.environ, "PYTHONPATH": "tests"},
            capture_output=True,
            text=True,
            check=False,
            timeout=2 * PROGRAM_SECONDS,
        )
        said = [line for line in done.stderr.splitlines() if not line.lstrip().startswith("at ")]
        assert f"{what}: fine" in done.stdout, "\n".join(said)[-4000:]

    return run


@pytest.mark.parametrize("what", ["history", "rollbacks"])
def test_history(what: str, fine: Callable[[str], None]) -> None:
    """A topic loses its old records while a table stores them: each record is read once, from one of them.

    This also holds after a rollback of the table, and with a second query into it.
    """
    fine(what)


def test_upserts(fine: Callable[[str], None]) -> None:
    """Changes are merged as if each was decoded: superseded, bad and deleting ones, and changes without a key."""
    fine("upserts")


def test_columns(fine: Callable[[str], None]) -> None:
    """The columns that a query does not give are kept, or filled as the table says."""
    fine("lake_columns")
