"""A registry that lags: a server before the real one, which knows a new schema only after a while."""

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
        # The answer for a schema that it does not know yet.
        self.unknown = json.dumps({"error_code": 40403, "message": "Schema not found"})

    def register(self, subject: str, schema: dict[str, Any], seconds: float) -> int:
        """Registers a schema at the real registry and returns its id, which this server does not know for `seconds`."""
        schema_id = serdes.register(self.registry, subject, schema)
        self.until[schema_id] = time.monotonic() + seconds
        return schema_id

    def answer(self, method: str, path: str, body: bytes) -> tuple[int, bytes]:
        """The real registry's answer, unless the schema is not known here yet."""
        wanted = re.match(r"/schemas/ids/(\d+)", path)
        if wanted and time.monotonic() < self.until.get(int(wanted[1]), 0.0):
            return 404, self.unknown.encode()
        return super().answer(method, path, body)
