"""A registry with GUIDs: a server before the real one, which adds them as Confluent 8's API documents it.

Answers with a schema id also have its `guid`, and `GET /schemas/guids/{guid}` gives the schema.
"""

from __future__ import annotations

import json
import re
import threading
import urllib.error
import urllib.request
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any

from support.patience import PATIENCE_SECONDS


def guid_of(schema_id: int) -> str:
    """The GUID of an id."""
    return str(uuid.uuid5(uuid.NAMESPACE_URL, f"schema-{schema_id}"))


class GuidRegistry:
    """The server, as a context manager.

    Args:
        registry: address of the real registry's Confluent API.
    """

    def __init__(self, registry: str) -> None:
        self.registry = registry
        self.ids: dict[str, int] = {}
        self.asked = 0
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self.address = f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> GuidRegistry:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()

    def answer(self, method: str, path: str, body: bytes) -> tuple[int, bytes]:
        """The real registry's answer, with GUIDs."""
        wanted = re.fullmatch(r"/schemas/guids/([^/?]+)(\?.*)?", path)
        if wanted:
            self.asked += 1
            if wanted[1] not in self.ids:
                return 404, json.dumps({"error_code": 40403, "message": "Schema not found"}).encode()
            status, found = self._pass("GET", f"/schemas/ids/{self.ids[wanted[1]]}", b"")
            # The answer has the schema and its GUID, but no id, which differs in each registry.
            return status, json.dumps(json.loads(found) | {"guid": wanted[1]}).encode()
        status, found = self._pass(method, path, body)
        known = re.fullmatch(r"/schemas/ids/(\d+)(\?.*)?", path)
        text: Any = json.loads(found or b"null")
        if status == 200 and isinstance(text, dict) and (known or "id" in text):
            schema_id = int(known[1]) if known else text["id"]
            text["guid"] = guid_of(schema_id)
            self.ids[text["guid"]] = schema_id
            found = json.dumps(text).encode()
        return status, found

    def _pass(self, method: str, path: str, body: bytes) -> tuple[int, bytes]:
        headers = {"Content-Type": "application/json"}
        call = urllib.request.Request(self.registry + path, body or None, headers, method=method)
        try:
            with urllib.request.urlopen(call, timeout=PATIENCE_SECONDS) as answered:
                return answered.status, answered.read()
        except urllib.error.HTTPError as error:
            return error.code, error.read()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            def _answer(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                status, answer = server.answer(self.command, self.path, body)
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.end_headers()
                self.wfile.write(answer)

            do_GET = do_POST = do_PUT = do_DELETE = _answer

            def log_message(self, format: str, *args: object) -> None:
                """Says nothing."""

        return Handler
