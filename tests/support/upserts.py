"""A program: changes by key into tables of Delta and Iceberg; a batch decodes only the last one of each key.

Argument: a JSON object of kafka, registry, folder, topic. Prints `upserts: fine`.
"""

from __future__ import annotations

import json
import random
import sys
from dataclasses import dataclass, field

from pyspark.sql import SparkSession

from kafkalyst import serdes
from support import landings
from support.kills import producer, seeded
from support.lake import TABLES, session

KEYS, RECORDS = 20, 400
BAD = -1


@dataclass
class Topic:
    """A topic's records (key, and value, None or BAD), of which each round sends the same number."""

    kafka: str
    name: str
    has_bad: bool
    chance: random.Random
    records: list[tuple[int | None, int | None]] = field(default_factory=list)

    def send(self) -> None:
        """Sends another round."""
        feed = producer(self.kafka)
        for _ in range(RECORDS):
            key = None if self.chance.random() < 0.05 else self.chance.randrange(KEYS)
            value: int | None = self.chance.randrange(1000)
            if self.chance.random() < 0.2:
                value = BAD if self.has_bad and self.chance.random() < 0.5 else None
            self.records.append((key, value))
            sent = None if value is None else b"{" if value == BAD else json.dumps({"v": value}).encode()
            feed.produce(self.name, key=None if key is None else key.to_bytes(4, "big"), value=sent)
        feed.flush()

    def latest(self, on_error: str, *, even: bool) -> list[tuple[int, int | None]]:
        """The expected rows of the table, and those of them with an even value."""
        rows: dict[int, int | None] = {}
        for key, value in self.records:
            if key is None or (value == BAD and on_error in ("skip", "dead-letter")):
                continue
            rows.pop(key, None)
            if value is not None:
                rows[key] = None if value == BAD else value
        return sorted((k, v) for k, v in rows.items() if not even or (v is not None and v % 2 == 0))


def check(spark: SparkSession, kafka: str, topic: str) -> None:
    """Runs each kind of query over a topic's changes, for two rounds."""
    spark.sql("CREATE NAMESPACE lake.db")
    chance = seeded()
    print(f"seed {chance.chosen}", flush=True)
    topics = {bad: Topic(kafka, f"{topic}-{'bad' if bad else 'good'}", bad, chance) for bad in (False, True)}
    for each in topics.values():
        serdes.create_topic(kafka, each.name, 2)
        each.send()
    queries = {}
    for on_error in ("fail", "null", "skip", "dead-letter"):
        of = topics[on_error != "fail"]
        source = f"changes_{on_error.replace('-', '_')}"
        spark.sql(f"""CREATE TABLE {source} (k INT PRIMARY KEY, v INT)
                      WITH (KAFKA_TOPIC = '{of.name}', VALUE_FORMAT = 'JSON', ON_ERROR = '{on_error}')""")
        for even in (False, True):
            kind = "iceberg" if even else "delta"
            table = f"{TABLES[kind]}.{source}_{kind}"
            spark.sql(f"CREATE TABLE {table} (k INT, v INT) USING {kind}")
            where = "WHERE v % 2 = 0" if even else ""
            name = spark.sql(f"""INSERT INTO {table} WITH (TRIGGER = '200 MILLISECONDS')
                                 SELECT k, v FROM {source} {where} EMIT CHANGES""").first()["query_id"]
            queries[name] = (of, on_error, even, table)
    for _ in range(2):
        active = {query.name: query for query in spark.streams.active}
        for name, (of, on_error, even, table) in queries.items():
            active[name].processAllAvailable()
            spark.catalog.refreshTable(table)
            found = sorted(tuple(row) for row in spark.sql(f"SELECT k, v FROM {table}").collect())
            assert found == of.latest(on_error, even=even), f"{table}, seed {chance.chosen}: {found}"
            last = [p for p in active[name].recentProgress if p["numInputRows"]][-1]  # a later one has no records
            metrics = {m: int(n) for m, n in last["sources"][0]["metrics"].items() if n.isdigit()}
            assert metrics["recordsRead"] == len(of.records), metrics
            left = metrics["recordsSuperseded"]
            assert metrics["recordsDecoded"] == len(of.records) - left - metrics["badRecords"], metrics
            # If bad records are skipped, the record before a bad one counts, so each record is decoded.
            bad = sum(value == BAD for _, value in of.records)
            assert left > RECORDS / 2 if on_error in ("fail", "null") else (left, metrics["badRecords"]) == (0, bad), (
                on_error,
                metrics,
            )
        for each in topics.values():
            each.send()
    spark.sql("TERMINATE ALL")


if __name__ == "__main__":
    job = json.loads(sys.argv[1])
    spark = session(job["kafka"], job["registry"], job["folder"])
    check(spark, job["kafka"], job["topic"])
    landings.check(spark, job["folder"], job["kafka"], job["topic"])
    print("upserts: fine", flush=True)
