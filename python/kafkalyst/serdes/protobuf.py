"""PROTOBUF: a schema id, the message's indexes in the schema, then the message, by classes that protoc generated."""

from __future__ import annotations

import base64
import re
from functools import lru_cache
from typing import Any, TypeAlias

from kafkalyst.extras import needed
from kafkalyst.serdes.base import Deserializer, SerdeError, Serializer, varint
from kafkalyst.serdes.registry import Reference, Registry, Schema

MOST_LEVELS = 100
# Files that every reader has, and that clients do not register.
BUILT_IN = ("google/protobuf/", "google/type/", "confluent/")
# Messages in their order, each with its name and nested messages.
_Tree: TypeAlias = "list[tuple[str, _Tree]]"
WORDS = re.compile(r"""//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|[\w.]+|[^\s\w]""", re.DOTALL)


class ProtobufSerializer(Serializer):
    """Turns messages into bytes.

    Args:
        registry: the registry, or its address.
        message_type: the generated class of the messages.
        schema: the text of its .proto file; None: the class's own descriptor in base64, as Confluent's client for
            Python does. The subject's latest is never used, because the class determines the schema.
        references: the imported files, by the names in the import statements. None, without `schema`: the imports of
            the class's own file, except Google's and Confluent's, each under its name as the subject, as Confluent's
            client does.
        options: `subject`, `subject_strategy`, `auto_register`, as for every `Serializer`.
    """

    def __init__(
        self,
        registry: Registry | str,
        message_type: Any,
        schema: str | None = None,
        *,
        references: tuple[Reference, ...] | None = None,
        **options: Any,
    ) -> None:
        descriptor = message_type.DESCRIPTOR
        text = _text(descriptor.file) if schema is None else schema
        super().__init__(registry, Schema(text, "PROTOBUF", references or ()), **options)
        self._type = message_type
        self._imports = schema is None and references is None
        # Descriptors have messages for the entries of maps, texts do not.
        self._indexes = _indexes(_path(descriptor, entries=schema is None))

    def written(self) -> Schema | None:
        """See `Serializer`."""
        if self._imports and self.schema is not None:
            self.schema = self._of_file(self._type.DESCRIPTOR.file)
            self._imports = False
        return self.schema

    def _of_file(self, file: Any) -> Schema:
        """The schema of a file; registers its imports first."""
        references = []
        for imported in file.dependencies:
            if not imported.name.startswith(BUILT_IN):
                name, schema = imported.name, self._of_file(imported)
                if self._register:
                    self.registry.register(name, schema)
                references.append(Reference(name, name, self.registry.version_of(name, schema)))
        return Schema(_text(file), "PROTOBUF", tuple(references))

    def encode(self, value: Any, schema: Schema) -> bytes:
        """See `Serializer`."""
        if not isinstance(value, self._type):
            raise SerdeError(f"it is a {type(value).__name__}, not a {self._type.DESCRIPTOR.full_name}")
        with needed("serdes", "ProtobufSerializer"):
            from google.protobuf.message import EncodeError
        try:
            return self._indexes + bytes(value.SerializeToString())
        except EncodeError as error:
            raise SerdeError(str(error)) from error

    def record_name(self) -> str | None:
        """See `Serializer`: the message's full name."""
        return str(self._type.DESCRIPTOR.full_name)


class ProtobufDeserializer(Deserializer):
    """Turns bytes into messages of a class. Fields that the class lacks are kept as Protobuf's unknown fields.

    Args:
        registry: where schemas are, or its address.
        message_type: the generated class.
    """

    type = "PROTOBUF"

    def __init__(self, registry: Registry | str, message_type: Any) -> None:
        super().__init__(registry)
        self._type = message_type

    def decode(self, body: bytes, schema: Schema) -> Any:
        """See `Deserializer`."""
        with needed("serdes", "ProtobufDeserializer"):
            from google.protobuf.message import DecodeError
        place = body[: _indexes_length(body)]
        own, found = _relative(self._type.DESCRIPTOR), _name(schema.text, tuple(_numbers(place)))
        # The package may differ, for example for a class of a later version.
        if found not in (None, own):
            raise SerdeError(f"it is a message {found}, not {own}")
        try:
            return self._type.FromString(body[len(place) :])
        except DecodeError as error:
            raise SerdeError(f"no {self._type.DESCRIPTOR.full_name}: {error}") from error


