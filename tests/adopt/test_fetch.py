"""`kafkalyst local fetch`, from a mirror of Maven Central with the files that `make setup` has fetched."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from kafkalyst.resources import conf_dir
from support.patience import PROGRAM_SECONDS

BUILT = Path("build/servers")
LISTED = json.loads((conf_dir() / "servers.json").read_text(encoding="utf-8"))
FILES = {
    **{file["path"]: BUILT / "kafka" / Path(file["path"]).name for file in LISTED["kafka"]},
    LISTED["registry"]["path"]: BUILT / "registry.tar.gz",
}


class Mirror(ThreadingHTTPServer):
    """The listed files, except those that are missing or spoiled."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.missing = ""
        self.spoiled = ""
        super().__init__(("127.0.0.1", 0), Answer)


class Answer(BaseHTTPRequestHandler):
    """One answer."""

    server: Mirror

    def do_GET(self) -> None:
        """Sends a file."""
        path = self.path.removeprefix("/maven2/")
        self.server.asked.append(path)
        if path not in FILES or path == self.server.missing:
            self.send_error(404)
            return
        content = FILES[path].read_bytes()
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(b"!" + content[1:] if path == self.server.spoiled else content)

    def log_message(self, *_: object) -> None:
        """Says nothing."""


@pytest.fixture
def mirror() -> Iterator[Mirror]:
    """The mirror."""
    with Mirror() as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


@pytest.fixture
def local(tmp_path: Path, root: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Runs `kafkalyst local` with a cache of its own, as outside a checkout."""
    environment = {
        **os.environ,
        "KAFKALYST_SERVERS": str(tmp_path / "cache" / "servers"),
        "PYTHONPATH": str(root / "python"),
        "no_proxy": "127.0.0.1",
    }

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "kafkalyst.cli", "local", *words]
        return subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=PROGRAM_SECONDS, check=False
        )

    return run


def test_listed_files_are_those_of_the_build() -> None:
    """After a change of a version, `tools/gradle.sh serverList` renews the list."""
    assert {path.name for path in FILES.values()} == {
        "registry.tar.gz",
        *(jar.name for jar in (BUILT / "kafka").iterdir()),
    }
    for file in [*LISTED["kafka"], LISTED["registry"]]:
        content = FILES[file["path"]].read_bytes()
        assert (len(content), hashlib.sha256(content).hexdigest()) == (file["bytes"], file["sha256"]), file


def test_fetched_servers_run(
    mirror: Mirror, local: Callable[..., subprocess.CompletedProcess[str]], tmp_path: Path
) -> None:
    """A spoiled file is refused, a second run continues with what is missing, and the servers then start."""
    repository = ["--repository", f"http://127.0.0.1:{mirror.server_port}/maven2/"]
    done = local("up")
    assert done.returncode == 1 and "kafkalyst local fetch" in done.stderr

    mirror.spoiled, mirror.missing = (LISTED["kafka"][i]["path"] for i in (0, 1))
    done = local("fetch", *repository)
    assert done.returncode == 1 and f"{mirror.spoiled} is not the listed file" in done.stderr, done.stderr
    mirror.spoiled = ""
    done = local("fetch", *repository)
    assert done.returncode == 1 and "could not be downloaded" in done.stderr and "404" in done.stderr, done.stderr
    assert not (tmp_path / "cache" / "servers").exists()

    mirror.missing = ""
    kept = {path.name for path in (tmp_path / "cache" / "servers.part" / "kafka").iterdir()}
    mirror.asked.clear()
    done = local("fetch", *repository)
    assert done.returncode == 0 and done.stdout.strip() == str(tmp_path / "cache" / "servers"), done
    assert " MB" in done.stderr and not (tmp_path / "cache" / "servers.part").exists()
    asked = {Path(path).name for path in mirror.asked}
    assert kept and not asked & kept and Path(LISTED["kafka"][1]["path"]).name in asked
    mirror.asked.clear()
    assert local("fetch", *repository).returncode == 0 and not mirror.asked
    # The JVMs' classes are there too, and are used.
    archives = tmp_path / "cache" / "servers" / "archives"
    assert {path.name for path in archives.iterdir()} == {"broker.jsa", "registry.jsa"}

    try:
        done = local("up")
        assert done.returncode == 0 and "broker   127.0.0.1:" in done.stdout, done
        pids = json.loads((tmp_path / ".local" / "servers.json").read_text(encoding="utf-8"))["pids"]
        for name, pid in zip(("registry", "broker"), pids, strict=True):
            assert f"{archives / name}.jsa" in Path(f"/proc/{pid}/maps").read_text(encoding="utf-8")
    finally:
        assert local("down").stdout == "stopped\n"
