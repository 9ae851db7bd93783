"""A program: writes what a version stores of each kind of query, and reads and continues what another version stored.

Arguments: `write` or `read`, the archive, and an empty folder. Prints `former: fine`. The archive has
- `definitions.sql`: the definitions of the session catalog as `kafkalyst export` writes them;
- `stored.json`: topics with their records, ids and partitions, schemas, the columns of each object, and the folder;
- `files/`: checkpoints, and the tables of Delta that queries write.
"""

from __future__ import annotations

import base64
import contextlib
import json
import re
import sys
import time
import urllib.request
import zipfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from confluent_kafka import Producer, TopicCollection
from confluent_kafka.admin import AdminClient, NewTopic
from pyspark.sql import SparkSession

import kafkalyst
from kafkalyst.apply import import_script
from support import jvm
from support.former_queries import DEFINITIONS, FRAMES, LATER, OBJECTS, QUERIES, ROWS, SHOWN, SOURCES, TABLES
from support.lake import session
from support.patience import PATIENCE_SECONDS
from support.records import eventually, messages

DATABASE = "former"
REGISTRY_TYPE = {"Content-Type": "application/vnd.schemaregistry.v1+json"}
Stored = dict[str, Any]


def run(spark: SparkSession, statements: Iterable[str]) -> None:
    """Runs statements; those that begin with `ksqldb:` in that dialect."""
    for statement in statements:
        dialect, colon, text = statement.partition(":")
        with dialect_of(spark, colon and dialect == "ksqldb"):
            spark.sql(text if colon and dialect == "ksqldb" else statement).collect()


@contextlib.contextmanager
def dialect_of(spark: SparkSession, is_ksqldb: object) -> Any:
    """Sets ksqlDB's dialect, if wanted."""
    if is_ksqldb:
        spark.conf.set("spark.kafkalyst.dialect", "ksqldb")
    try:
        yield
    finally:
        spark.conf.unset("spark.kafkalyst.dialect")


def ended(spark: SparkSession, ids: Iterable[str]) -> None:
    """Waits until these queries have written all available records."""
    end, open_ones = time.monotonic() + PATIENCE_SECONDS, set(ids)
    while open_ones:
        rows = [row for row in spark.sql("SHOW QUERIES").collect() if row["query_id"] in open_ones]
        assert not [row for row in rows if row["state"] == "FAILED"] and time.monotonic() < end, rows
        open_ones = {row["query_id"] for row in rows if row["state"] != "FINISHED"}
        time.sleep(0.2)


def frames(spark: SparkSession, folder: Path) -> None:
    """Runs the queries that are DataFrames, with checkpoints of their own."""
    for name, text in FRAMES.items():
        if "rocksdb" in name:
            provider = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
            spark.conf.set("spark.sql.streaming.stateStore.providerClass", provider)
        writer = spark.sql(text).writeStream.option("checkpointLocation", str(folder / "frames" / name))
        mode = "update" if "rocksdb" in name else "append"
        query = writer.outputMode(mode).trigger(availableNow=True).toTable(name)
        assert query.awaitTermination(PATIENCE_SECONDS), name
        spark.conf.unset("spark.sql.streaming.stateStore.providerClass")


def write(spark: SparkSession, servers: kafkalyst.LocalServers, folder: Path, archive: Path) -> None:
    """Creates objects and queries of each kind, lets them read the first records, and stores everything."""
    spark.sql(f"CREATE DATABASE {DATABASE}")
    for place in (f"spark_catalog.{DATABASE}", "kafka"):
        spark.sql(f"USE {place}")
        run(spark, DEFINITIONS)
    run(spark, (*SOURCES, *OBJECTS, *QUERIES))
    frames(spark, folder)
    ids = {row["query_id"]: row["sink"] for row in spark.sql("SHOW QUERIES").collect()}
    ended(spark, ids)
    admin = AdminClient({"bootstrap.servers": servers.kafka})
    names = [name for name in admin.list_topics(timeout=30).topics if name.startswith(("former.", "_kafkalyst"))]
    described = admin.describe_topics(TopicCollection(names))
    topics = {}
    for name in names:
        about = described[name].result(30)
        topics[name] = {
            "id": id_of(about),
            "partitions": len(about.partitions),
            "records": [record(message) for message in messages(servers.kafka, name)],
        }
    stored = {
        "folder": str(folder),
        "topics": topics,
        "schemas": registered(servers.registry),
        "queries": ids,
        "columns": {place: columns(spark, place) for place in (f"spark_catalog.{DATABASE}", "kafka")},
    }
    archive.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as out:
        out.writestr("definitions.sql", kafkalyst.export(spark, DATABASE))
        out.writestr("stored.json", json.dumps(stored, indent=1))
        for part in ("checkpoints", "frames", "warehouse"):
            for file in sorted((folder / part).rglob("*")):
                # Hadoop's checksums: files with paths are changed below.
                if file.is_file() and not (file.name.startswith(".") and file.name.endswith(".crc")):
                    out.write(file, f"files/{file.relative_to(folder)}")


def id_of(topic: Any) -> str:
    """A topic's id as Kafka writes it."""
    return str(topic.topic_id).translate(str.maketrans("+/", "-_", "="))


def record(message: Any) -> Stored:
    """A record in the form of the archive."""

    def text(side: bytes | None) -> str | None:
        return None if side is None else base64.b64encode(side).decode()

    headers = [[name, text(value)] for name, value in message.headers() or []]
    return {
        "partition": message.partition(),
        "time": message.timestamp()[1],
        "key": text(message.key()),
        "value": text(message.value()),
        "headers": headers,
    }


