"""Bad records under ON_ERROR: dead letters are exact copies, acknowledged before a read ends, and can be replayed."""

from __future__ import annotations

import os
import random
import struct
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from confluent_kafka import Consumer, Message, Producer, TopicPartition
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

from kafkalyst import errors, serdes
from kafkalyst.replay import ReplayError, letter, replay
from support.patience import PATIENCE_SECONDS
from support.records import messages

if TYPE_CHECKING:
    from conftest import Servers

PREFIX = "kafkalyst.dlq."
NUMBER = {"type": "record", "name": "Number", "fields": [{"name": "n", "type": "int"}]}
# Duplicate names, a null, bytes that are not text, and a Kafkalyst header of an earlier dead letter.
HEADERS = [("h", b"1"), ("h", b"\xff\x00"), ("null", None), ("", b""), (f"{PREFIX}side", b"mine")]
STAMP = 1_600_000_000_123
BAD = b"\x00\x00\x00"


def put(
    servers: Servers,
    topic: str,
    key: bytes | None,
    value: bytes | None,
    partition: int = 0,
    headers: list[tuple[str, bytes | None]] = HEADERS,
) -> None:
    """Sends one record with headers and an old timestamp."""
    producer = Producer({"bootstrap.servers": servers.kafka})
    producer.produce(topic, value, key, partition, headers=headers, timestamp=STAMP)
    assert producer.flush(PATIENCE_SECONDS) == 0


def records(servers: Servers, topic: str) -> list[Message]:
    """All records of a topic, by partition and offset."""
    return messages(servers.kafka, topic)


def ours(message: Message) -> list[tuple[str, str]]:
    """The headers after the record's own, which must be unchanged."""
    headers = message.headers()
    assert headers[: len(HEADERS)] == HEADERS
    assert all(name.startswith(PREFIX) for name, _ in headers[len(HEADERS) :])
    return [(name.removeprefix(PREFIX), text.decode()) for name, text in headers[len(HEADERS) :]]


@pytest.fixture
def source(spark: SparkSession, servers: Servers, topic: Callable[[str], str]) -> str:
    """A stream with INT keys and AVRO values in two partitions: two good records, and four bad ones of all kinds."""
    name = topic("letters")
    serdes.create_topic(servers.kafka, name, 2)
    good = serdes.avro_encoder(servers.registry, f"{name}-value", NUMBER)
    key = struct.pack(">i", 7)
    put(servers, name, key, good({"n": 1}))
    put(servers, name, b"long key", good({"n": 2}))
    put(servers, name, key, BAD, 1)
    put(servers, name, b"", good({"n": 3})[:5], 1)
    put(servers, name, None, b"", 1)
    put(servers, name, None, None, 1)
    spark.sql(
        f"CREATE STREAM {name} (k INT KEY) WITH (KAFKA_TOPIC='{name}', VALUE_FORMAT='AVRO', ON_ERROR='dead-letter')"
    )
    return name


def check_letters(servers: Servers, source: str) -> None:
    """Asserts that the dead letter topic has the four bad records unchanged, with their errors."""
    schema_id = serdes.request(servers.registry, "GET", f"/subjects/{source}-value/versions/latest")["id"]
    found = {tuple(value for _, value in ours(m)[1:3]): m for m in records(servers, f"{source}-dlq")}
    originals = {(str(m.partition()), str(m.offset())): m for m in records(servers, source)}
    assert sorted(found) == [("0", "1"), ("1", "0"), ("1", "1"), ("1", "2")]
    for place, message in found.items():
        original = originals[place]
        assert (message.key(), message.value()) == (original.key(), original.value())
        assert ours(message)[:4] == [
            ("topic", source),
            ("partition", place[0]),
            ("offset", place[1]),
            ("timestamp", str(STAMP)),
        ]
        assert message.timestamp()[1] > STAMP + 10**9, "retention would take a dead letter of its record's time"
    key_error = ("error", "column k: INT takes 4 bytes, but there are 8")
    assert ours(found["0", "1"])[4:] == [("side", "key"), ("format", "KAFKA"), key_error]
    value = ours(found["1", "0"])[4:]
    assert value[:2] == [("side", "value"), ("format", "AVRO")] and "3 of the 5 bytes" in value[2][1]
    both = ours(found["1", "1"])[4:]
    assert [name for name, _ in both] == ["side", "format", "error", "side", "format", "schema.id", "error"]
    assert [both[0][1], both[3][1], both[5][1]] == ["key", "value", str(schema_id)]
    assert ("side", "value") in ours(found["1", "2"]) and found["1", "2"].value() == b""


