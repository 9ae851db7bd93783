"""Options of the tests' JVMs."""

from __future__ import annotations

import os
from pathlib import Path

import pyspark

ROOT = Path(__file__).resolve().parent.parent.parent
SUPPORT = ROOT / "build" / "classes" / "support"
ARCHIVE = ROOT / "build" / "archives" / f"spark-{pyspark.__version__}.jsa"

_FILES = "io.kafkalyst.support.UnforkedFs"
# Hadoop's own file system starts processes, which take a tenth of the SQL tests' processor time.
UNFORKED = {"spark.hadoop.fs.file.impl": f"{_FILES}$Local", "spark.hadoop.fs.AbstractFileSystem.file.impl": _FILES}

# A test's driver lives only minutes, so the second compiler, 41 % of the SQL tests' processor time, never
# pays off.
# With one compiler the JVM has 48 MB for code, and sweeps all the time once they are full.
_OPTIONS = "-XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=256m"


def options() -> str:
    """Options for Spark's drivers, executors and servers: one compiler, and Spark's classes from their archive.

    A JVM with other jars than the archive's loads its classes as usual, without a message.
    """
    return f"{_OPTIONS} -XX:SharedArchiveFile={ARCHIVE} -Xlog:cds*=off" if ARCHIVE.exists() else _OPTIONS


def prepare() -> None:
    """Gives the options to all child processes; Kafkalyst's classes come after Spark's, as in the archive."""
    os.environ.setdefault("SPARK_SUBMIT_OPTS", options())
    os.environ.setdefault("SPARK_DAEMON_JAVA_OPTS", options())
    os.environ.setdefault("SPARK_DIST_CLASSPATH", str(SUPPORT))
