"""The requests of a cluster's catalog to the broker and to the registry, with many topics."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from confluent_kafka.admin import AdminClient, NewTopic

from support.patience import PROGRAM_SECONDS

if TYPE_CHECKING:
    from conftest import Servers

COUNT = int(os.environ.get("KAFKALYST_CATALOG_TOPICS", "50"))
# A client whose connection was closed asks for versions and metadata again.
RECONNECTED = 2


@pytest.fixture
def topics(servers: Servers, topic: Callable[[str], str]) -> Iterator[list[str]]:
    """Creates many topics, each with a schema for its value."""
    names = [f"{topic('many')}.t{i}" for i in range(COUNT)]
    schema = {"type": "record", "name": "T", "fields": [{"name": "v", "type": "int"}]}
    body = json.dumps({"schema": json.dumps(schema)}).encode()

    def ask(method: str, path: str, given: bytes | None = None) -> None:
        """One request to the registry."""
        headers = {"Content-Type": "application/json"}
        request = urllib.request.Request(f"{servers.registry}/subjects/{path}", given, headers, method=method)
        urllib.request.urlopen(request, timeout=60).close()

    admin = AdminClient({"bootstrap.servers": servers.kafka})
    with ThreadPoolExecutor(4) as pool:
        for future in admin.create_topics([NewTopic(name, 1, 1) for name in names], request_timeout=60).values():
            future.result()
        list(pool.map(lambda name: ask("POST", f"{name}-value/versions", body), names))
        yield names
        list(pool.map(lambda name: ask("DELETE", f"{name}-value"), names))
        for future in admin.delete_topics(names, request_timeout=60).values():
            future.result()


def test_requests(servers: Servers, topics: list[str], topic: Callable[[str], str], root: Path) -> None:
    """A listing costs one request, a table three; with a filled cache, one request checks for changed definitions."""
    definitions = topic("_definitions")
    try:
        done = subprocess.run(
            [sys.executable, "-m", "support.catalog_cost", servers.kafka, servers.registry, topics[0], definitions],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(str(root / part) for part in ("tests", "python"))},
            capture_output=True,
            text=True,
            timeout=PROGRAM_SECONDS,
            check=False,
        )
    finally:
        AdminClient({"bootstrap.servers": servers.kafka}).delete_topics([definitions])
    assert done.returncode == 0, done.stderr[-3000:]
    costs = json.loads(done.stdout.splitlines()[-1])
    for kind, statements in costs.items():
        for statement, cost in statements.items():
            print(COUNT, "topics and subjects,", kind, statement, cost)

    def unlike(kind: str, expected: dict[str, tuple[int, int]]) -> dict[str, object]:
        """What cost something else. Definitions are a second old at most: a slow statement looks again each second."""
        return {
            statement: cost
            for statement, (kafka, of_registry) in expected.items()
            if (cost := costs[kind][statement])["registry"] != of_registry
            or not kafka <= cost["kafka"] <= kafka + int(cost["seconds"]) + RECONNECTED
        }

    # The last check of definitions is more than a second old, so each statement sends one request for changes.
    again = {
        "DESCRIBE of another table": (2, 2),  # changes, the topic's policy, and the subjects of key and value
        "DESCRIBE again": (1, 0),
        "SHOW TABLES again": (1, 0),
        "REFRESH and SHOW TABLES": (2, 0),  # changes, and the topics
        "REFRESH and DESCRIBE": (3, 2),
    }
    # The list of topics also shows that there are no definitions.
    listed = {"first SHOW TABLES": (1, 0), "first DESCRIBE": (2, 2)}
    assert unlike("without definitions", {**listed, **again}) == {}
    assert unlike("with definitions", {**again, "DESCRIBE of a definition": (1, 0)}) == {}
    # The topics, the definitions' leader, their first and last offset, and one or two fetches.
    first, described, selects, streams = (
        costs["with definitions"][name] for name in ("first SHOW TABLES", "first DESCRIBE", "SELECTs", "SHOW STREAMS")
    )
    assert 5 <= first["kafka"] <= 6 + int(first["seconds"]) + RECONNECTED
    assert 6 <= described["kafka"] <= 7 + int(described["seconds"]) + RECONNECTED
    assert (first["registry"], described["registry"], selects["registry"]) == (0, 2, 2)
    # The columns of every topic are needed. For each 500 topics the broker is asked for their policies and the registry
    # for its subjects; then each value has its schema, perhaps that which the SELECTs have read.
    listings = -(-COUNT // 500)
    assert streams["kafka"] <= listings + 3 + 2 * streams["seconds"]
    assert COUNT - 1 <= streams["registry"] - listings <= COUNT
    # Only where this test has the machine for itself.
    for statements in costs.values() if COUNT >= 5000 else ():
        for statement in ("first SHOW TABLES", "SHOW TABLES again", "REFRESH and SHOW TABLES"):
            assert statements[statement]["seconds"] < 2, statement
