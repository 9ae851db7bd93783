"""The links of the README and of the pages under docs/."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGES = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "benchmarks").glob("*.md")]
LINK = re.compile(r"\]\(([^)\s:]*)\)")


def test_links_lead_somewhere() -> None:
    """Each names a file, and where it has one a heading."""
    broken = set()
    for page in PAGES:
        for link in LINK.findall(prose(page)):
            path, _, heading = link.partition("#")
            to = (page.parent / path).resolve() if path else page
            if not to.exists() or (heading and heading not in headings(to)):
                broken.add(f"{page.relative_to(ROOT)}: {link}")
    assert not broken


def headings(page: Path) -> set[str]:
    """The anchors that GitHub gives them."""
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
