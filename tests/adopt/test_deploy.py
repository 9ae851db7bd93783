"""What lies ready under conf/: well-formed, and of this product's options, metrics and files."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from kafkalyst.cli import _parser

METRICS = ("failed", "restarts", "lag", "records_dead_lettered", "records_read", "batch_milliseconds", "running")

# What the operator's definition of a SparkApplication, spark.apache.org/v1, has of the fields in use, and their types.
OPERATOR = {
    "deploymentMode": str,
    "pyFiles": str,
    "sparkConf": {str: str},
    "runtimeVersions": {"sparkVersion": str, "scalaVersion": str, "jdkVersion": str},
    "applicationTolerations": {
        "resourceRetainPolicy": str,
        "instanceConfig": {"initExecutors": int, "minExecutors": int, "maxExecutors": int},
        "restartConfig": {"restartPolicy": str, "maxRestartAttempts": int, "restartBackoffMillis": int},
    },
}


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


def test_the_operators_manifest(root: Path) -> None:
    """Fields that the operator has, and settings that we have."""
    manifest = yaml.safe_load((root / "conf" / "deploy" / "operator.yaml").read_text(encoding="utf-8"))
    assert (manifest["apiVersion"], manifest["kind"]) == ("spark.apache.org/v1", "SparkApplication")
    assert _misfits(manifest["spec"], OPERATOR) == []
    known = (root / "docs" / "reference" / "settings.md").read_text(encoding="utf-8")
    ours = [name for name in manifest["spec"]["sparkConf"] if name.startswith("spark.kafkalyst.")]
    assert len(ours) >= 4 and [name for name in ours if f"`{name}`" not in known] == []


def _misfits(found: object, fields: Any, at: str = "spec") -> list[str]:
    """Where a manifest has what the fields have not: {name: type}, {str: type} for any name, or a type."""
    if not isinstance(fields, dict):
        return [] if isinstance(found, fields) else [f"{at} is {found!r}"]
    if not isinstance(found, dict):
        return [f"{at} is {found!r}"]
    return [
        misfit
        for name, value in found.items()
        for misfit in (
            _misfits(value, fields.get(name, fields.get(str)), f"{at}.{name}")
            if name in fields or str in fields
            else [f"{at}.{name}"]
        )
    ]
