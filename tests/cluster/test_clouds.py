"""Differences of hosted Spark: late jars, a session catalog that refuses entries, relocated Kafka classes."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pyspark
import pytest
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
PLAIN = (
    START
    + """
del conf["spark.sql.extensions"]
conf["spark.jars"] = jars
conf["spark.sql.catalog.cluster"] = "io.kafkalyst.KafkaCatalog"
conf["spark.sql.catalog.cluster.catalog.topic"] = f"{topic}-definitions"
spark = builder.config(map=conf).getOrCreate()
table = f"cluster.{topic}"

def ids():
    return sorted(row.id for row in spark.table(table).collect())

assert topic in [row.tableName for row in spark.sql("SHOW TABLES IN cluster").collect()]
assert [row.col_name for row in spark.sql(f"DESCRIBE {table}").collect()][:2] == ["ROWKEY", "id"]
spark.sql(f"INSERT INTO {table} SELECT 8 AS id")
spark.sql("SELECT 9 AS id").writeTo(table).append()
assert ids() == [7, 8, 9]
assert spark.sql(f"SELECT id FROM {table} VERSION AS OF 'partition:0,offset:1'").collect() == [(7,)]
assert not spark.sql(f"SELECT id FROM {table} TIMESTAMP AS OF '2001-01-01'").collect()
assert spark.read.option("timestampAsOf", "2999-01-01").table(table).count() == 3
copy = spark.readStream.table(table).writeStream.option("checkpointLocation", "checkpoint")
copy.trigger(availableNow=True).toTable(table).awaitTermination()
assert ids() == [7, 7, 8, 8, 9, 9]
spark.sql(f"CREATE TABLE {table}_made USING kafkalyst AS SELECT id FROM {table} WHERE id > 7")
assert spark.table(f"{table}_made").count() == 4
assert spark.catalog.tableExists(f"{table}_made")
spark.sql(f"DROP TABLE {table}_made PURGE")
assert not spark.catalog.tableExists(f"{table}_made")
print("plain: fine")
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
RELOCATED = (
    START
    + """
conf["spark.driver.extraClassPath"] = sys.argv[5]
conf["spark.sql.catalog.cluster"] = "io.kafkalyst.KafkaCatalog"
spark = builder.config(map=conf).getOrCreate()
records = spark.read.format("kafka").option("kafka.bootstrap.servers", kafka).option("subscribe", topic).load()
ways = {
    "sparks": lambda: records.select("offset"),
    "statement": lambda: spark.sql(f"CREATE STREAM s WITH (KAFKA_TOPIC = '{topic}', VALUE_FORMAT = 'AVRO')"),
    "object": lambda: spark.table("s").select("id"),
    "format": lambda: spark.read.format("kafkalyst").options(**source).load().select("id"),
    "catalog": lambda: spark.table(f"cluster.{topic}").select("id"),
}
for way, frame in ways.items():
    try:
        print(f"{way}: {[value for row in frame().collect() for value in row]}")
    except PySparkException as error:
        print(f"{way}: {error.getCondition()}")
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
    """The output of a program over a topic with the row 7, in a process without the Python package."""
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


@pytest.fixture(scope="module")
def relocated(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Spark's connector and Kafka's clients with Kafka's classes below `kafkashaded`, as in Databricks' runtime."""
    folder = tmp_path_factory.mktemp("relocated")
    asm = next((HOME / "jars").glob("xbean-asm9-shaded-*.jar"))
    program = Path(__file__).resolve().parents[1] / "support" / "Relocate.java"
    jars = [str(jar) for jar in jars_for(pyspark.__version__) if "kafka-" in jar.name]
    subprocess.run(["java", "-cp", str(asm), str(program), str(folder), *jars], check=True, timeout=PROGRAM_SECONDS)
    return sorted(folder.iterdir())


def class_path(*jars: list[Path]) -> str:
    """The class path in this order."""
    return os.pathsep.join(str(jar) for part in jars for jar in part)


def test_relocated_classes_are_named(
    relocated: list[Path], servers: Servers, topic: Callable[[str], str], tmp_path: Path
) -> None:
    """After a connector with relocated classes Spark's own source works, and each use of Kafkalyst names the cause."""
    ours = jars_for(pyspark.__version__)
    printed = program(RELOCATED, tmp_path, servers, topic("relocated"), class_path(relocated, ours))
    assert "sparks: [0]" in printed, printed
    for way in ("statement", "format", "catalog"):
        assert f"{way}: KAFKALYST_CONNECTOR_RELOCATED" in printed, printed


def test_our_jars_before_relocated_classes(
    relocated: list[Path], servers: Servers, topic: Callable[[str], str], tmp_path: Path
) -> None:
    """With Apache's jars first on the class path everything works, Spark's own source included."""
    ours = jars_for(pyspark.__version__)
    printed = program(RELOCATED, tmp_path, servers, topic("before"), class_path(ours, relocated))
    for way in ("sparks: [0]", "statement: ['STREAM", "object: [7]", "format: [7]", "catalog: [7]"):
        assert way in printed, printed


def test_jars_that_come_late(servers: Servers, topic: Callable[[str], str], tmp_path: Path) -> None:
    """Libraries of a cluster load late: Kafkalyst's statements are unknown, but the format and the catalog work."""
    assert "late: fine" in program(LATE, tmp_path, servers, topic("late"))


def test_without_the_extension(servers: Servers, topic: Callable[[str], str], tmp_path: Path) -> None:
    """The catalog alone supports Spark's own statements: queries, writes, streams, tables of queries, listings."""
    printed = program(PLAIN, tmp_path, servers, topic("plain"))
    assert "plain: fine" in printed, printed


def test_a_session_catalog_that_refuses(servers: Servers, topic: Callable[[str], str], tmp_path: Path) -> None:
    """Its reason is shown and the topic is removed; the format works, and so do definitions kept in the cluster."""
    source = tmp_path / "RefusingCatalog.java"
    source.write_text(CATALOG, encoding="utf-8")
    subprocess.run(["javac", "-cp", f"{HOME / 'jars'}/*", str(source)], check=True, timeout=PROGRAM_SECONDS)
    name = topic("refused")
    assert "refused: fine" in program(REFUSED, tmp_path, servers, name, str(tmp_path))
    assert f"{name}-new" not in AdminClient({"bootstrap.servers": servers.kafka}).list_topics(timeout=30).topics
