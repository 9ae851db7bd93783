"""The peers: a plain client, Spark by hand, Flink SQL, and Kafkalyst; each answers with its rows."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar

import proto
import pyspark
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import max_by, timestamp_millis
from works import COLUMNS, MILLIS, ROWS, TEXT, Dataset

from kafkalyst import serdes
from kafkalyst.resources import jars_for

FOLDER = Path(__file__).resolve().parent
BUILD = FOLDER.parent / "build"
# Without this, peers wait for a pending fetch at the end of a topic; see NOTES.md.
FETCH_WAIT_MS = "20"
BUFFERS = "org.apache.kafka.common.serialization.ByteBufferDeserializer"
# Kafkalyst's settings that are not Kafka's defaults: a second plain client and a second INSERT by hand have them, too.
FETCHES = {
    "receive.buffer.bytes": "-1",
    "max.partition.fetch.bytes": "8388608",
    "key.deserializer": BUFFERS,
    "value.deserializer": BUFFERS,
}
PRODUCER = {"batch.size": "262144", "linger.ms": "10"}
FLINK_OPENS = ("java.util", "java.lang", "java.net", "java.io", "java.nio", "java.text", "java.time", "sun.nio.ch")
Columns = dict[str, str | dict[str, str]]


class Failed(Exception):
    """A peer could not answer."""


class Java:
    """A peer in a JVM of its own, which answers each line with a line."""

    def __init__(self, source: str, jars: Sequence[Path], *args: str) -> None:
        opens = [f"--add-opens=java.base/{package}=ALL-UNNAMED" for package in FLINK_OPENS]
        path = os.pathsep.join(str(jar) for jar in jars)
        self.log = (BUILD / f"bench-{source}.log").open("w")
        self.process = subprocess.Popen(
            ["java", "-Xmx3g", *opens, "-cp", path, str(FOLDER / "peers" / f"{source}.java"), *args],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.log,
            text=True,
        )

    def ask(self, line: str) -> list[str]:
        """The fields of the answer."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(" ".join(line.split("\n")) + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline().rstrip("\n")
        if not answer or answer.startswith("!"):
            raise Failed(f"{line[:300]}: {answer or self.log.name}")
        return answer.split("\t")

    def close(self) -> None:
        """Ends the JVM."""
        self.process.kill()
        self.process.wait()
        self.log.close()


def protobuf() -> Path:
    """Protobuf's own library for Java."""
    return next((BUILD / "benchmarks" / "flink").glob("protobuf-java-*.jar"))


@cache
def messages() -> Path:
    """The folder of the classes that read Protobuf."""
    spark = Path(pyspark.__file__).parent / "jars" / "*"
    sources = [FOLDER / "peers" / "FromProtobuf.java"]
    return proto.compiled(COLUMNS, BUILD / "benchmarks" / "proto", [protobuf(), spark], sources)


def said(command: str, properties: Mapping[str, str]) -> str:
    """A line for the plain client: a command and the properties of the Kafka client that runs it."""
    return " ".join([command, *(f"{key}={value}" for key, value in properties.items())])


class PlainClient(Java):
    """Kafka's own client on two threads, which decodes no record."""

    def __init__(self, kafka: str) -> None:
        logging = next((BUILD / "servers" / "kafka").glob("slf4j-api-*.jar"))
        super().__init__("PlainClient", [*jars_for(pyspark.__version__), logging], kafka)

    def consume(self, topic: str, count: int, properties: Mapping[str, str] = MappingProxyType({})) -> float:
        """Seconds of reading a topic."""
        seconds, found = self.ask(said(f"consume {topic}", {"fetch.max.wait.ms": FETCH_WAIT_MS, **properties}))
        assert int(found) == count, f"{found} of {count} records of {topic} were seen"
        return float(seconds)

    def produce(
        self, source: str, topic: str, count: int, properties: Mapping[str, str] = MappingProxyType({})
    ) -> float:
        """Seconds of writing copies of another topic's records."""
        return float(self.ask(said(f"produce {source} {topic} {count}", properties))[0])


