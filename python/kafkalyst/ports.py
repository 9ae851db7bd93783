"""Ports for servers that are told theirs before they start."""

from __future__ import annotations

import contextlib
import socket
import sys
from collections.abc import Iterator

HOST = "127.0.0.1"


@contextlib.contextmanager
def held_ports(count: int) -> Iterator[list[int]]:
    """Loopback ports, all different, that no other process is given as "any free one" while they are held.

    The server that is told one may listen on it nevertheless, as Java's do: two sockets may have a port where both say
    SO_REUSEADDR and one of them does not listen. That is so on Linux (`man 7 socket`); elsewhere they are let go at
    once, and were free a moment ago.

    Args:
        count: how many.
    """
    with contextlib.ExitStack() as holding:
        sockets = [holding.enter_context(socket.socket()) for _ in range(count)]
        for each in sockets:
            each.bind((HOST, 0))
            # Later than its port, or another one's could be shared.
            each.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        ports = [each.getsockname()[1] for each in sockets]
        if sys.platform != "linux":
            holding.close()
        yield ports
