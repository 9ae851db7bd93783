"""A Kafka broker and a schema registry as child processes on free loopback ports."""

from __future__ import annotations

import atexit
import base64
import contextlib
import json
import os
import re
import shutil
import signal
import string
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
import uuid
from collections.abc import Callable
from pathlib import Path
from types import FrameType, TracebackType
from typing import TypedDict

from kafkalyst.ports import held_ports
from kafkalyst.resources import conf_dir, servers_dir

REGISTRY_API = "/apis/ccompat/v7"
ADDRESS = r"127\.0\.0\.1:\d{1,5}"
PATIENCE_SECONDS = 5.0  # for a server to end
BROKER_HEAP = "768m"
REGISTRY_HEAP = "384m"
# They live for minutes, in which the second compiler does not pay off.
JVM = ["-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto", "-Xlog:cds*=off"]
PREFIX = "kafkalyst-"  # of the folder with the servers' data
ARCHIVES = "archives"  # the folder of the servers' classes, beside the servers
ARCHIVE_SECONDS = 120.0


class LocalServersError(RuntimeError):
    """A server did not start; the message ends with the last lines of its log."""


class LocalServers:
    """One broker and one registry.

    As a context manager, it stops them at the end of the block, or when this process ends in any way. Within the block
    `kafka` is the broker's `host:port`, and `registry` the URL of the registry's Confluent API.

    Args:
        progress: called with one line of text per step.
        timeout: seconds that each server may take to answer.
        detached: leave the servers running when this process ends.

    Raises:
        LocalServersError: on entering, when a server fails to start or to answer in time.
    """

    def __init__(
        self, progress: Callable[[str], None] | None = None, timeout: float = 60.0, detached: bool = False
    ) -> None:
        self._progress = progress or (lambda line: None)
        self._timeout = timeout
        self._detached = detached
        self._children: dict[str, subprocess.Popen[bytes]] = {}
        self._watchers: list[subprocess.Popen[bytes]] = []
        # Held until the end, because a broker may be restarted.
        self._ports = contextlib.ExitStack()
        self._previous_handler: Callable[[int, FrameType | None], object] | int | None = None
        self._archives: Path | None = None  # where to store the servers' classes
        self.data = Path(tempfile.mkdtemp(prefix=PREFIX))
        self.kafka = ""
        self.registry = ""

    def __enter__(self) -> LocalServers:
        # Detached servers too, until both answer: nobody knows of them yet if this process is killed.
        atexit.register(self.stop)
        if threading.current_thread() is threading.main_thread():
            self._previous_handler = signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
        try:
            self._start()
        except BaseException:
            self.stop()
            raise
        if self._detached:
            self._let_go()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def pids(self) -> list[int]:
        """Process ids of the servers, each the leader of its own group."""
        return [child.pid for child in self._children.values()]

    def stop(self) -> None:
        """Ends the servers and removes their data; harmless when repeated."""
        for child in self._children.values():
            _end_group(child.pid, PATIENCE_SECONDS if self._archives is None else ARCHIVE_SECONDS)
        for child in self._children.values():
            try:
                child.wait(PATIENCE_SECONDS)
            except subprocess.TimeoutExpired:  # the group had a member that this user may not signal
                child.kill()
        self._children.clear()
        self._ports.close()
        shutil.rmtree(self.data, ignore_errors=True)
        # Last, so that the servers end too if this process is killed meanwhile.
        self._let_go()

    def _let_go(self) -> None:
        """Detaches the servers: they no longer end with this process."""
        for watcher in self._watchers:
            watcher.kill()
            watcher.communicate()
        self._watchers.clear()
        atexit.unregister(self.stop)
        if self._previous_handler is not None:
            signal.signal(signal.SIGTERM, self._previous_handler)
            self._previous_handler = None

    def _start(self) -> None:
        began = time.monotonic()
        servers = servers_dir().resolve()  # archives of classes are for these very paths
        broker_port, controller_port, registry_port = self._ports.enter_context(held_ports(3))
        values = {
            "broker_port": broker_port,
            "controller_port": controller_port,
            "registry_port": registry_port,
            "data": self.data,
        }
        for name in ("kafka.properties", "registry.properties"):
            text = (conf_dir() / "local" / name).read_text(encoding="utf-8")
            (self.data / name).write_text(string.Template(text).substitute(values), encoding="utf-8")
        logged = (conf_dir() / "local" / "simplelogger.properties").read_text(encoding="utf-8").splitlines()
        kafka = [f"-D{line}" for line in logged if line and not line.startswith("#")]
        # No folder and no `*`, whose order differs: a JVM uses an archive of classes for the same list of jars only.
        kafka += ["-cp", os.pathsep.join(str(jar) for jar in sorted((servers / "kafka").glob("*.jar")))]
        kafka_settings = str(self.data / "kafka.properties")
        runner = next((servers / "registry").glob("*-runner.jar"), None)
        if runner is None:
            raise LocalServersError(f"No registry in {servers / 'registry'}. Run: make setup")
        self._progress(f"starting registry on 127.0.0.1:{registry_port} and broker on 127.0.0.1:{broker_port}")
        self._spawn(
            "registry",
            [f"-Xmx{REGISTRY_HEAP}", f"-Dquarkus.config.locations={self.data / 'registry.properties'}"],
            ["-jar", str(runner)],
        )
        cluster = base64.urlsafe_b64encode(uuid.uuid4().bytes).decode().rstrip("=")
        format_log = self.data / "format.log"
        command = [_java(), *JVM, *archived(servers, "broker"), *kafka, "kafka.tools.StorageTool", "format"]
        command += [f"--config={kafka_settings}", f"--cluster-id={cluster}"]
        try:
            with format_log.open("wb") as log:
                subprocess.run(command, stdout=log, stderr=subprocess.STDOUT, check=True, timeout=self._timeout)
        except subprocess.SubprocessError:
            raise LocalServersError(f"The broker's storage could not be formatted.\n{_tail(format_log)}") from None
        self._spawn("broker", [f"-Xmx{BROKER_HEAP}", *kafka], ["kafka.Kafka", kafka_settings])

        self.kafka = f"127.0.0.1:{broker_port}"
        self.registry = f"http://127.0.0.1:{registry_port}{REGISTRY_API}"
        self._wait("broker", lambda: "Kafka Server started" in (self.data / "broker.log").read_text(errors="replace"))
        self._wait("registry", lambda: _answers(f"{self.registry}/subjects"))
        # Apicurio starts with NONE; Confluent's registry, which it replaces here, with BACKWARD.
        _put_json(f"{self.registry}/config", {"compatibility": "BACKWARD"})
        self._progress(f"broker and registry ready after {time.monotonic() - began:.1f} s")

    def _spawn(self, name: str, jvm: list[str], arguments: list[str]) -> None:
        if self._archives is None:
            archive = archived(servers_dir().resolve(), name)
        else:
            archive = [f"-XX:ArchiveClassesAtExit={self._archives / name}.jsa"]
        command = [_java(), *JVM, *archive, *jvm, *arguments]
        with (self.data / f"{name}.log").open("wb") as log:
            self._children[name] = subprocess.Popen(
                command,
                cwd=self.data,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        self._watchers.append(_watcher(self._children[name].pid))

    def _wait(self, name: str, ready: Callable[[], bool]) -> None:
        child, log = self._children[name], self.data / f"{name}.log"
        deadline = time.monotonic() + self._timeout
        shown = time.monotonic() + 5
        while not ready():
            if child.poll() is not None:
                raise LocalServersError(f"The {name} ended with code {child.returncode}.\n{_tail(log)}")
            if time.monotonic() > deadline:
                raise LocalServersError(f"The {name} did not answer within {self._timeout:.0f} s.\n{_tail(log)}")
            if time.monotonic() > shown:
                self._progress(f"waiting for the {name} …")
                shown += 5
            time.sleep(0.1)


def archive(progress: Callable[[str], None] | None = None) -> bool:
    """Stores the classes that the servers load, beside them: from then on they start in half of the time.

    Runs the servers once. Another JDK, or the servers in another folder, start as without.

    Args:
        progress: called with one line of text per step.

    Returns:
        False if this JDK cannot make archives.

    Raises:
        LocalServersError: when a server fails to start.
    """
    target = servers_dir().resolve() / ARCHIVES
    with tempfile.TemporaryDirectory(prefix=f".{ARCHIVES}-", dir=target.parent) as fresh:
        servers = LocalServers(progress)
        servers._archives = Path(fresh)
        with servers:
            servers._progress("storing the servers' classes, for faster starts")
        made = list(Path(fresh).glob("*.jsa"))
        target.mkdir(exist_ok=True)
        for file in made:
            file.replace(target / file.name)
    return bool(made)


def archived(servers: Path, name: str) -> list[str]:
    """The JVM's option for the classes that `archive` stored, if it did."""
    stored = servers / ARCHIVES / f"{name}.jsa"
    return [f"-XX:SharedArchiveFile={stored}"] if stored.exists() else []


def up(folder: Path | None = None, progress: Callable[[str], None] | None = None) -> dict[str, str]:
    """Starts both servers so that they outlive this process, unless they run already.

    Args:
        folder: where the state file is; `.local` in the current folder by default.
        progress: called with one line of text per step.

    Returns:
        `kafka` (host:port) and `registry` (URL).

    Raises:
        LocalServersError: when a server fails to start.
    """
    running = status(folder)
    if running:
        return running
    down(folder)  # one of the two may still run, and the new state file would not name it
    path = _state_file(folder)
    path.parent.mkdir(parents=True, exist_ok=True)
    servers = LocalServers(progress=progress, detached=True).__enter__()
    state = {"kafka": servers.kafka, "registry": servers.registry, "data": str(servers.data), "pids": servers.pids()}
    try:
        path.write_text(json.dumps(state, indent=2) + "\n", encoding="utf-8")
    except BaseException:
        servers.stop()
        raise
    return {"kafka": servers.kafka, "registry": servers.registry}


def down(folder: Path | None = None) -> bool:
    """Stops the servers that `up` started and removes their data; False if none were running."""
    path = _state_file(folder)
    if not path.exists():
        return False
    state = _state(path)
    for pid in state["pids"]:
        if _is_server(pid, state["data"]):
            _end_group(pid)
    shutil.rmtree(state["data"], ignore_errors=True)
    path.unlink()
    return True


def status(folder: Path | None = None) -> dict[str, str] | None:
    """The addresses that `up` returned; None unless both servers still run."""
    path = _state_file(folder)
    if not path.exists():
        return None
    state = _state(path)
    if not all(_is_server(pid, state["data"]) for pid in state["pids"]):
        return None
    return {"kafka": state["kafka"], "registry": state["registry"]}


def _state_file(folder: Path | None) -> Path:
    return (folder or Path.cwd() / ".local") / "servers.json"


def _state(path: Path) -> _State:
    """The state that `up` wrote. Raises LocalServersError if the file is damaged."""
    try:
        state = json.loads(path.read_text(encoding="utf-8"))
        data, pids = str(state["data"]), [int(pid) for pid in state["pids"]]
        kafka, registry = str(state["kafka"]), str(state["registry"])
        # Shells evaluate the addresses.
        is_ours = re.fullmatch(ADDRESS, kafka) and re.fullmatch(f"http://{ADDRESS}{REGISTRY_API}", registry)
        if not is_ours or not _is_own(Path(data)) or len(pids) != 2 or len(set(pids)) != 2:
            raise ValueError(data)
        return _State(kafka=kafka, registry=registry, data=data, pids=pids)
    except (OSError, ValueError, TypeError, LookupError) as error:
        raise LocalServersError(
            f"{path} is damaged or was not written by `kafkalyst local up`, so its servers are not known. End those "
            "that still run (Java processes of kafka.Kafka and of the registry), and delete the file."
        ) from error


def _is_own(data: Path) -> bool:
    """Whether `up` made this folder: the state file comes with the folder it is in, which others may have written."""
    if data.parent != Path(tempfile.gettempdir()) or not data.name.startswith(PREFIX):
        return False
    return not data.is_symlink() and (not data.exists() or data.stat().st_uid == os.getuid())


class _State(TypedDict):
    kafka: str
    registry: str
    data: str
    pids: list[int]


def _java() -> str:
    """The Java command. Raises LocalServersError if there is none."""
    home = os.environ.get("JAVA_HOME")
    found = shutil.which(str(Path(home) / "bin" / "java") if home else "java")
    if found is None:
        where = f"in JAVA_HOME={home}" if home else "on the PATH"
        raise LocalServersError(f"No java {where}. Install a JDK 17 or 21, or set JAVA_HOME to the folder of one.")
    return found


def _is_server(pid: int, data: str) -> bool:
    """Whether the process is still this user's server with that data: its id may have been reused."""
    process = Path(f"/proc/{pid}")
    try:
        user, command = process.stat().st_uid, (process / "cmdline").read_bytes()
    except OSError:
        # macOS has no /proc, and minimal Linux images no ps.
        if sys.platform == "linux":
            return False
        shown = subprocess.run(["ps", "-ww", "-o", "uid=,command=", "-p", str(pid)], capture_output=True, check=False)
        number, _, command = shown.stdout.strip().partition(b" ")
        user = int(number or -1)
    is_either = b"kafka.Kafka" in command or b"apicurio-registry" in command
    return user == os.getuid() and is_either and f"{data}/".encode() in command


def _watcher(pid: int) -> subprocess.Popen[bytes]:
    """A shell that kills a process group when this process ends in any way, which closes the shell's pipe."""
    script = f"read _; kill -9 -{pid}"
    return subprocess.Popen(
        ["/bin/sh", "-c", script],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def _end_group(pid: int, patience: float = PATIENCE_SECONDS) -> None:
    """Sends SIGTERM to a process group and, after `patience` seconds, SIGKILL."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGTERM)
        deadline = time.monotonic() + patience
        while time.monotonic() < deadline:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, os.WNOHANG)
            os.killpg(pid, 0)
            time.sleep(0.05)
        os.killpg(pid, signal.SIGKILL)


def _answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=2) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False


def _put_json(url: str, body: dict[str, str]) -> None:
    headers = {"Content-Type": "application/vnd.schemaregistry.v1+json"}
    request = urllib.request.Request(url, json.dumps(body).encode(), headers, method="PUT")
    with urllib.request.urlopen(request, timeout=10) as answer:
        answer.read()


def _tail(log: Path, lines: int = 20) -> str:
    """The last lines of a log file."""
    return "\n".join(log.read_text(errors="replace").splitlines()[-lines:])
