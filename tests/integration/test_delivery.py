"""Exactly-once and at-least-once: records that a read_committed consumer sees after repeats, aborts and other runs."""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from confluent_kafka import Consumer, ConsumerGroupTopicPartitions, Producer, TopicPartition
from confluent_kafka.admin import AdminClient
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import expr
from pyspark.sql.streaming import StreamingQuery

from kafkalyst import serdes
from support.patience import PATIENCE_SECONDS
from support.records import eventually, everything, settle

if TYPE_CHECKING:
    from conftest import Servers

EXACTLY_ONCE = "'sink.delivery-guarantee' = 'exactly-once'"
GUARANTEE = "spark.kafkalyst.sink.delivery-guarantee"
ISOLATION = "spark.kafkalyst.kafka.isolation.level"


def declare(spark: SparkSession, name: str, partitions: int = 1, more: str = "") -> None:
    """A stream of numbered rows."""
    spark.sql(
        f"CREATE STREAM {name} (k INT KEY, v STRING) WITH (KAFKA_TOPIC = '{name}', VALUE_FORMAT = 'JSON', "
        f"PARTITIONS = {partitions}{', ' + more if more else ''})"
    )


def fill(spark: SparkSession, name: str, first: int, end: int) -> None:
    """Inserts rows with these numbers."""
    spark.range(first, end, 1, 2).selectExpr("cast(id AS INT) AS k", "'a' AS v").writeTo(name).append()


def numbers(kafka: str, topic: str) -> Counter[int]:
    """How often each number is in a topic, as a read_committed consumer sees it."""
    return Counter(int.from_bytes(key or b"", "big") for key, _ in everything(kafka, topic))


def once(first: int, end: int) -> Counter[int]:
    """Each number once."""
    return Counter(range(first, end))


def ends(kafka: str, topic: str, partitions: int) -> list[int]:
    """The next offset of each partition, including transaction markers."""
    consumer = Consumer({"bootstrap.servers": kafka, "group.id": "ends", "isolation.level": "read_uncommitted"})
    try:
        return [consumer.get_watermark_offsets(TopicPartition(topic, p))[1] for p in range(partitions)]
    finally:
        consumer.close()


def copy(spark: SparkSession, source: str, sink: str, checkpoint: Path, **options: object) -> StreamingQuery:
    """Copies the available rows, with one task for each partition of the source."""
    reader = spark.readStream
    for name, value in options.items():
        reader = reader.option(name, value)
    return write(reader.table(source), sink, checkpoint)


def write(rows: DataFrame, sink: str, checkpoint: Path) -> StreamingQuery:
    """Writes the available rows of a stream."""
    writer = rows.writeStream.option("checkpointLocation", str(checkpoint))
    query = writer.trigger(availableNow=True).toTable(sink)
    assert query.awaitTermination(PATIENCE_SECONDS)
    return query


def forget_commit(checkpoint: Path) -> None:
    """Makes the checkpoint look as if the driver had died between the tasks' commits and its own."""
    last = max((f for f in (checkpoint / "commits").iterdir() if f.name.isdigit()), key=lambda f: int(f.name))
    last.unlink()
    (last.parent / f".{last.name}.crc").unlink(missing_ok=True)


@pytest.fixture
def isolation(spark: SparkSession) -> Iterator[Callable[[str], None]]:
    """Sets the isolation level for the duration of the block."""
    yield lambda level: spark.conf.set(ISOLATION, level)
    spark.conf.unset(ISOLATION)


def test_insert_is_one_transaction(spark: SparkSession, servers: Servers, topic: Callable[[str], str]) -> None:
    """All partitions get the marker of one transaction, though the query has many tasks."""
    name = topic("whole")
    declare(spark, name, 2, EXACTLY_ONCE)
    fill(spark, name, 0, 1000)
    assert numbers(servers.kafka, name) == once(0, 1000)
    assert sum(ends(servers.kafka, name, 2)) == 1002
    assert spark.table(name).count() == 1000


