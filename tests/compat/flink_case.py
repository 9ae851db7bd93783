"""A table that Flink and Kafkalyst both write and read: one text of columns and options for both."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Case:
    """A table, and rows that Flink writes into it.

    Attributes:
        columns: what CREATE TABLE has in its parentheses
        options: the WITH clause without addresses and topic
        rows: what INSERT has behind VALUES; one text that begins with SELECT is a query
        written: the columns of the INSERT; all columns without it
        selected: what is read and compared
        partitions: of the topic
        here: options that are others here
        unlike: why records are not the same bytes, whoever writes the row
    """

    name: str
    columns: str
    options: Mapping[str, str]
    rows: Sequence[str] | str
    written: str = "*"
    selected: str = "*"
    partitions: int = 1
    here: Mapping[str, str] | None = None
    unlike: str = ""

    @property
    def is_upsert(self) -> bool:
        """Whether the table has the latest row of each key."""
        return self.options.get("connector") == "upsert-kafka"

    def as_here(self) -> Case:
        """The same with the options that are others here."""
        if not self.here:
            return self
        own = {option: value for option, value in self.options.items() if not option.startswith("protobuf.")}
        return replace(self, options={**own, **self.here})

    @property
    def is_log(self) -> bool:
        """Whether records are events with changes."""
        format_ = self.options.get("format", self.options.get("value.format", ""))
        return format_.startswith(("debezium", "canal", "maxwell", "ogg"))


def kafka(format_: str, **more: str) -> dict[str, str]:
    """Options of the kafka connector with one format; names have `__` for a point and `_` for a hyphen."""
    return {"connector": "kafka", "format": format_, **_named(more)}


def keyed(key: str, value: str, fields: str, **more: str) -> dict[str, str]:
    """The same with a key."""
    sides = {"key.format": key, "value.format": value, "key.fields": fields}
    return {"connector": "kafka", **sides, **_named(more)}


def upsert(key: str, value: str, **more: str) -> dict[str, str]:
    """Options of the upsert-kafka connector."""
    return {"connector": "upsert-kafka", "key.format": key, "value.format": value, **_named(more)}


def _named(options: Mapping[str, str]) -> dict[str, str]:
    return {_name(name): value for name, value in options.items()}


def _name(option: str) -> str:
    name = option.replace("__", ".").replace("_", "-")
    return name.replace("timestamp-mapping", "timestamp_mapping")


# The message of the table `protobuf`: Flink reads and writes it by a class.
ROW_MESSAGE = """
syntax = "proto3";
package itself;
option java_package = "itself";
option java_multiple_files = true;
message Inner { int32 x = 1; string y = 2; }
message Row {
  bool bo = 1; int32 i = 2; int64 bi = 3; float fl = 4; double db = 5; string st = 6; bytes bs = 7;
  repeated int32 ar = 8; map<string, int32> ma = 9; Inner ro = 10;
}
"""
