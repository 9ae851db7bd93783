"""A standalone cluster of processes on this machine, and a Connect server."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pyspark

from kafkalyst.ports import held_ports
from kafkalyst.resources import jars_for
from support.patience import PATIENCE_SECONDS, PROGRAM_SECONDS

if TYPE_CHECKING:
    from conftest import Servers

Done = subprocess.CompletedProcess[str]

HOSTS = ("127.0.0.1", "localhost")  # two names, because a second attempt of a task goes to another host
HOME = Path(pyspark.__file__).parent
# What a server's threads show in which Connect or Kafkalyst runs or answers statements.
THREADS = ("kafkalyst", "sql.connect", "SparkConnect")
DUMP_SECONDS = 60
ENVIRONMENT = {"SPARK_HOME": str(HOME), "SPARK_LOCAL_IP": "127.0.0.1"}


@dataclass(frozen=True)
class Cluster:
    """A master, by its address, and workers, by their process groups."""

    address: str
    workers: list[int]

    def executors(self) -> list[int]:
        """Process ids of the current executors' JVMs; a worker starts them in its own group."""
        found = []
        for process in Path("/proc").glob("[0-9]*"):
            try:
                group = int((process / "stat").read_text().rpartition(")")[2].split()[2])
                command = (process / "cmdline").read_bytes()
            except OSError:
                continue  # the process ended meanwhile
            if group in self.workers and b"CoarseGrainedExecutorBackend" in command:
                found.append(int(process.name))
        return sorted(found)


@contextmanager
def standalone(folder: Path, cores: int = 1, workers: int = 2, *, bound: bool = False) -> Iterator[Cluster]:
    """A master, and one or two workers with this number of cores each; their logs and files are in the folder.

    If workers are bound, each runs only on its own core, its compiler and garbage collector included.
    """
    with held_ports(1) as [port]:
        hosts = HOSTS[:workers]
        deploy = "org.apache.spark.deploy"
        address = f"spark://127.0.0.1:{port}"
        commands = [[f"{deploy}.master.Master", "--host", HOSTS[0], "--webui-port", "0", "--port", str(port)]]
        size = ["--cores", str(cores), "--memory", "1g", "--webui-port", "0"]
        commands += [
            [f"{deploy}.worker.Worker", "--host", host, *size, "--work-dir", str(folder / f"w-{host}"), address]
            for host in hosts
        ]
        logs = [folder / f"daemon{n}.log" for n in range(len(commands))]
        processes: list[subprocess.Popen[bytes]] = []
        try:
            for n, (command, log) in enumerate(zip(commands, logs, strict=True)):
                processes.append(_daemon(command, log, n - 1 if bound and n > 0 else None))
            end = time.monotonic() + PATIENCE_SECONDS
            while logs[0].read_text(errors="replace").count("Registering worker") < len(hosts):
                assert time.monotonic() < end, "\n".join(log.read_text(errors="replace")[-1500:] for log in logs)
                time.sleep(0.3)
            yield Cluster(address, [process.pid for process in processes[1:]])
        finally:
            for process in processes:
                _killed(process)


def _daemon(command: list[str], log: Path, core: int | None) -> subprocess.Popen[bytes]:
    """Starts a process of Spark in its own group; on the given core alone, if there is one."""
    bound = [] if core is None else ["taskset", "--cpu-list", str(core)]
    environment = {**os.environ, **ENVIRONMENT, "SPARK_DAEMON_MEMORY": "256m"}
    start = [*bound, str(HOME / "bin" / "spark-class"), *command]
    with log.open("wb") as out:
        return subprocess.Popen(start, stdout=out, stderr=out, env=environment, cwd=log.parent, start_new_session=True)


def addresses(servers: Servers) -> dict[str, str]:
    """The settings for this broker and this registry."""
    return {
        "spark.kafkalyst.bootstrap.servers": servers.kafka,
        "spark.kafkalyst.schema.registry.url": servers.registry,
        # This registry has no modes, so each statement that registers a key's schema would note that.
        "spark.kafkalyst.schema.registry.key.readonly": "false",
    }


@contextmanager
def connect(folder: Path, conf: dict[str, str]) -> Iterator[str]:
    """A Spark Connect server with the extension and the jars; the address for clients. Its log is in the folder."""
    with held_ports(1) as [port]:
        settings = {
            "spark.connect.grpc.binding.port": str(port),
            "spark.connect.grpc.binding.address": "127.0.0.1",
            **conf,
        }
        with _server(folder, "connect", "org.apache.spark.sql.connect.service.SparkConnectServer", settings, port):
            yield f"sc://127.0.0.1:{port}"


