"""A TCP proxy that misbehaves on demand, between clients and servers."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import struct
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from types import TracebackType

CHUNK = 16384
END_TXN = 26
HTTP = (b"GET /", b"POST /", b"PUT /", b"DELETE /")
UNKNOWN_SERVER_ERROR = -1


@dataclass(frozen=True)
class Fault:
    """A fault of all connections, including those that exist when it begins.

    Args:
        reset_after: bytes from the server until the connection is reset.
        silent_after: bytes from the server until nothing more passes, while the connection stays open.
        rate: bytes a second in each direction.
        latency: seconds by which everything is delayed.
    """

    reset_after: int | None = None
    silent_after: int | None = None
    rate: int | None = None
    latency: float = 0


class FaultProxy:
    """Passes connections on to a server, as a context manager that listens at `port` from the beginning.

    `fault` may be set at any time, also to None. `kafka` counts the requests of Kafka's protocol by their API keys,
    `http` those of HTTP.
    `commits` are the next commits of transactions that are answered with an unknown error: True for one that the broker
    carries out, False for one that becomes an abort.

    Args:
        target: host:port of the server; may be set later.
    """

    def __init__(self, target: str = "") -> None:
        self.target = target
        self.fault: Fault | None = None
        self.kafka: Counter[int] = Counter()
        self.http = 0
        self.commits: list[bool] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> FaultProxy:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._listener.close()

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_until_complete(asyncio.start_server(self._serve, sock=self._listener))
        self._loop.run_forever()
        for task in asyncio.all_tasks(self._loop):
            task.cancel()
        self._loop.run_until_complete(self._loop.shutdown_asyncgens())

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        host, _, port = self.target.rpartition(":")
        with contextlib.suppress(OSError, asyncio.CancelledError):
            there, back = await asyncio.open_connection(host, int(port))
            ends = _Ends(self.commits)
            ways = [
                asyncio.ensure_future(self._pass(reader, back, _Frames(self.kafka), ends.request, fromserver=False)),
                asyncio.ensure_future(self._pass(there, writer, None, ends.answer, fromserver=True)),
            ]
            try:
                await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for way in ways:
                    way.cancel()
                if any(way.done() and not way.cancelled() and isinstance(way.exception(), _Reset) for way in ways):
                    _reset(writer)
                back.close()
                writer.close()

    async def _pass(
        self,
        source: asyncio.StreamReader,
        sink: asyncio.StreamWriter,
        frames: _Frames | None,
        changed: Callable[[bytes], bytes],
        fromserver: bool,
    ) -> None:
        passed, since = 0, self.fault
        while data := await source.read(CHUNK):
            fault = self.fault
            if fault is not since:
                passed, since = 0, fault
            if frames is not None:
                frames.take(data)
                self.http += data.startswith(HTTP)
            if fault is not None:
                if fault.latency:
                    await asyncio.sleep(fault.latency)
                if fault.rate is not None:
                    await asyncio.sleep(len(data) / fault.rate)
                room = min((n for n in (fault.reset_after, fault.silent_after) if n is not None), default=None)
                if fromserver and room is not None and passed + len(data) > room:
                    sink.write(data[: max(0, room - passed)])
                    await sink.drain()
                    if fault.reset_after is not None:
                        raise _Reset
                    while self.fault is fault:  # half open: neither side hears from the other
                        await asyncio.sleep(0.1)
                    raise _Reset
            passed += len(data)
            sink.write(changed(data))
            await sink.drain()


class _Reset(Exception):
    """Raised to reset the connection."""


def _reset(writer: asyncio.StreamWriter) -> None:
    """Closes the connection by a reset instead of an orderly end."""
    connection: socket.socket = writer.get_extra_info("socket")
    with contextlib.suppress(OSError):
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()


class _Frames:
    """Counts the requests of a stream of Kafka's protocol: a length in four bytes, then the API key in two."""

    def __init__(self, counts: Counter[int]) -> None:
        self._counts = counts
        self._rest = b""

    def take(self, data: bytes) -> None:
        """The next bytes of the stream."""
        self._rest += data
        while len(self._rest) >= 6:
            length, key = struct.unpack(">ih", self._rest[:6])
            if not 2 <= length <= 1 << 27:  # not Kafka's
                self._rest = b""
                return
            if len(self._rest) < 4 + length:
                return
            self._counts[key] += 1
            self._rest = self._rest[4 + length :]


class _Ends:
    """Changes requests that end a transaction, and their answers. A client sends one alone and waits for its answer."""

    def __init__(self, commits: list[bool]) -> None:
        self._commits = commits
        self._changed: bytes | None = None

    def request(self, data: bytes) -> bytes:
        """The request with its last field but the empty tags, `committed`, as wanted."""
        if not self._commits or len(data) < 12 or struct.unpack(">h", data[4:6])[0] != END_TXN:
            return data
        self._changed = data[8:12]
        return data if self._commits.pop(0) else data[:-2] + b"\x00" + data[-1:]

    def answer(self, data: bytes) -> bytes:
        """The answer to a changed request: length, correlation id, tags, throttle time, then the error."""
        if self._changed is None or data[4:8] != self._changed:
            return data
        self._changed = None
        return data[:13] + struct.pack(">h", UNKNOWN_SERVER_ERROR) + data[15:]
