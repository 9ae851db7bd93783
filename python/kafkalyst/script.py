"""Scripts of SQL statements: split by the grammar's own lexer, run one after the other."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from kafkalyst.errors import describe
from kafkalyst.extras import needed
from kafkalyst.live import live
from kafkalyst.stoppable import Run, stoppable
from kafkalyst.table import csv_line, render

if TYPE_CHECKING:
    from antlr4 import Token
    from pyspark.sql import DataFrame, Row, SparkSession

SHOWN_ROWS = 20
FORMATS = ("table", "csv", "json")
QUOTES = ("'", '"', "`")
# Words that no statement has: a quote that is not closed, a backslash outside of quotes.
BROKEN = (*QUOTES, "\\")
# A character that the lexer takes for an ordinary one.
ORDINARY = "\x01"
# First words of a query; other statements refuse CHANGES LIMIT n.
QUERIES = ("SELECT", "WITH", "FROM", "(")
# Words after END that close blocks other than BEGIN and CASE; these blocks are not counted.
LOOPS = ("IF", "WHILE", "LOOP", "REPEAT", "FOR")


@dataclass(frozen=True)
class Statement:
    """One statement without its semicolon; `line` is where it begins in its script, from 1."""

    text: str
    line: int


class ScriptError(RuntimeError):
    """A statement of a script failed. The message has the place and Spark's message; `__cause__` is Spark's error."""

    def __init__(self, place: str, statement: Statement, cause: BaseException) -> None:
        self.statement = statement
        self._made_of = place, statement, cause
        super().__init__(f"{place}:{statement.line}: {describe(cause)}")

    def __reduce__(self) -> tuple[type[ScriptError], tuple[str, Statement, BaseException]]:
        """For pickle; the cause becomes its text, because Spark's own exceptions refer to the JVM."""
        place, statement, cause = self._made_of
        return type(self), (place, statement, RuntimeError(describe(cause)))


def split(text: str) -> list[Statement]:
    """The statements of a script. Semicolons in strings, quoted names and comments do not count.

    Spark's scripts and Flink's statement sets are one statement each, from BEGIN to END. After an unclosed quote or
    block, the rest of the text is one statement. A backslash escapes a quote, as in Spark, except in statements whose
    quotes and parentheses close only without escapes, as Flink's and ksqlDB's `'\\'`.

    >>> [statement.text for statement in split("SELECT ';' AS a; -- the last one;\\nSELECT 2")]
    ["SELECT ';' AS a", 'SELECT 2']
    """
    statements: list[Statement] = []
    tokens, first = _tokens(text), 0
    for end in _semicolons(tokens):
        statements += _statement(text, tokens[first:end], tokens[end].start)
        first = end + 1
    return statements + _statement(text, tokens[first:], len(text))


def is_complete(text: str) -> bool:
    """Whether the last statement ends with its semicolon, or there is none."""
    tokens = _tokens(text)
    return not tokens or _semicolons(tokens)[-1:] == [len(tokens) - 1]


def run_script(spark: SparkSession, path: str | Path, out: Callable[[str], object] = print) -> None:
    """Runs the statements of a file in turn, printing each with its result.

    Args:
        spark: the session, classic or Connect.
        path: the script, UTF-8.
        out: called with each line of text.

    Raises:
        FileNotFoundError: when there is no script.
        ScriptError: at the first statement that fails; the rest is not run.
    """
    run_text(spark, read_script(path), str(path), out)


def run_text(
    spark: SparkSession,
    text: str,
    place: str,
    out: Callable[[str], object] = print,
    echo: bool = True,
    form: str = "table",
) -> None:
    """Like `run_script`, for a text.

    Args:
        spark: the session, classic or Connect.
        text: the script.
        place: the name of the text in errors.
        out: called with each line of text.
        echo: whether each statement is printed before it runs.
        form: of the results, see `run_statement`.
    """
    for statement in split(text):
        if echo:
            out("")
            for line in statement.text.splitlines():
                out(f"> {line}")
        try:
            run_statement(spark, statement.text, out, form)
        except Exception as error:
            raise ScriptError(place, statement, error) from error


def read_script(path: str | Path) -> str:
    """The text of a script, without a byte order mark; anything readable will do, such as a pipe.

    Raises:
        FileNotFoundError: when the script does not exist.
        ValueError: when it is not UTF-8.
    """
    script = Path(path)
    if not script.exists() or script.is_dir():
        raise FileNotFoundError(f"No script {path}")
    try:
        return script.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"{path} is not UTF-8: {error.reason} at byte {error.start}") from error


