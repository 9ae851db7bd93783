"""Ports for servers that need theirs before they start."""

from __future__ import annotations

import contextlib
import socket
import sys
from collections.abc import Iterator

HOST = "127.0.0.1"


@contextlib.contextmanager
def held_ports(count: int) -> Iterator[list[int]]:
    """Different loopback ports that the system gives to no other process as a free port while they are held.

    A server can still listen on a held port, as Java's servers do: two sockets may share a port if both set
    SO_REUSEADDR and one of them does not listen. This holds on Linux (`man 7 socket`); on other systems the ports are
    released at once, and were free a moment ago.

    Args:
        count: how many.
    """
    with contextlib.ExitStack() as holding:
        sockets = [holding.enter_context(socket.socket()) for _ in range(count)]
        for each in sockets:
            each.bind((HOST, 0))
            # Set after bind, or the system could choose a port that another process shares.
            each.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        ports = [each.getsockname()[1] for each in sockets]
        if sys.platform != "linux":
            holding.close()
        yield ports
