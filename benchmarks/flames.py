"""Shows where a query's time goes: a flame graph from Java Flight Recorder."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable
from pathlib import Path

from pyspark.sql import SparkSession

FOLDER = Path(__file__).resolve().parent
SECONDS = 15


def flame(spark: SparkSession, name: str, work: Callable[[], object]) -> Path:
    """Repeats warm work for a while under the recorder; writes the flame graph to build/profiles/NAME.html."""
    for _ in range(3):
        work()
    pid = str(spark._jvm.ProcessHandle.current().pid())
    recording = FOLDER.parent / "build" / "bench.jfr"
    recording.unlink(missing_ok=True)
    jcmd(pid, "JFR.start", "name=bench", "settings=profile", f"filename={recording}")
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        work()
    jcmd(pid, "JFR.stop", "name=bench")
    page = FOLDER.parent / "build" / "profiles" / f"{name.replace(':', '-')}.html"
    page.parent.mkdir(parents=True, exist_ok=True)
    converter = next((FOLDER.parent / "build" / "benchmarks" / "flames").glob("jfr-converter-*.jar"))
    command: list[str | Path] = ["java", "-jar", converter, "--simple", "--title", name]
    for kind, into in (("html", page), ("collapsed", page.with_suffix(".txt"))):
        subprocess.run([*command, "-o", kind, recording, into], check=True, timeout=120, capture_output=True)
    return page


def jcmd(*args: str) -> None:
    """Sends a command to the driver's JVM."""
    subprocess.run(["jcmd", *args], check=True, capture_output=True, timeout=60)
