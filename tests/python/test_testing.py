"""The pytest plugin, in a separate pytest as in a user's tests."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from support.patience import PATIENCE_SECONDS, PROGRAM_SECONDS

if TYPE_CHECKING:
    from conftest import Servers

TESTS = """
import pytest
SCHEMA = {"type": "record", "name": "R", "fields": [{"name": "id", "type": "int"}]}

def test_rows(kafkalyst_spark, produce, assert_rows):
    assert kafkalyst_spark.conf.get("spark.app.name") == "mine"
    produce("@topic@", [{"id": 1}, {"id": 2}, None], keys=["a", "b", "c"], format="AVRO", schema=SCHEMA)
    kafkalyst_spark.sql("CREATE STREAM s (k STRING KEY) WITH (KAFKA_TOPIC = '@topic@', VALUE_FORMAT = 'AVRO')")
    assert_rows("SELECT k, id FROM s WHERE id IS NOT NULL", [("b", 2), ("a", 1)])
    with pytest.raises(AssertionError, match=r"missing: \\[\\('x', 9\\)\\]\\nnot expected: \\[\\('a', 1\\)"):
        assert_rows("SELECT k, id FROM s WHERE id = 1", [("x", 9)], within=0)
    assert produce("@topic@2", [{"id": 3}]) == 1

def test_same(spark_session, kafkalyst_spark):
    assert spark_session is kafkalyst_spark

names = []

@pytest.mark.parametrize("turn", [1, 2])
def test_each_for_itself(kafkalyst_spark, kafkalyst_topic, produce, assert_rows, turn, tmp_path_factory):
    names.append(kafkalyst_topic("again"))
    assert len(set(names)) == turn and names[0].startswith("again_")
    assert produce(names[-1], [{"id": 1}, {"id": 1}, {"id": 2}]) == 3
    kafkalyst_spark.sql(f"CREATE STREAM again (id INT) WITH (KAFKA_TOPIC = '{names[-1]}', VALUE_FORMAT = 'JSON')")
    kafkalyst_spark.sql(f"CREATE STREAM copied WITH (KAFKA_TOPIC = '{names[-1]}_c') AS SELECT * FROM again")
    assert_rows(kafkalyst_spark.table("again"), kafkalyst_spark.createDataFrame([(2,), (1,), (1,)], "id int"))
    with pytest.raises(AssertionError, match=r"missing: \\[\\(2,\\)\\]\\nnot expected: \\[\\(1,\\)\\]"):
        assert_rows("SELECT id FROM again", [(1,), (2,), (2,)], within=0)
    assert_rows("SELECT array(id) FROM again WHERE id = 1", [([1],), ([1],)])
    assert str(tmp_path_factory.getbasetemp()) in kafkalyst_spark.conf.get("spark.sql.warehouse.dir")

def test_nothing_is_left(kafkalyst_spark):
    listed = ("SHOW STREAMS", "LIST TABLES", "SHOW QUERIES")
    assert not [row for sql in listed for row in kafkalyst_spark.sql(sql).collect()]

def test_refusals(produce, kafkalyst_topic, kafkalyst_servers):
    from confluent_kafka import KafkaException
    from google.protobuf.wrappers_pb2 import Int32Value
    from kafkalyst import serdes
    topic = kafkalyst_topic("refused")
    with pytest.raises(ValueError, match="1 keys for 2 values"):
        produce(topic, [1, 2], keys=["a"])
    with pytest.raises(KafkaException):
        produce("no such name", [1])
    assert produce(topic, [Int32Value(value=7), None], format="PROTOBUF") == 2
"""


ALONE = """
def test_rows(kafkalyst_spark, kafkalyst_topic, produce, assert_rows):
    topic = kafkalyst_topic("alone")
    produce(topic, [{"id": 1}])
    kafkalyst_spark.sql(f"CREATE STREAM s (id INT) WITH (KAFKA_TOPIC = '{topic}', VALUE_FORMAT = 'JSON')")
    assert_rows("SELECT id FROM s", [(1,)])
"""


def test_plugin_alone(tmp_path: Path) -> None:
    """Without pytest-spark, and with a broker, a registry and a session that it starts itself."""
    (tmp_path / "test_mine.py").write_text(ALONE, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:spark", "--durations=1"],
        cwd=tmp_path,
        env={name: value for name, value in os.environ.items() if not name.startswith("KAFKALYST_")},
        capture_output=True,
        text=True,
        timeout=PROGRAM_SECONDS,
        check=False,
    )
    assert "1 passed" in done.stdout, done.stdout[-3000:] + done.stderr[-2000:]
    (slowest,) = re.findall(r"^([\d.]+)s setup .*$", done.stdout, re.MULTILINE)
    print(f"fixtures ready in {slowest} s")
    # On an idle machine it takes less than ten; here other tests run at the same time.
    assert float(slowest) < PATIENCE_SECONDS


def test_plugin(servers: Servers, tmp_path: Path, topic: Callable[[str], str]) -> None:
    """The plugin's fixtures with pytest-spark's session."""
    (tmp_path / "test_mine.py").write_text(TESTS.replace("@topic@", topic("testing")), encoding="utf-8")
    (tmp_path / "pytest.ini").write_text(
        "[pytest]\nspark_options =\n    spark.app.name: mine\n    spark.sql.catalogImplementation: in-memory\n",
        encoding="utf-8",
    )
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"],
        cwd=tmp_path,
        env={**os.environ, "KAFKALYST_KAFKA": servers.kafka, "KAFKALYST_REGISTRY": servers.registry},
        capture_output=True,
        text=True,
        timeout=PROGRAM_SECONDS,
        check=False,
    )
    assert "6 passed" in done.stdout, done.stdout[-3000:] + done.stderr[-2000:]
