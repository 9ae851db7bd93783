"""The dbt project of docs/howto/dbt.md over a real topic: `run.py DBT`, in an empty folder for what Spark writes.

Each command of dbt is a process of its own, as users run them.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pyspark

import kafkalyst
from kafkalyst.resources import jars_for

PROJECT = Path(__file__).parent
TOPIC = """CREATE STREAM orders (id BIGINT, customer STRING, amount DOUBLE)
           WITH (KAFKA_TOPIC = 'orders', VALUE_FORMAT = 'AVRO', PARTITIONS = 2)"""
TOTALS = "select country, amount from {{ ref('by_country') }} order by country"
LIMIT_SECONDS = 300


def main(dbt: str) -> None:
    """Two builds with records between them: the second one adds these records, and no other twice."""
    with kafkalyst.LocalServers() as servers:
        os.environ |= {
            "KAFKALYST_KAFKA": servers.kafka,
            "KAFKALYST_REGISTRY": servers.registry,
            "KAFKALYST_JARS": ",".join(map(str, jars_for(pyspark.__version__))),
            "DBT_SEND_ANONYMOUS_USAGE_STATS": "false",
        }
        produce(servers, TOPIC, "INSERT INTO orders VALUES (1, 'ada', 250.0), (2, 'linus', 50.0), (3, 'ada', 300.0)")
        run(dbt, "build")
        produce(servers, "INSERT INTO kafka.orders (id, customer, amount) VALUES (4, 'linus', 125.0), (5, 'ada', 10.0)")
        run(dbt, "build")
        run(dbt, "docs", "generate")
        shown = run(dbt, "--quiet", "show", "--inline", TOTALS, "--output", "json")
        assert json.loads(shown[shown.index("{") :])["show"] == [
            {"country": "FI", "amount": 175.0},
            {"country": "UK", "amount": 560.0},
        ], shown


def run(dbt: str, *command: str) -> str:
    """Runs a command of dbt; returns what it prints."""
    folders = {"project-dir": PROJECT, "profiles-dir": PROJECT, "target-path": Path("target"), "log-path": Path("logs")}
    options = [text for name, folder in folders.items() for text in (f"--{name}", str(folder.resolve()))]
    done = subprocess.run(
        [dbt, "--no-use-colors", *command, *options],
        stdout=subprocess.PIPE,
        text=True,
        check=False,
        timeout=LIMIT_SECONDS,
    )
    if done.returncode:
        sys.exit(done.stdout)
    return done.stdout


def produce(servers: kafkalyst.LocalServers, *statements: str) -> None:
    """Runs statements in a session that ends with them, since Derby's metastore serves one process."""
    with kafkalyst.session(kafka=servers.kafka, registry=servers.registry) as spark:
        for statement in statements:
            spark.sql(statement)


if __name__ == "__main__":
    main(*sys.argv[1:])
