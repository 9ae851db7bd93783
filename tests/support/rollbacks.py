"""A program: histories that are rolled back, and other operations that must not lose or repeat a record.

Argument: a JSON object of kafka, registry, folder, topic. Prints `rollbacks: fine`.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from support.lake import TABLES, eventually, failed, forget, refused, session, started, uncommitted
from support.patience import PATIENCE_SECONDS

COLUMNS = "k INT, v STRING, ROWPARTITION INT, ROWOFFSET BIGINT"
FILL = "SELECT k, v, ROWPARTITION, ROWOFFSET FROM {} EMIT CHANGES"
OPTIONS = {
    "minPartitions": "2",
    "failOnDataLoss": "false",
    "groupIdPrefix": "mine",
    "kafkaConsumer.pollTimeoutMs": "90000",
}


class Kept:
    """A stream of one partition, and the table that is its history."""

    def __init__(self, spark: SparkSession, kind: str, topic: str, name: str, create: bool = True) -> None:
        """Creates both; the table only if `create` is set."""
        self.spark, self.kind, self.name, self.topic = spark, kind, f"{name}_{kind}", f"{topic}-{name}-{kind}"
        self.table = f"{TABLES[kind]}.of_{name}"
        if create:
            self.make()
        spark.sql(f"""CREATE STREAM {self.name} (k INT KEY, v STRING) WITH (KAFKA_TOPIC = '{self.topic}',
                      VALUE_FORMAT = 'JSON', PARTITIONS = 1, HISTORY = '{self.table}')""")

    def make(self) -> None:
        """The empty table."""
        self.spark.sql(f"CREATE TABLE {self.table} ({COLUMNS}) USING {self.kind}")

    def make_anew(self) -> None:
        """Another empty table of this name."""
        self.spark.sql(f"DROP TABLE {self.table}{' PURGE' if self.kind == 'iceberg' else ''}")
        self.make()

    @property
    def fill(self) -> str:
        """The statement that fills the table."""
        return f"INSERT INTO {self.table} WITH (TRIGGER = '100 MILLISECONDS') {FILL.format(self.name)}"

    def add(self, k: int) -> None:
        """One record more."""
        self.spark.sql(f"INSERT INTO {self.name} VALUES ({k}, 'v{k}')")

    def reached(self, *keys: int) -> None:
        """Waits until the table has these records, each once."""
        eventually(self.spark, f"SELECT k FROM {self.table} ORDER BY k", [(k,) for k in keys], self.table)

    def has(self, *keys: int, of: str = "") -> None:
        """Asserts that a bounded read has these records, each once."""
        found = [row[0] for row in self.spark.sql(f"SELECT k FROM {self.name} {of} ORDER BY k").collect()]
        assert found == list(keys), (self.name, of, found)

    def roll_back(self, by: int, by_time: bool = False) -> None:
        """Rolls the table back by this many commits, all of which are appends."""
        if self.kind == "iceberg":
            snapshots = self.spark.sql(
                f"SELECT snapshot_id FROM {self.table}.snapshots ORDER BY committed_at"
            ).collect()
            short = self.table.removeprefix("lake.")
            self.spark.sql(f"CALL lake.system.rollback_to_snapshot('{short}', {snapshots[-1 - by][0]})")
        else:
            row = self.spark.sql(f"DESCRIBE HISTORY {self.table}").collect()[by]
            to = f"TIMESTAMP AS OF '{row['timestamp']}'" if by_time else f"VERSION AS OF {row['version']}"
            self.spark.sql(f"RESTORE TABLE {self.table} TO {to}")
        self.spark.catalog.refreshTable(self.table)


def check_options(spark: SparkSession, kind: str, topic: str, kafka: str) -> None:
    """A read whose options set neither a start nor an end uses the history."""
    kept = Kept(spark, kind, topic, "options")
    kept.add(1)
    query = started(spark, kept.fill)
    kept.reached(1)
    spark.sql(f"TERMINATE {query}")
    forget(kafka, kept.topic, {0: 1})
    kept.add(2)
    for name, value in OPTIONS.items():
        kept.has(1, 2, of=f"WITH ('{name}' = '{value}')")
        read = spark.read.option(name, value)
        assert read.table(kept.name).count() == 2, name
    kept.has(2, of="WITH ('startingOffsets' = 'earliest')")


def check_rollback(spark: SparkSession, kind: str, topic: str, folder: str, by_time: bool = False) -> None:
    """A query whose table is rolled back fails; the next one begins at the border."""
    kept = Kept(spark, kind, topic, f"rolled_{by_time}".lower())
    query = started(spark, kept.fill)
    for k in (1, 2, 3):
        kept.add(k)
        kept.reached(*range(1, k + 1))
    kept.roll_back(1, by_time)
    kept.reached(1, 2)
    kept.has(1, 2, 3)
    kept.add(4)
    failed(spark, query, "KAFKALYST_HISTORY_MOVED")
    spark.sql(f"RESUME {query}")
    failed(spark, query, "KAFKALYST_HISTORY_MOVED")
    kept.has(1, 2, 3, 4)
    spark.sql(f"TERMINATE {query}")
    # The first batch of a query that began at the border is repeated, but into a new table.
    query = started(spark, kept.fill)
    kept.reached(1, 2, 3, 4)
    spark.sql(f"PAUSE {query}")
    uncommitted(folder, query)
    kept.make_anew()
    kept.add(5)
    spark.sql(f"RESUME {query}")
    failed(spark, query, "KAFKALYST_HISTORY_MOVED")
    kept.has(1, 2, 3, 4, 5)
    spark.sql(f"TERMINATE {query}")
    # The same with a later batch.
    query = started(spark, kept.fill)
    kept.reached(1, 2, 3, 4, 5)
    kept.add(6)
    kept.reached(1, 2, 3, 4, 5, 6)
    spark.sql(f"PAUSE {query}")
    kept.make_anew()
    kept.add(7)
    spark.sql(f"RESUME {query}")
    failed(spark, query, "KAFKALYST_HISTORY_MOVED")
    kept.has(1, 2, 3, 4, 5, 6, 7)
    spark.sql(f"TERMINATE {query}")


def check_first(spark: SparkSession, kind: str, topic: str) -> None:
    """A table that is rolled back to its first state, or recreated, has no border, whatever its properties say."""
    kept = Kept(spark, kind, topic, "first", create=False)
    kept.add(1)
    made = "" if kind == "delta" else "TBLPROPERTIES ('kafkalyst.trigger' = '100 MILLISECONDS')"
    query = started(spark, f"CREATE TABLE {kept.table} USING {kind} {made} AS {FILL.format(kept.name)}")
    kept.reached(1)
    kept.add(2)
    kept.reached(1, 2)
    spark.sql(f"TERMINATE {query}")
    if kind == "iceberg":
        kept.roll_back(2)
        kept.reached()
        kept.has(1, 2)
        # An expired snapshot belongs to this table.
        query = started(spark, kept.fill)
        kept.reached(1, 2)
        spark.sql(f"TERMINATE {query}")
        spark.sql(f"DELETE FROM {kept.table} WHERE k < 0")
        short = kept.table.removeprefix("lake.")
        spark.sql(f"CALL lake.system.rewrite_data_files(table => '{short}', options => map('rewrite-all', 'true'))")
        spark.sql(f"""CALL lake.system.expire_snapshots(table => '{short}', retain_last => 1,
                                                        older_than => TIMESTAMP '2100-01-01')""")
        spark.catalog.refreshTable(kept.table)
        kept.has(1, 2)
        assert kept.spark.sql(f"SELECT count(*) FROM {kept.table}.snapshots").first()[0] == 1
        spark.sql(f"ALTER TABLE {kept.table} UNSET TBLPROPERTIES ('kafkalyst.history.snapshot')")
        kept.has(1, 2)  # as in tables of earlier versions
    else:
        spark.sql(f"CREATE OR REPLACE TABLE {kept.table} ({COLUMNS}) USING {kind}")
        kept.has(1, 2)


def check_writers(spark: SparkSession, kind: str, topic: str) -> None:
    """One query fills a history; a paused one cannot write again what another has written meanwhile."""
    kept = Kept(spark, kind, topic, "writers")
    kept.add(1)
    first = started(spark, kept.fill)
    kept.reached(1)
    assert refused(lambda: spark.sql(kept.fill)) == "KAFKALYST_HISTORY_WRITER"
    spark.sql(f"PAUSE {first}")
    second = started(spark, kept.fill)
    kept.add(2)
    kept.reached(1, 2)
    assert refused(lambda: spark.sql(f"RESUME {first}")) == "KAFKALYST_HISTORY_WRITER"
    spark.sql(f"TERMINATE {second}")
    kept.add(3)
    spark.sql(f"RESUME {first}")
    failed(spark, first, "KAFKALYST_HISTORY_MOVED")
    kept.reached(1, 2)
    kept.has(1, 2, 3)
    spark.sql(f"TERMINATE {first}")
    # Of several that begin at once, one fills it.
    with ThreadPoolExecutor(4) as pool:
        begun = list(pool.map(begin, [kept] * 4))
    assert sorted(begun) == ["KAFKALYST_HISTORY_WRITER"] * 3 + ["begun"], begun
    kept.reached(1, 2, 3)
    spark.sql("TERMINATE ALL")


def check_overtaken(spark: SparkSession, topic: str, folder: str) -> None:
    """A run is held within its append: what another one has written meanwhile is not written again."""
    kept = Kept(spark, "iceberg", topic, "overtaken")
    gate, held = Path(folder) / "gate", Path(folder) / "held"

    def passed(value: str) -> str:
        while gate.exists():
            held.touch()
            time.sleep(0.05)
        return value

    def hold(k: int) -> None:
        held.unlink(missing_ok=True)
        gate.touch()
        kept.add(k)
        end = time.monotonic() + PATIENCE_SECONDS
        while not held.exists():
            assert time.monotonic() < end, spark.sql("SHOW QUERIES").collect()
            time.sleep(0.05)

    # The query evaluates it after its look at the table, and before its commit.
    spark.udf.register("passed", F.udf(passed, "string"))
    query = started(spark, kept.fill.replace("k, v,", "k, passed(v) AS v,"))
    try:
        kept.add(1)
        kept.reached(1)
        hold(2)
        spark.catalog.refreshTable(kept.table)
        found = spark.sql(f"SELECT summary FROM {kept.table}.snapshots ORDER BY committed_at DESC").first()["summary"]
        marks = {name: value for name, value in found.items() if name.startswith("kafkalyst.")}
        border = json.loads(marks["kafkalyst.history"])
        assert border["offsets"] == {"0": 1}, border
        marks["kafkalyst.history"] = json.dumps({**border, "offsets": {"0": 2}})
        marks["kafkalyst.batch-id"] = str(int(marks["kafkalyst.batch-id"]) + 1)
        marked(spark, marks, lambda: spark.sql(f"INSERT INTO {kept.table} VALUES (2, 'v2', 0, 1)"))
        gate.unlink()
        kept.add(3)
        kept.reached(1, 2, 3)
        # Rows of others are left, and the batch is appended after them.
        hold(4)
        spark.sql(f"INSERT INTO {kept.table} VALUES (100, 'by hand', -1, 0)")
        gate.unlink()
        kept.reached(1, 2, 3, 4, 100)
        assert spark.sql(f"SELECT DISTINCT operation FROM {kept.table}.snapshots").collect() == [("append",)]
        assert [q["state"] for q in spark.sql("SHOW QUERIES").collect() if q["query_id"] == query] == ["RUNNING"]
    finally:
        gate.unlink(missing_ok=True)
    spark.sql(f"TERMINATE {query}")


def marked(spark: SparkSession, properties: dict[str, str], statement: Callable[[], object]) -> None:
    """Runs a statement whose snapshot of an Iceberg table gets these properties."""
    settings = {f"spark.sql.iceberg.snapshot-property.{name}": value for name, value in properties.items()}
    for name, value in settings.items():
        spark.conf.set(name, value)
    try:
        statement()
    finally:
        for name in settings:
            spark.conf.unset(name)


def begin(kept: Kept) -> str:
    """Begins to fill the table, or returns the condition that this fails with."""
    try:
        started(kept.spark, kept.fill)
    except PySparkException as error:
        return str(error.getCondition())
    return "begun"


def check_statement(spark: SparkSession, kind: str, topic: str) -> None:
    """A statement that fails leaves no columns and no folder."""
    table = f"{TABLES[kind]}.plain"
    spark.sql(f"CREATE TABLE {table} (k INT) USING {kind}")
    stream = f"plain_{kind}"
    spark.sql(f"""CREATE STREAM {stream} (k INT KEY, v STRING)
                  WITH (KAFKA_TOPIC = '{topic}-{stream}', VALUE_FORMAT = 'JSON', PARTITIONS = 1)""")
    insert = f"""INSERT INTO {table} WITH (SCHEMA_EVOLUTION = 'add', QUERY_ID = '{{}}', TRIGGER = 'available-now')
                 BY NAME SELECT {{}} FROM {stream} EMIT CHANGES"""
    spark.sql(f"INSERT INTO {stream} VALUES (1, 'a')")
    assert refused(lambda: spark.sql(insert.format("CSAS_X", "k, v"))) == "KAFKALYST_QUERY_ID"
    assert spark.table(table).columns == ["k"]
    query_id = f"AGAIN_{kind}"
    assert refused(lambda: spark.sql(insert.format(query_id, "k, IF(v = 'a', raise_error(v), v) AS v"))) is not None
    spark.sql(insert.format(query_id, "k, v"))
    eventually(spark, f"SELECT k, v FROM {table}", [(1, "a")], table)


def check_locked(spark: SparkSession, folder: str, topic: str) -> None:
    """In locked sessions, neither a statement nor a table can set the folder of a checkpoint."""
    spark.sql(
        f"CREATE STREAM shut_rows (k INT) WITH (KAFKA_TOPIC = '{topic}-shut', VALUE_FORMAT = 'JSON', PARTITIONS = 1)"
    )
    for kind, db in TABLES.items():
        table, insert = f"{db}.shut", f"INSERT INTO {db}.shut {{}} SELECT k FROM shut_rows EMIT CHANGES"
        create = f"CREATE TABLE {table} {{}} USING {kind} TBLPROPERTIES ('{{}}' = '{folder}/elsewhere')"
        spark.sql(create.format("(k INT)", "kafkalyst.checkpoint"))
        plain, given = insert.format(""), insert.format(f"WITH (CHECKPOINT = '{folder}/elsewhere')")
        assert refused(lambda s=plain: spark.sql(s)) == "KAFKALYST_LOCKED_PROPERTY"
        spark.sql(f"ALTER TABLE {table} UNSET TBLPROPERTIES ('kafkalyst.checkpoint')")
        assert refused(lambda s=given: spark.sql(s)) == "KAFKALYST_LOCKED_PROPERTY"
        spark.sql(insert.format("WITH (TRIGGER = 'available-now')"))
        spark.sql(f"DROP TABLE {table}")
        made = f"{create.format('', 'checkpoint')} AS SELECT k FROM shut_rows EMIT CHANGES"
        assert refused(lambda s=made: spark.sql(s)) == "KAFKALYST_LOCKED_PROPERTY"
        assert not spark.catalog.tableExists(table)


def main() -> None:
    """Runs the checks with the argument's settings."""
    job = json.loads(sys.argv[1])
    spark = session(job["kafka"], job["registry"], job["folder"])
    spark.sql("CREATE NAMESPACE lake.db")
    for kind in TABLES:
        check_options(spark, kind, job["topic"], job["kafka"])
        check_rollback(spark, kind, job["topic"], job["folder"])
        check_first(spark, kind, job["topic"])
        check_writers(spark, kind, job["topic"])
        check_statement(spark, kind, job["topic"])
    check_rollback(spark, "delta", job["topic"], job["folder"], by_time=True)
    check_overtaken(spark, job["topic"], job["folder"])
    spark.stop()
    lock = {"spark.kafkalyst.session.properties": "locked"}
    check_locked(session(job["kafka"], job["registry"], job["folder"], **lock), job["folder"], job["topic"])
    print("rollbacks: fine", flush=True)


if __name__ == "__main__":
    main()
