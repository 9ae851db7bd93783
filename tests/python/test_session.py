"""Tests of configure() and session()."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from kafkalyst import configure, resources
from kafkalyst.session import (
    BROKERS,
    EXTENSION,
    EXTENSIONS,
    JARS,
    REGISTRY,
    local_cores,
    preset,
    submit_with_properties,
)
from support.patience import PROGRAM_SECONDS


@pytest.fixture(autouse=True)
def no_settings_from_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    """No settings but the builder's."""
    for name in ("SPARK_CONF_DIR", "SPARK_HOME", "SPARK_REMOTE", "PYSPARK_SUBMIT_ARGS", "PYSPARK_GATEWAY_PORT"):
        monkeypatch.delenv(name, raising=False)


def test_adds_to_an_empty_builder() -> None:
    """It sets extension, jars and addresses, but not Spark's setting for double quotes."""
    options = configure(SparkSession.Builder(), kafka="a:1", registry="http://r")._options
    assert options[EXTENSIONS] == EXTENSION
    assert "kafkalyst.jar" in {Path(jar).name for jar in options[JARS].split(",")}
    assert options[BROKERS] == "a:1"
    assert options["spark.sql.catalog.kafka"] == "io.kafkalyst.KafkaCatalog"
    assert not [name for name in options if name.startswith("spark.sql.ansi")]


def test_appends_and_never_overwrites() -> None:
    """Existing values stay, in front; a second call changes nothing."""
    builder = SparkSession.Builder().config(EXTENSIONS, "io.delta.X").config(JARS, "/a/b.jar")
    options = dict(configure(builder)._options)
    assert options[EXTENSIONS] == f"io.delta.X,{EXTENSION}"
    assert options[JARS].startswith("/a/b.jar,")
    assert configure(builder)._options == options


def test_the_users_catalog_stays() -> None:
    """A catalog of that name stays; the user can choose another name, or none."""
    builder = SparkSession.Builder().config("spark.sql.catalog.kafka", "a.B")
    assert configure(builder)._options["spark.sql.catalog.kafka"] == "a.B"
    assert "spark.sql.catalog.topics" in configure(SparkSession.Builder(), catalog="topics")._options
    none = configure(SparkSession.Builder(), catalog=None)._options
    assert not [name for name in none if name.startswith("spark.sql.catalog.")]


def test_another_address_is_an_error() -> None:
    """Two different addresses are an error."""
    builder = SparkSession.Builder().config(BROKERS, "a:1")
    configure(builder, kafka="a:1")
    with pytest.raises(ValueError, match=r"already has .*a:1"):
        configure(builder, kafka="b:2")


def test_an_error_shows_no_login() -> None:
    """The error shows the login of neither address."""
    builder = SparkSession.Builder().config(REGISTRY, "http://u:hidden@a")
    with pytest.raises(ValueError, match=r"=http://\*+@a; not replaced by http://\*+@b") as raised:
        configure(builder, registry="http://u:hidden@b")
    assert "hidden" not in str(raised.value)


def test_a_properties_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Spark reads it instead of spark-defaults.conf; values may have any characters."""
    (tmp_path / "spark-defaults.conf").write_text("a never\n")
    monkeypatch.setenv("SPARK_CONF_DIR", str(tmp_path))
    monkeypatch.setenv("PYSPARK_SUBMIT_ARGS", "pyspark-shell")
    file = tmp_path / "my file"
    file.write_text("# c\n! d\n\nb  x.Login required user='K' password=\"a:b=\";\nc=1\nd : 2\ne\n")
    submit_with_properties(str(file))
    found = {name: preset(name) for name in "abcdef"}
    login = "x.Login required user='K' password=\"a:b=\";"
    assert found == {"a": None, "b": login, "c": "1", "d": "2", "e": "", "f": None}
    with pytest.raises(FileNotFoundError, match="No properties file none"):
        submit_with_properties("none")


def test_appends_to_spark_defaults(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It appends to the file's setting, which the builder's would hide."""
    (tmp_path / "spark-defaults.conf").write_text("# c\nspark.sql.extensions  a.B\nspark.jars=/x.jar\n")
    monkeypatch.setenv("SPARK_CONF_DIR", str(tmp_path))
    options = configure(SparkSession.Builder())._options
    assert options[EXTENSIONS] == f"a.B,{EXTENSION}"
    assert options[JARS].startswith("/x.jar,")


def test_appends_to_submit_arguments(monkeypatch: pytest.MonkeyPatch) -> None:
    """It does the same for PYSPARK_SUBMIT_ARGS."""
    monkeypatch.setenv("PYSPARK_SUBMIT_ARGS", "--conf spark.sql.extensions=a.B --jars /x.jar pyspark-shell")
    options = configure(SparkSession.Builder())._options
    assert options[EXTENSIONS] == f"a.B,{EXTENSION}"
    assert options[JARS].startswith("/x.jar,")


