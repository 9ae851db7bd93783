"""A program: what the statements of a cluster's catalog cost in a JVM where nothing else runs. Prints JSON."""

from __future__ import annotations

import http.server
import json
import sys
import threading
import time
import urllib.error
import urllib.request
from typing import Any

from py4j.protocol import Py4JJavaError
from pyspark.sql import SparkSession

import kafkalyst

TRIES = 60


def door(registry: str) -> tuple[str, list[str]]:
    """A door before the registry that notes who asks: its address, and the paths so far."""
    asked: list[str] = []

    class Door(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            """Passes the request on."""
            asked.append(self.path)
            try:
                with urllib.request.urlopen(registry + self.path, timeout=10) as answer:
                    status, body = answer.status, answer.read()
            except urllib.error.HTTPError as error:
                status, body = error.code, error.read()
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Says nothing."""

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Door)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}", asked


def requests(spark: SparkSession) -> int:
    """Requests so far of the JVM's Kafka clients, by what they say of themselves."""
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
        try:
            return float(call("getAttribute", name, "request-total"))
        except Py4JJavaError:
            return 0.0  # it closed meanwhile

    patterns = [f"kafka.*:type={kind}-metrics,client-id=*" for kind in ("admin-client", "consumer", "producer")]
    names = [n for p in patterns for n in call("queryNames", spark._jvm.javax.management.ObjectName(p), None)]
    return int(sum(map(sent, names)))


def main(kafka: str, registry: str, topic: str) -> None:
    """Runs the statements over `topic` and its neighbours, the topics that begin with the same words."""
    url, asked = door(registry)
    setting = "spark.sql.catalog.many"
    conf = {
        "spark.master": "local[1]",
        "spark.ui.enabled": "false",
        setting: "io.kafkalyst.KafkaCatalog",
        f"{setting}.bootstrap.servers": kafka,
        f"{setting}.schema.registry.url": url,
        f"{setting}.catalog.cache.ttl": "10 MINUTES",
        f"{setting}.catalog.topic": "_none_of_this_name",
    }
    spark = kafkalyst.session(kafka=kafka, registry=url, catalog=None, **conf)

    def cost(bound: int, statement: str, *before: str) -> dict[str, float]:
        """The least of some tries, until Kafka is asked `bound` times at most.

        Definitions are looked at once a second: mostly in what comes before, but not where the machine is slow.
        """

        def once() -> tuple[int, int, float]:
            for preparation in before:
                spark.sql(preparation).collect()
            earlier, paths, began = requests(spark), len(asked), time.monotonic()
            spark.sql(statement).collect()
            seconds = time.monotonic() - began
            return requests(spark) - earlier, len(asked) - paths, seconds

        least = once()
        for _ in range(TRIES):
            if least[0] <= bound:
                break
            least = min(least, once())
        return dict(zip(("kafka", "registry", "seconds"), least, strict=True))

    folder, name = topic.rsplit(".", 1)
    tables, table = f"SHOW TABLES IN many.{folder}", f"many.{folder}.{name}"
    refresh = f"REFRESH TABLE {table}"
    spark.sql(tables).collect()  # connects
    print(
        json.dumps(
            {
                "SHOW TABLES": cost(1, tables, refresh),
                "first DESCRIBE": cost(1, f"DESCRIBE {table}", refresh, tables),
                "DESCRIBE": cost(0, f"DESCRIBE {table}"),
                "DESCRIBE after REFRESH": cost(2, f"DESCRIBE {table}", refresh),
            }
        )
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
