"""The Kafkalyst objects of a catalog: their definitions as one script, and leftovers without an object."""

from __future__ import annotations

import re
import ssl
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from graphlib import TopologicalSorter
from typing import TYPE_CHECKING

from kafkalyst.apply import current_place
from kafkalyst.check import ask_registry
from kafkalyst.errors import describe
from kafkalyst.script import is_complete, quoted, split, words

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, Row, SparkSession

    from kafkalyst.serdes.registry import Registry

ROOT = "spark.kafkalyst.query.checkpoint.root"
WAREHOUSE = "spark.sql.warehouse.dir"
REGISTRIES = "spark.kafkalyst.schema.registry."
# kind, name, found, suggestion
Finding = tuple[str, str, str, str]


@dataclass(frozen=True)
class Definition:
    """A stream or table: database and name in SQL, and its row of SHOW STREAMS EXTENDED or LIST TABLES EXTENDED."""

    database: str
    name: str
    row: Row


def export(spark: SparkSession, database: str | None = None) -> str:
    """All types, streams, tables and continuous queries of the session's catalog as one script.

    Clusters' catalogs are left out: their definitions are records of the topic `_kafkalyst`. Each definition follows
    the ones that its query reads. A query's own statement creates its sink, so queries start without a checkpoint where
    the script is run. Topics of other objects are not created; definitions contain no secrets.

    Args:
        spark: the session, classic or Connect.
        database: only the definitions of this database; by default those of all databases.

    Returns:
        Statements for `kafkalyst import` or `kafkalyst.import_script`, each ended by `;`.

    Raises:
        ValueError: when the catalog has a type or query whose text is not one statement.
    """
    definitions = {_plain(each.name): each for each in _definitions(spark, database)}
    reads: dict[str, set[str]] = {name: set() for name in definitions}
    statements = {}
    for name, each in definitions.items():
        made = str(spark.sql(f"SHOW CREATE TABLE {each.name}").collect()[0][0])
        statements[name] = [_one(made, f"The definition of {each.name}")]
    inserts = []
    for query in spark.sql("SHOW QUERIES EXTENDED").collect():
        if (sink := _plain(query["sink"])) not in reads:
            continue
        kept = {quoted(name): quoted(value) for name, value in _settings(spark, query["query_id"]).items()}
        statement = _one(query["statement"], f"The statement of the query {query['query_id']}")
        texts = [f"USE {definitions[sink].database}", *(f"SET {name}={value}" for name, value in kept.items())]
        texts += [statement, *(f"RESET {name}" for name in kept)]
        if statement[:6].upper() == "INSERT":
            inserts.append(texts)
        else:
            statements[sink] = texts
            reads[sink] |= {source for name in query["sources"].split(", ") if (source := _plain(name)) in reads}
    types = _types(spark, database)
    databases = sorted(
        {*(each.database for each in definitions.values()), *(place for place, _ in types)} - {"`default`"}
    )
    begin = [["USE spark_catalog"], *([f"CREATE DATABASE IF NOT EXISTS {database}"] for database in databases)]
    begin += [[f"USE {place}", statement] for place, statement in types]
    ordered = [statements[name] for name in TopologicalSorter(reads).static_order()]
    return _script(begin + ordered + sorted(inserts))


def _script(groups: Sequence[Sequence[str]]) -> str:
    """The statements as one script.

    Raises:
        ValueError: when a statement would change another: a comment that it leaves open may end in a later one's text.
    """
    script = "".join(";\n".join(texts) + ";\n\n" for texts in groups)
    found = [each.text for each in split(script)]
    for at, text in enumerate(text for texts in groups for text in texts):
        if found[at : at + 1] != [text]:
            raise ValueError(f"This statement leaves a comment or quote open, so it cannot be exported: {text}")
    return script


def _one(text: str, what: str) -> str:
    """The text without comments behind it, if it is one statement that an import takes.

    Others write it: a property or a record of the catalog may hold any text.

    Raises:
        ValueError: when it is anything else.
    """
    found = split(f"{text}\n;")
    if len(found) != 1 or not is_complete(f"{text}\n;") or words(found[0].text)[0].upper() not in ("CREATE", "INSERT"):
        raise ValueError(f"{what} is not one CREATE or INSERT statement, so it cannot be exported: {text}")
    return found[0].text


def _settings(spark: SparkSession, query: str) -> dict[str, str]:
    """What a query's text needs to mean the same: Kafkalyst's settings, and those unlike the session's."""
    shown = spark.sql(f"EXPLAIN {quoted(f'spark_catalog.{query}')}").collect()
    kept = {str(row[0]).removeprefix("with "): str(row[1]) for row in shown if str(row[0]).startswith("with ")}
    ours = ("spark.kafkalyst.", "ksql.")
    return {n: value for n, value in kept.items() if n.startswith(ours) or spark.conf.get(n, None) != value}


def doctor(spark: SparkSession) -> DataFrame:
    """Lists leftovers, with suggestions. Changes nothing.

    Args:
        spark: the session, classic or Connect. Topics and subjects may be in use by other applications.

    Returns:
        A row per finding: `kind` (checkpoint, topic, subject, object, query), `name`, `found` and `suggestion`.
    """
    definitions = list(_definitions(spark))
    queries = spark.sql("SHOW QUERIES EXTENDED").collect()
    findings = [*_topics(spark, definitions), *_subjects(spark, definitions), *_checkpoints(spark, queries)]
    findings += [
        (
            "query",
            row["query_id"],
            f"its state is {row['state']}: {row['error']}",
            f"fix the error, then RESUME `{row['query_id']}`",
        )
        for row in queries
        if row["state"] == "FAILED"
    ]
    return spark.createDataFrame(findings, "kind string, name string, found string, suggestion string")


