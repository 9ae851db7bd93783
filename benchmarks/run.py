"""Speed of reading a topic, as ratios in one run: a plain consumer, Spark by hand, and this product.

BENCH_RECORDS (2,000,000), BENCH_RUNS (5) and BENCH_WARMUP (2) change the size. Writes benchmarks/RESULTS.md.
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
from pathlib import Path

import pyspark
from pyspark.sql import DataFrame, SparkSession

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


def plain_consumer(kafka: str, topic: str) -> float:
    """Seconds of two threads that only poll."""
    jars = [str(jar) for jar in jars_for(pyspark.__version__)]
    logging = next((FOLDER.parent / "build" / "servers" / "kafka").glob("slf4j-api-*.jar"))
    path = os.pathsep.join([*jars, str(logging)])
    command = ["java", "-Xmx1g", "-cp", path, str(FOLDER / "PlainConsumer.java"), kafka, topic, str(WARMUP + RUNS)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=900)
    lines = [line.split() for line in done.stdout.splitlines() if line]
    assert all(int(count) == RECORDS for _, count in lines), "the consumer did not see every record"
    return statistics.median(float(seconds) for seconds, _ in lines[WARMUP:])


def fill(spark: SparkSession) -> None:
    """Both topics, written by the product itself."""
    for name in ("avro", "json"):
        spark.sql(f"""CREATE STREAM bench_{name} ({COLUMNS})
                      WITH (KAFKA_TOPIC = 'bench_{name}', VALUE_FORMAT = '{name.upper()}', PARTITIONS = 4)""")
        began = time.perf_counter()
        spark.sql(f"INSERT INTO bench_{name} {ROWS.format(count=RECORDS)}")
        say(f"{RECORDS:,} records into bench_{name} in {time.perf_counter() - began:.1f} s")


def by_hand(spark: SparkSession, kafka: str, registry: str, name: str) -> DataFrame:
    """What Spark's users write today, with the fetch wait of the other two: the Kafka source, then from_…"""
    options = {"kafka.bootstrap.servers": kafka, "subscribe": f"bench_{name}", "kafka.fetch.max.wait.ms": "20"}
    raw = spark.read.format("kafka").options(**options).load()
    if name == "json":
        parsed = raw.selectExpr(f"from_json(cast(value AS STRING), '{COLUMNS}') AS r")
    else:
        schema = serdes.request(registry, "GET", "/subjects/bench_avro-value/versions/latest")["schema"]
        parsed = raw.selectExpr(f"from_avro(substring(value, 6), '{schema}') AS r")
    return parsed.select("r.*")


def measure(spark: SparkSession, kafka: str, registry: str) -> list[tuple[str, str, float, float, float]]:
    """Rows of the result: format, work, seconds of the plain consumer, by hand, ours."""
    results = []
    for name in ("avro", "json"):
        limit = plain_consumer(kafka, f"bench_{name}")
        by_hand(spark, kafka, registry, name).createOrReplaceTempView(f"hand_{name}")
        for work, query in WORK.items():
            expected = spark.sql(query.format(source=f"hand_{name}")).collect()
            assert spark.sql(query.format(source=f"bench_{name}")).collect() == expected
            hand = median(lambda q=query, n=name: spark.sql(q.format(source=f"hand_{n}")).collect())
            ours = median(lambda q=query, n=name: spark.sql(q.format(source=f"bench_{n}")).collect())
            results.append((name.upper(), work, limit, hand, ours))
            say(f"{name} {work}: plain {limit:.2f} s, by hand {hand:.2f} s, ours {ours:.2f} s")
    return results


def report(results: list[tuple[str, str, float, float, float]]) -> str:
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
        rates = [RECORDS / seconds / 1e6 for seconds in (limit, hand, ours)]
        shown = " | ".join(f"{rate:.2f}" for rate in rates)
        lines.append(f"| {name} | {work} | {shown} | {rates[2] / rates[0]:.2f} | {rates[2] / rates[1]:.2f} |")
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
        fill(spark)
        text = report(measure(spark, servers.kafka, servers.registry))
        spark.stop()
    print()
    print(text)
    (FOLDER / "RESULTS.md").write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
