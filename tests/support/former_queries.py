"""What `former.py` stores: definitions in the words of each dialect, and a query of each kind with its later rows."""

from __future__ import annotations

AT = 1767226200000  # of all records, so that windows and joins do not depend on the time of the run
LATER_AT = AT + 300000
JSON = "VALUE_FORMAT = 'JSON', PARTITIONS = 1"
# Objects that only describe topics; created in the session catalog and in the cluster's.
SHOWN = {"typed": 2, "delimited": 2, "cars": 2, "upserts": 1, "WINDOWED": 0, "changes": 1, "raw": 2, "rescued": 0}
DEFINITIONS = (
    "CREATE STREAM typed (id BIGINT KEY, at TIMESTAMP, d DECIMAL(12, 2), tags ARRAY<STRING>, m MAP<STRING, INT>, "
    "s STRUCT<a INT, b STRING>, trace BINARY HEADER('trace')) "
    f"WITH (KAFKA_TOPIC = 'former.typed', {JSON}, TIMESTAMP = 'at')",
    "CREATE STREAM delimited (a INT, b STRING) WITH (KAFKA_TOPIC = 'former.lines', VALUE_FORMAT = 'DELIMITED', "
    "VALUE_DELIMITER = '|', PARTITIONS = 2)",
    "CREATE TABLE cars (vin STRING, wheels INT, at TIMESTAMP_LTZ(3) METADATA FROM 'timestamp' VIRTUAL, "
    "twice AS wheels * 2, WATERMARK FOR at AS at - INTERVAL '5' SECOND) "
    "WITH ('connector' = 'kafka', 'topic' = 'former.cars', 'format' = 'json', 'PARTITIONS' = '1', "
    "'scan.startup.mode' = 'earliest-offset')",
    "CREATE TABLE upserts (id BIGINT, name STRING, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'upsert-kafka', "
    "'topic' = 'former.upserts', 'PARTITIONS' = '1', 'key.format' = 'raw', 'value.format' = 'json')",
    "CREATE TABLE changes (id INT, n STRING) WITH ('connector' = 'kafka', 'topic' = 'former.changes', "
    "'PARTITIONS' = '1', 'format' = 'debezium-json')",
    "ksqldb:CREATE STREAM WINDOWED (K STRING KEY, N BIGINT) WITH (KAFKA_TOPIC = 'former.windowed', "
    f"{JSON}, WINDOW_TYPE = 'TUMBLING', WINDOW_SIZE = '1 HOUR')",
    "ksqldb:CREATE STREAM \"raw\" (\"line\" STRING) WITH (KAFKA_TOPIC = 'former.lines', VALUE_FORMAT = 'KAFKA')",
    f"CREATE STREAM rescued (id INT, more STRING) WITH (KAFKA_TOPIC = 'former.rescued', {JSON}, ON_ERROR = 'skip')",
)
SOURCES = (
    *(
        f"CREATE STREAM {name} (id INT KEY, region STRING, amount INT) WITH (KAFKA_TOPIC = 'former.{name}', {JSON})"
        for name in ("orders", "payments")
    ),
    f"CREATE TABLE regions (region STRING PRIMARY KEY, name STRING) WITH (KAFKA_TOPIC = 'former.regions', {JSON})",
    f"CREATE TABLE people (id INT PRIMARY KEY, name STRING) WITH (KAFKA_TOPIC = 'former.people', {JSON})",
    f"CREATE TABLE ages (id INT PRIMARY KEY, age INT) WITH (KAFKA_TOPIC = 'former.ages', {JSON})",
    "CREATE STREAM producer (k INT) WITH (KAFKA_TOPIC = 'former.growing', VALUE_FORMAT = 'AVRO', PARTITIONS = 1)",
    "CREATE STREAM growing WITH (KAFKA_TOPIC = 'former.growing', VALUE_FORMAT = 'AVRO', 'schema.evolution' = 'add')",
    "CREATE STREAM first_four (id INT KEY, region STRING) WITH (KAFKA_TOPIC = 'former.orders', VALUE_FORMAT = 'JSON', "
    "'scan.bounded.mode' = 'specific-offsets', 'scan.bounded.specific-offsets' = 'partition:0,offset:4')",
    f"CREATE STREAM fragile (a INT) WITH (KAFKA_TOPIC = 'former.fragile', {JSON}, ON_ERROR = 'dead-letter')",
    "CREATE STREAM spoilt (a STRING) WITH (KAFKA_TOPIC = 'former.fragile', VALUE_FORMAT = 'KAFKA')",
    "CREATE STREAM kept_rows (id INT KEY, region STRING, amount INT) "
    "WITH (KAFKA_TOPIC = 'former.orders', VALUE_FORMAT = 'JSON', HISTORY = 'spark_catalog.default.kept')",
    "INSERT INTO typed VALUES (1, TIMESTAMP '2026-01-01 00:00:00', 1.50, array('x'), map('k', 1), "
    "named_struct('a', 1, 'b', 'b')), (2, TIMESTAMP '2026-01-02 00:00:00', NULL, NULL, NULL, NULL)",
    "INSERT INTO delimited VALUES (1, 'x'), (2, 'y')",
    "INSERT INTO cars (vin, wheels) VALUES ('v', 4), ('w', 3)",
    "INSERT INTO upserts VALUES (1, 'a'), (1, 'b')",
    "INSERT INTO changes VALUES (1, 'a')",
    f"INSERT INTO orders (ROWTIME, id, region, amount) VALUES ({AT}, 1, 'north', 10), ({AT}, 2, 'south', 20), "
    f"({AT}, 3, 'north', 30)",
    f"INSERT INTO payments (ROWTIME, id, region, amount) VALUES ({AT}, 1, 'north', 11)",
    f"INSERT INTO regions (ROWTIME, region, name) VALUES ({AT}, 'north', 'N'), ({AT}, 'south', 'S')",
    f"INSERT INTO people (ROWTIME, id, name) VALUES ({AT}, 1, 'ann'), ({AT}, 2, 'bob')",
    f"INSERT INTO ages (ROWTIME, id, age) VALUES ({AT}, 1, 30)",
    "INSERT INTO producer VALUES (1), (2)",
    "INSERT INTO spoilt VALUES ('{\"a\": 1}'), ('no JSON')",
)
OBJECTS = (
    f"CREATE STREAM inserted (id INT KEY, region STRING) WITH (KAFKA_TOPIC = 'former.inserted', {JSON})",
    "CREATE TABLE latest (id INT, region STRING, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'upsert-kafka', "
    "'topic' = 'former.latest', 'PARTITIONS' = '1', 'key.format' = 'json', 'value.format' = 'json')",
    f"CREATE STREAM framed (id INT KEY, region STRING) WITH (KAFKA_TOPIC = 'former.framed', {JSON})",
    "CREATE TABLE rocksdb_totals (region STRING PRIMARY KEY, n BIGINT) "
    f"WITH (KAFKA_TOPIC = 'former.rocksdb_totals', {JSON})",
)


