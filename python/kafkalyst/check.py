"""Checks whether a session can use Kafkalyst, and says how to fix what it lacks."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from kafkalyst.errors import condition, describe
from kafkalyst.resources import supported_versions, version
from kafkalyst.session import BROKERS, CATALOG_CLASS, CATALOGS, EXTENSION, EXTENSIONS, REGISTRY, configured

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

LOCK = "spark.kafkalyst.session.properties"
MASTER = "spark.master"
# name, ok, found, fix
Finding = tuple[str, bool, str, str]


def check(spark: SparkSession, catalog: str = "kafka") -> DataFrame:
    """Checks a session, classic or Connect, through SQL alone.

    Args:
        catalog: the name of the cluster as a catalog; a session without it passes, too.

    Returns:
        A row per check: `name`, `ok` (boolean), `found`, and `fix`, empty if the check passes.
        Addresses that are not set count as failing. Takes at most about 20 seconds.
    """
    extension = _extension(spark)
    broker = _broker(spark) if extension[1] else ("broker", False, "not checked: no extension", "")
    registry = _registry(spark) if extension[1] else ("registry", False, "not checked: no extension", "")
    jar = _jar(spark) if extension[1] else ("jar", False, "not checked: no extension", "")
    shown = _catalog(spark, catalog, broker[1])
    findings = [_spark_version(spark), extension, jar, broker, registry, shown, _configured(spark)]
    return spark.createDataFrame(findings, "name string, ok boolean, found string, fix string")


def _spark_version(spark: SparkSession) -> Finding:
    minors = {known.rsplit(".", 1)[0] for known in supported_versions()}
    ok = spark.version.rsplit(".", 1)[0] in minors
    fix = "" if ok else f"use Spark {', '.join(supported_versions())} or another release of these minors"
    return "versions", ok, f"Spark {spark.version}, Kafkalyst {version()}", fix


def _configured(spark: SparkSession) -> Finding:
    """The settings that `configure()` and `session()` have set, rather than the user, each with its reason."""
    found = [f"{name}: {reason}" for name, reason in configured(spark).items()]
    return "settings", True, "; ".join(found) or "none set by Kafkalyst", ""


def _extension(spark: SparkSession) -> Finding:
    def look() -> str:
        return f"{len(spark.sql('SHOW STREAMS').collect())} streams declared"

    fix = (
        f"set {EXTENSIONS}={EXTENSION} and put kafkalyst.jar on the classpath before the session starts "
        "(kafkalyst.configure does both; for Spark Connect, on the server)"
    )
    return _finding("extension", look, fix)


def _jar(spark: SparkSession) -> Finding:
    """Whether the session's jar, perhaps on a Connect server, fits this package: equal major and minor versions."""
    fix = f"use the jar of kafkalyst {version()}, or pip install the package of the jar's version"
    try:
        found = str(spark.sql("SELECT kafkalyst_version()").collect()[0][0])
    except Exception as error:  # a jar older than the function
        return "jar", False, describe(error).splitlines()[0], fix
    ok = found.split(".")[:2] == version().split(".")[:2]
    return "jar", ok, f"jar {found}, Python package {version()}", "" if ok else fix


def _broker(spark: SparkSession) -> Finding:
    def look() -> str:
        return f"{len(spark.sql('SHOW TOPICS').collect())} topics at {_setting(spark, BROKERS)}"

    return _finding("broker", look, f"{_set(spark, BROKERS, '<host:port>')}; is the broker reachable from the driver?")


def _registry(spark: SparkSession) -> Finding:
    def look() -> str:
        url = _setting(spark, REGISTRY)
        if not url:
            raise ValueError(f"{REGISTRY} is not set")
        ask_registry(spark)
        return re.sub(r"://[^/\s]*@", "://", url)

    fix = (
        f"{_set(spark, REGISTRY, '<url>')}, with the path of its Confluent API if it has one, e.g. …/apis/ccompat/v7; "
        "for a login see docs/reference/registry.md"
    )
    return _finding("registry", look, fix)


def ask_registry(spark: SparkSession) -> None:
    """Asks the registry through the session, so that its own login and TLS settings are tried.

    Raises:
        Exception: what is wrong: no answer, a refused login, or settings that a session may not combine or set.
    """
    options = {"kafka_topic": "kafkalyst-check", "value_format": "AVRO"}
    try:
        spark.read.format("kafkalyst").options(**options).load().schema  # noqa: B018 - asks the registry
    except Exception as error:
        if condition(error) != "KAFKALYST_SUBJECT_NOT_FOUND":
            raise


def _set(spark: SparkSession, name: str, value: str) -> str:
    """How to set a setting: sessions of a locked server cannot SET it."""
    locked = _setting(spark, LOCK) or ("" if (_setting(spark, MASTER) or "").startswith("local") else "locked")
    if locked == "locked":
        return f"set {name}={value} where the server or application starts"
    return f"SET {name}={value}"


def _catalog(spark: SparkSession, catalog: str, is_reached: bool) -> Finding:
    """What owns the catalog, and how many topics are its tables; it must not hide a database of the same name."""
    setting = CATALOGS + catalog
    owner = _setting(spark, setting)
    if owner is None:
        return "catalog", True, f"not set; set {setting}={CATALOG_CLASS} to read topics as tables", ""
    if owner != CATALOG_CLASS:
        return "catalog", True, f"{setting}={owner} is another catalog; left unchanged", ""
    if not is_reached:
        return "catalog", False, "not checked: no broker", ""

    def look() -> str:
        if spark.sql(f"SHOW DATABASES IN spark_catalog LIKE '{catalog}'").collect():
            raise ValueError(f"the catalog {catalog} hides the database of that name")
        own = [BROKERS.replace("spark.kafkalyst", setting), BROKERS]
        address = next((name for name in own if _setting(spark, name)), BROKERS)
        return f"{len(spark.sql(f'SHOW TABLES IN {catalog}').collect())} topics are tables of {catalog}, by {address}"

    return _finding("catalog", look, "give it another name: kafkalyst.session(catalog=…), or none: catalog=None")


def _finding(name: str, look: Callable[[], str], fix: str) -> Finding:
    try:
        return name, True, look(), ""
    except Exception as error:  # whatever fails is the finding
        return name, False, describe(error).splitlines()[0], fix


def _setting(spark: SparkSession, name: str) -> str | None:
    return spark.conf.get(name, None)
