"""PROTOBUF: messages behind a schema id and their place in the schema, by classes that protoc generated."""

from __future__ import annotations

import base64
import re
from functools import lru_cache
from typing import Any, TypeAlias

from kafkalyst.extras import needed
from kafkalyst.serdes.base import Deserializer, SerdeError, Serializer, varint
from kafkalyst.serdes.registry import Reference, Registry, Schema

MOST_LEVELS = 100
# What every reader has, and no client registers.
BUILT_IN = ("google/protobuf/", "google/type/", "confluent/")
# Messages by name in their order, with those within each.
_Tree: TypeAlias = "list[tuple[str, _Tree]]"
WORDS = re.compile(r"""//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|[\w.]+|[^\s\w]""", re.DOTALL)


class ProtobufSerializer(Serializer):
    """Messages to bytes.

    Args:
        registry: where schemas are, or its address.
        message_type: the generated class of the messages.
        schema: the text of its .proto file; None: the class's own descriptor, in base64, as Confluent's client for
            Python does. The subject's latest is never used: messages are of a class.
        references: the imported files, by the names in the import statements. None, without `schema`: the files that
            the class's own imports, but for Google's and Confluent's, each under its name as the subject, as
            Confluent's client does.
        options: `subject`, `subject_strategy`, `auto_register`, as of every `Serializer`.
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
        # Texts have no messages for the entries of maps, descriptors have.
        self._indexes = _indexes(_path(descriptor, entries=schema is None))

    def written(self) -> Schema | None:
        """See `Serializer`."""
        if self._imports and self.schema is not None:
            self.schema = self._of_file(self._type.DESCRIPTOR.file)
            self._imports = False
        return self.schema

    def _of_file(self, file: Any) -> Schema:
        """The schema of a file, whose imports are put into the registry before it."""
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
    """Bytes to messages of a class. Fields that it does not know are kept as unknown, as Protobuf does.

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
        # Its package may differ, as of a class for a later version.
        if found not in (None, own):
            raise SerdeError(f"it is a message {found}, not {own}")
        try:
            return self._type.FromString(body[len(place) :])
        except DecodeError as error:
            raise SerdeError(f"no {self._type.DESCRIPTOR.full_name}: {error}") from error


def _text(file: Any) -> str:
    """A file's descriptor as registries take it."""
    return base64.b64encode(file.serialized_pb).decode()


def _path(descriptor: Any, entries: bool) -> list[int]:
    """The place of a message in its file: that of the outermost one, then that of each within the last."""
    above = descriptor.containing_type
    if above is None:
        return [list(descriptor.file.message_types_by_name).index(descriptor.name)]
    beside = [m.name for m in above.nested_types if entries or not m.GetOptions().map_entry]
    return [*_path(above, entries), beside.index(descriptor.name)]


def _indexes(path: list[int]) -> bytes:
    """As the wire has them; the file's first message is one zero byte."""
    return b"\0" if path == [0] else b"".join(varint(number) for number in (len(path), *path))


def _indexes_length(body: bytes) -> int:
    """How many bytes the message's place takes. Raises SerdeError where it is cut off."""
    count, at = _number(body, 0)
    if count > MOST_LEVELS:
        raise SerdeError(f"the message's place in the schema is too deep: {count} levels")
    for _ in range(count):
        _, at = _number(body, at)
    return at


def _numbers(place: bytes) -> list[int]:
    """What the bytes of a message's place say."""
    count, at = _number(place, 0)
    numbers = []
    for _ in range(count):
        number, at = _number(place, at)
        numbers.append(number)
    return numbers or [0]


def _number(body: bytes, at: int) -> tuple[int, int]:
    """A number in zigzag form, and where the next one begins."""
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
    """The name, without package, of the message at a place of a schema; None where that cannot be told."""
    from google.protobuf.descriptor_pb2 import FileDescriptorProto

    try:
        file = FileDescriptorProto.FromString(base64.b64decode(schema, validate=True))
        tree = _tree_of(file.message_type)
    except Exception:  # it is text
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
    """The messages that a text declares, with those within each; none where it has groups, which count otherwise."""
    words = [word for word in WORDS.findall(text) if word[:1] not in ("/", '"', "'")]
    top: _Tree = []
    # What each open brace belongs to: a message's own list, or nothing.
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
