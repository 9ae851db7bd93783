"""The tables that Flink and Kafkalyst both write and read, and their rows."""

from __future__ import annotations

import re

from compat.flink_case import Case, kafka, keyed, upsert

SCALARS = (
    "bo BOOLEAN, ti TINYINT, sm SMALLINT, i INT, bi BIGINT, fl FLOAT, db DOUBLE, de DECIMAL(10, 2), "
    "big DECIMAL(38, 18), ch CHAR(3), vc VARCHAR(20), st STRING, bs BYTES, da DATE, tm TIME, ts TIMESTAMP(3), "
    "tz TIMESTAMP_LTZ(3)"
)

NO_ZONE = SCALARS.rpartition(", tz")[0]


def _scalars(*values: str) -> str:
    """A row of them. Flink converts neither numbers nor NULLs by itself, and its CAST pads texts."""
    kinds = [re.sub(r"^\w+ ", "", column) for column in re.split(r", (?!\d)", SCALARS)]
    rows = zip(values, kinds, strict=True)
    cast = (f"CAST({v} AS {kind})" if v == "NULL" or not re.match("VAR|STR|BYT", kind) else v for v, kind in rows)
    return f"({', '.join(cast)})"


ORDINARY = _scalars(
    *(
        "TRUE",
        "1",
        "2",
        "3",
        "4",
        "1.5",
        "2.5",
        "1.50",
        "0.000000000000000001",
        "'abc'",
        "'text'",
        "'a b'",
        "X'00ff7f'",
    ),
    *("DATE '2024-02-29'", "TIME '10:11:12'", "TIMESTAMP '2024-02-29 10:11:12.123'"),
    "TIMESTAMP '2024-02-29 10:11:12.120'",
)
LOWEST = _scalars(
    *("FALSE", "-128", "-32768", "-2147483648", "-9223372036854775808", "-3.4028235E38", "-1.7976931348623157E308"),
    *("-99999999.99", "'-99999999999999999999.999999999999999999'", "''", "''", "''", "X''"),
    *("DATE '0001-01-01'", "TIME '00:00:00'", "TIMESTAMP '0001-01-01 00:00:00'", "TIMESTAMP '0001-01-01 00:00:00'"),
)
HIGHEST = _scalars(
    *("TRUE", "127", "32767", "2147483647", "9223372036854775807", "3.4028235E38", "1.7976931348623157E308"),
    *("99999999.99", "'99999999999999999999.999999999999999999'", "U&'\\00e4\\4e2d\\20ac'", "U&'\\d83d\\de00 \\0041'"),
    *("'quote \" comma , back \\ slash / semi ; '''", "X'ffffffffffffffffff'", "DATE '9999-12-31'", "TIME '23:59:59'"),
    *("TIMESTAMP '9999-12-31 23:59:59.999'", "TIMESTAMP '9999-12-31 23:59:59.999'"),
)
SMALL = _scalars(
    *("TRUE", "0", "0", "0", "0", "1.0E-10", "4.9E-324", "0.00", "100", "'a'", "'x'", "U&'line\\000afeed\\0009tab'"),
    *(
        "X'41'",
        "DATE '1970-01-01'",
        "TIME '12:00:00'",
        "TIMESTAMP '1969-12-31 23:59:59.999'",
        "TIMESTAMP '1970-01-01 00:00:00'",
    ),
)
NULLS = _scalars(*["NULL"] * 17)
ALL = (ORDINARY, LOWEST, HIGHEST, SMALL, NULLS)
# Flink's AVRO has no TIMESTAMP_LTZ unless an option says so.
ALL_NO_ZONE = tuple(row[: row.rindex(", CAST(")] + ")" for row in ALL)

