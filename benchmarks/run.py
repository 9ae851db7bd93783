"""Speed, as ratios in one run: a plain client, Spark by hand, Flink SQL and Kafkalyst over the same topics.

BENCH_RECORDS, BENCH_RUNS, BENCH_WARMUP and BENCH_ONLY (a part of the works' names) change the size; BENCH_PROFILE=1
writes flame graphs instead. Writes latest.json, and RESULTS.md unless BENCH_QUICK=1 or BENCH_ONLY say otherwise.
"""

from __future__ import annotations

import datetime
import json
import os
import statistics
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from functools import partial
from typing import Any

from confluent_kafka.admin import AdminClient, NewTopic
from flames import flame
from peers import BUILD, FETCHES, FOLDER, PRODUCER, ByHand, Flink, PlainClient, timed
from pyspark.sql import SparkSession
from report import Measured, as_json, as_page, progress
from works import DATASETS, MILLIS, QUICK_SHARES, RANGES, ROWS, SMALL, TEXT, WRITES, Dataset, Work, reads

import kafkalyst

RECORDS = int(os.environ.get("BENCH_RECORDS", 2_000_000))
RUNS = int(os.environ.get("BENCH_RUNS", 5))
WARMUP = int(os.environ.get("BENCH_WARMUP", 2))
ONLY = os.environ.get("BENCH_ONLY", "")
PROFILE = bool(os.environ.get("BENCH_PROFILE"))
QUICK = bool(os.environ.get("BENCH_QUICK"))
LOAD = os.getloadavg()[0]
PARTITIONS = 4
# These peers take most of the time of a quick run, and are so much slower that one round suffices.
SLOW = ("flink", "spark") if QUICK else ()
# How often each peer runs each small query first, and the seconds after which it stops earlier; see NOTES.md.
SMALL_RUNS, SMALL_SECONDS = (50, 5) if QUICK else (100, 15)
# Seconds, and the fields of the result if they are compared.
Answer = tuple[float, Sequence[Any] | None]


def say(line: str) -> None:
    """Prints progress."""
    print(f"── {line}", flush=True)


def plain(value: Any) -> str:
    """A field as text that is equal for all peers: an instant in milliseconds, a number to nine digits."""
    if isinstance(value, datetime.datetime):
        return plain(value.replace(tzinfo=datetime.UTC).timestamp() * 1000)
    text = str(value)
    try:
        return f"{Decimal(text):.9g}"
    except ArithmeticError:
        pass
    try:
        return plain(datetime.datetime.fromisoformat(text))
    except ValueError:
        return text


