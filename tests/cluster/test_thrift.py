"""A Thrift server: Kafkalyst's statements work over JDBC, and its sessions are locked."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from support.cluster import ENVIRONMENT, HOME, addresses, thrift
from support.patience import PROGRAM_SECONDS

if TYPE_CHECKING:
    from conftest import Servers


def beeline(address: str, *statements: str) -> str:
    """The output of Hive's own client."""
    command = [str(HOME / "bin" / "spark-class"), "org.apache.hive.beeline.BeeLine", "-u", address, "-n", "anyone"]
    command += [word for statement in statements for word in ("-e", statement)]
    done = subprocess.run(
        command,
        env={**os.environ, **ENVIRONMENT},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=PROGRAM_SECONDS,
        check=False,
    )
    return done.stdout + done.stderr


def test_thrift(servers: Servers, topic: Callable[[str], str], tmp_path: Path) -> None:
    """Rows are written and read; addresses, files and scripts are refused, and their contents are not shown."""
    name = topic("thrift")
    with thrift(tmp_path, addresses(servers)) as address:
        made = (
            f"CREATE STREAM {name} (k INT KEY, v STRING) WITH (KAFKA_TOPIC = '{name}', VALUE_FORMAT = 'JSON', "
            "PARTITIONS = 1)"
        )
        said = beeline(address, made, f"INSERT INTO {name} VALUES (7, 'by thrift')", f"SELECT v FROM {name}")
        assert "by thrift" in said, said
        # It ends at its LIMIT, as any other statement.
        said = beeline(address, f"SELECT k + 1 AS next, v FROM {name} EMIT CHANGES LIMIT 1")
        assert "| 8 " in said and "1 row selected" in said, said
        for statements, condition in (
            (("SET spark.kafkalyst.bootstrap.servers=evil:1", f"SELECT v FROM {name}"), "LOCKED_PROPERTY"),
            (("SET spark.kafkalyst.schema.registry.url=http://evil", "ASSERT SCHEMA SUBJECT 's'"), "LOCKED_PROPERTY"),
            (
                ("SET spark.kafkalyst.kafka.client.dns.lookup=${file:/etc/passwd:root}", f"SELECT v FROM {name}"),
                "LOCKED_PROPERTY",
            ),
            (("RUN SCRIPT '/etc/passwd'",), "LOCKED_STATEMENT"),
        ):
            said = beeline(address, *statements)
            assert f"KAFKALYST_{condition}" in said, said
            assert "root:x:" not in said and "by thrift" not in said
