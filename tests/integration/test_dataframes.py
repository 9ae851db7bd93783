"""Names that differ only in case, in DataFrames and in the Spark UI."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pyspark.errors import AnalysisException, StreamingQueryException
from pyspark.sql import Column, DataFrame, DataFrameWriterV2, Row, SparkSession
from pyspark.sql import functions as F

from support.patience import PATIENCE_SECONDS

Step = Callable[[DataFrame], DataFrame]


@pytest.fixture(scope="module")
def frame(spark: SparkSession) -> Iterator[DataFrame]:
    """Two rows of a stream with `id` and `ID`, and a struct with `a` and `A`."""
    name = "names_of_frames"
    spark.sql(
        f'CREATE STREAM {name} ("id" INT KEY, "ID" INT, "MESSAGE.AMOUNT" DOUBLE, s STRUCT<"a" INT, "A" INT>)'
        f" WITH (KAFKA_TOPIC = '{name}', VALUE_FORMAT = 'JSON', PARTITIONS = 1)"
    )
    spark.sql(
        f"INSERT INTO {name} VALUES (1, 20, 0.5, named_struct('a', 3, 'A', 4)), "
        "(2, 10, 1.5, named_struct('a', 5, 'A', 6))"
    )
    yield spark.table(name)
    spark.sql(f"DROP STREAM {name} DELETE TOPIC")


def upper() -> Column:
    """The column, by its exact name."""
    return F.col("ID")


WORKS: dict[str, tuple[Step, list[tuple[object, ...]]]] = {
    "select": (lambda df: df.select("ID", "id"), [(10, 2), (20, 1)]),
    "select of a column": (lambda df: df.select(upper() + 1), [(11,), (21,)]),
    "a dot in a name": (lambda df: df.select("ID", F.col("`MESSAGE.AMOUNT`")), [(10, 1.5), (20, 0.5)]),
    "selectExpr": (lambda df: df.selectExpr("ID - id AS x"), [(8,), (19,)]),
    "filter by text": (lambda df: df.filter("ID > 15").select("id"), [(1,)]),
    "filter by column": (lambda df: df.filter(upper() > 15).select("id"), [(1,)]),
    "groupBy": (lambda df: df.groupBy("ID").count(), [(10, 1), (20, 1)]),
    "agg": (lambda df: df.groupBy().agg(F.max("ID"), F.max("id")), [(20, 2)]),
    "orderBy": (lambda df: df.orderBy("ID").limit(1).select("id"), [(2,)]),
    "withColumn of another name": (lambda df: df.withColumn("x", upper()).select("x"), [(10,), (20,)]),
    "drop of a column": (lambda df: df.select("id", "ID").drop(upper()), [(1,), (2,)]),
    "alias": (lambda df: df.alias("t").select("t.ID", F.col("t.id")), [(10, 2), (20, 1)]),
    "a step after another": (lambda df: df.select("id", "ID").filter("ID > 15").select("ID"), [(20,)]),
    "a column twice": (lambda df: df.select("ID", "*").filter("ID > 15").select("s.a"), [(3,)]),
    "a field": (lambda df: df.select("s.A", F.col("s.a"), F.col("s")["A"]), [(4, 3, 4), (6, 5, 6)]),
    "a field in a filter": (lambda df: df.filter(F.col("s.A") > 5).select("id"), [(2,)]),
    "a function": (lambda df: df.select(F.to_json("s")), [('{"a":3,"A":4}',), ('{"a":5,"A":6}',)]),
    "toDF": (lambda df: df.toDF("key", "upper", "amount", "s").select("upper"), [(10,), (20,)]),
}


@pytest.mark.parametrize("step", WORKS)
def test_exact_names(frame: DataFrame, step: str) -> None:
    """Methods whose names the analyzer resolves find the exact one."""
    made, rows = WORKS[step]
    assert sorted(tuple(row) for row in made(frame).collect()) == rows


def test_join(frame: DataFrame) -> None:
    """A join by a condition works; a join by a name that could mean two columns is refused."""
    right = frame.select(upper().alias("upper"), F.lit("r").alias("x"))
    assert frame.join(right, upper() == F.col("upper")).filter("x = 'r'").count() == 2
    with pytest.raises(AnalysisException) as refused:
        frame.join(frame.select("ID"), on="ID")
    assert refused.value.getCondition() == "KAFKALYST_AMBIGUOUS_NAME"


EAGER: dict[str, Callable[[DataFrame], Column | DataFrame]] = {
    "df[name]": lambda df: df["ID"],
    "df.name": lambda df: df.ID,
    "max(name)": lambda df: df.groupBy("id").max("ID"),
}


@pytest.mark.parametrize("step", EAGER)
def test_by_sparks_own_rule(frame: DataFrame, step: str) -> None:
    """Names that Spark resolves before any rule runs are ambiguous, and the error says so."""
    with pytest.raises(AnalysisException, match="ambiguous"):
        EAGER[step](frame)


@pytest.fixture
def active(spark: SparkSession) -> None:
    """Spark resolves eager names by the thread's active session, which tests of other sessions may have changed."""
    spark._jvm.SparkSession.setActiveSession(spark._jsparkSession)


