"""The local servers are real ones, and end when they should."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import uuid
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
        other, dies = json.loads((tmp_path / "servers.json").read_text())["pids"]
        os.kill(dies, signal.SIGKILL)
        eventually(lambda: local.status(tmp_path) is None)
        again = local.up(tmp_path)
        assert local.status(tmp_path) == again
        assert not _alive(other)
    finally:
        local.down(tmp_path)


@pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="lists processes by /proc")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_an_up_that_is_ended_leaves_nothing(number: signal.Signals, tmp_path: Path) -> None:
    """If up() is killed before it has recorded its servers, they end with it."""

    def servers() -> list[bytes]:
        lines = [_content(path) for path in Path("/proc").glob("[0-9]*/cmdline")]
        return [line for line in lines if b"java" in line and str(tmp_path).encode() in line]

    # Both servers answer in this last step.
    program = (
        "import time; from kafkalyst import cli, local; "
        "local._put_json = lambda *_: (print('both', flush=True), time.sleep(600)); cli.main(['local', 'up'])"
    )
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    with subprocess.Popen(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as up:
        assert up.stdout is not None
        assert up.stdout.readline() == "both\n"
        assert len(servers()) == 2
        up.send_signal(number)
        up.wait(PATIENCE_SECONDS)
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


@pytest.mark.parametrize("text", ["{", "[]", "{}", '{"kafka": "a", "registry": "b", "data": "c", "pids": 1}'])
def test_a_damaged_state_is_named(text: str, tmp_path: Path) -> None:
    """Each action reports a damaged state file."""
    (tmp_path / "servers.json").write_text(text)
    for call in (local.status, local.down, local.up):
        with pytest.raises(local.LocalServersError, match=r"servers\.json is damaged"):
            call(tmp_path)


def write_state(folder: Path, **given: object) -> None:
    """Writes the state of servers that are gone, with other values for some of its fields."""
    data = Path(tempfile.gettempdir()) / f"kafkalyst-{uuid.uuid4().hex}"
    addresses = {"kafka": "127.0.0.1:1", "registry": "http://127.0.0.1:2/apis/ccompat/v7"}
    (folder / "servers.json").write_text(json.dumps({**addresses, "data": str(data), "pids": [1, 2], **given}))


@pytest.mark.parametrize("pids", [[], [1], [1, 2]])
@pytest.mark.parametrize("name", ["mine", "kafkalyst-notes"])
def test_a_state_that_others_wrote_deletes_nothing(name: str, pids: list[int], tmp_path: Path) -> None:
    """A folder that one clones may have a state file with any path in it."""
    precious = tmp_path / name / "file"
    precious.parent.mkdir()
    precious.touch()
    write_state(tmp_path, data=str(precious.parent), pids=pids)
    for call in (local.status, local.down, local.up):
        with pytest.raises(local.LocalServersError, match="not written by"):
            call(tmp_path)
    assert precious.exists()


@pytest.mark.parametrize(
    "given",
    [
        {"kafka": "127.0.0.1:1;id"},
        {"kafka": "$(id):1"},
        {"registry": "http://127.0.0.1:2/apis/ccompat/v7$(id)"},
        {"registry": "http://elsewhere:2/apis/ccompat/v7"},
        {"pids": [7, 7]},
    ],
)
def test_a_state_that_up_cannot_have_written_is_refused(given: dict[str, object], tmp_path: Path) -> None:
    """Shells evaluate the addresses that status prints; `up` starts two servers of this machine."""
    write_state(tmp_path)
    assert local.status(tmp_path) is None
    write_state(tmp_path, **given)
    for call in (local.status, local.down):
        with pytest.raises(local.LocalServersError, match="not written by"):
            call(tmp_path)


def test_down_ends_only_its_own_servers(tmp_path: Path) -> None:
    """A broker with other data is another one, whatever the state file says."""
    command = [sys.executable, "-c", "import time; print(flush=True); time.sleep(60)", "kafka.Kafka", "/other/file"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, start_new_session=True) as other:
        try:
            assert other.stdout is not None
            other.stdout.readline()
            write_state(tmp_path, pids=[other.pid, other.pid + 1])
            assert local.down(tmp_path)
            assert other.poll() is None
            assert local._is_server(other.pid, "/other")
        finally:
            other.kill()
