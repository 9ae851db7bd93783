"""The base of all serializers and deserializers: framing of bytes, subjects, and look-up of schemas."""

from __future__ import annotations

import struct
import uuid
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, TypeVar

from kafkalyst.serdes.registry import Registry, RegistryError, Schema

MAGIC = 0
GUID_MAGIC = 1
HEADER_LENGTH = 5
GUID_LENGTH = 17
STRATEGIES = ("TopicName", "RecordName", "TopicRecordName")
T = TypeVar("T")


class SerdeError(ValueError):
    """A value or bytes do not fit the schema; the message names topic, side and reason."""


@dataclass(frozen=True)
class Context:
    """The place of a value, like confluent-kafka's SerializationContext, which works too: `field` is key or value."""

    topic: str
    field: str = "value"
    headers: Iterable[tuple[str, bytes | None]] | None = None


def side(context: Any) -> str:
    """`key` or `value`, also if the field is a member of an enum."""
    return str(getattr(context.field, "value", context.field))


def place(context: Any) -> str:
    """The place of a value for error messages."""
    return "a value" if context is None else f"{side(context)} of topic {context.topic}"


class Serializer(ABC):
    """Turns values into bytes. None becomes None, Kafka's null, without a request to the registry.

    Args:
        registry: the registry, or its address.
        schema: the schema to write with; None: the subject's latest at the first value.
        subject: the schema's subject, instead of the strategy's.
        subject_strategy: TopicName, RecordName or TopicRecordName, as in VALUE_SUBJECT_STRATEGY.
        auto_register: whether a schema that the subject lacks is registered; otherwise it is refused.
    """

    def __init__(
        self,
        registry: Registry | str,
        schema: Schema | None,
        *,
        subject: str | None = None,
        subject_strategy: str = "TopicName",
        auto_register: bool = True,
    ) -> None:
        if subject_strategy not in STRATEGIES:
            raise ValueError(f"subject_strategy {subject_strategy!r} is not one of {', '.join(STRATEGIES)}")
        if schema is None and subject is None and subject_strategy != "TopicName":
            raise ValueError(f"{subject_strategy} needs a schema, whose record it is named by")
        self.registry = Registry(registry) if isinstance(registry, str) else registry
        self.schema = schema
        self._subject = subject
        self._strategy = subject_strategy
        self._register = auto_register
        self._found: dict[str, tuple[int, Schema]] = {}

    def __call__(self, value: Any, context: Any = None) -> bytes | None:
        """The bytes of a value. Raises SerdeError if it does not fit the schema, RegistryError."""
        if value is None:
            return None
        schema_id, schema = self._schema(self.subject(context))
        try:
            body = self.encode(value, schema)
        except SerdeError as error:
            raise SerdeError(f"{place(context)} does not fit schema {schema_id}: {error}") from error.__cause__
        return struct.pack(">bI", MAGIC, schema_id) + body

    def subject(self, context: Any) -> str:
        """The schema's subject. Raises ValueError if it cannot be determined."""
        if self._subject is not None:
            return self._subject
        if self._strategy != "RecordName" and context is None:
            raise ValueError(f"{self._strategy} needs the topic: give a Context, or a subject")
        if self._strategy == "TopicName":
            return f"{context.topic}-{side(context)}"
        name = self.record_name()
        if name is None:
            raise ValueError(f"{self._strategy}: the schema has no name; give a subject")
        return name if self._strategy == "RecordName" else f"{context.topic}-{name}"

    def _schema(self, subject: str) -> tuple[int, Schema]:
        found = self._found.get(subject)
        if found is None:
            written = self.written()
            if written is None:
                found = self.registry.latest(subject)
            else:
                ask = self.registry.register if self._register else self.registry.lookup
                found = ask(subject, written), written
            self._found[subject] = found
        return found

    def written(self) -> Schema | None:
        """The schema that values are written with; None: the subject's latest. Raises RegistryError."""
        return self.schema

    @abstractmethod
    def encode(self, value: Any, schema: Schema) -> bytes:
        """The bytes after the schema id. Raises SerdeError with the reason alone."""

    @abstractmethod
    def record_name(self) -> str | None:
        """The full name of the schema's record; None if it has no name."""


class Deserializer(ABC):
    """Turns bytes into values, each by the schema that it was written with. None stays None.

    The id before the bytes names the schema, or the GUID in the header `__key_schema_id` or `__value_schema_id`, if the
    context has headers.

    Args:
        registry: the registry, or its address.
    """

    type: str

    def __init__(self, registry: Registry | str) -> None:
        self.registry = Registry(registry) if isinstance(registry, str) else registry

    def __call__(self, data: bytes | None, context: Any = None) -> Any:
        """The value of bytes.

        Raises:
            SerdeError: for bytes that are not in the format, or whose schema the registry does not know.
            RegistryError: when the registry refuses or does not answer: the same bytes may be read later.
        """
        if data is None:
            return None
        try:
            schema, body = self._opened(data, context)
            if schema.type != self.type:
                raise SerdeError(f"its schema is of type {schema.type}, not {self.type}")
            return self.decode(body, schema)
        except SerdeError as error:
            raise SerdeError(f"{place(context)}: {error}") from error.__cause__

    def _opened(self, data: bytes, context: Any) -> tuple[Schema, bytes]:
        """The schema that bytes were written with, and the bytes after its id."""
        header = _header(context)
        if header is not None and len(header) >= GUID_LENGTH and header[0] == GUID_MAGIC:
            guid = str(uuid.UUID(bytes=bytes(header[1:GUID_LENGTH])))
            return _there(guid, self.registry.by_guid), header[GUID_LENGTH:] + data
        framed = data if header is None else header + data
        if len(framed) < HEADER_LENGTH or framed[0] != MAGIC:
            raise SerdeError(f"no schema id: 0x00 and four bytes are expected, found {framed[:8].hex() or 'nothing'}")
        (schema_id,) = struct.unpack_from(">I", framed, 1)
        return _there(schema_id, self.registry.by_id), framed[HEADER_LENGTH:]

    @abstractmethod
    def decode(self, body: bytes, schema: Schema) -> Any:
        """The value of the bytes after the schema id. Raises SerdeError with the reason alone."""


def varint(number: int) -> bytes:
    """A non-negative number as a zigzag varint."""
    left, out = number << 1, bytearray()
    while left > 0x7F:
        out.append(left & 0x7F | 0x80)
        left >>= 7
    out.append(left)
    return bytes(out)


def _there(name: T, look: Callable[[T], Schema]) -> Schema:
    """The schema of an id or GUID. Raises SerdeError if the registry does not know it, RegistryError otherwise."""
    try:
        return look(name)
    except RegistryError as error:
        if not error.is_not_found:
            raise
        raise SerdeError(f"schema {name} could not be read: {error}") from error


def _header(context: Any) -> bytes | None:
    headers = getattr(context, "headers", None)
    if not headers:
        return None
    pairs = headers.items() if isinstance(headers, dict) else headers
    return next((value for name, value in reversed(list(pairs)) if name == f"__{side(context)}_schema_id"), None)
