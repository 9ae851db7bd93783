"""A program: a topic whose old records are in a table of Delta or Iceberg.

Argument: a JSON object of kafka, registry, folder, topic. Prints `history: fine`.
"""

from __future__ import annotations

import json
import re
import sys
import time
from typing import Any

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from kafkalyst import serdes
from support.kills import producer, seeded
from support.lake import TABLES, again, eventually, failed, forget, refused, session, shows, started

PARTITIONS = 2
ROUNDS = 5
MOST_ROWS = 40
PUSHED = {
    "rows_iceberg": ("p = 1", "o > 1", "ROWTIME >= {}"),
    "rows_delta": ("EqualTo(p,1)", "GreaterThan(o,1)", "GreaterThanOrEqual(ROWTIME,{})"),
}


class Feed:
    """Writes records and knows all of them, as (partition, offset, key, value); also deletes the topic's oldest."""

    def __init__(self, kafka: str, topic: str) -> None:
        """Makes the topic."""
        serdes.create_topic(kafka, topic, PARTITIONS)
        self.kafka, self.topic, self.rows = kafka, topic, list[tuple[int, int, int, int]]()
        self.chance, self.producer = seeded(), producer(kafka)
        self.first = dict.fromkeys(range(PARTITIONS), 0)

    def send(self, most: int = MOST_ROWS) -> None:
        """Sends some records to both partitions."""
        for _ in range(self.chance.randint(1, most)):
            partition, key = self.chance.randrange(PARTITIONS), self.chance.randrange(1000)
            row = (partition, sum(r[0] == partition for r in self.rows), key, len(self.rows))
            value = json.dumps({"v": row[3]}).encode()
            self.producer.produce(self.topic, key=key.to_bytes(4, "big"), value=value, partition=partition)
            self.rows.append(row)
        self.producer.flush()

    def delete_before(self, offsets: dict[int, int]) -> None:
        """Deletes all records before these offsets."""
        self.first = {p: max(first, offsets.get(p, 0)) for p, first in self.first.items()}
        forget(self.kafka, self.topic, offsets)


def everything(spark: SparkSession, name: str, feed: Feed) -> None:
    """Asserts that a bounded read has each record ever written, once, whatever else happens."""
    found = spark.sql(f"SELECT ROWPARTITION, ROWOFFSET, k, v FROM {name}").collect()
    assert sorted(tuple(row) for row in found) == sorted(feed.rows), f"seed {feed.chance.chosen}"


def reached(spark: SparkSession, table: str) -> dict[int, int]:
    """The offsets up to which the table has each partition."""
    return {row[0]: row[1] + 1 for row in spark.sql(f"SELECT p, max(o) FROM {table} GROUP BY p").collect()}