NESTED = (
    "id INT, ar ARRAY<INT>, ma MAP<STRING, INT>, ro ROW<x INT, y STRING>, "
    "de ARRAY<ROW<z DOUBLE, w ARRAY<STRING>>>, mm MAP<STRING, ARRAY<DECIMAL(5, 2)>>"
)
NESTED_ROWS = (
    "(1, ARRAY[1, 2], MAP['a', 1], ROW(1, 'y'), ARRAY[ROW(1.5e0, ARRAY['p', 'q'])], MAP['k', ARRAY[1.25, 2.50]])",
    "(2, ARRAY[1, CAST(NULL AS INT)], MAP['a', CAST(NULL AS INT)], "
    "CAST(ROW(CAST(NULL AS INT), '') AS ROW<x INT, y STRING>), CAST(NULL AS ARRAY<ROW<z DOUBLE, w ARRAY<STRING>>>), "
    "CAST(NULL AS MAP<STRING, ARRAY<DECIMAL(5, 2)>>))",
    "(3, CAST(NULL AS ARRAY<INT>), CAST(NULL AS MAP<STRING, INT>), CAST(NULL AS ROW<x INT, y STRING>), "
    "CAST(NULL AS ARRAY<ROW<z DOUBLE, w ARRAY<STRING>>>), CAST(NULL AS MAP<STRING, ARRAY<DECIMAL(5, 2)>>))",
)

KEY = "PRIMARY KEY (id) NOT ENFORCED"
TEXTS = (
    "'a'",
    "''",
    "'a,b'",
    "'q\"q'",
    "' lead'",
    "'semi;colon'",
    "U&'\\00e4'",
    "'null'",
    "'#no comment'",
    "'back\\slash'",
)
TEXT_ROWS = tuple(f"({n}, {text}, ARRAY[{text}, 'x'])" for n, text in enumerate(TEXTS))
CHANGED = ("(1, 'a', 1.5e0)", "(2, 'b', 2.5e0)", "(1, 'c', 3.5e0)")
ALL_KEYS = "bo BOOLEAN, i INT, bi BIGINT, db DOUBLE, de DECIMAL(10, 2), st STRING, bs BYTES, da DATE, ts TIMESTAMP(3)"
ALL_KEYS_ROWS = (
    "(TRUE, 1, 2, 2.5e0, 1.50, 'a', X'00ff', DATE '2024-02-29', TIMESTAMP '2024-02-29 10:11:12.120')",
    "(FALSE, -1, -2, 1.0e10, 100.00, '', X'', DATE '1969-12-31', TIMESTAMP '1969-12-31 23:59:59')",
)
PRECISIONS = "a TIMESTAMP(0), b TIMESTAMP(6), c TIMESTAMP_LTZ(0), d TIMESTAMP_LTZ(6), e TIMESTAMP(3)"
PRECISE_ROWS = tuple(
    f"(CAST({t} AS TIMESTAMP(0)), CAST({t} AS TIMESTAMP(6)), CAST({t} AS TIMESTAMP_LTZ(0)), "
    f"CAST({t} AS TIMESTAMP_LTZ(6)), CAST({t} AS TIMESTAMP(3)))"
    for t in ("TIMESTAMP '2024-02-29 10:11:12.123456'", "TIMESTAMP '2024-02-29 10:11:12.100000'")
)
NESTED_TIMES = (
    "id INT, r ROW<d DATE, t TIME, ts TIMESTAMP(3)>, a ARRAY<TIMESTAMP_LTZ(3)>, m MAP<STRING, DATE>, b ARRAY<BYTES>, "
    "o ARRAY<BOOLEAN>, n MAP<STRING, ROW<x INT>>"
)
NESTED_TIMES_ROWS = (
    "(1, ROW(DATE '2024-02-29', TIME '10:11:12', TIMESTAMP '2024-02-29 10:11:12.12'), "
    "ARRAY[CAST(TIMESTAMP '2024-02-29 10:11:12.5' AS TIMESTAMP_LTZ(3))], MAP['k', DATE '2024-02-29'], "
    "ARRAY[X'00ff'], ARRAY[TRUE, FALSE], MAP['k', ROW(1)])",
)
LENGTHS = (
    "a CHAR(2), b VARCHAR(3), c BINARY(2), d VARBINARY(3), e CHARACTER VARYING(4), f DOUBLE PRECISION, g DEC(5, 1)"
)
LENGTHS_ROWS = ("('ab', 'abc', X'0001', X'000102', 'a', CAST(1.5 AS DOUBLE), CAST(2.0 AS DECIMAL(5, 1)))",)
NAMES = "`a b` INT, `\u00fc-x` STRING, `Select` INT"
NULL_KEYS = ("(MAP[CAST(NULL AS STRING), 1])", "(MAP['a', 2])")

