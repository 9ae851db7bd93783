"""Sessions that create, replace and drop the same objects at once: an entry always has its topic and its subject."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from confluent_kafka.admin import AdminClient
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from kafkalyst import serdes
from support.cluster import ENVIRONMENT
from support.guid_registry import GuidRegistry
from support.records import eventually, everything, messages
from support.rig import Chance, at_once, printed, rounds

if TYPE_CHECKING:
    from conftest import Servers

# Allowed conditions of a statement that another one has overtaken.
LOST = {
    "KAFKALYST_OBJECT_EXISTS",
    "KAFKALYST_OBJECT_NOT_FOUND",
    "KAFKALYST_OBJECT_IN_USE",
    "KAFKALYST_TOPIC_IN_USE",
    "KAFKALYST_REPLACEMENT_DIFFERS",
    "KAFKALYST_NOT_ALTERABLE",
    "KAFKALYST_DUPLICATE_COLUMN",
    "KAFKALYST_QUERY_CHANGED",
    "KAFKALYST_QUERY_NOT_FOUND",
    "KAFKALYST_COLUMN_EXISTS",
    "TABLE_OR_VIEW_NOT_FOUND",
}


def outcome(session: SparkSession, statement: str) -> str:
    """The condition with which the statement fails; empty if it succeeds."""
    try:
        session.sql(statement).collect()
    except PySparkException as e:
        return e.getCondition() or str(e)
    return ""


def subjects(servers: Servers) -> set[str]:
    """All subjects of the registry."""
    with urllib.request.urlopen(f"{servers.registry}/subjects", timeout=30) as answer:
        return set(json.load(answer))


def topics(servers: Servers) -> set[str]:
    """All topics of the broker."""
    return set(AdminClient({"bootstrap.servers": servers.kafka}).list_topics(timeout=30).topics)


@pytest.mark.parametrize("words", ["CREATE STREAM", "CREATE STREAM IF NOT EXISTS", "CREATE OR REPLACE STREAM"])
def test_the_winner_keeps_what_it_made(
    spark: SparkSession, servers: Servers, topic: Callable[[str], str], words: str
) -> None:
    """Eight sessions run one statement: the object is created once, and slower sessions delete nothing of it."""
    sessions = [spark.newSession() for _ in range(8)]
    names = [topic(f"won{i}") for i in range(rounds(6))]
    for name in names:
        statement = f"{words} {name} (v INT) WITH (KAFKA_TOPIC = '{name}', VALUE_FORMAT = 'AVRO', PARTITIONS = 1)"
        ends = sorted(at_once([partial(outcome, session, statement) for session in sessions]))
        assert ends == ["", *(["KAFKALYST_OBJECT_EXISTS" if words == "CREATE STREAM" else ""] * 7)]
    assert {f"{name}-value" for name in names} <= subjects(servers)
    assert set(names) <= topics(servers)
    spark.sql(f"INSERT INTO {names[0]} VALUES (7)")
    assert [row.v for row in spark.table(names[0]).select("v").collect()] == [7]


def test_a_failed_query_takes_back_what_it_made(
    spark: SparkSession, servers: Servers, topic: Callable[[str], str]
) -> None:
    """Topic and subject of a query that cannot start are deleted, because nobody uses them."""
    source, sink = topic("given"), topic("failing")
    spark.sql(f"CREATE STREAM {source} (v INT) WITH (KAFKA_TOPIC = '{source}', VALUE_FORMAT = 'AVRO', PARTITIONS = 1)")
    made = f"CREATE STREAM {sink} WITH (VALUE_FORMAT = 'AVRO') AS SELECT v FROM {source}"
    root = "spark.kafkalyst.query.checkpoint.root"
    before = spark.conf.get(root)
    # A file in place of the folder: the query cannot start after topic and schema are created.
    spark.conf.set(root, "/dev/null/nowhere")
    try:
        with pytest.raises(Exception, match=r"(?i)not a directory"):
            spark.sql(made)
    finally:
        spark.conf.set(root, before)
    assert sink not in topics(servers)
    assert f"{sink}-value" not in subjects(servers)


class Refusing(GuidRegistry):
    """A registry that runs a function and refuses when a version of one subject is to be added.

    Args:
        registry: address of the real registry's Confluent API.
        refuses: whether it refuses, or passes the request on.
    """

    def __init__(self, registry: str, subject: str, first: Callable[[], object], refuses: bool = True) -> None:
        super().__init__(registry)
        self._path, self._first, self._refuses = f"/subjects/{subject}/versions", first, refuses

    def answer(self, method: str, path: str, body: bytes) -> tuple[int, bytes]:
        """The real registry's answer, or the refusal."""
        if method == "POST" and path.split("?")[0] == self._path:
            self._first()
            if not self._refuses:
                return super().answer(method, path, body)
            return 422, json.dumps({"error_code": 42201, "message": "not this one"}).encode()
        return super().answer(method, path, body)


