"""Applies scripts to the catalog: creates missing objects, replaces changed ones, and leaves the rest alone.

A file records what was applied, so the next run knows which statements changed. Nothing is ever dropped.
"""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from kafkalyst.script import ScriptError, Statement, quoted, read_script, run_statement, split, words
from kafkalyst.session import in_memory

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# They change the session, so they run each time.
SESSION_WORDS = ("SET", "UNSET", "RESET", "USE", "DEFINE", "UNDEFINE", "ASSERT", "DECLARE")
PLACE_WORDS = ("SET", "UNSET", "RESET", "USE", "DEFINE", "UNDEFINE")
# The first words of the statements that `export` writes.
IMPORTED_WORDS = ("CREATE", "INSERT", "RESET", "SET", "USE")
# As `words` divides it; SHOW QUERIES has the text with its values.
VARIABLE = re.compile(r"\$ ?\{.*?\}", re.DOTALL)
NOT_EXISTS = re.compile(r"^(CREATE\s+(?:SOURCE\s+)?(?:STREAM|TABLE)\s+)IF\s+NOT\s+EXISTS\s+", re.IGNORECASE)


@dataclass(frozen=True)
class Step:
    """One statement and its action: `create`, `replace`, `run`, `session` or `keep`."""

    action: str
    key: str
    place: str
    statement: Statement
    before: str = ""

    @property
    def text(self) -> str:
        """The statement to run: with OR REPLACE if the action is `replace`."""
        text = self.statement.text
        if self.action != "replace" or re.match(r"CREATE\s+OR\s+REPLACE\b", text, re.IGNORECASE):
            return text
        return re.sub(r"^CREATE\s", "CREATE OR REPLACE ", NOT_EXISTS.sub(r"\1", text), flags=re.IGNORECASE)


