"""A broker besides that of the tests, with other settings: logins, limits or listeners."""

from __future__ import annotations

import base64
import os
import string
import subprocess
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from kafkalyst.local import archived
from kafkalyst.ports import held_ports
from kafkalyst.resources import conf_dir, servers_dir
from support.patience import PATIENCE_SECONDS

JAVA = [str(Path(os.environ["JAVA_HOME"]) / "bin" / "java") if "JAVA_HOME" in os.environ else "java"]
JVM = ["-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto", "-Xlog:cds*=off"]
SERVERS = servers_dir().resolve()
# The list of jars that the archive of classes is for.
CLASSES = [*archived(SERVERS, "broker"), "-cp", os.pathsep.join(map(str, sorted((SERVERS / "kafka").glob("*.jar"))))]


@dataclass(frozen=True)
class Broker:
    """Its address as host:port, and its process."""

    kafka: str
    pid: int


def prepared(data: Path, settings: Mapping[str, object], ports: Mapping[str, object], cluster: str) -> Path:
    """Formats the folder of a broker; its properties are those of the local broker, overridden by these."""
    base = (conf_dir() / "local" / "kafka.properties").read_text(encoding="utf-8").splitlines()
    kept = [line for line in base if line.partition("=")[0] not in settings]
    text = "\n".join([*kept, *(f"{name}={value}" for name, value in settings.items())])
    file = data / "kafka.properties"
    file.write_text(string.Template(text).substitute({**ports, "data": data}), encoding="utf-8")
    command = [*JAVA, *JVM, *CLASSES, "kafka.tools.StorageTool", "format", f"--config={file}"]
    subprocess.run([*command, f"--cluster-id={cluster}"], check=True, capture_output=True)
    return file


def launched(file: Path) -> subprocess.Popen[bytes]:
    """A started broker with its properties in this folder."""
    log = file.parent / "broker.log"
    simple = ["-Dorg.slf4j.simpleLogger.log.kafka.server.KafkaRaftServer=info"]
    simple.append("-Dorg.slf4j.simpleLogger.defaultLogLevel=warn")
    with log.open("wb") as out:
        process = subprocess.Popen(
            [*JAVA, *simple, *JVM, *CLASSES, "kafka.Kafka", str(file)], cwd=file.parent, stdout=out, stderr=out
        )
    end = time.monotonic() + PATIENCE_SECONDS
    while "Kafka Server started" not in log.read_text(errors="replace"):
        if process.poll() is not None or time.monotonic() > end:
            process.kill()
            raise AssertionError(log.read_text(errors="replace")[-3000:])
        time.sleep(0.1)
    return process


def cluster_id() -> str:
    """A new one."""
    return base64.urlsafe_b64encode(uuid.uuid4().bytes).decode().rstrip("=")


@contextmanager
def broker(data: Path, settings: Mapping[str, object]) -> Iterator[Broker]:
    """A broker with its files in a folder.

    Args:
        data: the folder, which exists.
        settings: override those of the local broker; `${broker_port}` in them is the port of the address.
    """
    with held_ports(2) as (port, controller):
        ports = {"broker_port": port, "controller_port": controller}
        process = launched(prepared(data, settings, ports, cluster_id()))
        try:
            yield Broker(f"127.0.0.1:{port}", process.pid)
        finally:
            process.kill()
            process.wait()


class Brokers:
    """Three brokers of one cluster. The first is its controller and stays; the others can be killed and started.

    Args:
        data: a folder, which exists.
        ports: of the controller and of the three.
    """

    def __init__(self, data: Path, ports: Sequence[int]) -> None:
        controller, *addresses = ports
        self.kafka = ",".join(f"127.0.0.1:{port}" for port in addresses)
        self._files, cluster = {}, cluster_id()
        for node, port in enumerate(addresses, 1):
            settings: dict[str, object] = {
                "node.id": node,
                "process.roles": "broker,controller" if node == 1 else "broker",
                "offsets.topic.replication.factor": 3,
                "transaction.state.log.replication.factor": 3,
                "broker.session.timeout.ms": 3000,
            }
            if node > 1:
                settings["listeners"] = "BROKER://127.0.0.1:${broker_port}"
            folder = data / str(node)
            folder.mkdir()
            self._files[node] = prepared(
                folder, settings, {"broker_port": port, "controller_port": controller}, cluster
            )
        self._processes: dict[int, subprocess.Popen[bytes]] = {}

    def start(self, *nodes: int) -> None:
        """Starts these, one after the other."""
        for node in nodes:
            self._processes[node] = launched(self._files[node])

    def kill(self, *nodes: int) -> None:
        """Kills these."""
        for node in nodes:
            process = self._processes.pop(node)
            process.kill()
            process.wait()

    def __enter__(self) -> Brokers:
        self.start(1, 2, 3)
        return self

    def __exit__(self, *_: object) -> None:
        self.kill(*self._processes)
