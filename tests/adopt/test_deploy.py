"""The files under conf/ are well-formed, and use existing options, metrics and files."""

from __future__ import annotations

import json
import os
import re
import subprocess
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyspark
import pytest
import yaml

from kafkalyst.arguments import parser
from kafkalyst.resources import PACKAGE, jars_for, supported_versions
from support.cluster import HOME, addresses, submitted
from support.patience import PROGRAM_SECONDS

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from conftest import Servers

# The fields of the operator's SparkApplication, spark.apache.org/v1: a type, the allowed names, or more fields.
# Left out are pod templates, ingresses and config maps.
OPERATOR: dict[str, Any] = {
    **dict.fromkeys(("mainClass", "jars", "pyFiles", "sparkRFiles", "files", "proxyUser"), str),
    "deploymentMode": {"ClusterMode", "ClientMode"},
    "sparkConf": {str: str},
    "runtimeVersions": {"sparkVersion": str, "scalaVersion": str, "jdkVersion": str},
    "applicationTolerations": {
        "resourceRetainPolicy": {"Always", "OnFailure", "Never"},
        **dict.fromkeys(("resourceRetainDurationMillis", "ttlAfterStopMillis"), int),
        "instanceConfig": dict.fromkeys(("initExecutors", "minExecutors", "maxExecutors"), int),
        "restartConfig": {
            "restartPolicy": {"Always", "Never", "OnFailure", "OnInfrastructureFailure"},
            **dict.fromkeys(("maxRestartAttempts", "restartBackoffMillis", "restartCounterResetMillis"), int),
        },
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
    """The command line accepts the arguments in the files."""
    text = (root / "conf" / "deploy" / name).read_text(encoding="utf-8").replace("\\\n", "")
    (arguments,) = re.findall(pattern, text, re.MULTILINE)
    options = parser().parse_args(re.sub(r"[\",]", " ", arguments).split())
    assert options.health and options.catalog


def test_monitoring_names_gauges_that_there_are(root: Path) -> None:
    """The dashboard and the rules use existing metrics, and the page lists all metrics."""
    folder = root / "conf" / "monitoring"
    source = (root / "jvm/src/main/scala/io/kafkalyst/query/report/QueryMetrics.scala").read_text(encoding="utf-8")
    gauges = {".".join(re.findall(r'"(\w+)"', name)) for name in re.findall(r'gauge\(((?:"\w+"(?:, )?)+)\)\(', source)}
    assert len(gauges) == 12
    page = (root / "docs" / "operate.md").read_text(encoding="utf-8")
    rows = [re.findall(r"`([\w.]+)`", line) for line in page.splitlines() if line.startswith("| `")]
    told = {name if name[0] != "." else row[0].partition(".")[0] + name for row in rows for name in row}
    assert gauges <= told
    dashboard = json.loads((folder / "dashboard.json").read_text(encoding="utf-8"))
    asked = [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]
    asked += re.findall(r"expr: '(.*)'", (folder / "alerts.yaml").read_text(encoding="utf-8"))
    assert len(asked) >= 8
    for expression in asked:
        metrics = set(re.findall(r"\+\)?_(\w+)_Value", expression))
        assert len(metrics) == 1 and metrics <= {gauge.replace(".", "_") for gauge in gauges}, expression


def test_the_images_copy_what_is_built(root: Path) -> None:
    """Each COPY names a file of `make wheel` or of the checkout."""
    text = (root / "conf" / "deploy" / "Dockerfile").read_text(encoding="utf-8")
    assert re.findall(r"^COPY (\S+)", text, re.MULTILINE) == ["dist/kafkalyst-*-py3-none-any.whl"]
    ignored = (root / ".dockerignore").read_text(encoding="utf-8").splitlines()[1:]
    assert ignored == ["*", "!dist/*.whl"]
    used = {line.split()[0] for line in text.splitlines() if line and not line.startswith((" ", "#", "&"))}
    assert used <= {"FROM", "RUN", "COPY", "ENV", "USER", "WORKDIR", "VOLUME", "EXPOSE", "ENTRYPOINT"}


def test_the_kubernetes_manifest(root: Path, spark: SparkSession) -> None:
    """Each field exists in the classes of Spark's own Kubernetes client, with a value of its type."""
    models = "io.fabric8.kubernetes.api.model"
    packages = {"v1": models, "apps/v1": f"{models}.apps"}
    text = (root / "conf" / "deploy" / "kubernetes.yaml").read_text(encoding="utf-8")
    for part in yaml.safe_load_all(text):
        kind = f"{packages[part['apiVersion']]}.{part['kind']}"
        assert _unfit(spark, part, kind, part["kind"]) == []
        for wrong in ({"spce": 1}, {"metadata": {"name": 1}}, {"metadata": {"labels": []}}):
            assert len(_unfit(spark, {**part, **wrong}, kind, part["kind"])) == 1, wrong


PLAIN = {"java.lang.String": str, "java.lang.Integer": int, "java.lang.Long": int, "java.lang.Boolean": bool}


def _unfit(spark: SparkSession, found: object, kind: str, at: str) -> list[str]:
    """The places of a manifest that a Java type, given by its name, does not have."""
    outer, _, inner = kind.removesuffix(">").partition("<")
    wrong = [f"{at} is {found!r}"]
    if outer == "java.util.List":
        parts = found if isinstance(found, list) else []
        misfits = [misfit for n, part in enumerate(parts) for misfit in _unfit(spark, part, inner, f"{at}[{n}]")]
        return misfits if isinstance(found, list) else wrong
    if outer.endswith((".Quantity", ".IntOrString")):
        return [] if isinstance(found, str | int) else wrong
    if outer in PLAIN:
        return [] if type(found) is PLAIN[outer] else wrong
    if not isinstance(found, dict):
        return wrong
    if outer == "java.util.Map":
        of = inner.split(", ", 1)[1]
        return [misfit for key, value in found.items() for misfit in _unfit(spark, value, of, f"{at}.{key}")]
    classes: Any = spark._jvm.java.lang.Class
    fields = {
        str(field.getName()): str(field.getGenericType()).removeprefix("class ")
        for field in classes.forName(outer).getDeclaredFields()
    }
    return [
        misfit
        for key, value in found.items()
        for misfit in (_unfit(spark, value, fields[key], f"{at}.{key}") if key in fields else [f"{at}.{key}"])
    ]


def test_the_deployment_is_scraped_where_the_image_exports(root: Path) -> None:
    """The annotations' port and path are those of the image's command, whose ports are open."""
    folder = root / "conf" / "deploy"
    pod = list(yaml.safe_load_all((folder / "kubernetes.yaml").read_text(encoding="utf-8")))[-1]["spec"]["template"]
    scraped = {name.removeprefix("prometheus.io/"): value for name, value in pod["metadata"]["annotations"].items()}
    image = (folder / "Dockerfile").read_text(encoding="utf-8")
    assert f"prometheusServlet.path={scraped['path']}" in image and "spark.ui.port" not in image
    assert scraped == {"scrape": "true", "port": "4040", "path": "/metrics/prometheus"}
    ports = {str(port["containerPort"]) for port in pod["spec"]["containers"][0]["ports"]}
    assert ports == set(re.findall(r"^EXPOSE (.*)$", image, re.MULTILINE)[0].split())


CHECK = """
from pyspark.sql import SparkSession

spark = SparkSession.builder.getOrCreate()
print("topics:", spark.sql("SHOW TOPICS").count() >= 0, spark.sql("SELECT kafkalyst_version()").first()[0])
"""
# The vendors' commands, by name. Buckets are folders of the test.
STUBS = {
    "sudo": 'exec "$@"',
    "aws": '[[ "$1 $2" == "s3 cp" ]]; shift 2; [[ $1 != --recursive ]] || { shift; set -- "$1." "$2"; }; '
    'cp -r "$BUCKET${1#s3://*/}" "$2"',
    "gsutil": '[[ $1 == cp ]]; shift; for f in "${@:1:$#-1}"; do cp $BUCKET${f#gs://*/} "${@: -1}"; done',
    "get_metadata_value": 'case $1 in */kafkalyst-jars) echo gs://b/jars;; */kafkalyst-spark) echo "$SPARK";; esac',
}


@pytest.mark.parametrize(
    ("script", "place", "setting"),
    [
        ("emr.sh", "/opt/kafkalyst/jars", "spark.jars"),
        ("dataproc.sh", "/usr/lib/spark/jars", "spark.driver.extraClassPath"),
        ("databricks.sh", "/databricks/kafkalyst", "spark.driver.extraClassPath"),
    ],
)
def test_scripts_of_clouds(script: str, place: str, setting: str, root: Path, servers: Servers, tmp_path: Path) -> None:
    """Each script puts the wheel's jars of one Spark version where a session finds them all."""
    there, commands = tmp_path / "there", tmp_path / "bin"
    there.mkdir()
    commands.mkdir()
    for name, body in STUBS.items():
        (commands / name).write_text(f"#!/bin/bash\nset -e\n{body}\n", encoding="utf-8")
        (commands / name).chmod(0o755)
    text = (root / "conf" / "deploy" / script).read_text(encoding="utf-8")
    assert text.startswith("#!/bin/bash\n") and place in text
    moved = tmp_path / script
    moved.write_text(text.replace(place, str(there)), encoding="utf-8")
    environment = {
        **os.environ,
        "PATH": f"{commands}:{os.environ['PATH']}",
        "BUCKET": f"{PACKAGE}/",
        "SPARK": pyspark.__version__,
        "KAFKALYST_JARS": str(PACKAGE / "jars"),
        "KAFKALYST_SPARK": pyspark.__version__,
    }
    words = ["s3://b/jars", pyspark.__version__] if script == "emr.sh" else []
    subprocess.run(["bash", str(moved), *words], env=environment, check=True, timeout=PROGRAM_SECONDS)
    assert {path.name for path in there.iterdir()} == {path.name for path in jars_for(pyspark.__version__)}
    (tmp_path / "app.py").write_text(CHECK, encoding="utf-8")
    conf = {
        "spark.sql.extensions": "io.kafkalyst.KafkalystExtensions",
        **settings_of(root, script),
        setting: f"{there}/*.jar" if setting == "spark.jars" else f"{there}/*",
        "spark.ui.enabled": "false",
        **addresses(servers),
    }
    lines = "".join(f"{name} {value}\n" for name, value in conf.items())
    (tmp_path / "my.conf").write_text(lines, encoding="utf-8")
    command = [
        str(HOME / "bin" / "spark-submit"),
        "--master",
        "local[1]",
        "--properties-file",
        str(tmp_path / "my.conf"),
    ]
    done = submitted([*command, str(tmp_path / "app.py")], tmp_path)
    assert "topics: True" in done.stdout, done.stdout[-500:] + done.stderr[-3000:]


def test_commands_on_the_page_are_whole(root: Path) -> None:
    """A shell takes each block of commands and each script; the files that they name are there; YAML and JSON parse."""
    page = (root / "docs" / "clusters.md").read_text(encoding="utf-8")
    fenced = re.findall(r"^ *```(\w*)\n(.*?)^ *```$", page, re.DOTALL | re.MULTILINE)
    blocks = [textwrap.dedent(block) for language, block in fenced if not language]
    assert len(blocks) >= 7
    scripts = {path.name: path.read_text(encoding="utf-8") for path in (root / "conf" / "deploy").glob("*.sh")}
    assert scripts.keys() == {"databricks.sh", "dataproc.sh", "emr.sh"}
    for text in [*blocks, *scripts.values()]:
        checked = subprocess.run(["bash", "-n"], input=text, capture_output=True, text=True, check=False)
        assert (checked.returncode, checked.stderr) == (0, ""), text
    assert subprocess.run(["bash", "-n"], input="for x in", capture_output=True, text=True, check=False).returncode
    for name in set(re.findall(r"\bconf/[\w./-]+", page)):
        assert (root / name).exists(), name
    for block in blocks:
        for given in re.findall(r"kafkalyst (\w+) ([^\n#|>]*)", block.replace("\\\n", "")):
            if given[0] in ("run", "check"):
                assert parser().parse_args([given[0], *given[1].split()]).command
    assert json.loads((root / "conf" / "deploy" / "emr.json").read_text(encoding="utf-8"))


def settings_of(root: Path, script: str) -> dict[str, str]:
    """The settings in the file that belongs to a script."""
    if script != "emr.sh":
        return {}
    (given,) = json.loads((root / "conf" / "deploy" / "emr.json").read_text(encoding="utf-8"))
    assert (
        given["Classification"] == "spark-defaults" and given["Properties"]["spark.jars"] == "/opt/kafkalyst/jars/*.jar"
    )
    return {name: value for name, value in given["Properties"].items() if "checkpoint" not in name}


def test_the_operators_manifest(root: Path) -> None:
    """The fields are the operator's, and the settings exist."""
    manifest = yaml.safe_load((root / "conf" / "deploy" / "operator.yaml").read_text(encoding="utf-8"))
    assert (manifest["apiVersion"], manifest["kind"]) == ("spark.apache.org/v1", "SparkApplication")
    assert _misfits(manifest["spec"], OPERATOR) == []
    for wrong in ({"pyFile": "a.py"}, {"deploymentMode": "cluster"}, {"runtimeVersions": {"sparkVersion": 4.1}}):
        assert len(_misfits({**manifest["spec"], **wrong}, OPERATOR)) == 1, wrong
    assert manifest["spec"]["runtimeVersions"]["sparkVersion"] in supported_versions()
    known = (root / "docs" / "reference" / "settings.md").read_text(encoding="utf-8")
    ours = [name for name in manifest["spec"]["sparkConf"] if name.startswith("spark.kafkalyst.")]
    assert len(ours) >= 4 and [name for name in ours if f"`{name}`" not in known] == []


def _misfits(found: object, fields: Any, at: str = "spec") -> list[str]:
    """The places of a manifest that do not fit the fields: {name: type}, {str: type} for any name, or a type or set."""
    if isinstance(fields, set):
        return [] if found in fields else [f"{at} is {found!r}"]
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