def test_a_remote_session_gets_only_runtime_settings() -> None:
    """A remote session gets neither extension nor jars, which the server has."""
    options = configure(SparkSession.Builder().remote("sc://host"), kafka="a:1")._options
    assert EXTENSIONS not in options
    assert JARS not in options
    assert "spark.sql.catalog.kafka" not in options
    assert options[BROKERS] == "a:1"


def test_takes_a_builder_only() -> None:
    """configure() refuses a session."""
    with pytest.raises(TypeError, match="SparkSession builder, not str"):
        configure("local")  # type: ignore[arg-type]


STARTS = """
import os, sys
import kafkalyst
from kafkalyst.session import CONFIGURED
from pyspark.sql import SparkSession

def failure(call):
    try: call()
    except Exception as error: return f"{type(error).__name__}: {error}"

if sys.argv[1] == "without":
    plain = SparkSession.builder.master("local[3]").config("spark.ui.enabled", "false").getOrCreate()
    first = failure(lambda: kafkalyst.session("a:1"))
    assert first.startswith("RuntimeError: Spark was started in this Python process without Kafkalyst"), first
    assert plain.range(2).count() == 2 and plain.conf.get("spark.kafkalyst.bootstrap.servers", None) is None
    plain.stop()
    again = failure(lambda: kafkalyst.session("a:1"))
    assert again == first, again
    assert SparkSession.getActiveSession() is None
elif sys.argv[1] == "alone":
    from kafkalyst.check import _configured
    spark = kafkalyst.session("a:1", **{"spark.ui.enabled": False, "spark.redaction.regex": "mine"})
    found = dict(part.split(": ", 1) for part in _configured(spark)[2].split("; "))
    assert found == {name: why for name, why in CONFIGURED.items() if name != "spark.redaction.regex"}, found
    assert spark.conf.get("spark.sql.streaming.stateStore.providerClass").endswith("HDFSBackedStateStoreProvider")
    bare = SparkSession.builder.config("spark.master", "local[*]").getOrCreate()
    assert bare.conf.get("spark.redaction.regex") == "mine"
else:
    conf = {"spark.master": "local[3]", "spark.ui.enabled": False}
    for _ in range(2):
        spark = kafkalyst.session("a:1", **conf)
        assert spark.conf.get("spark.sql.shuffle.partitions") == "3"
        assert kafkalyst.session() is not None and kafkalyst.session("a:1", conf=conf) is not None
        assert kafkalyst.session(conf={"spark.mine": True}).conf.get("spark.mine") == "true"
        other = failure(lambda: kafkalyst.session("other:1"))
        assert other.startswith("ValueError: The running session already has "), other
        assert "=a:1; not replaced by other:1" in other
        os.environ["KAFKALYST_KAFKA"] = "environment:1"
        spark.conf.set("spark.sql.ansi.enabled", "false")
        kafkalyst.session(registry="http://r")
        found = [spark.conf.get(f"spark.{name}") for name in ("kafkalyst.bootstrap.servers",
            "sql.ansi.enabled", "kafkalyst.schema.registry.url", "sql.shuffle.partitions")]
        assert found == ["a:1", "false", "http://r", "3"], found
        del os.environ["KAFKALYST_KAFKA"]
        spark.stop()
print("fine")
"""


@pytest.mark.parametrize("kind", ["with", "without", "alone"])
def test_a_session_beside_one_that_runs(kind: str) -> None:
    """A running session is returned if it has the extension and the same servers, otherwise an error says why not.

    A new session has Kafkalyst's settings, and `check()` lists all of them, but none of the user's.
    """
    environment = {name: value for name, value in os.environ.items() if not name.startswith("KAFKALYST_")}
    done = subprocess.run(
        [sys.executable, "-c", STARTS, kind],
        capture_output=True,
        text=True,
        timeout=PROGRAM_SECONDS,
        env=environment,
        check=False,
    )
    assert done.stdout.endswith("fine\n"), done.stderr[-3000:]


@pytest.mark.parametrize(
    ("master", "cores"),
    [("local", 1), ("local[4]", 4), ("local[*]", os.cpu_count()), ("local[2,3]", 2), ("local-cluster[2,1,512]", 0)],
)
def test_cores_of_a_master(master: str, cores: int) -> None:
    """Only local masters have cores."""
    assert local_cores(master) == cores


def test_jars_fit_the_minor() -> None:
    """There are jars for any release of a supported minor; for others the error names the supported ones."""
    assert any("4.1.2" in str(jar) for jar in resources.jars_for("4.1.9"))
    with pytest.raises(RuntimeError, match=r"no jars for Spark 3\.5\.1; it supports 4\.0\.2, 4\.1\.2, 4\.2\.0"):
        resources.jars_for("3.5.1")
