"""This version reads what a former one stored: definitions, checkpoints of each kind of query, dead letters.

`tests/compat/versions/VERSION.zip` is of that version. KAFKALYST_WRITE=VERSION writes that of this one.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pyspark
import pytest

from support.patience import PROGRAM_SECONDS

HERE = Path(__file__).parent / "versions"
WRITTEN = os.environ.get("KAFKALYST_WRITE")
LARGEST_BYTES = 150_000

pytestmark = pytest.mark.skipif(
    not pyspark.__version__.startswith("4.1."), reason="Spark 4.1 wrote the checkpoints, and Delta's jars are for it"
)


def run(what: str, archive: Path, folder: Path, root: Path) -> None:
    """Runs `support/former.py`, an application with servers of its own."""
    done = subprocess.run(
        [sys.executable, "tests/support/former.py", what, str(archive), str(folder)],
        cwd=root,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(root / "python"), str(root / "tests")])},
        capture_output=True,
        text=True,
        timeout=PROGRAM_SECONDS,
        check=False,
    )
    assert "former: fine" in done.stdout, done.stdout[-2000:] + done.stderr[-6000:]


@pytest.mark.skipif(WRITTEN is None, reason="only with KAFKALYST_WRITE")
def test_write(tmp_path: Path, root: Path) -> None:
    """Writes the archive of this version."""
    run("write", HERE / f"{WRITTEN}.zip", tmp_path, root)


@pytest.mark.parametrize("archive", sorted(HERE.glob("*.zip")), ids=lambda path: path.stem)
def test_read(archive: Path, tmp_path: Path, root: Path) -> None:
    """Definitions mean the same, each query continues where it was, and dead letters are sent back."""
    assert archive.stat().st_size < LARGEST_BYTES  # the repository keeps each of them
    run("read", archive, tmp_path, root)
