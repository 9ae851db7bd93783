"""A Spark Connect server with the extension and the jars, and a client with only PySpark and the Python package."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from support.cluster import Done, addresses, client, connect
from support.patience import PROGRAM_SECONDS

if TYPE_CHECKING:
    from conftest import Servers

CLIENT = r'''
import sys, tempfile
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
import kafkalyst

remote, topic = sys.argv[1:]
spark = SparkSession.builder.remote(remote).getOrCreate()
spark.sql(f"""CREATE STREAM s (k INT KEY, "a b" STRING)
              WITH (KAFKA_TOPIC = '{topic}', VALUE_FORMAT = 'JSON', PARTITIONS = 1)""")
spark.sql("INSERT INTO s VALUES (1, 'one'), (2, 'two')")
assert [tuple(r) for r in spark.sql("SELECT k, `a b` FROM s ORDER BY k").collect()] == [(1, "one"), (2, "two")]
assert spark.table("s").count() == 2
assert spark.sql("SELECT k FROM s WHERE k > :low", args={"low": 1}).count() == 1
endless = spark.sql('SELECT k, "a b" AS name FROM s EMIT CHANGES')
assert endless.isStreaming
with tempfile.TemporaryDirectory() as checkpoint:
    query = endless.writeStream.format("memory").queryName("seen").option("checkpointLocation", checkpoint)
    query = query.trigger(availableNow=True).start()
    assert query.awaitTermination(90)
assert sorted(tuple(r) for r in spark.table("seen").collect()) == [(1, "one"), (2, "two")]
spark.sql(f"""CREATE STREAM a (k STRING KEY, price DECIMAL(10, 2))
              WITH (KAFKA_TOPIC = '{topic}_avro', VALUE_FORMAT = 'AVRO', PARTITIONS = 1)""")
spark.sql("INSERT INTO a VALUES ('x', 1.25)")
spark.sql(f"CREATE STREAM b (k STRING KEY) WITH (KAFKA_TOPIC = '{topic}_avro', VALUE_FORMAT = 'AVRO')")
assert [str(r["price"]) for r in spark.sql("SELECT * FROM b").collect()] == ["1.25"]
spark.sql("DROP STREAM b")
spark.sql("DROP STREAM a DELETE TOPIC")
assert spark.readStream.table("s").isStreaming
try:
    spark.sql("CREATE STREAM t (a INT) WITH (KAFKA_TOPC = 'x')")
    raise AssertionError("not refused")
except PySparkException as refused:
    assert refused.getCondition() == "KAFKALYST_UNKNOWN_PROPERTY", refused.getCondition()
    assert refused.getSqlState() == "42616", refused.getSqlState()
spark.conf.set("spark.kafkalyst.query.trigger", "available-now")
(started,) = spark.sql(f"CREATE STREAM d WITH (KAFKA_TOPIC = '{topic}_d') AS SELECT k, k + 1 AS n FROM s").collect()
assert started["state"] == "FINISHED"
assert sorted(r["n"] for r in spark.table("d").collect()) == [2, 3]
with tempfile.NamedTemporaryFile("w", suffix=".sql") as script:
    script.write("SELECT count(*) AS c FROM s; SHOW STREAMS;")
    script.flush()
    kafkalyst.run_script(spark, script.name)
for row in kafkalyst.check(spark).collect():
    print("check:", tuple(row))
    assert row["ok"], row
from pyspark.sql import functions as F
from kafkalyst.functions import kafka_decode, kafka_encode
encoded = spark.table("s").select("k", kafka_encode(F.struct("k"), "AVRO", {"subject": f"{topic}-made"}).alias("e"))
back = encoded.select(kafka_decode("e", "AVRO", {"subject": f"{topic}-made"}).alias("v")).select("v.k")
assert sorted(r["k"] for r in back.collect()) == [1, 2]
try:
    spark.range(1).select(kafka_decode(F.lit(b"x"), "JSON", {"shema": "a INT"})).collect()
    raise AssertionError("not refused")
except PySparkException as refused:
    assert refused.getCondition() == "KAFKALYST_FUNCTION_UNKNOWN_OPTION", refused.getCondition()
from kafkalyst import errors
try:
    with errors.typed():
        avro = "VALUE_FORMAT = 'AVRO', VALUE_SUBJECT = 'no'"
        spark.sql(f"CREATE STREAM lost WITH (KAFKA_TOPIC = '{topic}', {avro})")
    raise AssertionError("not refused")
except errors.SubjectNotFound as refused:
    assert refused.condition == "KAFKALYST_SUBJECT_NOT_FOUND", refused.condition
    assert (refused.sqlstate, refused.details["subject"]) == ("42704", "no"), (refused.sqlstate, refused.details)
spark.sql(f"CREATE STREAM failing (k INT KEY, v INT) WITH (KAFKA_TOPIC = '{topic}', VALUE_FORMAT = 'KAFKA')")
try:
    with errors.typed():
        spark.sql("SELECT v FROM failing").collect()
    raise AssertionError("not refused")
except errors.KafkalystError as refused:  # of a task: its text is all that Spark hands on
    print("of a task:", type(refused).__name__, refused.condition, refused.sqlstate, refused.details)
    assert refused.condition.startswith("KAFKALYST_") and refused.sqlstate and "value" in str(refused)
spark.sql("DROP STREAM failing")
spark.sql(
    "CREATE STREAM odd (k INT KEY, v INT) "
    f"WITH (KAFKA_TOPIC = '{topic}', VALUE_FORMAT = 'KAFKA', ON_ERROR = 'null')"
)
assert sorted(spark.table("odd").columns) == ["k", "v"]
odd = spark.table("odd").select("k", "v", "_error").collect()
assert [(r["v"], "value is not KAFKA" in r["_error"]) for r in odd] == [(None, True)] * 2, odd
spark.sql("DROP STREAM odd")
# The server's cluster as a catalog.
spark.conf.set("spark.sql.catalog.topics", "io.kafkalyst.KafkaCatalog")
assert spark.sql(f"SELECT ROWKEY FROM topics.{topic}").count() == 2
spark.range(3).writeTo(f"topics.{topic}_made").using("kafkalyst").tableProperty("partitions", "2").create()
assert sorted(r["id"] for r in spark.table(f"topics.{topic}_made").collect()) == [0, 1, 2]
assert f"{topic}_made" in [r["tableName"] for r in spark.sql("SHOW TABLES IN topics").collect()]
spark.sql(f"DROP TABLE topics.{topic}_made PURGE")
spark.sql("DROP STREAM d DELETE TOPIC")
spark.sql("DROP STREAM s DELETE TOPIC")
print("over connect: fine")
'''

GOLDENS = r"""
import sys
from pathlib import Path
from pyspark import __version__
from pyspark.sql import SparkSession
from support.golden import Case, run