def test_a_statement_ends_when_its_rows_are_read(
    spark: SparkSession, servers: Servers, topic: Callable[[str], str]
) -> None:
    """Another transaction, which began before, hides the rows for a moment: the next SELECT finds them nevertheless."""
    name = topic("seen")
    declare(spark, name, 1, EXACTLY_ONCE)
    other = Producer({"bootstrap.servers": servers.kafka, "transactional.id": f"{name}-other", "linger.ms": "0"})
    other.init_transactions()
    other.begin_transaction()
    other.produce(name, b"{}", (100).to_bytes(4, "big"))
    other.flush()

    def end() -> None:
        try:
            eventually(lambda: ends(servers.kafka, name, 1)[0] >= 11)
            time.sleep(0.5)  # the statement has committed by now, and would have returned
        finally:
            other.commit_transaction()

    with ThreadPoolExecutor(1) as pool:
        ended = pool.submit(end)
        fill(spark, name, 0, 10)
        assert spark.table(name).count() == 11
        ended.result()


def test_metrics(spark: SparkSession, topic: Callable[[str], str]) -> None:
    """The SQL tab shows a write's numbers."""
    name = topic("measured")
    declare(spark, name, 1, "'value.null-row' = 'tombstone'")
    store = spark._jsparkSession.sharedState().statusStore()

    def executions() -> dict[int, Any]:
        """By id: Spark keeps a thousand of them and forgets older ones."""
        spark._jsparkSession.sparkContext().listenerBus().waitUntilEmpty(PATIENCE_SECONDS * 1000)
        kept = store.executionsList()
        return {kept.apply(at).executionId(): kept.apply(at) for at in range(kept.size())}

    before = executions().keys()
    spark.sql(f"INSERT INTO {name} VALUES (1, 'ab'), (2, NULL)")
    shown: dict[str, str] = {}
    for execution in [execution for at, execution in executions().items() if at not in before]:
        values = store.executionMetrics(execution.executionId())
        for place in range(execution.metrics().size()):
            metric = execution.metrics().apply(place)
            if values.contains(metric.accumulatorId()):
                shown[metric.name()] = values.apply(metric.accumulatorId())
    assert shown.get("number of records written") == "2", shown
    assert shown["number of tombstones among them"] == "1"
    assert shown["bytes of their keys and values, before compression"] == str(4 + 4 + len(b'{"v":"ab"}'))


def test_failed_insert_shows_nothing(
    spark: SparkSession, servers: Servers, topic: Callable[[str], str], isolation: Callable[[str], None]
) -> None:
    """Rows that were sent before the row that cannot be written are aborted."""
    name = topic("broken")
    spark.sql(
        f"CREATE STREAM {name} (k INT KEY, v STRING, ts BIGINT METADATA FROM 'timestamp') "
        f"WITH (KAFKA_TOPIC = '{name}', VALUE_FORMAT = 'JSON', PARTITIONS = 1, {EXACTLY_ONCE})"
    )
    rows = spark.range(20000).selectExpr(
        "cast(id AS INT) AS k", "repeat('v', 200) AS v", "CASE WHEN id = 19999 THEN -1L ELSE 1000L END AS ts"
    )
    with pytest.raises(PySparkException) as failed:
        rows.coalesce(1).writeTo(name).append()
    assert failed.value.getCondition() == "KAFKALYST_METADATA_VALUE_REFUSED"
    assert spark.table(name).count() == 0
    isolation("read_uncommitted")
    assert spark.table(name).count() > 0


def test_setting(spark: SparkSession, servers: Servers, topic: Callable[[str], str]) -> None:
    """The setting applies to objects without the property."""
    name, other = topic("plain"), topic("other")
    declare(spark, name)
    declare(spark, other, 1, "'sink.delivery-guarantee' = 'at-least-once'")
    spark.conf.set(GUARANTEE, "exactly-once")
    try:
        fill(spark, name, 0, 10)
        fill(spark, other, 0, 10)
    finally:
        spark.conf.unset(GUARANTEE)
    assert ends(servers.kafka, name, 1) == [11]
    assert ends(servers.kafka, other, 1) == [10]


