"""The wheel is complete, reproducible, and works wherever it is installed."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from kafkalyst.resources import jars_for, supported_versions, version
from support.patience import PROGRAM_SECONDS

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
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder into which pip has installed the wheel, without an index."""
    target = tmp_path_factory.mktemp("installed")
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", "--no-index"]
    command = [*pip, "--target", str(target), str(wheel)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PROGRAM_SECONDS, check=False)
    assert done.returncode == 0, done.stderr
    return target


def test_wheel_is_complete(wheel: Path, root: Path) -> None:
    """It has Kafkalyst's jar as built, every version's connector, the parser, the settings, and nothing else."""
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        assert (
            archive.read("kafkalyst/jars/kafkalyst.jar") == (root / "python/kafkalyst/jars/kafkalyst.jar").read_bytes()
        )
    for release in supported_versions():
        for jar in jars_for(release):
            assert f"kafkalyst/jars/{jar.relative_to(root / 'python/kafkalyst/jars')}" in names
    for module in ("KafkalystLexer", "KafkalystParser", "__init__"):
        assert f"kafkalyst/_grammar/{module}.py" in names
    for name in (
        "spark-versions.json",
        "properties.json",
        "servers.json",
        "kafkalyst-conditions.json",
        "log4j2.properties",
        *(f"local/{p.name}" for p in (root / "conf/local").iterdir()),
    ):
        assert f"kafkalyst/conf/{name}" in names
    for name in ("VERSION", "py.typed"):
        assert f"kafkalyst/{name}" in names
    for name in ("LICENSE", "NOTICE"):
        assert f"kafkalyst-{version()}.dist-info/licenses/{name}" in names
    package = root / "python"
    sources = {str(path.relative_to(package)) for path in (package / "kafkalyst").rglob("*.py")}
    assert sources <= names
    roots = {name.split("/")[0] for name in names}
    assert roots == {"kafkalyst", f"kafkalyst-{version()}.dist-info"}


def test_two_builds_have_the_same_bytes(wheel: Path, second_wheel: Path) -> None:
    """It contains neither the build's time nor the files'."""
    assert wheel.read_bytes() == second_wheel.read_bytes()


def test_the_jar_has_no_times_and_one_order(root: Path) -> None:
    """The same classes always make the same jar."""
    with zipfile.ZipFile(root / "python/kafkalyst/jars/kafkalyst.jar") as jar:
        entries = jar.infolist()
        assert f"Implementation-Version: {version()}" in jar.read("META-INF/MANIFEST.MF").decode()
        assert jar.read("io/kafkalyst/VERSION").decode().strip() == version()
    assert {entry.date_time[0] for entry in entries} == {1980}
    folders: dict[str, list[str]] = {}
    for entry in entries:
        if not entry.is_dir():
            folder, _, name = entry.filename.rpartition("/")
            folders.setdefault(folder, []).append(name)
    # These have Scala's, Java's and other files, one kind after the other.
    mixed = {"io/kafkalyst", "io/kafkalyst/bridge", "META-INF"}
    assert {folder for folder, names in folders.items() if names != sorted(names)} <= mixed
    assert {"META-INF/LICENSE", "META-INF/NOTICE"} <= {entry.filename for entry in entries}


def test_the_page_of_what_is_shipped(root: Path) -> None:
    """The page has each jar with its version and its Spark versions."""
    page = (root / "docs" / "dependencies.md").read_text(encoding="utf-8")
    said = {jar: minors.split(", ") for jar, minors in re.findall(r"^\| `(\S+)` \| ([\d., ]+) \|", page, re.MULTILINE)}
    shipped: dict[str, list[str]] = {}
    for release in supported_versions():
        for jar in jars_for(release)[1:]:
            shipped.setdefault(jar.stem, []).append(release.rsplit(".", 1)[0])
    assert said == shipped


def test_installed_wheel_works(installed: Path, tmp_path: Path) -> None:
    """Outside a checkout it finds its own jars and settings, splits a script and starts a session."""
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
    """The wheel installs the command `kafkalyst`."""
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
    """This environment with the installed wheel first, and without the tests' addresses and folders."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("KAFKALYST_")}
    return {**kept, "PYTHONPATH": str(installed)}
