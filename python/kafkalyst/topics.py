"""Describes a topic: partitions, sizes, times, formats, schema versions and a few of its rows."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kafkalyst.definitions import literal
from kafkalyst.errors import KafkalystError, typed
from kafkalyst.table import render

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

SIDES = ("key", "value")
# The registry's schema gives their columns; other formats need declared ones.
SELF_DESCRIBING = ("AVRO", "JSON_SR", "PROTOBUF")
_RANGE = re.compile(r"offsets (\d+) to (\d+)(?:, (\d+) bytes)?")


@dataclass(frozen=True)
class Partition:
    """Number, first offset, next offset, and bytes on disk: None if the user may not see the bytes."""

    number: int
    first: int
    next: int
    bytes: int | None


@dataclass(frozen=True)
class TopicDescription:
    """The result of `describe`; `str()` and notebooks show it as tables.

    Attributes:
        name: of the topic.
        partitions: each with its offsets and bytes.
        facts: everything else of `DESCRIBE TOPIC`, by the names that it has there: `replicas`, `cleanup.policy`,
            `retention.ms`, `first time`, `last time`, `value subject`, …
        formats: for `key` and `value`, the number of records of a sample in each format.
        versions: for `key` and `value`, the versions of the subject; empty without one.
        objects: the streams and tables over the topic.
        columns: of the rows.
        rows: a few of the newest, decoded if the format has its schema in the registry, otherwise as text or hex.
    """

    name: str
    partitions: Sequence[Partition]
    facts: dict[str, str]
    formats: dict[str, dict[str, int]]
    versions: dict[str, list[int]]
    objects: Sequence[str]
    columns: Sequence[str]
    rows: Sequence[Sequence[Any]]

    @property
    def records(self) -> int:
        """The number of offsets: at least the number of records, more if some were compacted away."""
        return sum(partition.next - partition.first for partition in self.partitions)

    @property
    def bytes(self) -> int | None:
        """Bytes on disk, for one replica; None if the user may not see them."""
        sizes = [partition.bytes for partition in self.partitions if partition.bytes is not None]
        return sum(sizes) if len(sizes) == len(self.partitions) else None

    def __str__(self) -> str:
        """Tables: facts with the objects and the formats found, partitions, rows."""
        parts = [(part.number, part.first, part.next, part.bytes) for part in self.partitions]
        kinds = {
            f"{side} formats": ", ".join(f"{kind} ({count})" for kind, count in found.items())
            for side, found in self.formats.items()
            if found
        }
        over = {"streams and tables": ", ".join(self.objects)} if self.objects else {}
        facts = render(["topic", self.name], {**over, **self.facts, **kinds}.items())
        partitions = render(["partition", "first", "next", "bytes"], parts)
        return "\n".join([*facts, "", *partitions, "", *render(self.columns, self.rows)])

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(str(self))


def describe(spark: SparkSession, topic: str, rows: int = 5) -> TopicDescription:
    """Describes a topic of the current catalog's cluster: `DESCRIBE TOPIC`, and a few of the newest rows.

    Args:
        spark: the session, classic or Connect.
        topic: its name in Kafka, with or without a stream or table over it.
        rows: how many of the newest rows to show; 0 for none.

    Raises:
        ValueError: when `rows` is negative.
        TopicNotFound: of `kafkalyst.errors`, with the nearest name.
    """
    if rows < 0:
        raise ValueError(f"rows must be 0 or more, not {rows}")
    with typed():
        lines = [(row[0], row[1]) for row in spark.sql(f"DESCRIBE TOPIC {literal(topic)}").collect()]
        facts = {name: value for name, value in lines if name not in ("topic", "stream", "table", "partitions")}
        partitions = list(_partitions(facts))
        formats = {side: dict(_formats(facts.pop(f"{side} formats found", ""))) for side in SIDES}
        found, sample = None, None
        # Fails for another subject name and for several messages in one schema: these need a declaration.
        with contextlib.suppress(KafkalystError), typed():
            found = _decoded(spark, topic, partitions, formats, rows)
            sample = None if found is None else found.collect()
        if found is None or sample is None:
            found = spark.sql(f"PRINT {literal(topic)} LIMIT {rows}")
            sample = found.collect()
    versions = {side: [int(n) for n in facts.get(f"{side} schema versions", "").split(", ") if n] for side in SIDES}
    objects = [value for name, value in lines if name in ("stream", "table")]
    return TopicDescription(topic, partitions, facts, formats, versions, objects, found.columns, sample)


def _partitions(facts: dict[str, str]) -> Iterator[Partition]:
    """Removes the lines about partitions from the facts."""
    for name in [name for name in facts if name.startswith("partition ")]:
        said = _RANGE.fullmatch(facts.pop(name))
        if said:
            size = None if said[3] is None else int(said[3])
            yield Partition(int(name.split(" ")[1]), int(said[1]), int(said[2]), size)


def _formats(text: str) -> Iterator[tuple[str, int]]:
    """`JSON (98), none (2)` as pairs."""
    for name, count in re.findall(r"(.+?) \((\d+)\)(?:, |$)", text):
        yield name, int(count)


def _decoded(
    spark: SparkSession, topic: str, partitions: Sequence[Partition], formats: dict[str, dict[str, int]], rows: int
) -> DataFrame | None:
    """The newest rows, decoded; None if that needs a declaration."""
    only = {side: next(iter(kinds)) for side in SIDES if len(kinds := formats[side].keys() - {"none"}) == 1}
    if only.get("value") not in SELF_DESCRIBING:
        return None
    starts = {str(part.number): max(part.first, part.next - rows) for part in partitions}
    reader = spark.read.format("kafkalyst").option("kafka_topic", topic).option("on_error", "null")
    for side, kind in only.items():
        if kind in SELF_DESCRIBING:
            reader = reader.option(f"{side}_format", kind)
    return reader.option("startingOffsets", json.dumps({topic: starts})).load().limit(rows)
