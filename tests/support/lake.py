"""A program: a session with Delta and Iceberg, and continuous queries into their tables.

Arguments: what to do (`check`, or `drive` until told to end), and a JSON object of kafka, registry, folder, topic.
"""

from __future__ import annotations

import contextlib
import io
import json
import select
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from confluent_kafka import TopicPartition
from confluent_kafka.admin import AdminClient
from pyspark.errors import PySparkException
from pyspark.sql import Row, SparkSession

import kafkalyst
from support import records
from support.jvm import UNFORKED
from support.patience import PATIENCE_SECONDS

NEIGHBOURS = Path("build/neighbours")
TABLES = {"iceberg": "lake.db", "delta": "default"}


def session(kafka: str, registry: str, folder: str, **more: str) -> SparkSession:
    """Delta owns spark_catalog; Iceberg's tables are in the catalog `lake`."""
    conf = {
        "spark.master": "local[2]",
        "spark.ui.enabled": "false",
        **UNFORKED,
        "spark.ui.showConsoleProgress": "false",
        "spark.jars": ",".join(str(jar) for jar in NEIGHBOURS.glob("*/*.jar")),
        "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension,"
        "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions",
        "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
        "spark.sql.catalog.lake": "org.apache.iceberg.spark.SparkCatalog",
        "spark.sql.catalog.lake.type": "hadoop",
        "spark.sql.catalog.lake.warehouse": f"{folder}/lake",
        "spark.databricks.delta.snapshotPartitions": "1",
        "spark.sql.shuffle.partitions": "1",
        # Delta's VACUUM lists its files in so many tasks.
        "spark.sql.sources.parallelPartitionDiscovery.parallelism": "2",
        "spark.sql.warehouse.dir": f"{folder}/warehouse",
        "spark.kafkalyst.query.checkpoint.root": f"{folder}/checkpoints",
        "spark.kafkalyst.query.restart.attempts": "0",
        # A driver may die while it writes the offsets of its first batch.
        "spark.sql.streaming.verifyCheckpointDirectoryEmptyOnStart": "false",
    }
    return kafkalyst.session(kafka, registry, **conf, **more)


def eventually(spark: SparkSession, query: str, expected: list[tuple[Any, ...]], refreshed: str = "") -> None:
    """Waits until the query's rows are these, in their order.

    Args:
        refreshed: a table to look up again each time: Iceberg's catalog caches a table that is read all the time.
    """

    def check() -> bool:
        found = [tuple(row) for row in spark.sql(query).collect()]
        if found != expected and refreshed:
            spark.catalog.refreshTable(refreshed)
        assert found == expected, f"{query}: {found} instead of {expected}; {spark.sql('SHOW QUERIES').collect()}"
        return True

    records.eventually(check, but=AssertionError)


def failed(spark: SparkSession, query: str, condition: str) -> None:
    """Waits until the query is FAILED with this condition."""
    end = time.monotonic() + PATIENCE_SECONDS
    while (row := spark.sql("SHOW QUERIES").where(f"query_id = '{query}'").first())["state"] != "FAILED":
        assert time.monotonic() < end, row
        time.sleep(0.2)
    assert condition in row["error"], row


def shown(spark: SparkSession, query: str) -> Row:
    """The query as SHOW QUERIES EXTENDED has it."""
    return spark.sql("SHOW QUERIES EXTENDED").where(f"query_id = '{query}'").first()


def shows(spark: SparkSession, query: str, **expected: int) -> None:
    """SHOW QUERIES EXTENDED has these values, after a while."""
    end = time.monotonic() + PATIENCE_SECONDS
    while {name: (found := shown(spark, query))[name] for name in expected} != expected:
        assert time.monotonic() < end, (expected, found)
        time.sleep(0.2)


def forget(kafka: str, topic: str, offsets: dict[int, int]) -> None:
    """Deletes all records before these offsets, as retention does."""
    ends = [TopicPartition(topic, partition, offset) for partition, offset in offsets.items()]
    admin = AdminClient({"bootstrap.servers": kafka})  # keeps a reference until the answers have arrived
    for done in admin.delete_records(ends).values():
        done.result(60)


def refused(run: Callable[[], object]) -> str:
    """The condition that a call fails with."""
    try:
        run()
    except PySparkException as error:
        return str(error.getCondition())
    raise AssertionError("it was not refused")


