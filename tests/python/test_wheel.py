"""The wheel: built by `make wheel` in a copy of the checkout, complete, and working from wherever it is installed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from kafkalyst.resources import jars_for, supported_versions, version
from support.patience import PROGRAM_SECONDS

PARTS = ("Makefile", "LICENSE", "conf", "grammar", "requirements", "tools", "python")
# Made by the set-up that `make test` does first; a copy need not make them again.
MADE = (
    "python/kafkalyst/jars/kafkalyst.jar",
    "python/kafkalyst/_grammar/KafkalystParser.py",
    "build/stamps/connectors",
)
USE = """
import sys, kafkalyst
from pathlib import Path
from kafkalyst import resources, script

installed = Path(sys.argv[1])
assert Path(kafkalyst.__file__).is_relative_to(installed), kafkalyst.__file__
assert resources.conf_dir().is_relative_to(installed), resources.conf_dir()
for release in resources.supported_versions():
    for jar in resources.jars_for(release):
        assert jar.is_relative_to(installed) and jar.is_file(), jar
assert [s.text for s in script.split("SHOW STREAMS; SELECT ';' AS x;")] == ["SHOW STREAMS", "SELECT ';' AS x"]
spark = kafkalyst.session(**{"spark.master": "local[1]", "spark.ui.enabled": False})
assert all(str(installed) in jar for jar in spark.conf.get("spark.jars").split(","))
assert spark.sql("SHOW STREAMS").count() == 0
print("from the wheel: fine", kafkalyst.__version__)
"""


@pytest.fixture(scope="module")
def wheel(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built aside so that the checkout, which others may be using, stays as it is."""
    copy = tmp_path_factory.mktemp("checkout")
    rubbish = shutil.ignore_patterns("__pycache__", "*.egg-info", "build")
    for part in PARTS:
        source = root / part
        if source.is_dir():
            shutil.copytree(source, copy / part, ignore=rubbish)
        else:
            shutil.copy2(source, copy / part)
    # An earlier build's conf must not be what is packed, nor stay behind.
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


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder into which pip put the wheel, with no index to ask."""
    target = tmp_path_factory.mktemp("installed")
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", "--no-index"]
    command = [*pip, "--target", str(target), str(wheel)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PROGRAM_SECONDS, check=False)
    assert done.returncode == 0, done.stderr
    return target


def test_wheel_is_complete(wheel: Path, root: Path) -> None:
    """Our jar as it was built, every version's connector, the parser, the settings, and nothing else."""
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        assert archive.read("kafkalyst/jars/kafkalyst.jar") == (root / MADE[0]).read_bytes()
    for release in supported_versions():
        for jar in jars_for(release):
            assert f"kafkalyst/jars/{jar.relative_to(root / 'python/kafkalyst/jars')}" in names
    for module in ("KafkalystLexer", "KafkalystParser", "__init__"):
        assert f"kafkalyst/_grammar/{module}.py" in names
    for name in (
        "spark-versions.json",
        "log4j2.properties",
        *(f"local/{p.name}" for p in (root / "conf/local").iterdir()),
    ):
        assert f"kafkalyst/conf/{name}" in names
    for name in ("VERSION", "py.typed"):
        assert f"kafkalyst/{name}" in names
    sources = {f"kafkalyst/{path.name}" for path in (root / "python/kafkalyst").glob("*.py")}
    assert sources <= names
    roots = {name.split("/")[0] for name in names}
    assert roots == {"kafkalyst", f"kafkalyst-{version()}.dist-info"}


def test_installed_wheel_works(installed: Path, tmp_path: Path) -> None:
    """Away from any checkout it finds its own jars and settings, splits a script and starts a session."""
    done = subprocess.run(
        [sys.executable, "-c", USE, str(installed)],
        cwd=tmp_path,
        env=alone(installed),
        capture_output=True,
        text=True,
        timeout=PROGRAM_SECONDS,
        check=False,
    )
    assert f"from the wheel: fine {version()}" in done.stdout, done.stdout[-500:] + done.stderr[-3000:]


def test_installed_command(installed: Path, tmp_path: Path) -> None:
    """The command `kafkalyst` comes with it."""
    done = subprocess.run(
        [sys.executable, str(installed / "bin/kafkalyst"), "--help"],
        cwd=tmp_path,
        env=alone(installed),
        capture_output=True,
        text=True,
        timeout=PROGRAM_SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "local" in done.stdout


def alone(installed: Path) -> dict[str, str]:
    """This environment with the installed wheel first, and no address or folder of ours."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("KAFKALYST_")}
    return {**kept, "PYTHONPATH": str(installed)}
