"""Measures the time of a record from its producer through a continuous query into the sink's topic, by trigger.

LATENCY_RATE (300 records a second), LATENCY_SECONDS (30) and LATENCY_ONLY (a part of the triggers' names) change the
size. Writes latency.json, unless LATENCY_ONLY says otherwise.
"""

from __future__ import annotations

import json
import os
import statistics
import sys
import threading
import time
from pathlib import Path

from confluent_kafka import Consumer, Producer
from confluent_kafka.admin import AdminClient, NewTopic
from pyspark.sql import SparkSession
from run import say

import kafkalyst

RATE = int(os.environ.get("LATENCY_RATE", "300"))
SECONDS = int(os.environ.get("LATENCY_SECONDS", "30"))
ONLY = os.environ.get("LATENCY_ONLY", "")
# For Spark's compiler and all first connections.
WARMUP_SECONDS = 10
PARTITIONS = 2
TRIGGERS = {"real-time": "real-time", "real-time-5s": "real-time 5 SECONDS", "micro-batch": "continuous"}
TRIGGER = "spark.kafkalyst.query.trigger"


class Arrivals(threading.Thread):
    """Reads the sink: for each record when it was sent, when the broker had it, and when it arrived, in seconds."""

    def __init__(self, kafka: str, topic: str) -> None:
        super().__init__(daemon=True)
        self.seen: dict[int, tuple[float, float, float]] = {}
        self.ended = threading.Event()
        self.consumer = Consumer(
            {"bootstrap.servers": kafka, "group.id": topic, "auto.offset.reset": "earliest", "fetch.wait.max.ms": 100}
        )
        self.consumer.subscribe([topic])

    def run(self) -> None:
        """Reads until `ended` is set."""
        while not self.ended.is_set():
            message = self.consumer.poll(0.2)
            now = time.time()
            if message is not None and message.error() is None:
                row = json.loads(message.value())
                self.seen.setdefault(row["id"], (row["sent"] / 1e6, message.timestamp()[1] / 1e3, now))
        self.consumer.close()


def produce(kafka: str, topic: str, first: int, seconds: float) -> int:
    """Sends records at an even pace, each with its time in microseconds; returns the next number."""
    producer = Producer({"bootstrap.servers": kafka, "linger.ms": 0})
    began, number = time.time(), first
    while (now := time.time()) < began + seconds:
        due = began + (number - first) / RATE
        if now < due:
            time.sleep(due - now)
        producer.produce(
            topic,
            json.dumps({"id": number, "sent": int(time.time() * 1e6), "note": f"note number {number}"}),
            partition=number % PARTITIONS,
        )
        producer.poll(0)
        number += 1
    producer.flush()
    return number


def percentiles(values: list[float]) -> dict[str, float]:
    """In milliseconds."""
    cuts = statistics.quantiles(values, n=100, method="inclusive")
    return {
        "p50": round(cuts[49] * 1e3, 1),
        "p95": round(cuts[94] * 1e3, 1),
        "p99": round(cuts[98] * 1e3, 1),
        "max": round(max(values) * 1e3, 1),
    }


def measured(spark: SparkSession, kafka: str, name: str, trigger: str) -> dict[str, dict[str, float]]:
    """Latencies of a copy by a continuous query: from a record's sending to its append, and to the sink's consumer."""
    source, sink = f"latency_{name}".replace("-", "_"), f"latency_{name}_copy".replace("-", "_")
    admin = AdminClient({"bootstrap.servers": kafka})
    by_broker = {"message.timestamp.type": "LogAppendTime"}
    topics = [NewTopic(source, PARTITIONS), NewTopic(sink, PARTITIONS, config=by_broker)]
    for made in admin.create_topics(topics).values():
        made.result(30)
    spark.sql(
        f"CREATE STREAM {source} (id BIGINT, sent BIGINT, note STRING) "
        f"WITH (KAFKA_TOPIC = '{source}', VALUE_FORMAT = 'JSON')"
    )
    spark.conf.set(TRIGGER, trigger)
    (started,) = spark.sql(
        f"CREATE STREAM {sink} WITH (KAFKA_TOPIC = '{sink}') AS SELECT id, sent, upper(note) AS note FROM {source}"
    ).collect()
    arrivals = Arrivals(kafka, sink)
    arrivals.start()
    try:
        first = produce(kafka, source, 0, WARMUP_SECONDS)
        last = produce(kafka, source, first, SECONDS)
        end = time.monotonic() + 30
        while len(arrivals.seen) < last and time.monotonic() < end:
            time.sleep(0.2)
    finally:
        arrivals.ended.set()
        arrivals.join()
        spark.sql(f"TERMINATE {started['query_id']}")
    missing = [n for n in range(first, last) if n not in arrivals.seen]
    assert not missing, f"{name}: {len(missing)} records never came"
    seen = [arrivals.seen[n] for n in range(first, last)]
    return {
        "written": percentiles([written - sent for sent, written, _ in seen]),
        "received": percentiles([received - sent for sent, _, received in seen]),
    }


def main() -> int:
    """All triggers, one after the other."""
    results: dict[str, dict[str, dict[str, float]]] = {}
    load = os.getloadavg()[0]
    with kafkalyst.LocalServers(progress=say) as servers:
        conf = {
            # A core for each partition while a batch lasts, and some for other work.
            "spark.master": f"local[{PARTITIONS + 2}]",
            "spark.ui.enabled": False,
            "spark.ui.showConsoleProgress": False,
            "spark.sql.session.timeZone": "UTC",
            "spark.sql.warehouse.dir": str(servers.data / "warehouse"),
        }
        spark = kafkalyst.session(servers.kafka, servers.registry, **conf)
        for name, trigger in TRIGGERS.items():
            if ONLY in name:
                results[name] = measured(spark, servers.kafka, name, trigger)
                for point, times in results[name].items():
                    say(f"{name}, {point}: " + ", ".join(f"{p} {ms} ms" for p, ms in times.items()))
        spark.stop()
    say(f"{RATE} records a second for {SECONDS} s each; load {load:.1f} before the start")
    if not ONLY:
        page = {"records_per_second": RATE, "seconds": SECONDS, "load_before": round(load, 1), "milliseconds": results}
        Path(__file__).with_name("latency.json").write_text(json.dumps(page, indent=2) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
