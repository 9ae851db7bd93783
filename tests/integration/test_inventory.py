"""Exports of a catalog's definitions, and reports of leftovers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from confluent_kafka.admin import AdminClient
from pyspark.sql import DataFrame, SparkSession

import kafkalyst
from kafkalyst import inventory, serdes
from kafkalyst.script import words
from support.fake_registry import http, raw_server
from support.records import eventually

if TYPE_CHECKING:
    from conftest import Servers


@pytest.fixture
def database(spark: SparkSession, topic: Callable[[str], str]) -> Iterator[str]:
    """A new database, as the current one."""
    name = topic("inventory")
    before = spark.catalog.currentDatabase()
    spark.sql(f"CREATE DATABASE {name}")
    spark.sql(f"USE {name}")
    spark.conf.set("spark.kafkalyst.query.trigger", "available-now")
    yield name
    spark.conf.unset("spark.kafkalyst.query.trigger")
    spark.sql("TERMINATE ALL")
    spark.sql(f"USE {before}")
    spark.sql(f"DROP DATABASE {name} CASCADE")


def delete(kafka: str, *topics: str) -> None:
    """Deletes topics, and waits until the broker does not know them any more."""
    admin = AdminClient({"bootstrap.servers": kafka})
    for deleted in admin.delete_topics(list(topics)).values():
        deleted.result()
    eventually(lambda: not set(topics) & set(admin.list_topics(timeout=30).topics))


def test_export(spark: SparkSession, servers: Servers, database: str, tmp_path: Path) -> None:
    """Sources precede their readers, and the script recreates everything, queries included."""
    spark.sql("CREATE TYPE amount AS DECIMAL(10, 2)")
    spark.sql("CREATE TYPE place AS STRUCT<street STRING, at ARRAY<STRUCT<x DOUBLE, y DECIMAL(4, 1)>>>")
    spark.sql(
        f"CREATE STREAM z_orders (id INT KEY, status STRING) WITH (KAFKA_TOPIC = '{database}.orders', "
        "VALUE_FORMAT = 'AVRO', PARTITIONS = 1, ON_ERROR = 'dead-letter')"
    )
    spark.sql("INSERT INTO z_orders VALUES (1, 'PAID'), (2, 'NEW')")
    paid = "SELECT id, status, CAST(id AS amount) AS price FROM z_orders WHERE status = 'PAID'"
    spark.sql(f"CREATE STREAM m_paid WITH (KAFKA_TOPIC = '{database}.paid') AS {paid} EMIT CHANGES")
    spark.sql(
        f"CREATE TABLE a_counts WITH (KAFKA_TOPIC = '{database}.counts') AS "
        "SELECT id, count(*) AS n FROM m_paid GROUP BY id EMIT CHANGES"
    )
    spark.sql(
        f"CREATE STREAM b_all (id INT KEY, status STRING) WITH (KAFKA_TOPIC = '{database}.all', VALUE_FORMAT = 'JSON', "
        "PARTITIONS = 1)"
    )
    spark.sql("INSERT INTO b_all SELECT * FROM z_orders EMIT CHANGES")
    names = ("a_counts", "b_all", "m_paid", "z_orders")

    def own_queries() -> DataFrame:
        return spark.sql("SHOW QUERIES EXTENDED").where(f"sink LIKE '{database}.%'")

    def seen() -> list[object]:
        tables = [sorted(tuple(row) for row in spark.table(name).collect()) for name in names]
        queries = own_queries().select("sink", "statement", "state").collect()
        columns = [spark.sql(f"DESCRIBE {name}").collect() for name in names]
        return [*tables, sorted(queries), columns]

    before, script = seen(), kafkalyst.export(spark, database)
    places = [script.index(text) for text in (f"{database}.orders", "CREATE STREAM m_paid", "CREATE TABLE a_counts")]
    assert places == sorted(places)
    types = [tuple(row) for row in spark.sql("SHOW TYPES").collect()]
    for name in ("amount", "place"):
        spark.sql(f"DROP TYPE {name}")
    for name in names:
        spark.sql(f"DROP TABLE {name}")
    assert own_queries().count() == 0
    delete(servers.kafka, *(f"{database}.{name}" for name in ("paid", "counts", "all")))
    serdes.create_topic(servers.kafka, f"{database}.all", 1)
    file = tmp_path / "all.sql"
    file.write_text(script, encoding="utf-8")
    said: list[object] = []
    kafkalyst.import_script(spark, file, said.append)
    assert len(said) == 8 and all(
        str(line).startswith(("kept CREATE DATABASE", "create ", "run INSERT", "run CREATE TYPE")) for line in said
    ), said
    assert seen() == before
    assert len(types) == 2 and [tuple(row) for row in spark.sql("SHOW TYPES").collect()] == types
    said.clear()
    kafkalyst.import_script(spark, file, said.append)
    assert len(said) == 8 and all(str(line).startswith("kept ") for line in said), said
    assert seen() == before


def test_export_of_a_dialect(spark: SparkSession, servers: Servers, database: str, tmp_path: Path) -> None:
    """A query of ksqlDB's dialect is one of it after the import, and the session keeps its own."""
    spark.sql(
        f"CREATE STREAM A (K STRING KEY) WITH (KAFKA_TOPIC = '{database}.a', VALUE_FORMAT = 'JSON', PARTITIONS = 1)"
    )
    spark.conf.set("spark.kafkalyst.dialect", "ksqldb")
    spark.sql(f"CREATE STREAM B WITH (KAFKA_TOPIC = '{database}.b') AS SELECT K, LEN(K) AS N FROM A")
    spark.conf.unset("spark.kafkalyst.dialect")

    def shown() -> list[tuple[object, ...]]:
        rows = spark.sql("SHOW QUERIES EXTENDED").where(f"sink ILIKE '{database}.%'").select("query_id", "statement")
        (query,) = rows.collect()
        told = spark.sql(f"EXPLAIN {query['query_id']}").collect()
        return [query["statement"], *(tuple(row) for row in told if str(row[0]).startswith("with "))]

    before, script = shown(), kafkalyst.export(spark, database)
    assert ("with spark.kafkalyst.dialect", "ksqldb") in before
    spark.sql("DROP STREAM B")
    delete(servers.kafka, f"{database}.b")
    (tmp_path / "all.sql").write_text(script, encoding="utf-8")
    kafkalyst.import_script(spark, tmp_path / "all.sql", lambda line: None)
    assert shown() == before
    assert spark.conf.get("spark.kafkalyst.dialect", None) is None


