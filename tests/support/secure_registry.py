"""A proxy before the real registry that requires a login, over TLS if wanted.

It is also an OAuth server for one client: `POST /token` gives tokens that the proxy accepts.
"""

from __future__ import annotations

import base64
import json
import ssl
import subprocess
import threading
import urllib.error
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType

from support.patience import PATIENCE_SECONDS


def certificates(folder: Path) -> dict[str, Path]:
    """An authority, and its certificates for localhost and for a client: PEM files by name, from openssl."""

    def openssl(*words: str) -> None:
        subprocess.run(["openssl", *words], cwd=folder, check=True, capture_output=True)

    key = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "30")
    openssl("req", "-x509", *key, "-keyout", "ca.key", "-out", "ca.pem", "-subj", "/CN=Authority of tests")
    signed = ("-CA", "ca.pem", "-CAkey", "ca.key", "-addext", "basicConstraints=critical,CA:FALSE")
    for name, more in (("server", ("-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1")), ("client", ())):
        out = ("-keyout", f"{name}.key", "-out", f"{name}.pem", "-subj", f"/CN={name}")
        openssl("req", "-x509", *key, *out, *signed, *more)
    return {path.stem + path.suffix: path for path in folder.iterdir()}


class SecureRegistry:
    """The proxy, as a context manager.

    Args:
        registry: address of the real registry's Confluent API.
        user: `user:password` that it accepts as a basic login.
        token: a bearer token that it accepts.
        client: `id:secret` of its OAuth client.
        tls: files of `certificates` to speak TLS with; clients then show a certificate if `mtls`.
    """

    def __init__(
        self,
        registry: str,
        user: str | None = None,
        token: str | None = None,
        client: str | None = None,
        tls: dict[str, Path] | None = None,
        mtls: bool = False,
    ) -> None:
        self.registry = registry
        self.client = client
        self.taken = {f"Bearer {token}"} if token else set()
        if user:
            self.taken.add("Basic " + base64.b64encode(user.encode()).decode())
        self.refused = 0
        self.passed = 0
        self.tokens = 0
        self.closed = False
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        if tls:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(tls["server.pem"], tls["server.key"])
            if mtls:
                context.verify_mode = ssl.CERT_REQUIRED
                context.load_verify_locations(tls["ca.pem"])
            self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
        self.address = f"{'https' if tls else 'http'}://localhost:{self._server.server_address[1]}"

    def __enter__(self) -> SecureRegistry:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.closed = True
        self._server.shutdown()
        self._server.server_close()

    def _token(self, authorization: str) -> tuple[int, dict[str, object]]:
        wanted = "Basic " + base64.b64encode(str(self.client).encode()).decode()
        if self.client is None or authorization != wanted:
            return 401, {"error": "invalid_client"}
        self.tokens += 1
        token = f"issued-{self.tokens}"
        self.taken.add(f"Bearer {token}")
        return 200, {"access_token": token, "token_type": "Bearer", "expires_in": 3600}

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        door = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def _answer(self) -> None:
                if door.closed:
                    # Connections that clients keep open end with the server, too.
                    self.close_connection = True
                    return None
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                authorization = self.headers.get("Authorization") or ""
                if self.path == "/token":
                    status, answer = door._token(authorization)
                    return self._send(status, json.dumps(answer).encode())
                if door.taken and authorization not in door.taken:
                    door.refused += 1
                    # A careless server: the error shows the login that it got.
                    text = {"error_code": 401, "message": f"not {authorization}"}
                    return self._send(401, json.dumps(text).encode())
                door.passed += 1
                headers = {"Content-Type": self.headers.get("Content-Type") or "application/json"}
                call = urllib.request.Request(door.registry + self.path, body or None, headers, method=self.command)
                try:
                    with urllib.request.urlopen(call, timeout=PATIENCE_SECONDS) as answered:
                        self._send(answered.status, answered.read())
                except urllib.error.HTTPError as error:
                    self._send(error.code, error.read())

            def _send(self, status: int, body: bytes) -> None:
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                if status != 204:
                    self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            do_GET = do_POST = do_PUT = do_DELETE = _answer

            def log_message(self, format: str, *args: object) -> None:
                """Says nothing."""

        return Handler