def started(spark: SparkSession, statement: str) -> str:
    """The id of the query that a statement starts."""
    return str(spark.sql(statement).first()["query_id"])


def uncommitted(folder: str, query: str) -> None:
    """Removes the paused query's last commit, as after a crash between the table's commit and Spark's."""
    logs = Path(folder) / "checkpoints" / query
    newest = max(int(f.name) for f in (logs / "offsets").iterdir() if f.name.isdigit())
    for name in (f"{newest}", f".{newest}.crc"):
        (logs / "commits" / name).unlink(missing_ok=True)


def again(spark: SparkSession, folder: str, query: str, *between: str) -> None:
    """The last batch comes again, after these statements."""
    spark.sql(f"PAUSE {query}")
    uncommitted(folder, query)
    for statement in between:
        spark.sql(statement).collect()
    spark.sql(f"RESUME {query}")


def check_append(spark: SparkSession) -> None:
    """Appends a stream's rows; columns by place, by name and by list; a mismatch is refused first."""
    spark.sql(
        """CREATE TABLE lake.db.landed USING iceberg PARTITIONED BY (bucket(2, k))
           TBLPROPERTIES ('kafkalyst.trigger' = 'available-now')
           AS SELECT k, v, ROWOFFSET AS o, upper(v) AS "Up" FROM rows EMIT CHANGES"""
    )
    eventually(spark, "SELECT * FROM lake.db.landed ORDER BY k", [(1, "a", 0, "A"), (2, "b", 1, "B")])
    assert "bucket(2, k)" in spark.sql("SHOW CREATE TABLE lake.db.landed").first()[0]
    spark.sql("CREATE TABLE narrow (k BIGINT, v STRING, more INT) USING delta")
    for columns, given in (("(v, k)", "v, k"), ("BY NAME", "v, k"), ("", "k, v, CAST(NULL AS INT)")):
        spark.sql(
            f"INSERT INTO narrow WITH (TRIGGER = 'available-now') {columns} SELECT {given} FROM rows EMIT CHANGES"
        )
    eventually(
        spark, "SELECT k, v, more, count(*) FROM narrow GROUP BY ALL ORDER BY k", [(1, "a", None, 3), (2, "b", None, 3)]
    )
    spark.sql(
        "CREATE TABLE files USING parquet TBLPROPERTIES ('TRIGGER' = 'available-now') "
        "AS SELECT k, v FROM rows EMIT CHANGES"
    )
    eventually(spark, "SELECT k, v FROM files ORDER BY k", [(1, "a"), (2, "b")])
    for wrong in ("v, v, 1", "k, v", "k, v, 1, 2"):
        statement = f"INSERT INTO narrow SELECT {wrong} FROM rows EMIT CHANGES"
        assert refused(lambda s=statement: spark.sql(s)) == "KAFKALYST_LAKE_COLUMNS"
    assert {q["state"] for q in spark.sql("SHOW QUERIES").collect()} == {"FINISHED"}
    spark.sql("TERMINATE ALL")


def check_evolution(spark: SparkSession) -> None:
    """A column that the table lacks: an error that names it, or the table gets it."""
    insert = "INSERT INTO narrow WITH (TRIGGER = 'available-now'{}) BY NAME SELECT k, v AS fresh FROM rows EMIT CHANGES"
    assert refused(lambda: spark.sql(insert.format(""))) == "KAFKALYST_LAKE_COLUMNS"
    spark.sql(insert.format(", SCHEMA_EVOLUTION = 'add'"))
    eventually(spark, "SELECT k, fresh FROM narrow WHERE fresh IS NOT NULL ORDER BY k", [(1, "a"), (2, "b")])
    eventually(spark, "SELECT count(*) FROM narrow WHERE fresh IS NULL", [(6,)])
    spark.sql("TERMINATE ALL")
    # From the registry to the table while the query runs.
    avro = "KAFKA_TOPIC = 'growing', VALUE_FORMAT = 'AVRO'"
    spark.sql(f"CREATE STREAM producer (k INT) WITH ({avro}, PARTITIONS = 1)")
    spark.sql(f"CREATE STREAM growing WITH ({avro}, 'schema.evolution' = 'add')")
    spark.sql("CREATE TABLE lake.db.growing (k INT) USING iceberg")
    spark.sql(
        """INSERT INTO lake.db.growing WITH (TRIGGER = '200 MILLISECONDS', SCHEMA_EVOLUTION = 'add')
           BY NAME SELECT * FROM growing EMIT CHANGES"""
    )
    spark.sql("INSERT INTO producer VALUES (1), (2)")
    eventually(spark, "SELECT * FROM lake.db.growing ORDER BY k", [(1,), (2,)])
    spark.sql("ALTER STREAM producer ADD COLUMN v STRING")
    spark.sql("INSERT INTO producer VALUES (3, 'c')")
    eventually(spark, "SELECT * FROM lake.db.growing ORDER BY k", [(1, None), (2, None), (3, "c")])
    spark.sql("TERMINATE ALL")


