"""Spark Declarative Pipelines over topics: streaming tables in SQL and Python, and a topic as a sink."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pyspark
import pytest
from pyspark.sql import SparkSession

from kafkalyst import configure
from support.patience import PROGRAM_SECONDS

if TYPE_CHECKING:
    from conftest import Servers

pytestmark = pytest.mark.skipif(pyspark.__version__ < "4.1", reason="pipelines came with Spark 4.1")

SPEC = """
name: orders
storage: file://{folder}/storage
database: default
libraries:
  - glob:
      include: transformations/**
"""

SQL = """
CREATE STREAMING TABLE of_sql AS SELECT k, v, ROWOFFSET AS o FROM STREAM kafka.`{topic}`;
CREATE MATERIALIZED VIEW counted AS SELECT count(*) AS n FROM kafka.`{topic}`;
"""

PYTHON = """
from pyspark import pipelines as dp
from pyspark.sql import SparkSession

spark = SparkSession.getActiveSession()


@dp.table
def of_python():
    return spark.readStream.table("kafka.`{topic}`").where("v <> 'b'")


options = {{"kafka_topic": "{sink}", "value_format": "JSON", "value.fields-include": "ALL"}}
dp.create_sink("copied", "kafkalyst", options)


@dp.append_flow(target="copied")
def copy():
    return spark.readStream.table("of_sql").select("k", "v")
"""


def run(folder: Path, servers: Servers) -> None:
    """`spark-pipelines run` with submitted jars; the project's configuration has the catalog and addresses."""
    conf = configure(SparkSession.Builder(), servers.kafka, servers.registry)._options
    ours = {name: value for name, value in conf.items() if name.startswith(("spark.kafkalyst.", "spark.sql.catalog."))}
    configuration = "".join(f"  {name}: {json.dumps(value)}\n" for name, value in ours.items())
    (folder / "spark-pipeline.yml").write_text(SPEC.format(folder=folder) + "configuration:\n" + configuration)
    home = Path(pyspark.__file__).parent
    done = subprocess.run(
        [str(home / "bin/spark-pipelines"), "run", "--remote", "local[2]", "--jars", conf["spark.jars"]],
        env={**os.environ, "SPARK_HOME": str(home), "PYSPARK_PYTHON": sys.executable},
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=PROGRAM_SECONDS,
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-5000:]


def test_pipeline(spark: SparkSession, servers: Servers, topic: Callable[[str], str], tmp_path: Path) -> None:
    """SQL and Python read topics by name, streaming and bounded, and a flow writes into a topic."""
    source, sink = topic("pipeline"), topic("pipeline_sink")
    session = spark.newSession()
    session.conf.set("spark.sql.catalog.kafka", "io.kafkalyst.KafkaCatalog")
    session.sql(f"CREATE STREAM kafka.`{source}` (k INT KEY, v STRING) WITH (VALUE_FORMAT = 'JSON', PARTITIONS = 1)")
    session.sql(f"CREATE STREAM kafka.`{sink}` (k INT, v STRING) WITH (VALUE_FORMAT = 'JSON', PARTITIONS = 1)")
    session.sql(f"INSERT INTO kafka.`{source}` VALUES (1, 'a'), (2, 'b')")
    (tmp_path / "transformations").mkdir()
    (tmp_path / "transformations/tables.sql").write_text(SQL.format(topic=source))
    (tmp_path / "transformations/tables.py").write_text(PYTHON.format(topic=source, sink=sink))
    run(tmp_path, servers)

    def rows(table: str) -> list[tuple[object, ...]]:
        return sorted(tuple(row) for row in session.read.parquet(f"{tmp_path}/spark-warehouse/{table}").collect())

    assert rows("of_sql") == [(1, "a", 0), (2, "b", 1)]
    assert rows("of_python") == [(1, "a")]
    assert rows("counted") == [(2,)]
    copied = session.sql(f"SELECT k, v FROM kafka.`{sink}` ORDER BY k").collect()
    assert [tuple(row) for row in copied] == [(1, "a"), (2, "b")]
