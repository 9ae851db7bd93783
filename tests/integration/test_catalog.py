"""A cluster as a catalog: topics are tables without a declaration."""

from __future__ import annotations

import json
import os
import re
import time
import urllib.request
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from confluent_kafka import TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic
from pyspark.errors import AnalysisException, ArithmeticException, PySparkException
from pyspark.sql import Row, SparkSession

import kafkalyst
from conftest import Servers
from kafkalyst import serdes
from support.fake_registry import http, raw_server
from support.patience import PATIENCE_SECONDS
from support.records import eventually

CATALOG = "spark.sql.catalog.kafka"
Topic = Callable[[str], str]


@pytest.fixture(scope="module")
def catalog(spark: SparkSession, servers: Servers) -> Iterator[SparkSession]:
    """A new session with the broker as the catalog `kafka`, and no other addresses."""
    session = spark.newSession()
    session.conf.unset("spark.kafkalyst.bootstrap.servers")
    session.conf.unset("spark.kafkalyst.schema.registry.url")
    session.conf.set(CATALOG, "io.kafkalyst.KafkaCatalog")
    session.conf.set(f"{CATALOG}.bootstrap.servers", servers.kafka)
    session.conf.set(f"{CATALOG}.schema.registry.url", servers.registry)
    yield session


def beside(catalog: SparkSession, more: tuple[str, ...] = ()) -> SparkSession:
    """Another session with the same cluster, and with these additional settings of its catalog."""
    session = catalog.newSession()
    for key in ("", ".bootstrap.servers", *more):
        session.conf.set(CATALOG + key, catalog.conf.get(CATALOG + key))
    return session