def test_batch(spark: SparkSession, servers: Servers, source: str) -> None:
    """A bad key, a bad value and both: the read skips them, and they are in the dead letter topic."""
    frame = spark.table(source)
    assert sorted((r["k"] or 0, r["n"] or 0) for r in frame.collect()) == [(0, 0), (7, 1)]
    check_letters(servers, source)


def test_metrics(spark: SparkSession, source: str) -> None:
    """The scan's metrics count bad records and dead letters."""
    frame = spark.table(source)
    frame.collect()
    metrics = frame._jdf.queryExecution().executedPlan().collectLeaves().head().metrics()
    counted = {name: metrics.apply(name).value() for name in ("badRecords", "deadLetters", "numOutputRows")}
    assert counted == {"badRecords": 4, "deadLetters": 4, "numOutputRows": 2}


def test_streaming(spark: SparkSession, servers: Servers, source: str, tmp_path: Path) -> None:
    """A stream sends each letter once, batch by batch, and continues after them on a restart."""

    def run() -> int:
        frame = spark.readStream.option("maxOffsetsPerTrigger", 2).table(source)
        out = frame.writeStream.option("checkpointLocation", str(tmp_path / "checkpoint")).trigger(availableNow=True)
        query = out.format("parquet").option("path", str(tmp_path / "rows")).start()
        assert query.awaitTermination(PATIENCE_SECONDS)
        return len(query.recentProgress)

    assert run() >= 3
    check_letters(servers, source)
    run()
    assert len(records(servers, f"{source}-dlq")) == 4
    assert sorted((r["k"] or 0, r["n"] or 0) for r in spark.read.parquet(str(tmp_path / "rows")).collect()) == [
        (0, 0),
        (7, 1),
    ]


def test_a_read_that_stops_early_has_its_letters_delivered(spark: SparkSession, servers: Servers, source: str) -> None:
    """LIMIT leaves the range unfinished; the letters of records that were skipped until then are delivered."""
    spark.sql(f"DROP STREAM {source}")
    spark.sql(
        f"CREATE STREAM {source} (k INT KEY, n INT) "
        f"WITH (KAFKA_TOPIC='{source}', VALUE_FORMAT='JSON', DEAD_LETTER_TOPIC='{source}-early')"
    )
    assert spark.table(source).limit(1).collect()[0]["n"] is None
    assert [ours(m)[1:3] for m in records(servers, f"{source}-early")][-1] == [("partition", "1"), ("offset", "2")]


def test_a_create_that_fails_takes_the_dead_letter_topic_back(
    spark: SparkSession, servers: Servers, topic: Callable[[str], str]
) -> None:
    """It removes the dead letter topic like the topic itself; options alone create none."""
    name = topic("halfway")
    with pytest.raises(PySparkException):
        spark.sql(
            f"CREATE STREAM no_such_database.{name} (v INT) "
            f"WITH (KAFKA_TOPIC='{name}', VALUE_FORMAT='JSON', PARTITIONS=1, ON_ERROR='dead-letter')"
        )
    assert spark.sql("SHOW TOPICS").where(f"topic LIKE '{name}%'").count() == 0
    serdes.create_topic(servers.kafka, name)
    serdes.produce(servers.kafka, name, [(None, b"1"), (None, b"{}")])
    reader = spark.read.format("kafkalyst").schema("v INT").options(KAFKA_TOPIC=name, VALUE_FORMAT="JSON")
    assert [
        r["bad"] for r in reader.options(ON_ERROR="null").load().selectExpr("_error IS NOT NULL AS bad").collect()
    ] == [
        True,
        False,
    ]
    with pytest.raises(PySparkException) as failed:
        reader.options(ON_ERROR="dead-letter").load().collect()
    assert failed.value.getCondition() == "KAFKALYST_DEAD_LETTER_TOPIC_MISSING"


