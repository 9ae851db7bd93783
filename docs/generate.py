"""Writes the reference pages that come from the product's own tables and docstrings.

Run by `make reference`; a test fails while a page is stale.
"""

from __future__ import annotations

import inspect
import json
import re
import sys
import textwrap
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
MAIN = ROOT / "jvm" / "src" / "main"
MODEL = MAIN / "scala" / "io" / "kafkalyst" / "model"
HANDLERS = (
    "Spark knows only its own names in `DECLARE … HANDLER FOR`, so scripts handle these by SQLSTATE or as SQLEXCEPTION: "
    "`HANDLER FOR\nSQLSTATE '42704'` for a missing topic, which in Spark's own `TABLE_OR_VIEW_NOT_FOUND` is 42P01."
)
STRING = re.compile(r'"((?:[^"\\]|\\.)*)"')


def rows(source: str, kind: str) -> list[list[str]]:
    """The string arguments of each `val x: Kind = Kind(…)` of a Scala table, in order, joined over `+`."""
    found = []
    for start in re.finditer(rf"val \w+: {kind} =\s*{kind}\(", source):
        depth, at = 1, start.end()
        while depth:
            text = STRING.match(source, at)
            if text:
                at = text.end()
                continue
            depth += {"(": 1, ")": -1}.get(source[at], 0)
            at += 1
        body = re.sub(r'"\s*\+\s*"', "", source[start.end() : at - 1])
        found.append([body, *STRING.findall(body)])
    return found


def properties() -> str:
    """The page of the WITH clause."""
    lines = ["# Properties", "", "In the WITH clause. Names ignore case.", "", "| property | meaning |", "|---|---|"]
    tables = "\n".join(
        (MODEL / f"{name}.scala").read_text(encoding="utf-8")
        for name in ("Properties", "flink/FlinkProperties", "RegistryProperties", "SinkProperties")
    )
    for _, name, doc, *_ in rows(tables, "Property"):
        lines.append(f"| `{name}` | {doc} |")
    lines += [f"| `{name}` | {doc} |" for name, doc in _side_properties()]
    return "\n".join(lines) + "\n"


def _side_properties() -> list[tuple[str, str]]:
    """The properties that exist for the key and for the value: their names and documentation."""
    source = (MODEL / "Properties.scala").read_text(encoding="utf-8")
    block = source[source.index("val sideOptions") : source.index("def wrappingOf")]
    options = (MODEL / "TopicObject.scala").read_text(encoding="utf-8")
    names = dict(re.findall(r'val (\w+) = "([A-Z_]+)"', options))
    text = r's?"(?:[^"\\]|\\.)*"'
    found = re.findall(rf"SideFormat\.(\w+),\s*({text}(?:\s*\+\s*{text})*)", block)
    return [
        (f"{side.upper()}_{names[option]}", "".join(STRING.findall(doc)).replace("${side.name}", side))
        for side in ("key", "value")
        for option, doc in found
    ]


def property_names() -> str:
    """The same table's names, for what Python offers as arguments."""
    names = re.findall(r"^\| `([^`]+)` \|", properties(), re.MULTILINE)
    return json.dumps(names, indent=1) + "\n"


# The settings by purpose: titles, and what their names begin with after `spark.kafkalyst.`; the longest match decides.
PURPOSES = {
    "Cluster and trust": ("bootstrap.servers", "kafka.", "session.properties"),
    "Language": ("dialect", "identifiers"),
    "Defaults of new objects": ("key.format.", "value.format.", "wrap.", "avro.", "output.topic.", "on.error"),
    "Reads and writes": ("query.offset.reset", "as-of.", "sink."),
    "Continuous queries": ("query.",),
    "Catalog of a cluster": ("catalog.",),
    "Schema registry": ("schema.registry.",),
    "Schema registry: logins": ("schema.registry.basic.", "schema.registry.bearer."),
    "Schema registry: TLS": ("schema.registry.ssl.",),
}