def check_upsert(spark: SparkSession, folder: str, kind: str) -> None:
    """Merges changes by key, once, with other writers; a repeated batch changes nothing."""
    table = f"{TABLES[kind]}.latest"
    statement = f"""CREATE TABLE {table} USING {kind} TBLPROPERTIES ('kafkalyst.trigger' = '500 MILLISECONDS')
                    AS SELECT k, v FROM changes EMIT CHANGES"""
    query = started(spark, statement)
    eventually(spark, f"SELECT * FROM {table} ORDER BY k", [(1, "a2"), (3, "c")])
    again(spark, folder, query, f"UPDATE {table} SET v = 'by hand' WHERE k = 3")
    spark.sql(f"INSERT INTO changes VALUES (4, '{kind}')")
    eventually(spark, f"SELECT * FROM {table} ORDER BY k", [(1, "a2"), (3, "by hand"), (4, kind)])
    # The tables' own maintenance takes away what it may: files, and of Iceberg's the snapshot that names the batch.
    maintenance = {
        "delta": (
            "SET spark.databricks.delta.retentionDurationCheck.enabled = false",
            f"OPTIMIZE {table}",
            f"VACUUM {table} RETAIN 0 HOURS",
        ),
        "iceberg": (
            """CALL lake.system.rewrite_data_files(table => 'db.latest',
                                                           options => map('rewrite-all', 'true'))""",
            """CALL lake.system.expire_snapshots(table => 'db.latest', retain_last => 1,
                                                         older_than => TIMESTAMP '2100-01-01')""",
            f"REFRESH TABLE {table}",
            f"""SELECT assert_true(count(*) = 1 AND count(summary['kafkalyst.batch-id']) = 0)
                        FROM {table}.snapshots""",
        ),
    }
    again(spark, folder, query, f"UPDATE {table} SET v = 'more' WHERE k = 4", *maintenance[kind])
    # A later batch, so the one that came again has been merged, or left, by now.
    spark.sql("INSERT INTO changes VALUES (5, 'later')")
    rows = [(1, "a2"), (3, "by hand"), (4, "more"), (5, "later")]
    eventually(spark, f"SELECT * FROM {table} ORDER BY k", rows)
    spark.sql("DELETE FROM changes WHERE k = 5")
    spark.sql("DELETE FROM changes WHERE k = 4")
    eventually(spark, f"SELECT * FROM {table} ORDER BY k", [(1, "a2"), (3, "by hand")])
    spark.sql(f"TERMINATE {query}")
    # A delete has no values, not even for required columns.
    required = f"{TABLES[kind]}.required"
    spark.sql(f"CREATE TABLE {required} (k BIGINT NOT NULL, v STRING NOT NULL) USING {kind}")
    query = started(spark, f"INSERT INTO {required} SELECT k, v FROM changes EMIT CHANGES")
    spark.sql("INSERT INTO changes VALUES (9, 'z')")
    eventually(spark, f"SELECT count(*) FROM {required} WHERE k = 9", [(1,)])
    spark.sql("DELETE FROM changes WHERE k = 9")
    eventually(spark, f"SELECT count(*) FROM {required} WHERE k IN (4, 9)", [(0,)])
    spark.sql(f"TERMINATE {query}")


