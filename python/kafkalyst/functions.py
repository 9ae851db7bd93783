"""The SQL functions kafka_decode and kafka_encode for DataFrames, classic and over Connect.

docs/reference/functions.md describes them and their options.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import Column

    ColumnOrName = Column | str


def kafka_decode(col: ColumnOrName, format: str, options: Mapping[str, object] | None = None) -> Column:
    """Decodes bytes of one of Kafkalyst's formats; null for null.

    Args:
        col: a BINARY column, such as `value` of Spark's own Kafka source.
        format: AVRO, JSON, KAFKA, … as in VALUE_FORMAT.
        options: `schema`, a DDL string, or for formats with schemas in the registry `subject` or `schema.id`;
            `mode`, for bytes that are not in the format: `fail` (default) or `null`; and the format's own options.
    """
    return _call("kafka_decode", col, format, options)


def kafka_encode(col: ColumnOrName, format: str, options: Mapping[str, object] | None = None) -> Column:
    """Encodes a value in one of Kafkalyst's formats; null for null.

    Args:
        col: a STRUCT for a record of its fields, or any other column for the bare value.
        format: AVRO, JSON, KAFKA, … as in VALUE_FORMAT.
        options: `subject` or `schema.id` for formats with schemas in the registry, and the format's own options. If the
            subject does not exist, the value's schema is registered when the query is analysed.
    """
    return _call("kafka_encode", col, format, options)


def _call(name: str, col: ColumnOrName, format: str, options: Mapping[str, object] | None) -> Column:
    from pyspark.sql import functions as F

    value = F.col(col) if isinstance(col, str) else col
    given = [F.lit(str(text)) for option in (options or {}).items() for text in option]
    return F.call_function(name, value, F.lit(format), *([F.create_map(*given)] if given else []))
