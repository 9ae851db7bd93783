"""Splitting of scripts into statements."""

from __future__ import annotations

from pathlib import Path

import pytest

from kafkalyst import Statement, script, split
from kafkalyst.script import _limit, is_complete, words

ESCAPE = "CREATE TABLE a (s STRING) WITH ('escape' = '\\', 'keys' = 'x;y')"
NESTED = (Path(__file__).parents[1] / "support" / "block.sql").read_text(encoding="utf-8").rstrip()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        (" ;; -- nothing\n;", []),
        ("SELECT 1", [Statement("SELECT 1", 1)]),
        ("SELECT 1;\nSELECT 2;\n", [Statement("SELECT 1", 1), Statement("SELECT 2", 2)]),
        ("-- first; line\n\nSELECT ';'", [Statement("SELECT ';'", 3)]),
        ("SELECT 1 /* ; /* ; */ ; */ + 2;", [Statement("SELECT 1 /* ; /* ; */ ; */ + 2", 1)]),
        ("SELECT \"a;b\", `c;d`, 'it''s;', '\\';'", [Statement("SELECT \"a;b\", `c;d`, 'it''s;', '\\';'", 1)]),
        ("SELECT 1 /*+ h(1) */ ; -- no\nSELECT 2", [Statement("SELECT 1 /*+ h(1) */", 1), Statement("SELECT 2", 2)]),
        ("SELECT 'ü😀;' ;SELECT 2", [Statement("SELECT 'ü😀;'", 1), Statement("SELECT 2", 1)]),
        ("SELECT 1; SELECT 'a; SELECT 2", [Statement("SELECT 1", 1), Statement("SELECT 'a; SELECT 2", 1)]),
        ("BEGIN SELECT 1; END; SELECT 2", [Statement("BEGIN SELECT 1; END", 1), Statement("SELECT 2", 1)]),
        (f"{NESTED};\nSELECT 2;", [Statement(NESTED, 1), Statement("SELECT 2", 8)]),
        (
            "EXECUTE STATEMENT SET BEGIN A; B; END; C",
            [Statement("EXECUTE STATEMENT SET BEGIN A; B; END", 1), Statement("C", 1)],
        ),
        (
            "EXECUTE STATEMENT SET BEGIN INSERT INTO a SELECT 1; INSERT INTO b SELECT CASE y WHEN 1 END; END; SELECT 1",
            [
                Statement(
                    "EXECUTE STATEMENT SET BEGIN INSERT INTO a SELECT 1; INSERT INTO b SELECT CASE y WHEN 1 END; END",
                    1,
                ),
                Statement("SELECT 1", 1),
            ],
        ),
        (
            "EXPLAIN COST, PLAN_ADVICE STATEMENT SET BEGIN A; END; EXPLAIN EXECUTE STATEMENT SET BEGIN B; END",
            [
                Statement("EXPLAIN COST, PLAN_ADVICE STATEMENT SET BEGIN A; END", 1),
                Statement("EXPLAIN EXECUTE STATEMENT SET BEGIN B; END", 1),
            ],
        ),
        (
            "BEGIN STATEMENT SET; INSERT INTO a SELECT 1; END; BEGIN",
            [Statement("BEGIN STATEMENT SET; INSERT INTO a SELECT 1; END", 1), Statement("BEGIN", 1)],
        ),
        ("SELECT begin FROM t; END; C", [Statement("SELECT begin FROM t", 1), Statement("END", 1), Statement("C", 1)]),
        ("BEGIN SELECT 1; SELECT 2;", [Statement("BEGIN SELECT 1; SELECT 2;", 1)]),
        (f"{ESCAPE};\nSELECT ';';{ESCAPE}", [Statement(ESCAPE, 1), Statement("SELECT ';'", 2), Statement(ESCAPE, 2)]),
        (f"SELECT 'a\\'; b', '\\\\';\n{ESCAPE};", [Statement("SELECT 'a\\'; b', '\\\\'", 1), Statement(ESCAPE, 2)]),
        ("SELECT 'C:\\'; SELECT 2", [Statement("SELECT 'C:\\'", 1), Statement("SELECT 2", 1)]),
        (
            "SELECT 'C:\\', 'x'; SELECT 'it\\'s'",
            [Statement("SELECT 'C:\\', 'x'", 1), Statement("SELECT 'it\\'s'", 1)],
        ),
        ("SELECT ('a\\'; B; C", [Statement("SELECT ('a\\'; B; C", 1)]),
        ("SELECT $$ ; $$; SELECT @@ # 1", [Statement("SELECT $$ ; $$", 1), Statement("SELECT @@ # 1", 1)]),
    ],
)
def test_split(text: str, expected: list[Statement]) -> None:
    """Only semicolons between statements count."""
    assert split(text) == expected


@pytest.mark.parametrize(
    ("text", "complete"),
    [
        ("", True),
        ("SELECT 1", False),
        ("SELECT 1; -- c", True),
        ("SELECT ';", False),
        ("SELECT 'a\\'; b", False),
        (ESCAPE, False),
        (f"{ESCAPE};", True),
        ("BEGIN SELECT 1;", False),
        ("BEGIN STATEMENT SET; INSERT INTO a SELECT 1;", False),
        ("BEGIN STATEMENT SET; INSERT INTO a SELECT 1; END;", True),
        ("BEGIN SELECT 1; END;", True),
    ],
)
def test_is_complete(text: str, complete: bool) -> None:
    """The shell reads lines until the text is complete."""
    assert is_complete(text) == complete


def test_words_keep_their_backslashes() -> None:
    """Also where a backslash does not escape."""
    assert words("SELECT '\\', 'a' FROM t") == ["SELECT", "'\\'", ",", "'a'", "FROM", "t"]


def test_limit_is_the_statements_last_word() -> None:
    """Rows of an unbounded query are shown as they arrive. A LIMIT in a subquery is not the statement's."""
    assert _limit("SELECT * FROM a EMIT CHANGES LIMIT 3") == ("SELECT * FROM a EMIT CHANGES ", 3)
    assert _limit("(SELECT * FROM a) EMIT CHANGES LIMIT 3") == ("(SELECT * FROM a) EMIT CHANGES ", 3)
    for whole in (
        "SELECT * FROM (SELECT * FROM a LIMIT 3) EMIT CHANGES",
        "SELECT * FROM a LIMIT 3",
        "CREATE STREAM s AS SELECT * FROM a EMIT CHANGES LIMIT 3",
    ):
        assert _limit(whole) == (whole, None)


@pytest.mark.parametrize(("limit", "expected"), [(3, ["n", "-", "1", "2", "3"]), (0, []), (2, ["n", "-", "1", "2"])])
def test_no_more_rows_than_the_limit(limit: int, expected: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Also if more rows arrive at once."""

    class Df:
        columns = ("n",)

    batches = ([], [(1,), (2,)], [(3,), (4,), (5,)])
    monkeypatch.setattr(script, "live", lambda *_: (rows for rows in batches))
    lines: list[str] = []
    assert script._show_live(None, Df(), limit, lines.append) == limit  # type: ignore[arg-type]
    assert lines == expected