def test_reads_of_transactions(
    spark: SparkSession,
    servers: Servers,
    topic: Callable[[str], str],
    isolation: Callable[[str], None],
    tmp_path: Path,
) -> None:
    """Aborted records are not read, open ones not yet; markers at the end of the log do not block a read."""
    name, sink = topic("mixed"), topic("seen")
    declare(spark, name)
    declare(spark, sink)
    producer = Producer({"bootstrap.servers": servers.kafka, "transactional.id": f"test-{name}"})
    producer.init_transactions()

    def send(first: int, end: int) -> None:
        producer.begin_transaction()
        for k in range(first, end):
            producer.produce(name, key=k.to_bytes(4, "big"), value=b'{"v": "x"}')
        producer.flush()

    def seen() -> list[int]:
        return sorted(row["k"] for row in spark.sql(f"SELECT k FROM {name}").collect())

    send(0, 10)
    settle(producer.commit_transaction, servers.kafka, name)
    assert seen() == list(range(10))
    send(10, 20)
    settle(producer.abort_transaction, servers.kafka, name)
    assert seen() == list(range(10))
    assert spark.sql(f"SELECT count(*) AS c FROM {name} WHERE ROWOFFSET >= 10").first()["c"] == 0
    assert spark.sql(f"PRINT {name} FROM BEGINNING LIMIT 100").count() == 10
    copy(spark, name, sink, tmp_path)
    send(20, 25)
    assert seen() == list(range(10))
    copy(spark, name, sink, tmp_path)
    settle(producer.commit_transaction, servers.kafka, name)
    assert seen() == [*range(10), *range(20, 25)]
    copy(spark, name, sink, tmp_path)
    assert sorted(row["k"] for row in spark.table(sink).collect()) == [*range(10), *range(20, 25)]
    isolation("read_uncommitted")
    assert seen() == list(range(25))


@pytest.mark.parametrize("guarantee", ["exactly-once", "at-least-once"])
def test_replayed_batch(
    spark: SparkSession, servers: Servers, topic: Callable[[str], str], tmp_path: Path, guarantee: str
) -> None:
    """A batch that all tasks committed but Spark did not is written again by at-least-once, but not by exactly-once."""
    source, sink = topic("source"), topic("sink")
    declare(spark, source, 3)
    declare(spark, sink, 2, f"'sink.delivery-guarantee' = '{guarantee}'")
    fill(spark, source, 0, 300)
    copy(spark, source, sink, tmp_path)
    forget_commit(tmp_path)
    fill(spark, source, 300, 400)
    copy(spark, source, sink, tmp_path)
    copy(spark, source, sink, tmp_path)
    found = numbers(servers.kafka, sink)
    assert found.keys() == once(0, 400).keys()
    assert (found == once(0, 400)) == (guarantee == "exactly-once")


def test_batch_that_was_written_in_part(
    spark: SparkSession, servers: Servers, topic: Callable[[str], str], tmp_path: Path
) -> None:
    """Each task decides by its own mark: a task without one writes, the others do not."""
    source, sink = topic("source"), topic("sink")
    declare(spark, source, 2)
    declare(spark, sink, 2, EXACTLY_ONCE)
    fill(spark, source, 0, 100)
    query = copy(spark, source, sink, tmp_path)
    forget_commit(tmp_path)
    admin = AdminClient({"bootstrap.servers": servers.kafka})
    group = f"kafkalyst-{query.id}-{sink}-0"
    admin.delete_consumer_groups([group])[group].result()
    copy(spark, source, sink, tmp_path)
    lost = {row["k"] for row in spark.sql(f"SELECT k FROM {source} WHERE ROWPARTITION = 0").collect()}
    assert 0 < len(lost) < 100
    assert numbers(servers.kafka, sink) == once(0, 100) + Counter(lost)


def test_batch_of_another_schema_version(
    spark: SparkSession, servers: Servers, topic: Callable[[str], str], tmp_path: Path
) -> None:
    """Rows without keys are the same rows if the sink's schema has a new version when their batch is repeated."""
    source, sink = topic("source"), topic("sink")
    declare(spark, source, 2)
    spark.sql(
        f"CREATE STREAM {sink} (k INT, v STRING) WITH (KAFKA_TOPIC = '{sink}', VALUE_FORMAT = 'AVRO', PARTITIONS = 1, "
        f"{EXACTLY_ONCE})"
    )
    fill(spark, source, 0, 100)
    copy(spark, source, sink, tmp_path)
    forget_commit(tmp_path)
    spark.sql(f"ALTER STREAM {sink} ADD COLUMN more STRING")
    copy(spark, source, sink, tmp_path)
    assert Counter(row["k"] for row in spark.table(sink).collect()) == once(0, 100)


