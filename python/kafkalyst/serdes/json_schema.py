"""JSON_SR: the id of a JSON Schema, then JSON."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import urljoin

from kafkalyst.extras import needed
from kafkalyst.serdes.base import Deserializer, SerdeError, Serializer
from kafkalyst.serdes.registry import Reference, Registry, Schema


class JsonSerializer(Serializer):
    """Turns values that the module json accepts into bytes.

    Args:
        registry: the registry, or its address.
        schema: JSON Schema, as text or parsed; None: the subject's latest.
        references: schemas that the schema's `$ref` name.
        validate: refuse values that the schema does not allow, by jsonschema.
        options: `subject`, `subject_strategy`, `auto_register`, as of every `Serializer`.
    """

    def __init__(
        self,
        registry: Registry | str,
        schema: object = None,
        *,
        references: tuple[Reference, ...] = (),
        validate: bool = True,
        **options: Any,
    ) -> None:
        text = schema if isinstance(schema, str) else json.dumps(schema)
        super().__init__(registry, None if schema is None else Schema(text, "JSON", references), **options)
        self._valid = _Valid(self.registry) if validate else None

    def encode(self, value: Any, schema: Schema) -> bytes:
        """See `Serializer`."""
        try:
            data = json.dumps(value, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode()
        except (TypeError, ValueError, RecursionError) as error:
            raise SerdeError(str(error)) from error
        if self._valid:
            self._valid(value, schema)
        return data

    def record_name(self) -> str | None:
        """See `Serializer`: the schema's title."""
        parsed = json.loads(self.schema.text) if self.schema else None
        return parsed.get("title") if isinstance(parsed, dict) else None


class JsonDeserializer(Deserializer):
    """Turns bytes into values of the module json.

    Args:
        registry: the registry, or its address.
        validate: refuse values that their schema does not allow, by jsonschema.
    """

    type = "JSON"

    def __init__(self, registry: Registry | str, *, validate: bool = False) -> None:
        super().__init__(registry)
        self._valid = _Valid(self.registry) if validate else None

    def decode(self, body: bytes, schema: Schema) -> Any:
        """See `Deserializer`."""
        try:
            value = json.loads(body)
        except (ValueError, RecursionError) as error:
            raise SerdeError(f"no JSON: {error}") from error
        if self._valid:
            self._valid(value, schema)
        return value


class _Valid:
    """Validates values against schemas; parses each schema once."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry
        self._known: dict[Schema, Any] = {}

    def __call__(self, value: Any, schema: Schema) -> None:
        if schema not in self._known:
            self._known[schema] = self._validator(schema)
        try:
            error = next(self._known[schema].iter_errors(value), None)
        except Exception as failed:  # a $ref to nothing, a pattern that Python does not know, a schema without end
            raise SerdeError(f"its schema cannot check it: {type(failed).__name__}: {failed}") from failed
        if error is not None:
            raise SerdeError(f"{error.json_path}: {error.message}") from error

    def _validator(self, schema: Schema) -> Any:
        with needed("serdes", "Validating JSON"):
            import jsonschema
            import referencing
            from referencing.jsonschema import DRAFT7
        imports = self._registry.imports(schema)
        try:
            parsed = json.loads(schema.text)
            contents = {name: json.loads(imported.text) for name, imported in imports.items()}
            # A relative $ref is resolved against the $id of its schema.
            bases = {"", *(str(each["$id"]) for each in (parsed, *contents.values()) if _has_id(each))}
            resources = [
                (urljoin(base, name), referencing.Resource.from_contents(content, default_specification=DRAFT7))
                for name, content in contents.items()
                for base in sorted(bases)
            ]
            kind = jsonschema.validators.validator_for(parsed, default=jsonschema.Draft7Validator)
            return kind(parsed, registry=referencing.Registry().with_resources(resources))
        except Exception as error:
            raise SerdeError(f"its schema cannot be read: {type(error).__name__}: {error}") from error


def _has_id(schema: Any) -> bool:
    return isinstance(schema, dict) and isinstance(schema.get("$id"), str)