def _text(file: Any) -> str:
    """A file's descriptor in the form that registries accept."""
    return base64.b64encode(file.serialized_pb).decode()


def _path(descriptor: Any, entries: bool) -> list[int]:
    """The indexes of a message: of the outermost message in the file, then of each nested one in the one around it."""
    above = descriptor.containing_type
    if above is None:
        return [list(descriptor.file.message_types_by_name).index(descriptor.name)]
    beside = [m.name for m in above.nested_types if entries or not m.GetOptions().map_entry]
    return [*_path(above, entries), beside.index(descriptor.name)]


def _indexes(path: list[int]) -> bytes:
    """The indexes in the wire format; the file's first message is one zero byte."""
    return b"\0" if path == [0] else b"".join(varint(number) for number in (len(path), *path))


def _indexes_length(body: bytes) -> int:
    """The number of bytes of the message's indexes. Raises SerdeError if they are cut off."""
    count, at = _number(body, 0)
    if count > MOST_LEVELS:
        raise SerdeError(f"the message's place in the schema is too deep: {count} levels")
    for _ in range(count):
        _, at = _number(body, at)
    return at


def _numbers(place: bytes) -> list[int]:
    """The message's indexes from their bytes."""
    count, at = _number(place, 0)
    numbers = []
    for _ in range(count):
        number, at = _number(place, at)
        numbers.append(number)
    return numbers or [0]


def _number(body: bytes, at: int) -> tuple[int, int]:
    """A zigzag varint, and the place after it."""
    value = shift = 0
    while True:
        if at >= len(body) or shift > 28:
            raise SerdeError("the message's place in the schema is cut off")
        byte = body[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value >> 1, at


def _relative(descriptor: Any) -> str:
    """A message's name without its package."""
    above = descriptor.containing_type
    return str(descriptor.name) if above is None else f"{_relative(above)}.{descriptor.name}"


@lru_cache(maxsize=1000)
def _name(schema: str, path: tuple[int, ...]) -> str | None:
    """The name, without package, of the message with these indexes; None if it cannot be determined."""
    from google.protobuf.descriptor_pb2 import FileDescriptorProto

    try:
        file = FileDescriptorProto.FromString(base64.b64decode(schema, validate=True))
        tree = _tree_of(file.message_type)
    except Exception:  # not a descriptor, but text
        tree = _tree(schema)
    names = []
    for number in path:
        if number >= len(tree):
            return None
        name, tree = tree[number]
        names.append(name)
    return ".".join(names)


def _tree_of(messages: Any) -> _Tree:
    return [(message.name, _tree_of(message.nested_type)) for message in messages]


def _tree(text: str) -> _Tree:
    """The messages of a text with their nested ones; empty if it has groups, which are messages of another syntax."""
    words = [word for word in WORDS.findall(text) if word[:1] not in ("/", '"', "'")]
    top: _Tree = []
    # For each open brace: the list of its message, or None if it is not a message's.
    within: list[_Tree | None] = [top]
    for i, word in enumerate(words):
        if word == "group" and words[i + 2 : i + 3] == ["="]:
            return []
        if word == "{":
            around, declares = within[-1], words[i - 2 : i - 1] == ["message"]
            own: _Tree | None = [] if declares and around is not None else None
            if own is not None and around is not None:
                around.append((words[i - 1], own))
            within.append(own)
        elif word == "}" and len(within) > 1:
            within.pop()
    return top