def run_statement(spark: SparkSession, text: str, out: Callable[[str], object] = print, form: str = "table") -> None:
    """Runs one statement and prints its result; an unbounded one until Ctrl-C, or until the trigger ends the query.

    Args:
        spark: the session, classic or Connect.
        text: the statement.
        out: called with each line of text.
        form: `table`, for people: at most 20 rows of a bounded result, and the time that it took; `csv` and `json`, for
            programs: all rows and nothing else, CSV with a header and NULL as an empty field, JSON an object per line.
    """
    began = time.monotonic()
    endless, limit = _limit(text)
    with stoppable(spark) as run:
        df = run(lambda: spark.sql(endless))
        _print_result(spark, df, limit, out, form, began, run)


def _print_result(
    spark: SparkSession,
    df: DataFrame,
    limit: int | None,
    out: Callable[[str], object],
    form: str,
    began: float,
    run: Run,
) -> None:
    if form != "table":
        lines = _data(spark, df, limit, form, run)
        with contextlib.suppress(KeyboardInterrupt) if df.isStreaming else contextlib.nullcontext():
            for line in lines:
                out(line)
        return
    if df.isStreaming:
        rows = _show_live(spark, df, limit, out)
        out(f"({_count(rows)}, {time.monotonic() - began:.1f} s)")
        return
    found: list[Row] = run(lambda: df.limit(SHOWN_ROWS + 1).collect())
    if df.columns:
        for line in render(df.columns, found[:SHOWN_ROWS]):
            out(line)
    more = f"first {SHOWN_ROWS} rows" if len(found) > SHOWN_ROWS else _count(len(found))
    out(f"({more}, {time.monotonic() - began:.1f} s)" if df.columns else f"(done, {time.monotonic() - began:.1f} s)")


def _data(spark: SparkSession, df: DataFrame, limit: int | None, form: str, run: Run) -> Iterator[str]:
    """The lines of a result in CSV or JSON; none if the statement has no result."""
    if not df.columns:
        return
    if form == "csv":
        yield csv_line(df.columns)
    else:
        from pyspark.sql.functions import struct, to_json

        df = df.select(to_json(struct("*"), {"ignoreNullFields": "false"}))
    batches = _arriving(spark, df, limit) if df.isStreaming else ([row] for row in run(lambda: df.toLocalIterator()))
    for rows in batches:
        for row in rows:
            yield csv_line(row) if form == "csv" else row[0]


def _show_live(spark: SparkSession, df: DataFrame, limit: int | None, out: Callable[[str], object]) -> int:
    """Prints an unbounded result; returns the number of rows."""
    shown = 0
    with contextlib.suppress(KeyboardInterrupt):
        for rows in _arriving(spark, df, limit):
            lines = render(df.columns, rows)
            for line in lines if rows and not shown else lines[2:]:
                out(line)
            shown += len(rows)
    return shown


def _arriving(spark: SparkSession, df: DataFrame, limit: int | None) -> Iterator[list[Row]]:
    """The rows of an unbounded result as they arrive, until it ends or has had `limit` rows."""
    left = limit
    with contextlib.closing(live(spark, df)) as batches:
        for rows in batches:
            yield rows if left is None else rows[:left]
            if left is not None:
                left -= len(rows)
                if left <= 0:
                    return


def _tokens(text: str) -> list[Token]:
    """The script's words, without comments and blanks; some lack their backslashes, see `_readable`."""
    return list(_Words(_readable(text)).behind(0))


def _readable(text: str) -> str:
    """The text with an ordinary character for each backslash in statements that are whole only so, as Scripts.scala."""
    if "\\'" not in text:
        return text
    escaping, ordinary = _Words(text), _Words(text.replace("\\", ORDINARY))
    read, begin = "", 0
    while own := escaping.statement(begin):
        end = own[-1].stop + 1
        if not _is_whole(own):
            others = ordinary.statement(own[0].start)
            until = others[-1].stop + 1
            if "\\'" in text[own[0].start : until] and _is_whole(others):
                read += text[begin : own[0].start] + ordinary.text[own[0].start : until]
                begin = until
                continue
        read += text[begin:end]
        begin = end
    return read + text[begin:]


def _is_whole(tokens: list[Token]) -> bool:
    """Whether all quotes and parentheses of a statement are closed, and its block if there are more semicolons."""
    said, depth = [token.text.upper() for token in tokens], 0
    if _semicolons(tokens):
        said.pop()
    for word in said:
        depth += {"(": 1, ")": -1}.get(word, 0)
        if depth < 0 or word in BROKEN:
            return False
    # A label may follow END.
    return depth == 0 and (";" not in said or "END" in said[-2:])