class Bench:
    """All peers over one broker and registry."""

    def __init__(self, spark: SparkSession, kafka: str, registry: str) -> None:
        self.spark, self.kafka = spark, kafka
        self.client = PlainClient(kafka)
        self.flink = Flink(kafka, registry)
        self.hand = ByHand(spark, kafka, registry)
        self.made: set[str] = set()
        self.results: list[Measured] = []

    def close(self) -> None:
        """Ends the peers' JVMs."""
        self.client.close()
        self.flink.close()

    def declare(self, name: str, dataset: Dataset, *, even: bool = False) -> None:
        """Declares an object over the topic of the same name; if `even`, partitions get equal numbers of records."""
        columns = []
        for column, kind in dataset.columns.items():
            fields = ", ".join(f"{n}: {t}" for n, t in kind.items()) if isinstance(kind, dict) else ""
            role = " PRIMARY KEY" if column == dataset.key else ""
            columns.append(f"{column} {f'STRUCT<{fields}>' if fields else kind}{role}")
        kind = "TABLE" if dataset.key else "STREAM"
        given = f"({', '.join(columns)})" if columns else ""
        more = ", 'sink.partitioner' = 'round-robin'" if even else ""
        self.spark.sql(f"""CREATE {kind} {name} {given} WITH (KAFKA_TOPIC = '{name}',
            VALUE_FORMAT = '{dataset.format}', PARTITIONS = {PARTITIONS}, 'scan.timestamp.monotonic' = 'true'{more})""")

    def topic(self, name: str) -> tuple[str, int]:
        """A dataset's topic, made once, and the number of its records."""
        dataset = DATASETS[name]
        count = int(RECORDS * dataset.share * (QUICK_SHARES.get(name, 1) if QUICK else 1))
        made = f"bench_{name}"
        if made not in self.made:
            # A percent of the offsets is a percent of the records only if partitions have equal numbers of them.
            self.declare(made, dataset, even=not dataset.key)
            began = time.perf_counter()
            ids = f"(SELECT id FROM range(0, {count}, 1, {PARTITIONS}))"
            self.spark.sql(f"INSERT INTO {made} {dataset.rows.format(ids=ids, millis=f'timestamp_millis({MILLIS})')}")
            say(f"{count:,} records into {made} in {time.perf_counter() - began:.1f} s")
            self.made.add(made)
            if dataset.format in self.flink.formats:
                self.flink.declare(made, made, dataset)
        return made, count

    def measure(
        self,
        name: str,
        title: str,
        count: int,
        goals: dict[str, float],
        peers: dict[str, Callable[[], Answer]],
        once: Sequence[str] = (),
    ) -> None:
        """Runs the peers in turns, so that a temporary load affects all; some only once after the warm-up."""
        seconds: dict[str, list[float]] = {peer: [] for peer in peers}
        expected: list[str] | None = None
        for run in range(WARMUP + RUNS):
            # Forward and backward, because Flink still works for half a second after its answer.
            for peer in peers if run % 2 == 0 else reversed(peers):
                if peer in once and run > WARMUP:
                    continue
                took, row = peers[peer]()
                if row is not None:
                    found = [plain(value) for value in row]
                    if expected not in (None, found):
                        raise AssertionError(f"{name}: {peer} found {found}, another {expected}")
                    expected = found
                if run >= WARMUP:
                    seconds[peer].append(took)
        medians = {peer: statistics.median(took) for peer, took in seconds.items()}
        self.results.append(Measured(name, title, count, medians, goals))
        say(progress(self.results[-1]))

    def warm_up(self) -> None:
        """The same number of small queries by each peer: a JVM compiles the planner only after many queries."""
        for work in SMALL:
            source, count = self.topic(work.dataset)
            for peer, run in self.readers(work, source, count).items():
                began, runs = time.perf_counter(), 0
                while runs < SMALL_RUNS and time.perf_counter() - began < SMALL_SECONDS:
                    run()
                    runs += 1
                say(f"warm-up, {work.title}: {peer} {runs} times")

    def read(self, work: Work) -> None:
        """One query over one topic by all peers that support it."""
        source, count = self.topic(work.dataset)
        if PROFILE:
            ours = work.query.format(source=source)
            say(f"{work.name}: {flame(self.spark, work.name, lambda: timed(self.spark, ours))}")
            return
        self.measure(work.name, work.title, count, work.goals, self.readers(work, source, count), once=SLOW)

    def readers(self, work: Work, source: str, count: int) -> dict[str, Callable[[], Answer]]:
        """All peers that support a query."""
        dataset = DATASETS[work.dataset]
        ours = work.query.format(source=source)
        peers: dict[str, Callable[[], Answer]] = {"ours": lambda: timed(self.spark, ours)}
        peers["consumer"] = lambda: (self.client.consume(source, count), None)
        peers["limit"] = lambda: (self.client.consume(source, count, FETCHES), None)
        frame = self.hand.frame(source, dataset)
        if frame is not None:
            frame.createOrReplaceTempView("by_hand")
            peers["spark"] = lambda: timed(self.spark, work.query.format(source="by_hand"))
        if dataset.format in self.flink.formats and "flink" in work.goals:
            mode = "streaming" if dataset.key else "batch"
            peers["flink"] = lambda: self.flink.run(mode, self.flink.query(work.query, source, dataset))
        return peers

    def ranges(self, name: str) -> None:
        """One percent of a topic, by offset and by time, compared with the whole topic."""
        source, count = self.topic(name)
        first = int(count / PARTITIONS * 0.99)
        # Partitions are not written at the same pace, so the time of an offset marks another percentage of the topic.
        (since,) = self.spark.sql(f"SELECT percentile_approx(ROWTIME, 0.99, 10000) FROM {source}").collect()[0]
        query = f"SELECT count(price), sum(quantity) FROM {source}"
        for what, where in (("offset", f"ROWOFFSET >= {first}"), ("timestamp", f"ROWTIME >= {since}")):
            peers: dict[str, Callable[[], Answer]] = {"all": lambda: (timed(self.spark, query)[0], None)}
            peers["ours"] = partial(timed, self.spark, f"{query} WHERE {where}")
            self.measure(f"{name}:{what}_range", f"WHERE on 1 % of {what}s", count, {"all": 20}, peers)

    def write(self, name: str) -> None:
        """INSERT of computed rows into one topic for each peer; then compares the topics."""
        like, _ = self.topic(name)
        dataset = DATASETS[name]
        text = dataset.format in TEXT
        compared = ("spark", "tuned", "flink")
        sinks = {peer: f"bench_{name}_from_{peer}" for peer in ("ours", "producer", "limit", *compared)}
        count = RECORDS // 2 if QUICK else RECORDS
        ids = f"(SELECT id FROM range(0, {count}, 1, 2))"
        mine = ROWS.format(ids=ids, millis=f"timestamp_millis({MILLIS})")
        insert = f"INSERT INTO {sinks['ours']} {mine}"
        if PROFILE:
            self.declare(sinks["ours"], dataset)
            say(f"{name}:insert: {flame(self.spark, f'{name}:insert', lambda: timed(self.spark, insert))}")
            return
        admin = AdminClient({"bootstrap.servers": self.kafka})
        for made in admin.create_topics([NewTopic(sink, PARTITIONS) for sink in sinks.values()]).values():
            made.result(30)
        self.declare(sinks["ours"], dataset)
        self.flink.declare(sinks["flink"], sinks["flink"], dataset, instant="BIGINT" if text else "TIMESTAMP(3)")
        by_hand = ROWS.format(ids=ids, millis=MILLIS) if text else mine
        in_flink = f"INSERT INTO `{sinks['flink']}` {self.flink.rows(dataset.format, count)}"

        def hand(peer: str, properties: Mapping[str, str]) -> tuple[float, None]:
            began = time.perf_counter()
            self.hand.insert(by_hand, like, sinks[peer], dataset.format, properties)
            return time.perf_counter() - began, None

        self.measure(
            f"{name}:insert",
            "INSERT … SELECT",
            count,
            {"producer": 0.6, "flink": 1.5, "spark": 1.5},
            {
                "ours": lambda: (timed(self.spark, insert)[0], None),
                "producer": lambda: (self.client.produce(like, sinks["producer"], count), None),
                "limit": lambda: (self.client.produce(like, sinks["limit"], count, PRODUCER), None),
                "spark": lambda: hand("spark", {}),
                "tuned": lambda: hand("tuned", PRODUCER),
                "flink": lambda: (self.flink.run("batch", in_flink)[0], None),
            },
        )
        check = "SELECT count(*), sum(id), sum(amount), count(note), sum(quantity), max(placed_at) FROM {}"
        for peer in compared:
            # Flink registers its own schema.
            own = peer == "flink" and not text
            self.declare(sinks[peer], replace(dataset, columns={}) if own else dataset)
        found = {peer: timed(self.spark, check.format(sinks[peer]))[1] for peer in ("ours", *compared)}
        assert all(row == found["ours"] for row in found.values()), f"{name}: what was written differs: {found}"
        for sink in sinks.values():
            self.spark.sql(f"DROP STREAM IF EXISTS {sink}")
        for gone in admin.delete_topics(list(sinks.values())).values():
            gone.result(30)


