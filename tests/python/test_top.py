"""How `kafkalyst top` shows status files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kafkalyst import cli, top

NOW = 1_700_000_000.0


def status(state: str, seconds_ago: float) -> dict[str, object]:
    """The content of a status file."""
    counts = dict.fromkeys(("read", "decoded", "bad", "dead_lettered", "written", "restarts"), 0)
    return {"id": "Q", "state": state, "updated": (NOW - seconds_ago) * 1000, "lag_by_partition": {}, **counts}


@pytest.mark.parametrize(
    ("state", "ago", "expected"),
    [
        ("RUNNING", 59, "RUNNING"),
        ("RUNNING", 90, "RUNNING, not seen for 90 s"),
        ("RESTARTING", 4000, "RESTARTING, not seen for 66 min"),
        ("RUNNING", 9 * 86400, "RUNNING, not seen for 9 d"),
        ("PAUSED", 8000, "PAUSED"),
        ("FAILED", 8000, "FAILED"),
    ],
)
def test_old_news_of_a_running_query(state: str, ago: float, expected: str) -> None:
    """A running query with an old file is marked: its application may be gone."""
    assert top.lines([status(state, ago)], NOW)[2].split(" | ")[1].strip() == expected


def test_no_escape_codes_but_on_a_terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A pipe or file gets one table after the other, without escape codes."""
    (tmp_path / "Q").mkdir()
    (tmp_path / "Q" / "status.json").write_text(json.dumps(status("RUNNING", 0)))

    def enough(_: float) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(top.time, "sleep", enough)
    for terminal in (False, True):
        monkeypatch.setattr(top.sys.stdout, "isatty", lambda terminal=terminal: terminal)
        shown: list[str] = []
        with pytest.raises(KeyboardInterrupt):
            top.top(tmp_path, out=shown.append)
        assert shown[0].startswith("\x1b" if terminal else "query")


def test_no_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The error names the option for the folder."""
    assert cli.main(["top", "--checkpoints", str(tmp_path / "none"), "--once"]) == 1
    assert "set --checkpoints to the value of spark.kafkalyst.query.checkpoint.root, or to" in capsys.readouterr().err
