"""A registry in memory, for serializers without servers; and a server with prepared answers."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from kafkalyst.serdes import Registry, RegistryError, Schema


class FakeRegistry(Registry):
    """Schemas, numbered in the order of registration."""

    def __init__(self, *schemas: Schema) -> None:
        super().__init__("http://none")
        self.schemas = list(schemas)

    def register(self, subject: str, schema: Schema) -> int:
        """Adds a schema and returns its number."""
        if schema not in self.schemas:
            self.schemas.append(schema)
        return self.schemas.index(schema) + 1

    def by_id(self, schema_id: int) -> Schema:
        """The schema of an id, as a registry returns it."""
        if not 1 <= schema_id <= len(self.schemas):
            raise RegistryError("Schema not found", 404, 40403)
        return self.schemas[schema_id - 1]

    def version(self, subject: str, version: int) -> Schema:
        """The subject is a schema's number."""
        return self.by_id(int(subject))


@contextmanager
def raw_server(answers: Sequence[bytes]) -> Iterator[tuple[str, list[bytes]]]:
    """Answers connections with these bytes in turn, from then on with the last: its address, and the requests."""
    requests: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def run() -> None:
            while True:
                try:
                    connection, _ = listening.accept()
                except OSError:
                    return
                with connection:
                    requests.append(connection.recv(65536))
                    connection.sendall(answers[min(len(requests), len(answers)) - 1])

        threading.Thread(target=run, daemon=True).start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}", requests
        listening.shutdown(socket.SHUT_RDWR)


def http(body: str, status: int = 200) -> bytes:
    """An HTTP answer."""
    data = body.encode()
    return b"HTTP/1.1 %d X\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s" % (status, len(data), data)
