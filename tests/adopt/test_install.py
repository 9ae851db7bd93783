"""The core alone, as pip installs it into an empty environment, and then sessions, on each Python of the machine."""

from __future__ import annotations

import importlib
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from kafkalyst.extras import MODULES
from kafkalyst.resources import version
from support.patience import PROGRAM_SECONDS

if TYPE_CHECKING:
    from conftest import Servers

PYTHONS = ("3.10", "3.11", "3.12", "3.13")
BARE = """
import sys, kafkalyst, kafkalyst.serdes
from kafkalyst import extras, local, plot_lag, replay, resources, shell

loaded = {root for roots in extras.MODULES.values() for root in roots} & set(sys.modules)
assert not loaded, loaded
assert len(resources.jars_for("4.1.2")) > 1

def fails(extra, call, *arguments):
    try:
        call(*arguments)
    except kafkalyst.MissingExtraError as error:
        assert f"pip install 'kafkalyst[{extra}]'" in str(error), error
    else:
        raise AssertionError(extra)

fails("spark", kafkalyst.session)
fails("cli", kafkalyst.split, "SHOW STREAMS;")
fails("cli", shell.keywords)
fails("serdes", replay.replay, "localhost:9092", "orders-dlq")
fails("serdes", kafkalyst.serdes.AvroSerializer("http://localhost:1", '"int"', subject="x").encode, 1, None)
assert issubclass(kafkalyst.errors.SubjectNotFound, kafkalyst.KafkalystError)
assert "value_format" in kafkalyst.create_stream("s", value_format="JSON", run=False).lower()
print("bare:", kafkalyst.__version__)
"""
SCRIPT = """
CREATE STREAM s (id INT KEY, a STRING) WITH (KAFKA_TOPIC = '{topic}', VALUE_FORMAT = 'AVRO', PARTITIONS = 1);
INSERT INTO s VALUES (1, 'the first row');
SELECT a FROM s;
"""


def found(release: str) -> str | None:
    """The path of such a Python, also from pyenv, whose commands on the PATH may only say what to install."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    paths = [shutil.which(f"python{release}"), *sorted(pyenv.glob(f"versions/{release}.*/bin/python{release}"))]
    for path in paths:
        if path and subprocess.run([path, "--version"], capture_output=True, check=False).returncode == 0:
            return str(path)
    return None


@pytest.mark.parametrize("release", PYTHONS)
def test_the_core_needs_nothing(release: str, wheel: Path, servers: Servers, tmp_path: Path) -> None:
    """It imports without any other package, and names the extra that a feature lacks.

    With PySpark and ANTLR's runtime it runs a script.
    """
    python = found(release)
    if python is None:
        pytest.skip(f"no Python {release} on this machine")
    bare = tmp_path / "bare"
    subprocess.run([python, "-m", "venv", "--without-pip", bare], check=True, timeout=PROGRAM_SECONDS)
    inside = bare / "bin" / "python"
    pip = [sys.executable, "-m", "pip", "--python", str(inside), "--disable-pip-version-check", "install", "--quiet"]
    subprocess.run([*pip, "--no-index", str(wheel)], check=True, timeout=PROGRAM_SECONDS)
    done = call(inside, "-I", "-c", BARE, cwd=tmp_path)
    assert done.stdout.strip() == f"bare: {version()}", done.stderr[-3000:]
    assert call(bare / "bin" / "kafkalyst", "--version", cwd=tmp_path).stdout.strip() == f"kafkalyst {version()}"
    (tmp_path / "a.sql").write_text("SELECT 1")
    done = call(bare / "bin" / "kafkalyst", "run", "a.sql", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (1, "error: A session needs pyspark: pip install 'kafkalyst[spark]'\n")
    done = call(bare / "bin" / "kafkalyst", "local", "up", cwd=tmp_path)
    assert done.returncode == 1 and "kafkalyst local fetch" in done.stderr and "KAFKALYST_SERVERS" in done.stderr
    # These packages are pure Python, so each version can use those of this environment.
    for name in ("pyspark", "py4j", "antlr4"):
        package = Path(str(importlib.import_module(name).__file__)).parent
        (bare / "lib" / f"python{release}" / "site-packages" / name).symlink_to(package)
    topic = f"python_{release}_{tmp_path.parent.name}"
    (tmp_path / "a.sql").write_text(SCRIPT.format(topic=topic), encoding="utf-8")
    addresses = ["--kafka", servers.kafka, "--registry", servers.registry]
    done = call(bare / "bin" / "kafkalyst", "run", "a.sql", *addresses, cwd=tmp_path)
    assert done.returncode == 0 and "the first row\n(1 row" in done.stdout, done


def test_extras_are_those_that_messages_name(root: Path) -> None:
    """The extras in messages exist, so their install commands work."""
    text = (root / "python" / "pyproject.toml").read_text(encoding="utf-8")
    extras = text.split("[project.optional-dependencies]\n")[1].split("\n[")[0]
    assert all(f"\n{extra} = [" in f"\n{extras}" for extra in MODULES)
    assert "\ndependencies = []\n" in text


def call(*command: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Runs a program that finds packages in its own environment only; returns its result."""
    environment = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "SPARK_HOME")}
    return subprocess.run(
        [str(word) for word in command],
        cwd=cwd,
        env=environment,
        capture_output=True,
        text=True,
        timeout=PROGRAM_SECONDS,
        check=False,
    )
