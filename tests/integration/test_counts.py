"""COUNT(*) of a topic: tasks count, with the same result as a query over rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest
from pyspark.sql import SparkSession

from kafkalyst import serdes
from support.frames import metric

if TYPE_CHECKING:
    from conftest import Servers

COUNTED = "rows counted by its tasks"
JSON = "VALUE_FORMAT = 'JSON', PARTITIONS = 2"


def plan(spark: SparkSession, query: str) -> str:
    """The output of EXPLAIN for a query."""
    (row,) = spark.sql(f"EXPLAIN {query}").collect()
    return str(row[0])


def value(spark: SparkSession, query: str) -> object:
    """The single value of a query."""
    ((only,),) = spark.sql(query).collect()
    return only


def declare(spark: SparkSession, name: str, kind: str, columns: str, properties: str = JSON) -> None:
    """Declares a stream or table over its own topic."""
    spark.sql(f"CREATE {kind} {name} ({columns}) WITH (KAFKA_TOPIC = '{name}', {properties})")


@pytest.fixture
def stream(spark: SparkSession, topic: Callable[[str], str]) -> str:
    """A stream of five rows in three partitions, one of them without a value."""
    name = topic("counted")
    declare(spark, name, "STREAM", "k STRING KEY, v INT", "VALUE_FORMAT = 'JSON', KEY_FORMAT = 'KAFKA', PARTITIONS = 3")
    spark.sql(f"INSERT INTO {name} VALUES ('a', 1), ('b', 2), ('c', NULL), (NULL, 4), ('e', 5)")
    return name


@pytest.mark.parametrize("count", ["count(*)", "count(1)", "count(*) + 1 - 1", "coalesce(count(*), -1)"])
def test_tasks_count_all_rows(spark: SparkSession, stream: str, count: str) -> None:
    """Each task returns one number, after reading all records."""
    query = f"SELECT {count} FROM {stream}"
    assert value(spark, query) == 5
    assert COUNTED in plan(spark, query)
    frame = spark.sql(query)
    assert metric(frame, "recordsFetched") == 5
    assert spark.table(stream).count() == 5


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("SELECT count(*) FROM {0} WHERE v > 1", 3),
        ("SELECT count(*) FROM {0} WHERE ROWOFFSET >= 0", 5),
        ("SELECT count(v) FROM {0}", 4),
        ("SELECT count(DISTINCT v) FROM {0}", 4),
        ("SELECT count(*) FILTER (WHERE v > 1) FROM {0}", 3),
        ("SELECT count(*) + coalesce(sum(v), 0) FROM {0}", 17),
        ("SELECT count(*) FROM (SELECT v FROM {0} LIMIT 2)", 2),
        ("SELECT max(n) FROM (SELECT k, count(*) AS n FROM {0} GROUP BY k)", 1),
    ],
)
def test_what_needs_the_rows_has_them(spark: SparkSession, stream: str, query: str, expected: int) -> None:
    """A filter, another aggregate, a group or a limit is Spark's work, over rows."""
    assert value(spark, query.format(stream)) == expected
    assert COUNTED not in plan(spark, query.format(stream))


def test_within_other_queries(spark: SparkSession, stream: str) -> None:
    """Counts work wherever a query can be."""
    both = f"SELECT count(*) AS n FROM {stream} UNION ALL SELECT count(*) FROM {stream}"
    assert value(spark, f"SELECT sum(n) FROM ({both})") == 10
    assert value(spark, f"SELECT count(*) FROM {stream} WHERE v = (SELECT count(*) FROM {stream})") == 1
    assert spark.sql(f"SELECT count(*) FROM {stream} HAVING count(*) > 5").collect() == []


def test_nothing_is_zero(spark: SparkSession, topic: Callable[[str], str]) -> None:
    """A topic without records needs no task, and the count is 0, not null."""
    name = topic("counted_none")
    declare(spark, name, "STREAM", "v INT")
    assert value(spark, f"SELECT count(*) FROM {name}") == 0
    assert spark.table(name).count() == 0


def test_a_table_counts_its_keys(spark: SparkSession, topic: Callable[[str], str]) -> None:
    """Superseded records and deleted rows do not count."""
    name = topic("counted_table")
    declare(spark, name, "TABLE", "k INT PRIMARY KEY, v INT")
    spark.sql(f"INSERT INTO {name} VALUES (1, 1), (2, 2), (3, 3), (1, 4)")
    spark.sql(f"DELETE FROM {name} WHERE k = 2")
    assert value(spark, f"SELECT count(*) FROM {name}") == 2


def test_an_event_counts_its_rows(spark: SparkSession, servers: Servers, topic: Callable[[str], str]) -> None:
    """An update of Debezium counts as two changes, a tombstone as none."""
    name = topic("counted_events")
    declare(spark, name, "STREAM", "v INT", "VALUE_FORMAT = 'DEBEZIUM_JSON', PARTITIONS = 1")
    events = [
        b'{"before": null, "after": {"v": 1}, "op": "c"}',
        b'{"before": {"v": 1}, "after": {"v": 2}, "op": "u"}',
        None,
    ]
    serdes.produce(servers.kafka, name, [(None, event) for event in events])
    assert value(spark, f"SELECT count(*) FROM {name}") == len(spark.table(name).collect()) == 3


def test_bad_records_count_as_rows_do(spark: SparkSession, servers: Servers, topic: Callable[[str], str]) -> None:
    """A side without requested columns is not decoded, so a record with a bad value counts as a row."""
    name = topic("counted_bad")
    declare(spark, name, "STREAM", "v INT", "VALUE_FORMAT = 'JSON', PARTITIONS = 1, ON_ERROR = 'skip'")
    serdes.produce(servers.kafka, name, [(None, text) for text in (b'{"v": 1}', b"{", b'{"v": 2}')])
    assert value(spark, f"SELECT count(*) FROM {name}") == spark.sql(f"SELECT ROWOFFSET FROM {name}").count() == 3
