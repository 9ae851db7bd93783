"""The measured topics and the queries over them, in SQL that Spark and Flink both read."""

from __future__ import annotations

from dataclasses import dataclass, field

COLUMNS = {
    "id": "BIGINT",
    "customer": "STRING",
    "city": "STRING",
    "amount": "DECIMAL(12, 2)",
    "quantity": "INT",
    "price": "DOUBLE",
    "paid": "BOOLEAN",
    "placed_at": "TIMESTAMP",
    "note": "STRING",
    "score": "FLOAT",
}
ROWS = """
    SELECT id, concat('customer-', cast(mod(id, 50000) AS STRING)) AS customer,
           concat('city-', cast(mod(id, 700) AS STRING)) AS city,
           cast(mod(id, 1000000) * 0.01 AS DECIMAL(12, 2)) AS amount, cast(mod(id, 90) AS INT) AS quantity,
           cast(id AS DOUBLE) / 7 AS price, mod(id, 3) = 0 AS paid, {millis} AS placed_at,
           CASE WHEN mod(id, 4) = 0 THEN cast(NULL AS STRING)
                ELSE concat('note number ', cast(id AS STRING)) END AS note,
           cast(mod(id, 1000) AS FLOAT) AS score
    FROM {ids}"""
MILLIS = "1700000000000 + id * 1000"
SOME = "SELECT count(price), sum(quantity) FROM {source} WHERE mod(id, 10) < 3"
ALL = """SELECT max(id), max(char_length(customer)), max(char_length(city)), max(amount), max(quantity), max(price),
    sum(CASE WHEN paid THEN 1 ELSE 0 END), max(placed_at), max(char_length(note)), max(score) FROM {source}"""
WIDE_STRUCTS = 20
WIDE_TYPES = ("BIGINT", "STRING", "DOUBLE", "INT", "BOOLEAN", "STRING", "BIGINT", "FLOAT", "STRING", "INT")
WIDE_FIELDS = {f"f{i}": kind for i, kind in enumerate(WIDE_TYPES)}
# Text formats store a timestamp as milliseconds.
TEXT = ("JSON", "JSON_SR", "DELIMITED")


FORMATS = ("AVRO", "JSON", "JSON_SR", "DELIMITED", "PROTOBUF", "PROTOBUF_NOSR")
# The datasets that are written too.
WRITES = ("avro", "json")
# Factors on a quick run's records. Datasets compared with a plain consumer keep all records, because a query has
# fixed costs that the consumer does not have; datasets with long rows have a quarter.
QUICK_SHARES = {"avro": 2, "json": 2, "wide": 0.5}
# The datasets of which a range is read.
RANGES = ("avro", "long")


@dataclass(frozen=True)
class Dataset:
    """A topic: its format, columns (a struct's are a dict), the formula of its rows, and its share of all records."""

    format: str
    columns: dict[str, str | dict[str, str]]
    rows: str
    share: float = 1
    key: str | None = None


@dataclass(frozen=True)
class Work:
    """A query over a dataset, with its name in the results and its goals as ratios."""

    name: str
    title: str
    dataset: str
    query: str
    goals: dict[str, float] = field(default_factory=dict)


def wide_rows() -> str:
    """A row of 20 structs of 10 fields each."""
    values = {
        "BIGINT": "id + {n}",
        "STRING": "concat('text {n} of ', cast(mod(id, 1000) AS STRING))",
        "DOUBLE": "cast(id AS DOUBLE) / {m}",
        "INT": "cast(mod(id, {m}) AS INT)",
        "BOOLEAN": "mod(id, {m}) = 0",
        "FLOAT": "cast(mod(id, {m}) AS FLOAT)",
    }
    structs = []
    for s in range(WIDE_STRUCTS):
        fields = [
            f"'f{i}', " + values[kind].format(n=s * 10 + i, m=s * 10 + i + 2) for i, kind in enumerate(WIDE_TYPES)
        ]
        structs.append(f"named_struct({', '.join(fields)}) AS s{s}")
    return f"SELECT {', '.join(structs)} FROM {{ids}}"


DATASETS = {
    **{name.lower(): Dataset(name, dict(COLUMNS), ROWS) for name in FORMATS},
    "kafka": Dataset("KAFKA", {"id": "BIGINT"}, "SELECT id FROM {ids}"),
    "small": Dataset("AVRO", dict(COLUMNS), ROWS, share=0.005),
    "wide": Dataset("AVRO", {f"s{s}": WIDE_FIELDS for s in range(WIDE_STRUCTS)}, wide_rows()),
    # The small topic shows a range's fixed costs, the long one the cost of its records.
    "long": Dataset("AVRO", dict(COLUMNS), ROWS, share=10),
    "changes": Dataset(
        "AVRO",
        {"k": "BIGINT", **COLUMNS},
        f"SELECT mod(id, 100000) AS k, r.* FROM ({ROWS}) AS r",
        key="k",
    ),
}


def reads() -> list[Work]:
    """Every query that reads; the goals are multiples of the peers' rates."""
    works = [
        Work("avro:count", "count(*), nothing decoded", "avro", "SELECT count(*) FROM {source}", {"consumer": 0.8}),
        Work("avro:filter_agg", "filter + 2 aggregates, 3 of 10 columns", "avro", SOME, goals(0.6, 1.9, 2.8)),
        Work("avro:all", "all 10 columns", "avro", ALL, goals(0.45, 1.6, 2.2)),
        Work("json:filter_agg", "filter + 2 aggregates, 3 of 10 columns", "json", SOME, goals(0.55, 1.5, 4.2)),
        Work("json:all", "all 10 columns", "json", ALL, goals(0.4, 1.3, 4.5)),
        Work(
            "wide:two",
            "2 of 200 nested fields",
            "wide",
            "SELECT sum(s3.f3), count(s17.f2) FROM {source}",
            goals(0.6, 4, 8),
        ),
    ]
    for name in ("protobuf", "protobuf_nosr", "delimited", "json_sr"):
        more = {"flink": 1.5, "spark": 2.5}
        works.append(Work(f"{name}:filter_agg", "filter + 2 aggregates, 3 of 10 columns", name, SOME, more))
        if name == "protobuf_nosr":
            # Flink has no function that turns a decimal's bytes into a number.
            more = {"spark": 2.5}
        works.append(Work(f"{name}:all", "all 10 columns", name, ALL, more))
    works.append(Work("kafka:all", "its one column", "kafka", "SELECT max(id) FROM {source}"))
    latest = Work(
        "avro:table",
        "latest row of each of 100,000 keys",
        "changes",
        "SELECT count(*), sum(quantity), max(id) FROM {source}",
        {"flink": 1.5, "spark": 2},
    )
    return [*works, latest]


# Queries that warm up a session.
SMALL = [
    Work("small:count", "count(*)", "small", "SELECT count(*) FROM {source}"),
    Work("small:filter_agg", "filter + 2 aggregates", "small", SOME, {"flink": 0}),
    Work("small:all", "all columns", "small", ALL, {"flink": 0}),
]


def goals(consumer: float, flink: float, spark: float) -> dict[str, float]:
    """The smallest acceptable ratios against the three."""
    return {"consumer": consumer, "flink": flink, "spark": spark}
