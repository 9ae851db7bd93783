"""A program: measures the statements of a cluster's catalog in a JVM where nothing else runs. Prints JSON.

Each figure is one complete run of the statement. The clients are connected by then, so only the
requests themselves are counted.
"""

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
from support.patience import PATIENCE_SECONDS

SELECTS = 100


def door(registry: str) -> tuple[str, list[str]]:
    """A proxy before the registry that records requests: its address, and the paths so far."""
    asked: list[str] = []

    class Door(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            """Passes the request on."""
            asked.append(self.path)
            try:
                with urllib.request.urlopen(registry + self.path, timeout=PATIENCE_SECONDS) as answer:
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
    """Requests so far of the JVM's Kafka clients, by their own metrics."""
    java = spark._jvm.java
    server = java.lang.management.ManagementFactory.getPlatformMBeanServer()

    def call(method: str, *given: object) -> Any:
        """Calls the MBean server by its interface, because py4j cannot see its class."""
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
            return 0.0  # the client closed meanwhile

    patterns = [f"kafka.*:type={kind}-metrics,client-id=*" for kind in ("admin-client", "consumer", "producer")]
    names = [n for p in patterns for n in call("queryNames", spark._jvm.javax.management.ObjectName(p), None)]
    return int(sum(map(sent, names)))


def main(kafka: str, registry: str, topic: str, definitions: str) -> None:
    """Measures with `topic` and its neighbours, the topics that begin with the same words.

    `definitions` is the name of the definitions' topic, which the program makes by a definition.
    """
    url, asked = door(registry)
    spark = kafkalyst.session(
        kafka=kafka, registry=url, catalog=None, **{"spark.master": "local[1]", "spark.ui.enabled": "false"}
    )
    folder, name = topic.rsplit(".", 1)

    def catalog(label: str, of: str) -> str:
        """A catalog with an empty cache: returns a table's name in it, without the topic's last part."""
        setting = f"spark.sql.catalog.{label}"
        spark.conf.set(f"{setting}.bootstrap.servers", kafka)
        spark.conf.set(f"{setting}.schema.registry.url", url)
        spark.conf.set(f"{setting}.catalog.cache.ttl", "10 MINUTES")
        spark.conf.set(f"{setting}.catalog.topic", of)
        spark.conf.set(setting, "io.kafkalyst.KafkaCatalog")
        return f"{label}.{folder}"

    def cost(*statements: str) -> dict[str, float]:
        earlier, paths, began = requests(spark), len(asked), time.monotonic()
        for statement in statements:
            spark.sql(statement).collect()
        seconds = time.monotonic() - began
        return {"kafka": requests(spark) - earlier, "registry": len(asked) - paths, "seconds": round(seconds, 3)}

    def stale(*statements: str) -> dict[str, float]:
        """Waits until the definitions were checked more than a second ago."""
        time.sleep(1.2)
        return cost(*statements)

    def costs(label: str, of: str) -> dict[str, dict[str, float]]:
        """The costs of listings and of loading tables, in catalogs with this definitions topic."""
        found: dict[str, dict[str, float]] = {}
        found["first SHOW TABLES"] = cost(f"SHOW TABLES IN {catalog(f'{label}1', of)}")
        there = catalog(f"{label}2", of)
        found["first DESCRIBE"] = cost(f"DESCRIBE {there}.{name}")
        found["DESCRIBE of another table"] = stale(f"DESCRIBE {there}.t1")
        found["DESCRIBE again"] = stale(f"DESCRIBE {there}.{name}")
        found["SHOW TABLES again"] = stale(f"SHOW TABLES IN {there}")
        refresh = f"REFRESH TABLE {there}.{name}"
        cost(f"DESCRIBE {there}.{name}")
        found["REFRESH and SHOW TABLES"] = stale(refresh, f"SHOW TABLES IN {there}")
        cost(f"DESCRIBE {there}.{name}")
        found["REFRESH and DESCRIBE"] = stale(refresh, f"DESCRIBE {there}.{name}")
        return found

    warm = catalog("warm", definitions)
    spark.sql(f"CREATE STREAM {warm}.{name}_defined (v INT) WITH (KAFKA_TOPIC = '{topic}', VALUE_FORMAT = 'JSON')")
    spark.sql(f"SELECT * FROM {warm}.{name}_defined").collect()
    costs("warm_up", definitions)
    found = {"without definitions": costs("none", "_none_of_this_name"), "with definitions": costs("some", definitions)}
    there = catalog("defined", definitions)
    spark.sql(f"SHOW TABLES IN {there}").collect()
    found["with definitions"]["DESCRIBE of a definition"] = stale(f"DESCRIBE {there}.{name}_defined")
    there = catalog("asked", definitions)
    found["with definitions"]["SELECTs"] = cost(*[f"SELECT v FROM {there}.{name}"] * SELECTS)
    found["with definitions"]["SHOW STREAMS"] = cost(f"SHOW STREAMS IN {there}")
    print(json.dumps(found))


if __name__ == "__main__":
    main(*sys.argv[1:])
