"""What a cluster's catalog asks of the broker and of the registry, with many topics."""

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


@pytest.fixture
def topics(servers: Servers, topic: Callable[[str], str]) -> Iterator[list[str]]:
    """Many topics, each with a schema for its value."""
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


def test_requests(servers: Servers, topics: list[str], root: Path) -> None:
    """A listing is one request, a table three at most; what is known is not asked for again."""
    done = subprocess.run(
        [sys.executable, "-m", "support.catalog_cost", servers.kafka, servers.registry, topics[0]],
        env={**os.environ, "PYTHONPATH": str(root / "tests")},
        capture_output=True,
        text=True,
        timeout=PROGRAM_SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    costs = json.loads(done.stdout.splitlines()[-1])
    print(COUNT, "topics and subjects:", costs)
    asked = {statement: (cost["kafka"], cost["registry"]) for statement, cost in costs.items()}
    # REFRESH has listed the topics; definitions are looked at once a second.
    assert asked["SHOW TABLES"] in {(0, 0), (1, 0)}
    # The broker is asked for the topic's policy, the registry for the key's subject and for the value's.
    assert asked["first DESCRIBE"] == (1, 2)
    assert asked["DESCRIBE"] == (0, 0)
    # At once, also what this session does not do itself: the topics are listed, too.
    assert asked["DESCRIBE after REFRESH"] in {(1, 2), (2, 2)}