def test_batch_of_another_version_of_a_type(
    spark: SparkSession, servers: Servers, topic: Callable[[str], str], tmp_path: Path
) -> None:
    """So are rows of several record types if one of the types has a new version."""
    source, sink = topic("source"), topic("sink")
    declare(spark, source, 2)

    def register(record: str, *fields: str) -> None:
        more = [{"name": field, "type": ["null", "int"], "default": None} for field in fields]
        schema = {"type": "record", "name": record, "namespace": sink, "fields": [{"name": "k", "type": "int"}, *more]}
        serdes.register(servers.registry, f"{sink}.{record}", schema)

    register("A")
    register("B")
    spark.sql(
        f"CREATE STREAM {sink} WITH (KAFKA_TOPIC = '{sink}', VALUE_FORMAT = 'AVRO', PARTITIONS = 1, "
        f"VALUE_TYPES = '{sink}.A, {sink}.B', {EXACTLY_ONCE})"
    )
    fill(spark, source, 0, 100)

    def copied(fields: str) -> None:
        write(spark.readStream.table(source).selectExpr(f"named_struct({fields}) AS B"), sink, tmp_path)

    copied("'k', k")
    forget_commit(tmp_path)
    register("B", "more")
    spark.sql(f"ALTER STREAM {sink} REFRESH SCHEMA")
    copied("'k', k, 'more', CAST(NULL AS INT)")
    assert Counter(row["k"] for row in spark.sql(f"SELECT B.k FROM {sink}").collect()) == once(0, 100)


def test_offsets_of_another_client(
    spark: SparkSession, servers: Servers, topic: Callable[[str], str], tmp_path: Path
) -> None:
    """Offsets that another client commits to the group of the only mark do not say that a batch is new."""
    source, sink = topic("source"), topic("sink")
    declare(spark, source)
    declare(spark, sink, 1, EXACTLY_ONCE)
    fill(spark, source, 0, 10)
    query = copy(spark, source, sink, tmp_path)
    forget_commit(tmp_path)
    moved = ConsumerGroupTopicPartitions(f"kafkalyst-{query.id}-{sink}-0", [TopicPartition(sink, 0, 1000)])
    admin = AdminClient({"bootstrap.servers": servers.kafka})
    admin.alter_consumer_group_offsets([moved])[moved.group_id].result()
    with pytest.raises(PySparkException) as failed:
        copy(spark, source, sink, tmp_path)
    assert f"another client has committed offsets to the group {moved.group_id}" in str(failed.value)
    assert numbers(servers.kafka, sink) == once(0, 10)
    admin.delete_consumer_groups([moved.group_id])[moved.group_id].result()
    fill(spark, source, 10, 20)
    copy(spark, source, sink, tmp_path)
    # Without the group, the user says that the rows of the repeated batch are not there.
    assert numbers(servers.kafka, sink) == once(0, 10) + once(0, 20)


def test_batch_that_cannot_be_repeated(
    spark: SparkSession, servers: Servers, topic: Callable[[str], str], tmp_path: Path
) -> None:
    """Tasks that differ from those that began a batch write nothing, and fail; with at-least-once they write."""
    source, sink = topic("source"), topic("sink")
    declare(spark, source, 2)
    declare(spark, sink, 1, EXACTLY_ONCE)
    fill(spark, source, 0, 100)
    copy(spark, source, sink, tmp_path)
    forget_commit(tmp_path)
    with pytest.raises(PySparkException) as failed:
        copy(spark, source, sink, tmp_path, minPartitions=4)
    assert "KAFKALYST_EXACTLY_ONCE_NOT_REPEATABLE" in str(failed.value)
    assert "2 tasks began to write it" in str(failed.value)
    copy(spark, source, sink, tmp_path)
    assert spark.table(sink).count() == 100
    forget_commit(tmp_path)
    spark.sql(f"ALTER TABLE {sink} SET TBLPROPERTIES ('sink.delivery-guarantee' = 'at-least-once')")
    copy(spark, source, sink, tmp_path, minPartitions=4)
    assert numbers(servers.kafka, sink) == once(0, 100) + once(0, 100)


def test_a_task_whose_rows_another_has(spark: SparkSession, topic: Callable[[str], str], tmp_path: Path) -> None:
    """A task that wrote rows, and has none when the batch is repeated, notices that they went elsewhere."""
    source, sink = topic("source"), topic("sink")
    declare(spark, source, 1)
    declare(spark, sink, 1, EXACTLY_ONCE)
    fill(spark, source, 0, 10)
    places = {spark.sql(f"SELECT pmod(hash({n}), 2)").collect()[0][0]: n for n in range(20)}

    def run(task: int) -> None:
        rows = spark.readStream.table(source).repartition(2, expr(f"k * 0 + {places[task]}"))
        write(rows, sink, tmp_path)

    run(1)
    forget_commit(tmp_path)
    run(1)
    forget_commit(tmp_path)
    with pytest.raises(PySparkException, match="wrote 10 records before") as failed:
        run(0)
    assert "KAFKALYST_EXACTLY_ONCE_NOT_REPEATABLE" in str(failed.value)


