"""The statements that dbt-spark issues by its session method, over streams: seeds, views, tables, incremental models.

They are as dbt writes them: with its comment in front, in lower case, and with names that begin with dbt_internal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession

from support.patience import PATIENCE_SECONDS

COMMENT = (
    '/* {"app": "dbt", "dbt_version": "1.11.2", "profile_name": "shop", "target_name": "dev", "node_id": "m"} */\n'
)
SCHEMA = "dbt_shop"


@pytest.fixture
def run(spark: SparkSession, topic: Callable[[str], str]) -> Iterator[Callable[[str], DataFrame]]:
    """Runs a statement as dbt does, in a new schema with a stream `orders` of two rows."""

    def statement(text: str) -> DataFrame:
        return spark.sql(f"{COMMENT}\n  {text}\n")

    statement(f"create schema if not exists {SCHEMA}")
    spark.sql(f"""CREATE STREAM {SCHEMA}.orders (k INT KEY, v STRING)
                  WITH (KAFKA_TOPIC = '{topic("dbt")}', VALUE_FORMAT = 'JSON', PARTITIONS = 1)""")
    spark.sql(f"INSERT INTO {SCHEMA}.orders VALUES (1, 'a'), (2, 'b')")
    yield statement
    statement(f"drop schema if exists {SCHEMA} cascade")


def rows(frame: DataFrame) -> list[tuple[object, ...]]:
    """A result's rows, in order."""
    return sorted(tuple(row) for row in frame.collect())


def test_relations(run: Callable[[str], DataFrame]) -> None:
    """dbt's listings and descriptions: it sees a stream as a table."""
    assert (SCHEMA,) in rows(run("show databases"))
    listed = run(f"show table extended in {SCHEMA} like '*'").collect()
    assert [row.tableName for row in listed] == ["orders"]
    assert "Provider: kafkalyst" in listed[0].information
    described = rows(run(f"describe extended {SCHEMA}.orders"))
    assert ("k", "INT", None) in [(name, kind, None) for name, kind, *_ in described]


def test_seed(run: Callable[[str], DataFrame]) -> None:
    """A seed of values, joined with a stream."""
    run(f"drop table if exists {SCHEMA}.names")
    run(f"create table {SCHEMA}.names (k bigint, name string) using parquet")
    run(f"insert into {SCHEMA}.names values (cast(1 as bigint), cast('one' as string)), (2, 'two')")
    joined = f"select o.v, n.name from {SCHEMA}.orders o join {SCHEMA}.names n on o.k = n.k"
    assert rows(run(joined)) == [("a", "one"), ("b", "two")]


def test_view_and_tests(run: Callable[[str], DataFrame]) -> None:
    """A view over a stream shows its topic's current records; dbt's tests count failures."""
    run(f"create or replace view {SCHEMA}.large as\n    select k, upper(v) as v from {SCHEMA}.orders where k > 1")
    assert rows(run(f"select * from {SCHEMA}.large")) == [(2, "B")]
    run(f"insert into {SCHEMA}.orders values (3, null)")
    assert rows(run(f"select * from {SCHEMA}.large")) == [(2, "B"), (3, None)]
    failures = """select count(*) as failures, count(*) != 0 as should_warn, count(*) != 0 as should_error
                  from (\n    select v\n    from {0}.orders\n    where v is null\n    ) dbt_internal_test"""
    assert rows(run(failures.format(SCHEMA))) == [(1, True, True)]
    unique = """select count(*) as failures from (select k as unique_field, count(*) as n_records from {0}.orders
                where k is not null group by k having count(*) > 1) dbt_internal_test"""
    assert rows(run(unique.format(SCHEMA))) == [(0,)]


def test_table_and_incremental(run: Callable[[str], DataFrame]) -> None:
    """An incremental model appends the offsets that its table does not have."""
    columns = f"select k, v, ROWPARTITION as p, ROWOFFSET as o from {SCHEMA}.orders"
    run(f"create table {SCHEMA}.landed using parquet partitioned by (p) as\n      {columns}")
    for more in ("(3, 'c'), (4, 'd')", "(5, 'e')"):
        run(f"insert into {SCHEMA}.orders values {more}")
        run(f"""create or replace temporary view landed__dbt_tmp as
                {columns} where ROWOFFSET > (select max(o) from {SCHEMA}.landed)""")
        run("describe landed__dbt_tmp")
        run(f"insert into table {SCHEMA}.landed\n    select `k`, `v`, `o`, `p` from landed__dbt_tmp")
    landed = rows(run(f"select k, v, o from {SCHEMA}.landed"))
    assert landed == [(1, "a", 0), (2, "b", 1), (3, "c", 2), (4, "d", 3), (5, "e", 4)]
    run(f"drop table if exists {SCHEMA}.landed")


def test_streaming_dataframes(run: Callable[[str], DataFrame], spark: SparkSession, tmp_path: Path) -> None:
    """A stream through foreachBatch and toTable; each run of Trigger.AvailableNow reads the new records."""
    batches = list[tuple[int, list[tuple[object, ...]]]]()

    def drain(kind: str) -> None:
        writer = spark.readStream.table(f"{SCHEMA}.orders").select("k", "v").writeStream.trigger(availableNow=True)
        writer = writer.option("checkpointLocation", f"{tmp_path}/{kind}")
        if kind == "batches":
            writer = writer.foreachBatch(lambda frame, number: batches.append((number, rows(frame))))
            query = writer.start()
        else:
            query = writer.toTable(f"{SCHEMA}.{kind}", format="parquet")
        assert query.awaitTermination(PATIENCE_SECONDS)

    spark.conf.set("spark.kafkalyst.query.offset.reset", "earliest")
    try:
        for kind in ("batches", "landed"):
            drain(kind)
        run(f"insert into {SCHEMA}.orders values (3, 'c')")
        for kind in ("batches", "landed"):
            drain(kind)
            drain(kind)
    finally:
        spark.conf.unset("spark.kafkalyst.query.offset.reset")
    assert batches == [(0, [(1, "a"), (2, "b")]), (1, [(3, "c")])]
    assert rows(run(f"select * from {SCHEMA}.landed")) == [(1, "a"), (2, "b"), (3, "c")]


def test_static_side(run: Callable[[str], DataFrame], spark: SparkSession, topic: Callable[[str], str]) -> None:
    """A continuous query joins a stream with a table of another format, which each batch reads again."""
    run(f"create table {SCHEMA}.names (k int, name string) using parquet")
    run(f"insert into {SCHEMA}.names values (1, 'one'), (2, 'two')")
    spark.sql(f"""CREATE STREAM {SCHEMA}.named WITH (KAFKA_TOPIC = '{topic("named")}', VALUE_FORMAT = 'JSON')
                  AS SELECT o.k, o.v, n.name FROM {SCHEMA}.orders o JOIN {SCHEMA}.names n ON o.k = n.k EMIT CHANGES""")
    (query,) = [q for q in spark.streams.active if "NAMED" in (q.name or "")]
    query.processAllAvailable()
    assert rows(run(f"select k, v, name from {SCHEMA}.named")) == [(1, "a", "one"), (2, "b", "two")]
    spark.sql(f"DROP STREAM {SCHEMA}.named")
