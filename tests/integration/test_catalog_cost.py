"""What a cluster's catalog asks of the broker and of the registry, with many topics."""

from __future__ import annotations

import http.server
import json
import os
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from confluent_kafka.admin import AdminClient, NewTopic
from py4j.protocol import Py4JJavaError
from pyspark.sql import SparkSession

from conftest import Servers

COUNT = int(os.environ.get("KAFKALYST_CATALOG_TOPICS", "50"))


@pytest.fixture
def registry(servers: Servers) -> Iterator[tuple[str, list[str]]]:
    """The registry behind a door that notes who asks: its address, and the paths so far."""
    asked: list[str] = []

    class Door(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            """Passes the request on."""
            asked.append(self.path)
            try:
                with urllib.request.urlopen(servers.registry + self.path, timeout=10) as answer:
                    status, body = answer.status, answer.read()
            except urllib.error.HTTPError as error:
                status, body = error.code, error.read()
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Says nothing."""

    door = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Door)
    threading.Thread(target=door.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{door.server_port}", asked
    door.shutdown()


@pytest.fixture
def topics(servers: Servers, topic: Callable[[str], str]) -> Iterator[list[str]]:
    """Many topics; the first has a schema for its value."""
    names = [f"{topic('many')}.t{i}" for i in range(COUNT)]
    admin = AdminClient({"bootstrap.servers": servers.kafka})
    for future in admin.create_topics([NewTopic(name, 1, 1) for name in names], request_timeout=60).values():
        future.result()
    schema = {"type": "record", "name": "T", "fields": [{"name": "v", "type": "int"}]}
    body = json.dumps({"schema": json.dumps(schema)}).encode()
    request = urllib.request.Request(
        f"{servers.registry}/subjects/{names[0]}-value/versions", body, {"Content-Type": "application/json"}
    )
    urllib.request.urlopen(request, timeout=10).close()
    yield names
    for future in admin.delete_topics(names, request_timeout=60).values():
        future.result()


def requests(spark: SparkSession) -> dict[str, float]:
    """Requests so far of each of Kafka's clients in the JVM, by what they say of themselves."""
    java = spark._jvm.java
    server = java.lang.management.ManagementFactory.getPlatformMBeanServer()

    def call(method: str, *given: object) -> Any:
        """By the interface, as py4j cannot see the server's own class."""
        found = [
            m for m in java.lang.Class.forName("javax.management.MBeanServer").getMethods() if m.getName() == method
        ]
        values = spark.sparkContext._gateway.new_array(java.lang.Object, len(given))
        for place, value in enumerate(given):
            values[place] = value
        return found[0].invoke(server, values)

    def sent(name: object) -> float:
        """Nothing by a client that was just made, or that closes meanwhile: both happen in other tests' queries."""
        wanted = spark.sparkContext._gateway.new_array(java.lang.String, 1)
        wanted[0] = "request-total"
        try:
            return sum(attribute.getValue() for attribute in call("getAttributes", name, wanted))
        except Py4JJavaError:
            return 0.0

    patterns = [f"kafka.*:type={kind}-metrics,client-id=*" for kind in ("admin-client", "consumer", "producer")]
    names = [n for p in patterns for n in call("queryNames", spark._jvm.javax.management.ObjectName(p), None)]
    return {name.toString(): sent(name) for name in names}


def test_requests(spark: SparkSession, servers: Servers, registry: tuple[str, list[str]], topics: list[str]) -> None:
    """A listing is one request, a table three at most; what is known is not asked for again."""
    url, asked = registry
    session = spark.newSession()
    setting = "spark.sql.catalog.many"
    session.conf.set(setting, "io.kafkalyst.KafkaCatalog")
    session.conf.set(f"{setting}.bootstrap.servers", servers.kafka)
    session.conf.set(f"{setting}.schema.registry.url", url)
    session.conf.set(f"{setting}.catalog.cache.ttl", "60 SECONDS")
    session.conf.set(f"{setting}.catalog.topic", "_none_of_this_name")
    folder, first = topics[0].rsplit(".", 1)

    def cost(statement: str, *before: str) -> tuple[int, int, float]:
        """The least of several tries, as clients of other tests in this JVM may ask for something meanwhile."""

        def once() -> tuple[int, int, float]:
            for preparation in before:
                session.sql(preparation).collect()
            earlier, paths, began = requests(session), len(asked), time.monotonic()
            session.sql(statement).collect()
            seconds = time.monotonic() - began
            # Clients of other tests may close meanwhile.
            sent = sum(max(0.0, now - earlier.get(name, 0.0)) for name, now in requests(session).items())
            return int(sent), len(asked) - paths, seconds

        return min(once() for _ in range(8))

    tables, table = f"SHOW TABLES IN many.{folder}", f"many.{folder}.{first}"
    session.sql(tables).collect()  # connects
    kafka, schemas, seconds = cost(tables, f"REFRESH TABLE {table}")
    print(f"{COUNT} topics: SHOW TABLES {kafka} requests, {seconds:.2f} s")
    assert (kafka, schemas) == (1, 0)
    # Definitions are looked at once a second, mostly just before by the listing.
    kafka, schemas, _ = cost(f"DESCRIBE {table}", f"REFRESH TABLE {table}", tables)
    print(f"DESCRIBE {kafka} + {schemas} requests")
    assert kafka <= 2 and schemas == 2
    assert cost(f"DESCRIBE {table}")[1] == 0
    # At once, also what this session does not do itself.
    assert cost(f"DESCRIBE {table}", f"REFRESH TABLE {table}")[1] == 2
