"""What hosted Spark does otherwise: jars that come after the session, a session catalog that takes no entry of ours.

Kafka's classes under another name are as those that are missing: integration/test_sessions.py.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pyspark
from confluent_kafka.admin import AdminClient

from kafkalyst import serdes
from kafkalyst.resources import jars_for
from support.cluster import ENVIRONMENT, HOME
from support.patience import PROGRAM_SECONDS

if TYPE_CHECKING:
    from conftest import Servers

SCHEMA = {"type": "record", "name": "R", "fields": [{"name": "id", "type": "int"}]}
START = """
import sys
from pyspark.errors import ParseException, PySparkException
from pyspark.sql import SparkSession

kafka, registry, topic, jars = sys.argv[1:5]
conf = {
    "spark.master": "local[1]",
    "spark.ui.enabled": "false",
    "spark.sql.warehouse.dir": "warehouse",
    "spark.sql.extensions": "io.kafkalyst.KafkalystExtensions",
    "spark.kafkalyst.bootstrap.servers": kafka,
    "spark.kafkalyst.schema.registry.url": registry,
}
source = {"topic": topic}
builder = SparkSession.builder
"""
LATE = (
    START
    + """
spark = builder.config(map=conf).getOrCreate()
assert spark.range(2).count() == 2, "a class that is not there yet stops nothing"
for jar in jars.split(","):
    spark.sql(f"ADD JAR '{jar}'")
try:
    spark.sql("SHOW STREAMS").collect()
    raise AssertionError("the language came late")
except ParseException:
    pass
assert [row.id for row in spark.read.format("kafkalyst").options(**source).load().collect()] == [7]
spark.sql("SELECT 8 AS id").write.format("kafkalyst").options(**source).mode("append").save()
spark.conf.set("spark.sql.catalog.cluster", "io.kafkalyst.KafkaCatalog")
assert sorted(row.id for row in spark.table(f"cluster.{topic}").collect()) == [7, 8]
print("late: fine")
"""
)
REFUSED = (
    START
    + """
conf["spark.jars"] = jars
conf["spark.driver.extraClassPath"] = sys.argv[5]
conf["spark.sql.catalog.spark_catalog"] = "RefusingCatalog"
conf["spark.sql.catalog.cluster"] = "io.kafkalyst.KafkaCatalog"
conf["spark.sql.catalog.cluster.catalog.topic"] = f"{topic}-definitions"
spark = builder.config(map=conf).getOrCreate()
try:
    spark.sql(f"CREATE STREAM s (id INT) WITH (KAFKA_TOPIC = '{topic}-new', VALUE_FORMAT = 'AVRO', PARTITIONS = 1)")
    raise AssertionError("not refused")
except PySparkException as refused:
    assert "only Delta and Parquet" in str(refused), refused
assert [row.id for row in spark.read.format("kafkalyst").options(**source).load().collect()] == [7]
spark.sql(f"CREATE STREAM cluster.mine WITH (KAFKA_TOPIC = '{topic}', VALUE_FORMAT = 'AVRO')")
assert spark.table("cluster.mine").count() == 1
print("refused: fine")
"""
)
CATALOG = """
import java.util.Map;
import org.apache.spark.sql.connector.catalog.*;
import org.apache.spark.sql.connector.expressions.Transform;

public class RefusingCatalog extends DelegatingCatalogExtension {
    private static RuntimeException refusal() {
        return new UnsupportedOperationException("This catalog has only Delta and Parquet");
    }

    @Override
    public Table createTable(Identifier name, Column[] columns, Transform[] parts, Map<String, String> properties) {
        throw refusal();
    }

    @Override
    public Table createTable(Identifier name, TableInfo table) {
        throw refusal();
    }
}
"""


def program(text: str, folder: Path, servers: Servers, topic: str, *more: str) -> str:
    """What a program printed, over a topic with the row 7, in a process of its own without our package."""
    serdes.create_topic(servers.kafka, topic)
    encode = serdes.AvroSerializer(servers.registry, SCHEMA)
    serdes.produce(servers.kafka, topic, [(None, encode({"id": 7}, serdes.Context(topic)))])
    jars = ",".join(str(jar) for jar in jars_for(pyspark.__version__))
    done = subprocess.run(
        [sys.executable, "-c", text, servers.kafka, servers.registry, topic, jars, *more],
        cwd=folder,
        env={**os.environ, **ENVIRONMENT},
        capture_output=True,
        text=True,
        timeout=PROGRAM_SECONDS,
        check=False,
    )
    return done.stdout + done.stderr[-3000:]


def test_jars_that_come_late(servers: Servers, topic: Callable[[str], str], tmp_path: Path) -> None:
    """As libraries of a cluster do: no statement of ours is known, but the format and the catalog work."""
    assert "late: fine" in program(LATE, tmp_path, servers, topic("late"))


def test_a_session_catalog_that_refuses(servers: Servers, topic: Callable[[str], str], tmp_path: Path) -> None:
    """Its reason is told and the topic is taken back; the format works, and so do definitions kept in the cluster."""
    source = tmp_path / "RefusingCatalog.java"
    source.write_text(CATALOG, encoding="utf-8")
    subprocess.run(["javac", "-cp", f"{HOME / 'jars'}/*", str(source)], check=True, timeout=PROGRAM_SECONDS)
    name = topic("refused")
    assert "refused: fine" in program(REFUSED, tmp_path, servers, name, str(tmp_path))
    assert f"{name}-new" not in AdminClient({"bootstrap.servers": servers.kafka}).list_topics(timeout=30).topics
