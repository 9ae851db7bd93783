"""This version reads what a former one stored: definitions, checkpoints of each kind of query, definition topics.

`tests/compat/versions/VERSION` has the files of that version. KAFKALYST_WRITE=VERSION writes those of this one.
"""

from __future__ import annotations

import base64
import json
import os
import re
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from confluent_kafka import Producer
from pyspark.sql import SparkSession

import kafkalyst
from kafkalyst import serdes
from support.broker import broker
from support.patience import PATIENCE_SECONDS
from support.records import messages

HERE = Path(__file__).parent / "versions"
WRITTEN = os.environ.get("KAFKALYST_WRITE")
VERSIONS = sorted(path.name for path in HERE.iterdir()) if HERE.exists() else []
DATABASE = "former"
# The folder in which the checkpoints of a fixture were written.
FORMER = re.compile(rb"(?<=file:)[^\"]*?/checkpoints(?=/)")
SOURCE = "id INT KEY, region STRING, amount INT"
SINKS = {
    "copied": ("STREAM", "id INT KEY, region STRING, amount INT", ""),
    "once": ("STREAM", "id INT KEY, region STRING", ", 'sink.delivery-guarantee' = 'exactly-once'"),
    "totals": ("TABLE", "region STRING PRIMARY KEY, n BIGINT, total BIGINT", ""),
    "hours": ("STREAM", "region STRING KEY, n BIGINT", ""),
    "joined": ("STREAM", "id INT KEY, region STRING, paid INT", ""),
}
QUERIES = {
    "copied": "SELECT * FROM orders EMIT CHANGES",
    "once": "SELECT id, upper(region) AS region FROM orders EMIT CHANGES",
    "totals": "SELECT region, count(*) AS n, sum(amount) AS total FROM orders GROUP BY region EMIT CHANGES",
    "hours": "SELECT region, count(*) AS n FROM orders WINDOW TUMBLING (SIZE 1 HOUR) GROUP BY region EMIT CHANGES",
    "joined": "SELECT o.id AS id, o.region AS region, p.amount AS paid FROM orders o "
    "JOIN payments p WITHIN 1 HOURS ON o.id = p.id EMIT CHANGES",
}
JSON = "VALUE_FORMAT = 'JSON', PARTITIONS = 2"
AT = 1767226200000  # of all records, so that windows and joins do not depend on the time of the run
FIRST = f"({AT}, 1, 'north', 10), ({AT}, 2, 'south', 20), ({AT}, 3, 'north', 30)"
SECOND = f"({AT}, 4, 'south', 40), ({AT}, 5, 'east', 50)"
PAYMENTS = f"({AT}, 2, 'south', 21), ({AT}, 4, 'south', 41)"


@contextmanager
def session(spark: SparkSession, kafka: str) -> Iterator[SparkSession]:
    """A session with its own broker, and a database for its objects."""
    own = spark.newSession()
    own.conf.set("spark.kafkalyst.bootstrap.servers", kafka)
    own.conf.set("spark.sql.catalog.clustered", "io.kafkalyst.KafkaCatalog")
    own.sql(f"CREATE DATABASE {DATABASE}")
    own.sql(f"USE {DATABASE}")
    try:
        yield own
    finally:
        own.sql(f"DROP DATABASE {DATABASE} CASCADE")


def run(session: SparkSession, checkpoints: Path) -> None:
    """Runs each query until all available records are written."""
    for name, text in QUERIES.items():
        writer = session.sql(text).writeStream.option("checkpointLocation", str(checkpoints / name))
        mode = "update" if name in ("totals", "hours") else "append"
        query = writer.outputMode(mode).trigger(availableNow=True).toTable(name)
        assert query.awaitTermination(PATIENCE_SECONDS), name


def moved(checkpoints: Path) -> None:
    """Changes the folder in moved checkpoints: Spark stores absolute paths of state schemas, with checksums."""
    for file in [path for path in checkpoints.rglob("*") if path.is_file() and not path.name.endswith(".crc")]:
        before = file.read_bytes()
        after = FORMER.sub(str(checkpoints).encode(), before)
        if after != before:
            file.write_bytes(after)
            file.with_name(f".{file.name}.crc").unlink(missing_ok=True)


def record(message: object) -> dict[str, object]:
    """A record in the form of the files."""
    text = [base64.b64encode(side).decode() if side is not None else None for side in (message.key(), message.value())]
    return {"partition": message.partition(), "time": message.timestamp()[1], "key": text[0], "value": text[1]}