@pytest.mark.parametrize("theirs", ["nothing", "record", "topic", "version"])
def test_a_failed_statement_keeps_what_others_use(
    spark: SparkSession, servers: Servers, topic: Callable[[str], str], theirs: str
) -> None:
    """If CREATE fails, a topic with a record or a new id and a subject with another version stay; the rest goes."""
    name = topic(f"half_{theirs}")
    admin = AdminClient({"bootstrap.servers": servers.kafka})

    def meanwhile() -> None:
        """Actions of another application between the statement's topic and key schema, and its value schema."""
        assert name in topics(servers) and f"{name}-key" in subjects(servers)
        if theirs == "record":
            serdes.produce(servers.kafka, name, [(None, b"theirs")])
        if theirs == "topic":
            admin.delete_topics([name])[name].result(30)
            eventually(lambda: name not in topics(servers))
            serdes.create_topic(servers.kafka, name, 1)
        if theirs == "version":
            serdes.register(servers.registry, f"{name}-key", "long")

    session = spark.newSession()
    with Refusing(servers.registry, f"{name}-value", meanwhile) as registry:
        session.conf.set("spark.kafkalyst.schema.registry.url", registry.address)
        shape = f"WITH (KAFKA_TOPIC = '{name}', FORMAT = 'AVRO', PARTITIONS = 1)"
        statement = f"CREATE STREAM {name} (k INT KEY, v INT) {shape}"
        assert outcome(session, statement) == "KAFKALYST_SCHEMA_REFUSED"
    assert not spark.catalog.tableExists(name)
    assert (name in topics(servers)) == (theirs in ("record", "topic"))
    assert (f"{name}-key" in subjects(servers)) == (theirs == "version")
    assert f"{name}-value" not in subjects(servers)
    if theirs == "record":
        assert everything(servers.kafka, name) == [(None, b"theirs")]


@pytest.mark.parametrize(
    "change", ["DROP STREAM {}", "DROP STREAM {} DELETE TOPIC", "ALTER STREAM {} RENAME TO {}_new"]
)
def test_a_source_that_goes_while_its_query_begins(
    spark: SparkSession, servers: Servers, topic: Callable[[str], str], change: str
) -> None:
    """Between the analysis of CREATE … AS and its record: the query fails, and leaves nothing."""
    source, sink, ends = topic("going"), topic("begun"), []
    spark.sql(f"CREATE STREAM {source} (v INT) WITH (KAFKA_TOPIC = '{source}', VALUE_FORMAT = 'JSON', PARTITIONS = 1)")
    session, other = spark.newSession(), spark.newSession()
    changing = threading.Thread(target=lambda: ends.append(outcome(other, change.format(source, source))))

    def meanwhile() -> None:
        changing.start()
        # Does not wait for a change that waits for this statement: two names may have the same lock.
        changing.join(10)

    with Refusing(servers.registry, f"{sink}-value", meanwhile, refuses=False) as registry:
        session.conf.set("spark.kafkalyst.schema.registry.url", registry.address)
        shape = f"WITH (KAFKA_TOPIC = '{sink}', VALUE_FORMAT = 'AVRO')"
        made = outcome(session, f"CREATE STREAM {sink} {shape} AS SELECT v FROM {source} EMIT CHANGES")
    changing.join()
    assert (made, ends) in [("KAFKALYST_SOURCE_NOT_FOUND", [""]), ("", ["KAFKALYST_OBJECT_IN_USE"])]
    if made:
        assert sink not in topics(servers) and f"{sink}-value" not in subjects(servers)
        assert not [row for row in spark.sql("SHOW QUERIES").collect() if row.sink.endswith(sink)]


