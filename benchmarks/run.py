"""Speed of reading a topic, as ratios in one run: a plain consumer, Spark by hand, and this product.

BENCH_RECORDS (2,000,000), BENCH_RUNS (5), BENCH_WARMUP (2) and BENCH_FORMATS change the size. Writes
benchmarks/RESULTS.md.
"""

from __future__ import annotations

import datetime
import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pyspark
from pyspark.sql import DataFrame, Row, SparkSession
from pyspark.sql.functions import timestamp_millis

import kafkalyst
from kafkalyst import serdes
from kafkalyst.resources import jars_for

RECORDS = int(os.environ.get("BENCH_RECORDS", 2_000_000))
RUNS = int(os.environ.get("BENCH_RUNS", 5))
WARMUP = int(os.environ.get("BENCH_WARMUP", 2))
LOAD = os.getloadavg()[0]
FOLDER = Path(__file__).resolve().parent
COLUMNS = """id BIGINT, customer STRING, city STRING, amount DECIMAL(12, 2), quantity INT, price DOUBLE,
             paid BOOLEAN, placed_at TIMESTAMP, note STRING, score FLOAT"""
ROWS = """
    SELECT id, concat('customer-', id % 50000) AS customer, concat('city-', id % 700) AS city,
           cast((id % 1000000) / 100 AS DECIMAL(12, 2)) AS amount, cast(id % 90 AS INT) AS quantity,
           id / 7.0D AS price, id % 3 = 0 AS paid, timestamp_micros(1700000000000000 + id * 1000003) AS placed_at,
           if(id % 4 = 0, NULL, concat('note number ', id)) AS note, cast(id % 1000 AS FLOAT) AS score
    FROM range(0, {count}, 1, 4)"""
WORK = {
    "filter + 2 aggregates, 3 of 10 columns": "SELECT count(price), sum(quantity) FROM {source} WHERE id % 10 < 3",
    "all 10 columns": """SELECT max(id), max(length(customer)), max(length(city)), max(amount), max(quantity),
        max(price), max(paid), max(placed_at), max(length(note)), max(score) FROM {source}""",
}
FORMATS = os.environ.get("BENCH_FORMATS", "AVRO,JSON,JSON_SR,PROTOBUF,PROTOBUF_NOSR,DELIMITED").split(",")
# What of Spark's own reads the format's bytes.
BY_HAND = {
    "AVRO": "from_avro(substring(value, 6), '{schema}')",
    "JSON": "from_json(cast(value AS STRING), '{columns}')",
    "JSON_SR": "from_json(cast(substring(value, 6) AS STRING), '{columns}')",
    "DELIMITED": "from_csv(cast(value AS STRING), '{columns}')",
}
Result = tuple[str, str, float, float | None, float]


def topic(name: str) -> str:
    """A format's topic and stream."""
    return f"bench_{name.lower()}"


def say(line: str) -> None:
    """Progress."""
    print(f"── {line}", flush=True)


def median(work: Callable[[], object]) -> float:
    """Seconds of the warm runs' median."""
    seconds = []
    for run in range(WARMUP + RUNS):
        began = time.perf_counter()
        work()
        if run >= WARMUP:
            seconds.append(time.perf_counter() - began)
    return statistics.median(seconds)


def machine() -> str:
    """The processor, and how busy others kept it before the first run: above 1, the rates are too low."""
    return f"{platform.machine()}, {os.cpu_count()} cores, load {LOAD:.1f} before the start"


def spark_avro() -> list[Path]:
    """Spark's Avro functions, fetched by `gradle benchmarks`."""
    return list((FOLDER.parent / "build" / "benchmarks").glob("*.jar"))


def plain_consumer(kafka: str, name: str) -> float:
    """Seconds of two threads that only poll."""
    jars = [str(jar) for jar in jars_for(pyspark.__version__)]
    logging = next((FOLDER.parent / "build" / "servers" / "kafka").glob("slf4j-api-*.jar"))
    path = os.pathsep.join([*jars, str(logging)])
    command = ["java", "-Xmx1g", "-cp", path, str(FOLDER / "PlainConsumer.java"), kafka, name, str(WARMUP + RUNS)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=900)
    lines = [line.split() for line in done.stdout.splitlines() if line]
    assert all(int(count) == RECORDS for _, count in lines), "the consumer did not see every record"
    return statistics.median(float(seconds) for seconds, _ in lines[WARMUP:])