CASE_SENSITIVE: dict[str, tuple[Step, list[tuple[object, ...]]]] = {
    "df[name]": (lambda df: df.select(df["ID"], df["id"]), [(10, 2), (20, 1)]),
    "df[struct][field]": (lambda df: df.select(df["s"]["A"], df["s.a"]), [(4, 3), (6, 5)]),
    "max(name)": (lambda df: df.groupBy().max("ID"), [(20,)]),
    "withColumnRenamed": (lambda df: df.withColumnRenamed("ID", "upper").select("id", "upper"), [(1, 20), (2, 10)]),
    "withColumn": (lambda df: df.withColumn("ID", F.lit(0)).select("id", "ID"), [(1, 0), (2, 0)]),
    "drop": (lambda df: df.select("id", "ID").drop("ID"), [(1,), (2,)]),
    "join by name": (lambda df: df.join(df.select("ID"), on="ID").select("id"), [(1,), (2,)]),
    "unionByName": (
        lambda df: df.select("id", "ID").unionByName(df.select("ID", "id")),
        [(1, 20), (1, 20), (2, 10), (2, 10)],
    ),
    "SQL": (lambda df: df.sparkSession.sql('SELECT "ID", s."A" FROM names_of_frames'), [(10, 6), (20, 4)]),
}


@pytest.mark.usefixtures("active")
@pytest.mark.parametrize("step", CASE_SENSITIVE)
def test_case_sensitive(frame: DataFrame, step: str) -> None:
    """With `spark.sql.caseSensitive` all names are exact."""
    session = frame.sparkSession
    session.conf.set("spark.sql.caseSensitive", True)
    try:
        made, rows = CASE_SENSITIVE[step]
        assert sorted(tuple(row) for row in made(session.table("names_of_frames")).collect()) == rows
    finally:
        session.conf.unset("spark.sql.caseSensitive")


@pytest.mark.parametrize("step", ["*", "ID, s.A", "to_json(s) AS j", "max(ID) AS m"])
def test_plans_in_the_ui(frame: DataFrame, step: str) -> None:
    """The SQL tab shows no internal names of a finished query."""
    frame.selectExpr(*[part.strip() for part in step.split(", ")]).collect()
    executions = frame.sparkSession._jsparkSession.sharedState().statusStore().executionsList()
    plan = executions.apply(executions.size() - 1).physicalPlanDescription()
    assert "names_of_frames" in plan
    assert "COL_" not in plan


@pytest.fixture(scope="module")
def latest(spark: SparkSession) -> Iterator[DataFrame]:
    """A table of two keys, one of which was written twice and one deleted."""
    name = "hidden_of_frames"
    spark.sql(
        f"CREATE TABLE {name} (k INT PRIMARY KEY, v STRING) WITH (KAFKA_TOPIC = '{name}', VALUE_FORMAT = 'JSON', "
        "PARTITIONS = 1)"
    )
    spark.sql(f"INSERT INTO {name} VALUES (1, 'a'), (2, 'b'), (1, 'c'), (3, 'd')")
    spark.sql(f"INSERT INTO {name} (k, _tombstone) VALUES (3, true)")
    yield spark.table(name)
    spark.sql(f"DROP TABLE {name} DELETE TOPIC")