@pytest.mark.parametrize("into", ["stream", "files"])
def test_a_source_goes_or_is_read(spark: SparkSession, topic: Callable[[str], str], tmp_path: Path, into: str) -> None:
    """INSERT … EMIT CHANGES and DROP at once: one of them is refused."""
    chance, sessions = Chance(), [spark.newSession() for _ in range(2)]
    for number in range(rounds(6)):
        source, sink = topic(f"gone{number}"), topic(f"into{number}")
        shape = "VALUE_FORMAT = 'JSON', PARTITIONS = 1"
        for name in (source, sink)[: 2 if into == "stream" else 1]:
            spark.sql(f"CREATE STREAM {name} (v INT) WITH (KAFKA_TOPIC = '{name}', {shape})")
        if into == "files":
            spark.sql(f"CREATE TABLE {sink} (v INT) USING parquet LOCATION '{tmp_path / sink}'")
        pause = chance.random() * 0.4

        def dropped(session: SparkSession, source: str = source, pause: float = pause) -> str:
            time.sleep(pause)
            return outcome(session, f"DROP STREAM {source} DELETE TOPIC")

        insert = f"INSERT INTO {sink} SELECT v FROM {source} EMIT CHANGES"
        ends = at_once([partial(outcome, sessions[0], insert), partial(dropped, sessions[1])])
        chance.tell(f"{pause:.3f}: {ends}")
        assert ends[1] == ("KAFKALYST_OBJECT_IN_USE" if ends[0] == "" else ""), ends
    spark.sql("TERMINATE ALL")


APPLICATION = """
import json, sys
import kafkalyst
from pyspark.errors import PySparkException

job = json.loads(sys.argv[1])
spark = kafkalyst.session(job["kafka"], job["registry"], **job["conf"])
spark.sql("SHOW TABLES IN kafka").collect()
print("ready", flush=True)
for name in job["names"]:
    sys.stdin.readline()
    try:
        spark.sql(f"CREATE STREAM kafka.`{name}` (k INT KEY, v INT) WITH (FORMAT = 'AVRO', PARTITIONS = 1)")
        print("", flush=True)
    except PySparkException as e:
        print(e.getCondition() or str(e).replace(chr(10), " "), flush=True)
"""


def test_two_applications_create_one_object(servers: Servers, topic: Callable[[str], str], tmp_path: Path) -> None:
    """In two processes, which share no lock, the slower one deletes nothing of the other's."""
    names = [topic(f"shared{i}") for i in range(rounds(5))]
    conf = {"spark.master": "local[1]", "spark.ui.enabled": "false", "spark.sql.warehouse.dir": str(tmp_path)}
    job = {"kafka": servers.kafka, "registry": servers.registry, "conf": conf, "names": names}
    with ExitStack() as running:
        applications = []
        for _ in range(2):
            command = [sys.executable, "-c", APPLICATION, json.dumps(job)]
            started = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                env={**os.environ, **ENVIRONMENT, "PYSPARK_PYTHON": sys.executable},
                start_new_session=True,
            )
            running.callback(os.killpg, started.pid, signal.SIGKILL)
            applications.append(started)
            assert printed(started) == "ready\n"
        for name in names:
            for application in applications:
                application.stdin.write("\n")
                application.stdin.flush()
            ends = [printed(application).rstrip("\n") for application in applications]
            assert sorted(ends)[0] == "" and set(ends) <= {"", *LOST}, ends
            assert name in topics(servers), ends
            assert {f"{name}-key", f"{name}-value"} <= subjects(servers), ends
            (key,) = (m.key() for m in messages(servers.kafka, "_kafkalyst") if name.encode() in (m.key() or b""))
            assert key == json.dumps({"kind": "object", "name": name}, separators=(",", ":")).encode()


def test_a_replaced_object_is_there_at_all_times(spark: SparkSession, topic: Callable[[str], str]) -> None:
    """CREATE OR REPLACE is atomic: a concurrent reader never misses the object or its row."""
    name, reader, over = topic("replaced"), spark.newSession(), threading.Event()
    columns = ["v INT"]
    shape = f"WITH (KAFKA_TOPIC = '{name}', VALUE_FORMAT = 'JSON', PARTITIONS = 1)"
    spark.sql(f"CREATE STREAM {name} ({columns[0]}) {shape}")
    spark.sql(f"INSERT INTO {name} VALUES (7)")
    seen: list[object] = []

    def read() -> None:
        while not over.is_set():
            try:
                seen.append([row.v for row in reader.sql(f"SELECT v FROM {name}").collect()])
            except PySparkException as e:
                seen.append(str(e))

    thread = threading.Thread(target=read)
    thread.start()
    try:
        while len(columns) <= 50 or len(seen) < 10:
            columns.append(f"w{len(columns)} INT")
            assert len(columns) < 500, "the reader is stuck"
            spark.sql(f"CREATE OR REPLACE STREAM {name} ({', '.join(columns)}) {shape}")
    finally:
        over.set()
        thread.join()
    assert [other for other in seen if other != [7]] == []