def check_conflicts(spark: SparkSession, folder: str, kind: str) -> None:
    """Another writer commits all the time: each batch is merged once, on top of what the other one wrote.

    It goes on until a batch has met it, which the log tells.
    """
    table = f"{TABLES[kind]}.contested"
    made = spark.sql(
        f"""CREATE TABLE {table} USING {kind} TBLPROPERTIES ('kafkalyst.trigger' = '100 MILLISECONDS')
            AS SELECT k, v FROM disputes EMIT CHANGES"""
    ).first()
    spark.sql(f"INSERT INTO {table} VALUES (1000, 'other'), (1001, 'other0')")
    end, others = time.monotonic() + PATIENCE_SECONDS, 0

    def write() -> None:
        nonlocal others
        while f" of {made['name']} met another writer" not in (Path(folder) / "log").read_text(errors="replace"):
            # Its own conflicts are its own to repeat.
            with contextlib.suppress(PySparkException):
                spark.sql(f"UPDATE {table} SET v = 'other{others + 1}' WHERE k = 1001")
                others += 1
            assert time.monotonic() < end, (kind, others)

    writer = threading.Thread(target=write)
    writer.start()
    changes = 0
    while writer.is_alive() or changes < 12:
        changes += 1
        spark.sql(f"INSERT INTO disputes VALUES ({changes % 5}, 'v{changes}')")
    writer.join()
    assert time.monotonic() < end, (kind, others)
    last = {n % 5: f"v{n}" for n in range(1, changes + 1)} | {1000: "other", 1001: f"other{others}"}
    eventually(spark, f"SELECT k, v FROM {table} ORDER BY k", sorted(last.items()))
    assert spark.sql("SHOW QUERIES").where(f"query_id = '{made['query_id']}'").first()["state"] == "RUNNING"
    spark.sql(f"TERMINATE {made['query_id']}")


def check_overtaken(spark: SparkSession) -> None:
    """A run that has been suspended merges no batch behind those that another run has merged meanwhile."""
    table = "lake.db.overtaken"
    query = started(spark, f"CREATE TABLE {table} USING iceberg AS SELECT k, v FROM disputes EMIT CHANGES")
    spark.sql("INSERT INTO disputes VALUES (5001, 'before')")
    row = f"SELECT v FROM {table} WHERE k > 5000 ORDER BY k"
    eventually(spark, row, [("before",)], table)
    end = time.monotonic() + PATIENCE_SECONDS
    while not (marks := [r.key for r in spark.sql(f"SHOW TBLPROPERTIES {table}").collect() if ".committed." in r.key]):
        assert time.monotonic() < end
    read = shown(spark, query)["decoded"]
    # The mark of the other run.
    spark.sql(f"ALTER TABLE {table} SET TBLPROPERTIES ('{marks[0]}' = '1000000')")
    spark.sql("INSERT INTO disputes VALUES (5002, 'behind')")
    shows(spark, query, decoded=read + 1, lag=0)
    spark.catalog.refreshTable(table)
    eventually(spark, row, [("before",)])
    assert spark.sql(f"SHOW TBLPROPERTIES {table} ('{marks[0]}')").first()["value"] == "1000000"
    spark.sql(f"TERMINATE {query}")


def check_kinds(spark: SparkSession) -> None:
    """Appended changes have their kind; a table's changes are refused for files."""
    insert = """INSERT INTO kinds WITH (TRIGGER = 'available-now', MERGE = 'append') BY NAME
                SELECT k, v FROM changes EMIT CHANGES"""
    spark.sql("CREATE TABLE kinds (k INT, v STRING, ROWKIND STRING, ROWOFFSET BIGINT, ROWTIME BIGINT) USING parquet")
    spark.sql(insert)
    eventually(
        spark,
        "SELECT k, v, ROWKIND FROM kinds WHERE ROWTIME > 0 AND k < 4 ORDER BY ROWOFFSET",
        [(1, "a", "upsert"), (2, "b", "upsert"), (1, "a2", "upsert"), (2, None, "delete"), (3, "c", "upsert")],
    )
    assert refused(lambda: spark.sql(insert.replace("'append'", "'upsert'"))) == "KAFKALYST_LAKE_MERGE_TABLE"
    stream = "INSERT INTO narrow WITH (MERGE = 'upsert') SELECT k, v, 1, v FROM rows EMIT CHANGES"
    assert refused(lambda: spark.sql(stream)) == "KAFKALYST_LAKE_MERGE"
    spark.sql("TERMINATE ALL")