def test_a_join_goes_on_with_other_shuffle_partitions(
    spark: SparkSession, servers: Servers, topic: Callable[[str], str], tmp_path: Path
) -> None:
    """A batch is repeated with the checkpoint's number of tasks, whatever the session has set since."""
    source, sink = topic("source"), topic("sink")
    declare(spark, source, 2)
    declare(spark, sink, 1, EXACTLY_ONCE)
    fill(spark, source, 0, 100)
    session = spark.newSession()

    def run(partitions: int) -> None:
        session.conf.set("spark.sql.shuffle.partitions", partitions)
        table = session.range(100).selectExpr("cast(id AS INT) AS k")
        write(session.readStream.table(source).join(table, "k"), sink, tmp_path)

    run(2)
    forget_commit(tmp_path)
    run(3)
    assert numbers(servers.kafka, sink) == once(0, 100)


def test_joined_table_that_grows(
    spark: SparkSession, servers: Servers, topic: Callable[[str], str], tmp_path: Path
) -> None:
    """Spark joins a grown table in another way, with other tasks; a batch can be repeated all the same."""
    source, sink = topic("source"), topic("sink")
    declare(spark, source, 3)
    declare(spark, sink, 2, EXACTLY_ONCE)
    fill(spark, source, 0, 100)
    names, grown = tmp_path / "names", tmp_path / "grown"
    spark.range(100).selectExpr("cast(id AS INT) AS k", "'x' AS v").coalesce(1).write.parquet(str(names))
    spark.range(100_000).selectExpr("cast(id AS INT) AS k", "uuid() AS v").coalesce(1).write.parquet(str(grown))

    def joined(table: Path) -> None:
        rows = spark.readStream.table(source).select("k").join(spark.read.parquet(str(table)), "k")
        write(rows, sink, tmp_path / "checkpoint")

    spark.conf.set("spark.sql.autoBroadcastJoinThreshold", 100_000)
    try:
        joined(names)
        forget_commit(tmp_path / "checkpoint")
        joined(grown)
    finally:
        spark.conf.unset("spark.sql.autoBroadcastJoinThreshold")
    assert numbers(servers.kafka, sink) == once(0, 100)


def test_mark_of_other_rows(spark: SparkSession, servers: Servers, topic: Callable[[str], str], tmp_path: Path) -> None:
    """A task whose rows differ from those that it wrote before fails; so does a checkpoint older than the topic."""
    source, sink = topic("source"), topic("sink")
    declare(spark, source, 2)
    declare(spark, sink, 1, EXACTLY_ONCE)
    fill(spark, source, 0, 100)
    query = copy(spark, source, sink, tmp_path)
    group = f"kafkalyst-{query.id}-{sink}-1"
    kafka = spark._jvm.org.apache.kafka
    admin = kafka.clients.admin.Admin.create({"bootstrap.servers": servers.kafka})

    def mark(epoch: int, metadata: str) -> None:
        place = kafka.common.TopicPartition(sink, 0)
        offset = kafka.clients.consumer.OffsetAndMetadata(epoch, metadata)
        admin.alterConsumerGroupOffsets(group, {place: offset}).all().get()

    # From the broker's own topic: the clients' copy of a group's metadata may end in foreign bytes.
    groups = everything(servers.kafka, "__consumer_offsets")
    stored = [value for key, value in groups if value and group.encode() in (key or b"")]
    assert stored and all(re.search(rb"tasks=2 rows=\d+ digest=[0-9a-f]+\x00", value) for value in stored)
    forget_commit(tmp_path)
    for epoch, metadata, said in (
        (0, "tasks=2 rows=0 digest=0", "task 1 wrote 0 records before"),
        (7, "tasks=2 rows=0 digest=0", "has batch 7 already"),
        (0, "", f"another client has committed offsets to the group {group}"),
    ):
        mark(epoch, metadata)
        with pytest.raises(PySparkException) as failed:
            copy(spark, source, sink, tmp_path)
        assert said in str(failed.value)
    admin.close()
    assert numbers(servers.kafka, sink) == once(0, 100)