remote, kafka, registry, folder = sys.argv[1:]
minor = __version__.rsplit(".", 1)[0]
paths = [p for room in ("names", "keys") for p in (Path(folder) / room).glob("*.sql")]
sessions = []  # a session that is collected while Connect's client hands over work may hang it
# Its server has nothing but the extension and the jars.
for path in sorted([*paths, Path(folder) / "joins" / "changes_limit.sql"]):
    case = Case(path)
    if not case.runs_on(minor):
        continue
    session = SparkSession.builder.remote(remote).create()
    sessions.append(session)
    actual = run(case, session, kafka, registry)
    session.stop()
    expected = case.expected(minor).read_text(encoding="utf-8")
    if actual != expected:
        parts = zip(actual.split("-- statement"), expected.split("-- statement"))
        for over_connect, classic in parts:
            if over_connect != classic:
                print("DIFFERENT", path.name, over_connect, "INSTEAD OF", classic)
    else:
        print("same:", path.name)
"""

LEAVES = r"""
import sys
from pyspark.sql import SparkSession

remote, topic = sys.argv[1:]
spark = SparkSession.builder.remote(remote).create()
spark.sql(f"CREATE STREAM base (k INT) WITH (KAFKA_TOPIC = '{topic}', VALUE_FORMAT = 'JSON', PARTITIONS = 1)")
spark.sql("INSERT INTO base VALUES (1)")
spark.sql(f"CREATE STREAM copied WITH (KAFKA_TOPIC = '{topic}-copy') AS SELECT k FROM base")
spark.stop()
print("left")
"""

FINDS = r"""
import sys, time
from pyspark.sql import SparkSession

spark = SparkSession.builder.remote(sys.argv[1]).create()
spark.sql("INSERT INTO base VALUES (2)")
end = time.monotonic() + 90
while sorted(row.k for row in spark.table("copied").collect()) != [1, 2]:
    assert time.monotonic() < end, spark.sql("SHOW QUERIES").collect()
    time.sleep(0.5)
