"""The order of the rooms (packages), and rules that a compiler does not check."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MAIN = ROOT / "jvm" / "src" / "main"
SCALA = MAIN / "scala" / "io" / "kafkalyst"
LONGEST_FILE = 400
MOST_FILES = 22
# A room imports from itself and from rooms of lower rank; rooms of one rank do not import each other.
RANKS = [
    ["errors"],
    ["model", "clients"],
    ["names", "keys", "metadata", "registry"],
    ["formats"],
    ["read", "write"],
    ["catalog"],
    ["joins", "functions"],
    ["streams"],
    ["query"],
    ["lake"],
    ["commands"],
    ["analyze"],
    ["parse"],
]
RANK = {room: rank for rank, rooms in enumerate(RANKS) for room in rooms}
# The known folders within the rooms.
INNER = {
    "model": ["flink", "settings"],
    "formats": ["avro", "bytes", "delimited", "events", "json", "jsonschema", "protobuf", "raw"],
    "read": ["offsets"],
    "catalog": ["cluster", "define"],
    "functions": ["aggregates", "flink"],
    "streams": ["ksql", "over"],
    "query": ["lease", "push", "report"],
    "commands": ["flink", "show", "topics"],
    "analyze": ["names", "sinks", "tables", "statements"],
    "parse": ["door", "flink", "island", "quotes"],
}
IMPORT = re.compile(r"\bio\.kafkalyst\.([a-z]+)\.")
DEFINED = re.compile(
    r"^(?:private(?:\[\w+\])? |protected )?(?:final |sealed |abstract |case |implicit )*(?:class|object|trait)\s+(\w+)",
    re.MULTILINE,
)
# The Avro reader runs a program whose steps call the reader.
INNER_LOOP = {
    "AvroPass.scala",
    "AvroPassCode.scala",
    "AvroReaders.scala",
    "AvroSkips.scala",
    "ByteReader.scala",
    "NumberLengths.scala",
}
# Code that names a condition: an exception, or a method that makes one, with the name as its first text.
THROWN = re.compile(
    r"(?:Exception(?:\.caused)?|\b(?:condition|Conditions|fail|wrong))"
    r'\([^"()]*(?:\([^"()]*\)[^"()]*)*"([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)"'
)
# Formats are used by their trait. Their names are only in their own folder, in Flink's table of names, and in what the
# model knows without formats; JSON is also a word of SQL, and AVRO and PROTOBUF are types of registries, too.
FORMAT_NAMES = re.compile(
    r'"(?:AVRO|AVRO_NOSR|CANAL_JSON|DEBEZIUM_AVRO|DEBEZIUM_JSON|DELIMITED|JSON_SR|KAFKA|MAXWELL_JSON|NONE|OGG_JSON|'
    r'PROTOBUF|PROTOBUF_NOSR)"'
)


def sources() -> list[Path]:
    """Every main file of the JVM side."""
    return sorted(path for ending in ("scala", "java") for path in MAIN.rglob(f"*.{ending}"))


@pytest.mark.parametrize("room", RANK)
def test_rooms_know_only_those_before_them(room: str) -> None:
    """No file imports from another room of its own rank or above."""
    for path in sorted((SCALA / room).rglob("*.scala")):
        text = "\n".join(
            line for line in path.read_text(encoding="utf-8").splitlines() if not line.lstrip().startswith("*")
        )
        for other in set(IMPORT.findall(text)) - {room, "bridge"}:
            assert RANK[other] < RANK[room], f"{path.name} of {room} imports from {other}"


def test_rooms_are_known_and_small() -> None:
    """Each folder is a room with a rank, or a known folder of a room, and has few enough files for a reader."""
    folders = [path for path in SCALA.rglob("*") if path.is_dir()]
    known = set(RANK) | {f"{room}/{inner}" for room, all_inner in INNER.items() for inner in all_inner}
    assert {str(path.relative_to(SCALA)) for path in folders} == known
    full = {str(path.relative_to(SCALA)): n for path in folders if (n := len(list(path.glob("*.scala")))) > MOST_FILES}
    assert not full


def test_files_have_no_cycles() -> None:
    """Files do not depend on each other in cycles, by the compiled classes."""
    homes = {
        ".".join(path.parent.relative_to(SCALA.parent.parent).parts) + "." + name: path.name
        for path in SCALA.rglob("*.scala")
        for name in DEFINED.findall(path.read_text(encoding="utf-8"))
    }
    listed = subprocess.run(
        ["jdeps", "-verbose:class", "-filter:none", str(ROOT / "build" / "classes" / "main")],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    uses: dict[str, set[str]] = {path: set() for path in homes.values()}
    for user, used in re.findall(r"^   (\S+)\s+-> (\S+)", listed, re.MULTILINE):
        one, other = homes.get(user.split("$")[0]), homes.get(used.split("$")[0])
        if one and other and one != other:
            uses[one].add(other)
    assert sum(map(len, uses.values())) > len(uses)
    done = INNER_LOOP
    while done:
        uses = {path: others - done for path, others in uses.items() if path not in done}
        done = {path for path, others in uses.items() if not others}
    assert not uses


def test_files_are_small() -> None:
    """No main file is over the limit."""
    long = {path.name: n for path in sources() if (n := path.read_text(encoding="utf-8").count("\n")) > LONGEST_FILE}
    assert not long


def test_conditions_are_whole() -> None:
    """Conditions are sorted, each has an SQLSTATE and a message and is thrown somewhere, and all thrown ones exist."""
    conditions = json.loads((MAIN / "resources" / "error" / "kafkalyst-conditions.json").read_text(encoding="utf-8"))
    assert list(conditions) == sorted(conditions)
    for name, condition in conditions.items():
        assert re.fullmatch(r"[0-9A-Z]{5}", condition["sqlState"]), name
        assert condition["message"], name
    thrown = {name for path in sources() for name in THROWN.findall(path.read_text(encoding="utf-8"))}
    assert not set(conditions) - thrown, "never thrown"
    assert not thrown - set(conditions), "thrown, but without a text"


def test_formats_are_asked_by_their_trait() -> None:
    """Outside of the formats' folders no code depends on a format's name."""
    named = {
        f"{path.relative_to(SCALA)}: {line.strip()}"
        for path in SCALA.rglob("*.scala")
        if not str(path.relative_to(SCALA)).startswith(("formats/", "model/flink/", "model/settings/", "registry/"))
        for line in path.read_text(encoding="utf-8").splitlines()
        if FORMAT_NAMES.search(line) and "schemaType" not in line and not re.match(r"\s*val (none|bytes) =", line)
    }
    assert not named


def test_bridge_is_apart() -> None:
    """Code that is compiled against another Spark, or is in Spark's packages, is used from one place each."""
    users = {
        word: {
            path.name
            for path in sources()
            if re.search(rf"^import .*\b{word}\b", path.read_text("utf-8"), re.MULTILINE)
        }
        for word in ("ParserShell", "KafkaPlanBridge", "Frames")
    }
    assert users["KafkaPlanBridge"] <= {"TopicReading.scala", "TopicPartitionReader.scala", "TopicScan.scala"}
    assert users["Frames"] <= {
        "AnalyzedQuery.scala",
        "AsOf.scala",
        "CacheRows.scala",
        "ContinuousQueries.scala",
        "ContinuousStatement.scala",
        "DeleteRows.scala",
        "DerivedColumns.scala",
        "DropObject.scala",
        "History.scala",
        "HistoryTable.scala",
        "InsertIntoTable.scala",
        "Joined.scala",
        "KafkaCatalog.scala",
        "KeptSettings.scala",
        "LakeQuery.scala",
        "LakeTable.scala",
        "Launch.scala",
        "ObjectStore.scala",
        "OverWindows.scala",
        "PlacedRows.scala",
        "QueryTimer.scala",
        "ResultRows.scala",
        "RowChanges.scala",
        "ShownStream.scala",
    }
    assert users["ParserShell"] <= {
        "ContinuousInserts.scala",
        "DoorSession.scala",
        "KafkalystExtensions.scala",
        "QueryTexts.scala",
        "SqlFrontDoor.scala",
        "StatementTexts.scala",
    }
    in_spark = {
        path.name for path in sources() if re.search(r"^package org\.apache", path.read_text("utf-8"), re.MULTILINE)
    }
    assert in_spark == {"KafkaPlanBridge.scala", "Frames.scala"}