class Flink(Java):
    """Flink SQL, two tasks in one JVM."""

    formats: ClassVar = {"AVRO": "avro-confluent", "JSON": "json", "DELIMITED": "csv", "PROTOBUF_NOSR": "protobuf"}

    def __init__(self, kafka: str, registry: str, more: Sequence[Path] = ()) -> None:
        super().__init__("FlinkSql", [*sorted((BUILD / "benchmarks" / "flink").glob("*.jar")), messages(), *more])
        self.kafka, self.registry = kafka, registry

    def declare(self, name: str, topic: str, dataset: Dataset, *, instant: str = "BIGINT") -> None:
        """Makes a table of the topic; one with a key is an upsert-kafka.

        Its Avro has no timestamps in microseconds, so it reads them as numbers, and writes them in milliseconds.
        """
        kind = self.formats[dataset.format]
        is_message = kind == "protobuf"
        given_columns = proto.seen_by_flink(dataset.columns) if is_message else dataset.columns
        columns = [f"`{n}` {self.type(t, instant)}" for n, t in given_columns.items()]
        options = {
            "connector": "upsert-kafka" if dataset.key else "kafka",
            "topic": topic,
            "properties.bootstrap.servers": self.kafka,
            "properties.fetch.max.wait.ms": FETCH_WAIT_MS,
            "scan.bounded.mode": "latest-offset",
        }
        side = ""
        if dataset.key:
            columns.append(f"PRIMARY KEY ({dataset.key}) NOT ENFORCED")
            options |= {"key.format": "raw", "value.fields-include": "EXCEPT_KEY"}
            side = "value."
        else:
            options["scan.startup.mode"] = "earliest-offset"
        options[f"{side}format"] = kind
        if kind == "avro-confluent":
            options[f"{side}avro-confluent.url"] = self.registry
        if is_message:
            options["protobuf.message-class-name"] = proto.MESSAGE
        if kind == "csv":
            options["csv.null-literal"] = ""
        given = ", ".join(f"'{key}' = '{value}'" for key, value in options.items())
        for mode in ("batch", "streaming"):
            self.run(mode, f"CREATE TABLE `{name}` ({', '.join(columns)}) WITH ({given})")

    def type(self, kind: str | dict[str, str], instant: str) -> str:
        """A column's type in Flink SQL."""
        if isinstance(kind, dict):
            return "ROW<" + ", ".join(f"`{n}` {self.type(t, instant)}" for n, t in kind.items()) + ">"
        return instant if kind == "TIMESTAMP" else kind

    def query(self, text: str, source: str, dataset: Dataset) -> str:
        """A work's query for it."""
        instant = "max(placed_at)" if dataset.format in TEXT else "max(placed_at) / 1000"
        return text.replace("max(placed_at)", instant).format(source=f"`{source}`")

    def run(self, mode: str, statement: str) -> tuple[float, list[str]]:
        """Seconds and the fields of the last row."""
        seconds, *fields = self.ask(f"{mode}\t{' '.join(statement.split())}")
        return float(seconds), fields

    def rows(self, format_name: str, count: int) -> str:
        """The formula of the orders."""
        self.run(
            "batch",
            f"""CREATE TABLE IF NOT EXISTS ids_{count} (id BIGINT) WITH ('connector' = 'datagen',
                'rows-per-second' = '1000000000', 'number-of-rows' = '{count}',
                'fields.id.kind' = 'sequence', 'fields.id.start' = '0',
                'fields.id.end' = '{count - 1}')""",
        )
        instant = f"CAST(TO_TIMESTAMP_LTZ({MILLIS}, 3) AS TIMESTAMP(3))"
        return ROWS.format(ids=f"ids_{count}", millis=MILLIS if format_name in TEXT else instant)