def columns(spark: SparkSession, place: str) -> dict[str, list[list[str]]]:
    """The columns of each object of DEFINITIONS and their types."""
    return {
        name: [[field.name, field.dataType.simpleString()] for field in spark.table(f"{place}.{name}").schema]
        for name in SHOWN
    }


def asked(registry: str, path: str, body: object = None) -> Any:
    """An answer of the registry."""
    data = None if body is None else json.dumps(body).encode()
    with urllib.request.urlopen(urllib.request.Request(registry + path, data, REGISTRY_TYPE), timeout=30) as answer:
        return json.loads(answer.read())


def registered(registry: str) -> list[Stored]:
    """All versions of all subjects, by the ids of their schemas."""
    found = [
        asked(registry, f"/subjects/{subject}/versions/{version}")
        for subject in asked(registry, "/subjects")
        for version in asked(registry, f"/subjects/{subject}/versions")
    ]
    return sorted(found, key=lambda each: (each["id"], each["subject"], each["version"]))


def read(spark: SparkSession, servers: kafkalyst.LocalServers, folder: Path, archive: Path) -> None:
    """Definitions mean the same, and each query continues where it was."""
    with zipfile.ZipFile(archive) as source:
        stored = json.loads(source.read("stored.json"))
        (folder / "definitions.sql").write_bytes(source.read("definitions.sql"))
        changed = restore(servers, stored, folder)
        for name in source.namelist():
            if name.startswith("files/"):
                file = folder / name.removeprefix("files/")
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(replaced(source.read(name), changed))
    for table in TABLES:
        spark.sql(f"CREATE TABLE spark_catalog.default.{table} USING delta LOCATION '{folder}/warehouse/{table}'")
    import_script(spark, folder / "definitions.sql", lambda line: None)
    for place, expected in stored["columns"].items():
        assert columns(spark, place) == expected, place
        for name, count in SHOWN.items():
            found = spark.sql(f"SELECT count(*) AS n FROM {place}.{name}").first()
            assert found is not None and found["n"] == count, (place, name, found)
    spark.sql("USE kafka")
    states = {row["query_id"]: row["state"] for row in spark.sql("SHOW QUERIES").collect()}
    assert states == dict.fromkeys(stored["queries"], "FINISHED"), states
    run(spark, LATER)
    for query in states:
        spark.sql(f"RESUME {query}").collect()
    frames(spark, folder)
    ended(spark, states)
    for query, expected in ROWS.items():
        dialect, colon, text = query.partition(":")
        with dialect_of(spark, colon and dialect == "ksqldb"):
            found = [tuple(row) for row in spark.sql(text if colon else query).collect()]
        assert sorted(found, key=repr) == sorted(expected, key=repr), (query, found)


def restore(servers: kafkalyst.LocalServers, stored: Stored, folder: Path) -> dict[bytes, bytes]:
    """Recreates schemas and topics: the same ids and, without gaps, offsets. Returns what differs in files."""
    for each in stored["schemas"]:
        body = {name: each[name] for name in ("schema", "schemaType", "references") if each.get(name)}
        assert asked(servers.registry, f"/subjects/{each['subject']}/versions", body)["id"] == each["id"], each
    producer = Producer({"bootstrap.servers": servers.kafka})
    admin = AdminClient({"bootstrap.servers": servers.kafka})
    changed = {stored["folder"].encode(): str(folder).encode()}
    topics = stored["topics"]
    policies = {topic: "compact" if topic == "_kafkalyst" else "delete" for topic in topics}
    fresh = [NewTopic(t, each["partitions"], 1, config={"cleanup.policy": policies[t]}) for t, each in topics.items()]
    for done in admin.create_topics(fresh).values():
        done.result(30)
    eventually(lambda: topics.keys() <= admin.list_topics(timeout=30).topics.keys())
    for topic, about in admin.describe_topics(TopicCollection(list(topics))).items():
        changed[topics[topic]["id"].encode()] = id_of(about.result(30)).encode()
    for topic, each in topics.items():
        for kept in each["records"]:
            value = raw(kept["value"])
            producer.produce(
                topic,
                key=raw(kept["key"]),
                value=value if value is None or topic != "_kafkalyst" else replaced(value, changed),
                partition=kept["partition"],
                timestamp=kept["time"],
                headers=[(name, raw(side)) for name, side in kept["headers"]],
            )
    assert producer.flush(60) == 0
    return changed


def raw(text: str | None) -> bytes | None:
    """The bytes of one side of a stored record."""
    return None if text is None else base64.b64decode(text)


def replaced(content: bytes, changed: dict[bytes, bytes]) -> bytes:
    """A file's or a definition's content with this machine's folder and the new topics' ids."""
    return re.sub(b"|".join(map(re.escape, changed)), lambda found: changed[found.group()], content)


def main() -> None:
    """Runs with servers of its own, whose schemas have ids from 1 on."""
    jvm.prepare()
    what, archive, folder = sys.argv[1], Path(sys.argv[2]).absolute(), Path(sys.argv[3]).absolute()
    with kafkalyst.LocalServers() as servers:
        trigger = {"spark.kafkalyst.query.trigger": "available-now"}
        spark = session(servers.kafka, servers.registry, str(folder), **trigger)
        {"write": write, "read": read}[what](spark, servers, folder, archive)
        spark.stop()
    print("former: fine", flush=True)


if __name__ == "__main__":
    main()