def test_python_needs_no_jvm() -> None:
    """The package does not reach into the JVM, so all of it works over Connect."""
    for path in (ROOT / "python" / "kafkalyst").glob("*.py"):
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"\._jvm|\._jdf|\._jsparkSession|\.sparkContext", text), path.name


def test_reference_pages_are_fresh() -> None:
    """`make reference` would change nothing."""
    done = subprocess.run(
        [sys.executable, "docs/generate.py", "--check"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout


def test_pages_name_files_that_exist() -> None:
    """Each `room/File` in the architecture page and in a decision exists."""
    pages = [ROOT / "docs" / "architecture.md", *sorted((ROOT / "docs" / "decisions").glob("*.md"))]
    gone = {
        f"{page.name}: {name}"
        for page in pages
        for name in re.findall(r"`((?:[a-z]+/)+[A-Z]\w+)", page.read_text(encoding="utf-8"))
        if (SCALA / name.split("/")[0]).is_dir() and not (SCALA / f"{name}.scala").exists()
    }
    assert not gone


def test_the_architecture_page_lists_all_rules() -> None:
    """The page lists the registered rules in the order of their registration, and no others."""
    made = re.compile(r"(?:=> |new )([A-Z][\w.]*)")
    extensions = (SCALA / "KafkalystExtensions.scala").read_text().split("// Analysis")[1]
    before = (SCALA / "analyze" / "BeforeSpark.scala").read_text().split("Seq(")[1].split("/**")[0]
    rules = [name for line in extensions.splitlines() if "ResolutionRule" in line for name in made.findall(line)]
    page = (ROOT / "docs" / "architecture.md").read_text().split("## The rules")[1]
    listed = re.findall(r"^\| `([\w.]+)` \|", page, re.MULTILINE)
    assert listed == [*made.findall(before), "ResolveKsqlCalls", *rules]
    for name in made.findall(extensions.split("injectPlannerStrategy")[1].split("// The tables")[0]):
        assert f"`{name}`" in page


def test_cases_are_of_no_country() -> None:
    """Names and words change their case by the root locale only: Turkish has another small I."""
    bare = re.compile(r"(?<!Character)\.to(?:Lower|Upper)Case\b(?!\(Locale)")
    assert not [path.name for path in sources() if bare.search(path.read_text(encoding="utf-8"))]