class ByHand:
    """Spark by hand: the Kafka source, then from_…; to_…, then the Kafka sink."""

    read: ClassVar = {
        "AVRO": "from_avro(substring(value, 6), '{schema}')",
        "JSON": "from_json(cast(value AS STRING), '{columns}')",
        "JSON_SR": "from_json(cast(substring(value, 6) AS STRING), '{columns}')",
        "DELIMITED": "from_csv(cast(value AS STRING), '{columns}')",
        "PROTOBUF": "from_message(substring(value, 7))",
        "PROTOBUF_NOSR": "from_message(value)",
    }
    write: ClassVar = {
        "AVRO": "concat(X'00', unhex(lpad(hex({id}), 8, '0')), to_avro(struct(*), '{schema}'))",
        "JSON": "to_json(struct(*))",
    }

    def __init__(self, spark: SparkSession, kafka: str, registry: str) -> None:
        self.spark, self.kafka, self.registry = spark, kafka, registry
        row = ", ".join(f"{name}: {kind}" for name, kind in COLUMNS.items())
        spark.udf.registerJavaFunction("from_message", "FromProtobuf", f"STRUCT<{row}>")

    @staticmethod
    def conf() -> dict[str, str]:
        """The settings that a session needs for it."""
        return {
            "spark.jars": ",".join(str(jar) for jar in (BUILD / "benchmarks" / "spark").glob("*.jar")),
            "spark.driver.extraClassPath": os.pathsep.join(str(path) for path in (protobuf(), messages())),
        }

    def frame(self, topic: str, dataset: Dataset) -> DataFrame | None:
        """A topic's rows; None for formats that are not read by hand."""
        if dataset.format not in self.read:
            return None
        options = {
            "kafka.bootstrap.servers": self.kafka,
            "subscribe": topic,
            "kafka.fetch.max.wait.ms": FETCH_WAIT_MS,
        }
        schema = self.schema(topic)[1] if dataset.format == "AVRO" else ""
        columns: Columns = {n: t for n, t in dataset.columns.items() if n != dataset.key}
        text = dataset.format in TEXT
        declared = ", ".join(f"{n} {'BIGINT' if text and t == 'TIMESTAMP' else t}" for n, t in columns.items())
        parse = self.read[dataset.format].format(columns=declared, schema=schema)
        records = self.spark.read.format("kafka").options(**options).load()
        if dataset.key:
            # All records of a key are in one partition, so the greatest offset is the latest.
            rows = (
                records.selectExpr("key", "offset", f"{parse} AS r")
                .groupBy("key")
                .agg(max_by("r", "offset").alias("r"))
            )
            return rows.select("r.*")
        parsed = records.selectExpr(f"{parse} AS r").select("r.*")
        return parsed.withColumn("placed_at", timestamp_millis("placed_at")) if text else parsed

    def schema(self, topic: str) -> tuple[int, str]:
        """The id and the text of the value's latest schema."""
        found = serdes.request(self.registry, "GET", f"/subjects/{topic}-value/versions/latest")
        return found["id"], found["schema"]

    def insert(
        self, rows: str, like: str, topic: str, format_name: str, properties: Mapping[str, str] = MappingProxyType({})
    ) -> None:
        """Writes rows with another topic's schema."""
        number, schema = self.schema(like) if format_name == "AVRO" else (0, "")
        value = self.write[format_name].format(id=number, schema=schema)
        options = {f"kafka.{key}": setting for key, setting in properties.items()}
        frame = self.spark.sql(rows).selectExpr(f"{value} AS value")
        writer = frame.write.format("kafka").option("kafka.bootstrap.servers", self.kafka)
        writer.options(**options).option("topic", topic).save()


def timed(spark: SparkSession, query: str) -> tuple[float, list[Any]]:
    """Plans and runs a query: seconds, and the fields of its one row."""
    began = time.perf_counter()
    rows = spark.sql(query).collect()
    return time.perf_counter() - began, list(rows[0]) if rows else []
