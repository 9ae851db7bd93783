"""The real servers of the tests: a broker, a registry, a session. Each is started once, when first used.

With KAFKALYST_KAFKA and KAFKALYST_REGISTRY set (`kafkalyst local up --print-env`) the servers there are used.
"""

from __future__ import annotations

import logging
import uuid
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

import kafkalyst
from kafkalyst.testing import Servers, running_servers
from support import jvm
from support.cluster import addresses

jvm.prepare()

# PySpark logs errors that it raises anyway.
logging.getLogger("SQLQueryContextLogger").disabled = True


ROOT = Path(__file__).resolve().parent.parent
SESSION = pytest.StashKey[SparkSession]()


@pytest.fixture(scope="session")
def servers() -> Iterator[Servers]:
    """A broker and a registry."""
    yield from running_servers()


@pytest.fixture(scope="session")
def spark_conf(servers: Servers, tmp_path_factory: pytest.TempPathFactory) -> dict[str, object]:
    """Settings of a session for tests, without the extension and its jars."""
    folder = tmp_path_factory.mktemp("spark")
    return {
        "spark.master": "local[2]",
        "spark.ui.enabled": False,
        "spark.sql.shuffle.partitions": 2,
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
        "spark.ui.showConsoleProgress": False,
        # Ports are reused: a client of a server that has ended may take the only connection of a port at which a
        # JVM waits for its own Python. Spark 4.0 does not have this setting.
        "spark.python.unix.domain.socket.enabled": True,
        # Python fetches rows from a socket of the JVM, which waits 15 s for it by default: too short for five suites
        # on two cores.
        "spark.python.authenticate.socketTimeout": "120s",
        **jvm.UNFORKED,
        "spark.kafkalyst.query.checkpoint.root": str(folder / "checkpoints"),
        # Groups of one batch are shown in the order of the state store.
        "spark.sql.streaming.stateStore.providerClass": "org.apache.spark.sql.execution.streaming.state."
        "RocksDBStateStoreProvider",
        # As an operator may set it.
        "spark.metrics.conf.driver.sink.jmx.class": "org.apache.spark.metrics.sink.JmxSink",
        **addresses(servers),
        # This registry has only one node, so it does not lag.
        "spark.kafkalyst.schema.registry.unknown.id.seconds": 1,
    }


@pytest.fixture(scope="session")
def spark(request: pytest.FixtureRequest, spark_conf: dict[str, object]) -> Iterator[SparkSession]:
    """The classic session with the extension.

    Not pytest-spark's, whose settings are fixed before the servers have addresses. The users' plugin is tested with it.
    """
    session = request.config.stash[SESSION] = kafkalyst.session(**spark_conf)
    yield session
    session.stop()


@pytest.fixture(scope="module", autouse=True)
def queries_end(request: pytest.FixtureRequest) -> Iterator[None]:
    """Ends what a module's tests have left running, because tests of the next one look at all queries."""
    yield
    session = request.config.stash.get(SESSION, None)
    if session is None:
        return
    for row in session.sql("SHOW QUERIES EXTENDED").where("here").collect():
        with suppress(PySparkException):  # of a catalog that only a test's own session has
            session.sql(f"TERMINATE `{row.query_id}`")
    for query in session.streams.active:
        query.stop()


@pytest.fixture
def topic() -> Callable[[str], str]:
    """Names of topics and objects that no other test has: `topic("orders")` → `orders_3f2a9c1b`."""
    suffix = uuid.uuid4().hex[:8]
    return lambda name: f"{name}_{suffix}"


@pytest.fixture(scope="session")
def root() -> Path:
    """The checkout."""
    return ROOT
