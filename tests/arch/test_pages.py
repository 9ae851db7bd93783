"""The links of the README and of the pages under docs/."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

from kafkalyst.arguments import parser

ROOT = Path(__file__).resolve().parents[2]
PAGES = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "benchmarks").glob("*.md")]
LINK = re.compile(r"\]\(([^)\s:]*)\)")


def test_links_lead_somewhere() -> None:
    """Each link names an existing file, and an existing heading if it has one."""
    broken = set()
    for page in PAGES:
        for link in LINK.findall(prose(page)):
            path, _, heading = link.partition("#")
            to = (page.parent / path).resolve() if path else page
            if not to.exists() or (heading and heading not in headings(to)):
                broken.add(f"{page.relative_to(ROOT)}: {link}")
    assert not broken


def test_commands_of_pages_are_taken() -> None:
    """The command line's own parser accepts each line of a block that begins with `kafkalyst`."""
    commands = []
    for page in PAGES:
        for block in re.findall(r"^ *```\w*\n(.*?)^ *```", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE):
            commands += [line.strip() for line in block.splitlines() if line.strip().startswith("kafkalyst ")]
    assert len(commands) > 15
    for command in commands:
        words = shlex.split(re.sub(r" [>|&] ?.*$", "", command), comments=True)[1:]
        assert parser().parse_args(words).command, command


def test_the_table_of_what_fits_is_that_of_the_build() -> None:
    """The versions of Spark, its connector's parts, and the tests' servers and extensions are those of the build."""
    page = (ROOT / "docs" / "compatibility.md").read_text(encoding="utf-8")
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in page.splitlines() if line.startswith("| ")
    ]
    build = (ROOT / "build.gradle").read_text(encoding="utf-8")
    table = json.loads((ROOT / "conf" / "spark-versions.json").read_text(encoding="utf-8"))
    scala = table["scala"].rsplit(".", 1)[0]
    of_sparks = [
        [release, scala, parts["kafka-clients"], parts["token-provider"]]
        for release, parts in table["versions"].items()
    ]
    assert [row[:4] for row in rows if re.fullmatch(r"\d+\.\d+\.\d+", row[0])] == of_sparks
    assert [row[0] for row in rows if row[-1] == "tested" and row[0] in table["versions"]] == [table["default"]]
    tested = {row[0]: row[1] for row in rows if row[-1].startswith("tested") and len(row) == 3}
    default = table["default"].rsplit(".", 1)[0]
    for name, pattern in {
        "Kafka broker": r"kafkaVersion = '(.*?)'",
        "Registry: Apicurio (`ccompat` v7)": r"registryVersion = '(.*?)'",
        f"Delta on Spark {default}": rf"delta-spark_{default}_{scala}:([\d.]+)'",
        f"Iceberg on Spark {default}": rf"iceberg-spark-runtime-{default}_{scala}:([\d.]+)'",
    }.items():
        assert re.findall(pattern, build) == [tested[name]], name
    assert f"antlrVersion = '{next(row[1] for row in rows if row[0].startswith('ANTLR'))}'" in build


def headings(page: Path) -> set[str]:
    """The anchors that GitHub gives the headings."""
    found = re.findall(r"^#+ (.*)", prose(page), re.MULTILINE)
    plain = (re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text).lower() for text in found)
    return {re.sub(r"[^\w\- ]", "", text).replace(" ", "-") for text in plain}


def prose(page: Path) -> str:
    """The text without its blocks of code."""
    return re.sub(r"^ *```.*?^ *```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)


def test_no_error_is_sparks_own_internal() -> None:
    """Goldens have no error without a condition, and none of Spark's temporary and internal conditions."""
    raw = re.compile(r"^-- error (None|_LEGACY_ERROR\w*|INTERNAL_ERROR\w*)", re.MULTILINE)
    found = {
        f"{out.relative_to(ROOT)}: {error}"
        for out in (ROOT / "tests" / "sql").rglob("*.out")
        for error in raw.findall(out.read_text(encoding="utf-8"))
    }
    # Spark 4.2's answer to a CREATE TABLE LIKE of its own over a catalog that lacks it.
    assert found <= {"tests/sql/flink/like.4.2.out: None"}


def test_masks_of_times() -> None:
    """A golden that masks a time does so too if its fraction of a second is zero, and so not printed."""
    rule = re.compile(r"^-- replace: (.*\\d:\\d.*) => ", re.MULTILINE)
    cell = "0 | 1 | 2026-01-02 03:04:05"
    for golden in sorted((ROOT / "tests" / "sql").rglob("*.sql")):
        for mask in rule.findall(golden.read_text(encoding="utf-8")):
            masks = [re.search(mask, f"{cell}{fraction} | 1") is not None for fraction in (".678", "")]
            assert masks[0] == masks[1], f"{golden.relative_to(ROOT)}: {mask}"


def test_the_dbt_project_is_that_of_the_page() -> None:
    """Each file that the page shows is the one that `make adopt` builds."""
    page = (ROOT / "docs" / "howto" / "dbt.md").read_text(encoding="utf-8")
    shown = re.findall(r"^`(\S+\.(?:yml|sql))`(?:[^`]|`(?!``))*?```\n(.*?)```", page, re.DOTALL | re.MULTILINE)
    assert len(shown) == 5
    for name, text in shown:
        assert (ROOT / "tests" / "adopt" / "dbt" / name).read_text(encoding="utf-8") == text, name
