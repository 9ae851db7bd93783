"""Rows as text: aligned tables for scripts, the interactive shell and the tests; lines of CSV for programs."""

from __future__ import annotations

import datetime
import unicodedata
from collections.abc import Iterable, Sequence
from decimal import Decimal

CELL_WIDTH = 60
_UNSHOWN = ("Cc", "Cf", "Zl", "Zp")  # controls, formats, separators of lines


def cell(value: object) -> str:
    """One value, perhaps nested, in SQL's spelling. Timestamps are in the session's time zone."""
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str | int | float):
        return str(value)
    if isinstance(value, Decimal):
        return format(value, "f")
    if isinstance(value, datetime.datetime):
        text = value.isoformat(sep=" ")
        return text.rstrip("0") if "." in text and value.tzinfo is None else text
    if isinstance(value, bytes | bytearray):
        return f"X'{bytes(value).hex().upper()}'"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{cell(k)}: {cell(v)}" for k, v in value.items()) + "}"
    if isinstance(value, tuple) and hasattr(value, "__fields__"):
        return "{" + ", ".join(f"{n}: {cell(v)}" for n, v in zip(value.__fields__, value, strict=True)) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(cell(v) for v in value) + "]"
    return str(value)


def render(columns: Sequence[str], rows: Iterable[Sequence[object]], width: int | None = CELL_WIDTH) -> list[str]:
    """The lines of a table: head, rule, rows. Cells longer than `width` characters are cut; None cuts nothing.

    A table of one column is not cut. Line breaks stay in a table of one cell and are shown as ⏎ elsewhere;
    other control characters as their escapes.

    >>> print("\\n".join(render(["id", "status"], [(1, "PAID"), (12, None)])))
    id | status
    ---+-------
     1 | PAID
    12 | NULL
    """
    body = [[cell(value) for value in row] for row in rows]
    columns = [printable(name) for name in columns]
    if len(columns) == 1 and len(body) == 1 and "\n" in body[0][0]:
        return [columns[0], "-" * len(columns[0]), *(printable(line) for line in body[0][0].splitlines())]
    width = None if len(columns) == 1 else width
    body = [[_cut(printable(text.replace("\n", "⏎")), width) for text in row] for row in body]
    widths = [max([len(name), *(len(row[i]) for row in body)]) for i, name in enumerate(columns)]
    numeric = [bool(body) and all(_is_number(row[i]) for row in body) for i in range(len(columns))]

    def line(texts: Sequence[str]) -> str:
        parts = [t.rjust(w) if n else t.ljust(w) for t, w, n in zip(texts, widths, numeric, strict=True)]
        return " | ".join(parts).rstrip()

    return [line(columns), "-+-".join("-" * w for w in widths), *(line(row) for row in body)]


def csv_line(values: Iterable[object]) -> str:
    """One line of CSV; NULL is an empty field, the empty text a quoted one.

    >>> print(csv_line([1, None, "", "a,b"]))
    1,,"","a,b"
    """
    return ",".join("" if value is None else _quoted(cell(value)) for value in values)


def printable(text: str) -> str:
    """The text with control characters, except tabs, shown as `\\x1b`: rows must not control the terminal.

    Characters that change the writing direction or have no width are shown so, too: they make a text look like another.
    """
    return "".join(repr(c)[1:-1] if c != "\t" and unicodedata.category(c) in _UNSHOWN else c for c in text)


def plain(text: str) -> str:
    """Like `printable`, but keeps line breaks."""
    return "\n".join(printable(line) for line in text.split("\n"))


def _quoted(text: str) -> str:
    plain = text and not any(c in text for c in ',"\r\n')
    return text if plain else '"' + text.replace('"', '""') + '"'


def _cut(text: str, width: int | None) -> str:
    return text if width is None or len(text) <= width else text[: width - 1] + "…"


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return text == "NULL"
    return True