def settings() -> str:
    """The page of the session's settings."""
    lines = [
        "# Settings",
        "",
        "Set them by `SET`, by `--conf` or in spark-defaults.conf. Unknown names are refused.",
        "Of Kafka's client properties, `spark.kafkalyst.kafka.*`, misspelt names are refused, unless your own",
        "classes are among them; a warning in the log names other unknown ones.",
    ]
    lines += ["Where sessions are locked ([security](../security.md)), those marked *application* come only from"]
    lines += [
        "the configuration that the application starts with. [Connect](../howto/connect.md) has examples of logins."
    ]
    lines += ["A cluster's catalog has its own: `spark.sql.catalog.<name>.x` for `spark.kafkalyst.x`, see"]
    lines += ["[catalog](catalog.md)."]
    groups: dict[str, list[str]] = {title: [] for title in PURPOSES}
    tables = "\n".join(
        (MODEL / "settings" / f"{name}.scala").read_text(encoding="utf-8")
        for name in ("Settings", "QuerySettings", "LanguageSettings", "ReadSettings", "Application", "RegistrySettings")
    )
    for body, name, *texts in rows(tables, "Setting"):
        default = re.search(r'(?<!synonym = )Some\("([^"]*)"\)', body)
        shown = f"`{default[1]}`" if default and default[1] else ""
        doc = next(t for t in texts if " " in t and not (default and t == default[1]))
        synonym = re.search(r'synonym = Some\("([^"]*)"\)', body)
        extra = f" Synonym: `{synonym[1]}`." if synonym else ""
        trust = "session" if "Trust.Session" in body else "*application*"
        groups[_purpose(name)].append(f"| `spark.kafkalyst.{name}` | {shown} | {trust} | {doc}{extra} |")
    groups[_purpose("kafka.")].append(
        "| `spark.kafkalyst.kafka.*` | | [by name](#free-properties-of-kafkas-clients) | Any property of a Kafka client, without the prefix. "
        "Where they are not set, `isolation.level` is `read_committed`, readers have a `max.partition.fetch.bytes` of "
        "8 MiB and a `receive.buffer.bytes` of -1, the system's own, and writers a `batch.size` of 256 KiB and a "
        "`linger.ms` of 10. |"
    )
    for title, found in groups.items():
        lines += ["", f"## {title}", "", "| setting | default | set by | meaning |", "|---|---|---|---|", *found]
    lines += ["", "## Free properties of Kafka's clients", ""]
    lines += ["Locked sessions, and definitions used in them, may set only these properties of Kafka's clients:", ""]
    lines.append(free_properties())
    return "\n".join(lines) + "\n"


def _purpose(name: str) -> str:
    """The group of a setting; a new one must get a place in the table above."""
    known = [(begin, title) for title, begins in PURPOSES.items() for begin in begins if name.startswith(begin)]
    if not known:
        raise ValueError(f"docs/generate.py: the setting {name} has no purpose in PURPOSES.")
    return max(known, key=lambda match: len(match[0]))[1]


def free_properties() -> str:
    """The properties of Kafka's clients that need no trust, as a paragraph."""
    source = (MODEL / "ClientProperties.scala").read_text(encoding="utf-8")
    names = STRING.findall(source[source.index("val free") : source.index("private val isFree")])
    return textwrap.fill(", ".join(f"`{name}`" for name in names) + ".", 118, break_on_hyphens=False)


def errors() -> str:
    """The page of the named conditions."""
    lines = ["# Errors", "", "Each has a name (`e.getCondition()`) and an SQLSTATE (`e.getSqlState()`).", ""]
    lines += [HANDLERS, ""]
    for name, condition in _conditions().items():
        text = "\n> ".join(_escaped(line) for line in condition["message"])
        lines += [f"## KAFKALYST_{name}", "", f"SQLSTATE {condition['sqlState']}", "", f"> {text}", ""]
    return "\n".join(lines).rstrip() + "\n"


def _conditions() -> dict[str, Any]:
    """The named conditions."""
    text = (MAIN / "resources" / "error" / "kafkalyst-conditions.json").read_text(encoding="utf-8")
    return dict(json.loads(text))