def test_transactions_of_a_former_run_end(
    spark: SparkSession, servers: Servers, topic: Callable[[str], str], tmp_path: Path
) -> None:
    """Open transactions of a run with more tasks are aborted when the query starts, and its producers fenced."""
    source, sink = topic("source"), topic("sink")
    declare(spark, source)
    declare(spark, sink, 2, EXACTLY_ONCE)
    fill(spark, source, 0, 80)
    query = copy(spark, source, sink, tmp_path, minPartitions=8)
    lefts = [
        Producer({"bootstrap.servers": servers.kafka, "transactional.id": f"kafkalyst-{query.id}-{sink}-{task}"})
        for task in ("7", "3.2")  # the id of a second attempt that raced the first
    ]
    for left in lefts:
        left.init_transactions()
        left.begin_transaction()
        for partition in range(2):
            left.produce(sink, key=(99).to_bytes(4, "big"), value=b"{}", partition=partition)
        left.flush()
    fill(spark, source, 80, 90)
    copy(spark, source, sink, tmp_path)
    assert numbers(servers.kafka, sink) == once(0, 90)
    for left in lefts:
        with pytest.raises(Exception, match=r"(?i)fenced|epoch"):
            left.commit_transaction()
    assert spark.table(sink).count() == 90


def test_continuous_query_of_the_ddl(spark: SparkSession, servers: Servers, topic: Callable[[str], str]) -> None:
    """CREATE … AS SELECT with the property writes transactions, also in a grouping query."""
    source, sink, counts = topic("source"), topic("copied"), topic("counts")
    declare(spark, source, 2)
    fill(spark, source, 0, 50)
    spark.conf.set("spark.kafkalyst.query.trigger", "available-now")
    try:
        spark.sql(f"CREATE STREAM {sink} WITH ({EXACTLY_ONCE}) AS SELECT k, upper(v) AS v FROM {source}")
        spark.sql(
            f"CREATE TABLE {counts} WITH (PARTITIONS = 1, {EXACTLY_ONCE}) AS "
            f"SELECT k % 5 AS g, count(*) AS n FROM {source} GROUP BY k % 5"
        )
    finally:
        spark.conf.unset("spark.kafkalyst.query.trigger")
    assert numbers(servers.kafka, sink) == once(0, 50)
    assert sum(ends(servers.kafka, sink, 2)) > 50
    assert [row["n"] for row in spark.table(counts).collect()] == [10] * 5


def test_partition_by_value(spark: SparkSession, topic: Callable[[str], str]) -> None:
    """A key has the same partition in every format, also when its schema gets a field."""

    def partitions(
        name: str, columns: str, format_name: str, rows: str, topic_name: str | None = None
    ) -> dict[int, int]:
        spark.sql(
            f"CREATE STREAM {name} ({columns}, v STRING) WITH (KAFKA_TOPIC = '{name}', PARTITIONS = 5, "
            f"KEY_FORMAT = '{format_name}', VALUE_FORMAT = 'JSON', 'sink.partitioner' = 'by-value')"
        )
        spark.sql(f"INSERT INTO {name} (id, v) SELECT {rows}, '{name}' FROM range(100)")
        found = spark.sql(f"SELECT id, ROWPARTITION AS p FROM {name}").collect()
        return {row["id"]: row["p"] for row in found}

    plain = partitions(topic("plain"), "id BIGINT KEY", "KAFKA", "id")
    assert len(plain) == 100
    assert set(plain.values()) == set(range(5))
    assert partitions(topic("json"), "id INT KEY", "JSON", "cast(id AS INT)") == plain
    assert partitions(topic("text"), "id BIGINT KEY", "DELIMITED", "id") == plain
    assert partitions(topic("avro"), "id BIGINT KEY", "AVRO", "id") == plain
    assert partitions(topic("wider"), "region STRING KEY, id BIGINT KEY", "AVRO", "id") == plain


def test_fixed_partitions(spark: SparkSession, topic: Callable[[str], str]) -> None:
    """Each task has its own partition."""
    name = topic("fixed")
    declare(spark, name, 3, "'sink.partitioner' = 'fixed'")
    fill(spark, name, 0, 100)
    rows = spark.sql(f"SELECT ROWPARTITION AS p, min(k) AS low, max(k) AS high FROM {name} GROUP BY ROWPARTITION")
    assert sorted(tuple(row) for row in rows.collect()) == [(0, 0, 49), (1, 50, 99)]
