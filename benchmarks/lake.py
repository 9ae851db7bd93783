"""From a topic into tables of Iceberg and Delta: Kafkalyst against Spark by hand and Flink, as ratios in one run.

LAKE_RECORDS (2000000), LAKE_KEYS (100000), LAKE_RUNS (3) and LAKE_ONLY (a part of `append, iceberg`, `upsert, delta`
and so on) change the size. Prints for each kind of table the seconds, and the processor time of the session's JVM,
which tells more than seconds where others use the machine.
"""

from __future__ import annotations

import os
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pyspark
from peers import BUILD, FETCH_WAIT_MS, FETCHES, ByHand, Flink, timed
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import max_by
from run import PARTITIONS, say, session_conf
from works import DATASETS, MILLIS

import kafkalyst

RECORDS = int(os.environ.get("LAKE_RECORDS", "2000000"))
KEYS = int(os.environ.get("LAKE_KEYS", "100000"))
RUNS = int(os.environ.get("LAKE_RUNS", "3"))
ONLY = os.environ.get("LAKE_ONLY", "")
DATA = DATASETS["avro"]
TABLES = {"iceberg": "lake.db", "delta": "default"}
GOALS = {"append": {"by hand": 2.5, "flink": 1.5}, "upsert": {"by hand": 2.0}}
COUNT = "SELECT count(*), count(DISTINCT id), sum(quantity) FROM {}"


def iceberg_in_flink() -> Iterator[Path]:
    """Iceberg's jar for Flink, and Hadoop's classes, which it needs."""
    yield from (BUILD / "benchmarks" / "flink-iceberg").glob("*.jar")
    yield from (Path(pyspark.__file__).parent / "jars").glob("hadoop-client-*.jar")


