"""AVRO, by fastavro."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from typing import Any

from kafkalyst.extras import needed
from kafkalyst.serdes.base import Deserializer, SerdeError, Serializer, varint
from kafkalyst.serdes.registry import Reference, Registry, Schema


class AvroSerializer(Serializer):
    """Turns values of fastavro's types (records as dicts) into bytes.

    Args:
        registry: the registry, or its address.
        schema: Avro's JSON, as text or parsed; None: the subject's latest.
        references: schemas that the schema refers to by name.
        options: `subject`, `subject_strategy`, `auto_register`, as for every `Serializer`.
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
        buffer = io.BytesIO()
        try:
            fastavro.schemaless_writer(buffer, parsed, value)
        except Exception as error:  # fastavro has no class for values that do not fit
            raise SerdeError(f"{type(error).__name__}: {error}") from error
        data = buffer.getvalue()
        return data[_length_length(data) :] if _is_bytes(parsed) else data

    def record_name(self) -> str | None:
        """See `Serializer`."""
        parsed = json.loads(self.schema.text) if self.schema else None
        if not isinstance(parsed, dict) or "name" not in parsed:
            return None
        name, namespace = parsed["name"], parsed.get("namespace")
        return name if "." in name or not namespace else f"{namespace}.{name}"


class AvroDeserializer(Deserializer):
    """Turns bytes into values of fastavro's types: dicts, with Python's own dates, times and decimals.

    Args:
        registry: the registry, or its address.
        schema: the reader's schema; records are resolved to it by Avro's rules. None: each record's own schema.
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
        reader = self._parsed(self._reader) if self._reader else None
        data = varint(len(body)) + body if _is_bytes(writer) else body
        buffer = io.BytesIO(data)
        try:
            value = fastavro.schemaless_reader(buffer, writer, reader)
        except Exception as error:  # bytes that do not fit the schema raise anything
            raise SerdeError(f"{type(error).__name__}: {error}") from error
        if left := len(data) - buffer.tell():
            raise SerdeError(f"{left} byte{'s follow' if left > 1 else ' follows'} the value")
        return value


class _Parsed:
    """Parses schemas for fastavro, each once."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry
        self._known: dict[Schema, Any] = {}

    def __call__(self, schema: Schema) -> Any:
        if schema not in self._known:
            from fastavro import parse_schema

            imports, named = self._registry.imports(schema), dict[str, Any]()
            try:
                for imported in imports.values():
                    parse_schema(json.loads(imported.text), named)
                parsed = parse_schema(json.loads(schema.text), dict(named))
                # fastavro parses a union or an array of imported names again, without the imports.
                self._known[schema] = parse_schema(_whole(parsed, named), {}, _force=True) if named else parsed
            except Exception as error:  # not JSON, or not Avro
                raise SerdeError(f"the schema is not Avro's: {type(error).__name__}: {error}") from error
        return self._known[schema]


def _whole(parsed: Any, named: dict[str, Any]) -> Any:
    """A parsed schema with the definition of each of these names at its first use."""
    if isinstance(parsed, str):
        return _whole(named.pop(parsed), named) if parsed in named else parsed
    if isinstance(parsed, list):
        return [_whole(part, named) for part in parsed]
    if "name" in parsed:
        named.pop(parsed["name"], None)
    inner = {key: _whole(parsed[key], named) for key in ("type", "items", "values") if key in parsed}
    if "fields" in parsed:
        inner["fields"] = [field | {"type": _whole(field["type"], named)} for field in parsed["fields"]]
    return {key: value for key, value in parsed.items() if not key.startswith("__")} | inner


def _is_bytes(parsed: Any) -> bool:
    """Whether a schema is just `bytes`, which are written without their length, as by Confluent's own serializers."""
    return bool((parsed.get("type") if isinstance(parsed, dict) else parsed) == "bytes")


def _length_length(data: bytes) -> int:
    """The number of bytes of the length at the beginning of the data."""
    return next(i for i, byte in enumerate(data, 1) if byte < 0x80)


def avro_encoder(registry: str, subject: str, schema: dict[str, Any]) -> Callable[[object], bytes]:
    """Registers a schema and returns a function that encodes a record (of fastavro's types) in the wire format."""
    serializer = AvroSerializer(registry, schema, subject=subject)
    serializer.registry.register(subject, Schema(json.dumps(schema)))

    def encode(record: object) -> bytes:
        data = serializer(record)
        assert data is not None
        return data

    return encode
