"""What configure() does to a builder."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from kafkalyst import configure, resources
from kafkalyst.session import BROKERS, EXTENSION, EXTENSIONS, JARS, REGISTRY


@pytest.fixture(autouse=True)
def no_settings_from_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    """The builder is all there is."""
    for name in ("SPARK_CONF_DIR", "SPARK_HOME", "SPARK_REMOTE", "PYSPARK_SUBMIT_ARGS", "PYSPARK_GATEWAY_PORT"):
        monkeypatch.delenv(name, raising=False)


def test_adds_to_an_empty_builder() -> None:
    """Extension, jars, addresses; double quotes stay as Spark has them."""
    options = configure(SparkSession.Builder(), kafka="a:1", registry="http://r")._options
    assert options[EXTENSIONS] == EXTENSION
    assert "kafkalyst.jar" in {Path(jar).name for jar in options[JARS].split(",")}
    assert options[BROKERS] == "a:1"
    assert options["spark.sql.catalog.kafka"] == "io.kafkalyst.KafkaCatalog"
    assert not [name for name in options if name.startswith("spark.sql.ansi")]


def test_appends_and_never_overwrites() -> None:
    """What was there stays, in front; a second call changes nothing."""
    builder = SparkSession.Builder().config(EXTENSIONS, "io.delta.X").config(JARS, "/a/b.jar")
    options = dict(configure(builder)._options)
    assert options[EXTENSIONS] == f"io.delta.X,{EXTENSION}"
    assert options[JARS].startswith("/a/b.jar,")
    assert configure(builder)._options == options


def test_the_users_catalog_stays() -> None:
    """Whatever goes by the name; another name, or none, is the user's to say."""
    builder = SparkSession.Builder().config("spark.sql.catalog.kafka", "a.B")
    assert configure(builder)._options["spark.sql.catalog.kafka"] == "a.B"
    assert "spark.sql.catalog.topics" in configure(SparkSession.Builder(), catalog="topics")._options
    none = configure(SparkSession.Builder(), catalog=None)._options
    assert not [name for name in none if name.startswith("spark.sql.catalog.")]


def test_another_address_is_an_error() -> None:
    """Neither wins silently."""
    builder = SparkSession.Builder().config(BROKERS, "a:1")
    configure(builder, kafka="a:1")
    with pytest.raises(ValueError, match=r"already has .*a:1"):
        configure(builder, kafka="b:2")


def test_an_error_shows_no_login() -> None:
    """Neither of the address that is set nor of the other."""
    builder = SparkSession.Builder().config(REGISTRY, "http://u:hidden@a")
    with pytest.raises(ValueError, match=r"=http://\*+@a; not replaced by http://\*+@b") as raised:
        configure(builder, registry="http://u:hidden@b")
    assert "hidden" not in str(raised.value)


def test_appends_to_spark_defaults(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A builder's setting would hide the file's."""
    (tmp_path / "spark-defaults.conf").write_text("# c\nspark.sql.extensions  a.B\nspark.jars=/x.jar\n")
    monkeypatch.setenv("SPARK_CONF_DIR", str(tmp_path))
    options = configure(SparkSession.Builder())._options
    assert options[EXTENSIONS] == f"a.B,{EXTENSION}"
    assert options[JARS].startswith("/x.jar,")


def test_appends_to_submit_arguments(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same for PYSPARK_SUBMIT_ARGS."""
    monkeypatch.setenv("PYSPARK_SUBMIT_ARGS", "--conf spark.sql.extensions=a.B --jars /x.jar pyspark-shell")
    options = configure(SparkSession.Builder())._options
    assert options[EXTENSIONS] == f"a.B,{EXTENSION}"
    assert options[JARS].startswith("/x.jar,")


def test_a_remote_session_gets_only_runtime_settings() -> None:
    """Extension and jars are the server's."""
    options = configure(SparkSession.Builder().remote("sc://host"), kafka="a:1")._options
    assert EXTENSIONS not in options
    assert JARS not in options
    assert "spark.sql.catalog.kafka" not in options
    assert options[BROKERS] == "a:1"


def test_takes_a_builder_only() -> None:
    """A session is too late."""
    with pytest.raises(TypeError, match="SparkSession builder, not str"):
        configure("local")  # type: ignore[arg-type]


def test_jars_fit_the_minor() -> None:
    """Any release of a supported minor; others are named."""
    assert any("4.1.2" in str(jar) for jar in resources.jars_for("4.1.9"))
    with pytest.raises(RuntimeError, match=r"no jars for Spark 3\.5\.1; it supports 4\.0\.2, 4\.1\.2, 4\.2\.0"):
        resources.jars_for("3.5.1")
