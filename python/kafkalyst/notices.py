"""Holds back the stderr of a starting JVM, and shows it only if the start fails."""

from __future__ import annotations

import os
import threading


class Notices:
    """Wraps the start of a JVM, whose stderr is a pipe: output within the block is held back."""

    def __init__(self, shown: bool) -> None:
        self._shown = shown
        self._kept: list[bytes] = []
        self._lock = threading.Lock()

    def __enter__(self) -> None:
        reading, writing = os.pipe()
        self._stderr = os.dup(2)
        os.dup2(writing, 2)
        os.close(writing)
        threading.Thread(target=self._pump, args=(reading,), name="stderr", daemon=True).start()

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        os.dup2(self._stderr, 2)
        with self._lock:
            self._shown = True
            if kind is not None:
                os.write(self._stderr, b"".join(self._kept)[-4000:])
            self._kept.clear()

    def _pump(self, reading: int) -> None:
        """Forwards later output of the JVM to this process's own stderr."""
        while data := os.read(reading, 65536):
            with self._lock:
                if self._shown:
                    os.write(self._stderr, data)
                else:
                    self._kept.append(data)