HIDDEN: dict[str, tuple[Step, list[tuple[object, ...]]]] = {
    "none by itself": (lambda df: df, [(1, "c"), (2, "b")]),
    "select": (lambda df: df.select("k", "ROWOFFSET", "_tombstone"), [(1, 2, False), (2, 1, False)]),
    "filter": (lambda df: df.filter("ROWOFFSET > 1"), [(1, "c")]),
    "views of the sides": (lambda df: df.select("ROWKEY.k", "ROWVALUE.v"), [(1, "c"), (2, "b")]),
    "withColumn": (lambda df: df.withColumn("at", F.col("ROWPARTITION")), [(1, "c", 0), (2, "b", 0)]),
    "a join with itself": (
        lambda df: df.alias("a").join(df.select("k", "ROWOFFSET").alias("b"), "k").select("k", "b.ROWOFFSET"),
        [(1, 2), (2, 1)],
    ),
}


@pytest.mark.parametrize("step", HIDDEN)
def test_hidden_columns_of_a_table(latest: DataFrame, step: str) -> None:
    """A table's DataFrame has the hidden columns of a SELECT."""
    made, rows = HIDDEN[step]
    assert sorted(tuple(row) for row in made(latest).collect()) == rows


def _streamed(folder: Path, frame: DataFrame) -> tuple[list[tuple[object, ...]], str]:
    """The rows of a stream of what is there, and its plan."""
    spark, sink = frame.sparkSession, f"seen_{len(list(folder.iterdir()))}"
    writer = frame.writeStream.format("memory").queryName(sink).trigger(availableNow=True)
    query = writer.option("checkpointLocation", str(folder / sink)).start()
    assert query.awaitTermination(PATIENCE_SECONDS)
    plan = query._jsq.streamingQuery().lastExecution().executedPlan().toString()
    rows = sorted(tuple(row) for row in spark.table(sink).collect())
    spark.catalog.dropTempView(sink)
    return rows, plan


def test_hidden_columns_of_a_tables_stream(spark: SparkSession, topic: Callable[[str], str], tmp_path: Path) -> None:
    """A table's stream has hidden columns, too, in both catalogs, and reads only those that its query names."""
    name = topic("stream_of_table")
    columns = "(k INT PRIMARY KEY, v STRING)"
    spark.sql(f"CREATE TABLE {name} {columns} WITH (KAFKA_TOPIC = '{name}', VALUE_FORMAT = 'JSON', PARTITIONS = 1)")
    spark.sql(f"CREATE TABLE kafka.{name}_c {columns} WITH (VALUE_FORMAT = 'JSON', PARTITIONS = 1)")
    rows = functools.partial(_streamed, tmp_path)
    for place in (name, f"kafka.{name}_c"):
        spark.sql(f"INSERT INTO {place} VALUES (1, 'a'), (2, 'b'), (1, 'c')")
        stream = spark.readStream.table(place)
        assert stream.columns == ["k", "v"]
        all_rows, plan = rows(stream)
        assert all_rows == [(1, "a"), (1, "c"), (2, "b")]
        assert "ROWOFFSET" not in plan
        assert "_headers" not in plan
        hidden, plan = rows(stream.selectExpr("*", "ROWOFFSET", "ROWVALUE.v AS same"))
        assert hidden == [(1, "a", 0, "a"), (1, "c", 2, "c"), (2, "b", 1, "b")]
        assert "_headers" not in plan
        timed = stream.selectExpr("*", "timestamp_millis(ROWTIME) AS et").withWatermark("et", "1 hour")
        assert rows(timed.groupBy("k", F.window("et", "1000 days")).count().select("k"))[0] == []
        # The state of a query that names no hidden column has none.
        first, plan = rows(stream.dropDuplicates(["k"]))
        assert [row[0] for row in first] == [1, 2]
        assert "ROWOFFSET" not in plan
        joined, plan = rows(stream.alias("a").join(stream.alias("b"), "v").select("v"))
        assert joined == [("a",), ("b",), ("c",)]
        assert "ROWOFFSET" not in plan


def test_hidden_operation_of_changes(spark: SparkSession, topic: Callable[[str], str]) -> None:
    """The current rows of a change log have the operation of their change."""
    name = topic("operations")
    columns = f"WITH (KAFKA_TOPIC = '{name}', VALUE_FORMAT = '{{}}', KEY_FORMAT = 'JSON', PARTITIONS = 1)"
    spark.sql(
        f"CREATE STREAM {name}_raw (k INT KEY, before STRUCT<v INT>, after STRUCT<v INT>, op STRING) "
        f"{columns.format('JSON')}"
    )
    spark.sql(
        f"INSERT INTO {name}_raw VALUES (1, NULL, named_struct('v', 1), 'c'), (2, NULL, named_struct('v', 2), 'c'), "
        "(1, named_struct('v', 1), named_struct('v', 3), 'u'), (2, named_struct('v', 2), NULL, 'd')"
    )
    spark.sql(f"CREATE TABLE {name} (k INT PRIMARY KEY, v INT) {columns.format('DEBEZIUM_JSON')}")
    assert [tuple(row) for row in spark.table(name).select("k", "v", "_op").collect()] == [(1, 3, "+U")]