def error_classes() -> str:
    """The classes of kafkalyst.errors for type checkers and editors; at run time they are made on demand."""
    names = ("".join(word.capitalize() for word in name.split("_")) for name in _conditions())
    lines = [f"class {name}(KafkalystError): ..." for name in sorted(names)]
    return "\n".join(["# Written by docs/generate.py.", "from kafkalyst.errors import KafkalystError", "", *lines]) + "\n"


def _escaped(text: str) -> str:
    """A message as Markdown, which would take `<name>` for an HTML tag and hide it, and two `*` for emphasis."""
    parts = text.split("`")
    return "`".join(part if i % 2 else re.sub(r"([<*])", r"\\\1", part) for i, part in enumerate(parts))


def python() -> str:
    """The page of the Python package, from its docstrings."""
    import kafkalyst
    from kafkalyst import functions, live, queries, replay, serdes

    lines = ["# Python, name by name", "", "[Python](../python.md) has an overview with examples.", ""]
    lines += _members("kafkalyst", kafkalyst, [n for n in kafkalyst.__all__ if not n.startswith("_")])
    for module in (functions, live, queries, replay, serdes):
        names = getattr(module, "__all__", None) or [
            n for n, v in vars(module).items() if getattr(v, "__module__", "") == module.__name__ and n[0] != "_"
        ]
        # What the package itself exports is above.
        lines += _members(module.__name__, module, [n for n in names if vars(kafkalyst).get(n) is not vars(module)[n]])
    return "\n".join(lines).rstrip() + "\n"


def _members(prefix: str, module: object, names: list[str]) -> list[str]:
    lines: list[str] = []
    for name in sorted(names):
        member = getattr(module, name)
        if not (inspect.isfunction(member) or inspect.isclass(member)):
            continue
        lines += _entry(f"## {prefix}.{name}", member)
        if inspect.isclass(member):
            for method, value in sorted(vars(member).items()):
                if inspect.isfunction(value) and not method.startswith("_") and value.__doc__:
                    lines += _entry(f"### {prefix}.{name}.{method}", value)
    return lines


def _entry(title: str, member: object) -> list[str]:
    """A heading, the signature, and the docstring with its sections as lists."""
    shown = member if inspect.isfunction(member) else member.__init__ if "__init__" in vars(member) else None
    signature = str(inspect.signature(shown)) if shown else "()"
    # Annotations are texts, which inspect quotes.
    call = re.sub(r"(: |-> )'([^']*)'", r"\1\2", re.sub(r"\(self(, )?", "(", signature)).removesuffix(" -> None")
    call = re.sub(r"<[^<>]*(<\w+>)?[^<>]* at 0x\w+>", "…", call)
    lines = [title, "", "```python", f"{title.split('.')[-1]}{call}", "```", ""]
    section = is_example = False
    for line in inspect.cleandoc(member.__doc__ or "").splitlines():
        if is_example != (line.startswith(">>>") or (is_example and line != "")):
            lines.append("```" if is_example else "```python")
            is_example = not is_example
        if re.fullmatch(r"(Args|Attributes|Returns|Raises|Yields):", line):
            section, line = True, f"**{line.rstrip(':')}**"
            lines += [line, ""]
        elif section and (item := re.fullmatch(r" {4}(\*{0,2}\w+): (.*)", line)):
            lines.append(f"- `{item[1]}`: {item[2]}")
        elif section and line.startswith("    "):
            lines.append("  " + line.strip() if lines[-1].startswith(("- ", "  ")) else line.strip())
        else:
            lines.append(line)
    return [*lines, *(["```"] if is_example else []), ""]


PAGES = {
    "docs/reference/properties.md": properties,
    "docs/reference/settings.md": settings,
    "docs/reference/errors.md": errors,
    "docs/reference/python.md": python,
    "conf/properties.json": property_names,
    "python/kafkalyst/_conditions.pyi": error_classes,
}


def main() -> int:
    """Writes the pages; with `--check` only tells whether they are stale."""
    stale = []
    for name, page in PAGES.items():
        path, text = ROOT / name, page()
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            stale.append(name)
            if "--check" not in sys.argv:
                path.write_text(text, encoding="utf-8")
    if stale and "--check" in sys.argv:
        print(f"stale: {', '.join(stale)}; run make reference")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