def test_statements_at_random(spark: SparkSession, servers: Servers, topic: Callable[[str], str]) -> None:
    """Four sessions run random statements on two names: after every round each entry has its topic and subject."""
    rng = Chance()
    sessions = [spark.newSession() for _ in range(4)]
    names, source = [topic("one"), topic("two")], topic("base")
    shape = "VALUE_FORMAT = 'AVRO', PARTITIONS = 1"
    spark.sql(f"CREATE STREAM {source} (v INT) WITH (KAFKA_TOPIC = '{source}', {shape})")
    acknowledged: dict[str, set[int]] = {name: set() for name in names}

    def statement(name: str) -> str:
        over = f"(v INT) WITH (KAFKA_TOPIC = '{name}', {shape})"
        query = f"WITH (KAFKA_TOPIC = '{name}', {shape}) AS SELECT v FROM {source}"
        choices = {
            f"CREATE STREAM {name} {over}": 3,
            f"CREATE STREAM IF NOT EXISTS {name} {over}": 3,
            f"CREATE OR REPLACE STREAM {name} {over}": 3,
            f"CREATE OR REPLACE STREAM {name} {query}": 1,
            f"CREATE STREAM {name} {query}": 1,
            f"DROP STREAM IF EXISTS {name}": 2,
            f"DROP STREAM IF EXISTS {name} DELETE TOPIC": 2,
            f"ALTER STREAM {name} ADD COLUMN w{rng.randrange(1000)} INT": 2,
            "TERMINATE ALL": 1,
        }
        return rng.choices(list(choices), list(choices.values()))[0]

    for number in range(rounds(12)):
        for name in names:
            if outcome(spark, f"INSERT INTO {name} (v) VALUES ({number})") == "":
                acknowledged[name].add(number)
        picked = [statement(rng.choice(names)) for _ in sessions]
        ends = at_once([partial(outcome, *one) for one in zip(sessions, picked, strict=True)])
        told = list(zip(picked, ends, strict=True))
        rng.tell(f"round {number}: {told}")
        assert set(ends) - {""} <= LOST, told
        there = {row.name for row in spark.sql("SHOW STREAMS").collect()} & set(names)
        assert there <= topics(servers), told
        found = subjects(servers)
        assert {name for name in names if f"{name}-value" in found} == topics(servers) & set(names), told
        for name in names:
            if any(name in text and "DELETE TOPIC" in text and not end for text, end in told):
                acknowledged[name].clear()
        for name in there:
            assert acknowledged[name] <= {row.v for row in spark.table(name).select("v").collect()}, told
    spark.sql("TERMINATE ALL")
    for name in names:
        outcome(spark, f"CREATE STREAM IF NOT EXISTS {name} (v INT) WITH (KAFKA_TOPIC = '{name}', {shape})")
        spark.sql(f"DROP STREAM {name} DELETE TOPIC")
    assert not topics(servers) & set(names)
    assert not subjects(servers) & {f"{name}-value" for name in names}


@pytest.mark.parametrize(
    "kind", ["USING parquet", "WITH ('connector' = 'kafka', 'topic' = '{}', 'format' = 'json', 'partitions' = '1')"]
)
def test_one_fills_what_it_creates(spark: SparkSession, topic: Callable[[str], str], kind: str) -> None:
    """Several sessions run CREATE TABLE IF NOT EXISTS with a continuous query: one query fills the table."""
    source = topic("filling")
    spark.sql(f"CREATE STREAM {source} (v INT) WITH (KAFKA_TOPIC = '{source}', VALUE_FORMAT = 'JSON', PARTITIONS = 1)")
    sessions = [spark.newSession() for _ in range(3)]
    for session in sessions:
        session.conf.set("spark.kafkalyst.query.trigger", "available-now")

    def created(session: SparkSession, statement: str) -> str:
        return str(session.sql(statement).collect()[0]["state"])

    for i in range(rounds(4)):
        name = topic(f"filled{i}")
        statement = f"CREATE TABLE IF NOT EXISTS {name} {kind.format(name)} AS SELECT v FROM {source} EMIT CHANGES"
        ends = at_once([partial(created, session, statement) for session in sessions])
        assert sorted(ends) == ["FINISHED", "already exists", "already exists"]