WRITERS: dict[str, Callable[[DataFrame, str, dict[str, str]], None]] = {
    "writeTo": lambda rows, place, options: with_options(rows.writeTo(place), options).append(),
    "insertInto": lambda rows, place, options: rows.write.format("kafkalyst").options(**options).insertInto(place),
    "saveAsTable": lambda rows, place, options: (
        rows.write.format("kafkalyst").mode("append").options(**options).saveAsTable(place)
    ),
}


def with_options(writer: DataFrameWriterV2, options: dict[str, str]) -> DataFrameWriterV2:
    """`writeTo` takes its options one by one."""
    for option, value in options.items():
        writer = writer.option(option, value)
    return writer


@pytest.mark.parametrize("way", WRITERS)
def test_options_by_each_way(spark: SparkSession, topic: Callable[[str], str], way: str) -> None:
    """Each way to append rows applies its options, in both catalogs, or refuses them by name."""
    name = topic(f"options_{way.lower()}")
    spark.sql(f"CREATE STREAM {name} (id INT) WITH (KAFKA_TOPIC = '{name}', VALUE_FORMAT = 'JSON', PARTITIONS = 4)")
    spark.sql(f"CREATE STREAM kafka.{name}_c (id INT) WITH (VALUE_FORMAT = 'JSON', PARTITIONS = 4)")
    rows = spark.range(0, 20, 1, 2).selectExpr("CAST(id AS INT) AS id")
    for place in (name, f"kafka.{name}_c"):
        WRITERS[way](rows.coalesce(1), place, {"sink.partitioner": "fixed"})
        counts = spark.table(place).groupBy("ROWPARTITION").count().collect()
        assert [tuple(row) for row in counts] == [(0, 20)], place
        # A transaction has one task; without the option, these rows have two.
        WRITERS[way](rows, place, {"sink.delivery-guarantee": "exactly-once", "sink.partitioner": "fixed"})
        counts = spark.table(place).groupBy("ROWPARTITION").count().collect()
        assert [tuple(row) for row in counts] == [(0, 40)], place
        for wrong in (
            "mergeSchema",
            "partitions",
            "startingOffsets",
            "scan.startup.mode",
            "checkpointLocation",
            "nonsense",
        ):
            with pytest.raises(AnalysisException) as refused:
                WRITERS[way](rows, place, {wrong: "earliest-offset"})
            assert refused.value.getCondition() == "KAFKALYST_FLINK_OPTION", wrong
            assert wrong.lower() in str(refused.value).lower()
        assert spark.table(place).count() == 40


def test_options_of_a_stream(spark: SparkSession, topic: Callable[[str], str], tmp_path: Path) -> None:
    """`toTable` applies the writer's options, in both catalogs, and refuses by name what has no effect."""
    name = topic("options_of_streams")
    made = "(id INT) WITH (KAFKA_TOPIC = '{0}', VALUE_FORMAT = 'JSON', PARTITIONS = 4)"
    spark.sql(f"CREATE STREAM {name} {made.format(name)}")
    spark.sql(f"CREATE STREAM {name}_s {made.format(name + '_s')}")
    spark.sql(f"CREATE STREAM kafka.{name}_c (id INT) WITH (VALUE_FORMAT = 'JSON', PARTITIONS = 4)")
    spark.range(20).selectExpr("CAST(id AS INT) AS id").coalesce(1).writeTo(name).append()
    rows = spark.readStream.table(name).select("id").coalesce(1)

    def write(place: str, checkpoint: str, **options: str) -> None:
        writer = rows.writeStream.trigger(availableNow=True).queryName(f"{name}_{checkpoint}").options(**options)
        folder = str(tmp_path / place / checkpoint)
        writer.option("checkpointLocation", folder).toTable(place).awaitTermination()

    for place in (f"{name}_s", f"kafka.{name}_c"):
        write(place, "fixed", **{"sink.partitioner": "fixed", "asyncProgressTrackingEnabled": "false"})
        counts = spark.table(place).groupBy("ROWPARTITION").count().collect()
        assert [tuple(row) for row in counts] == [(0, 20)], place
        write(place, "once", **{"sink.partitioner": "fixed", "sink.delivery-guarantee": "exactly-once"})
        # The end of the transaction has an offset of its own.
        spark.sql(f"INSERT INTO {place} WITH ('sink.partitioner' = 'fixed') VALUES (99)")
        assert spark.sql(f"SELECT ROWOFFSET FROM {place} WHERE id = 99").head()[0] == 41, place
        for wrong in ("nonsense", "partitions", "startingOffsets"):
            with pytest.raises(StreamingQueryException, match=f"(?i)KAFKALYST_FLINK_OPTION.*{wrong}"):
                write(place, wrong, **{wrong: "1"})