def check_reads(spark: SparkSession, name: str, table: str, feed: Feed) -> None:
    """Filters, counts, joins and hidden columns work across the border."""
    one = [row for row in feed.rows if row[0] == 1]
    offset = one[len(one) // 2][1]

    def rows(query: str) -> list[tuple[Any, ...]]:
        return [tuple(row) for row in spark.sql(query).collect()]

    assert rows(f"SELECT count(*), count(DISTINCT ROWPARTITION, ROWOFFSET) FROM {name}") == [(len(feed.rows),) * 2]
    found = rows(f"SELECT v FROM {name} WHERE ROWPARTITION = 1 AND ROWOFFSET >= {offset} ORDER BY ROWOFFSET")
    assert found == [(row[3],) for row in one if row[1] >= offset]
    joined = f"SELECT count(*) FROM {name} a JOIN {name} b ON a.v = b.v AND a.ROWTIME = b.ROWTIME"
    assert rows(joined) == [(len(feed.rows),)]
    assert rows(f"SELECT count(*) FROM {name} WHERE ROWTIME < 0 OR ROWTIME IS NULL") == [(0,)]
    assert spark.table(name).count() == len(feed.rows)
    assert spark.table(name).where("v < 3").count() == 3
    plan = spark.sql(f"EXPLAIN EXTENDED SELECT v FROM {name} WHERE ROWOFFSET > 1").first()[0]
    border = reached(spark, table)
    assert f"from {';'.join(f'partition:{p},offset:{border[p]}' for p in sorted(border))}" in plan, plan
    # Both sides read what is asked for, and of the table only files that may have it.
    times = sorted(row[0] for row in rows(f"SELECT DISTINCT ROWTIME FROM {name}"))
    middle = times[len(times) // 2]
    late = f"FROM {name} WHERE ROWTIME >= {middle} AND ROWPARTITION = 1 AND ROWOFFSET > 1"
    found = rows(f"SELECT v {late} ORDER BY v")
    one_late = rows(f"SELECT ROWOFFSET, ROWTIME, v FROM {name} WHERE ROWPARTITION = 1")
    expected = sorted((v,) for at, time_, v in one_late if at > 1 and time_ >= middle)
    assert found == expected and len(found) < len(one_late), (found, expected)
    plan = spark.sql(f"EXPLAIN FORMATTED SELECT v {late}").first()[0]
    for asked in (*PUSHED[name], "only partition (= 1) and offset (from 2) and timestamp (from "):
        assert asked.format(middle) in plan, (asked, plan)
    assert re.search(r"\[v#\d+, p#\d+, o#\d+L, ROWTIME#\d+L\]", plan), plan
    if name == "rows_delta":
        assert refused(lambda: spark.sql(f"SELECT _headers FROM {name}").collect()) == "KAFKALYST_HISTORY_COLUMN"


def check(spark: SparkSession, feed: Feed, folder: str, kind: str) -> None:
    """Fills a history while records come and go, breaks what can break, and reads everything at each step."""
    name, table = f"rows_{kind}", f"{TABLES[kind]}.history"
    spark.sql(f"""CREATE STREAM {name} (k INT KEY, v INT)
                  WITH (KAFKA_TOPIC = '{feed.topic}', VALUE_FORMAT = 'JSON', HISTORY = '{table}')""")
    assert refused(lambda: spark.sql(f"SELECT * FROM {name}")) == "KAFKALYST_HISTORY_TABLE"
    feed.send()
    more = ", _tombstone, _headers" if kind == "iceberg" else ""
    columns = f"*, ROWPARTITION AS p, ROWOFFSET AS o, ROWTIME{more}"
    create = f"CREATE TABLE {table} USING {kind} TBLPROPERTIES ('kafkalyst.trigger' = '300 MILLISECONDS') AS SELECT"
    ranged = f"{columns} FROM {name} WITH ('scan.startup.mode' = 'latest-offset')"
    for wrong, why in (
        (f"{columns} FROM {name} WHERE v > 1", "its Filter would leave records out"),
        (f"*, ROWOFFSET FROM {name}", "it does not select ROWPARTITION"),
        (ranged, "it has a start or an end of its own"),
    ):
        with pytest.raises(PySparkException, match=f"fill [a-z_.]*{table}, the history of .*: {why}[.]") as no:
            spark.sql(f"{create} {wrong} EMIT CHANGES")
        assert no.value.getCondition() == "KAFKALYST_HISTORY_QUERY"
    query = started(spark, f"{create} {columns} FROM {name} EMIT CHANGES")
    everything(spark, name, feed)
    for _ in range(ROUNDS):
        feed.send()
        everything(spark, name, feed)
        time.sleep(feed.chance.uniform(0, 0.5))
        feed.delete_before({p: feed.chance.randint(o // 2, o) for p, o in reached(spark, table).items()})
        everything(spark, name, feed)
    eventually(spark, f"SELECT count(*) FROM {table}", [(len(feed.rows),)])
    shows(spark, query, written=len(feed.rows), lag=0)
    feed.delete_before(reached(spark, table))
    feed.send()
    check_reads(spark, name, table, feed)
    again(spark, folder, query, f"DELETE FROM {table} WHERE p < 0")
    everything(spark, name, feed)
    check_past(spark, name, feed)
    check_ranges(spark, name, feed)
    check_streams(spark, name, feed, folder)
    check_topics(spark, name, feed)
    check_restart(spark, feed, name, query)


def landed(spark: SparkSession, table: str, feed: Feed) -> None:
    """Waits until the table has each record ever written, once."""
    eventually(spark, f"SELECT count(*), count(DISTINCT p, o) FROM {table}", [(len(feed.rows),) * 2])
    found = spark.sql(f"SELECT p, o, k, v FROM {table}").collect()
    assert sorted(tuple(row) for row in found) == sorted(feed.rows), f"seed {feed.chance.chosen}"


def lost(spark: SparkSession, name: str, feed: Feed) -> None:
    """Deletes all records of the topic; the history has them."""
    history = f"{TABLES[name.removeprefix('rows_')]}.history"
    eventually(spark, f"SELECT count(*) FROM {history}", [(len(feed.rows),)])
    feed.delete_before(reached(spark, history))


def check_streams(spark: SparkSession, name: str, feed: Feed, folder: str) -> None:
    """Streams begin in the history and continue in the topic, also after a resume or with a repeated batch."""
    table = f"lake.db.copy_of_{name}"
    create = f"""CREATE TABLE {table} USING iceberg TBLPROPERTIES ('kafkalyst.trigger' = '300 MILLISECONDS')
                 AS SELECT ROWPARTITION AS p, ROWOFFSET AS o, k, v FROM {name} EMIT CHANGES"""
    copy = started(spark, create)
    landed(spark, table, feed)
    spark.sql(f"PAUSE {copy}")
    feed.send()
    lost(spark, name, feed)
    spark.sql(f"RESUME {copy}")
    landed(spark, table, feed)
    lost(spark, name, feed)
    again(spark, folder, copy, f"DELETE FROM {table} WHERE p < 0")
    feed.send()
    landed(spark, table, feed)
    spark.sql(f"TERMINATE {copy}")
    slices = spark.readStream.option("maxOffsetsPerTrigger", len(feed.rows) // 3).table(name).select("v")
    query = slices.writeStream.format("memory").queryName(f"slices_{name}").trigger(availableNow=True).start()
    query.awaitTermination()
    assert sorted(row[0] for row in spark.table(f"slices_{name}").collect()) == list(range(len(feed.rows)))


def check_topics(spark: SparkSession, name: str, feed: Feed) -> None:
    """Streams into topics need the records' headers, and whether there is a value."""
    sink = f"WITH (KAFKA_TOPIC = '{feed.topic}-{{}}', VALUE_FORMAT = 'JSON') AS SELECT"
    copy = f"CREATE STREAM copy_{name} {sink.format('copy')} k, v + 1 AS w FROM {name} EMIT CHANGES"
    count = f"CREATE TABLE counts_{name} {sink.format('counts')} k, count(*) AS n FROM {name} GROUP BY k EMIT CHANGES"
    if name == "rows_delta":
        query = started(spark, count)
        failed(spark, query, "KAFKALYST_HISTORY_COLUMN")
        spark.sql(f"TERMINATE {query}")
        return
    queries = [started(spark, statement) for statement in (copy, count)]
    eventually(spark, f"SELECT count(*), count(DISTINCT w) FROM copy_{name}", [(len(feed.rows),) * 2])
    eventually(spark, f"SELECT sum(n) FROM counts_{name}", [(len(feed.rows),)])
    for query in queries:
        spark.sql(f"TERMINATE {query}")


def check_past(spark: SparkSession, name: str, feed: Feed) -> None:
    """Time travel to before the border, after it, and to the end."""
    ends = {p: sum(row[0] == p for row in feed.rows) for p in range(PARTITIONS)}

    def check(of: str, until: dict[int, int]) -> None:
        found = spark.sql(f"SELECT ROWPARTITION, ROWOFFSET, k, v FROM {name} {of}").collect()
        assert sorted(tuple(row) for row in found) == sorted(r for r in feed.rows if r[1] < until[r[0]]), of

    for share in (0.3, 1):
        until = {p: int(end * share) for p, end in ends.items()}
        check(f"VERSION AS OF '{';'.join(f'partition:{p},offset:{o}' for p, o in until.items())}'", until)
    records = spark.sql(f"SELECT ROWPARTITION, ROWOFFSET, ROWTIME FROM {name}").collect()
    for at in feed.chance.sample(sorted({row[2] for row in records}), 2):
        later = {p: [row[1] for row in records if row[0] == p and row[2] > at] for p in ends}
        check(f"TIMESTAMP AS OF timestamp_millis({at})", {p: min(later[p], default=ends[p]) for p in ends})


def check_ranges(spark: SparkSession, name: str, feed: Feed) -> None:
    """A read with a start of its own, or an end by time, is of the topic alone, and with an end by offsets of both."""
    ends = {p: sum(row[0] == p for row in feed.rows) for p in range(PARTITIONS)}
    left = [row for row in feed.rows if row[1] >= feed.first[row[0]]]
    assert 0 < len(left) < len(feed.rows)

    def offsets(of: dict[int, int]) -> str:
        return ";".join(f"partition:{p},offset:{offset}" for p, offset in of.items())

    def check(options: dict[str, str], expected: list[tuple[int, int, int, int]]) -> None:
        given = ", ".join(f"'{option}' = '{value}'" for option, value in options.items())
        select = f"SELECT ROWPARTITION, ROWOFFSET, k, v FROM {name}"
        for text in (f"{select} WITH ({given})", f"{select} /*+ OPTIONS({given}) */"):
            found = sorted(tuple(row) for row in spark.sql(text).collect())
            assert found == sorted(expected), (text, feed.first, found, sorted(expected))
        rows = spark.read.options(**options).table(name).select("k", "v").collect()
        assert sorted(tuple(row) for row in rows) == sorted(row[2:] for row in expected), options

    start, end, later = "scan.startup.", "scan.bounded.", str(2**40 * 10)
    check({f"{start}mode": "earliest-offset"}, left)
    begins = {p: min(first + 1, ends[p]) for p, first in feed.first.items()}
    begun = [row for row in feed.rows if row[1] >= begins[row[0]]]
    check({f"{start}mode": "specific-offsets", f"{start}specific-offsets": offsets(begins)}, begun)
    check({f"{start}mode": "timestamp", f"{start}timestamp-millis": "0"}, left)
    check({f"{start}specific-offsets": offsets(begins)}, feed.rows)
    check({f"{end}mode": "timestamp", f"{end}timestamp-millis": later}, left)
    few = {p: min(2, end) for p, end in ends.items()}
    check(
        {f"{end}mode": "specific-offsets", f"{end}specific-offsets": offsets(few)},
        [row for row in feed.rows if row[1] < few[row[0]]],
    )


def check_restart(spark: SparkSession, feed: Feed, name: str, query: str) -> None:
    """A new checkpoint begins at the border; records that were deleted before they reached the table are reported."""
    table = f"{TABLES[name.removeprefix('rows_')]}.history"
    eventually(spark, f"SELECT count(*) FROM {table}", [(len(feed.rows),)])
    spark.sql(f"TERMINATE {query}")
    feed.send()
    hidden = ", _tombstone, _headers" if name == "rows_iceberg" else ""
    insert = f"""INSERT INTO {table} WITH (QUERY_ID = 'more_{name}', TRIGGER = '300 MILLISECONDS') BY NAME
                 SELECT *, ROWPARTITION AS p, ROWOFFSET AS o, ROWTIME{hidden} FROM {name} EMIT CHANGES"""
    more = started(spark, insert)
    eventually(spark, f"SELECT count(*) FROM {table}", [(len(feed.rows),)])
    everything(spark, name, feed)
    spark.sql(f"TERMINATE {more}")
    feed.send()
    feed.delete_before({p: sum(r[0] == p for r in feed.rows) for p in range(PARTITIONS)})
    assert refused(lambda: spark.sql(f"SELECT * FROM {name}")) == "KAFKALYST_HISTORY_GAP"
    assert spark.sql(f"SELECT * FROM {name} WITH ('scan.startup.mode' = 'earliest-offset')").collect() == []


def check_unusable(spark: SparkSession, feed: Feed) -> None:
    """Tables without offsets; a property that is set and removed later."""
    spark.sql(f"CREATE STREAM later (k INT KEY, v INT) WITH (KAFKA_TOPIC = '{feed.topic}', VALUE_FORMAT = 'JSON')")
    spark.sql("CREATE TABLE lake.db.by_hand USING iceberg AS SELECT 1 AS v")
    spark.sql("CREATE TABLE parquet_history (v INT) USING parquet")
    of_cluster = f"kafka.`{feed.topic}`"
    spark.sql(f"CREATE STREAM {of_cluster} (k INT KEY, v INT) WITH (VALUE_FORMAT = 'JSON')")
    for name in ("later", of_cluster):
        for table in ("lake.db.by_hand", "spark_catalog.default.parquet_history", "later"):
            spark.sql(f"ALTER TABLE {name} SET TBLPROPERTIES ('history' = '{table}')")
            assert refused(lambda n=name: spark.sql(f"SELECT * FROM {n}")) == "KAFKALYST_HISTORY_TABLE", table
        spark.sql(f"ALTER TABLE {name} UNSET TBLPROPERTIES ('history')")
        assert spark.sql(f"SELECT * FROM {name}").collect() == []
    check_names(spark, of_cluster)
    spark.sql(f"DROP TABLE {of_cluster}")


def check_names(spark: SparkSession, of_cluster: str) -> None:
    """A short name means the same table for all readers; in an earlier version's definition, one beside the object."""
    spark.sql("CREATE DATABASE elsewhere")

    def looked_up(name: str) -> str:
        spark.sql("USE elsewhere")
        with pytest.raises(PySparkException) as no:
            spark.sql(f"SELECT * FROM {name}")
        spark.sql("USE default")
        assert no.value.getCondition() == "KAFKALYST_HISTORY_TABLE"
        return f"{no.value.getMessageParameters()['table']}: {no.value.getMessageParameters()['reason']}"

    jvm = spark._jvm
    store = jvm.io.kafkalyst.catalog.ObjectStore(spark._jsparkSession)
    utils = jvm.org.apache.spark.api.python.PythonUtils
    for name, early in (
        ("default.later", "spark_catalog.default.none: there is"),
        (of_cluster, "none: its name lacks"),
    ):
        spark.sql(f"ALTER TABLE {name} SET TBLPROPERTIES ('history' = 'none')")
        assert looked_up(name).startswith("spark_catalog.default.none: there is"), name
        found = store.name(utils.toSeq(name.replace("`", "").split(".", 1))).get()
        store.setProperties(found, utils.toScalaMap({"history": "none"}))
        assert looked_up(name).startswith(early), name
        spark.sql(f"ALTER TABLE {name} UNSET TBLPROPERTIES ('history')")


def check_columns(spark: SparkSession, topic: str) -> None:
    """A column that the stream gains by itself is NULL in the history; one by ADD COLUMN comes after a RESUME."""
    history = "TBLPROPERTIES ('kafkalyst.trigger' = '{}', 'kafkalyst.schema_evolution' = 'add')"
    avro = f"KAFKA_TOPIC = '{topic}-grown', VALUE_FORMAT = 'AVRO'"
    spark.sql(f"CREATE STREAM grower (k INT KEY, v INT) WITH ({avro}, PARTITIONS = 1)")
    spark.sql(f"CREATE STREAM grown (k INT KEY) WITH ({avro}, 'schema.evolution' = 'add', HISTORY = 'lake.db.grown')")
    spark.sql("INSERT INTO grower VALUES (1, 1)")
    query = started(
        spark,
        f"""CREATE TABLE lake.db.grown USING iceberg {history.format("available-now")}
            AS SELECT *, ROWPARTITION AS p, ROWOFFSET AS o FROM grown EMIT CHANGES""",
    )
    eventually(spark, "SELECT v FROM lake.db.grown", [(1,)])
    spark.sql(f"TERMINATE {query}")
    spark.sql("ALTER STREAM grower ADD COLUMN w INT")
    eventually(spark, "SELECT k, v, w FROM grown", [(1, 1, None)])
    spark.sql("INSERT INTO grower VALUES (2, 2, 2)")
    eventually(spark, "SELECT k, v, w FROM grown ORDER BY k", [(1, 1, None), (2, 2, 2)])
    spark.sql(
        f"""CREATE STREAM widened (k INT KEY, v INT) WITH
            (KAFKA_TOPIC = '{topic}-widened', VALUE_FORMAT = 'JSON', PARTITIONS = 1, HISTORY = 'lake.db.widened')"""
    )
    query = started(
        spark,
        f"""CREATE TABLE lake.db.widened USING iceberg {history.format("200 MILLISECONDS")}
            AS SELECT *, ROWPARTITION AS p, ROWOFFSET AS o FROM widened EMIT CHANGES""",
    )
    spark.sql("INSERT INTO widened VALUES (1, 1)")
    eventually(spark, "SELECT count(*) FROM lake.db.widened", [(1,)])
    spark.sql("ALTER STREAM widened ADD COLUMN w INT")
    assert refused(lambda: spark.sql("SELECT w FROM widened").collect()) == "KAFKALYST_HISTORY_COLUMN"
    spark.sql(f"PAUSE {query}")
    spark.sql(f"RESUME {query}")
    spark.sql("INSERT INTO widened VALUES (2, 2, 2)")
    eventually(spark, "SELECT count(*) FROM lake.db.widened", [(2,)])
    eventually(spark, "SELECT k, w FROM widened ORDER BY k", [(1, None), (2, 2)])
    spark.sql(f"TERMINATE {query}")


def main() -> None:
    """Runs the checks with the argument's settings."""
    job = json.loads(sys.argv[1])
    spark = session(job["kafka"], job["registry"], job["folder"])
    spark.sql("CREATE NAMESPACE lake.db")
    for kind in TABLES:
        feed = Feed(job["kafka"], f"{job['topic']}-{kind}")
        check(spark, feed, job["folder"], kind)
    check_unusable(spark, feed)
    check_columns(spark, job["topic"])
    print("history: fine", flush=True)


if __name__ == "__main__":
    main()