def test_policies_agree(spark: SparkSession, servers: Servers, topic: Callable[[str], str]) -> None:
    """Over thousands of mangled records the policies skip, explain and send the same records, and agree on the rest."""
    name = topic("mangled")
    rng = random.Random(13)
    encode = serdes.avro_encoder(servers.registry, f"{name}-value", NUMBER)

    def mangled(good: bytes) -> bytes:
        if rng.random() < 0.7:
            return good
        at = rng.randrange(len(good))
        return rng.choice([good[:at], good[:at] + rng.randbytes(2) + good[at + 1 :], good + b"!"])

    sent = [
        (mangled(struct.pack(">i", n)), mangled(encode({"n": rng.randint(-(2**31), 2**31 - 1)}))) for n in range(4000)
    ]
    serdes.create_topic(servers.kafka, name, 2)
    serdes.produce(servers.kafka, name, sent)
    spark.sql(
        f"CREATE STREAM {name} (k INT KEY) WITH (KAFKA_TOPIC='{name}', VALUE_FORMAT='AVRO', ON_ERROR='dead-letter')"
    )

    def read(policy: str) -> DataFrame:
        return spark.read.option("on_error", policy).table(name)

    def rows(frame: DataFrame) -> list[tuple[int, int]]:
        return sorted((r["k"], r["n"]) for r in frame.collect())

    skipped, explained = rows(read("skip")), read("null")
    assert 1000 < len(skipped) < 3500
    assert rows(explained.where("_error IS NULL")) == skipped == rows(read("dead-letter"))
    bad = explained.where("_error IS NOT NULL")
    assert bad.count() == 4000 - len(skipped) == len(records(servers, f"{name}-dlq"))
    wrong = "((_error LIKE '%key is not%') <> (k IS NULL)) OR ((_error LIKE '%value is not%') <> (n IS NULL))"
    assert bad.where(wrong).count() == 0
    letters = {(m.key(), m.value()) for m in records(servers, f"{name}-dlq")}
    assert letters <= set(sent)


def test_a_lost_dead_letter_topic_fails_the_read(
    spark: SparkSession, servers: Servers, source: str, topic: Callable[[str], str]
) -> None:
    """Bad records are not lost: the read fails, and at once if the dead letter topic does not exist."""
    spark.sql(f"ALTER TABLE {source} SET TBLPROPERTIES ('dead_letter_topic' = '{topic('nowhere')}')")
    with pytest.raises(PySparkException) as failed:
        spark.table(source).collect()
    assert failed.value.getCondition() == "KAFKALYST_DEAD_LETTER_TOPIC_MISSING"
    # The producer refuses all letters: the limit is one byte less than the smallest.
    spark.sql(f"ALTER TABLE {source} SET TBLPROPERTIES ('dead_letter_topic' = '{source}-dlq')")
    spark.conf.set("spark.kafkalyst.kafka.max.request.size", "100")
    try:
        with pytest.raises(PySparkException) as failed:
            spark.table(source).collect()
    finally:
        spark.conf.unset("spark.kafkalyst.kafka.max.request.size")
    assert errors.condition(failed.value) == "KAFKALYST_DEAD_LETTER_FAILED"


@contextmanager
def registry_at(spark: SparkSession, url: str) -> Iterator[None]:
    """Sets another registry for the duration of the block."""
    name = "spark.kafkalyst.schema.registry.url"
    before = spark.conf.get(name)
    spark.conf.set(name, url)
    try:
        yield
    finally:
        spark.conf.set(name, before)


@pytest.mark.parametrize("policy", ["skip", "null", "dead-letter"])
def test_a_registry_that_is_down_makes_no_record_bad(
    spark: SparkSession, servers: Servers, source: str, policy: str
) -> None:
    """The read fails with the registry's address under every policy, and nothing is skipped."""
    spark.sql(f"ALTER TABLE {source} SET TBLPROPERTIES ('on_error' = '{policy}')")
    with registry_at(spark, "http://127.0.0.1:1"), pytest.raises(PySparkException) as failed:
        spark.table(source).collect()
    assert errors.condition(failed.value) == "KAFKALYST_REGISTRY_UNREACHABLE"
    assert ("0", "0") not in [tuple(value for _, value in ours(m)[1:3]) for m in records(servers, f"{source}-dlq")]


