"""Golden files: tests/sql/<room>/<case>.sql is run statement by statement and compared with <case>.out.

A case's topics begin with `${prefix}`, which differs in each run; the output has it back as `${prefix}`. Besides SQL a
case may have these lines, which run before the first statement:

    -- conf: name=value
    -- topic: name partitions=2
    -- schema: name subject [type] {…a schema, registered under the subject; its id stands as ${id.name} in the SQL…}
    -- avro: topic {…an Avro schema: registered under <topic>-value, the topic's records are then encoded by it…}
    -- record: topic {…the value, JSON…}
    -- record: topic key=text {…}          null stands for a tombstone
    -- spark: 4.1 4.2                      only on these minors
    -- replace: pattern => text            of the output, for what differs between runs

If a minor's output differs, it is in <case>.<minor>.out.
"""

from __future__ import annotations

import contextlib
import io
import json
import re
import struct
import uuid
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import fastavro
from pyspark.sql import DataFrame, SparkSession

from kafkalyst import errors, script, serdes, table
from kafkalyst.live import live

SCHEMA = "golden"
KEEPS_ORDER = re.compile(r"^(SHOW|LIST|DESC|DESCRIBE|PRINT|EXPLAIN|SET)\b|\bORDER\s+BY\b", re.IGNORECASE)
DIRECTIVE = re.compile(r"^-- (conf|topic|schema|avro|record|spark|replace): (.*)$", re.MULTILINE)
QUERY_ID = re.compile(r"\b((?:CSAS|CTAS)_\w*_|INSERTQUERY_)(\d+)\b")
UUID = re.compile(r"\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b")


@dataclass
class Case:
    """One file: its SQL, and its directives in order."""

    path: Path
    text: str = ""
    directives: list[tuple[str, str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.text = self.path.read_text(encoding="utf-8")
        self.directives = [(found[1], found[2]) for found in DIRECTIVE.finditer(self.text)]

    def of(self, name: str) -> list[str]:
        """The values of one kind of directive."""
        return [value for directive, value in self.directives if directive == name]

    def runs_on(self, minor: str) -> bool:
        """Whether the case is for this Spark minor, such as `4.1`."""
        wanted = self.of("spark")
        return not wanted or minor in wanted[0].split()

    def expected(self, minor: str) -> Path:
        """The file with the output on this minor."""
        special = self.path.with_suffix(f".{minor}.out")
        return special if special.exists() else self.path.with_suffix(".out")


def run(case: Case, spark: SparkSession, kafka: str, registry: str) -> str:
    """Runs a case in its own session and schema; returns the output. A Connect client's session is its own already."""
    prefix = f"g{uuid.uuid4().hex[:8]}_"
    session = spark.newSession() if isinstance(spark, SparkSession) else spark
    session.conf.set("spark.kafkalyst.query.trigger", "available-now")
    for setting in case.of("conf"):
        name, value = setting.split("=", 1)
        session.conf.set(name.strip(), value.strip().replace("${prefix}", prefix))
    ids = _prepare(case, prefix, kafka, registry)
    session.sql(f"CREATE SCHEMA {SCHEMA}")
    session.sql(f"USE {SCHEMA}")
    try:
        text = case.text.replace("${prefix}", prefix)
        for name, schema_id in ids.items():
            text = text.replace(f"${{id.{name}}}", str(schema_id))
        statements = script.split(text)
        output = "\n".join(_run(session, statement.text) for statement in statements)
    finally:
        with contextlib.suppress(Exception):
            session.sql("TERMINATE ALL")
        session.sql("USE spark_catalog.default")
        session.sql(f"DROP SCHEMA {SCHEMA} CASCADE")
    for name, schema_id in ids.items():
        # A bare number could mean anything.
        output = re.sub(rf"(?i)(?<![a-z])(id\b[ =|']*){schema_id}\b", rf"\1${{id.{name}}}", output)
    return _normalised(case, output, {prefix: "${prefix}", registry: "${registry}", kafka: "${kafka}"})


def _prepare(case: Case, prefix: str, kafka: str, registry: str) -> dict[str, int]:
    """Creates topics, schemas and records; returns the ids of the named schemas."""
    encoders: dict[str, Any] = {}
    ids: dict[str, int] = {}
    for directive, value in case.directives:
        value = value.replace("${prefix}", prefix)
        topic, _, rest = value.partition(" ")
        if directive == "topic":
            serdes.create_topic(kafka, topic, int(rest.removeprefix("partitions=") or 1))
        elif directive == "schema":
            subject, _, schema = rest.partition(" ")
            kind = re.match(r"(JSON|PROTOBUF) ", schema)
            body = {"schema": schema[kind.end() :] if kind else schema, "schemaType": kind[1] if kind else "AVRO"}
            ids[topic] = serdes.request(registry, "POST", f"/subjects/{subject}/versions", body)["id"]
        elif directive == "avro":
            encoders[topic] = _avro_encoder(registry, topic, json.loads(rest))
        elif directive == "record":
            key = re.match(r"key=(\S+) ", rest)
            body = rest[key.end() :] if key else rest
            encode = encoders.get(topic, str.encode)
            payload = None if body == "null" else encode(body)
            serdes.produce(kafka, topic, [(key[1].encode() if key else None, payload)])
    return ids


def _avro_encoder(registry: str, topic: str, schema: dict[str, Any]) -> Any:
    """From a record's JSON, as Avro's own JSON encoding has it, to wire format."""
    head = struct.pack(">bI", serdes.MAGIC, serdes.register(registry, f"{topic}-value", schema))
    parsed = fastavro.parse_schema(schema)

    def encode(text: str) -> bytes:
        buffer = io.BytesIO()
        for record in fastavro.json_reader(io.StringIO(text), parsed):
            fastavro.schemaless_writer(buffer, parsed, record)
        return head + buffer.getvalue()

    return encode


def _run(spark: SparkSession, statement: str) -> str:
    """Runs a statement; returns it with its result."""
    head = f"-- statement\n{statement}\n"
    try:
        df = spark.sql(statement)
        rows = [row for batch in live(spark, df) for row in batch] if df.isStreaming and df.columns else df.collect()
    except Exception as error:
        state = getattr(error, "getSqlState", lambda: None)()
        return f"{head}-- error {errors.condition(error)} {state or ''}\n{errors.describe(error)}\n"
    if not df.columns:
        return f"{head}-- done\n"
    lines = [" | ".join(table.cell(value) for value in row) for row in rows]
    if not KEEPS_ORDER.search(statement):
        # Ids of queries count on from file to file, so they are sorted by number: 9 before 10.
        lines.sort(key=lambda line: QUERY_ID.sub(lambda found: found[1] + found[2].zfill(9), line))
    return "".join(line + "\n" for line in [f"{head}-- {_schema(df)}", *lines])


def _schema(df: DataFrame) -> str:
    """The columns as DDL."""
    return ", ".join(f"{f.name} {f.dataType.simpleString()}" for f in df.schema.fields)


def _normalised(case: Case, output: str, known: dict[str, str]) -> str:
    """The output without what differs from run to run."""
    for text, name in known.items():
        output = output.replace(text, name)
    output = UUID.sub("${uuid}", output)
    for rule in case.of("replace"):
        pattern, text = rule.split("=>", 1)
        output = re.sub(pattern.strip(), text.strip().replace("\\", r"\\"), output)
    return "\n".join(line.rstrip() for line in output.splitlines()) + "\n"