def test_options_of_a_source(spark: SparkSession, topic: Callable[[str], str]) -> None:
    """A writer with `format("kafkalyst")` refuses an option without an effect by name."""
    name = topic("options_of_sources")
    spark.sql(f"CREATE STREAM {name} (id INT) WITH (KAFKA_TOPIC = '{name}', VALUE_FORMAT = 'JSON', PARTITIONS = 4)")
    rows = spark.range(20).selectExpr("CAST(id AS INT) AS id").coalesce(1)
    source = {"topic": name, "value_format": "JSON", "sink.partitioner": "fixed"}
    rows.write.format("kafkalyst").options(**source).mode("append").save()
    counts = spark.table(name).groupBy("ROWPARTITION").count().collect()
    assert [tuple(row) for row in counts] == [(0, 20)]
    for wrong in ("nonsense", "startingOffsets"):
        with pytest.raises(AnalysisException, match="(?i)" + wrong):
            rows.write.format("kafkalyst").options(**source).option(wrong, "1").mode("append").save()


def test_arguments(spark: SparkSession, topic: Callable[[str], str]) -> None:
    """Arguments of `spark.sql` reach DELETE, AS OF and EXPLAIN over topics, by name and by position."""
    name = topic("arguments")
    columns = f"WITH (KAFKA_TOPIC = '{name}', VALUE_FORMAT = 'JSON', PARTITIONS = 1)"
    spark.sql(f"CREATE TABLE {name} (k INT PRIMARY KEY, v INT) {columns}")
    spark.sql(f"INSERT INTO {name} VALUES (1, 1), (2, 2), (3, 3)")
    spark.sql(f"DELETE FROM {name} WHERE k = :k", args={"k": 1})
    spark.sql("DELETE FROM IDENTIFIER(:name) WHERE k IN (:k, 9)", args={"name": name, "k": 2})
    assert [tuple(row) for row in spark.table(name).collect()] == [(3, 3)]
    past = f"SELECT v FROM {name} TIMESTAMP AS OF"
    assert spark.sql(f"{past} :at", args={"at": "2999-01-01"}).collect() == [Row(v=3)]
    assert spark.sql(f"WITH p AS ({past} ?) SELECT * FROM p WHERE v > ?", args=["2001-01-01", 0]).collect() == []
    for text in ("EXPLAIN", "EXPLAIN EXTENDED"):
        plan = spark.sql(f"{text} SELECT v FROM {name} WHERE v > :least", args={"least": 1234}).head()[0]
        assert "1234" in plan and "Physical Plan" in plan and "Error occurred" not in plan
    spark.sql(f"DELETE FROM {name} WHERE k = ?", args=[3])
    assert spark.table(name).count() == 0


def test_listing_of_spark_sql(spark: SparkSession, topic: Callable[[str], str]) -> None:
    """spark-sql prints only the names of SHOW TABLES, also if the catalog's entry of one has another name."""
    name = topic("listed")
    made = f"(id INT) WITH (KAFKA_TOPIC = '{name}', VALUE_FORMAT = 'JSON', PARTITIONS = 1)"
    spark.sql("CREATE SCHEMA listed")
    spark.sql(f"CREATE STREAM listed.plain {made}")
    spark.sql(f"CREATE STREAM listed.`with-a-dash` {made}")
    shell = spark._jvm.org.apache.spark.sql.execution.HiveResult
    for pattern, found in (("", ["plain", "with-a-dash"]), (" LIKE 'with-*'", ["with-a-dash"])):
        frame = spark.sql(f"SHOW TABLES IN listed{pattern}")
        assert sorted(row.tableName for row in frame.collect()) == found
        printed = shell.hiveResultString(frame._jdf.queryExecution().executedPlan())
        assert sorted(printed.apply(i) for i in range(printed.size())) == found
    assert len(spark.catalog.listTables("listed")) == 2
    for stream in ("plain", "`with-a-dash`"):
        spark.sql(f"DROP STREAM listed.{stream}")
    spark.sql("DROP SCHEMA listed")


