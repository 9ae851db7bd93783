"""Finds the jars, the settings and the local servers: in the wheel, or in a checkout of the sources."""

from __future__ import annotations

import json
import os
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent
CHECKOUT = PACKAGE.parent.parent
SERVERS = "KAFKALYST_SERVERS"


def conf_dir() -> Path:
    """The folder `conf`, of the wheel or of the checkout."""
    packaged = PACKAGE / "conf"
    return packaged if packaged.is_dir() else CHECKOUT / "conf"


def servers_dir() -> Path:
    """The folder with the local broker and registry, which are not in the wheel.

    Raises:
        FileNotFoundError: when it does not exist; the message says what to do.
    """
    made = CHECKOUT / "build" / "servers"
    folder = made if has_servers(made) and SERVERS not in os.environ else fetched_dir()
    if not has_servers(folder):
        raise FileNotFoundError(
            f"No local broker and registry in {folder}. Run `kafkalyst local fetch`, which downloads 165 MB; in a "
            f"checkout run `make setup`. {SERVERS} names another folder that has them."
        )
    return folder


def fetched_dir() -> Path:
    """The folder for downloaded servers: $KAFKALYST_SERVERS, or one of their version in the user's cache."""
    given = os.environ.get(SERVERS)
    if given:
        return Path(given)
    cached = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    listed = json.loads((conf_dir() / "servers.json").read_text(encoding="utf-8"))
    return cached / "kafkalyst" / str(listed["version"])


def has_servers(folder: Path) -> bool:
    """Whether the folder has a broker and a registry."""
    return (folder / "kafka").is_dir() and (folder / "registry").is_dir()


@cache
def supported_versions() -> tuple[str, ...]:
    """The Spark versions that the jar is built and tested for, such as `4.1.2`."""
    table = json.loads((conf_dir() / "spark-versions.json").read_text(encoding="utf-8"))
    return tuple(table["versions"])


@cache
def conditions() -> tuple[str, ...]:
    """The names of the error conditions, without their prefix."""
    return tuple(json.loads(_generated("kafkalyst-conditions.json").read_text(encoding="utf-8")))


@cache
def properties() -> tuple[str, ...]:
    """The names of the properties of a WITH clause."""
    return tuple(json.loads((conf_dir() / "properties.json").read_text(encoding="utf-8")))


def _generated(name: str) -> Path:
    """A file that the jar has, too; in a checkout, the file that the jar is built from."""
    packaged = PACKAGE / "conf" / name
    return packaged if packaged.is_file() else CHECKOUT / "jvm" / "src" / "main" / "resources" / "error" / name


def jars_for(spark_version: str) -> list[Path]:
    """The jars that a session of this Spark version needs: Kafkalyst's, and Spark's Kafka connector for its minor.

    Raises:
        RuntimeError: when this minor is not supported, or the jars were not built.
    """
    minor = spark_version.split(".")[:2]
    fitting = [version for version in supported_versions() if version.split(".")[:2] == minor]
    if not fitting:
        raise RuntimeError(
            f"Kafkalyst has no jars for Spark {spark_version}; it supports {', '.join(supported_versions())} "
            "and other releases of the same minors. Install one of these, e.g. "
            f"`pip install pyspark=={supported_versions()[-1]}`."
        )
    folder = PACKAGE / "jars"
    ours, connector = folder / "kafkalyst.jar", sorted((folder / f"spark-{fitting[0]}").glob("*.jar"))
    if not connector or not ours.exists():
        raise RuntimeError(f"No jars in {folder}. In a checkout run `make setup`.")
    return [ours, *sorted((folder / "common").glob("*.jar")), *connector]


def version() -> str:
    """Kafkalyst's own version."""
    return (PACKAGE / "VERSION").read_text(encoding="utf-8").strip()