def by_hand(spark: SparkSession, kafka: str, registry: str, name: str) -> DataFrame | None:
    """What Spark's users write today, with the fetch wait of the other two: the Kafka source, then from_…

    None where Spark has no function that reads the format from a schema's text.
    """
    if name not in BY_HAND:
        return None
    options = {"kafka.bootstrap.servers": kafka, "subscribe": topic(name), "kafka.fetch.max.wait.ms": "20"}
    schema = ""
    if name == "AVRO":
        schema = serdes.request(registry, "GET", f"/subjects/{topic(name)}-value/versions/latest")["schema"]
    millis = name in ("JSON_SR", "DELIMITED")
    columns = COLUMNS.replace("TIMESTAMP", "BIGINT") if millis else COLUMNS
    parse = BY_HAND[name].format(columns=columns, schema=schema)
    parsed = spark.read.format("kafka").options(**options).load().selectExpr(f"{parse} AS r").select("r.*")
    return parsed.withColumn("placed_at", timestamp_millis("placed_at")) if millis else parsed


def rows(spark: SparkSession, query: str) -> list[Row]:
    """The query's rows, planned anew."""
    return spark.sql(query.format(source="source")).collect()


def measure(spark: SparkSession, kafka: str, registry: str, name: str) -> list[Result]:
    """One format: its topic is written by the product itself, read, and deleted."""
    spark.sql(f"""CREATE STREAM {topic(name)} ({COLUMNS})
                  WITH (KAFKA_TOPIC = '{topic(name)}', VALUE_FORMAT = '{name}', PARTITIONS = 4)""")
    began = time.perf_counter()
    spark.sql(f"INSERT INTO {topic(name)} {ROWS.format(count=RECORDS)}")
    say(f"{RECORDS:,} records into {topic(name)} in {time.perf_counter() - began:.1f} s")
    limit = plain_consumer(kafka, topic(name))
    frame = by_hand(spark, kafka, registry, name)
    results: list[Result] = []
    for work, query in WORK.items():
        seconds: dict[str, float] = {}
        expected = None
        for source, view in (("by hand", frame), ("ours", spark.table(topic(name)))):
            if view is not None:
                view.createOrReplaceTempView("source")
                seconds[source] = median(partial(rows, spark, query))
                found = rows(spark, query)
                assert expected in (None, found), f"{name}: {found} {source}, {expected} before"
                expected = found
        results.append((name, work, limit, seconds.get("by hand"), seconds["ours"]))
        say(f"{name} {work}: " + ", ".join(f"{k} {v:.2f} s" for k, v in seconds.items()))
    spark.sql(f"DROP STREAM {topic(name)} DELETE TOPIC")
    return results


def report(results: list[Result]) -> str:
    """RESULTS.md."""
    today = datetime.datetime.now(tz=datetime.UTC).date().isoformat()
    parts = [jar.stem.replace("_2.13", "") for jar in (*jars_for(pyspark.__version__), *spark_avro())]
    versions = ", ".join(part for part in parts if part.startswith(("kafka-clients", "spark-avro")))
    lines = [
        "# Results",
        "",
        f"{today}; Kafkalyst {kafkalyst.__version__}, Spark {pyspark.__version__}, local[2], {versions}.",
        f"{RECORDS:,} records of 10 fields over 4 partitions, the broker on this machine: {machine()}.",
        f"Median of {RUNS} runs after {WARMUP} discarded; how it is measured: [NOTES.md](NOTES.md).",
        "Rates are in million records per second; a ratio above 1 means that ours is faster.",
        "",
        "| format | work | plain consumer | Spark by hand | ours | ours ÷ plain | ours ÷ by hand |",
        "|---|---|---|---|---|---|---|",
    ]
    for name, work, limit, hand, ours in results:
        cells = [f"{RECORDS / s / 1e6:.2f}" if s else "–" for s in (limit, hand, ours)]
        cells += [f"{limit / ours:.2f}", f"{hand / ours:.2f}" if hand else "–"]
        lines.append(f"| {name} | {work} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def main() -> int:
    """The whole benchmark."""
    with kafkalyst.LocalServers(progress=say) as servers:
        conf = {
            "spark.master": "local[2]",
            "spark.driver.memory": "4g",
            "spark.ui.enabled": False,
            "spark.ui.showConsoleProgress": False,
            "spark.sql.shuffle.partitions": 2,
            "spark.sql.session.timeZone": "UTC",
            "spark.jars": ",".join(str(jar) for jar in spark_avro()),
            "spark.sql.warehouse.dir": str(servers.data / "warehouse"),
        }
        spark = kafkalyst.session(servers.kafka, servers.registry, **conf)
        results = [row for name in FORMATS for row in measure(spark, servers.kafka, servers.registry, name)]
        text = report(results)
        spark.stop()
    print()
    print(text)
    (FOLDER / "RESULTS.md").write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
