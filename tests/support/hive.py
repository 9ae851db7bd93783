"""Runs programs with their own Hive metastore."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from support.patience import PROGRAM_SECONDS


def run(script: str, folder: Path, *arguments: str) -> str:
    """The output of a script in another Python, with a metastore in the folder; CONF has its settings."""
    conf = {
        "spark.master": "local[1]",
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "1",
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
        "spark.sql.catalogImplementation": "hive",
        "spark.hadoop.javax.jdo.option.ConnectionURL": f"jdbc:derby:;databaseName={folder}/metastore;create=true",
    }
    command = [sys.executable, "-c", f"CONF = {conf!r}\n{script}", *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=PROGRAM_SECONDS, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout
