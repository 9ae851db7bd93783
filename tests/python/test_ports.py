"""Ports that are held for a server are reserved for it."""

from __future__ import annotations

import socket
from contextlib import ExitStack

import pytest

from kafkalyst.ports import HOST, held_ports

MANY = 500


def test_a_held_port_is_nobody_elses() -> None:
    """A server can listen at a held port, and the system gives the port to no other process."""
    with held_ports(3) as ports, ExitStack() as others:
        for port in ports:
            server = others.enter_context(socket.create_server((HOST, port)))
            assert server.getsockname() == (HOST, port)
        for _ in range(MANY):
            other = others.enter_context(socket.socket())
            other.bind((HOST, 0))
            assert other.getsockname()[1] not in ports


def test_a_port_is_let_go() -> None:
    """After the block the port is free."""
    with held_ports(1) as [port], socket.socket() as other, pytest.raises(OSError, match="in use"):
        other.bind((HOST, port))
    with socket.socket() as other:
        other.bind((HOST, port))
