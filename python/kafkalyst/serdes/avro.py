"""AVRO, by fastavro."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from typing import Any

from kafkalyst.extras import needed
from kafkalyst.serdes.base import Deserializer, SerdeError, Serializer
from kafkalyst.serdes.registry import Reference, Registry, Schema


class AvroSerializer(Serializer):
    """Values as fastavro takes them (records as dicts) to bytes.

    Args:
        registry: where schemas are, or its address.
        schema: Avro's JSON, as text or read; None: the subject's latest.
        references: what the schema refers to by name.
        options: `subject`, `subject_strategy`, `auto_register`, as of every `Serializer`.
    """

    def __init__(
        self, registry: Registry | str, schema: object = None, *, references: tuple[Reference, ...] = (), **options: Any
    ) -> None:
        text = schema if isinstance(schema, str) and schema.lstrip()[:1] in ("{", "[", '"') else json.dumps(schema)
        super().__init__(registry, None if schema is None else Schema(text, "AVRO", references), **options)
        self._parsed = _Parsed(self.registry)

    def encode(self, value: Any, schema: Schema) -> bytes:
        """See `Serializer`."""
        with needed("serdes", "AvroSerializer"):
            import fastavro
        parsed = self._parsed(schema)
        if parsed == "bytes":  # alone, bytes stand without their length, as in Confluent's own serializers
            return bytes(value)
        buffer = io.BytesIO()
        try:
            fastavro.schemaless_writer(buffer, parsed, value)
        except (ValueError, TypeError, AttributeError, KeyError, OverflowError) as error:
            raise SerdeError(f"{type(error).__name__}: {error}") from error
        return buffer.getvalue()

    def record_name(self) -> str | None:
        """See `Serializer`."""
        parsed = json.loads(self.schema.text) if self.schema else None
        if not isinstance(parsed, dict) or "name" not in parsed:
            return None
        name, namespace = parsed["name"], parsed.get("namespace")
        return name if "." in name or not namespace else f"{namespace}.{name}"


class AvroDeserializer(Deserializer):
    """Bytes to what fastavro makes of them: dicts, with dates, times and decimals as Python's own.

    Args:
        registry: where schemas are, or its address.
        schema: the reader's; records are resolved to it by Avro's rules. None: each as it was written.
    """

    type = "AVRO"

    def __init__(self, registry: Registry | str, schema: object = None) -> None:
        super().__init__(registry)
        self._parsed = _Parsed(self.registry)
        self._reader = None if schema is None else Schema(schema if isinstance(schema, str) else json.dumps(schema))

    def decode(self, body: bytes, schema: Schema) -> Any:
        """See `Deserializer`."""
        with needed("serdes", "AvroDeserializer"):
            import fastavro
        writer = self._parsed(schema)
        if writer == "bytes":
            return body
        buffer = io.BytesIO(body)
        try:
            value = fastavro.schemaless_reader(buffer, writer, self._parsed(self._reader) if self._reader else None)
        except (ValueError, TypeError, EOFError, IndexError, KeyError, fastavro.read.SchemaResolutionError) as error:
            raise SerdeError(f"{type(error).__name__}: {error}") from error
        if buffer.tell() != len(body):
            raise SerdeError(f"{len(body) - buffer.tell()} bytes stand behind the value")
        return value


class _Parsed:
    """Schemas as fastavro reads them, each once."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry
        self._known: dict[Schema, Any] = {}

    def __call__(self, schema: Schema) -> Any:
        if schema not in self._known:
            from fastavro import parse_schema

            named: dict[str, Any] = {}
            for imported in self._registry.imports(schema).values():
                parse_schema(json.loads(imported.text), named)
            self._known[schema] = parse_schema(json.loads(schema.text), named)
        return self._known[schema]


def avro_encoder(registry: str, subject: str, schema: dict[str, Any]) -> Callable[[object], bytes]:
    """Registers a schema and returns what turns a record (as fastavro takes it) into bytes in wire format."""
    serializer = AvroSerializer(registry, schema, subject=subject)
    serializer.registry.register(subject, Schema(json.dumps(schema)))

    def encode(record: object) -> bytes:
        data = serializer(record)
        assert data is not None
        return data

    return encode