@pytest.mark.skipif(WRITTEN is None, reason="only with KAFKALYST_WRITE")
def test_write(spark: SparkSession, tmp_path: Path) -> None:
    """Writes the files of this version."""
    target = HERE / str(WRITTEN)
    target.mkdir(parents=True, exist_ok=True)
    (tmp_path / "broker").mkdir()
    with broker(tmp_path / "broker", {}) as started, session(spark, started.kafka) as own:
        for name in ("orders", "payments"):
            own.sql(f"CREATE STREAM {name} ({SOURCE}) WITH (KAFKA_TOPIC = 'former.{name}', {JSON})")
        own.sql(f"INSERT INTO orders (ROWTIME, id, region, amount) VALUES {FIRST}")
        for name, (kind, columns, more) in SINKS.items():
            own.sql(f"CREATE {kind} {name} ({columns}) WITH (KAFKA_TOPIC = 'former.{name}', {JSON}{more})")
        run(own, tmp_path / "checkpoints")
        own.sql(f"CREATE STREAM clustered.noted ({SOURCE}) WITH (KAFKA_TOPIC = 'former.orders', VALUE_FORMAT = 'JSON')")
        script = kafkalyst.export(own, DATABASE)
        topics = ["former.orders", "former.payments", *(f"former.{name}" for name in QUERIES)]
        records = {topic: [record(message) for message in messages(started.kafka, topic)] for topic in topics}
        records["_kafkalyst"] = [record(message) for message in messages(started.kafka, "_kafkalyst")]
    (target / "definitions.sql").write_text(script, encoding="utf-8")
    (target / "records.json").write_text(json.dumps(records, indent=1) + "\n", encoding="utf-8")
    with zipfile.ZipFile(target / "checkpoints.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted((tmp_path / "checkpoints").rglob("*")):
            # Offsets are those of the topics that are recreated below.
            if file.is_file() and "topic-ids.json" not in file.name:
                archive.write(file, str(file.relative_to(tmp_path / "checkpoints")))


@pytest.mark.parametrize("version", VERSIONS)
def test_read(spark: SparkSession, tmp_path: Path, version: str) -> None:
    """Definitions mean the same, each query continues where it was, and a cluster's own definitions are found."""
    source = HERE / version
    with zipfile.ZipFile(source / "checkpoints.zip") as archive:
        archive.extractall(tmp_path / "checkpoints")
    moved(tmp_path / "checkpoints")
    records = json.loads((source / "records.json").read_text(encoding="utf-8"))
    (tmp_path / "broker").mkdir()
    with broker(tmp_path / "broker", {}) as started, session(spark, started.kafka) as own:
        restore(started.kafka, records)
        kafkalyst.run_script(own, source / "definitions.sql", lambda line: None)
        assert own.table("orders").count() == 3
        assert own.table("clustered.noted").count() == 3
        own.sql(f"INSERT INTO orders (ROWTIME, id, region, amount) VALUES {SECOND}")
        own.sql(f"INSERT INTO payments (ROWTIME, id, region, amount) VALUES {PAYMENTS}")
        run(own, tmp_path / "checkpoints")
        assert sorted(row["id"] for row in own.table("copied").collect()) == [1, 2, 3, 4, 5]
        assert sorted(row["id"] for row in own.table("once").collect()) == [1, 2, 3, 4, 5]
        totals = {row["region"]: (row["n"], row["total"]) for row in own.table("totals").collect()}
        assert totals == {"north": (2, 40), "south": (2, 60), "east": (1, 50)}
        assert sorted((row["id"], row["paid"]) for row in own.table("joined").collect()) == [(2, 21), (4, 41)]
        counted = own.sql("SELECT region, max(n) AS n FROM hours GROUP BY region").collect()
        assert {row["region"]: row["n"] for row in counted} == {"north": 2, "south": 2, "east": 1}


def restore(kafka: str, records: dict[str, list[dict[str, object]]]) -> None:
    """Recreates the topics, with the same offsets if there were no gaps."""
    producer = Producer({"bootstrap.servers": kafka})
    for topic, kept in records.items():
        serdes.create_topic(kafka, topic, 1 if topic == "_kafkalyst" else 2)
        for each in kept:
            key, value = (
                None if each[side] is None else base64.b64decode(str(each[side])) for side in ("key", "value")
            )
            producer.produce(topic, key=key, value=value, partition=each["partition"], timestamp=each["time"])
        assert producer.flush(60) == 0
