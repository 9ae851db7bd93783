"""Exceptions: a class for each condition, and messages without stacks and plans."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import TYPE_CHECKING

from kafkalyst.resources import conditions

if TYPE_CHECKING:
    from kafkalyst._conditions import *  # noqa: F403

PREFIX = "KAFKALYST_"

# A Kafkalyst message within a longer text: Spark wraps failures of tasks and running queries.
_OURS = re.compile(r"\[KAFKALYST_[A-Z0-9_.]+\].*?SQLSTATE: \w{5}", re.DOTALL)
_STACK = re.compile(
    r"\n\s*(=== Streaming Query|This stopped SparkContext was|(JVM|Driver) stacktrace:|at [\w.$]+\(|Caused by: ).*",
    re.DOTALL,
)
_PLAN = re.compile(r"(; line \d+ pos \d+);\n.*", re.DOTALL)
_JAVA = re.compile(r"^An error occurred while calling [\w.]+\n: (?:[\w.$]+: )?", re.DOTALL)


def condition(error: BaseException) -> str | None:
    """The named condition of a Spark exception, such as `KAFKALYST_UNKNOWN_TOPIC`."""
    found = _OURS.search(str(error))
    if found:
        return found.group()[1:].split("]")[0]
    get = getattr(error, "getCondition", None)
    return get() if callable(get) else None


def describe(error: BaseException) -> str:
    """The error's message for a terminal: condition, text, SQLSTATE, place; no Java stack, no query plan."""
    text = str(error)
    found = _OURS.search(text)
    if found and not text.startswith(found.group()):
        return found.group()
    text = _JAVA.sub("", _STACK.sub("", _PLAN.sub(r"\1", text)))
    return text.strip() or type(error).__name__


class KafkalystError(Exception):
    """A condition of Kafkalyst as a class: `SubjectNotFound` is `KAFKALYST_SUBJECT_NOT_FOUND`, and so on.

    The classes are attributes of this module, one for each condition of docs/reference/errors.md. Spark raises its own
    exceptions; `typed()` turns them into these, and the functions of this package raise these by themselves.

    Attributes:
        condition: `KAFKALYST_…`, followed by a dot and the subcondition if there is one.
        sqlstate: five characters; None if the text has none.
        details: the message's parameters by name, such as `subject`; empty if Spark does not pass them on, as for
            failures within tasks.
    """

    condition: str
    sqlstate: str | None
    details: dict[str, str]

    def __init__(self, message: str, condition: str, sqlstate: str | None, details: Mapping[str, str]) -> None:
        super().__init__(message)
        self.condition, self.sqlstate, self.details = condition, sqlstate, dict(details)

    def __reduce__(self) -> tuple[Callable[..., KafkalystError], tuple[str, str, str | None, dict[str, str]]]:
        """For pickle, which cannot find a class that is made on demand."""
        return _made, (str(self), self.condition, self.sqlstate, self.details)


@contextlib.contextmanager
def typed() -> Iterator[None]:
    """Wraps any use of Spark, classic or Connect: raises a condition of Kafkalyst as its own class.

        with errors.typed():
            try: spark.sql("CREATE STREAM …")
            except errors.SubjectNotFound as missing: print(missing.details["subject"])

    Spark's exception is the `__cause__`. Other errors pass through.
    """
    try:
        yield
    except Exception as error:
        own = of(error)
        if own is None or isinstance(error, KafkalystError):
            raise
        raise own from error


def of(error: BaseException) -> KafkalystError | None:
    """The typed form of an exception; None if it is not a condition of Kafkalyst."""
    if isinstance(error, KafkalystError):
        return error
    name = condition(error)
    if name is None or not name.startswith(PREFIX):
        return None
    text = describe(error)
    state = re.search(r"SQLSTATE: (\w{5})", text)
    # Spark gives the parameters of the outermost error, which may only wrap the condition.
    get = getattr(error, "getMessageParameters", None)
    outer = getattr(error, "getCondition", None)
    details = (get() or {}) if callable(get) and callable(outer) and outer() == name else {}
    return _made(text, name, state[1] if state else None, details)


def _made(message: str, condition: str, sqlstate: str | None, details: Mapping[str, str]) -> KafkalystError:
    return _class(condition.split(".")[0])(message, condition, sqlstate, details)


def __dir__() -> list[str]:
    return sorted({*globals(), *(_class_name(known) for known in conditions())})


if not TYPE_CHECKING:  # type checkers would accept any name

    def __getattr__(name: str) -> type[KafkalystError]:
        for known in conditions():
            if _class_name(known) == name:
                return _class(PREFIX + known)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


@cache
def _class(name: str) -> type[KafkalystError]:
    return type(_class_name(name.removeprefix(PREFIX)), (KafkalystError,), {"__module__": __name__})


def _class_name(name: str) -> str:
    return "".join(word.capitalize() for word in name.split("_"))