def test_replay(spark: SparkSession, servers: Servers, source: str) -> None:
    """Letters go back to their places, unchanged, once; a dry run sends none."""
    spark.table(source).collect()
    before = records(servers, source)
    told: list[str] = []
    done = replay(servers.kafka, f"{source}-dlq", dry_run=True, progress=told.append)
    assert done.sent == {source: 4} and len(told) == 4
    assert f"would send {source}, partition 0, offset 1: key: column k: INT takes 4 bytes, but there are 8" in told
    assert len(records(servers, source)) == len(before)

    assert replay(servers.kafka, f"{source}-dlq", limit=1).sent == {source: 1}
    assert replay(servers.kafka, f"{source}-dlq").sent == {source: 3}
    assert not replay(servers.kafka, f"{source}-dlq").sent
    after = records(servers, source)
    for partition, count in ((0, 1), (1, 3)):
        old = [m for m in before if m.partition() == partition]
        new = [m for m in after if m.partition() == partition][len(old) :]
        assert len(new) == count
        bad = old[1:] if partition == 0 else old[:3]
        for was, now in zip(bad, new, strict=True):
            assert (now.key(), now.value(), now.headers()) == (was.key(), was.value(), was.headers())
            assert now.timestamp() == was.timestamp()
    assert replay(servers.kafka, f"{source}-dlq", again=True).sent == {source: 4}
    # A shorter run from the start does not reset the committed offsets.
    assert replay(servers.kafka, f"{source}-dlq", again=True, limit=1).sent == {source: 1}
    assert tuple(spark.sql(f"REPLAY {source} FROM BEGINNING LIMIT 1").first())[1] == 1
    assert not replay(servers.kafka, f"{source}-dlq").sent


def test_replay_statement(servers: Servers, spark: SparkSession, source: str) -> None:
    """REPLAY sends what the command would, continues where it ended, and skips letters for other topics."""
    spark.table(source).collect()
    before = records(servers, source)
    said = {
        "topic": f"{source}-private",
        "partition": "0",
        "offset": "0",
        "timestamp": "-1",
        "side": "key",
        "error": "e",
    }
    put(servers, f"{source}-dlq", b"k", b"forged", headers=[(PREFIX + n, text.encode()) for n, text in said.items()])
    put(servers, f"{source}-dlq", b"k", b"not a dead letter")

    def replayed(more: str = "") -> tuple[object, ...]:
        return tuple(spark.sql(f"REPLAY {source} {more}").first())

    assert replayed("LIMIT 1")[:2] == (f"{source}-dlq", 1)
    assert replay(servers.kafka, f"{source}-dlq", limit=1).sent == {source: 1}
    assert replayed()[1] == 2
    assert replayed() == (f"{source}-dlq", 0, 0)
    after = records(servers, source)
    for partition in (0, 1):
        old = [m for m in before if m.partition() == partition]
        new = [m for m in after if m.partition() == partition][len(old) :]
        bad = old[1:] if partition == 0 else old[:3]
        as_they_were = [(m.key(), m.value(), m.headers(), m.timestamp()) for m in bad]
        assert [(m.key(), m.value(), m.headers(), m.timestamp()) for m in new] == as_they_were
    assert replayed("FROM BEGINNING") == (f"{source}-dlq", 4, 2)