def test_views_of_the_past(spark: SparkSession, topic: Callable[[str], str]) -> None:
    """A temporary view of a DataFrame as of a version stays there, in both catalogs."""
    name = topic("past")
    columns = f"(id INT) WITH (KAFKA_TOPIC = '{name}', VALUE_FORMAT = 'JSON', PARTITIONS = 1)"
    spark.sql(f"CREATE STREAM {name} {columns}")
    spark.sql(f"INSERT INTO {name} VALUES (1), (2), (3)")
    for place in (name, f"kafka.{name}"):
        old = spark.sql(f"SELECT * FROM {place} VERSION AS OF 'partition:0,offset:2'")
        old.createOrReplaceTempView("past")
        assert (old.count(), spark.table("past").count()) == (2, 2), place
    spark.catalog.dropTempView("past")


def test_options_of_a_reader(spark: SparkSession, topic: Callable[[str], str]) -> None:
    """An option without a meaning is refused by name, by `table` and by `format("kafkalyst")`."""
    name = topic("reader")
    spark.sql(f"CREATE STREAM {name} (id INT) WITH (KAFKA_TOPIC = '{name}', VALUE_FORMAT = 'JSON', PARTITIONS = 1)")
    spark.sql(f"INSERT INTO {name} VALUES (1), (2)")
    options = {"topic": name, "value_format": "JSON", "startingOffsets": "earliest", "properties.fetch.min.bytes": "1"}
    by_topic = spark.read.format("kafkalyst").schema("id INT").options(**options)
    assert sorted(row.id for row in by_topic.load().collect()) == [1, 2]
    earlier = {"topic": name, "value_format": "JSON", "versionAsOf": "partition:0,offset:1"}
    of_once = spark.read.format("kafkalyst").schema("id INT").options(**earlier).load()
    assert of_once.collect() == spark.read.options(versionAsOf=earlier["versionAsOf"]).table(name).collect()
    assert [row.id for row in of_once.collect()] == [1]
    earlier = {"topic": name, "value_format": "JSON", "timestampAsOf": "2001-01-01"}
    assert spark.read.format("kafkalyst").schema("id INT").options(**earlier).load().isEmpty()
    with pytest.raises(AnalysisException, match="it is one of reads"):
        of_once.write.format("kafkalyst").options(**earlier).mode("append").save()
    for wrong in ("nonsense", "kafka.fetch.min.bytes", "header"):
        for reader in (lambda: spark.read, lambda: spark.readStream):
            with pytest.raises(AnalysisException, match="(?i)" + wrong):
                reader().format("kafkalyst").schema("id INT").options(**options).option(wrong, "1").load()
            with pytest.raises(AnalysisException, match="(?i)" + wrong):
                reader().option(wrong, "1").table(name)


