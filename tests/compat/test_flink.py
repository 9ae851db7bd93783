"""Records that Flink itself wrote and reads: one DDL and one INSERT, run there and here."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple

import pytest
from confluent_kafka.admin import AdminClient, NewTopic
from pyspark.sql import SparkSession

from support.flink import Flink, flink, is_here
from support.records import messages

if TYPE_CHECKING:
    from conftest import Servers

pytestmark = pytest.mark.skipif(not is_here(), reason="Flink is fetched by `make flink-test` only")

PARTITIONS = 3
SCALARS = {
    "a": ("BOOLEAN", "TRUE", "FALSE"),
    "b": ("TINYINT", "CAST(-7 AS TINYINT)", "CAST(127 AS TINYINT)"),
    "c": ("SMALLINT", "CAST(300 AS SMALLINT)", "CAST(-32768 AS SMALLINT)"),
    "d": ("INT", "CAST(70000 AS INT)", "CAST(-1 AS INT)"),
    "e": ("BIGINT", "CAST(5000000000 AS BIGINT)", "CAST(0 AS BIGINT)"),
    "f": ("FLOAT", "CAST(1.5 AS FLOAT)", "CAST(-0.1 AS FLOAT)"),
    "g": ("DOUBLE", "CAST(0.1 AS DOUBLE)", "CAST(1234567890123 AS DOUBLE)"),
    "h": ("DECIMAL(10, 2)", "CAST(12.30 AS DECIMAL(10, 2))", "CAST(-0.05 AS DECIMAL(10, 2))"),
    "i": ("STRING", "'a, \"b\" é'", "''"),
    "j": ("BYTES", "CAST('xyz' AS BYTES)", "CAST('' AS BYTES)"),
    "k": ("DATE", "DATE '2024-02-29'", "DATE '1969-12-31'"),
    "l": (
        "TIMESTAMP(3)",
        "CAST('2024-01-02 03:04:05.678' AS TIMESTAMP(3))",
        "CAST('1969-12-31 23:59:59' AS TIMESTAMP(3))",
    ),
}
NESTED = {
    "id": ("INT", "1", "2"),
    "xs": ("ARRAY<INT>", "ARRAY[1, 2]", "ARRAY[3]"),
    "m": ("MAP<STRING, INT>", "MAP['x', 1]", "MAP['y', 2]"),
    "r": ("ROW<n INT, s STRING>", "ROW(1, 'one')", "ROW(2, 'two')"),
}
KEYED = {
    "id": ("INT", "1", "2"),
    "k2": ("STRING", "'a'", "'b'"),
    "v": ("STRING", "'x'", "'y'"),
    "w": ("BIGINT", "CAST(10 AS BIGINT)", "CAST(20 AS BIGINT)"),
}
UNICODE = {"s": ("STRING", "'plain'", "'ünï'")}
AVRO = {name: column for name, column in SCALARS.items() if name not in ("b", "c")}


class Case(NamedTuple):
    """Columns with their type and two values, the options of the DDL, and a constraint."""

    columns: dict[str, tuple[str, str, str]]
    options: dict[str, str]
    more: str = ""


def keyed(key: str, value: str, **options: str) -> dict[str, str]:
    """Options of a table with a key."""
    return {
        "key.format": key,
        "key.fields": "id;k2",
        "value.format": value,
        **{k.replace("_", "-"): v for k, v in options.items()},
    }


CASES = {
    "json": Case(SCALARS, {"format": "json"}),
    "json-iso": Case(SCALARS, {"format": "json", "json.timestamp-format.standard": "ISO-8601"}),
    "json-nested": Case(NESTED, {"format": "json"}),
    "csv": Case(SCALARS, {"format": "csv"}),
    "csv-odd": Case(SCALARS, {"format": "csv", "csv.field-delimiter": ";", "csv.quote-character": "'"}),
    "avro": Case(AVRO, {"format": "avro"}),
    "avro-nested": Case(NESTED, {"format": "avro"}),
    "avro-confluent": Case(AVRO, {"format": "avro-confluent"}),
    "avro-confluent-nested": Case(NESTED, {"format": "avro-confluent"}),
    "raw": Case(UNICODE, {"format": "raw"}),
    "raw-latin": Case(UNICODE, {"format": "raw", "raw.charset": "ISO-8859-1"}),
    "raw-int": Case({"s": ("INT", "1", "-2")}, {"format": "raw", "raw.endianness": "little-endian"}),
    "debezium": Case(KEYED, {"format": "debezium-json"}),
    "canal": Case(KEYED, {"format": "canal-json"}),
    "maxwell": Case(KEYED, {"format": "maxwell-json"}),
    "ogg": Case(KEYED, {"format": "ogg-json"}),
    "debezium-avro": Case(KEYED, {"format": "debezium-avro-confluent"}),
    "keys-json": Case(KEYED, keyed("json", "json", value_fields_include="x")),
    "keys-csv": Case(KEYED, keyed("csv", "json")),
    "keys-avro": Case(KEYED, keyed("avro", "avro")),
    "keys-confluent": Case(KEYED, keyed("avro-confluent", "avro-confluent")),
    "keys-raw": Case(KEYED, {"key.format": "raw", "key.fields": "k2", "value.format": "json"}),
    "keys-raw-int": Case(KEYED, {"key.format": "raw", "key.fields": "id", "value.format": "json"}),
    "upsert": Case(
        KEYED,
        {"connector": "upsert-kafka", "key.format": "json", "value.format": "json"},
        ", PRIMARY KEY (id) NOT ENFORCED",
    ),
    "upsert-confluent": Case(
        KEYED,
        {"connector": "upsert-kafka", "key.format": "avro-confluent", "value.format": "avro-confluent"},
        ", PRIMARY KEY (id, k2) NOT ENFORCED",
    ),
}
CASES["keys-json"].options.pop("value-fields-include")
for part in ("EXCEPT_KEY",):
    CASES[f"keys-json-{part}"] = Case(KEYED, {**keyed("json", "json"), "value.fields-include": part})
CASES["keys-prefix"] = Case(
    {"k_id" if n == "id" else n: c for n, c in KEYED.items()},
    {
        "key.format": "json",
        "key.fields": "k_id",
        "key.fields-prefix": "k_",
        "value.format": "json",
        "value.fields-include": "EXCEPT_KEY",
    },
)


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Flink]:
    """One Flink for all cases."""
    with flink(tmp_path_factory.mktemp("flink") / "log") as running:
        yield running


def definition(case: Case, topic: str, servers: Servers, *, is_flink: bool) -> str:
    """The DDL, which is the same but for addresses."""
    columns = ", ".join(f"`{name}` {kind}" for name, (kind, *_) in case.columns.items())
    options = {"connector": "kafka", "topic": topic, "properties.bootstrap.servers": servers.kafka, **case.options}
    for name, value in case.options.items():
        if name.endswith("format") and value.endswith("confluent"):
            side = name.removesuffix("format")
            options[f"{side}{value}.url"] = servers.registry
    if options["connector"] == "kafka":
        options |= {"scan.startup.mode": "earliest-offset", "scan.bounded.mode": "latest-offset"}
    elif is_flink:
        options["scan.bounded.mode"] = "latest-offset"
    given = ", ".join(f"'{key}' = '{value}'" for key, value in options.items())
    return f"CREATE TABLE {topic} ({columns}{case.more}) WITH ({given})"


def rows(case: Case) -> list[str]:
    """Two rows and, where a column may be NULL, one of NULLs behind its keys."""
    names = list(case.columns)
    return [", ".join(case.columns[name][turn] for name in names) for turn in (1, 2)]


def records(servers: Servers, topic: str) -> list[tuple[str, ...]]:
    """Partition, key and value of each record, sorted; without schema ids, which differ by topic."""

    def masked(side: bytes | None) -> str:
        return str(re.sub(rb"^\x00\x00...", b"\0id", side, flags=re.DOTALL) if side else side)

    return sorted(
        # Records without a key go wherever the producer likes.
        (str(each.partition()) if each.key() else "", masked(each.key()), masked(each.value()))
        for each in messages(servers.kafka, topic)
    )


@pytest.mark.parametrize("name", CASES)
def test_both_write_and_read_the_same(
    name: str, engine: Flink, spark: SparkSession, servers: Servers, topic: Callable[[str], str]
) -> None:
    """Records of both are the same bytes in the same partitions; each reads what the other wrote."""
    case = CASES[name]
    theirs, ours = topic("theirs"), topic("ours")
    made = AdminClient({"bootstrap.servers": servers.kafka}).create_topics(
        [NewTopic(each, PARTITIONS) for each in (theirs, ours)]
    )
    for future in made.values():
        future.result()
    for each in (theirs, ours):
        engine.run(definition(case, each, servers, is_flink=True))
        spark.sql(definition(case, each, servers, is_flink=False))
    for row in rows(case):
        engine.run(f"INSERT INTO {theirs} SELECT {row}")
        spark.sql(f"INSERT INTO {ours} SELECT {row}")
    assert records(servers, ours) == records(servers, theirs)
    assert sorted(map(str, spark.table(theirs).collect())) == sorted(map(str, spark.table(ours).collect()))
    engine.run(f"INSERT INTO {theirs} SELECT * FROM {ours}")
    assert records(servers, theirs) == sorted(2 * records(servers, ours))