def test_replays_at_once(servers: Servers, spark: SparkSession, source: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The later run ends the earlier one, and each letter is sent once."""
    spark.table(source).collect()
    before = len(records(servers, source))
    monkeypatch.setattr("kafkalyst.replay.BATCH", 1)
    later: list[object] = []

    def begin(_: str) -> None:
        if not later:
            later.append(spark.sql(f"REPLAY {source}").first()[1])

    with pytest.raises(ReplayError, match="another replay of the topic began"):
        replay(servers.kafka, f"{source}-dlq", progress=begin)
    assert later == [3] and len(records(servers, source)) == before + 4
    assert not replay(servers.kafka, f"{source}-dlq").sent

    # As many letters as take a while, so that the runs meet.
    said = (("topic", source), ("side", "key"), ("error", "e"))
    count = 3000
    producer = Producer({"bootstrap.servers": servers.kafka})
    for n in range(count):
        producer.produce(f"{source}-dlq", b"{}", str(n), headers=[(PREFIX + k, v.encode()) for k, v in said])
    assert producer.flush(60) == 0

    def run(_: int) -> str | None:
        try:
            spark.sql(f"REPLAY {source}").collect()
        except PySparkException as error:
            overtaken = error.getCondition() == "KAFKALYST_REPLAY_OVERTAKEN"
            return "overtaken" if overtaken else str(error)
        return None

    with ThreadPoolExecutor(4) as pool:
        ended = list(pool.map(run, range(4)))
    assert set(ended) <= {None, "overtaken"} and None in ended, ended
    assert len(records(servers, source)) == before + 4 + count


def test_replay_of_odd_letters(servers: Servers, spark: SparkSession, source: str) -> None:
    """None stops a run: the key chooses the partition where there is none, numbers too large are not a letter's."""
    said = {"topic": source, "partition": "99999", "offset": "0", "timestamp": "-1", "side": "key", "error": "e"}
    unwritten = {"topic": source, "error": "TIMESTAMP: e"}
    places = (said, unwritten, said | {"timestamp": "9" * 20}, said | {"partition": "9" * 20})

    def forge() -> None:
        spark.table(source).collect()
        for place in places:
            put(servers, f"{source}-dlq", b"k", b"odd", headers=[(PREFIX + n, t.encode()) for n, t in place.items()])

    forge()
    before = len(records(servers, source))
    assert tuple(spark.sql(f"REPLAY {source}").first()) == (f"{source}-dlq", 6, 2)
    assert [m.value() for m in records(servers, source)].count(b"odd") == 2
    assert len(records(servers, source)) == before + 6
    done = replay(servers.kafka, f"{source}-dlq", again=True)
    assert (done.sent, done.strange) == ({source: 6}, 2)
    # Java's producers and librdkafka's choose the same partition for a key.
    assert len({m.partition() for m in records(servers, source) if m.value() == b"odd"}) == 1


def test_replay_command(servers: Servers, spark: SparkSession, source: str) -> None:
    """The command reports what it did; it skips records that are not dead letters, and names a missing topic."""
    spark.table(source).collect()
    put(servers, f"{source}-dlq", b"k", b"not a dead letter")

    def command(*words: str) -> subprocess.CompletedProcess[str]:
        line = [sys.executable, "-m", "kafkalyst", "replay", *words]
        environment = {**os.environ, "KAFKALYST_KAFKA": servers.kafka}
        return subprocess.run(line, capture_output=True, text=True, env=environment, check=False)

    dry = command(f"{source}-dlq", "--dry-run", "--limit", "2")
    assert (dry.returncode, dry.stdout) == (0, f"2 found for {source}\n")
    assert dry.stderr.count("would send") == 2
    sent = command(f"{source}-dlq")
    assert (sent.returncode, sent.stdout) == (0, f"4 sent to {source}\n1 skipped: not a dead letter\n")
    assert command(f"{source}-dlq").stdout == "nothing to send\n"
    spark.sql(f"DROP STREAM {source} DELETE TOPIC")
    gone = command(f"{source}-dlq", "--again")
    assert gone.returncode == 1 and gone.stderr.startswith(f"error: {source}: ")
    with pytest.raises(ReplayError, match="no_such_topic"):
        replay(servers.kafka, "no_such_topic")


def test_replay_sends_only_where_it_is_told(servers: Servers, spark: SparkSession, source: str) -> None:
    """A forged letter for another topic goes there only if the caller names the topic."""
    spark.table(source).collect()
    other = f"{source}-private"
    serdes.create_topic(servers.kafka, other)
    said = {"topic": other, "partition": "0", "offset": "0", "timestamp": "-1", "side": "key", "error": "\x1b[2J"}
    forged = [(PREFIX + name, text.encode()) for name, text in said.items()]
    put(servers, f"{source}-dlq", b"k", b"forged", headers=forged)
    done = replay(servers.kafka, f"{source}-dlq")
    assert (done.sent, done.elsewhere) == ({source: 4}, {other: 1})
    assert not records(servers, other)
    done = replay(servers.kafka, f"{source}-dlq", again=True, to=[other])
    assert (done.sent, done.elsewhere) == ({other: 1}, {source: 4})
    assert [m.value() for m in records(servers, other)] == [b"forged"]


def test_a_letter_of_a_letter() -> None:
    """Only the last read's headers are removed; those of an earlier one belong to the record."""
    first = [(f"{PREFIX}topic", b"a"), (f"{PREFIX}partition", b"0"), (f"{PREFIX}offset", b"1")]
    first += [(f"{PREFIX}timestamp", b"-1"), (f"{PREFIX}side", b"key"), (f"{PREFIX}error", b"e")]
    second = [(name, b"a-dlq" if name.endswith("topic") else text) for name, text in first]
    found = letter(b"k", None, [("h", None), *first, *second])
    assert found is not None
    assert (found.topic, found.headers, found.error) == ("a-dlq", [("h", None), *first], "key: e")
    assert letter(b"k", None, None) is None
    assert letter(b"k", None, [(f"{PREFIX}topic", b"a")]) is None
    unwritten = letter(b"k", None, [(f"{PREFIX}topic", b"a"), (f"{PREFIX}error", b"e")])
    assert unwritten is not None
    assert (unwritten.partition, unwritten.timestamp) == (-1, -1)


@pytest.mark.parametrize("in_sql", [False, True])
def test_the_position_of_earlier_versions(
    servers: Servers, spark: SparkSession, topic: Callable[[str], str], in_sql: bool
) -> None:
    """They kept one position for all topics of a dead letter topic."""
    letters, source = topic("letters"), topic("source")
    for name in (letters, source):
        serdes.create_topic(servers.kafka, name)
    put(servers, source, None, b"bad")
    put(servers, source, None, b"worse")
    spark.sql(
        f"CREATE STREAM {source} (n INT) "
        f"WITH (KAFKA_TOPIC='{source}', VALUE_FORMAT='JSON', DEAD_LETTER_TOPIC='{letters}')"
    )
    assert not spark.table(source).collect()
    former = Consumer({"bootstrap.servers": servers.kafka, "group.id": "kafkalyst-replay"})
    former.commit(offsets=[TopicPartition(letters, 0, 1)], asynchronous=False)
    former.close()
    if in_sql:
        assert tuple(spark.sql(f"REPLAY {source}").first()) == (letters, 1, 0)
    else:
        assert replay(servers.kafka, letters, to=source).sent == {source: 1}


def test_topics_that_share_a_dead_letter_topic(
    servers: Servers, spark: SparkSession, topic: Callable[[str], str]
) -> None:
    """Each topic's letters are sent once, whichever of the topics is replayed first, by the command or by REPLAY."""
    letters, one, other = topic("letters"), topic("one"), topic("other")
    for name in (letters, one, other):
        serdes.create_topic(servers.kafka, name)
    for name in (one, other):
        put(servers, name, None, b"bad")
        spark.sql(
            f"CREATE STREAM {name} (n INT) "
            f"WITH (KAFKA_TOPIC='{name}', VALUE_FORMAT='JSON', DEAD_LETTER_TOPIC='{letters}')"
        )
        assert not spark.table(name).collect()
    done = replay(servers.kafka, letters, to=one)
    assert (done.sent, done.elsewhere) == ({one: 1}, {other: 1})
    assert tuple(spark.sql(f"REPLAY {one}").first()) == (letters, 0, 0)
    assert replay(servers.kafka, letters, to=[one, other]).sent == {other: 1}
    assert not replay(servers.kafka, letters, to=[one, other]).sent
    assert tuple(spark.sql(f"REPLAY {other}").first()) == (letters, 0, 0)