def test_fields_by_name(spark: SparkSession, topic: Callable[[str], str], tmp_path: Path) -> None:
    """Writes by name match the fields of STRUCTs by their names, in streams too; `insertInto` matches by place."""
    name = topic("fields")
    made = "WITH (KAFKA_TOPIC = '{}', VALUE_FORMAT = 'JSON', PARTITIONS = 1)"
    spark.sql(f"CREATE STREAM {name} (id INT, p STRUCT<x INT, y INT>) {made.format(name)}")
    spark.sql(f"CREATE STREAM {name}_turned (id INT, p STRUCT<y INT, x INT>) {made.format(name + '_turned')}")
    spark.sql(f"INSERT INTO {name}_turned VALUES (1, named_struct('y', 1, 'x', 2))")
    turned = spark.table(f"{name}_turned")
    turned.writeTo(name).append()
    turned.selectExpr("id + 1 AS id", "p").write.insertInto(name)
    stream = spark.readStream.table(f"{name}_turned").selectExpr("id + 2 AS id", "p")
    writer = stream.writeStream.trigger(availableNow=True).option("checkpointLocation", f"{tmp_path}/right")
    assert writer.toTable(name).awaitTermination(PATIENCE_SECONDS)
    rows = spark.table(name).select("id", "p.x", "p.y").orderBy("id").collect()
    assert [tuple(row) for row in rows] == [(1, 2, 1), (2, 1, 2), (3, 2, 1)]
    less = turned.selectExpr("id", "named_struct('x', p.x) AS p")
    with pytest.raises(AnalysisException) as refused:
        less.writeTo(name).append()
    assert refused.value.getCondition() == "KAFKALYST_INSERT_FIELDS"
    more = stream.selectExpr("id", "named_struct('x', p.x, 'y', p.y, 'z', 1) AS p")
    writer = more.writeStream.trigger(availableNow=True).option("checkpointLocation", f"{tmp_path}/wrong")
    with pytest.raises(StreamingQueryException) as failed:
        writer.toTable(name).awaitTermination(PATIENCE_SECONDS)
    assert "KAFKALYST_INSERT_FIELDS" in str(failed.value)


def test_changes_of_frames(spark: SparkSession, topic: Callable[[str], str]) -> None:
    """A deleted row of a stream of changes is deleted in a table, and in groups, also by a DataFrame's steps."""
    name = topic("changes")
    spark.sql(
        f"CREATE STREAM {name} (id INT, n STRING) WITH (KAFKA_TOPIC = '{name}', VALUE_FORMAT = 'DEBEZIUM_JSON', "
        "PARTITIONS = 1, CHANGES.COMBINED = 'rows')"
    )
    spark.sql(f"INSERT INTO {name} (id, n, _tombstone) VALUES (1, 'a', false), (2, 'b', false), (1, 'a', true)")
    kept = "(id INT PRIMARY KEY, n STRING) WITH (KAFKA_TOPIC = '{0}', VALUE_FORMAT = 'JSON', PARTITIONS = 1)"
    spark.sql(f"CREATE TABLE {name}_kept {kept.format(name + '_kept')}")
    changes = spark.table(name).filter("id > 0")
    changes.writeTo(f"{name}_kept").append()
    assert [tuple(row) for row in spark.table(f"{name}_kept").collect()] == [(2, "b")]
    with pytest.raises(AnalysisException) as refused:
        changes.write.saveAsTable(f"{name}_files")
    assert refused.value.getCondition() == "KAFKALYST_INSERT_OF_CHANGES"
    changes.write.format("noop").mode("overwrite").save()


def test_scripts(spark: SparkSession, topic: Callable[[str], str]) -> None:
    """Spark's own scripts write and read topics with their variables, start queries, and handle our errors."""
    name = topic("script")
    spark.sql(
        f"CREATE STREAM {name} (id INT KEY, qty INT) WITH (KAFKA_TOPIC = '{name}', VALUE_FORMAT = 'JSON', "
        "PARTITIONS = 1)"
    )
    written = spark.sql(f"""
        BEGIN
          DECLARE n INT DEFAULT 3;
          WHILE n > 0 DO
            INSERT INTO {name} VALUES (n, n * 2);
            SET n = n - 1;
          END WHILE;
          SELECT count(*) AS records, sum(qty) AS qty FROM {name} WHERE id > n;
        END""")
    assert [tuple(row) for row in written.collect()] == [(3, 12)]
    handled = spark.sql(f"""
        BEGIN
          DECLARE EXIT HANDLER FOR SQLSTATE '0A000' BEGIN SELECT 'refused' AS what; END;
          UPDATE {name} SET qty = 1;
        END""")
    assert handled.collect()[0]["what"] == "refused"
    query = f"CREATE STREAM {name}_many AS SELECT * FROM {name} WHERE qty > :n EMIT CHANGES"
    spark.sql(f"BEGIN DECLARE m INT DEFAULT 3; EXECUTE IMMEDIATE '{query}' USING m AS n; END").collect()
    started = spark.sql("SHOW QUERIES EXTENDED").where(f"sink LIKE '%{name}_many'").collect()[0]
    assert started["statement"] == query.replace(":n", "3")
    spark.sql(f"PAUSE {started['query_id']}")
    assert spark.sql(f"RESUME {started['query_id']}").collect()[0]["state"] == "RUNNING"
    spark.sql(f"TERMINATE {started['query_id']}")
