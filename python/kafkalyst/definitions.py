"""Streams and tables defined by keyword arguments instead of text."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from kafkalyst.errors import typed
from kafkalyst.extras import needed
from kafkalyst.resources import properties

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from pyspark.sql.types import DataType, StructField, StructType


def create_stream(name: str, columns: str | StructType | None = None, **options: Any) -> str:
    """Creates a stream over a topic, and returns the SQL that it ran.

        create_stream("orders", topic="shop.orders", value_format="AVRO")
        create_stream("paid", query="SELECT id, amount FROM orders WHERE status = 'PAID'", partitions=4)

    >>> print(create_stream("orders", "id BIGINT KEY", topic="shop.orders", value_format="AVRO", run=False))
    CREATE STREAM orders (id BIGINT KEY) WITH (KAFKA_TOPIC = 'shop.orders', VALUE_FORMAT = 'AVRO')

    Args:
        name: of the stream; dots separate catalog, schema and name, unless in back-ticks.
        columns: in SQL, such as `id BIGINT KEY, amount DECIMAL(9, 2)`, or as Spark's StructType, all of them in the
            value. Its fields that are not nullable become NOT NULL columns, which only holds for rows that are written.
            None: the columns of the schema in the registry.
        options: `query`, which fills the stream from now on; `or_replace`, `if_not_exists`; `topic`; any other property
            of docs/reference/properties.md by its name in lower case, dots and `-` as `_`; `properties`, a mapping of
            unchanged names; `spark`, a session in place of the active one; `run=False` only returns the SQL. A property
            that takes several names accepts a list.

    Raises:
        TypeError: for an unknown property, with the nearest names.
        ValueError: for a value with a backslash before a quote, and both kinds of quotes.
        KafkalystError: when the statement fails.
    """
    return _create("STREAM", name, columns, **options)


def create_table(name: str, columns: str | StructType | None = None, **options: Any) -> str:
    """Creates a table, the latest row of each key, and returns the SQL that it ran: like `create_stream`."""
    return _create("TABLE", name, columns, **options)


def _create(
    kind: str,
    name: str,
    columns: str | StructType | None,
    *,
    query: str | None = None,
    or_replace: bool = False,
    if_not_exists: bool = False,
    properties: Mapping[str, object] | None = None,
    spark: SparkSession | None = None,
    run: bool = True,
    **options: object,
) -> str:
    given = {**(properties or {}), **{_property(option): value for option, value in options.items()}}
    given = {key: _joined(key, value) for key, value in given.items() if value is not None}
    declared = columns if isinstance(columns, str) or columns is None else _columns(columns)
    text = (
        f"CREATE {'OR REPLACE ' if or_replace else ''}{kind} {'IF NOT EXISTS ' if if_not_exists else ''}{_name(name)}"
    )
    if declared:
        text += f" ({declared})"
    if given:
        text += f" WITH ({', '.join(f'{key} = {literal(value)}' for key, value in _spelt(given).items())})"
    if query:
        text += f" AS {query}"
    if run:
        with typed():
            (spark or _active()).sql(text)
    return text


def _property(option: str) -> str:
    """The property that an argument names."""
    option = {"topic": "kafka_topic"}.get(option, option)
    known = {re.sub(r"[.-]", "_", name).lower(): name for name in properties()}
    if option not in known:
        near = difflib.get_close_matches(option, [*known, "topic", "query", "or_replace", "if_not_exists"], 3)
        raise TypeError(f"there is no property {option!r}" + (f"; did you mean {', '.join(near)}?" if near else ""))
    return known[option]


def _joined(name: str, value: object) -> object:
    """A list as one text, the form of properties that take several names."""
    separator = "," if name.upper() == "VALUE_TYPES" else ";"
    return separator.join(map(str, value)) if isinstance(value, list | tuple) else value


def _spelt(given: Mapping[str, object]) -> dict[str, object]:
    """Quotes names that are not words."""
    return {key if re.fullmatch(r"\w+", key) else f"'{key}'": value for key, value in given.items()}


def literal(value: object) -> str:
    """The value as a literal of SQL."""
    if isinstance(value, bool):
        return f"'{str(value).lower()}'"
    if isinstance(value, int):
        return str(value)
    text = str(value)
    # In Kafkalyst's statements a backslash is an ordinary character, except before a quote, which it escapes.
    if "\\'" not in text + "'":
        return "'" + text.replace("'", "''") + "'"
    for quote in ("'", '"'):
        if quote not in text:
            return f"R{quote}{text}{quote}"
    raise ValueError(f"SQL cannot write a backslash before a quote together with both kinds of quotes: {text}")


def _columns(schema: StructType) -> str:
    def column(field: StructField) -> str:
        text = f"{_quoted(field.name)} {_type(field.dataType)}"
        comment = field.metadata.get("comment")
        return text + ("" if field.nullable else " NOT NULL") + (f" COMMENT {literal(comment)}" if comment else "")

    return ", ".join(map(column, schema.fields))


def _type(kind: DataType) -> str:
    """The type in SQL; Spark's own text does not quote the names of nested fields, and may truncate them."""
    from pyspark.sql.types import ArrayType, MapType, StructType

    if isinstance(kind, StructType):
        return f"struct<{', '.join(f'{_quoted(field.name)}: {_type(field.dataType)}' for field in kind.fields)}>"
    if isinstance(kind, ArrayType):
        return f"array<{_type(kind.elementType)}>"
    if isinstance(kind, MapType):
        return f"map<{_type(kind.keyType)}, {_type(kind.valueType)}>"
    return kind.simpleString()


def _name(name: str) -> str:
    return name if "`" in name else ".".join(_quoted(part) for part in name.split("."))


def _quoted(part: str) -> str:
    return part if re.fullmatch(r"[A-Za-z_]\w*", part) else "`" + part.replace("`", "``") + "`"


def _active() -> SparkSession:
    with needed("spark", "A session"):
        from pyspark.sql import SparkSession

    session = SparkSession.getActiveSession()
    if session is None:
        raise RuntimeError("There is no active session: kafkalyst.session() starts one, or give spark=…")
    return session
