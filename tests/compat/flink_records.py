"""Records that neither has written, and the tables through which Flink and Kafkalyst both read them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from compat.flink_case import Case, kafka, keyed, upsert


@dataclass(frozen=True)
class Reading:
    """Values, or pairs of key and value, and the tables over their topic.

    Attributes:
        unlike: why Kafkalyst reads them otherwise; docs/differences.md says it, too
    """

    name: str
    columns: str
    records: Sequence[bytes | tuple[bytes | None, bytes | None] | None]
    tables: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    selected: str = "*"
    unlike: str = ""

    def pairs(self) -> list[tuple[bytes | None, bytes | None]]:
        """Key and value of each record."""
        return [record if isinstance(record, tuple) else (None, record) for record in self.records]

    def cases(self) -> list[Case]:
        """One per table."""
        return [
            Case(f"{self.name}_{name}", self.columns, options, (), selected=self.selected)
            for name, options in self.tables.items()
        ]


def one_by_one(name: str, columns: str, options: Mapping[str, str], *records: bytes | None) -> list[Reading]:
    """Each record in a topic of its own, because the first bad one ends a query."""
    return [Reading(f"{name}_{n}", columns, [record], {"": options}) for n, record in enumerate(records)]


LENIENT = kafka("json", json__ignore_parse_errors="true")
ISO = kafka("json", json__ignore_parse_errors="true", json__timestamp_format__standard="ISO-8601")
CSV = kafka("csv", csv__ignore_parse_errors="true")

READINGS = (
    Reading(
        "json_numbers",
        "i INT, b BIGINT, d DOUBLE, e DECIMAL(6, 2), f FLOAT, s SMALLINT",
        [
            b'{"i":1,"b":2,"d":3,"e":4,"f":5,"s":6}',
            b'{"i":"1","b":"2","d":"3.5","e":"4.25","f":"5.5","s":"6"}',
            b'{"i":1.0,"b":1e2,"d":1e2,"e":1e2,"f":1e2}',
            b'{"i":1.9,"b":1.9,"e":1.999}',
            b'{"i":2147483648,"b":9223372036854775808,"e":99999999,"s":32768}',
            b'{"i":true,"b":false,"d":true,"e":true}',
            b'{"i":"","b":" 2 ","d":" 3 ","e":" 4 "}',
            b'{"i":null}',
            b"{}",
            b'{"i":[1],"b":{"x":1},"d":[1]}',
            b'{"d":"NaN","f":"Infinity"}',
        ],
        {"lenient": LENIENT},
    ),
    Reading(
        "json_texts",
        "s STRING, b BOOLEAN, y BYTES, a ARRAY<STRING>, m MAP<STRING, INT>, r ROW<x INT>",
        [
            b'{"s":"a","b":true,"y":"AP8=","a":["x",null,1],"m":{"k":1,"n":null},"r":{"x":1}}',
            b'{"s":1,"b":"true","y":"","a":[],"m":{},"r":{}}',
            b'{"s":true,"b":"TRUE"}',
            b'{"s":{"x": [1, 2]},"b":"yes"}',
            b'{"s":[1, "a"],"b":0}',
            b'{"s":"\\u00e4\\n","r":null}',
            b'{"a":"x","m":[1],"r":[1]}',
            b"null",
            b"[]",
            b'[{"s":"1"},{"s":"2"}]',
            b'"text"',
            b"12",
            b"not json",
            b'{"s":"cut',
            b"",
            None,
        ],
        {"lenient": LENIENT},
    ),
    Reading(
        "json_times",
        "d DATE, t TIME, ts TIMESTAMP(3), tz TIMESTAMP_LTZ(3)",
        [
            b'{"d":"2024-02-29","t":"10:11:12","ts":"2024-02-29 10:11:12.123","tz":"2024-02-29 10:11:12.123Z"}',
            b'{"ts":"2024-02-29 10:11:12","tz":"2024-02-29 10:11:12Z"}',
            b'{"d":"2024-2-9","t":"1:2:3"}',
            b'{"d":"2024-02-30"}',
            b'{"d":19000,"t":1000,"ts":1000,"tz":1000}',
        ],
        {"lenient": LENIENT},
    ),
    Reading(
        "json_iso_times",
        "ts TIMESTAMP(3), tz TIMESTAMP_LTZ(3)",
        [
            b'{"ts":"2024-02-29T10:11:12.123","tz":"2024-02-29T10:11:12.123Z"}',
            b'{"ts":"2024-02-29T10:11:12","tz":"2024-02-29T10:11:12Z"}',
            b'{"ts":"2024-02-29T10:11","tz":"2024-02-29T10:11Z"}',
            b'{"ts":"2024-02-29"}',
        ],
        {"lenient": ISO},
    ),
    Reading(
        "csv_numbers",
        "i INT, d DOUBLE, e DECIMAL(6, 2), b BOOLEAN, s STRING",
        [b"1,2.5,3.25,true,a", b"x,2.5,3.25,true,a", b"1,2", b"1,2.5,3.25,true,a,more", b" 1 , 2.5 ,3,TRUE, a "],
        {"lenient": CSV},
    ),
    Reading(
        "csv_texts",
        "s STRING, t STRING",
        [
            b'"a,b",c',
            b'"a""b",c',
            b"a b, c ",
            b'"",c',
            b"#x,y",
            b"a,b\r\n",
            b"a,b\nc,d",
            b'a"b,c',
            b"a,n/a",
            b"\\a,b",
            "ä,€".encode(),
        ],
        {
            "plain": CSV,
            "comments": {**CSV, "csv.allow-comments": "true"},
            "null": {**CSV, "csv.null-literal": "n/a"},
            "escape": {**CSV, "csv.escape-character": "\\"},
            "unquoted": {**CSV, "csv.disable-quote-character": "true"},
            "apostrophes": {**CSV, "csv.quote-character": "''"},
        },
    ),
    Reading(
        "csv_times",
        "d DATE, t TIME, ts TIMESTAMP(3), tz TIMESTAMP_LTZ(3)",
        [
            b"2024-02-29,10:11:12,2024-02-29 10:11:12.123,2024-02-29 10:11:12Z",
            b"2024-02-29,10:11,2024-02-29 10:11:12,2024-02-29 10:11:12.5Z",
            b"2024-2-9,10:11:12,2024-02-29 10:11:12,2024-02-29 10:11:12Z",
        ],
        {"lenient": CSV},
    ),
    Reading(
        "keys",
        "k INT, v INT",
        [
            (b'{"k":1}', b'{"k":2,"v":3}'),
            (b'{"k":1}', b'{"v":3}'),
            (b'{"k":1}', None),
            (None, b'{"k":2,"v":3}'),
            (b"{}", b"{}"),
        ],
        {
            "all": keyed("json", "json", "k"),
            "except_key": keyed("json", "json", "k", value__fields_include="EXCEPT_KEY"),
        },
    ),
    Reading(
        "bad_keys",
        "k INT, v INT",
        [(b"bad", b'{"v":3}'), (b'{"k":1}', b"bad"), (b'{"k":1}', b'{"v":3}')],
        {
            "key": keyed(
                "json", "json", "k", key__json__ignore_parse_errors="true", value__fields_include="EXCEPT_KEY"
            ),
            "both": keyed(
                "json",
                "json",
                "k",
                key__json__ignore_parse_errors="true",
                value__json__ignore_parse_errors="true",
                value__fields_include="EXCEPT_KEY",
            ),
        },
    ),
    Reading(
        "upserts",
        "id INT, v INT, PRIMARY KEY (id) NOT ENFORCED",
        [
            (b'{"id":1}', b'{"id":1,"v":1}'),
            (b'{"id":2}', b'{"id":2,"v":2}'),
            (b'{"id":1}', None),
            (b'{"id":3}', None),
            (b'{"id":2}', b'{"id":2,"v":3}'),
            (b'{"id":4}', b'{"id":4}'),
        ],
        {"json": upsert("json", "json"), "except_key": upsert("json", "json", value__fields_include="EXCEPT_KEY")},
    ),
    Reading(
        "debezium",
        "id INT, v STRING, db STRING METADATA FROM 'value.source.database' VIRTUAL, "
        "at_ TIMESTAMP_LTZ(3) METADATA FROM 'value.ingestion-timestamp' VIRTUAL",
        [
            b'{"before":null,"after":{"id":1,"v":"a"},"source":{"db":"shop"},"op":"c","ts_ms":1700000000123}',
            b'{"before":null,"after":{"id":2,"v":"b"},"op":"r"}',
            b'{"before":{"id":1,"v":"a"},"after":{"id":1,"v":"c"},"op":"u","ts_ms":null}',
            b'{"before":{"id":2,"v":"b"},"after":null,"op":"d"}',
            None,
            b'{"before":null,"after":{"id":3},"op":"c"}',
        ],
        {"strict": kafka("debezium-json")},
    ),
    Reading(
        "canal",
        "id INT, v STRING, db STRING METADATA FROM 'value.database' VIRTUAL, "
        "at_ TIMESTAMP_LTZ(3) METADATA FROM 'value.ingestion-timestamp' VIRTUAL",
        [
            b'{"data":[{"id":"1","v":"a"},{"id":"2","v":"b"}],"old":null,"type":"INSERT","database":"shop","ts":1700000000123}',
            b'{"data":[{"id":"1","v":"c"}],"old":[{"v":"a"}],"type":"UPDATE","database":"shop","ts":1}',
            b'{"data":[{"id":"2","v":"b"}],"type":"DELETE"}',
            b'{"data":null,"type":"CREATE","sql":"x"}',
        ],
        {"strict": kafka("canal-json")},
    ),
    Reading(
        "maxwell",
        "id INT, v STRING, tbl STRING METADATA FROM 'value.table' VIRTUAL",
        [
            b'{"database":"shop","table":"t","type":"insert","ts":1,"data":{"id":1,"v":"a"}}',
            b'{"table":"t","type":"update","ts":1,"data":{"id":1,"v":"b"},"old":{"v":"a"}}',
            b'{"table":"t","type":"delete","ts":1,"data":{"id":1,"v":"b"}}',
        ],
        {"lenient": kafka("maxwell-json", maxwell_json__ignore_parse_errors="true")},
    ),
    Reading(
        "ogg",
        "id INT, v STRING, tbl STRING METADATA FROM 'value.table' VIRTUAL",
        [
            b'{"before":null,"after":{"id":1,"v":"a"},"op_type":"I","table":"T"}',
            b'{"before":{"id":1,"v":"a"},"after":{"id":1,"v":"b"},"op_type":"U"}',
            b'{"before":{"id":1,"v":"b"},"after":null,"op_type":"D"}',
        ],
        {"strict": kafka("ogg-json")},
    ),
    *one_by_one(
        "json_strict",
        "i INT, s STRING, d DECIMAL(4, 2), b BOOLEAN, t TIMESTAMP(3), r ROW<x INT NOT NULL>, a ARRAY<INT>",
        kafka("json"),
        b'{"i":"x"}',
        b'{"i":1.5}',
        b'{"i":2147483648}',
        b'{"d":12345}',
        b'{"b":"maybe"}',
        b'{"a":1}',
        b"null",
        b"[1]",
        b"bad",
        b"",
        b'{"i":1} more',
    ),
    *one_by_one(
        "json_required",
        "i INT, s STRING",
        kafka("json", json__fail_on_missing_field="true"),
        b'{"i":1}',
        b'{"i":1,"s":null}',
    ),
    *one_by_one("csv_strict", "i INT, s STRING", kafka("csv"), b"x,a", b"1", b"1,a,b", b"1,", b""),
    *one_by_one("raw_strict", "v INT", kafka("raw"), b"\x00\x00\x00\x01", b"\x00", b"\x00\x00\x00\x01\x02", b"", None),
    *one_by_one("raw_truths", "v BOOLEAN", kafka("raw"), b"\x00", b"\x01", b"\x02", b""),
    Reading(
        "whole_numbers",
        "s SMALLINT",
        [b'{"s":1.0}'],
        {"lenient": LENIENT},
        unlike="Flink reads 1.0 in INT and BIGINT only",
    ),
    Reading(
        "large_numbers",
        "d DOUBLE, f FLOAT",
        [b'{"d":1e400,"f":1e39}'],
        {"lenient": LENIENT},
        unlike="Flink reads Infinity",
    ),
    Reading("case", "s STRING", [b'{"S":"upper"}'], {"lenient": LENIENT}, unlike="Flink has NULL"),
    Reading(
        "days_that_are_none",
        "t TIME, ts TIMESTAMP(3)",
        [b'{"t":"24:00:00","ts":"2024-02-30 00:00:00"}'],
        {"lenient": LENIENT},
        unlike="Flink reads 00:00:00 and the last day of the month",
    ),
    Reading(
        "other_times",
        "t TIME, ts TIMESTAMP(3), tz TIMESTAMP_LTZ(3)",
        [b'{"t":"10:11","ts":"2024-02-29 10:11","tz":"2024-02-29T10:11:12Z"}'],
        {"lenient": LENIENT},
        unlike="Flink has NULL",
    ),
    Reading("other_times_csv", "ts TIMESTAMP(3)", [b"2024-02-29T10:11:12"], {"lenient": CSV}, unlike="Flink has NULL"),
    Reading(
        "nanoseconds",
        "ts TIMESTAMP(3)",
        [b'{"ts":"2024-02-29 10:11:12.123456789"}'],
        {"lenient": LENIENT},
        unlike="Spark's times have microseconds, and Flink's three digits",
    ),
    Reading(
        "bootstrap",
        "id INT, v STRING",
        [b'{"table":"t","type":"bootstrap-insert","ts":1,"data":{"id":1,"v":"b"}}'],
        {"lenient": kafka("maxwell-json", maxwell_json__ignore_parse_errors="true")},
        unlike="Flink does not know these events",
    ),
    Reading("no_bytes", "s STRING", [b""], {"strict": kafka("csv")}, unlike="Flink fails"),
    Reading("no_bytes_skipped", "s STRING", [b"", b"x"], {"lenient": CSV}),
    Reading("no_bytes_of_two", "i INT, s STRING", [b"", b"1,x"], {"strict": kafka("csv"), "lenient": CSV}),
    Reading(
        "computed_casts",
        "a STRING, b BYTES, ts TIMESTAMP(6), v AS CAST(a AS VARCHAR(2)), c AS CAST(a AS CHAR(8)), "
        "c1 AS CAST(a AS CHAR), vb AS CAST(b AS VARBINARY(1)), bi AS CAST(b AS BINARY(4)), "
        "t0 AS CAST(ts AS TIMESTAMP(0)), t3 AS CAST(ts AS TIMESTAMP(3)), n AS CAST(CAST(a AS CHAR(3)) AS VARCHAR(2))",
        [b'{"a":"abcdef","b":"AQID","ts":"2024-02-29 10:11:12.987654"}', b'{"a":"","b":"","ts":null}'],
        {"strict": kafka("json")},
    ),
    Reading("empty_field", "i INT, s STRING", [b",a"], {"strict": kafka("csv")}, unlike="Flink fails"),
)
