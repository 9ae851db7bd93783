"""Topics landed in tables of Delta and Iceberg: events, new columns, bad records, groups, joins, lost sinks.

Run by support/upserts.py, in its session.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from kafkalyst import serdes
from support.kills import producer
from support.lake import TABLES, eventually, failed, refused, shown, shows, started

FIRST = {1: "a", 2: "b", 3: "c"}
LAST = [(1, "a2"), (4, "b")]


def check(spark: SparkSession, folder: str, kafka: str, topic: str) -> None:
    """All of it."""
    check_events(spark, kafka, f"{topic}-events")
    check_grown(spark, f"{topic}-grown")
    check_bad(spark, kafka, f"{topic}-bad-rows")
    check_groups(spark, topic)
    check_gone(spark, folder, topic)
    check_frames(spark, folder, topic)
    check_checkpoint(spark, folder, topic)


def sent(kafka: str, topic: str, records: list[tuple[int | None, str | None]]) -> None:
    """Records of these keys and values, in one batch for a topic with one partition."""
    feed = producer(kafka, **{"linger.ms": 60_000})
    for key, value in records:
        feed.produce(topic, key=None if key is None else key.to_bytes(4, "big"), value=value and value.encode())
    feed.flush()


def row(key: int, name: str) -> dict[str, Any]:
    """A row of an event."""
    return {"id": key, "name": name}


def debezium(op: str, before: dict[str, Any] | None, after: dict[str, Any] | None) -> dict[str, Any]:
    """An event of Debezium."""
    return {"before": before, "after": after, "source": {"db": "d", "table": "t"}, "op": op, "ts_ms": 1}


def canal(kind: str, data: list[dict[str, Any]], old: list[dict[str, Any]] | None = None) -> dict[str, Any]:
    """An event of Canal, which may be of several rows."""
    return {"data": data, "old": old, "database": "d", "table": "t", "type": kind, "ts": 1}


def maxwell(kind: str, data: dict[str, Any], old: dict[str, Any] | None = None) -> dict[str, Any]:
    """An event of Maxwell."""
    return {"database": "d", "table": "t", "type": kind, "ts": 1, "data": data} | ({"old": old} if old else {})


def goldengate(op: str, **images: dict[str, Any]) -> dict[str, Any]:
    """An event of GoldenGate."""
    return {"table": "T", "op_type": op, "op_ts": "2020-05-13 13:39:35.766", **images}


# Rows are inserted; then one is changed, one gets another key, and one is deleted, of Canal within one event.
EVENTS: dict[str, tuple[list[dict[str, Any]], list[dict[str, Any]]]] = {
    "DEBEZIUM_JSON": (
        [debezium("c", None, row(k, n)) for k, n in FIRST.items()],
        [
            debezium("u", row(1, "a"), row(1, "a1")),
            debezium("u", row(1, "a1"), row(1, "a2")),
            debezium("u", row(2, "b"), row(4, "b")),
            debezium("d", row(3, "c"), None),
            debezium("c", None, row(5, "e")),
            debezium("d", row(5, "e"), None),
        ],
    ),
    "CANAL_JSON": (
        [canal("INSERT", [row(k, n) for k, n in FIRST.items()])],
        [
            canal("UPDATE", [row(1, "a1"), row(1, "a2")], [{"name": "a"}, {"name": "a1"}]),
            canal("UPDATE", [row(3, "b"), row(4, "b")], [{"id": 2}, {"id": 3}]),
        ],
    ),
    "MAXWELL_JSON": (
        [maxwell("insert", row(k, n)) for k, n in FIRST.items()],
        [
            maxwell("update", row(1, "a2"), {"name": "a"}),
            maxwell("update", row(4, "b"), {"id": 2}),
            maxwell("delete", row(3, "c")),
        ],
    ),
    "OGG_JSON": (
        [goldengate("I", after=row(k, n)) for k, n in FIRST.items()],
        [
            goldengate("U", before=row(1, "a"), after=row(1, "a2")),
            goldengate("U", before=row(2, "b"), after=row(4, "b")),
            goldengate("D", before=row(3, "c")),
        ],
    ),
}


def check_events(spark: SparkSession, kafka: str, topic: str) -> None:
    """Events of each kind are merged as a bounded read has them; lag and counts tell how far."""
    sinks: dict[str, tuple[str, str]] = {}
    for form in EVENTS:
        serdes.create_topic(kafka, f"{topic}-{form}", 1)
        source = f"{form}_rows"
        spark.sql(f"""CREATE TABLE {source} (id INT PRIMARY KEY, name STRING)
                      WITH (KAFKA_TOPIC = '{topic}-{form}', VALUE_FORMAT = '{form}')""")
        sent(kafka, f"{topic}-{form}", [(None, json.dumps(event)) for event in EVENTS[form][0]])
        kinds = TABLES if form == "CANAL_JSON" else [list(TABLES)[len(sinks) % 2]]
        for kind in kinds:
            table = f"{TABLES[kind]}.{source}_{kind}"
            made = f"""CREATE TABLE {table} USING {kind} TBLPROPERTIES ('kafkalyst.trigger' = '200 MILLISECONDS')
                       AS SELECT id, name FROM {source} EMIT CHANGES"""
            sinks[started(spark, made)] = (form, table)
    for query, (_, table) in sinks.items():
        eventually(spark, f"SELECT id, name FROM {table} ORDER BY id", list(FIRST.items()), table)
        counted(spark, query, 3)
        spark.sql(f"PAUSE {query}")
    for form, (_, later) in EVENTS.items():
        sent(kafka, f"{topic}-{form}", [(None, json.dumps(event)) for event in later])
        found = [tuple(r) for r in spark.sql(f"SELECT id, name FROM {form}_rows ORDER BY id").collect()]
        assert found == LAST, (form, found)
    for query, (form, table) in sinks.items():
        assert shown(spark, query)["lag"] == len(EVENTS[form][1]), shown(spark, query)
        spark.sql(f"RESUME {query}")
        eventually(spark, f"SELECT id, name FROM {table} ORDER BY id", LAST, table)
        counted(spark, query, 3 + (5 if form == "DEBEZIUM_JSON" else 4))
    spark.sql("TERMINATE ALL")


def counted(spark: SparkSession, query: str, written: int) -> None:
    """A query has merged so many rows, the last ones of their keys in their batches, and has no more to do."""
    shows(spark, query, written=written, lag=0)


def check_grown(spark: SparkSession, topic: str) -> None:
    """A new field under a running query: the table gets it; or the query tells it, and goes on once it is there."""
    of = f"KAFKA_TOPIC = '{topic}', VALUE_FORMAT = 'AVRO'"
    spark.sql(f"CREATE STREAM grown_from (k INT KEY, a INT) WITH ({of}, PARTITIONS = 1)")
    spark.sql(f"CREATE STREAM grown_rows (k INT KEY) WITH ({of}, 'schema.evolution' = 'add')")
    spark.sql(f"CREATE TABLE grown_changes (k INT PRIMARY KEY) WITH ({of}, 'schema.evolution' = 'add')")
    sinks = {}
    for source, kind, evolution in (
        ("rows", "delta", "add"),
        ("rows", "iceberg", "fail"),
        ("changes", "iceberg", "add"),
        ("changes", "delta", "fail"),
    ):
        table = f"{TABLES[kind]}.grown_{source}_{kind}"
        spark.sql(f"CREATE TABLE {table} (k INT, a INT) USING {kind}")
        option = "" if evolution == "fail" else ", SCHEMA_EVOLUTION = 'add'"
        sinks[table] = (
            evolution,
            started(
                spark,
                f"""INSERT INTO {table} WITH (TRIGGER = '200 MILLISECONDS'{option})
                BY NAME SELECT * FROM grown_{source} EMIT CHANGES""",
            ),
        )
    spark.sql("INSERT INTO grown_from VALUES (1, 1), (2, 2)")
    for table in sinks:
        eventually(spark, f"SELECT * FROM {table} ORDER BY k", [(1, 1), (2, 2)], table)
    spark.sql("ALTER STREAM grown_from ADD COLUMN v STRING")
    spark.sql("INSERT INTO grown_from VALUES (3, 3, 'c')")
    for table, (evolution, query) in sinks.items():
        if evolution == "fail":
            failed(spark, query, "KAFKALYST_LAKE_COLUMNS")
            assert spark.table(table).columns == ["k", "a"]
            assert refused(lambda q=query: spark.sql(f"RESUME {q}")) == "KAFKALYST_LAKE_COLUMNS"
            spark.sql(f"ALTER TABLE {table} ADD COLUMN v STRING")
            spark.sql(f"RESUME {query}")
        eventually(spark, f"SELECT * FROM {table} ORDER BY k", [(1, 1, None), (2, 2, None), (3, 3, "c")], table)
    spark.sql("TERMINATE ALL")


def check_bad(spark: SparkSession, kafka: str, topic: str) -> None:
    """A bad record follows ON_ERROR into a table: left out, without values, kept in a topic of its own, or the end."""
    serdes.create_topic(kafka, topic, 1)
    good = [(1, 1), (3, 3)]
    expected = {"skip": good, "null": [(1, 1), (2, None), (3, 3)], "dead-letter": good, "fail": []}
    sinks = {}
    for mode in expected:
        name, kind = f"bad_{mode.replace('-', '_')}", list(TABLES)[len(sinks) % 2]
        dead = f", DEAD_LETTER_TOPIC = '{topic}-dead'" if mode == "dead-letter" else ""
        spark.sql(f"""CREATE STREAM {name} (k INT KEY, v INT) WITH (KAFKA_TOPIC = '{topic}', VALUE_FORMAT = 'JSON',
                      ON_ERROR = '{mode}'{dead})""")
        table = f"{TABLES[kind]}.of_{name}"
        made = f"""CREATE TABLE {table} USING {kind} TBLPROPERTIES ('kafkalyst.trigger' = '200 MILLISECONDS')
                   AS SELECT k, v FROM {name} EMIT CHANGES"""
        sinks[mode] = table, started(spark, made)
    sent(kafka, topic, [(1, '{"v": 1}'), (2, "{"), (3, '{"v": 3}')])
    for mode, (table, query) in sinks.items():
        if mode == "fail":
            failed(spark, query, "KAFKALYST_RECORD_NOT_DECODABLE")
            assert spark.table(table).count() == 0
            spark.sql("ALTER STREAM bad_fail SET ('on_error' = 'skip')")
            spark.sql(f"RESUME {query}")
        eventually(spark, f"SELECT k, v FROM {table} ORDER BY k", expected[mode] or good, table)
        left = int(mode == "dead-letter")
        shows(spark, query, bad=1, dead_lettered=left, written=len(expected[mode] or good))
    letters = spark.read.format("kafka").option("kafka.bootstrap.servers", kafka).option("subscribe", f"{topic}-dead")
    assert [bytes(r["value"]) for r in letters.load().collect()] == [b"{"]
    spark.sql("TERMINATE ALL")


def check_groups(spark: SparkSession, topic: str) -> None:
    """Groups and joins of tables are merged by their keys; one that has no rows any more leaves the table."""
    for name, column in (("people", "name"), ("cities", "city")):
        spark.sql(f"""CREATE TABLE {name} (id INT PRIMARY KEY, {column} STRING)
                      WITH (KAFKA_TOPIC = '{topic}-{name}', VALUE_FORMAT = 'JSON', PARTITIONS = 1)""")
    spark.sql("INSERT INTO people VALUES (1, 'a'), (2, 'a'), (3, 'b')")
    spark.sql("INSERT INTO cities VALUES (1, 'x'), (2, 'y')")
    grouped = "SELECT name, count(*) AS n, max(id) AS latest FROM people GROUP BY name"
    joined = "SELECT p.id AS id, p.name, c.city FROM people p JOIN cities c ON p.id = c.id"
    sinks = {}
    for kind, name, query in (("delta", "grouped", grouped), ("iceberg", "joined", joined)):
        sinks[f"{TABLES[kind]}.{name}"] = query
        spark.sql(f"""CREATE TABLE {TABLES[kind]}.{name} USING {kind}
                      TBLPROPERTIES ('kafkalyst.trigger' = '200 MILLISECONDS') AS {query} EMIT CHANGES""")

    def check(expected: dict[str, list[tuple[Any, ...]]]) -> None:
        for table, query in sinks.items():
            rows = expected[query]
            assert sorted(tuple(r) for r in spark.sql(query).collect()) == rows, query
            columns = ", ".join(spark.sql(query).columns)
            eventually(spark, f"SELECT {columns} FROM {table} ORDER BY ALL", rows, table)

    check({grouped: [("a", 2, 2), ("b", 1, 3)], joined: [(1, "a", "x"), (2, "a", "y")]})
    spark.sql("DELETE FROM people WHERE id IN (2, 3)")
    spark.sql("INSERT INTO cities VALUES (1, 'z')")
    check({grouped: [("a", 1, 1)], joined: [(1, "a", "z")]})
    spark.sql("TERMINATE ALL")


def check_gone(spark: SparkSession, folder: str, topic: str) -> None:
    """The sink goes away under a query: it says so by name, and goes on where it was when the sink is there again."""
    for kind, declared in (("STREAM", "gone_rows (k INT KEY"), ("TABLE", "gone_changes (k INT PRIMARY KEY")):
        spark.sql(f"""CREATE {kind} {declared}, v STRING)
                      WITH (KAFKA_TOPIC = '{topic}-gone', VALUE_FORMAT = 'JSON', PARTITIONS = 1)""")
    sinks = {}
    for source in ("gone_rows", "gone_changes"):
        for kind, db in TABLES.items():
            table = f"{db}.of_{source}_{kind}"
            spark.sql(f"CREATE TABLE {table} (k INT, v STRING) USING {kind}")
            insert = f"INSERT INTO {table} WITH (TRIGGER = '200 MILLISECONDS') SELECT k, v FROM {source} EMIT CHANGES"
            sinks[table] = kind, started(spark, insert)
    spark.sql("INSERT INTO gone_rows VALUES (1, 'a')")
    for table, (_, query) in sinks.items():
        eventually(spark, f"SELECT k, v FROM {table}", [(1, "a")], table)
        # A batch that loses its table before its end comes again, into the next one.
        shows(spark, query, written=1, lag=0)
        spark.sql(f"DROP TABLE {table}")
    spark.sql("INSERT INTO gone_rows VALUES (2, 'b')")
    for table, (kind, query) in sinks.items():
        failed(spark, query, "KAFKALYST_LAKE_SINK")
        assert refused(lambda q=query: spark.sql(f"RESUME {q}")) == "KAFKALYST_LAKE_SINK"
        # Delta leaves files of the batch that it could not commit, and makes no table among them.
        shutil.rmtree(Path(folder) / "warehouse" / table.rpartition(".")[2], ignore_errors=True)
        spark.sql(f"CREATE TABLE {table} (k INT, v STRING) USING {kind}")
    spark.sql("RESUME ALL")
    for table in sinks:
        eventually(spark, f"SELECT k, v FROM {table}", [(2, "b")], table)
    spark.sql("TERMINATE ALL")


def check_frames(spark: SparkSession, folder: str, topic: str) -> None:
    """A streaming DataFrame of a topic into a table, by toTable: a batch that comes again changes nothing."""
    spark.sql(f"""CREATE STREAM frames (k INT KEY, v STRING)
                  WITH (KAFKA_TOPIC = '{topic}-frames', VALUE_FORMAT = 'JSON', PARTITIONS = 1)""")
    for kind, db in TABLES.items():
        table, kept = f"{db}.frames_{kind}", Path(folder) / f"frames-{kind}"
        spark.sql(f"CREATE TABLE {table} (k INT, v STRING) USING {kind}")
        done = kept / "commits" / "0"

        def run(table: str = table, kept: Path = kept, kind: str = kind) -> None:
            stream = spark.readStream.table("frames").writeStream.format(kind).option("checkpointLocation", str(kept))
            stream.trigger(availableNow=True).toTable(table).awaitTermination()

        before = 0 if kind == "iceberg" else 2
        spark.sql(f"INSERT INTO frames VALUES ({before + 1}, '{kind}')")
        run()
        for name in ("0", ".0.crc"):
            (done.parent / name).unlink()
        spark.sql(f"INSERT INTO frames VALUES ({before + 2}, '{kind}')")
        run()
        assert done.exists()
        eventually(spark, f"SELECT k FROM {table} ORDER BY k", [(k,) for k in range(1, before + 3)], table)


def check_checkpoint(spark: SparkSession, folder: str, topic: str) -> None:
    """CHECKPOINT says the folder of the offsets, with which the query goes on."""
    place = Path(folder) / "elsewhere"
    spark.sql("CREATE TABLE placed (k INT, v STRING) USING delta")
    insert = f"INSERT INTO placed WITH (QUERY_ID = 'placed', CHECKPOINT = '{place}', TRIGGER = 'available-now')"
    spark.sql(f"{insert} SELECT k, v FROM frames EMIT CHANGES")
    assert [file.name for file in (place / "offsets").glob("[0-9]*")] == ["0"]
    assert not (Path(folder) / "checkpoints" / "PLACED" / "offsets").exists()
    assert str(place) in str(shown(spark, "PLACED"))
    spark.sql("CREATE TABLE placed_too (k INT, v STRING) USING delta")
    other = insert.replace("INTO placed", "INTO placed_too").replace("'placed'", "'placed_too'")
    assert refused(lambda: spark.sql(f"{other} SELECT k, v FROM frames EMIT CHANGES")) == "KAFKALYST_CHECKPOINT_IN_USE"
    spark.sql("INSERT INTO frames VALUES (9, 'z')")
    spark.sql("RESUME PLACED")
    eventually(spark, "SELECT k FROM placed ORDER BY k", [(k,) for k in (1, 2, 3, 4, 9)])
    assert sorted(file.name for file in (place / "offsets").glob("[0-9]*")) == ["0", "1"]
    spark.sql("TERMINATE PLACED")
