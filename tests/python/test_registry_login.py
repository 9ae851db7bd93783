"""Which hosts get a registry's login."""

from __future__ import annotations

import http.server
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from kafkalyst.serdes.registry import Registry


@contextmanager
def server(location: str | None) -> Iterator[tuple[int, list[str | None]]]:
    """An HTTP server that answers `[]`, or redirects: its port, and the received logins."""
    logins: list[str | None] = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            """Records the login."""
            logins.append(self.headers["Authorization"])
            self.send_response(302 if location else 200)
            if location:
                self.send_header("Location", location + self.path)
            self.send_header("Content-Length", "2")
            self.end_headers()
            self.wfile.write(b"[]")

        def log_message(self, *_: object) -> None:
            """Says nothing."""

    found = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=found.serve_forever, daemon=True).start()
    try:
        yield found.server_port, logins
    finally:
        found.shutdown()
        found.server_close()


@pytest.mark.parametrize("login", [{"user_info": "me:secret"}, {"token": "secret"}])
def test_a_redirect_does_not_take_the_login_along(login: dict[str, str]) -> None:
    """The first server gets the login; the redirect's target does not."""
    with server(None) as (there, elsewhere), server(f"http://localhost:{there}") as (here, own):
        assert Registry(f"http://127.0.0.1:{here}", **login).call("GET", "/subjects") == []
        assert own[0] is not None
        assert elsewhere == [None]
