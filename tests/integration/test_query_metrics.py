"""Metrics of continuous queries in Spark's metrics system, read by JMX."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pyspark.sql import SparkSession

from kafkalyst import serdes
from support.records import eventually

if TYPE_CHECKING:
    from conftest import Servers

RESTARTS = {"restart.attempts": "1", "restart.backoff": "100 MILLISECONDS"}


def gauges(spark: SparkSession, query: str) -> dict[str, Any]:
    """The gauges of one query, by name, from the JVM's MBean server."""
    jvm: Any = spark._jvm
    pattern = jvm.javax.management.ObjectName(f"metrics:name=*.kafkalyst.{query}.*,type=gauges")
    return {
        name.getKeyProperty("name").split(f".{query}.")[1].strip('"'): _asked(spark, "getAttribute", name, "Value")
        for name in _asked(spark, "queryNames", pattern, None)
    }


def _asked(spark: SparkSession, method: str, name: Any, more: str | None) -> Any:
    """Calls the MBean server by its interface, because its class is not public."""
    jvm: Any = spark._jvm
    gateway: Any = spark.sparkContext._gateway
    types = ["javax.management.ObjectName", "java.lang.String" if more else "javax.management.QueryExp"]
    classes, arguments = gateway.new_array(jvm.java.lang.Class, 2), gateway.new_array(jvm.java.lang.Object, 2)
    for n, (of, argument) in enumerate(zip(types, (name, more), strict=True)):
        classes[n], arguments[n] = jvm.java.lang.Class.forName(of), argument
    found = jvm.java.lang.Class.forName("javax.management.MBeanServer").getMethod(method, classes)
    return found.invoke(jvm.java.lang.management.ManagementFactory.getPlatformMBeanServer(), arguments)


def test_gauges(spark: SparkSession, servers: Servers, topic: Callable[[str], str]) -> None:
    """Each gauge of a query with a bad record, and of one that fails."""
    name = topic("gauges")
    serdes.create_topic(servers.kafka, name, 1)
    records = [(None, b'{"a": 1}'), (None, b"no JSON"), (None, b'{"a": 2}'), (None, b'{"a": 3}')]
    serdes.produce(servers.kafka, name, records)
    declared = f"CREATE STREAM {{}} (a INT) WITH (KAFKA_TOPIC = '{name}', VALUE_FORMAT = 'JSON'{{}})"
    spark.sql(declared.format(f"{name}_kept", ", ON_ERROR = 'dead-letter'"))
    spark.sql(declared.format(f"{name}_strict", ""))
    for setting, value in RESTARTS.items():
        spark.conf.set(f"spark.kafkalyst.query.{setting}", value)
    try:
        kept, fails = (
            str(
                spark.sql(f"CREATE STREAM {name}_{of}_out AS SELECT a FROM {name}_{of} WHERE a > 1").first()["query_id"]
            )
            for of in ("kept", "strict")
        )
        eventually(lambda: gauges(spark, kept).get("records.written") == 2 and gauges(spark, kept)["lag"] == 0)
        found = gauges(spark, kept)
        positive = {name: found.pop(f"{name}.milliseconds") for name in ("batch", "commit", "last_success")}
        assert positive["last_success"] > 1_700_000_000_000 and min(positive.values()) >= 0, positive
        assert found == {
            "running": 1,
            "failed": 0,
            "restarts": 0,
            "records.read": 4,
            "records.decoded": 3,
            "records.bad": 1,
            "records.dead_lettered": 1,
            "records.written": 2,
            "lag": 0,
            f"lag.{name}.0": 0,
        }
        eventually(lambda: gauges(spark, fails)["failed"] == 1)
        found = gauges(spark, fails)
        assert {name: found[name] for name in ("running", "restarts", "records.written")} == {
            "running": 0,
            "restarts": 1,
            "records.written": 0,
        }
        for query in (kept, fails):
            spark.sql(f"TERMINATE {query}")
            assert gauges(spark, query) == {}
    finally:
        for setting in RESTARTS:
            spark.conf.unset(f"spark.kafkalyst.query.{setting}")
        spark.sql("TERMINATE ALL")
