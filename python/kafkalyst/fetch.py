"""Downloads the local broker and registry: the wheel has only a list of their files, with checksums."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import tarfile
import tempfile
import threading
import urllib.error
import urllib.request
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypedDict

from kafkalyst.resources import conf_dir, fetched_dir, has_servers

REPOSITORY = "https://repo.maven.apache.org/maven2"
ANSWER_SECONDS = 60
AT_ONCE = 4
CHUNK = 1 << 18
STEP = 10_000_000  # bytes between two lines of progress


class FetchError(RuntimeError):
    """A file could not be downloaded, or is not the listed one; the message says what to do."""


class _File(TypedDict):
    path: str
    bytes: int
    sha256: str


def fetch(repository: str = REPOSITORY, progress: Callable[[str], None] | None = None) -> Path:
    """Downloads the broker and the registry unless they are there.

    An interrupted download continues with the files that it lacks. Proxies are those of HTTPS_PROXY and NO_PROXY.

    Args:
        repository: the URL of Maven Central, or of a mirror of it.
        progress: called with one line of text per ten megabytes.

    Returns:
        The folder: KAFKALYST_SERVERS if it is set, otherwise one in the user's cache.

    Raises:
        FetchError: when a file cannot be downloaded, or has another checksum; nothing unchecked is left.
    """
    folder = fetched_dir()
    if has_servers(folder):
        return folder
    listed = json.loads((conf_dir() / "servers.json").read_text(encoding="utf-8"))
    parts = folder.with_name(folder.name + ".part")
    (parts / "kafka").mkdir(parents=True, exist_ok=True)
    archive = parts / "registry.tar.gz"
    places: list[tuple[_File, Path]] = [(file, parts / "kafka" / Path(file["path"]).name) for file in listed["kafka"]]
    files = [(listed["registry"], archive), *places]
    missing = [(file, place) for file, place in files if not place.exists()]
    run = _Run(repository.rstrip("/"), sum(file["bytes"] for file, _ in missing), progress or (lambda line: None))
    with ThreadPoolExecutor(AT_ONCE) as pool:
        try:
            for done in [pool.submit(run.download, file, place) for file, place in missing]:
                done.result()
        except BaseException:
            run.is_over.set()
            if has_servers(folder):  # another process was faster
                return folder
            raise
    unpacked = Path(tempfile.mkdtemp(dir=parts))
    with tarfile.open(archive) as all_files:
        # Older releases of Python have no filters; the archive is the listed one.
        all_files.extraction_filter = getattr(tarfile, "data_filter", None)
        all_files.extractall(unpacked)
    with contextlib.suppress(OSError):
        unpacked.replace(parts / "registry")
    archive.unlink(missing_ok=True)
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("kafka", "registry"):
        with contextlib.suppress(OSError):
            (parts / name).replace(folder / name)
    shutil.rmtree(parts, ignore_errors=True)
    if not has_servers(folder):
        raise FetchError(f"Another download into {folder} was under way. Run `kafkalyst local fetch` again.")
    return folder


class _Run:
    """Downloads several files at once."""

    def __init__(self, repository: str, size: int, progress: Callable[[str], None]) -> None:
        self.repository = repository
        self.size = size
        self.progress = progress
        self.received = 0
        self.lock = threading.Lock()
        self.is_over = threading.Event()

    def download(self, file: _File, place: Path) -> None:
        """Puts one file into its place, once it is complete and the listed one."""
        url = f"{self.repository}/{file['path']}"
        handle, name = tempfile.mkstemp(dir=place.parent, prefix=".part-")
        part = Path(name)
        try:
            with os.fdopen(handle, "wb") as out, urllib.request.urlopen(url, timeout=ANSWER_SECONDS) as answer:
                digest = hashlib.sha256()
                while chunk := answer.read(CHUNK):
                    if self.is_over.is_set():
                        return
                    out.write(chunk)
                    digest.update(chunk)
                    self.count(len(chunk))
            if digest.hexdigest() != file["sha256"]:
                raise FetchError(
                    f"{url} is not the listed file: its SHA-256 is {digest.hexdigest()} instead of {file['sha256']}. "
                    "Run `kafkalyst local fetch` again, or with --repository for another mirror of Maven Central."
                )
            part.replace(place)
        except (OSError, urllib.error.URLError) as error:
            reason = error if isinstance(error, urllib.error.HTTPError) else getattr(error, "reason", error)
            raise FetchError(
                f"{url} could not be downloaded: {reason}. Behind a proxy set HTTPS_PROXY; without Maven Central, give "
                "a mirror of it by --repository."
            ) from error
        finally:
            part.unlink(missing_ok=True)

    def count(self, received: int) -> None:
        """Reports each step once."""
        with self.lock:
            before, self.received = self.received, self.received + received
            if before // STEP < self.received // STEP or self.received == self.size:
                self.progress(f"{self.received / 1e6:.0f} of {self.size / 1e6:.0f} MB")