class Lake:
    """The topics `lake_append` and `lake_upsert`, and both ways from them into a new table."""

    def __init__(self, spark: SparkSession, kafka: str, registry: str, folder: Path) -> None:
        self.spark, self.kafka, self.folder = spark, kafka, folder
        self.hand = ByHand(spark, kafka, registry)
        self.flink = Flink(kafka, registry, [*iceberg_in_flink()]) if ONLY in "append, iceberg" else None
        self.made = 0
        self.pid = spark._jvm.java.lang.ProcessHandle.current().pid()
        columns = ", ".join(f"{name} {kind}" for name, kind in DATA.columns.items())
        keyed = columns.replace("id BIGINT", "id BIGINT PRIMARY KEY")
        spark.sql("CREATE NAMESPACE lake.db")
        for kind, topic, declared in (("STREAM", "lake_append", columns), ("TABLE", "lake_upsert", keyed)):
            spark.sql(
                f"CREATE {kind} {topic} ({declared}) WITH (KAFKA_TOPIC = '{topic}', VALUE_FORMAT = 'AVRO', "
                f"PARTITIONS = {PARTITIONS})"
            )
            key = f"mod(id, {KEYS})" if kind == "TABLE" else "id"
            ids = f"(SELECT {key} AS id FROM range(0, {RECORDS}, 1, {PARTITIONS}))"
            spark.sql(f"INSERT INTO {topic} {DATA.rows.format(ids=ids, millis=f'timestamp_millis({MILLIS})')}")
        if self.flink:
            self.flink.declare("lake_append", "lake_append", DATA)
            kind = "'type' = 'iceberg', 'catalog-type' = 'hadoop'"
            self.flink.run("batch", f"CREATE CATALOG lake WITH ({kind}, 'warehouse' = '{folder / 'lake'}')")

    def close(self) -> None:
        """Ends Flink."""
        if self.flink:
            self.flink.close()

    def processor(self) -> float:
        """Seconds of processor time that the session's JVM has used."""
        fields = Path(f"/proc/{self.pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
        return sum(int(ticks) for ticks in fields[11:13]) / os.sysconf("SC_CLK_TCK")

    def table(self, kind: str) -> str:
        """A new, empty table."""
        self.made += 1
        name = f"{TABLES[kind]}.t{self.made}"
        columns = ", ".join(f"{column} {of}" for column, of in DATA.columns.items())
        self.spark.sql(f"CREATE TABLE {name} ({columns}) USING {kind}")
        return name

    def ours(self, how: str, kind: str, name: str) -> None:
        """One statement."""
        columns = ", ".join(DATA.columns)
        self.spark.sql(
            f"INSERT INTO {name} WITH (TRIGGER = 'available-now') SELECT {columns} FROM lake_{how} EMIT CHANGES"
        )

    def by_hand(self, how: str, kind: str, name: str) -> None:
        """Spark by hand: from_avro into toTable, or into a MERGE of each batch's latest rows."""
        topic, columns = f"lake_{how}", list(DATA.columns)
        schema = self.hand.schema(topic)[1]
        options = {
            "kafka.bootstrap.servers": self.kafka,
            "subscribe": topic,
            "startingOffsets": "earliest",
            "kafka.fetch.max.wait.ms": FETCH_WAIT_MS,
            # Spark has deserialisers of its own.
            **{f"kafka.{key}": value for key, value in FETCHES.items() if not key.endswith("deserializer")},
        }
        records = self.spark.readStream.format("kafka").options(**options).load()
        row = f"from_avro(substring(value, 6), '{schema}') AS r"

        def merge(batch: DataFrame, _: int) -> None:
            latest = batch.groupBy("id").agg(max_by("r", "offset").alias("r")).select("id", "r.*")
            latest.createOrReplaceTempView("latest")
            batch.sparkSession.sql(
                f"MERGE INTO {name} t USING latest s ON t.id = s.id WHEN MATCHED THEN UPDATE SET * "
                "WHEN NOT MATCHED THEN INSERT *"
            )

        if how == "append":
            writer = records.selectExpr(row).select("r.*").select(*columns).writeStream
        else:
            keyed = records.selectExpr("cast(conv(hex(key), 16, 10) AS BIGINT) AS id", "offset", row)
            writer = keyed.writeStream
        place = str(self.folder / f"by-hand-{self.made}")
        writer = writer.option("checkpointLocation", place).trigger(availableNow=True).format(kind)
        (writer.toTable(name) if how == "append" else writer.foreachBatch(merge).start()).awaitTermination()

    def in_flink(self, _how: str, _kind: str, name: str) -> None:
        """Flink's own sink, in batch mode, which commits once; it reads timestamps of microseconds as numbers."""
        instant = "TO_TIMESTAMP_LTZ(placed_at / 1000, 3)"
        columns = ", ".join(instant if column == "placed_at" else f"`{column}`" for column in DATA.columns)
        table = ".".join(f"`{part}`" for part in name.split("."))
        assert self.flink is not None
        self.flink.run("batch", f"INSERT INTO {table} SELECT {columns} FROM `lake_append`")

    def measure(self, how: str, kind: str) -> None:
        """Runs all peers in turns; their tables must be equal."""
        ways: dict[str, Callable[[str, str, str], None]] = {"ours": self.ours, "by hand": self.by_hand}
        if (how, kind) == ("append", "iceberg"):
            ways["flink"] = self.in_flink
        seconds: dict[str, list[float]] = {way: [] for way in ways}
        worked: dict[str, list[float]] = {way: [] for way in ways}
        for run in range(1 + RUNS):
            counts = set()
            for way, write in ways.items():
                name = self.table(kind)
                began, used = time.perf_counter(), self.processor()
                write(how, kind, name)
                took, used = time.perf_counter() - began, self.processor() - used
                self.spark.sql("TERMINATE ALL")
                self.spark.catalog.refreshTable(name)  # a batch by hand uses another catalog, and this one caches
                counts.add(tuple(self.spark.sql(COUNT.format(name)).first() or ()))
                self.spark.sql(f"DROP TABLE {name}")
                if run:  # the first is the warm-up
                    seconds[way].append(took)
                    worked[way].append(used)
            assert len(counts) == 1, f"{how}, {kind}: {counts}"
        ours = statistics.median(seconds.pop("ours"))
        others = [(way, statistics.median(took)) for way, took in seconds.items()]
        compared = ", ".join(
            f"{way} {took:.1f} s: {took / ours:.2f} × (goal {GOALS[how][way]})" for way, took in others
        )
        say(f"{how}, {kind}: {ours:.1f} s, {RECORDS / ours / 1e6:.2f} M records/s; {compared}")
        used, by_hand = (statistics.median(worked[way]) for way in ("ours", "by hand"))
        say(f"{how}, {kind}, processor time: {used:.1f} s, by hand {by_hand:.1f} s: {by_hand / used:.2f} ×")

    def read(self) -> None:
        """Measures the time of reading and decoding alone, by both."""
        columns = ", ".join(f"max({column})" for column in DATA.columns)
        query = f"SELECT {columns} FROM {{}}"
        frame = self.hand.frame("lake_append", DATA)
        assert frame is not None
        frame.createOrReplaceTempView("by_hand")
        took = {
            name: min(timed(self.spark, query.format(source))[0] for _ in range(1 + RUNS))
            for name, source in (("ours", "lake_append"), ("by hand", "by_hand"))
        }
        say(f"reading and decoding alone: {took['ours']:.1f} s, by hand {took['by hand']:.1f} s; the rest is writing")


def main() -> int:
    """Both ways into both kinds of table."""
    with kafkalyst.LocalServers(progress=say) as servers:
        neighbours = [str(jar) for jar in (BUILD / "neighbours").glob("*/*.jar")]
        hand = ByHand.conf()
        conf = {
            **session_conf(servers),
            **hand,
            # By default Delta replays its state in 50 tasks, far too many for two cores.
            "spark.databricks.delta.snapshotPartitions": 2,
            "spark.jars": ",".join([hand["spark.jars"], *neighbours]),
            "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension,"
            "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions",
            "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
            "spark.sql.catalog.lake": "org.apache.iceberg.spark.SparkCatalog",
            "spark.sql.catalog.lake.type": "hadoop",
            "spark.sql.catalog.lake.warehouse": str(servers.data / "lake"),
            "spark.kafkalyst.query.checkpoint.root": str(servers.data / "checkpoints"),
        }
        spark = kafkalyst.session(servers.kafka, servers.registry, **conf)
        spark.sparkContext.setLogLevel("ERROR")
        lake = Lake(spark, servers.kafka, servers.registry, servers.data)
        lake.read()
        for how in GOALS:
            for kind in TABLES:
                if ONLY in f"{how}, {kind}":
                    lake.measure(how, kind)
        lake.close()
        spark.stop()
    return 0


if __name__ == "__main__":
    sys.exit(main())