def check_groups(spark: SparkSession) -> None:
    """Groups and windows are merged by their grouping columns."""
    spark.sql("""CREATE TABLE lake.db.counts USING iceberg TBLPROPERTIES ('kafkalyst.trigger' = '500 MILLISECONDS')
                 AS SELECT k % 2 AS odd, count(*) AS n FROM rows WINDOW TUMBLING (SIZE 3650 DAYS)
                 GROUP BY k % 2 EMIT CHANGES""")
    spark.sql("INSERT INTO rows VALUES (3, 'c')")
    eventually(
        spark, "SELECT odd, n, WINDOWEND > WINDOWSTART FROM lake.db.counts ORDER BY odd", [(0, 1, True), (1, 2, True)]
    )
    spark.sql("TERMINATE ALL")


def check_altered(spark: SparkSession) -> None:
    """A query whose sink no longer accepts the rows fails, and continues when the sink is repaired."""
    spark.sql("CREATE TABLE strict (k INT, v STRING) USING delta")
    spark.sql("""INSERT INTO strict WITH (QUERY_ID = 'STRICT', TRIGGER = '200 MILLISECONDS')
                 SELECT k, v FROM rows WHERE k > 100 EMIT CHANGES""")
    spark.sql("INSERT INTO rows VALUES (101, 'a')")
    eventually(spark, "SELECT * FROM strict", [(101, "a")])
    spark.sql("ALTER TABLE strict ADD CONSTRAINT few CHECK (k < 102)")
    spark.sql("INSERT INTO rows VALUES (102, 'b')")
    failed(spark, "STRICT", "DELTA_VIOLATE_CONSTRAINT")
    spark.sql("ALTER TABLE strict DROP CONSTRAINT few")
    spark.sql("RESUME STRICT")
    eventually(spark, "SELECT * FROM strict ORDER BY k", [(101, "a"), (102, "b")])
    spark.sql("TERMINATE ALL")


def check_catalog(spark: SparkSession, folder: str, topic: str) -> None:
    """The cluster as a catalog: its topics are copied into Delta's and Iceberg's tables, and the reverse."""
    name = f"{topic}_made"
    spark.sql("CREATE TABLE lake.db.of_topic USING iceberg AS SELECT k, v FROM VALUES (1, 'a'), (2, 'b') AS t(k, v)")
    spark.sql("CREATE TABLE of_topic (k INT, v STRING) USING delta")
    spark.table("lake.db.of_topic").writeTo(f"kafka.{name}").using("kafkalyst").tableProperty(
        "key.fields", "k"
    ).create()
    spark.sql(f"INSERT INTO of_topic SELECT k, v FROM kafka.{name}")
    joined = f"""SELECT t.k, i.v, d.v FROM kafka.{name} t
                 JOIN lake.db.of_topic i ON i.k = t.k JOIN of_topic d ON d.k = t.k ORDER BY t.k"""
    eventually(spark, joined, [(1, "a", "a"), (2, "b", "b")])
    stream = spark.readStream.table("of_topic").writeStream.option("checkpointLocation", f"{folder}/to-table")
    stream.trigger(availableNow=True).toTable(f"kafka.{name}").awaitTermination()
    eventually(spark, f"SELECT count(*) FROM kafka.{name}", [(4,)])
    spark.sql(f"DROP TABLE kafka.{name} PURGE")