def test_export_of_any_settings(spark: SparkSession, servers: Servers, database: str, tmp_path: Path) -> None:
    """Settings' names and values, and comments behind statements, neither break the script nor add statements to it."""
    spark.sql(f"CREATE STREAM a (v INT) WITH (KAFKA_TOPIC = '{database}.a', VALUE_FORMAT = 'JSON', PARTITIONS = 1)")
    kept = {
        "spark.kafkalyst.sink.delivery-guarantee": "exactly-once",
        "ksql.functions.x`;\nDROP STREAM a": "1;\nDROP STREAM a DELETE TOPIC",
        "ksql.functions.quotes": "`;'\"",
        "ksql.functions.empty": "",
    }
    for name, value in kept.items():
        spark.conf.set(name, value)
    spark.sql(f"CREATE STREAM b WITH (KAFKA_TOPIC = '{database}.b') AS SELECT v FROM a -- a note")
    for name in kept:
        spark.conf.unset(name)

    def shown() -> dict[str, str]:
        (query,) = spark.sql("SHOW QUERIES EXTENDED").where(f"sink ILIKE '{database}.%'").collect()
        return {row[0]: row[1] for row in spark.sql(f"EXPLAIN {query['query_id']}").collect()}

    before, script = shown(), kafkalyst.export(spark, database)
    assert {name: before[f"with {name}"] for name in kept} == kept
    assert {words(statement.text)[0] for statement in kafkalyst.split(script)} == {"USE", "CREATE", "SET", "RESET"}
    spark.sql("DROP STREAM b")
    delete(servers.kafka, f"{database}.b")
    (tmp_path / "all.sql").write_text(script, encoding="utf-8")
    kafkalyst.import_script(spark, tmp_path / "all.sql", lambda line: None)
    after = shown()
    assert {name: after[f"with {name}"] for name in kept} == kept
    assert not [name for name in kept if spark.conf.get(name, None) is not None]


def test_export_of_foreign_texts(spark: SparkSession, database: str, tmp_path: Path) -> None:
    """What others write into a database's properties is no statement; an import refuses what no export writes."""
    spark.sql("CREATE TYPE amount AS INT")
    spark.sql(
        f"ALTER DATABASE {database} SET DBPROPERTIES "
        "('note' = 'x), (kafkalyst.type.t1,INT; DROP STREAM u1 DELETE TOPIC')"
    )
    script = kafkalyst.export(spark, database)
    assert [words(statement.text)[0] for statement in kafkalyst.split(script)] == ["USE", "CREATE", "USE", "CREATE"]
    assert "AMOUNT AS INT" in script
    for text in ("INT; DROP STREAM u1 DELETE TOPIC", "`INT", "'x"):
        with pytest.raises(ValueError, match="is not one CREATE or INSERT statement"):
            inventory._one(f"CREATE TYPE t2 AS {text}", "The type t2")
    begun = ["CREATE TYPE t2 AS INT /*"]
    with pytest.raises(ValueError, match="leaves a comment or quote open"):
        inventory._script([["USE a"], begun, ["CREATE STREAM s COMMENT '*/; DROP STREAM u1; --'"]])
    (tmp_path / "all.sql").write_text(f"{script}\nDROP DATABASE {database};", encoding="utf-8")
    said: list[str] = []
    with pytest.raises(kafkalyst.ScriptError, match="An import runs CREATE, INSERT, RESET, SET, USE only"):
        kafkalyst.import_script(spark, tmp_path / "all.sql", said.append)
    assert said == []


