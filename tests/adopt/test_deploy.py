"""What lies ready under conf/: well-formed, and of this product's options, metrics and files."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from kafkalyst.cli import _parser

METRICS = ("failed", "restarts", "lag", "records_dead_lettered", "records_read", "batch_milliseconds", "running")


@pytest.mark.parametrize(
    ("name", "pattern"),
    [
        ("kafkalyst.service", r"^ExecStart=\S+/kafkalyst (.*)$"),
        ("Dockerfile", r'^ENTRYPOINT \["kafkalyst", (.*)\]$'),
    ],
)
def test_commands_are_taken(name: str, pattern: str, root: Path) -> None:
    """The command line reads the arguments that the files give it."""
    text = (root / "conf" / "deploy" / name).read_text(encoding="utf-8")
    (arguments,) = re.findall(pattern, text, re.MULTILINE)
    options = _parser().parse_args(re.sub(r"[\",]", " ", arguments).split())
    assert options.health and options.catalog


def test_monitoring_names_gauges_that_there_are(root: Path) -> None:
    """Each metric of the dashboard and the rules is one of the source's."""
    folder = root / "conf" / "monitoring"
    dashboard = json.loads((folder / "dashboard.json").read_text(encoding="utf-8"))
    asked = [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]
    asked += re.findall(r"expr: '(.*)'", (folder / "alerts.yaml").read_text(encoding="utf-8"))
    assert len(asked) >= 8
    for expression in asked:
        metrics = set(re.findall(r"\+\)?_(\w+)_Value", expression))
        assert len(metrics) == 1 and metrics <= set(METRICS), expression


def test_the_images_copy_what_is_built(root: Path) -> None:
    """Each COPY is of a file that `make wheel` or the checkout has."""
    text = (root / "conf" / "deploy" / "Dockerfile").read_text(encoding="utf-8")
    assert re.findall(r"^COPY (\S+)", text, re.MULTILINE) == ["dist/kafkalyst-*-py3-none-any.whl"]
    used = {line.split()[0] for line in text.splitlines() if line and not line.startswith((" ", "#", "&"))}
    assert used <= {"FROM", "RUN", "COPY", "ENV", "USER", "WORKDIR", "VOLUME", "EXPOSE", "ENTRYPOINT"}