def check_source(spark: SparkSession, topic: str) -> None:
    """Delta's and Iceberg's tables as streams into a topic, and as the static side of a join."""
    spark.sql(f"""CREATE STREAM back (k INT KEY, v STRING)
                  WITH (KAFKA_TOPIC = '{topic}-back', VALUE_FORMAT = 'JSON', PARTITIONS = 1)""")
    for kind, db in TABLES.items():
        table = f"{db}.source"
        spark.sql(f"CREATE TABLE {table} (k INT, v STRING) USING {kind}")
        spark.sql(f"INSERT INTO {table} VALUES (1, '{kind}')")
        insert = f"INSERT INTO back SELECT k, upper(v) AS v FROM STREAM {table} WHERE k < 9 PARTITION BY k EMIT CHANGES"
        query = started(spark, insert)
        eventually(spark, f"SELECT k FROM back WHERE v = '{kind.upper()}' ORDER BY k", [(1,)])
        spark.sql(f"INSERT INTO {table} VALUES (2, '{kind}'), (9, '{kind}')")
        eventually(spark, f"SELECT k FROM back WHERE v = '{kind.upper()}' ORDER BY k", [(1,), (2,)])
        spark.sql(f"PAUSE {query}")
        spark.sql(f"INSERT INTO {table} VALUES (3, '{kind}')")
        spark.sql(f"RESUME {query}")
        eventually(spark, f"SELECT k FROM back WHERE v = '{kind.upper()}' ORDER BY k", [(1,), (2,), (3,)])
        spark.sql(f"TERMINATE {query}")
        spark.sql(f"""CREATE STREAM made_{kind} WITH (KAFKA_TOPIC = '{topic}-made-{kind}', VALUE_FORMAT = 'JSON')
                      AS SELECT k, upper(v) AS v FROM STREAM {table} PARTITION BY k EMIT CHANGES""")
        eventually(
            spark, f"SELECT k, v FROM made_{kind} WHERE k < 9 ORDER BY k", [(k, kind.upper()) for k in (1, 2, 3)]
        )
        spark.sql(f"""CREATE TABLE filled_{kind} (k INT PRIMARY KEY, v STRING)
                      WITH (KAFKA_TOPIC = '{topic}-filled-{kind}', VALUE_FORMAT = 'JSON', PARTITIONS = 1)""")
        spark.sql(f"INSERT INTO filled_{kind} SELECT k, v FROM {table}")
        spark.sql(f"INSERT INTO filled_{kind} VALUES (2, 'new')")
        eventually(spark, f"SELECT * FROM filled_{kind} WHERE k < 3 ORDER BY k", [(1, kind), (2, "new")])
        join = f"""CREATE STREAM joined_{kind} WITH (KAFKA_TOPIC = '{topic}-joined-{kind}', VALUE_FORMAT = 'JSON')
                   AS SELECT b.k, s.v FROM back b JOIN {table} s ON b.k = s.k WHERE b.v = '{kind.upper()}'"""
        joined = started(spark, join)
        eventually(spark, f"SELECT * FROM joined_{kind} ORDER BY k", [(k, kind) for k in (1, 2, 3)])
        # Each batch reads it anew, and as small as it is.
        spark.sql(f"INSERT INTO {table} VALUES (4, 'newer')")
        spark.sql(f"INSERT INTO back VALUES (4, '{kind.upper()}')")
        eventually(spark, f"SELECT * FROM joined_{kind} WHERE k > 3", [(4, "newer")])
        plan = io.StringIO()
        with contextlib.redirect_stdout(plan):
            next(query for query in spark.streams.active if query.name == joined).explain()
        assert "BroadcastHashJoin" in plan.getvalue(), plan.getvalue()
    assert refused(lambda: spark.sql("INSERT INTO back SELECT k, v FROM source EMIT CHANGES")) is not None
    spark.sql("TERMINATE ALL")


def check_border(spark: SparkSession, topic: str, kafka: str) -> None:
    """A session whose catalog has cached the history sees the border that another session has moved since."""
    spark.sql("CREATE TABLE lake.db.kept (k INT, v STRING, ROWPARTITION INT, ROWOFFSET BIGINT) USING iceberg")
    spark.sql(f"""CREATE STREAM kept (k INT KEY, v STRING) WITH (KAFKA_TOPIC = '{topic}-kept', VALUE_FORMAT = 'JSON',
                  PARTITIONS = 1, HISTORY = 'lake.db.kept')""")
    spark.sql("""INSERT INTO lake.db.kept WITH (TRIGGER = '100 MILLISECONDS')
                 SELECT k, v, ROWPARTITION, ROWOFFSET FROM kept EMIT CHANGES""")
    other = spark.newSession()
    for count in (1, 2):
        spark.sql(f"INSERT INTO kept VALUES ({count}, 'kept')")
        eventually(spark, "SELECT count(*) FROM lake.db.kept", [(count,)])
        forget(kafka, f"{topic}-kept", {0: count})
        assert other.sql("SELECT count(*) FROM kept").first()[0] == count
    spark.sql("TERMINATE ALL")


