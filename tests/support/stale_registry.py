"""A registry that lags: the real one behind a server that does not know a schema until a while after it came."""

from __future__ import annotations

import json
import re
import time
from typing import Any

from kafkalyst import serdes
from support.guid_registry import GuidRegistry


class StaleRegistry(GuidRegistry):
    """The server, as a context manager.

    Args:
        registry: address of the real registry's Confluent API.
    """

    def __init__(self, registry: str) -> None:
        super().__init__(registry)
        self.until: dict[int, float] = {}
        # What it answers of a schema that it does not know yet.
        self.unknown = json.dumps({"error_code": 40403, "message": "Schema not found"})

    def register(self, subject: str, schema: dict[str, Any], seconds: float) -> int:
        """Registers at the real one; the id, which this one does not know for so long."""
        schema_id = serdes.register(self.registry, subject, schema)
        self.until[schema_id] = time.monotonic() + seconds
        return schema_id

    def answer(self, method: str, path: str, body: bytes) -> tuple[int, bytes]:
        """The real registry's answer, unless it is not known here yet."""
        wanted = re.match(r"/schemas/ids/(\d+)", path)
        if wanted and time.monotonic() < self.until.get(int(wanted[1]), 0.0):
            return 404, self.unknown.encode()
        return super().answer(method, path, body)