def test_from_another_catalog(spark: SparkSession, database: str, tmp_path: Path) -> None:
    """Where the session is in a cluster's catalog, all is still about its own; and it stays there."""
    spark.sql(
        f"CREATE STREAM here (v INT) WITH (KAFKA_TOPIC = '{database}.here', VALUE_FORMAT = 'JSON', PARTITIONS = 1)"
    )
    file, said = tmp_path / "all.sql", list[str]()
    spark.sql("USE kafka")
    try:
        script = kafkalyst.export(spark, database)
        assert f"{database}.here" in script and f"{database}.here" not in {
            row["name"] for row in kafkalyst.doctor(spark).collect()
        }
        spark.sql(f"DROP TABLE spark_catalog.{database}.here")
        file.write_text(script, encoding="utf-8")
        kafkalyst.import_script(spark, file, said.append)
        assert spark.catalog.currentCatalog() == "kafka" and [line.split()[0] for line in said] == ["kept", "create"], (
            said
        )
        assert spark.table(f"spark_catalog.{database}.here").columns == ["v"]
    finally:
        spark.sql(f"USE spark_catalog.{database}")


def test_doctor(spark: SparkSession, servers: Servers, database: str, spark_conf: dict[str, object]) -> None:
    """Each kind of leftover is found, used objects are not, and nothing is changed."""
    spark.sql(
        f"CREATE STREAM orders (id INT KEY, v STRING) WITH (KAFKA_TOPIC = '{database}.orders', VALUE_FORMAT = 'AVRO', "
        "PARTITIONS = 1)"
    )
    spark.sql(f"CREATE STREAM paid WITH (KAFKA_TOPIC = '{database}.paid') AS SELECT * FROM orders EMIT CHANGES")
    spark.sql(
        f"CREATE STREAM lost (v STRING) WITH (KAFKA_TOPIC = '{database}.lost', VALUE_FORMAT = 'JSON', PARTITIONS = 1)"
    )
    delete(servers.kafka, f"{database}.lost")
    serdes.create_topic(servers.kafka, f"{database}.unread", 1)
    serdes.Registry(servers.registry).register(f"{database}-nobody", serdes.Schema('"string"'))
    orphan = Path(str(spark_conf["spark.kafkalyst.query.checkpoint.root"])) / f"{database}-orphan"
    orphan.mkdir(parents=True)
    (orphan / "metadata").write_text('{"id":"1"}')
    found = {(row["kind"], row["name"]): row for row in kafkalyst.doctor(spark).collect()}
    assert ("topic", f"{database}.unread") in found
    assert ("subject", f"{database}-nobody") in found
    assert ("checkpoint", str(orphan)) in found
    assert "does not exist" in found["object", f"{database}.lost"]["found"]
    names = {name for _, name in found}
    assert not names & {f"{database}.orders", f"{database}.paid", f"{database}.orders-value", f"{database}.paid-value"}
    used = {row["checkpoint"].removeprefix("file:") for row in spark.sql("SHOW QUERIES EXTENDED").collect()}
    assert len(used) == 1 and not names & used
    assert (orphan / "metadata").exists()
    assert kafkalyst.doctor(spark).count() == len(found)


def test_doctor_uses_the_sessions_registry(spark: SparkSession, servers: Servers) -> None:
    """doctor uses all addresses and the login of the session; if that fails, it says what to check."""
    settings = "spark.kafkalyst.schema.registry."
    before = spark.conf.get(f"{settings}url")
    try:
        spark.conf.set(f"{settings}url", f"http://127.0.0.1:1,{before}")
        assert not [row for row in kafkalyst.doctor(spark).collect() if row["found"].startswith("not checked")]
        spark.conf.set(f"{settings}basic.auth.user.info", "me:secret")
        registry = inventory._registry(spark)
        assert registry is not None
        assert registry._addresses == [("http://127.0.0.1:1", "me:secret"), (before, "me:secret")]
        spark.conf.unset(f"{settings}basic.auth.user.info")
        spark.conf.set(f"{settings}bearer.auth.token", "secret")
        token = inventory._registry(spark)
        assert token is not None and token._token == "secret"
        spark.conf.unset(f"{settings}bearer.auth.token")
        spark.conf.set(f"{settings}url", "http://127.0.0.1:1")
        (finding,) = list(inventory._subjects(spark, []))
        assert finding[2].startswith("not checked: ") and "check the address and the login" in finding[3]
    finally:
        spark.conf.set(f"{settings}url", before)


def test_doctor_sends_no_login_that_spark_refuses_to_send(spark: SparkSession) -> None:
    """Spark decides first, because only it knows the application's own settings and the lock."""
    settings = "spark.kafkalyst.schema.registry."
    before = spark.conf.get(f"{settings}url")
    with raw_server([http("[]")]) as (address, requests):
        try:
            spark.conf.set(f"{settings}url", address)
            spark.conf.set(f"{settings}basic.auth.user.info", "me:secret")
            spark.conf.set(f"{settings}bearer.auth.token", "secret")
            (finding,) = list(inventory._subjects(spark, []))
        finally:
            for name in ("basic.auth.user.info", "bearer.auth.token"):
                spark.conf.unset(settings + name)
            spark.conf.set(f"{settings}url", before)
    assert finding[2].startswith("not checked: [KAFKALYST_REGISTRY_SETTINGS]")
    assert requests == []