def made(kind: str, name: str, query: str, more: str = "") -> str:
    """The statement that creates a sink and its query."""
    return f"CREATE {kind} {name} WITH (KAFKA_TOPIC = 'former.{name}', {JSON}{more}) AS {query}"


QUERIES = (
    made("STREAM", "copied", "SELECT * FROM orders"),
    made(
        "STREAM",
        "once",
        "SELECT id, upper(region) AS region FROM orders",
        ", 'sink.delivery-guarantee' = 'exactly-once'",
    ),
    made("STREAM", "rekeyed", "SELECT region, amount FROM orders PARTITION BY region"),
    "INSERT INTO inserted WITH (QUERY_ID = 'into_inserted') "
    "SELECT id, region FROM orders WHERE amount > 10 EMIT CHANGES",
    "INSERT INTO latest SELECT id, region FROM orders EMIT CHANGES",
    made("TABLE", "totals", "SELECT region, count(*) AS n, sum(amount) AS total FROM orders GROUP BY region"),
    "ksqldb:"
    + made(
        "TABLE", "HOURS", "SELECT `region`, COUNT(*) AS n FROM `orders` WINDOW TUMBLING (SIZE 1 HOUR) GROUP BY `region`"
    ).replace("former.HOURS", "former.hours"),
    made("TABLE", "visits", "SELECT region, count(*) AS n FROM orders WINDOW SESSION (10 MINUTES) GROUP BY region"),
    made(
        "STREAM",
        "joined",
        "SELECT o.id AS id, o.region AS region, p.amount AS paid FROM orders o "
        "JOIN payments p WITHIN 1 HOURS ON o.id = p.id",
    ),
    made(
        "STREAM",
        "enriched",
        "SELECT o.region AS region, o.id AS id, r.name AS name FROM orders o "
        "LEFT JOIN regions r ON o.region = r.region",
    ),
    made("TABLE", "paired", "SELECT p.id AS id, name, age FROM people p JOIN ages a ON p.id = a.id"),
    made("TABLE", "renamed", "SELECT region, upper(name) AS name FROM regions EMIT CHANGES"),
    made("STREAM", "stopped", "SELECT id, region FROM first_four"),
    made("STREAM", "healed", "SELECT a FROM fragile"),
    "CREATE STREAM grown WITH (KAFKA_TOPIC = 'former.grown', VALUE_FORMAT = 'AVRO', PARTITIONS = 1) "
    "AS SELECT * FROM growing",
    "CREATE TABLE spark_catalog.default.landed USING delta AS SELECT id, region FROM orders EMIT CHANGES",
    "CREATE TABLE spark_catalog.default.merged USING delta AS SELECT region, name FROM regions EMIT CHANGES",
    "CREATE TABLE spark_catalog.default.kept USING delta "
    "AS SELECT *, ROWPARTITION, ROWOFFSET, ROWTIME FROM kept_rows EMIT CHANGES",
)
TABLES = ("landed", "merged", "kept")
# Streaming DataFrames with checkpoints of the user's own.
FRAMES = {
    "framed": "SELECT id, region FROM orders EMIT CHANGES",
    "rocksdb_totals": "SELECT region, count(*) AS n FROM orders GROUP BY region EMIT CHANGES",
}
# Written after the queries have stopped, and read when they continue.
LATER = (
    f"INSERT INTO orders (ROWTIME, id, region, amount) VALUES ({AT}, 4, 'south', 40), ({AT}, 5, 'east', 50), "
    f"({LATER_AT}, 1, 'north', 60)",
    f"INSERT INTO payments (ROWTIME, id, region, amount) VALUES ({AT}, 2, 'south', 21), ({AT}, 4, 'south', 41)",
    f"INSERT INTO regions (ROWTIME, region, name) VALUES ({LATER_AT}, 'west', 'W')",
    f"INSERT INTO ages (ROWTIME, id, age) VALUES ({LATER_AT}, 2, 40)",
    "ALTER STREAM producer ADD COLUMN v STRING",
    "INSERT INTO producer VALUES (3, 'c')",
    "INSERT INTO spoilt VALUES ('{\"a\": 2}')",
)
ALL = [(1, "north"), (2, "south"), (3, "north"), (4, "south"), (5, "east"), (1, "north")]
ROWS: dict[str, list[tuple[object, ...]]] = {
    "SELECT id, region FROM copied": ALL,
    "SELECT id, lower(region) FROM once": ALL,
    "SELECT region, amount FROM rekeyed": [
        ("north", 10),
        ("south", 20),
        ("north", 30),
        ("south", 40),
        ("east", 50),
        ("north", 60),
    ],
    "SELECT id, region FROM inserted": ALL[1:],
    "SELECT id, region FROM latest": sorted(set(ALL)),
    "SELECT * FROM totals": [("north", 3, 100), ("south", 2, 60), ("east", 1, 50)],
    "ksqldb:SELECT `region`, N FROM HOURS": [("north", 3), ("south", 2), ("east", 1)],
    "SELECT region, n FROM visits": [("north", 3), ("south", 2), ("east", 1)],
    "SELECT id, paid FROM joined": [(1, 11), (1, 11), (2, 21), (4, 41)],
    "SELECT id, name FROM enriched": [(1, "N"), (2, "S"), (3, "N"), (4, "S"), (5, None), (1, "N")],
    "SELECT * FROM paired": [(1, "ann", 30), (2, "bob", 40)],
    "SELECT * FROM renamed": [("north", "N"), ("south", "S"), ("west", "W")],
    "SELECT id FROM stopped": [(1,), (2,), (3,), (4,)],
    "SELECT a FROM healed": [(1,), (2,)],
    "SELECT k, v FROM grown": [(1, None), (2, None), (3, "c")],
    "SELECT id, region FROM spark_catalog.default.landed": ALL,
    "SELECT region, name FROM spark_catalog.default.merged": [("north", "N"), ("south", "S"), ("west", "W")],
    "SELECT id, region FROM spark_catalog.default.kept": ALL,
    "SELECT id, region FROM kept_rows": ALL,
    "SELECT id, region FROM framed": ALL,
    "SELECT * FROM rocksdb_totals": [("north", 3), ("south", 2), ("east", 1)],
    "REPLAY fragile": [("former.fragile-dlq", 1, 0)],  # a dead letter of that version
}
