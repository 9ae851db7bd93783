"""A broker beside that of the tests, for what theirs is not set to: other logins, limits or listeners."""

from __future__ import annotations

import base64
import os
import string
import subprocess
import time
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from kafkalyst.ports import held_ports
from kafkalyst.resources import conf_dir, servers_dir
from support.patience import PATIENCE_SECONDS

JAVA = [str(Path(os.environ["JAVA_HOME"]) / "bin" / "java") if "JAVA_HOME" in os.environ else "java"]
JVM = ["-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"]


@dataclass(frozen=True)
class Broker:
    """Its address as host:port, and its process."""

    kafka: str
    pid: int


@contextmanager
def broker(data: Path, settings: Mapping[str, object]) -> Iterator[Broker]:
    """A broker with its files in a folder.

    Args:
        data: the folder, which exists.
        settings: over those of the local broker; `${broker_port}` in them is the port of the address.
    """
    with held_ports(2) as (port, controller):
        values = {"broker_port": port, "controller_port": controller, "data": data}
        base = (conf_dir() / "local" / "kafka.properties").read_text(encoding="utf-8").splitlines()
        kept = [line for line in base if line.partition("=")[0] not in settings]
        text = "\n".join([*kept, *(f"{name}={value}" for name, value in settings.items())])
        file = data / "kafka.properties"
        file.write_text(string.Template(text).substitute(values), encoding="utf-8")
        command = [*JAVA, *JVM, "-cp", f"{servers_dir() / 'kafka'}/*"]
        cluster = base64.urlsafe_b64encode(uuid.uuid4().bytes).decode().rstrip("=")
        subprocess.run(
            [*command, "kafka.tools.StorageTool", "format", f"--config={file}", f"--cluster-id={cluster}"],
            check=True,
            capture_output=True,
        )
        log = data / "broker.log"
        simple = ["-Dorg.slf4j.simpleLogger.log.kafka.server.KafkaRaftServer=info"]
        simple.append("-Dorg.slf4j.simpleLogger.defaultLogLevel=warn")
        with log.open("wb") as out:
            process = subprocess.Popen(
                [*command[:1], *simple, *command[1:], "kafka.Kafka", str(file)], cwd=data, stdout=out, stderr=out
            )
        try:
            end = time.monotonic() + PATIENCE_SECONDS
            while "Kafka Server started" not in log.read_text(errors="replace"):
                assert process.poll() is None and time.monotonic() < end, log.read_text(errors="replace")[-3000:]
                time.sleep(0.1)
            yield Broker(f"127.0.0.1:{port}", process.pid)
        finally:
            process.kill()
            process.wait()