def _definitions(spark: SparkSession, only: str | None = None) -> Iterator[Definition]:
    """The definitions of the session catalog, in all its databases or one of them."""
    for database in _databases(spark, only):
        for listing in ("SHOW STREAMS", "LIST TABLES"):
            for row in spark.sql(f"{listing} EXTENDED IN spark_catalog.{database}").collect():
                yield Definition(database, f"spark_catalog.{database}.{quoted(row['name'])}", row)


def _databases(spark: SparkSession, only: str | None) -> list[str]:
    """The databases of the session catalog, or one of them, in SQL."""
    names = [row[0] for row in spark.sql("SHOW DATABASES IN spark_catalog").collect()] if only is None else [only]
    return [quoted(name) for name in names]


def _types(spark: SparkSession, only: str | None = None) -> list[tuple[str, str]]:
    """The types of CREATE TYPE, which belong to their database: database in SQL, and statement."""
    found = []
    began = current_place(spark)
    try:
        for database in _databases(spark, only):
            spark.sql(f"USE spark_catalog.{database}")
            for row in spark.sql("SHOW TYPES").collect():
                name = row["name"] if re.fullmatch(r"\w+", row["name"]) else quoted(row["name"])
                text = f"CREATE TYPE IF NOT EXISTS {name} AS {row['type']}"
                found.append((database, _one(text, f"The type {name} of the database {database}")))
    finally:
        spark.sql(f"USE {began}")
    return sorted(found)


def _topics(spark: SparkSession, definitions: Sequence[Definition]) -> Iterator[Finding]:
    there = {row["topic"] for row in spark.sql("SHOW TOPICS").collect()}
    used: set[str | None] = set()
    for each in definitions:
        topics = [topic for topic in re.split(r"[;,]\s*", each.row["topic"]) if topic]
        used |= {*topics, each.row["dead_letters"]}
        for topic in topics:
            if topic not in there and not re.search(r"[*+?|\[(]", topic):
                yield "object", _plain(each.name), f"its topic {topic} does not exist", f"DROP TABLE {each.name}"
    for topic in sorted(there - used):
        if not topic.startswith("_"):
            yield "topic", topic, "no stream or table of this catalog is over it", "other applications may read it"


def _subjects(spark: SparkSession, definitions: Sequence[Definition]) -> Iterator[Finding]:
    try:
        registry = _registry(spark)
        if registry is None:
            return
        # Only Spark knows which settings are the application's, and so which addresses may have its login.
        ask_registry(spark)
        there = {str(subject) for subject in registry.call("GET", "/subjects")}
    except Exception as error:  # whatever fails is the finding
        yield (
            "subject",
            "",
            f"not checked: {describe(error).splitlines()[0]}",
            "check the address and the login; from Python only basic, a bearer token and PEM files are used",
        )
        return
    shown = (each.row[f"{side}_subject"] or "" for each in definitions for side in ("key", "value"))
    used = {subject for subjects in shown for subject in subjects.split("; ")}
    for subject in sorted(there - used):
        yield (
            "subject",
            subject,
            "no stream or table of this catalog has it",
            "other schemas may refer to it",
        )


def _registry(spark: SparkSession) -> Registry | None:
    """A client with the session's addresses, login and TLS files; None without an address."""
    from kafkalyst.serdes.registry import Registry

    def given(name: str) -> str | None:
        return spark.conf.get(REGISTRIES + name, None)

    url = given("url")
    if not url:
        return None
    pem = (given("ssl.truststore.type") or "").upper() == "PEM"
    authority = given("ssl.ca.location") or (given("ssl.truststore.location") if pem else None)
    certificate, tls = given("ssl.certificate.location"), None
    if authority or certificate:
        tls = ssl.create_default_context(cafile=authority)
        if certificate:
            tls.load_cert_chain(certificate, given("ssl.key.location"), given("ssl.key.password"))
    return Registry(url, user_info=given("basic.auth.user.info"), token=given("bearer.auth.token"), tls=tls)


def _checkpoints(spark: SparkSession, queries: Sequence[Row]) -> Iterator[Finding]:
    """Checkpoints without a query. Spark lists them, on any file system: each has a file `metadata`."""
    warehouse = str(spark.conf.get(WAREHOUSE, "spark-warehouse")).rstrip("/")
    root = spark.conf.get(ROOT, None) or f"{warehouse}/_kafkalyst"
    try:
        rows = spark.read.format("binaryFile").load(f"{root}/*/metadata").select("path", "modificationTime").collect()
    except Exception as error:
        text = describe(error).splitlines()[0]
        if "PATH_NOT_FOUND" not in text:
            yield "checkpoint", root, f"not checked: {text}", "check the folder and the right to read it"
        return
    # By their names under the root: Spark adds to a path its file system and what is before a relative one.
    # A folder with a query's id has its record, also if its checkpoint is in another one.
    used = {row["checkpoint"].rstrip("/").rpartition("/")[2] for row in queries} | {row["query_id"] for row in queries}
    for row in rows:
        folder = _path(row["path"].rpartition("/")[0])
        if folder.rpartition("/")[2] not in used:
            yield (
                "checkpoint",
                folder,
                f"belongs to no query; started {row['modificationTime']}",
                "delete it, if no other catalog has its query, nor one whose brokers do not answer now",
            )


def _path(text: str) -> str:
    return re.sub(r"^file:/+", "/", text).rstrip("/")


def _plain(name: str) -> str:
    """A name without catalog and back-ticks: `spark_catalog.default.a` is `default.a`."""
    return name.replace("`", "").removeprefix("spark_catalog.")