class Applied:
    """The record of what was applied: the text of each statement by its key."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.texts: dict[str, str] = _noted(path) if path.is_file() else {}

    def put(self, key: str, text: str) -> None:
        """Records one at once, because the next statement may fail."""
        self.texts[key] = text
        self._path.parent.mkdir(parents=True, exist_ok=True)
        fresh = self._path.with_name(self._path.name + ".new")
        fresh.write_text(json.dumps(self.texts, indent=1) + "\n", encoding="utf-8")
        fresh.replace(self._path)


def require_durable(spark: SparkSession) -> None:
    """Refuses a session catalog in memory: a record that outlives it would call lost statements applied.

    Raises:
        ValueError: when the session has no catalog that outlives its application.
    """
    if in_memory(spark):
        raise ValueError(
            "The session catalog is in memory (spark.sql.catalogImplementation=in-memory): it forgets its streams, "
            "tables and queries when serve ends, and each start would write the rows of CREATE … AS SELECT again. "
            "Give --catalog DIR or use a Hive metastore. If all objects are in a cluster's catalog, give --state FILE."
        )


def plan(spark: SparkSession, path: Path, applied: Applied) -> Iterator[Step]:
    """The steps of a script, or of a folder's `.sql` files in the order of their names.

    Run each step before taking the next one: a USE decides where the names after it are. Taking one raises ScriptError
    if it would run an INSERT query beside its former version.

    Raises:
        FileNotFoundError: when there is no script.
    """
    texts = scripts(path)
    began = current_place(spark)
    scripted = {" ".join(words(statement.text)) for _, text in texts for statement in split(text)}

    def checked() -> Iterator[Step]:
        for place, text in texts:
            for step in _steps(spark, place, text, applied.texts, began):
                if step.action == "run":
                    _require_one_version(spark, step, applied.texts, scripted)
                yield step

    return checked()


def scripts(path: Path) -> list[tuple[str, str]]:
    """The path and the text of a script, or of each `.sql` file of a folder in the order of their names.

    Raises:
        FileNotFoundError: when there is no script.
        ValueError: when one is not UTF-8.
    """
    found = sorted(path.glob("*.sql")) if path.is_dir() else [path]
    if not found:
        raise FileNotFoundError(f"No file *.sql in {path}")
    return [(str(script), read_script(script)) for script in found]


def apply(
    spark: SparkSession, steps: Iterable[Step], applied: Applied, out: Callable[[str], object] = print
) -> list[Step]:
    """Runs the steps of a plan and returns them.

    Raises:
        ScriptError: at the first statement that fails; earlier statements are recorded as applied.
    """
    done = []
    for step in steps:
        done.append(step)
        if step.action == "keep":
            continue
        if step.action != "session":
            out(f"{step.action} {step.key}")
        _run(spark, step)
        if step.action != "session":
            applied.put(step.key, step.statement.text)
    return done


def import_script(spark: SparkSession, path: str | Path, out: Callable[[str], object] = print) -> None:
    """Creates what a script of `export` has and the catalog lacks; replaces nothing, so a second run does nothing.

    Queries start at the topics' first records, because the script has no checkpoints. The session keeps its current
    catalog, database and settings.

    Args:
        spark: the session, classic or Connect.
        path: the script.
        out: called with a line for each object and query: `create …`, `run …`, or `kept …` if it exists.

    Raises:
        FileNotFoundError: when there is no script.
        ScriptError: when the script has a statement that `export` does not write, before any runs; and at the first
            statement that fails: objects of earlier statements stay.
    """
    text, began = read_script(path), current_place(spark)
    for statement in split(text):
        if words(statement.text)[0].upper() not in IMPORTED_WORDS:
            raise ScriptError(str(path), statement, ValueError(f"An import runs {', '.join(IMPORTED_WORDS)} only."))
    settings = {name: spark.conf.get(name, None) for name in _set_names(text)}
    try:
        # One by one, as USE says which database the names behind it are in.
        for step in _steps(spark, str(path), text, {}, began):
            said = words(step.statement.text)
            is_there = step.action in ("replace", "keep") or (step.action == "run" and _created(said) is not None)
            if is_there or _is_database(spark, step):
                out(f"kept {step.key}")
                continue
            if step.action != "session":
                out(f"{step.action} {step.key}")
            _run(spark, step)
    finally:
        for name, value in settings.items():
            spark.conf.unset(name) if value is None else spark.conf.set(name, value)
        spark.sql(f"USE {began}")


def shown(spark: SparkSession, steps: Iterable[Step], applied: Applied) -> Iterator[str]:
    """The lines of a plan: changes as a diff, then the applied objects that are no longer in any script.

    Runs only the statements that decide how names are resolved. If a USE fails because its database does not exist
    yet, the rest of the plan is unknown.
    """
    known = set()
    for step in steps:
        known.add(step.key)
        if step.action == "session" and words(step.statement.text)[0].upper() in PLACE_WORDS:
            try:
                _run(spark, step)
            except ScriptError as error:
                yield f"not known before what is above is applied: {error}"
                return
        if step.action in ("keep", "session"):
            continue
        old, new = step.before.splitlines(), step.statement.text.splitlines()
        if not old:
            yield f"{step.action} {step.key}"
            yield from (f"+{line}" for line in new)
            continue
        yield from difflib.unified_diff(old, new, f"{step.key} (applied)", f"{step.key} ({step.place})", lineterm="")
    yield from (f"not in the scripts any more, kept: {key}" for key in applied.texts if key not in known)


def _is_database(spark: SparkSession, step: Step) -> bool:
    """Whether the step creates a database that exists."""
    said = words(step.statement.text)
    makes = [word.upper() for word in said[:-1]] == ["CREATE", "DATABASE", "IF", "NOT", "EXISTS"]
    return makes and spark.catalog.databaseExists(said[-1])


def _run(spark: SparkSession, step: Step) -> None:
    try:
        run_statement(spark, step.text, lambda _: None)
    except Exception as error:
        raise ScriptError(step.place, step.statement, error) from error


def _noted(path: Path) -> dict[str, str]:
    """The texts of a record file. Raises ValueError if the file is damaged."""
    try:
        noted = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(noted, dict) or not all(isinstance(text, str) for text in noted.values()):
            raise ValueError("not texts by key")
    except ValueError as error:
        raise ValueError(
            f"{path} is not a record of what was applied: {error}. Restore it, or delete it to apply everything anew."
        ) from error
    return noted


def _steps(spark: SparkSession, place: str, text: str, applied: Mapping[str, str], began: str) -> Iterator[Step]:
    """The steps, each computed when it is taken; `began` is the initial catalog and database."""
    for statement in split(text):
        said = words(statement.text)
        name = _created(said)
        if said[0].upper() in SESSION_WORDS:
            yield Step("session", statement.text, place, statement)
            continue
        # Statements without an object are identified by text and database.
        here = current_place(spark)
        key = ("" if here == began else f"{here}.") + (name or " ".join(said))
        before = applied.get(key)
        makes_type = [word.upper() for word in said[:2]] == ["CREATE", "TYPE"] and len(said) > 2
        if (makes_type and not _is_type(spark, said)) or (name is not None and not spark.catalog.tableExists(name)):
            yield Step("create", key, place, statement)
        elif before == statement.text if name is not None else _is_done(spark, said, before):
            yield Step("keep", key, place, statement)
        elif name is not None and _is_ours(spark, name):
            yield Step("replace", key, place, statement, before or "(made elsewhere)")
        elif (name is not None and NOT_EXISTS.match(statement.text)) or (makes_type and before is None):
            yield Step("keep", key, place, statement)
        else:
            yield Step("run", key, place, statement)


def _set_names(text: str) -> set[str]:
    """The settings that a script sets."""
    said = [words(statement.text) for statement in split(text)]
    names = ["".join(each[1 : each.index("=")]) for each in said if each[0].upper() == "SET" and "=" in each]
    return {name[1:-1].replace("``", "`") if name[:1] == "`" else name for name in names}


def current_place(spark: SparkSession) -> str:
    """The current catalog and database, quoted."""
    return f"{_quoted(spark.catalog.currentCatalog())}.{_quoted(spark.catalog.currentDatabase())}"


def _is_type(spark: SparkSession, said: list[str]) -> bool:
    """Whether the type that the statement creates exists."""
    name = said[5 if said[2].upper() == "IF" and len(said) > 5 else 2].strip('"`')
    return name.upper() in {row["name"].upper() for row in spark.sql("SHOW TYPES").collect()}


def _is_done(spark: SparkSession, said: list[str], before: str | None) -> bool:
    """Whether a statement without an object is applied.

    If a continuous query is recorded, one must write into its sink: a catalog that lost the query would never run it
    again. The stored text may differ from the script's. Other statements run once. An INSERT that is not recorded may
    have run, too: its process was killed before it wrote the record, and a second query would write each row again.
    """
    if said[0].upper() != "INSERT":
        return before is not None
    is_recorded = before is not None and (not _is_continuous(said) or _is_written(spark, said))
    return is_recorded or _query(spark, said) is not None


def _is_continuous(said: list[str]) -> bool:
    """Whether an INSERT says that it starts a continuous query."""
    upper = [word.upper() for word in said]
    return upper[:2] == ["INSERT", "INTO"] and upper[-2:] == ["EMIT", "CHANGES"]


def _is_written(spark: SparkSession, said: list[str]) -> bool:
    """Whether a continuous query writes into the object of an INSERT; any may if a variable is in its name."""
    into = "".join(said[2 : _name_end(said, 2)])
    last = into.rpartition(".")[2].strip('"`').upper()
    sinks = [row["sink"].rpartition(".")[2].strip("`").upper() for row in spark.sql("SHOW QUERIES").collect()]
    return bool(sinks) if "$" in into else last in sinks


def _query(spark: SparkSession, said: list[str]) -> str | None:
    """The id of the continuous query with this text, with any values of the text's variables."""
    parts = VARIABLE.split(" ".join(said))
    text = re.compile(".+".join(re.escape(part) for part in parts), re.DOTALL)
    shown = spark.sql("SHOW QUERIES EXTENDED").collect()
    return next((row["query_id"] for row in shown if text.fullmatch(" ".join(words(row["statement"])))), None)


