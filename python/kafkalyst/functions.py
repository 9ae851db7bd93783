"""The SQL functions kafka_decode and kafka_encode for DataFrames, classic and over Connect.

What they do and which options they take: docs/reference/functions.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import Column

    ColumnOrName = Column | str


def kafka_decode(col: ColumnOrName, format: str, options: Mapping[str, object] | None = None) -> Column:
    """The value that bytes hold in a format of Kafka's records; null for null.

    Args:
        col: a BINARY column, such as `value` of Spark's own Kafka source.
        format: AVRO, JSON, KAFKA, … as in VALUE_FORMAT.
        options: `schema`, a DDL string, or where the format has schemas in the registry `subject` or `schema.id`;
            `mode`: `fail` (default) or `null`, what becomes of bytes that are not of the format; and the format's own.
    """
    return _call("kafka_decode", col, format, options)


def kafka_encode(col: ColumnOrName, format: str, options: Mapping[str, object] | None = None) -> Column:
    """The bytes of a value in a format of Kafka's records; null for null.

    Args:
        col: a STRUCT for a record of its fields, or any other column for the bare value.
        format: AVRO, JSON, KAFKA, … as in VALUE_FORMAT.
        options: `subject` or `schema.id` where the format has schemas in the registry, and the format's own. A subject
            that does not exist gets the value's schema when the query is analysed.
    """
    return _call("kafka_encode", col, format, options)


def _call(name: str, col: ColumnOrName, format: str, options: Mapping[str, object] | None) -> Column:
    from pyspark.sql import functions as F

    value = F.col(col) if isinstance(col, str) else col
    given = [F.lit(str(text)) for option in (options or {}).items() for text in option]
    return F.call_function(name, value, F.lit(format), *([F.create_map(*given)] if given else []))
