"""The examples of the README and of the pages under docs/, run as they stand over the demo's topics."""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from pyspark.sql import SparkSession, functions

from kafkalyst import script

if TYPE_CHECKING:
    from conftest import Servers

# Python examples that run begin with this comment.
BLOCK = re.compile(r"```(?:sql|(?P<python>python\n# after))\n(?P<text>.*?)```", re.DOTALL)
COUNT = 400
ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = {
    page: blocks
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    if (blocks := list(BLOCK.finditer(page.read_text(encoding="utf-8"))))
}


@pytest.fixture(scope="module")
def topics(spark: SparkSession, servers: Servers) -> Iterator[set[str]]:
    """The demo's topics, filled; deleted afterwards."""
    sys.path.insert(0, str(ROOT / "demo"))
    from produce import FOO, ORDERS, fill

    fill(servers.kafka, servers.registry, COUNT)
    yield {ORDERS, FOO}
    for name, topic, value_format in (("orders", ORDERS, "AVRO"), ("foo", FOO, "JSON")):
        columns = "(order_id BIGINT KEY)" if value_format == "AVRO" else "(a INT)"
        spark.sql(f"CREATE STREAM {name} {columns} WITH (KAFKA_TOPIC = '{topic}', VALUE_FORMAT = '{value_format}')")
        spark.sql(f"DROP STREAM {name} DELETE TOPIC")


@pytest.fixture
def session(spark: SparkSession, topics: set[str]) -> Iterator[SparkSession]:
    """The session in its own database; continuous queries return when they have read everything."""
    spark.sql("CREATE DATABASE docs")
    spark.sql("USE docs")
    spark.conf.set("spark.kafkalyst.query.trigger", "available-now")
    try:
        yield spark
    finally:
        spark.conf.unset("spark.kafkalyst.query.trigger")
        for row in spark.sql("LIST TABLES").collect():
            spark.sql(f"DROP TABLE `{row['name']}`")  # before the streams over the same topics
        streams = spark.sql("SHOW STREAMS EXTENDED").collect()
        left, letters = Counter(row["topic"] for row in streams), {row["dead_letters"] for row in streams}
        # A topic of dead letters is in use until the stream of these letters is dropped.
        for row in sorted(streams, key=lambda row: row["topic"] in letters):
            name, topic = row["name"], row["topic"]
            left[topic] -= 1
            keep = topic in topics or left[topic]
            spark.sql(f"DROP STREAM `{name}`{'' if keep else ' DELETE TOPIC'}")
        spark.sql("USE default")
        spark.sql("DROP DATABASE docs CASCADE")


def run(session: SparkSession, page: Path, checkpoint: Path) -> None:
    """Runs every example of a page, in order; endless ones are only planned."""
    names = {"spark": session, "checkpoint": str(checkpoint), "F": functions, "Path": Path}
    for block in EXAMPLES[page]:
        if block["python"]:
            exec(block["text"], names)
            continue
        for statement in script.split(block["text"]):
            frame = session.sql(statement.text)
            if not frame.isStreaming:
                frame.collect()


def test_readme(session: SparkSession, tmp_path: Path) -> None:
    """Every statement works, and the continuous query's stream has the paid orders."""
    run(session, ROOT / "README.md", tmp_path)
    paid = session.sql("SELECT count(*) AS c FROM orders WHERE status = 'PAID'").first()["c"]
    assert 0 < paid < COUNT
    assert session.table("paid").count() == paid + 1


@pytest.mark.parametrize("page", [page for page in EXAMPLES if page.name != "README.md"], ids=lambda page: page.stem)
def test_examples(session: SparkSession, page: Path, tmp_path: Path) -> None:
    """Every statement works."""
    run(session, page, tmp_path)