def _require_one_version(
    spark: SparkSession, step: Step, applied: Mapping[str, str], scripted: Collection[str]
) -> None:
    """Refuses a changed INSERT query while its former version is there: both would write.

    Raises:
        ScriptError: when a query into the same object has an applied text that is no longer in the scripts.
    """
    said = words(step.statement.text)
    if not _is_continuous(said):
        return
    place = step.key.removesuffix(" ".join(said))
    into = f"{place}{' '.join(said[: _name_end(said, 2)])} "
    for key, text in applied.items():
        former = words(text) if key.startswith(into) else []
        if not _is_continuous(former) or " ".join(former) in scripted:
            continue
        if query := _query(spark, former):
            what = (
                f"The query {query} writes into the same object by a statement that was applied and is no longer in "
                "the scripts. A changed INSERT is another query, which starts at the first record, and both would "
                f"write. TERMINATE `{query}` first, or put its statement back."
            )
            raise ScriptError(step.place, step.statement, ValueError(what))


def _is_ours(spark: SparkSession, name: str) -> bool:
    """Whether the table is over a topic: nothing else is ever replaced."""
    return any(row[0] == "# Topic" for row in spark.sql(f"DESCRIBE TABLE EXTENDED {name}").collect())


def _created(said: list[str]) -> str | None:
    """The name of the stream or table that a statement creates, in back-ticks; None for other statements."""
    upper = [word.upper() for word in said]
    if upper[0] != "CREATE":
        return None
    at = 1
    for optional in (["OR", "REPLACE"], ["SOURCE"]):
        if upper[at : at + len(optional)] == optional:
            at += len(optional)
    if upper[at : at + 1] not in (["STREAM"], ["TABLE"]):
        return None
    at += 1
    if upper[at : at + 3] == ["IF", "NOT", "EXISTS"]:
        at += 3
    if at >= len(said):  # incomplete: Spark reports it
        return None
    return ".".join(_quoted(part) for part in said[at : _name_end(said, at)] if part != ".")


def _name_end(said: list[str], at: int) -> int:
    """The index behind a name that may have dots."""
    while said[at + 1 : at + 2] == ["."]:
        at += 2
    return at + 1


def _quoted(part: str) -> str:
    """A name in back-ticks, whatever quotes it has."""
    if part[:1] == '"':
        part = "`" + part[1:-1].replace('""', '"').replace("`", "``") + "`"
    return part if part[:1] == "`" else quoted(part)