def register(servers: Servers, subject: str, schema: object, kind: str = "AVRO") -> int:
    """Registers a schema under a subject."""
    body = json.dumps({"schema": json.dumps(schema), "schemaType": kind}).encode()
    request = urllib.request.Request(
        f"{servers.registry}/subjects/{subject}/versions", body, {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=PATIENCE_SECONDS) as answer:
        found: int = json.load(answer)["id"]
        return found


@pytest.fixture(scope="module")
def orders(spark: SparkSession) -> Iterator[str]:
    """A keyed topic `shop.<name>` with two AVRO rows, which an object of the session catalog has written."""
    short = f"orders_{uuid.uuid4().hex[:8]}"
    name = f"shop.{short}"
    spark.sql(
        f"CREATE STREAM {short} (id BIGINT KEY, item STRING, amount DOUBLE) WITH (KAFKA_TOPIC = '{name}',"
        " KEY_FORMAT = 'AVRO', VALUE_FORMAT = 'AVRO', PARTITIONS = 1)"
    )
    spark.sql(f"INSERT INTO {short} VALUES (1, 'nut', 1.5), (2, 'bolt', 2.5)")
    yield name
    spark.sql(f"DROP STREAM {short} DELETE TOPIC")


def test_topics_are_tables(catalog: SparkSession, orders: str) -> None:
    """Without a declaration, under both spellings of a name with dots, and under the catalog as the current one."""
    short = orders.removeprefix("shop.")
    expected = [Row(item="nut"), Row(item="bolt")]
    assert catalog.sql(f"SELECT item FROM kafka.{orders} ORDER BY amount").collect() == expected
    assert catalog.sql(f"SELECT item FROM kafka.`{orders}` ORDER BY amount").collect() == expected
    assert catalog.table(f"kafka.{orders}").where("amount > 2").select("item").collect() == expected[1:]
    try:
        catalog.sql("USE kafka.shop")
        assert catalog.sql(f"SELECT o.item FROM {short} o ORDER BY amount").collect() == expected
        assert short in [row.tableName for row in catalog.sql("SHOW TABLES").collect()]
    finally:
        catalog.sql("USE spark_catalog.default")
    assert orders in [row.tableName for row in catalog.sql("SHOW TABLES IN kafka").collect()]
    assert "shop" in [row.namespace for row in catalog.sql("SHOW NAMESPACES IN kafka").collect()]
    assert not [r for r in catalog.sql("SHOW TABLES IN kafka").collect() if r.tableName.startswith("__")]


def test_sparks_catalog_lists_them(catalog: SparkSession, orders: str) -> None:
    """Spark's Python interface to catalogs, in the catalog's root and in a namespace."""
    short = orders.removeprefix("shop.")
    assert orders in [table.name for table in catalog.catalog.listTables("kafka")]
    assert [table.name for table in catalog.catalog.listTables("kafka.shop", f"{short[:-1]}*")] == [short]
    assert catalog.catalog.tableExists(f"kafka.{orders}")
    assert not catalog.catalog.tableExists("")
    try:
        catalog.catalog.setCurrentCatalog("kafka")
        assert orders in [table.name for table in catalog.catalog.listTables()]
        catalog.catalog.setCurrentDatabase("shop")
        assert short in [table.name for table in catalog.catalog.listTables()]
        assert [column.name for column in catalog.catalog.listColumns(f"kafka.{orders}")] == [
            "ROWKEY",
            "item",
            "amount",
        ]
    finally:
        catalog.sql("USE spark_catalog.default")


def test_one_broken_table_breaks_no_listing(catalog: SparkSession, servers: Servers, topic: Topic) -> None:
    """A topic with unknown columns is listed, although Spark loads each table for that. A read says why."""
    folder = topic("listed")
    names = [f"{folder}.{part}" for part in ("broken", "whole")]
    two = 'syntax = "proto3"; message A { int32 a = 1; } message B { int64 b = 1; }'
    body = json.dumps({"schema": two, "schemaType": "PROTOBUF"}).encode()
    path = f"{servers.registry}/subjects/{names[0]}-value/versions"
    with urllib.request.urlopen(
        urllib.request.Request(path, body, {"Content-Type": "application/json"}), timeout=PATIENCE_SECONDS
    ):
        pass
    admin = AdminClient({"bootstrap.servers": servers.kafka})
    for made in admin.create_topics([NewTopic(name, 1, 1) for name in names]).values():
        made.result(60)
    table = f"kafka.{names[0]}"
    assert catalog.sql(f"SHOW TABLES IN kafka.{folder}").count() == 2
    listed = catalog.catalog.listTables(f"kafka.{folder}")
    assert sorted((t.name, t.tableType) for t in listed) == [("broken", "MANAGED"), ("whole", "MANAGED")]
    assert catalog.sql(f"SHOW TABLE EXTENDED IN kafka.{folder} LIKE '*'").count() == 2
    assert catalog.catalog.tableExists(table)
    assert catalog.catalog.getTable(table).name == "broken"
    for ask in (
        lambda: catalog.table(table),
        lambda: catalog.readStream.table(table),
        lambda: catalog.catalog.listColumns(table),
        lambda: catalog.sql("SELECT 1 AS a").writeTo(table).append(),
    ):
        with pytest.raises(AnalysisException) as raised:
            ask()
        assert raised.value.getCondition() == "KAFKALYST_SCHEMA_FULL_NAME_NEEDED"
    named = ("value_schema_full_name", "B")
    frames = (
        catalog.read.option(*named).table(table),
        catalog.readStream.option(*named).table(table),
        beside(catalog, (".schema.registry.url",)).read.option(*named).table(table),
    )
    assert [frame.columns for frame in frames] == [["ROWKEY", "b"]] * 3
    assert frames[0].collect() == []
    for name in names:
        catalog.sql(f"DROP TABLE kafka.{name} PURGE")
    with urllib.request.urlopen(f"{servers.registry}/subjects", timeout=PATIENCE_SECONDS) as subjects:
        assert f"{names[0]}-value" not in json.load(subjects)


def test_a_session_has_one(spark: SparkSession, orders: str) -> None:
    """`kafkalyst.session()` makes the session's cluster the catalog `kafka`; it hides a database of that name."""
    assert spark.sql(f"SELECT count(*) FROM kafka.{orders}").first()[0] == 2
    (found,) = kafkalyst.check(spark).where("name = 'catalog'").collect()
    assert found["ok"]
    assert "topics are tables of kafka, by spark.kafkalyst.bootstrap.servers" in found["found"]
    spark.sql("CREATE DATABASE spark_catalog.kafka")
    try:
        (found,) = kafkalyst.check(spark).where("name = 'catalog'").collect()
        assert not found["ok"]
        assert "hides the database" in found["found"]
    finally:
        spark.sql("DROP DATABASE spark_catalog.kafka")


def test_the_language_knows_them(catalog: SparkSession, orders: str) -> None:
    """Hidden columns, both sides of the record as structs, and written rows."""
    names = catalog.sql(f"SELECT ROWPARTITION, ROWOFFSET, ROWVALUE.item FROM kafka.{orders}").collect()
    assert [tuple(row) for row in names[:2]] == [(0, 0, "nut"), (0, 1, "bolt")]
    assert catalog.sql(f"SELECT * FROM kafka.{orders}").columns == ["ROWKEY", "item", "amount"]


def test_bytes_without_a_schema(catalog: SparkSession, spark: SparkSession, topic: Topic) -> None:
    """Sides without a schema in the registry are BINARY; a compacted topic's rows are the latest of each key."""
    name = topic("plain")
    spark.sql(
        f"CREATE TABLE {name} (k STRING PRIMARY KEY, v STRING) WITH (KAFKA_TOPIC = '{name}', VALUE_FORMAT = 'KAFKA',"
        " PARTITIONS = 1)"
    )
    spark.sql(f"INSERT INTO {name} VALUES ('a', '1'), ('a', '2'), ('b', '3')")
    query = f"SELECT CAST(ROWKEY AS STRING) k, CAST(ROWVAL AS STRING) v FROM kafka.{name}"

    def rows(at: str = "") -> list[tuple[str, str]]:
        return sorted(tuple(row) for row in catalog.sql(query + at).collect())

    assert rows() == [("a", "2"), ("b", "3")]
    catalog.sql(f"DELETE FROM kafka.{name} WHERE ROWKEY = CAST('b' AS BINARY)")
    assert rows() == [("a", "2")]
    # As it was before that, and before the second row.
    assert rows(" VERSION AS OF 'partition:0,offset:3'") == [("a", "2"), ("b", "3")]
    assert rows(" VERSION AS OF 'partition:0,offset:1'") == [("a", "1")]
    assert rows(" TIMESTAMP AS OF current_timestamp() - INTERVAL 1 DAY") == []
    assert rows(" TIMESTAMP AS OF current_timestamp()") == [("a", "2")]
    with pytest.raises(AnalysisException, match="has got to offset 4 only"):
        rows(" VERSION AS OF 'partition:0,offset:9'")
    told = {row.col_name: row.comment for row in catalog.sql(f"DESCRIBE kafka.{name}").collect()}
    assert "CREATE OR REPLACE TABLE" in told["key and value"]
    assert [row.col_name for row in catalog.sql(f"SHOW COLUMNS IN kafka.{name}").collect()] == ["ROWKEY", "ROWVAL"]
    assert "`ROWVAL` BYTES" in catalog.sql(f"SHOW CREATE TABLE kafka.{name}").collect()[0][0]
    with pytest.raises(AnalysisException, match="PURGE deletes the topic"):
        catalog.sql(f"DROP TABLE kafka.{name}")
    with pytest.raises(AnalysisException, match="other objects or queries use"):
        catalog.sql(f"DROP TABLE kafka.{name} PURGE")
    spark.sql(f"DROP TABLE {name}")
    catalog.sql(f"DROP TABLE kafka.{name} PURGE")
    assert name not in [row.tableName for row in catalog.sql("SHOW TABLES IN kafka").collect()]


def test_writes(catalog: SparkSession, spark: SparkSession, topic: Topic, tmp_path: object) -> None:
    """INSERT, writeTo and a stream's toTable; a stream reads it."""
    name = topic("written")
    spark.sql(
        f"CREATE STREAM {name} (id INT KEY, v STRING) WITH (KAFKA_TOPIC = '{name}', KEY_FORMAT = 'AVRO',"
        " VALUE_FORMAT = 'AVRO', PARTITIONS = 1)"
    )
    catalog.sql(f"INSERT INTO kafka.{name} VALUES (1, 'a')")
    catalog.sql(f"INSERT INTO kafka.{name} (v) VALUES ('b')")
    catalog.sql("SELECT 3 AS ROWKEY, 'c' AS v").writeTo(f"kafka.{name}").append()
    assert (
        catalog.readStream.table(f"kafka.{name}")
        .where("v = 'c'")
        .selectExpr("ROWKEY", "upper(v) AS v")
        .writeStream.option("checkpointLocation", str(tmp_path))
        .trigger(availableNow=True)
        .toTable(f"kafka.{name}")
        .awaitTermination(PATIENCE_SECONDS)
    )
    assert [tuple(r) for r in catalog.sql(f"SELECT v, ROWKEY FROM kafka.{name} ORDER BY ROWOFFSET").collect()] == [
        ("a", 1),
        ("b", None),
        ("c", 3),
        ("C", 3),
    ]
    # The object of the session catalog is over the same topic.
    assert spark.sql(f"SELECT k.v FROM {name} k WHERE id = 1").collect() == [Row(v="a")]
    spark.sql(f"DROP STREAM {name} DELETE TOPIC")


def topics(session: SparkSession) -> set[str]:
    """All topics of the broker."""
    return {row.topic for row in session.sql("SHOW TOPICS").collect()}


def test_tables_of_queries(catalog: SparkSession, spark: SparkSession, topic: Topic, tmp_path: Path) -> None:
    """CREATE TABLE … AS SELECT, writeTo and toTable make a topic with its definition."""
    by_sql, by_frame, by_stream = topic("by_sql"), topic("by_frame"), topic("by_stream")
    catalog.sql(
        f"CREATE TABLE kafka.{by_sql} USING kafkalyst TBLPROPERTIES ('key.fields' = 'id', 'value_format' = 'JSON')"
        " AS SELECT * FROM VALUES (1, 'a'), (2, 'b') AS t(id, v)"
    )
    assert sorted(map(tuple, catalog.sql(f"SELECT ROWKEY.id, v FROM kafka.{by_sql}").collect())) == [
        (1, "a"),
        (2, "b"),
    ]
    # Keys stay keys; properties are those of CREATE STREAM.
    catalog.table(f"kafka.{by_sql}").writeTo(f"kafka.{by_frame}").using("kafkalyst").tableProperty(
        "partitions", "3"
    ).tableProperty("value_format", "AVRO").create()
    # The definition does not have the options of one write.
    for option in ("value.format", "key.format"):
        with pytest.raises(AnalysisException, match=f"(?s)FLINK_OPTION.*{option}.*tableProperty"):
            catalog.table(f"kafka.{by_sql}").writeTo(f"kafka.{by_frame}_4").option(option, "csv").create()
    assert f"{by_frame}_4" not in topics(spark)
    described = {
        row.col_name: (row.data_type, row.comment) for row in catalog.sql(f"DESCRIBE kafka.{by_frame}").collect()
    }
    assert described["id"] == ("INT", "KEY")
    shown = {row.topic: row.partitions for row in spark.sql("SHOW TOPICS").collect()}
    assert (shown[by_sql], shown[by_frame]) == (1, 3)
    catalog.table(f"kafka.{by_sql}").writeTo(f"kafka.{by_frame}").append()
    assert catalog.table(f"kafka.{by_frame}").count() == 4
    stream = catalog.readStream.table(f"kafka.{by_frame}").writeStream.option("checkpointLocation", str(tmp_path))
    for _ in range(2):  # a new topic, and an existing one
        query = stream.trigger(availableNow=True).toTable(f"kafka.{by_stream}")
        assert query.awaitTermination(PATIENCE_SECONDS)
    assert sorted(map(tuple, catalog.table(f"kafka.{by_stream}").collect())) == [(1, "a")] * 2 + [(2, "b")] * 2
    made = catalog.range(1).selectExpr("1 AS v").write.format("kafkalyst")
    made.option("comment", "one").option("sink.partitioner", "fixed").saveAsTable(f"kafka.{by_stream}_2")
    comments = catalog.sql(f"DESCRIBE EXTENDED kafka.{by_stream}_2").collect()
    assert "one" in [row.data_type for row in comments]
    catalog.sql(
        f"CREATE TABLE kafka.{by_stream}_3 (id INT, v STRING NOT NULL) USING kafkalyst"
        " TBLPROPERTIES ('key.fields'='id')"
    )
    with pytest.raises(PySparkException) as refused:
        catalog.sql(f"INSERT INTO kafka.{by_stream}_3 VALUES (1, NULL)")
    assert refused.value.getCondition() == "KAFKALYST_REQUIRED_COLUMN_IS_NULL"
    catalog.sql(f"INSERT INTO kafka.{by_stream}_3 VALUES (1, 'x')")
    assert catalog.table(f"kafka.{by_stream}_3").collect() == [Row(id=1, v="x")]
    for statement in ("CREATE OR REPLACE TABLE", "REPLACE TABLE"):
        with pytest.raises(AnalysisException) as raised:
            catalog.sql(f"{statement} kafka.{by_sql} USING kafkalyst AS SELECT 1 AS v")
        assert raised.value.getCondition() == "KAFKALYST_TOPIC_NOT_REPLACED"
    assert catalog.table(f"kafka.{by_sql}").count() == 2
    with pytest.raises(AnalysisException, match="TABLE_OR_VIEW_ALREADY_EXISTS"):
        catalog.sql(f"CREATE TABLE kafka.{by_sql} USING kafkalyst AS SELECT 1 AS v")
    for name in (by_sql, by_frame, by_stream, f"{by_stream}_2", f"{by_stream}_3"):
        catalog.sql(f"DROP TABLE kafka.{name} PURGE")


def test_tables_of_queries_in_the_session_catalog(spark: SparkSession, topic: Topic) -> None:
    """The same in the session catalog, with the given number of partitions."""
    name = topic("of_session")
    frame = spark.range(3).selectExpr("id", "id * 2 AS twice")
    table = frame.writeTo(name).using("kafkalyst").tableProperty("partitions", "3").tableProperty("key.fields", "id")
    table.tableProperty("value_format", "JSON").createOrReplace()
    assert {row.topic: row.partitions for row in spark.sql("SHOW TOPICS").collect()}[name] == 3
    assert sorted(map(tuple, spark.sql(f"SELECT * FROM {name}").collect())) == [(0, 0), (1, 2), (2, 4)]
    assert (name, name) in [(row.name, row.topic) for row in spark.sql("SHOW STREAMS").collect()]
    with pytest.raises(AnalysisException, match="KAFKALYST_TOPIC_NOT_REPLACED"):
        table.createOrReplace()
    with pytest.raises(AnalysisException, match="TABLE_OR_VIEW_ALREADY_EXISTS"):
        spark.sql(f"CREATE TABLE {name} USING kafkalyst AS SELECT 1 AS v")
    spark.sql(f"CREATE TABLE IF NOT EXISTS {name} USING kafkalyst AS SELECT 1 AS v")
    spark.sql(f"DROP STREAM {name} DELETE TOPIC")


def test_a_failed_query_leaves_nothing(
    catalog: SparkSession, spark: SparkSession, servers: Servers, topic: Topic
) -> None:
    """If the query fails, topic, subject and definition are removed, with rows that were written before."""
    name = topic("failed")
    with pytest.raises(ArithmeticException):
        catalog.sql(
            f"CREATE TABLE kafka.{name} USING kafkalyst AS SELECT id, 1 / if(id = 90000, 0, 1) AS v"
            " FROM range(0, 100000, 1, 2)"
        )
    assert name not in topics(spark)
    assert name not in [row.tableName for row in catalog.sql("SHOW TABLES IN kafka").collect()]
    with urllib.request.urlopen(f"{servers.registry}/subjects") as answer:
        assert f"{name}-value" not in json.load(answer)
    for words, part in (
        ("USING delta", "USING delta"),
        ("USING kafkalyst PARTITIONED BY (v)", "PARTITIONED BY"),
        ("USING kafkalyst LOCATION '/x'", "LOCATION"),
        ("USING kafkalyst TBLPROPERTIES ('key.fields' = 'w')", "w is not a column"),
    ):
        with pytest.raises(AnalysisException, match=part):
            catalog.sql(f"CREATE TABLE kafka.{name} {words} AS SELECT 1 AS v")
    assert name not in topics(spark)


def test_statements_go_to_the_current_catalog(catalog: SparkSession, orders: str) -> None:
    """SHOW TOPICS, PRINT, SHOW STREAMS and TABLES use the current catalog's cluster; the session has no brokers."""
    with pytest.raises(AnalysisException, match="bootstrap"):
        catalog.sql("SHOW TOPICS")
    try:
        catalog.sql("USE kafka.shop")
        assert orders in topics(catalog)
        assert len(catalog.sql(f"PRINT '{orders}' FROM BEGINNING").collect()) == 2
        assert orders in [row.topic for row in catalog.sql("SHOW STREAMS").collect()]
    finally:
        catalog.sql("USE spark_catalog.default")


def test_statistics(catalog: SparkSession, servers: Servers, orders: str, topic: Topic) -> None:
    """Rows by offsets, after pushdown, and bytes by the brokers' disks; only small topics are broadcast."""
    name, texts = topic("texts"), 4
    serdes.create_topic(servers.kafka, name, 1)
    serdes.produce(servers.kafka, name, [(b"k", os.urandom(64 * 1024)) for _ in range(texts)])

    def told(query: str) -> tuple[str, float]:
        plan = catalog.sql(f"EXPLAIN COST {query}").collect()[0][0]
        ((size, unit, rows),) = set(re.findall(r"RelationV2.*sizeInBytes=([\d.]+) (\w+), rowCount=([^)]+)", plan))
        return rows, float(size) * {"B": 1, "KiB": 1024}[unit]

    every = f"SELECT item FROM kafka.{orders}"
    assert told(every)[0] == "2"
    assert told(f"{every} WHERE ROWOFFSET = 1")[0] == "1"
    rows, size = told(f"SELECT * FROM kafka.{name}")
    assert rows == str(texts)
    assert texts * 64 * 1024 <= size < 2 * texts * 64 * 1024

    def broadcast(table: str, key: str, threshold: str) -> list[str]:
        # The other side is too large, so only the topic can be broadcast.
        catalog.conf.set("spark.sql.autoBroadcastJoinThreshold", threshold)
        joined = catalog.sql(f"SELECT count(*) FROM kafka.{table} a JOIN range(100000000) r ON {key} = r.id")
        return re.findall(r"BroadcastHashJoin .*(BuildLeft|BuildRight)", joined._jdf.queryExecution().toString())

    try:
        assert set(broadcast(orders, "a.amount", "10MB")) == {"BuildLeft"}
        assert set(broadcast(name, "length(a.ROWVAL)", "1MB")) == {"BuildLeft"}
        assert not broadcast(name, "length(a.ROWVAL)", "100KB")
    finally:
        catalog.conf.unset("spark.sql.autoBroadcastJoinThreshold")


def test_a_recreated_topic(catalog: SparkSession, servers: Servers, topic: Topic) -> None:
    """An older DataFrame is refused, however it reads the topic; a new one reads only new records."""
    stream, table = topic("again"), topic("again_compacted")
    admin = AdminClient({"bootstrap.servers": servers.kafka})

    def make() -> None:
        kinds = {stream: {}, table: {"cleanup.policy": "compact"}}
        made = admin.create_topics([NewTopic(name, 1, 1, config=config) for name, config in kinds.items()])
        for future in made.values():
            future.result(60)

    def put(value: bytes) -> None:
        for name in (stream, table):
            serdes.produce(servers.kafka, name, [(b"k", value)])

    make()
    put(b"1")
    frames = {
        "topic": catalog.table(f"kafka.{stream}"),
        "SELECT": catalog.sql(f"SELECT ROWVAL FROM kafka.{stream}"),
        "TABLE": catalog.table(f"kafka.{table}"),
        "altered": catalog.read.option("on_error", "skip").table(f"kafka.{stream}"),
        "until": catalog.read.option("versionAsOf", "partition:0,offset:1").table(f"kafka.{stream}"),
    }
    put(b"2")

    def values(name: str) -> list[bytes]:
        # A new DataFrame, because one that has run keeps its plan.
        return sorted(bytes(row.ROWVAL) for row in frames[name].select("ROWVAL").collect())

    assert {name: values(name) for name in frames} == {
        "topic": [b"1", b"2"],
        "SELECT": [b"1", b"2"],
        "TABLE": [b"2"],
        "altered": [b"1", b"2"],
        "until": [b"1"],
    }
    for deleted in admin.delete_topics([stream, table]).values():
        deleted.result(60)
    eventually(lambda: not {stream, table} & set(admin.list_topics(timeout=PATIENCE_SECONDS).topics))
    make()
    put(b"3")
    catalog.sql(f"REFRESH TABLE kafka.{stream}")
    own = "KAFKALYST_TOPIC_RECREATED"
    sparks = own if catalog.version < "4.1" else "INCOMPATIBLE_TABLE_CHANGE_AFTER_ANALYSIS.TABLE_ID_MISMATCH"
    refused = {}
    for name in frames:
        with pytest.raises(PySparkException) as raised:
            values(name)
        refused[name] = raised.value.getCondition()
    assert refused == {"topic": sparks, "SELECT": sparks, "TABLE": own, "altered": own, "until": own}
    assert [bytes(row.ROWVAL) for row in catalog.table(f"kafka.{stream}").collect()] == [b"3"]
    assert [bytes(row.ROWVAL) for row in catalog.table(f"kafka.{table}").collect()] == [b"3"]


def test_what_is_known_ends(catalog: SparkSession, servers: Servers, topic: Topic) -> None:
    """After `catalog.cache.ttl` a new schema is used without REFRESH."""
    name = topic("cached")
    session = beside(catalog, (".schema.registry.url",))
    session.conf.set(f"{CATALOG}.catalog.cache.ttl", "3 SECONDS")
    serdes.create_topic(servers.kafka, name, 1)
    assert session.table(f"kafka.{name}").columns == ["ROWKEY", "ROWVAL"]
    register(servers, f"{name}-value", {"type": "record", "name": "V", "fields": [{"name": "v", "type": "int"}]})
    time.sleep(3)
    assert session.table(f"kafka.{name}").columns == ["ROWKEY", "v"]


def test_a_schema_of_an_unknown_type(catalog: SparkSession, servers: Servers, topic: Topic) -> None:
    """It is listed, and usable with properties of the user; a read without them names the type."""
    name = topic("xml")
    serdes.create_topic(servers.kafka, name, 1)
    serdes.produce(servers.kafka, name, [(b"a", b'{"v":1}')])
    schema = json.dumps({"subject": name, "version": 1, "id": 1, "schemaType": "XML", "schema": "<x/>"})
    session = beside(catalog)
    with raw_server([http(schema)]) as (url, _):
        session.conf.set(f"{CATALOG}.schema.registry.url", url)
        assert session.sql(f"SHOW TABLES IN kafka LIKE '{name}'").count() == 1
        for statement in ("SELECT * FROM", "DESCRIBE", "INSERT INTO"):
            with pytest.raises(AnalysisException, match=f"the subject {name} with a schema of type XML") as raised:
                session.sql(f"{statement} kafka.{name} {'VALUES (1)' if 'INTO' in statement else ''}").collect()
            assert raised.value.getCondition() == "KAFKALYST_SUBJECT_TYPE"
        assert session.sql(f"SELECT * FROM kafka.{name} WITH ('format' = 'kafka')").columns == ["ROWKEY", "ROWVAL"]
        session.sql(f"ALTER TABLE kafka.{name} SET TBLPROPERTIES ('format' = 'KAFKA')")
        assert session.table(f"kafka.{name}").first() == Row(ROWKEY=bytearray(b"a"), ROWVAL=bytearray(b'{"v":1}'))
        session.sql(f"DROP STREAM kafka.{name}")
        session.sql(f"CREATE STREAM kafka.{name} (k STRING KEY, v INT) WITH (VALUE_FORMAT = 'JSON')")
        assert session.table(f"kafka.{name}").collect() == [Row(k="a", v=1)]


def test_the_readers_options_travel(catalog: SparkSession, topic: Topic) -> None:
    """`versionAsOf` and `timestampAsOf`, as of a DataFrame's reader and in WITH."""
    name = topic("travelled")
    catalog.sql(f"CREATE STREAM kafka.{name} (v INT) WITH (VALUE_FORMAT = 'JSON', PARTITIONS = 1)")
    catalog.sql(f"INSERT INTO kafka.{name} VALUES (1), (2)")

    def rows(option: str, value: str) -> list[int]:
        read = catalog.read.option(option, value).table(f"kafka.{name}")
        said = catalog.sql(f"SELECT v FROM kafka.{name} WITH ('{option}' = '{value}')")
        found = sorted(row.v for row in read.collect())
        assert sorted(row.v for row in said.collect()) == found
        return found

    assert rows("versionAsOf", "partition:0,offset:1") == [1]
    assert rows("timestampAsOf", "2001-01-01") == []
    assert rows("timestampAsOf", "2999-01-01") == [1, 2]


def test_errors(catalog: SparkSession, servers: Servers, orders: str) -> None:
    """Errors say what to do: a nearly correct name, one that no topic can have, wrong settings."""
    wrong = catalog.newSession()
    wrong.conf.unset("spark.kafkalyst.bootstrap.servers")
    wrong.conf.set("spark.sql.catalog.nowhere", "io.kafkalyst.KafkaCatalog")
    wrong.conf.set("spark.sql.catalog.unset", "io.kafkalyst.KafkaCatalog")
    wrong.conf.set("spark.sql.catalog.nowhere.bootstrap.servers", "127.0.0.1:1")
    wrong.conf.set("spark.sql.catalog.typo", "io.kafkalyst.KafkaCatalog")
    wrong.conf.set("spark.sql.catalog.typo.bootstrap.server", servers.kafka)
    for name, setting, value in (
        ("hidden", "catalog.topic", "no topic"),
        ("address", "schema.registry.url", "registry:8081"),
        ("login", "kafka.security.protocol", "SASL"),
    ):
        wrong.conf.set(f"spark.sql.catalog.{name}", "io.kafkalyst.KafkaCatalog")
        wrong.conf.set(f"spark.sql.catalog.{name}.bootstrap.servers", servers.kafka)
        wrong.conf.set(f"spark.sql.catalog.{name}.{setting}", value)
    for session, statement, condition, part in (
        (catalog, f"SELECT * FROM kafka.{orders[:-1]}", "TOPIC_NOT_FOUND", orders),
        (catalog, "SELECT * FROM kafka.`no topic`", "TOPIC_NAME", "no topic"),
        (wrong, "SHOW TABLES IN nowhere", "CATALOG_SETTING", "spark.sql.catalog.nowhere.bootstrap.servers"),
        (wrong, "SHOW TABLES IN unset", "CATALOG_SETTING", "spark.sql.catalog.unset.bootstrap.servers"),
        (wrong, "SHOW TABLES IN typo", "CATALOG_SETTING", "spark.sql.catalog.typo.bootstrap.server"),
        (wrong, "SHOW TABLES IN hidden", "CATALOG_SETTING", "spark.sql.catalog.hidden.catalog.topic"),
        (wrong, "SHOW TABLES IN address", "CATALOG_SETTING", "spark.sql.catalog.address.schema.registry.url"),
        (wrong, "SHOW TABLES IN login", "CATALOG_SETTING", "spark.sql.catalog.login.kafka.security.protocol"),
    ):
        began = time.monotonic()
        with pytest.raises(AnalysisException) as raised:
            session.sql(statement).collect()
        assert time.monotonic() - began < 45  # Kafkalyst's limit is ten seconds, Kafka's own a minute
        assert raised.value.getCondition() == f"KAFKALYST_{condition}", statement
        assert part in str(raised.value)


def test_changed_settings(catalog: SparkSession, servers: Servers, orders: str) -> None:
    """A SET of a catalog's address applies to all later statements; an older DataFrame is not read from there."""
    session = catalog.newSession()
    session.conf.set("spark.sql.catalog.moved", "io.kafkalyst.KafkaCatalog")
    brokers = "spark.sql.catalog.moved.bootstrap.servers"
    session.conf.set(brokers, servers.kafka)
    registry = "spark.sql.catalog.moved.schema.registry.url"
    statements = ("SHOW TABLES IN moved", "SHOW STREAMS IN moved", f"SELECT * FROM moved.`{orders}`")
    session.conf.set(registry, servers.registry)
    assert all(session.sql(statement).collect() for statement in statements)
    session.conf.set(registry, "registry:8081")
    for statement in statements:
        with pytest.raises(AnalysisException, match=registry) as raised:
            session.sql(statement).collect()
        assert raised.value.getCondition() == "KAFKALYST_CATALOG_SETTING", statement
    session.conf.set(registry, servers.registry)
    assert all(session.sql(statement).collect() for statement in statements)
    older = session.sql(f"SELECT * FROM moved.`{orders}` VERSION AS OF 'partition:0,offset:1'")
    session.conf.set(brokers, servers.kafka.replace("127.0.0.1", "localhost"))
    assert all(session.sql(statement).collect() for statement in statements)
    with pytest.raises(AnalysisException, match=f"{brokers}: it has changed") as raised:
        older.collect()
    assert raised.value.getCondition() == "KAFKALYST_CATALOG_SETTING"
    # A catalog without an address of its own.
    session.conf.set("spark.sql.catalog.same", "io.kafkalyst.KafkaCatalog")
    session.conf.set("spark.kafkalyst.bootstrap.servers", servers.kafka)
    older = session.sql(f"SELECT * FROM same.`{orders}` VERSION AS OF 'partition:0,offset:1'")
    session.conf.set("spark.kafkalyst.bootstrap.servers", servers.kafka.replace("127.0.0.1", "localhost"))
    with pytest.raises(AnalysisException, match=r"spark\.kafkalyst\.bootstrap\.servers: it has changed"):
        older.collect()


def test_without_a_catalog(
    spark: SparkSession, catalog: SparkSession, orders: str, topic: Topic, tmp_path: Path
) -> None:
    """`format("kafkalyst")` with only a topic has the catalog's schemas, definitions and latest rows."""
    there = catalog.table(f"kafka.`{orders}`")
    read = spark.read.format("kafkalyst").option("topic", orders).load()
    assert read.schema == there.schema
    assert sorted(read.collect()) == sorted(there.collect())
    read.limit(1).write.format("kafkalyst").option("topic", orders).mode("append").save()
    assert read.count() == 3
    stream = spark.readStream.format("kafkalyst").option("topic", orders).load()
    copied = stream.writeStream.format("parquet").option("checkpointLocation", str(tmp_path / "checkpoint"))
    copied.trigger(availableNow=True).start(str(tmp_path / "copied")).awaitTermination(120)
    assert spark.read.parquet(str(tmp_path / "copied")).count() == 3
    name = topic("defined_there")
    catalog.sql(f"CREATE TABLE kafka.{name} (k INT PRIMARY KEY, v INT) WITH (VALUE_FORMAT = 'JSON', PARTITIONS = 1)")
    catalog.sql(f"INSERT INTO kafka.{name} VALUES (1, 1), (1, 2)")
    # Another session sees a definition within two seconds.
    eventually(lambda: spark.read.format("kafkalyst").option("topic", name).load().collect() == [Row(k=1, v=2)])
    for columns, options, condition in (
        ("v INT", {}, "TOPIC_OPTION"),
        ("w INT", {"topic": name}, "TOPIC_COLUMNS"),
        ("v INT", {"topic": name + "x"}, "TOPIC_NOT_FOUND"),
    ):
        with pytest.raises(AnalysisException) as raised:
            spark.read.format("kafkalyst").schema(columns).options(**options).load()
        assert raised.value.getCondition() == f"KAFKALYST_{condition}"


def test_without_the_registry(catalog: SparkSession, orders: str, topic: Topic) -> None:
    """Tables with declared columns still work; one with inferred columns names its failed request."""
    name, session = topic("declared"), beside(catalog)
    session.conf.unset("spark.kafkalyst.schema.registry.url")
    session.conf.set(f"{CATALOG}.schema.registry.url", "http://127.0.0.1:1")
    session.sql(f"CREATE STREAM kafka.{name} (v INT) WITH (VALUE_FORMAT = 'JSON', PARTITIONS = 1)")
    session.sql(f"INSERT INTO kafka.{name} VALUES (7)")
    assert session.table(f"kafka.{name}").first() == Row(v=7)
    assert [row.tableName for row in session.sql(f"SHOW TABLES IN kafka LIKE '{name}'").collect()] == [name]
    with pytest.raises(AnalysisException) as raised:
        session.table(f"kafka.`{orders}`")
    assert raised.value.getCondition() == "KAFKALYST_REGISTRY_UNREACHABLE"
    assert "http://127.0.0.1:1" in str(raised.value)


def test_definitions_are_kept_in_the_cluster(catalog: SparkSession, servers: Servers, topic: Topic) -> None:
    """CREATE in the catalog; another session sees it; properties change it; after DROP the topic is inferred again."""
    name, made = topic("defined"), topic("made")
    catalog.sql(
        f"CREATE STREAM kafka.{name} (id INT KEY, v STRING, twice AS concat(v, v)) WITH (KAFKA_TOPIC = '{made}',"
        " VALUE_FORMAT = 'JSON', PARTITIONS = 1)"
    )
    catalog.sql(f"INSERT INTO kafka.{name} VALUES (1, 'a')")
    other = beside(catalog, (".schema.registry.url",))
    other.conf.set(f"{CATALOG}.catalog.cache.ttl", "29 SECONDS")  # so that it has a cache of its own
    assert other.sql(f"SELECT * FROM kafka.{name}").collect() == [Row(id=1, v="a", twice="aa")]
    assert {name, made} <= {row.tableName for row in other.sql("SHOW TABLES IN kafka").collect()}
    with pytest.raises(AnalysisException) as raised:
        other.sql(f"CREATE STREAM kafka.{name} (v STRING) WITH (KAFKA_TOPIC = '{made}', VALUE_FORMAT = 'JSON')")
    assert raised.value.getCondition() == "KAFKALYST_OBJECT_EXISTS"
    other.sql(f"ALTER TABLE kafka.{name} SET TBLPROPERTIES ('on_error' = 'skip')")
    other.sql(f"ALTER STREAM kafka.{name} ADD COLUMN w INT")
    other.sql(f"ALTER TABLE kafka.{name} ADD COLUMNS (x STRING, y BIGINT)")
    time.sleep(1.1)
    assert catalog.sql(f"SELECT * FROM kafka.{name}").columns == ["id", "v", "twice", "w", "x", "y"]
    assert "'skip'" in catalog.sql(f"SHOW CREATE STREAM kafka.{name} AS KSQLDB").collect()[0][0]
    catalog.sql(f"DROP STREAM kafka.{name}")
    with pytest.raises(AnalysisException, match="TOPIC_NOT_FOUND"):
        catalog.sql(f"SELECT * FROM kafka.{name}")
    assert catalog.sql(f"SELECT * FROM kafka.{made}").columns == ["ROWKEY", "ROWVAL"]
    # An inferred table whose properties are set becomes a defined one.
    catalog.sql(f"ALTER TABLE kafka.{made} SET TBLPROPERTIES ('on_error' = 'skip')")
    catalog.sql(f"DROP TABLE kafka.{made}")
    catalog.sql(f"DROP TABLE kafka.{made} PURGE")


def test_types_are_kept_in_the_cluster(catalog: SparkSession, topic: Topic) -> None:
    """Types belong to the cluster of the current catalog: other sessions have them, the session catalog does not."""
    name = topic("typed")
    session, other = (beside(catalog, (".schema.registry.url",)) for _ in range(2))
    session.sql("USE kafka")
    session.sql(f"CREATE TYPE {name} AS STRUCT<street STRING, nr INT>")
    with pytest.raises(AnalysisException, match="KAFKALYST_TYPE_EXISTS"):
        session.sql(f"CREATE TYPE {name} AS INT")
    assert session.sql(f"CREATE TYPE IF NOT EXISTS {name} AS INT").first()[0] == f"type {name} already exists"
    assert not [row for row in other.sql("SHOW TYPES").collect() if row.name == name.upper()]
    other.sql("USE kafka")
    found = {row.name: row.type for row in other.sql("SHOW TYPES").collect()}
    assert found[name.upper()] == "STRUCT<street: STRING, nr: INT>"
    other.sql(f"CREATE STREAM {name} (home {name}) WITH (VALUE_FORMAT = 'JSON', PARTITIONS = 1)")
    other.sql(f"INSERT INTO {name} VALUES (named_struct('street', 'Elm', 'nr', 7))")
    assert [row.home.nr for row in session.sql(f"SELECT home FROM {name}").collect()] == [7]
    session.sql(f"DROP TYPE {name}")
    with pytest.raises(AnalysisException, match="KAFKALYST_TYPE_NOT_FOUND"):
        session.sql(f"DROP TYPE {name}")
    assert session.sql(f"DROP TYPE IF EXISTS {name}").first()[0] == f"type {name} does not exist"


def test_records_before_the_edge(catalog: SparkSession, servers: Servers, topic: Topic) -> None:
    """A topic as it was when it had records that are deleted now: refused with the remaining offsets, or accepted."""
    name = topic("edge")
    session = beside(catalog)
    session.sql(f"CREATE STREAM kafka.{name} (v INT) WITH (VALUE_FORMAT = 'JSON', PARTITIONS = 1)")
    session.sql(f"INSERT INTO kafka.{name} VALUES (0), (1), (2), (3)")
    admin = AdminClient({"bootstrap.servers": servers.kafka})
    for deleted in admin.delete_records([TopicPartition(name, 0, 2)]).values():
        deleted.result(60)
    for version, condition in ((1, "AS_OF_OUTSIDE"), (9, "AS_OF_OUTSIDE")):
        with pytest.raises(AnalysisException) as raised:
            session.sql(f"SELECT * FROM kafka.{name} VERSION AS OF 'partition:0,offset:{version}'")
        assert raised.value.getCondition() == f"KAFKALYST_{condition}"
        assert "partition 0 begins at offset 2" in str(raised.value) or version == 9
    with pytest.raises(AnalysisException, match="lost`=accept"):
        session.sql(f"SELECT * FROM kafka.{name} TIMESTAMP AS OF '2001-01-01'")
    read = f"SELECT v FROM kafka.{name} VERSION AS OF 'partition:0,offset:3'"
    session.sql("SET `spark.kafkalyst.as-of.lost`=accept")
    assert [row.v for row in session.sql(read).collect()] == [2]


def test_a_deleted_catalog_topic(catalog: SparkSession, servers: Servers, topic: Topic) -> None:
    """Its definitions are forgotten: topics are inferred, and CREATE creates it again."""
    name, other = topic("forgotten"), topic("_deleted")
    session = beside(catalog)
    session.conf.set(f"{CATALOG}.catalog.topic", other)
    create = f"CREATE STREAM kafka.{name} (v INT) WITH (VALUE_FORMAT = 'JSON', PARTITIONS = 1)"
    session.sql(create)
    assert session.table(f"kafka.{name}").columns == ["v"]
    admin = AdminClient({"bootstrap.servers": servers.kafka})
    admin.delete_topics([other])[other].result(60)
    eventually(lambda: session.table(f"kafka.{name}").columns == ["ROWKEY", "ROWVAL"])
    session.sql(create)
    assert session.table(f"kafka.{name}").columns == ["v"]


def test_a_field_that_the_key_has(catalog: SparkSession, servers: Servers, topic: Topic) -> None:
    """A field of the key's name that is added to the value later does not rename the key's column."""
    name = topic("shared")
    register(servers, f"{name}-key", {"type": "record", "name": "K", "fields": [{"name": "id", "type": "int"}]})
    value = {"type": "record", "name": "V", "fields": [{"name": "v", "type": "int", "default": 0}]}
    register(servers, f"{name}-value", value)
    admin = AdminClient({"bootstrap.servers": servers.kafka})
    admin.create_topics([NewTopic(name, 1, 1)])[name].result(60)
    catalog.sql(f"INSERT INTO kafka.{name} VALUES (1, 2)")
    value["fields"].append({"name": "id", "type": ["null", "string"], "default": None})
    register(servers, f"{name}-value", value)
    catalog.sql(f"REFRESH TABLE kafka.{name}")
    told = [tuple(row)[:3] for row in catalog.sql(f"DESCRIBE kafka.{name}").collect()]
    assert told == [("id", "INT", "KEY"), ("v", "INT", ""), ("id", "STRING", "")]
    assert catalog.sql(f"SELECT ROWKEY.id, ROWVALUE.id FROM kafka.{name}").first() == (1, None)


def test_one_of_many_creates_wins(catalog: SparkSession, spark: SparkSession, servers: Servers, topic: Topic) -> None:
    """Eight sessions, each with its own state and producer, create one name at once."""
    name = topic("raced")
    over = f"WITH (KAFKA_TOPIC = '{name}', VALUE_FORMAT = 'JSON'"
    spark.sql(f"CREATE STREAM {name} (v STRING) {over}, PARTITIONS = 1)")

    def create(i: int) -> bool:
        session = catalog.newSession()
        session.conf.set(CATALOG, "io.kafkalyst.KafkaCatalog")
        session.conf.set(f"{CATALOG}.bootstrap.servers", servers.kafka)
        session.conf.set(f"{CATALOG}.catalog.cache.ttl", f"{i + 1} MINUTES")
        try:
            session.sql(f"CREATE STREAM kafka.{name} (v{i} STRING) {over})")
            return True
        except AnalysisException as e:
            assert e.getCondition() == "KAFKALYST_OBJECT_EXISTS", e
            return False

    with ThreadPoolExecutor(8) as pool:
        won = list(pool.map(create, range(8)))
    assert won.count(True) == 1
    time.sleep(1.1)
    assert catalog.sql(f"SELECT * FROM kafka.{name}").columns == [f"v{won.index(True)}"]
    catalog.sql(f"DROP STREAM kafka.{name}")
    spark.sql(f"DROP STREAM {name} DELETE TOPIC")


def test_foreign_and_newer_records(catalog: SparkSession, servers: Servers, topic: Topic) -> None:
    """Records of newer versions are refused with their place and not overwritten; those of others have no effect."""
    name, other = topic("newer"), topic("_definitions")
    session = catalog.newSession()
    session.conf.set(CATALOG, "io.kafkalyst.KafkaCatalog")
    session.conf.set(f"{CATALOG}.bootstrap.servers", servers.kafka)
    session.conf.set(f"{CATALOG}.catalog.topic", other)
    create = f"CREATE STREAM kafka.{name} (v STRING) WITH (KAFKA_TOPIC = '{name}', VALUE_FORMAT = 'JSON'"
    session.sql(f"{create}, PARTITIONS = 1)")

    def put(key: str, value: str) -> None:
        session.createDataFrame([(key, value)], "key STRING, value STRING").write.format("kafka").option(
            "kafka.bootstrap.servers", servers.kafka
        ).option("topic", other).save()
        time.sleep(1.1)

    put(json.dumps({"kind": "object", "name": name}, separators=(",", ":")), '{"version":99}')
    for statement in (f"SELECT * FROM kafka.{name}", f"DROP STREAM kafka.{name}", f"{create})"):
        with pytest.raises(AnalysisException, match="the version 99") as raised:
            session.sql(statement)
        assert raised.value.getCondition() == "KAFKALYST_CATALOG_TOPIC_RECORD", statement
    # A record that no version can read does not affect others, and is dropped.
    broken = json.dumps({"kind": "object", "name": f"{name}_broken"}, separators=(",", ":"))
    for fault in ({"kafkalyst.schema": "oops"}, {"kafkalyst.schema": '{"type":"struct","fields":[]}'}):
        put(broken, json.dumps({"version": 1, "properties": {"kafkalyst.kind": "STREAM", **fault}}))
        assert f"{name}_broken" in [row.tableName for row in session.sql("SHOW TABLES IN kafka").collect()]
        assert session.sql("SHOW STREAMS IN kafka").collect() is not None
        assert session.sql("SHOW QUERIES").collect() is not None
        with pytest.raises(AnalysisException, match="DROP removes it") as raised:
            session.sql(f"SELECT * FROM kafka.{name}_broken")
        assert raised.value.getCondition() == "KAFKALYST_CATALOG_TOPIC_RECORD"
        session.sql(f"DROP {'TABLE' if 'oops' in fault.values() else 'STREAM'} kafka.{name}_broken")
        time.sleep(1.1)
        assert f"{name}_broken" not in [row.tableName for row in session.sql("SHOW TABLES IN kafka").collect()]
    # A record of others stays for ever, so the catalog works with it.
    put("not ours", "x")
    session.sql(create.replace(f"kafka.{name}", f"kafka.{name}2") + ")")
    session.sql(f"DROP STREAM kafka.{name}2")
    # A topic that has only such records is not a catalog's.
    strange = beside(session, (".catalog.topic",))
    strange.conf.set(f"{CATALOG}.catalog.topic", topic("strange"))
    admin = AdminClient({"bootstrap.servers": servers.kafka})
    compacted = NewTopic(topic("strange"), 1, 1, config={"cleanup.policy": "compact"})
    admin.create_topics([compacted])[topic("strange")].result()
    strange.createDataFrame([("theirs", "x")], "key STRING, value STRING").write.format("kafka").option(
        "kafka.bootstrap.servers", servers.kafka
    ).option("topic", topic("strange")).save()
    with pytest.raises(AnalysisException, match="the one at offset 0 by something else"):
        strange.sql(create.replace(f"kafka.{name}", f"kafka.{name}3") + ")")


def test_columns_are_added_by_sparks_statement(
    spark: SparkSession, catalog: SparkSession, servers: Servers, topic: Topic
) -> None:
    """The subject of an inferred table gets another version, and older rows have NULL there."""
    name = topic("added")
    spark.sql(
        f"CREATE STREAM {name} (id INT KEY, v STRING) WITH (KAFKA_TOPIC = '{name}',"
        " VALUE_FORMAT = 'AVRO', PARTITIONS = 1)"
    )
    spark.sql(f"INSERT INTO {name} VALUES (1, 'a')")
    before = catalog.table(f"kafka.{name}").columns
    catalog.sql(f"ALTER TABLE kafka.{name} ADD COLUMNS (w BIGINT)")
    assert catalog.table(f"kafka.{name}").columns == [*before, "w"]
    assert [(row.v, row.w) for row in catalog.table(f"kafka.{name}").collect()] == [("a", None)]
    with urllib.request.urlopen(
        f"{servers.registry}/subjects/{name}-value/versions", timeout=PATIENCE_SECONDS
    ) as versions:
        assert json.load(versions) == [1, 2]


def test_joins_are_on_the_catalogs_cluster(catalog: SparkSession, topic: Topic) -> None:
    """Topics of joins, and the lag of their queries, are looked up in the catalog's cluster, the session's only one."""
    session = beside(catalog, (".schema.registry.url",))
    session.conf.unset("spark.kafkalyst.bootstrap.servers")
    session.conf.set("spark.kafkalyst.query.trigger", "available-now")
    orders, people, joined, both = (topic(name) for name in ("orders", "people", "joined", "both"))
    of = "VALUE_FORMAT = 'JSON', PARTITIONS = 1"
    session.sql(f"CREATE STREAM kafka.{orders} (k STRING KEY, amount INT) WITH ({of})")
    session.sql(f"CREATE TABLE kafka.{people} (k STRING PRIMARY KEY, name STRING) WITH ({of})")
    session.sql(f"INSERT INTO kafka.{people} VALUES ('a', 'Ada')")
    session.sql(f"INSERT INTO kafka.{orders} VALUES ('a', 1), ('b', 2)")
    session.sql(
        f"CREATE STREAM kafka.{joined} WITH (VALUE_FORMAT = 'JSON') AS SELECT o.k AS k, amount, name "
        f"FROM kafka.{orders} AS o LEFT JOIN kafka.{people} AS p ON o.k = p.k"
    )
    assert sorted(map(tuple, session.table(f"kafka.{joined}").collect())) == [("a", 1, "Ada"), ("b", 2, None)]
    session.sql(
        f"CREATE TABLE kafka.{both} WITH (VALUE_FORMAT = 'JSON') AS "
        f"SELECT k, count(*) AS n FROM kafka.{orders} GROUP BY k"
    )
    session.sql(f"INSERT INTO kafka.{orders} VALUES ('c', 3)")
    lags = {row["sink"]: row["lag"] for row in session.sql("SHOW QUERIES").collect()}
    assert (lags[f"kafka.{joined}"], lags[f"kafka.{both}"]) == (1, 1)


def test_a_bare_query_in_the_current_cluster(catalog: SparkSession, topic: Topic) -> None:
    """CREATE TABLE … AS SELECT after USE makes a table of the cluster; no kind of read has deleted rows."""
    session = beside(catalog, (".schema.registry.url",))
    session.conf.unset("spark.kafkalyst.bootstrap.servers")
    session.conf.set("spark.kafkalyst.query.trigger", "available-now")
    events, counted, latest = topic("events"), topic("counted"), topic("latest")
    session.sql("USE kafka")
    session.sql(f"CREATE STREAM {events} (k STRING KEY, v INT) WITH (VALUE_FORMAT = 'JSON', PARTITIONS = 1)")
    session.sql(f"INSERT INTO {events} VALUES ('a', 1), ('b', 2), ('a', 3)")
    session.sql(f"CREATE TABLE {counted} AS SELECT k, count(*) AS n FROM {events} GROUP BY k")
    assert sorted(map(tuple, session.sql(f"SELECT k, n FROM {counted}").collect())) == [("a", 2), ("b", 1)]
    assert counted in topics(session)
    session.sql(f"CREATE TABLE {latest} (k STRING PRIMARY KEY, v INT) WITH (VALUE_FORMAT = 'JSON', PARTITIONS = 1)")
    session.sql(f"INSERT INTO {latest} VALUES ('a', 1), ('b', 2)")
    session.sql(f"DELETE FROM {latest} WHERE k = 'a'")
    for rows in (session.table(latest), session.read.table(f"kafka.{latest}"), session.sql(f"SELECT * FROM {latest}")):
        assert list(map(tuple, rows.collect())) == [("b", 2)]
