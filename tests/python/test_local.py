"""The local servers are real ones, and end when they should."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from confluent_kafka.admin import AdminClient

from kafkalyst import LocalServers, LocalServersError, local, serdes
from support.patience import PATIENCE_SECONDS
from support.records import eventually

if TYPE_CHECKING:
    from conftest import Servers

FIRST = {"type": "record", "name": "A", "fields": [{"name": "x", "type": "int"}]}
OTHER = {"type": "record", "name": "A", "fields": [{"name": "x", "type": {"type": "array", "items": "string"}}]}


def test_the_broker_answers(servers: Servers) -> None:
    """The broker answers, and has one node."""
    assert len(AdminClient({"bootstrap.servers": servers.kafka}).list_topics(timeout=PATIENCE_SECONDS).brokers) == 1


def test_the_registry_is_like_confluents(servers: Servers, topic: object) -> None:
    """It registers, reads and deletes schemas, and refuses those that are not backward compatible."""
    subject = f"{topic('local')}-value"  # type: ignore[operator]
    known = serdes.register(servers.registry, subject, FIRST)
    assert serdes.register(servers.registry, subject, FIRST) == known
    assert serdes.request(servers.registry, "GET", f"/subjects/{subject}/versions/latest")["id"] == known
    with pytest.raises(RuntimeError, match="409"):
        serdes.register(servers.registry, subject, OTHER)
    assert serdes.request(servers.registry, "DELETE", f"/subjects/{subject}") == [1]
    assert subject not in serdes.request(servers.registry, "GET", "/subjects")


def test_nothing_is_left_after_the_block() -> None:
    """Neither processes nor data are left."""
    with pytest.raises(ZeroDivisionError), LocalServers() as servers:
        pids, data = servers.pids(), servers.data
        assert all(_alive(pid) for pid in pids)
        raise ZeroDivisionError
    assert not any(_alive(pid) for pid in pids)
    assert not data.exists()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_they_die_with_their_parent(number: signal.Signals) -> None:
    """The servers end with their parent, however it ends."""
    program = (
        "import time\nfrom kafkalyst import LocalServers\n"
        "with LocalServers() as s:\n    print(*s.pids(), flush=True)\n    time.sleep(60)"
    )
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        pids = [int(pid) for pid in parent.stdout.readline().split()]
        assert len(pids) == 2
        parent.send_signal(number)
        parent.wait(90)
    deadline = time.monotonic() + 60
    while any(_alive(pid) for pid in pids) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not any(_alive(pid) for pid in pids)


def test_up_status_down(tmp_path: Path) -> None:
    """The servers outlive up(), which finds them again."""
    assert local.status(tmp_path) is None
    addresses = local.up(tmp_path)
    try:
        assert local.status(tmp_path) == addresses
        assert local.up(tmp_path) == addresses
        assert set(addresses) == {"kafka", "registry"}
    finally:
        assert local.down(tmp_path)
    assert local.status(tmp_path) is None
    assert not local.down(tmp_path)


def test_up_leaves_no_orphan(tmp_path: Path) -> None:
    """If one of the two servers has died, the other is stopped before new ones start."""
    local.up(tmp_path)
    try:
        broker, registry = sorted(json.loads((tmp_path / "servers.json").read_text())["pids"])
        os.kill(registry, signal.SIGKILL)
        eventually(lambda: local.status(tmp_path) is None)
        again = local.up(tmp_path)
        assert local.status(tmp_path) == again
        assert not _alive(broker)
    finally:
        local.down(tmp_path)


@pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="lists processes by /proc")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_an_up_that_is_ended_leaves_nothing(number: signal.Signals, tmp_path: Path) -> None:
    """If up() is killed before it has recorded its servers, they end with it."""

    def servers() -> list[bytes]:
        lines = [_content(path) for path in Path("/proc").glob("[0-9]*/cmdline")]
        return [line for line in lines if b"java" in line and str(tmp_path).encode() in line]

    command = [sys.executable, "-m", "kafkalyst", "local", "up"]
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    with subprocess.Popen(command, cwd=tmp_path, env=environment, stderr=subprocess.DEVNULL) as up:
        eventually(lambda: any(b"apicurio" in line for line in servers()))
        up.send_signal(number)
        up.wait(90)
    eventually(lambda: not servers())
    assert not (tmp_path / ".local" / "servers.json").exists()


def test_a_failure_shows_the_log(monkeypatch: pytest.MonkeyPatch) -> None:
    """A failed start shows the log and leaves nothing."""
    monkeypatch.setattr(local, "BROKER_HEAP", "1k")
    with pytest.raises(LocalServersError, match=r"(?s)broker ended with code.*(heap|Error)"), LocalServers():
        pass


def _content(path: Path) -> bytes:
    """What a file of a process has; nothing if the process has ended."""
    try:
        return path.read_bytes()
    except OSError:
        return b""


def _alive(pid: int) -> bool:
    """Whether a process runs; a zombie does not."""
    try:
        os.kill(pid, 0)
        return ") Z " not in Path(f"/proc/{pid}/stat").read_text()
    except (ProcessLookupError, FileNotFoundError):
        return False