class _Words:
    """The words of a text, lexed on demand from any place, by Spark's rules for quotes."""

    def __init__(self, text: str) -> None:
        with needed("cli", "Splitting a script into statements"):
            from antlr4 import InputStream

            from kafkalyst._grammar.KafkalystLexer import KafkalystLexer

        class Lexer(KafkalystLexer):  # type: ignore[misc]  # the runtime is untyped
            def checkVersion(self, toolVersion: str) -> None:
                """Does not warn: all versions of the extra's range can read this grammar."""

        self.text = text
        self._input = InputStream(text)
        self._lexer = Lexer(self._input)
        self._lexer.removeErrorListeners()

    def behind(self, start: int) -> Iterator[Token]:
        """The words from a place on."""
        from antlr4 import Token

        self._input.seek(start)
        self._lexer.inputStream = self._input
        while (token := self._lexer.nextToken()).type != Token.EOF:
            if token.channel == Token.DEFAULT_CHANNEL:
                yield token

    def statement(self, start: int) -> list[Token]:
        """The words of the first statement from a place on, with its semicolon; up to a word that no statement has."""
        own: list[Token] = []
        for token in self.behind(start):
            own.append(token)
            if token.text in BROKEN or (token.text == ";" and _may_end(own) and _semicolons(own)):
                break
        return own


def _may_end(own: list[Token]) -> bool:
    """Spares long blocks, each semicolon of which would be looked at from the beginning."""
    return "BEGIN" not in (token.text.upper() for token in own[:5]) or "END" in (
        token.text.upper() for token in own[-3:-1]
    )


def _statement(text: str, tokens: list[Token], end: int) -> list[Statement]:
    """The statement of these words, with a hint after them and before `end`; empty if there are no words."""
    if not tokens:
        return []
    stop = tokens[-1].stop + 1
    behind = text[stop:end]
    if "/*+" in behind:
        stop += behind.rfind("*/") + 2
    return [Statement(text[tokens[0].start : stop], tokens[0].line)]


def _semicolons(tokens: list[Token]) -> list[int]:
    """The indexes of semicolons that end statements, by the same rules as Scripts.scala."""
    words = [token.text.upper() for token in tokens]
    ends, first, depth = [], 0, 0
    for i, word in enumerate(words):
        if word in QUOTES:  # an unclosed quote: the lexer makes it a word of its own
            break
        if depth or (word == "BEGIN" and _opens_block(words[first:i])):
            depth += _nesting(words, i)
        if word == ";" and depth == 0:
            ends.append(i)
            first = i + 1
    return ends


def _opens_block(before: list[str]) -> bool:
    """Whether BEGIN opens a block after these first words of a statement, such as a label."""
    # Behind EXPLAIN there may be PLAN FOR, details or EXECUTE.
    is_set = before == ["EXECUTE", "STATEMENT", "SET"] or (
        before[:1] == ["EXPLAIN"] and before[-2:] == ["STATEMENT", "SET"] and len(before) <= 16
    )
    return not before or (len(before) == 2 and before[1] == ":") or is_set


def _nesting(words: list[str], i: int) -> int:
    """How a word changes the depth of blocks; a name after a dot or AS does not."""
    before, after = words[i - 1] if i else "", words[i + 1] if i + 1 < len(words) else ""
    if before in (".", "AS"):
        return 0
    if words[i] == "END":
        return 0 if after in LOOPS else -1
    return int(words[i] == "BEGIN" or (words[i] == "CASE" and before != "END"))


def words(text: str) -> list[str]:
    """The words of a statement, quotes included."""
    return [text[token.start : token.stop + 1] for token in _tokens(text)]


def quoted(name: str) -> str:
    """A name or a setting's value in back-ticks, as SQL writes it whatever characters it has."""
    return "`" + name.replace("`", "``") + "`"


def _limit(text: str) -> tuple[str, int | None]:
    """A query without the LIMIT of EMIT CHANGES LIMIT n, and n: rows are shown as they arrive."""
    tokens = _tokens(text)
    words = [token.text.upper() for token in tokens]
    if words[:1] and words[0] in QUERIES and words[-3:-1] == ["CHANGES", "LIMIT"] and words[-1].isdigit():
        return text[: tokens[-2].start], int(words[-1])
    return text, None


def _count(rows: int) -> str:
    return f"{rows} row{'' if rows == 1 else 's'}"