CASES = (
    Case("json", SCALARS, kafka("json"), ALL),
    Case("json_iso", SCALARS, kafka("json", json__timestamp_format__standard="ISO-8601"), ALL),
    Case("json_plain", SCALARS, kafka("json", json__encode__decimal_as_plain_number="true"), ALL),
    Case("json_no_nulls", SCALARS, kafka("json", json__encode__ignore_null_fields="true"), (ORDINARY, NULLS)),
    Case("json_nested", NESTED, kafka("json"), NESTED_ROWS),
    Case("csv", SCALARS, kafka("csv"), ALL[:4]),
    Case("csv_texts", "id INT, s STRING, a ARRAY<STRING>", kafka("csv"), TEXT_ROWS),
    Case("csv_delimiter", "id INT, s STRING, a ARRAY<STRING>", kafka("csv", csv__field_delimiter="|"), TEXT_ROWS),
    Case(
        "csv_characters",
        "id INT, s STRING, r ROW<x INT, y STRING>",
        kafka(
            "csv",
            csv__field_delimiter="\\t",
            csv__quote_character="''",
            csv__escape_character="\\",
            csv__array_element_delimiter="|",
            csv__null_literal="n/a",
        ),
        ("(1, 'a b', ROW(1, 'y'))", "(2, 'it''s', ROW(2, 'z'))", "(3, CAST(NULL AS STRING), ROW(3, ''))"),
    ),
    Case(
        "csv_no_quotes",
        "id INT, s STRING",
        kafka("csv", csv__disable_quote_character="true"),
        ("(1, 'a')", "(2, 'a b')", "(3, 'x\"y')"),
    ),
    Case(
        "csv_plain",
        "id INT, d DECIMAL(20, 3), e DOUBLE",
        kafka("csv", csv__write_bigdecimal_in_scientific_notation="false"),
        ("(1, CAST(100 AS DECIMAL(20, 3)), 1.0e20)", "(2, CAST(1.500 AS DECIMAL(20, 3)), 1.0e-5)"),
    ),
    Case("avro", NO_ZONE, kafka("avro"), ALL_NO_ZONE),
    Case("avro_nested", NESTED, kafka("avro"), NESTED_ROWS),
    Case("avro_required", "id INT NOT NULL, s STRING NOT NULL, n INT", kafka("avro"), ("(1, 'a', 2)",)),
    Case(
        "avro_json",
        NO_ZONE,
        kafka("avro", avro__encoding="json"),
        ALL_NO_ZONE,
        unlike="Flink begins all records but the first with a new line, and Avro 1.12 writes a FLOAT as a DOUBLE",
    ),
    Case("avro_new_times", SCALARS, kafka("avro", avro__timestamp_mapping__legacy="false"), ALL),
    Case("avro_confluent", NO_ZONE, kafka("avro-confluent"), ALL_NO_ZONE),
    Case("avro_confluent_nested", NESTED, kafka("avro-confluent"), NESTED_ROWS),
    Case(
        "avro_confluent_keyed",
        "id BIGINT, name STRING, v DOUBLE",
        keyed("avro-confluent", "avro-confluent", "id", value__fields_include="EXCEPT_KEY"),
        CHANGED,
        partitions=1,
    ),
    Case("raw_text", "v STRING", kafka("raw"), ("('abc')", "(U&'\\00e4\\20ac')", "('')")),
    Case("raw_charset", "v STRING", kafka("raw", raw__charset="UTF-16"), ("('abc')", "(U&'\\00e4\\20ac')")),
    Case("raw_long", "v BIGINT", kafka("raw", raw__endianness="little-endian"), ("(1)", "(-9223372036854775808)")),
    Case("raw_int", "v INT", kafka("raw"), ("(1)", "(-2147483648)")),
    Case("raw_double", "v DOUBLE", kafka("raw"), ("(1.5e0)", "(-4.9E-324)")),
    Case("raw_float", "v FLOAT", kafka("raw"), ("(CAST(1.5 AS FLOAT))",)),
    Case("raw_boolean", "v BOOLEAN", kafka("raw"), ("(TRUE)", "(FALSE)")),
    Case("raw_small", "v SMALLINT", kafka("raw"), ("(CAST(-2 AS SMALLINT))",)),
    Case("raw_bytes", "v BYTES", kafka("raw"), ("(X'00ff')",)),
    Case(
        "json_keyed",
        "id INT, name STRING, v DOUBLE",
        keyed("json", "json", "name;id"),
        ("(1, 'a', 1.5e0)", "(2, CAST(NULL AS STRING), 2.5e0)"),
        partitions=3,
    ),
    *(
        Case(
            f"key_types_{name}",
            ALL_KEYS + ", v INT",
            keyed(name, name, "bo;i;bi;db;de;st;bs;da;ts", value__fields_include="EXCEPT_KEY"),
            tuple(f"{row[:-1]}, {n})" for n, row in enumerate(ALL_KEYS_ROWS)),
            partitions=3,
        )
        for name in ("json", "csv", "avro")
    ),
    Case(
        "raw_key",
        "id STRING, v INT",
        keyed("raw", "json", "id"),
        ("('a', 1)", "('b', 2)"),
        partitions=3,
    ),
    Case(
        "key_prefix",
        "k_id BIGINT, id BIGINT, name STRING",
        keyed("json", "json", "k_id", key__fields_prefix="k_", value__fields_include="EXCEPT_KEY"),
        ("(1, 10, 'a')", "(2, 20, 'b')"),
        partitions=3,
    ),
    Case("round_robin", "id INT", kafka("json", sink__partitioner="fixed"), ("(1)", "(2)", "(3)"), partitions=2),
    Case(
        "metadata",
        "v STRING, seen TIMESTAMP_LTZ(3) METADATA FROM 'timestamp', headers MAP<STRING, BYTES> METADATA, "
        "p INT METADATA FROM 'partition' VIRTUAL, o BIGINT METADATA FROM 'offset' VIRTUAL, "
        "kind STRING METADATA FROM 'timestamp-type' VIRTUAL, le INT METADATA FROM 'leader-epoch' VIRTUAL",
        kafka("json"),
        ("('a', CAST(TIMESTAMP '2024-01-01 00:00:00.5' AS TIMESTAMP_LTZ(3)), MAP['h', X'01', 'i', X''])",),
        written="v, seen, headers",
    ),
    Case(
        "metadata_texts",
        "v STRING, seen STRING METADATA FROM 'timestamp' VIRTUAL, o STRING METADATA FROM 'offset' VIRTUAL",
        kafka("json"),
        ("('a')", "('b')"),
        written="v",
        selected="v, o",
    ),
    Case(
        "computed",
        "a INT, b AS a * 2, c AS UPPER(s), s STRING, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND, "
        "d AS CAST(a AS STRING) || 'x', e AS a IS NULL, f AS COALESCE(s, 'none'), g AS EXTRACT(YEAR FROM ts)",
        kafka("json"),
        (
            "(1, 'x', TIMESTAMP '2024-01-01 00:00:00')",
            "(CAST(NULL AS INT), CAST(NULL AS STRING), CAST(NULL AS TIMESTAMP(3)))",
        ),
        written="a, s, ts",
    ),
    Case("upsert_json", f"id BIGINT, name STRING, v DOUBLE, {KEY}", upsert("json", "json"), CHANGED, partitions=2),
    Case(
        "upsert_except_key",
        f"id BIGINT, name STRING, v DOUBLE, {KEY}",
        upsert("raw", "json", value__fields_include="EXCEPT_KEY"),
        CHANGED,
        partitions=2,
    ),
    Case(
        "upsert_avro",
        f"id BIGINT, name STRING, v DOUBLE, {KEY}",
        upsert("avro-confluent", "avro-confluent"),
        CHANGED,
        partitions=2,
    ),
    Case("upsert_csv", f"id BIGINT, name STRING, v DOUBLE, {KEY}", upsert("csv", "csv"), CHANGED, partitions=2),
    Case("debezium_json", "id BIGINT, name STRING, v DOUBLE", kafka("debezium-json"), CHANGED),
    Case("canal_json", "id BIGINT, name STRING, v DOUBLE", kafka("canal-json"), CHANGED),
    Case("maxwell_json", "id BIGINT, name STRING, v DOUBLE", kafka("maxwell-json"), CHANGED),
    Case("ogg_json", "id BIGINT, name STRING, v DOUBLE", kafka("ogg-json"), CHANGED),
    Case(
        "debezium_avro",
        "id BIGINT, name STRING, v DOUBLE",
        kafka("debezium-avro-confluent"),
        CHANGED,
        unlike="the event of Flink's schema is a union with null",
    ),
    Case("json_precisions", PRECISIONS, kafka("json"), PRECISE_ROWS),
    Case("csv_precisions", PRECISIONS, kafka("csv"), PRECISE_ROWS),
    Case("json_nested_times", NESTED_TIMES, kafka("json"), NESTED_TIMES_ROWS),
    # Within an ARRAY, Flink's AVRO has no TIMESTAMP_LTZ at all.
    Case(
        "avro_nested_times",
        NESTED_TIMES.replace("_LTZ", ""),
        kafka("avro"),
        tuple(row.replace("_LTZ", "") for row in NESTED_TIMES_ROWS),
    ),
    Case("json_lengths", LENGTHS, kafka("json"), LENGTHS_ROWS),
    Case("avro_lengths", LENGTHS, kafka("avro"), LENGTHS_ROWS),
    Case("json_names", NAMES, kafka("json"), ("(1, 'x', 2)",)),
    Case("csv_names", NAMES, kafka("csv"), ("(1, 'x', 2)",)),
    Case("json_null_keys", "m MAP<STRING, INT>", kafka("json", json__map_null_key__mode="DROP"), NULL_KEYS),
    Case(
        "json_literal_keys",
        "m MAP<STRING, INT>",
        kafka("json", json__map_null_key__mode="LITERAL", json__map_null_key__literal="none"),
        NULL_KEYS,
    ),
    Case(
        "csv_parts",
        "id INT, a ARRAY<INT>, r ROW<x INT, y STRING>, bs BYTES, b BOOLEAN",
        kafka("csv"),
        ("(1, ARRAY[1, 2], ROW(1, 'a b'), X'00ff', TRUE)", "(2, ARRAY[3], ROW(2, ''), X'', FALSE)"),
    ),
    Case(
        "headers",
        "v STRING, headers MAP<STRING, BYTES> METADATA",
        kafka("json"),
        ("('a', MAP['h', CAST(NULL AS BYTES)])", "('b', CAST(NULL AS MAP<STRING, BYTES>))"),
    ),
    Case(
        "all_in_key",
        "a INT, b STRING",
        keyed("json", "json", "a;b"),
        ("(1, 'x')", "(2, 'y')"),
        partitions=3,
    ),
    Case(
        "upsert_prefix",
        "k_id BIGINT, name STRING, PRIMARY KEY (k_id) NOT ENFORCED",
        upsert("json", "json", key__fields_prefix="k_", value__fields_include="EXCEPT_KEY"),
        ("(1, 'a')", "(1, 'b')"),
    ),
    Case(
        "upsert_two_keys",
        "a INT, v STRING, b DECIMAL(10, 2), PRIMARY KEY (b, a) NOT ENFORCED",
        upsert("json", "json"),
        ("(1, 'a', 1.50)", "(1, 'b', 100.00)", "(1, 'c', 1.50)"),
        partitions=3,
    ),
    Case(
        "multiset",
        f"id INT, m MULTISET<STRING>, {KEY}",
        upsert("json", "json"),
        "SELECT id, COLLECT(s) FROM (VALUES (1, 'a'), (1, 'b'), (1, 'a'), (2, 'c')) AS t (id, s) GROUP BY id",
    ),
    Case(
        "debezium_keyed",
        "id BIGINT, name STRING, v DECIMAL(10, 2)",
        keyed("json", "debezium-json", "id"),
        ("(1, 'a', 1.50)", "(2, 'b', 100.00)", "(1, 'c', 0.00)"),
        partitions=3,
    ),
    Case(
        "debezium_no_nulls",
        "id BIGINT, name STRING, v DOUBLE",
        kafka("debezium-json", debezium_json__encode__ignore_null_fields="true"),
        ("(1, 'a', CAST(NULL AS DOUBLE))", "(2, CAST(NULL AS STRING), 1.5e0)"),
    ),
    Case(
        "protobuf",
        "bo BOOLEAN, i INT, bi BIGINT, fl FLOAT, db DOUBLE, st STRING, bs BYTES, ar ARRAY<INT>, ma MAP<STRING, INT>, "
        "ro ROW<x INT, y STRING>",
        kafka("protobuf", protobuf__message_class_name="itself.Row"),
        (
            "(TRUE, 1, 2, CAST(1.5 AS FLOAT), 2.5e0, 'a', X'00ff', ARRAY[1, 2], MAP['k', 1], ROW(1, 'y'))",
            "(FALSE, 0, 0, CAST(0 AS FLOAT), 0.0e0, '', X'', ARRAY[0], MAP['', 0], ROW(0, ''))",
        ),
        here={"format": "protobuf_nosr"},
    ),
)