def check(spark: SparkSession, folder: str, topic: str, kafka: str) -> None:
    """All of it; prints `lake: fine`."""
    spark.sql("CREATE NAMESPACE lake.db")
    spark.sql(f"""CREATE STREAM rows (k INT KEY, v STRING)
                  WITH (KAFKA_TOPIC = '{topic}', VALUE_FORMAT = 'JSON', PARTITIONS = 1)""")
    spark.sql(f"""CREATE TABLE changes (k INT PRIMARY KEY, v STRING)
                  WITH (KAFKA_TOPIC = '{topic}-changes', VALUE_FORMAT = 'JSON', PARTITIONS = 1)""")
    spark.sql("INSERT INTO rows VALUES (1, 'a'), (2, 'b')")
    spark.sql("INSERT INTO changes VALUES (1, 'a'), (2, 'b'), (1, 'a2')")
    spark.sql("DELETE FROM changes WHERE k = 2")
    spark.sql("INSERT INTO changes VALUES (3, 'c')")
    check_catalog(spark, folder, topic)
    check_source(spark, topic)
    check_append(spark)
    check_evolution(spark)
    check_upsert(spark, folder, "delta")
    check_upsert(spark, folder, "iceberg")
    spark.sql(
        """CREATE TABLE disputes (k INT PRIMARY KEY, v STRING)
           WITH (KAFKA_TOPIC = 'disputes', VALUE_FORMAT = 'JSON', PARTITIONS = 1)"""
    )
    check_conflicts(spark, folder, "delta")
    check_conflicts(spark, folder, "iceberg")
    check_overtaken(spark)
    check_kinds(spark)
    check_groups(spark)
    check_altered(spark)
    check_border(spark, topic, kafka)
    print("lake: fine", flush=True)


def drive(spark: SparkSession, folder: str, topic: str, kafka: str) -> None:
    """Starts or resumes queries that append, merge and fill histories in both kinds of tables, until told to end.

    Then deletes the topic's records that the histories have.
    """
    # The session catalog forgets everything with its process.
    spark.sql("CREATE NAMESPACE IF NOT EXISTS lake.db")
    for kind, declared in (("STREAM", "rows (k INT KEY, v INT)"), ("TABLE", "changes (k INT PRIMARY KEY, v INT)")):
        spark.sql(f"CREATE {kind} {declared} WITH (KAFKA_TOPIC = '{topic}', VALUE_FORMAT = 'JSON')")
    for kind, db in TABLES.items():
        spark.sql(f"""CREATE STREAM kept_{kind} (k INT KEY, v INT)
                      WITH (KAFKA_TOPIC = '{topic}', VALUE_FORMAT = 'JSON', HISTORY = '{db}.handed')""")
    sources = {"appended": "rows", "merged": "changes", "handed": "kept_{}"}
    sinks = [(kind, name) for kind in TABLES for name in sources]
    for kind, name in sinks:
        place = f" LOCATION '{folder}/delta/{name}'" if kind == "delta" else ""
        more = ", p INT, o BIGINT" if name == "handed" else ""
        spark.sql(f"CREATE TABLE IF NOT EXISTS {TABLES[kind]}.{name} (k INT, v INT{more}) USING {kind}{place}")
    kept = {query["query_id"] for query in spark.sql("RESUME ALL").collect()}
    for kind, name in sinks:
        if (query := f"{kind}-{name}".upper()) not in kept:
            more = ", ROWPARTITION, ROWOFFSET" if name == "handed" else ""
            spark.sql(f"""INSERT INTO {TABLES[kind]}.{name} WITH (QUERY_ID = '{query}', TRIGGER = '100 MILLISECONDS')
                          SELECT k, v{more} FROM {sources[name].format(kind)} EMIT CHANGES""")
    print("running", flush=True)
    while not select.select([sys.stdin], [], [], 0.2)[0]:
        pass
    for query in spark.streams.active:
        query.processAllAvailable()
    forget(kafka, topic, dict(spark.sql("SELECT p, max(o) + 1 FROM lake.db.handed GROUP BY p").collect()))

    def rows(kind: str, name: str) -> list[tuple[int, int]]:
        table = f"kept_{kind}" if name == "handed" else f"{TABLES[kind]}.{name}"
        return sorted(tuple(row) for row in spark.sql(f"SELECT k, v FROM {table}").collect())

    found = {f"{kind} {name}": rows(kind, name) for kind, name in sinks}
    print(json.dumps(found), flush=True)


def main() -> None:
    """Runs `check` or `drive`, as the arguments say."""
    what, job = sys.argv[1], json.loads(sys.argv[2])
    spark = session(job["kafka"], job["registry"], job["folder"])
    if what == "check":
        check(spark, job["folder"], job["topic"], job["kafka"])
    else:
        drive(spark, job["folder"], job["topic"], job["kafka"])


if __name__ == "__main__":
    main()
