"""The SQL of the README, run as it stands over the demo's topics."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from pyspark.sql import SparkSession

from kafkalyst import script

if TYPE_CHECKING:
    from conftest import Servers

BLOCK = re.compile(r"```sql\n(.*?)```", re.DOTALL)
COUNT = 400


def test_readme(spark: SparkSession, servers: Servers, root: Path) -> None:
    """Every statement works, and the last one's stream has the orders that were paid."""
    sys.path.insert(0, str(root / "demo"))
    from produce import fill

    fill(servers.kafka, servers.registry, COUNT)
    blocks = BLOCK.findall((root / "README.md").read_text(encoding="utf-8"))
    assert blocks
    spark.sql("CREATE DATABASE readme")
    spark.sql("USE readme")
    spark.conf.set("spark.kafkalyst.query.trigger", "available-now")
    try:
        for statement in (s for block in blocks for s in script.split(block)):
            frame = spark.sql(statement.text)
            if not frame.isStreaming:
                frame.collect()
        paid = spark.sql("SELECT count(*) AS c FROM orders WHERE status = 'PAID'").first()["c"]
        assert 0 < paid < COUNT
        assert spark.table("paid").count() == paid + 1
    finally:
        spark.conf.unset("spark.kafkalyst.query.trigger")
        for row in spark.sql("SHOW STREAMS").collect():
            spark.sql(f"DROP STREAM {row['name']} DELETE TOPIC")
        spark.sql("CREATE STREAM foo (a INT) WITH (KAFKA_TOPIC = 'foo', VALUE_FORMAT = 'JSON')")
        spark.sql("DROP STREAM foo DELETE TOPIC")
        spark.sql("USE default")
        spark.sql("DROP DATABASE readme CASCADE")
