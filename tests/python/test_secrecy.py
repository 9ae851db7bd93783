"""Secrets that other users of the machine must not see, and output that rows must not control."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from kafkalyst import arguments, cli, shell
from kafkalyst.replay import ReplayError, replay
from kafkalyst.table import plain, render
from support.patience import PROGRAM_SECONDS

APP = r"""
import sys
from pathlib import Path
import kafkalyst

canary = sys.argv[1]
secret = f'a.Module required username="me" password="{canary}";'
url = f"http://me:{canary}@127.0.0.1:1"
names = {"spark.kafkalyst.kafka.sasl.jaas.config": secret, "spark.kafkalyst.schema.registry.url": url}
spark = kafkalyst.session(kafka="127.0.0.1:1", **names, **{"spark.master": "local[1]", "spark.ui.enabled": "false"})
assert spark.sparkContext.getConf().get("spark.kafkalyst.kafka.sasl.jaas.config") == secret
lines = [path.read_bytes() for path in Path("/proc").glob("[0-9]*/cmdline")] if sys.argv[2] == "proc" else []
# The test's own process has the canary among its arguments, and so has whoever started it.
seen = [line for line in lines if canary.encode() in line and b"java" in line.split(b"\0")[0]]
assert not seen, seen
assert any(b"127.0.0.1:1" in line and b"SparkSubmit" in line for line in lines)
print("unseen")
spark.stop()
"""


@pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="lists processes by /proc")
def test_no_secret_on_a_command_line() -> None:
    """The JVM's command line has only the other settings of the session."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("KAFKALYST_")}
    done = subprocess.run(
        [sys.executable, "-c", APP, "canary-7f1", "proc"],
        capture_output=True,
        text=True,
        timeout=PROGRAM_SECONDS,
        env=environment,
        check=False,
    )
    assert "unseen" in done.stdout, done.stderr[-3000:]


def test_rows_do_not_drive_the_terminal() -> None:
    """Escapes, carriage returns, direction marks and invisible characters are shown escaped."""
    evil = "a\x1b[2Jb\x9b1m\r\x07\u202ec\u200b"
    shown = render(["n\x1b[1m", "v"], [[1, evil], [2, "ok ä 💧"]])
    assert shown[2] == r"       1 | a\x1b[2Jb\x9b1m\r\x07\u202ec\u200b"
    assert shown[3] == "       2 | ok ä 💧"
    assert shown[0].startswith(r"n\x1b[1m | v")
    assert render(["plan"], [["one\ntwo\x1b[1m"]]) == ["plan", "----", "one", r"two\x1b[1m"]
    assert plain("a\n\tb\x1b]0;c\x07") == "a\n\tb\\x1b]0;c\\x07"


def test_a_session_leaves_no_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The JVM's output at its start is kept in memory, not in a file that somebody could have linked elsewhere."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    seen: list[Path] = []

    class Spark:
        def stop(self) -> None:
            seen.extend(tmp_path.iterdir())

    monkeypatch.setattr(cli, "session", lambda **_: Spark())
    with cli._session(arguments.parser().parse_args(["check"])):
        pass
    assert not seen and not list(tmp_path.iterdir())


def test_the_history_is_the_users_alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Only the user can read the shell's history, whatever the umask."""
    kept, at_exit = tmp_path / "history", []
    monkeypatch.setattr(shell, "HISTORY", kept)
    monkeypatch.setattr("atexit.register", at_exit.append)
    before = os.umask(0)
    try:
        shell._readline(lambda text, state: None)
        at_exit[0]()
    finally:
        os.umask(before)
    assert kept.stat().st_mode & 0o777 == 0o600


def test_replay_wants_to_know_where_to() -> None:
    """If the dead letter topic's name implies no topic, topics must be named; this is checked before any request."""
    with pytest.raises(ReplayError, match="--to"):
        replay("127.0.0.1:1", "bad_ones")
    with pytest.raises(ReplayError, match="--to"):
        replay("127.0.0.1:1", "-dlq")