(query,) = spark.sql("SHOW QUERIES").collect()
assert query["state"] == "RUNNING", query
spark.sql(f"TERMINATE {query['query_id']}")
print("found")
"""

LIVE = r"""
import itertools, sys
from contextlib import closing
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from kafkalyst.live import live

remote, topic = sys.argv[1:]
spark = SparkSession.builder.remote(remote).create()
spark.sql(f"CREATE STREAM numbers (n BIGINT) WITH (KAFKA_TOPIC = '{topic}', VALUE_FORMAT = 'JSON', PARTITIONS = 1)")
spark.sql("INSERT INTO numbers SELECT id FROM range(0, 10, 1, 1)")

def endless():
    return spark.readStream.option("maxOffsetsPerTrigger", 1).table("numbers")

with closing(live(spark, endless().selectExpr("n", "n AS n"))) as batches:
    first = next(rows for rows in batches if rows)
    (running,) = spark.streams.active
    running.awaitTermination(5)
    assert len(running.recentProgress) <= 1, "the query went on without its reader"
    rest = itertools.islice((row for rows in batches for row in rows), 9)
    assert [tuple(row) for row in [*first, *rest]] == [(n, n) for n in range(10)]
assert not spark.streams.active

with closing(live(spark, endless())) as batches:
    assert next(rows for rows in batches if rows)[0].n == 0
assert not spark.streams.active, "a query goes on after its reader has left"

with closing(live(spark, endless().selectExpr("if(n < 9, n, raise_error('nine')) AS n"))) as batches:
    try:
        assert [row.n for rows in batches for row in rows] == []
    except PySparkException as error:
        assert "nine" in str(error), error

spark.conf.set("spark.kafkalyst.query.trigger", "available-now")
counted = spark.sql("SELECT n % 2 AS odd, count(*) AS c FROM STREAM numbers GROUP BY n % 2")
for df in counted, endless():
    with closing(live(spark, df)) as batches:
        print(sorted(tuple(row) for rows in batches for row in rows))
print("live")
"""


def _asked(
    servers: Servers, folder: Path, root: Path, *programs: tuple[str, list[str]], limit: int = PROGRAM_SECONDS
) -> list[Done]:
    """Runs the clients' programs one after the other with a Connect server of their own."""
    # The server is no fixture, because it adds its threads to a client's ClientHangs.
    with connect(folder, addresses(servers)) as server:
        return [client(root, program, [server, *arguments], limit) for program, arguments in programs]


def test_over_connect(servers: Servers, tmp_path: Path, root: Path) -> None:
    """Names, streams, conditions, scripts and the check work from a client."""
    topic = f"connect_{tmp_path.parent.name}".replace("-", "_")
    [done] = _asked(servers, tmp_path, root, (CLIENT, [topic]))
    assert "over connect: fine" in done.stdout, done.stdout[-1500:] + done.stderr[-3000:]


def test_goldens_over_connect(servers: Servers, tmp_path: Path, root: Path) -> None:
    """Names, keys and joins work as in a classic session."""
    arguments = [servers.kafka, servers.registry, str(root / "tests" / "sql")]
    [done] = _asked(servers, tmp_path, root, (GOLDENS, arguments), limit=3 * PROGRAM_SECONDS)
    assert done.returncode == 0, done.stderr[-3000:]
    assert "DIFFERENT" not in done.stdout, done.stdout[-6000:]
    assert done.stdout.count("same:") >= 6 and "same: changes_limit.sql" in done.stdout


def test_a_client_leaves(servers: Servers, tmp_path: Path, root: Path) -> None:
    """Its session ends, but its query runs on; another client finds the query and ends it."""
    topic = f"leaves_{tmp_path.parent.name}".replace("-", "_")
    left, found = _asked(servers, tmp_path, root, (LEAVES, [topic]), (FINDS, []))
    assert "left" in left.stdout, left.stderr[-3000:]
    assert "found" in found.stdout, found.stderr[-3000:]


def test_live_over_connect(servers: Servers, tmp_path: Path, root: Path) -> None:
    """The server keeps one batch for the client, and the query waits until the client has fetched it."""
    topic = f"live_{tmp_path.parent.name}".replace("-", "_")
    [done] = _asked(servers, tmp_path, root, (LIVE, [topic]))
    assert "live" in done.stdout, done.stdout[-1500:] + done.stderr[-3000:]
    assert "[(0, 5), (1, 5)]" in done.stdout
    assert "[(0,), (1,), (2,), (3,), (4,), (5,), (6,), (7,), (8,), (9,)]" in done.stdout
