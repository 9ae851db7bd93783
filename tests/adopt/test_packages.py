"""The Maven repository that the build makes, as spark-submit --packages uses it."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree

import pyspark
import pytest

from kafkalyst.resources import jars_for, supported_versions, version
from support.cluster import HOME, submitted
from support.patience import PROGRAM_SECONDS

if TYPE_CHECKING:
    from conftest import Servers

ARTIFACT = "kafkalyst-spark_2.13"
APP = """
import sys
from pyspark.sql import SparkSession

spark = SparkSession.builder.getOrCreate()
spark.sql("CREATE STREAM s (k INT KEY, a STRING) "
          f"WITH (KAFKA_TOPIC = '{sys.argv[1]}', VALUE_FORMAT = 'JSON', PARTITIONS = 1)")
spark.sql("INSERT INTO s VALUES (1, 'x'), (2, 'y')")
raw = spark.read.format("kafka").option("kafka.bootstrap.servers", sys.argv[2]).option("subscribe", sys.argv[1]).load()
print("result:", spark.table("s").count(), raw.count(), spark.sql("SELECT kafkalyst_version()").first()[0])
"""


@pytest.fixture(scope="module")
def repository(root: Path) -> Path:
    """`build/maven`, without the documentation, which takes minutes."""
    command = [str(root / "tools" / "gradle.sh"), "publishLocal", "-x", "javadocJar"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PROGRAM_SECONDS, check=False)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return root / "build" / "maven"


@pytest.mark.parametrize("release", supported_versions())
def test_packages_bring_sparks_connector(
    release: str, root: Path, repository: Path, servers: Servers, tmp_path: Path
) -> None:
    """They work with an empty cache and nothing else on the command line, for each installed Spark by its artifact."""
    is_default = release == pyspark.__version__
    home = HOME if is_default else _home_of(root, release)
    if home is None:
        pytest.skip(f"no environment of Spark {release} here; `make test` sets them up")
    minor = release.rsplit(".", 1)[0]
    artifact = ARTIFACT if is_default else f"kafkalyst-spark-{minor}_2.13"
    app = tmp_path / "app.py"
    app.write_text(APP, encoding="utf-8")
    conf = {
        "spark.jars.ivy": str(tmp_path / "ivy"),
        "spark.sql.extensions": "io.kafkalyst.KafkalystExtensions",
        "spark.kafkalyst.bootstrap.servers": servers.kafka,
        "spark.sql.warehouse.dir": str(tmp_path / "warehouse"),
        "spark.ui.enabled": "false",
    }
    command = [str(home / "bin" / "spark-submit"), "--master", "local[2]"]
    command += ["--packages", f"io.kafkalyst:{artifact}:{version()}", "--repositories", repository.as_uri()]
    command += [word for name, value in conf.items() for word in ("--conf", f"{name}={value}")]
    topic = f"packages_{release}_{tmp_path.parent.name}".replace("-", "_")
    python = sys.executable if is_default else str(home.parents[3] / "bin" / "python")
    arguments = [str(app), topic, servers.kafka]
    done = submitted([*command, *arguments], tmp_path, SPARK_HOME=str(home), PYSPARK_PYTHON=python)
    assert f"result: 2 2 {version()}" in done.stdout, done.stdout[-1000:] + done.stderr[-3000:]
    brought = {path.name.split("_", 1)[1] for path in (tmp_path / "ivy" / "jars").iterdir()}
    expected = {path.name for path in jars_for(release)[1:]} | {f"{ARTIFACT}-{version()}.jar"}
    assert brought == expected


def _home_of(root: Path, release: str) -> Path | None:
    """The Spark home in the environment of another Spark version."""
    return next(root.glob(f".venv-{release}/lib/python*/site-packages/pyspark"), None)


def test_what_newer_gradle_lacks_is_named_once(root: Path) -> None:
    """Gradle 8 and 9 cannot read a build that sets these names without checking for them first."""
    build, publish = ((root / name).read_text(encoding="utf-8") for name in ("build.gradle", "gradle/publish.gradle"))
    for old in (r"task\.archiveName\b", r"task\.destinationDir\b", r"task\.main\b"):
        assert len(re.findall(old, build)) == 1, old
    assert not re.findall(r"(?<!task\.)\b(?:archiveName|destinationDir|buildDir|baseName)\b", build + publish)


def test_poms(repository: Path) -> None:
    """POMs have what a public repository requires, and the connector of each Spark version is the wheel's."""
    home = repository / "io" / "kafkalyst"
    minors = {release: f"kafkalyst-spark-{release.rsplit('.', 1)[0]}_2.13" for release in supported_versions()}
    for name in (ARTIFACT, *minors.values()):
        pom = ElementTree.parse(home / name / version() / f"{name}-{version()}.pom").getroot()
        space = "{http://maven.apache.org/POM/4.0.0}"
        for needed in ("name", "description", "url", "licenses", "developers", "scm"):
            assert pom.find(f"{space}{needed}") is not None, needed
        brought = {
            f"{d.findtext(f'{space}artifactId')}-{d.findtext(f'{space}version')}.jar"
            for d in pom.iter(f"{space}dependency")
            if d.findtext(f"{space}scope") is None
        }
        release = next((r for r, minor in minors.items() if minor == name), "4.1.2")
        ours = set() if name == ARTIFACT else {f"{ARTIFACT}-{version()}.jar"}
        assert brought == {jar.name for jar in jars_for(release)[1:]} | ours


def test_files_and_bill_of_materials(repository: Path) -> None:
    """The repository has sources and checksums, and the bill of materials each jar of the wheel with its hash."""
    home = repository / "io" / "kafkalyst" / ARTIFACT / version()
    with zipfile.ZipFile(home / f"{ARTIFACT}-{version()}-sources.jar") as sources:
        assert "io/kafkalyst/KafkalystExtensions.scala" in sources.namelist()
    jar = home / f"{ARTIFACT}-{version()}.jar"
    digest = hashlib.sha256(jar.read_bytes()).hexdigest()
    assert Path(f"{jar}.sha256").read_text(encoding="utf-8").strip() == digest
    bill = json.loads((home / f"{ARTIFACT}-{version()}-cyclonedx.json").read_text(encoding="utf-8"))
    assert (bill["bomFormat"], bill["specVersion"]) == ("CycloneDX", "1.5")
    assert bill["metadata"]["component"]["version"] == version()
    hashes = {component["hashes"][0]["content"] for component in bill["components"]}
    shipped = {path for release in supported_versions() for path in jars_for(release)[1:]}
    assert hashes == {hashlib.sha256(path.read_bytes()).hexdigest() for path in shipped}
    assert {ref for d in bill["dependencies"] for ref in d["dependsOn"]} == {c["bom-ref"] for c in bill["components"]}
