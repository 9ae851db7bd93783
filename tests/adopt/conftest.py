"""The wheel, built once for the tests here by `make wheel` in a copy of the checkout."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from kafkalyst.resources import supported_versions
from support.patience import PROGRAM_SECONDS

CONDITIONS = "jvm/src/main/resources/error/kafkalyst-conditions.json"
PARTS = ("Makefile", "LICENSE", "NOTICE", "conf", "grammar", "requirements", "tools", "python", CONDITIONS)
# Made by the set-up of `make test`; a copy need not make them again.
MADE = (
    "python/kafkalyst/jars/kafkalyst.jar",
    "python/kafkalyst/_grammar/KafkalystParser.py",
    "build/stamps/connectors",
)


@pytest.fixture(scope="session")
def wheel(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built in a copy, because others may be using the checkout."""
    return build_wheel(root, tmp_path_factory.mktemp("checkout"))


@pytest.fixture(scope="session")
def second_wheel(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Another wheel, from another copy."""
    return build_wheel(root, tmp_path_factory.mktemp("second"))


def build_wheel(root: Path, copy: Path) -> Path:
    """Copies the checkout, whose files get new times, and runs `make wheel` there."""
    rubbish = shutil.ignore_patterns("__pycache__", "*.egg-info", "build")
    for part in PARTS:
        source = root / part
        if source.is_dir():
            shutil.copytree(source, copy / part, ignore=rubbish, copy_function=shutil.copyfile)
        else:
            (copy / part).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, copy / part)
    for script in (copy / "tools").glob("*.sh"):
        script.chmod(0o755)
    # The conf of an earlier build must neither be packed nor stay.
    shutil.rmtree(copy / "python/kafkalyst/conf", ignore_errors=True)
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
    command = ["make", "wheel", f"BIN={Path(sys.executable).parent}"]
    command += [f"--old-file={path}" for path in (*MADE, *(f"{venv}/ready" for venv in venvs()))]
    done = subprocess.run(
        command, cwd=copy, env=environment, capture_output=True, text=True, timeout=PROGRAM_SECONDS, check=False
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    assert not (copy / "python/kafkalyst/conf").exists()
    (built,) = (copy / "dist").glob("*.whl")
    return built


def venvs() -> list[str]:
    """The virtual environments' folders that the Makefile knows."""
    return [".venv", *(f".venv-{release}" for release in supported_versions())]
