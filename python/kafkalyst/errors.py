"""What a user should read of an exception: the condition and its message, without stacks and plans."""

from __future__ import annotations

import re

# Of ours, wherever it stands in a longer text; Spark wraps what fails inside a task or a running query.
_OURS = re.compile(r"\[KAFKALYST_[A-Z0-9_.]+\].*?SQLSTATE: \w{5}", re.DOTALL)
_STACK = re.compile(r"\n\s*(=== Streaming Query|(JVM|Driver) stacktrace:|at [\w.$]+\(|Caused by: ).*", re.DOTALL)
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