@contextmanager
def thrift(folder: Path, conf: dict[str, str]) -> Iterator[str]:
    """A Thrift server with the extension and the jars; the JDBC address for clients. Its log is in the folder."""
    with held_ports(1) as [port]:
        settings = {
            "spark.hadoop.hive.server2.thrift.port": str(port),
            "spark.hadoop.hive.server2.thrift.bind.host": "127.0.0.1",
            "spark.hadoop.hive.exec.scratchdir": str(folder / "scratch"),
            **conf,
        }
        with _server(folder, "thrift", "org.apache.spark.sql.hive.thriftserver.HiveThriftServer2", settings, port):
            yield f"jdbc:hive2://127.0.0.1:{port}"


@contextmanager
def _server(folder: Path, name: str, main: str, conf: dict[str, str], port: int) -> Iterator[None]:
    settings = {
        "spark.sql.extensions": "io.kafkalyst.KafkalystExtensions",
        "spark.jars": ",".join(str(jar) for jar in jars_for(pyspark.__version__)),
        "spark.kafkalyst.query.checkpoint.root": str(folder / "checkpoints"),
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
        "spark.sql.shuffle.partitions": "2",
        "spark.ui.enabled": "false",
        **conf,
    }
    command = [str(HOME / "bin" / "spark-submit"), "--master", "local[2]"]
    command += [word for key, value in settings.items() for word in ("--conf", f"{key}={value}")]
    command += ["--class", main, "spark-internal"]
    log = folder / f"{name}.log"
    environment = {**os.environ, "SPARK_HOME": str(HOME)}
    with log.open("wb") as out:
        server = subprocess.Popen(command, stdout=out, stderr=out, env=environment, cwd=folder, start_new_session=True)
    try:
        end = time.monotonic() + PATIENCE_SECONDS
        while True:
            assert server.poll() is None and time.monotonic() < end, log.read_text(errors="replace")[-3000:]
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.3)
        try:
            yield
        except ClientHangs as late:
            raise ClientHangs(f"{late} The server: {_threads(server, log)}") from None
    finally:
        _killed(server)


def _killed(process: subprocess.Popen[bytes]) -> None:
    """Ends a process with its group, also one that has ended itself."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait(PATIENCE_SECONDS)


class ClientHangs(Exception):
    """A client's program did not end; the message is one line, which reports keep: where it and its server were."""


def _threads(server: subprocess.Popen[bytes], log: Path) -> str:
    """Where the server's threads are in code of Kafkalyst or Connect; the end of its log if the server is gone."""
    if server.poll() is not None:
        return f"ended with {server.returncode}: {log.read_text(errors='replace')[-1500:]!r}"
    before = log.stat().st_size
    server.send_signal(signal.SIGQUIT)  # makes the JVM print its threads
    end = time.monotonic() + DUMP_SECONDS
    while b"JNI global refs" not in log.read_bytes()[before:] and time.monotonic() < end:  # in its last line
        time.sleep(0.3)
    threads = log.read_bytes()[before:].decode(errors="replace").split("\n\n")
    ours = [thread for thread in threads if any(name in thread for name in THREADS)]
    return " || ".join(" < ".join(line.strip() for line in thread.splitlines()[:40]) for thread in ours)


def submitted(command: list[str], folder: Path, **environment: str) -> Done:
    """The result of a spark-submit in the folder, by default with PySpark's own Spark and this Python."""
    own = {**os.environ, **ENVIRONMENT, "PYSPARK_PYTHON": sys.executable}
    return subprocess.run(
        command,
        cwd=folder,
        env={**own, **environment},
        capture_output=True,
        text=True,
        timeout=PROGRAM_SECONDS,
        check=False,
    )


def client(root: Path, program: str, arguments: list[str], limit: int = PROGRAM_SECONDS) -> Done:
    """Runs a client's program, which gets only the server's address, for at most `limit` seconds."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("KAFKALYST_")}
    environment["PYTHONPATH"] = str(root / "tests")
    traced = f"import faulthandler; faulthandler.dump_traceback_later({limit - 20})\n{program}"
    try:
        return subprocess.run(
            [sys.executable, "-u", "-c", traced, *arguments],
            cwd=root / "python",
            env=environment,
            capture_output=True,
            text=True,
            timeout=limit,
            check=False,
        )
    except subprocess.TimeoutExpired as late:
        printed, errors = ((part or b"").decode(errors="replace") for part in (late.stdout, late.stderr))
        stack = re.findall(r'[\w.]+", line \d+ in [\w<>]+', errors)
        last = printed.splitlines()[-1:]
        raise ClientHangs(
            f"The client, innermost call first: {', '.join(stack[-40:])}; last printed: {last}."
        ) from None
