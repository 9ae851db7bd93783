"""A standalone cluster with two worker processes, used through spark-submit."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pyspark

from kafkalyst.resources import jars_for
from support import jvm
from support.cluster import HOME, standalone, submitted
from support.patience import PATIENCE_SECONDS

if TYPE_CHECKING:
    from conftest import Servers

LOG = """
rootLogger.level = info
rootLogger.appenderRef.console.ref = console
appender.console.type = Console
appender.console.name = console
appender.console.target = SYSTEM_ERR
appender.console.layout.type = PatternLayout
appender.console.layout.pattern = <%X{mdc.kafkalyst.query}> %c{1}: %m%n
"""
APP = r"""
import sys
from pyspark import TaskContext
from pyspark.sql import SparkSession

topic = sys.argv[1]
spark = SparkSession.builder.appName("cluster").getOrCreate()
spark.sql(f"CREATE STREAM s (k INT KEY, a STRING) "
          f"WITH (KAFKA_TOPIC = '{topic}', VALUE_FORMAT = 'AVRO', PARTITIONS = 4)")
spark.sql("INSERT INTO s SELECT cast(id AS INT), concat('row ', id) FROM range(0, 1000, 1, 4)")
(query,) = spark.sql(
    f"CREATE STREAM d WITH (KAFKA_TOPIC = '{topic}_d') AS SELECT k, upper(a) AS a FROM s WHERE k % 2 = 0").collect()
print("query:", query["query_id"])
rows = spark.sql("SELECT count(*) AS c, min(a) AS low, max(k) AS high FROM d").first()
print("result:", tuple(rows))
spark.sql(f"INSERT INTO kafka.{topic}_d SELECT * FROM kafka.{topic}_d LIMIT 3")
print("catalog:", spark.table(f"kafka.{topic}_d").count())
"""


def test_spark_submit(servers: Servers, tmp_path: Path) -> None:
    """An object is declared on the driver, and read and written by two executors in their own processes.

    The executors' log lines of a continuous query's tasks have the query's id.
    """
    app = tmp_path / "app.py"
    app.write_text(APP, encoding="utf-8")
    log = tmp_path / "log4j2.properties"
    log.write_text(LOG, encoding="utf-8")
    conf = {
        "spark.sql.extensions": "io.kafkalyst.KafkalystExtensions",
        "spark.sql.catalog.kafka": "io.kafkalyst.KafkaCatalog",
        "spark.kafkalyst.bootstrap.servers": servers.kafka,
        "spark.kafkalyst.schema.registry.url": servers.registry,
        "spark.kafkalyst.query.trigger": "available-now",
        "spark.kafkalyst.query.checkpoint.root": str(tmp_path / "checkpoints"),
        "spark.sql.warehouse.dir": str(tmp_path / "warehouse"),
        "spark.executor.memory": "512m",
        # Waits for both executors.
        "spark.cores.max": "2",
        "spark.scheduler.minRegisteredResourcesRatio": "1.0",
        "spark.scheduler.maxRegisteredResourcesWaitingTime": f"{PATIENCE_SECONDS}s",
        "spark.executor.extraJavaOptions": f"{jvm.options()} -Dlog4j2.configurationFile={log}",
        "spark.sql.shuffle.partitions": "2",
        "spark.driver.host": "127.0.0.1",
        "spark.eventLog.enabled": "true",
        "spark.eventLog.dir": str(tmp_path),
        "spark.eventLog.rolling.enabled": "false",
        "spark.eventLog.compress": "false",
        "spark.ui.enabled": "false",
    }
    jars = ",".join(str(jar) for jar in jars_for(pyspark.__version__))
    command = [str(HOME / "bin" / "spark-submit"), "--jars", jars]
    command += [word for name, value in conf.items() for word in ("--conf", f"{name}={value}")]
    topic = f"cluster_{tmp_path.parent.name}".replace("-", "_")
    with standalone(tmp_path) as cluster:
        done = submitted([*command, "--master", cluster.address, str(app), topic], tmp_path)
    assert "result: (500, 'ROW 0', 998)" in done.stdout, done.stdout[-1000:] + done.stderr[-3000:]
    query = next(line for line in done.stdout.splitlines() if line.startswith("query: ")).removeprefix("query: ")
    logs = [path.read_text(encoding="utf-8", errors="replace") for path in tmp_path.glob("w-*/app-*/*/stderr")]
    assert any(f"<{query}> Executor: Running task" in log for log in logs), [log[-1500:] for log in logs]
    assert any("<> " in log for log in logs)
    assert "catalog: 503" in done.stdout, done.stdout[-1000:] + done.stderr[-3000:]
    events = next(path for path in tmp_path.iterdir() if path.name.startswith("app-")).read_text(encoding="utf-8")
    assert '"Executor ID":"0"' in events and '"Executor ID":"1"' in events
