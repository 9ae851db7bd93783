"""Delta and Iceberg, listed before and after Kafkalyst's extension, own the session catalog."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pyspark
import pytest

from support.patience import PROGRAM_SECONDS

if TYPE_CHECKING:
    from conftest import Servers


@pytest.mark.skipif(not pyspark.__version__.startswith("4.1."), reason="the neighbours' jars are for Spark 4.1")
@pytest.mark.parametrize("order", ["before", "after"])
@pytest.mark.parametrize("neighbour", ["delta", "iceberg"])
def test_beside(neighbour: str, order: str, servers: Servers, tmp_path: Path, root: Path) -> None:
    """Kafkalyst's statements and theirs work in one session, whichever extension comes first."""
    script = [
        sys.executable,
        "tests/compat/beside.py",
        neighbour,
        order,
        servers.kafka,
        servers.registry,
        str(tmp_path),
    ]
    suffix = f"{neighbour}_{order}_{tmp_path.parent.name[-4:]}".replace("-", "_")
    command = [*script, suffix]
    done = subprocess.run(
        command,
        cwd=root,
        env={**os.environ, "PYTHONPATH": "tests"},
        capture_output=True,
        text=True,
        timeout=PROGRAM_SECONDS,
        check=False,
    )
    assert "beside each other: fine" in done.stdout, done.stderr[-3000:]