def session_conf(servers: kafkalyst.LocalServers) -> dict[str, object]:
    """Settings of a session on two cores."""
    return {
        "spark.master": "local[2]",
        "spark.driver.memory": "4g",
        "spark.ui.enabled": False,
        "spark.ui.showConsoleProgress": False,
        "spark.sql.shuffle.partitions": 2,
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.warehouse.dir": str(servers.data / "warehouse"),
    }


def main() -> int:
    """Runs the whole benchmark, or the part that BENCH_ONLY selects."""
    with kafkalyst.LocalServers(progress=say) as servers:
        spark = kafkalyst.session(servers.kafka, servers.registry, **session_conf(servers), **ByHand.conf())
        bench = Bench(spark, servers.kafka, servers.registry)
        try:
            if not PROFILE:
                bench.warm_up()
            for work in reads():
                if ONLY in work.name and (work.goals or not QUICK):
                    bench.read(work)
            for name in RANGES:
                if ONLY in f"{name}:offset_range, {name}:timestamp_range" and not PROFILE:
                    bench.ranges(name)
            for name in WRITES:
                if ONLY in f"{name}:insert":
                    bench.write(name)
        finally:
            bench.close()
            spark.stop()
    if PROFILE:
        return 0
    (FOLDER / "latest.json").write_text(json.dumps(as_json(bench.results), indent=2) + "\n", encoding="utf-8")
    page = as_page(bench.results, runs=RUNS, warmup=WARMUP, load=LOAD, versions=", ".join(versions()))
    print()
    print(page)
    if not ONLY and not QUICK:
        (FOLDER / "RESULTS.md").write_text(page, encoding="utf-8")
    return 0


def versions() -> list[str]:
    """The versions of the peers."""
    jars = [jar.stem.replace("_2.13", "") for jar in (BUILD / "benchmarks").glob("*/*.jar")]
    return sorted(jar for jar in jars if jar.startswith(("spark-avro", "flink-dist", "flink-sql-connector-kafka")))


if __name__ == "__main__":
    sys.exit(main())
