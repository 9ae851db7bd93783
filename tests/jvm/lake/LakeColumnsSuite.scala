package io.kafkalyst.lake

import io.kafkalyst.TopicSession
import io.kafkalyst.commands.InsertIntoTable
import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.model.ObjectKind
import io.kafkalyst.query.SinkName
import org.apache.spark.sql.catalyst.CatalystTypeConverters
import org.apache.spark.sql.catalyst.expressions.Alias
import org.apache.spark.sql.catalyst.plans.logical.Project
import org.apache.spark.sql.types.{DataType, StructType}
import org.scalatest.funsuite.AnyFunSuite

/** Which column of a query's rows is written to which column of a table. */
class LakeColumnsSuite extends AnyFunSuite with TopicSession {
  override protected def beforeAll(): Unit = {
    define(ObjectKind.Stream, "clicks", "id STRING, page STRING, n BIGINT")
    define(ObjectKind.Table, "users", "id STRING, name STRING, age BIGINT")
  }

  private val upsert = Map.empty[String, String]
  private val append = Map("merge" -> "append")
  private val add = Map("schema_evolution" -> "add")

  private def query(select: String, options: Map[String, String]): LakeQuery =
    session.sessionState.sqlParser.parsePlan(s"INSERT INTO sink $select EMIT CHANGES") match {
      case insert: InsertIntoTable => new LakeQuery(session, insert.query, LakeOptions.of(options, Map.empty).merge)
      case other => fail(s"no INSERT: $other")
    }

  private def table(columns: String): LakeTable =
    LakeTable(SinkName.OfTable(Seq("lake", "sink")), StructType.fromDDL(columns), "delta", Map.empty)

  /** The columns that are written, each with the query's column for it, as `column=given`. */
  private def written(
      select: String,
      columns: String,
      how: ColumnMatch = ColumnMatch(Nil, byName = false),
      options: Map[String, String] = upsert
  ): String = {
    val of = query(select, options)
    val plan = of.planned(table(columns), how, LakeOptions.of(options, Map.empty), None).frame.queryExecution.analyzed
    val list = plan.collectFirst { case Project(all, _) => all }.get
    list.collect { case a: Alias if !a.name.startsWith("__") => s"${a.name}=${a.references.map(_.name).mkString("+")}" }
      .mkString(" ")
  }

  private def refusal(run: => Any): String = {
    val refused = intercept[KafkalystException](run)
    assert(refused.getCondition == "KAFKALYST_LAKE_COLUMNS")
    refused.getMessage
  }

  private def listed(columns: String*) = ColumnMatch(columns, byName = false)

  for (options <- Seq(upsert, append)) {
    val kinds = if (options == append) ", ROWKIND STRING, ROWOFFSET BIGINT, ROWTIME BIGINT" else ""
    val more = if (options == append) Seq("ROWKIND", "ROWOFFSET", "ROWTIME") else Nil
    val same = more.map(m => s" $m=$m").mkString
    test(s"by position, the order of the SELECT counts, whatever the key: $options") {
      val places = ColumnMatch(Nil, byName = false)
      assert(written("SELECT name, id FROM users", s"v STRING, k STRING$kinds", places, options) == s"v=name k=id$same")
      assert(written("SELECT age, name, id FROM users", s"a BIGINT, v STRING, k STRING$kinds", places, options) ==
        s"a=age v=name k=id$same")
    }
    test(s"a list counts in the order of the SELECT: $options") {
      val how = listed("v" +: "k" +: more: _*)
      assert(written("SELECT name, id FROM users", s"k STRING, v STRING$kinds", how, options) == s"k=id v=name$same")
    }
  }

  test("groups and windows have the columns of the SELECT, and then the bounds that it leaves out") {
    val groups = "SELECT count(*) AS c, page FROM clicks GROUP BY page"
    assert(written(groups, "n BIGINT, k STRING") == "n=c k=page")
    assert(written(groups, "k STRING, n BIGINT", listed("n", "k")) == "k=page n=c")
    val windows = "SELECT count(*) AS c, page FROM clicks WINDOW TUMBLING (SIZE 1 HOUR) GROUP BY page"
    assert(written(windows, "n BIGINT, k STRING, s BIGINT, e BIGINT") == "n=c k=page s=WINDOWSTART e=WINDOWEND")
  }

  test("a table of CREATE TABLE AS has the columns of the SELECT") {
    assert(query("SELECT name, id FROM users", upsert).schema.fieldNames.toSeq == Seq("name", "id"))
    assert(query("SELECT count(*) AS c, page FROM clicks GROUP BY page", upsert).schema.fieldNames.toSeq ==
      Seq("c", "page"))
  }

  test("a key that the SELECT leaves out is matched by its name, and no list counts it") {
    assert(written("SELECT name FROM users", "v STRING, id STRING") == "v=name id=id")
    assert(written("SELECT name FROM users", "id STRING, v STRING", listed("v")) == "id=id v=name")
    assert(refusal(written("SELECT name FROM users", "id STRING, v STRING")).contains("id is given twice"))
    assert(refusal(written("SELECT name FROM users", "v STRING, k STRING")).contains("no column for id"))
  }

  test("a query of an earlier version goes on with the keys first, unless it has got more columns") {
    val former = ColumnMatch(Nil, byName = false, keysFirst = true)
    assert(written("SELECT name, id FROM users", "k STRING, v STRING", former) == "k=id v=name")
    assert(refusal(written("SELECT name, age, id FROM users", "k STRING, v STRING", former, add))
      .contains("3 columns for 2, and an earlier version"))
  }

  private def started(places: (String, String)*) = ColumnMatch(Nil, byName = false, places = Some(places))

  test("a stored query's columns stay where they were, and new ones go to the column of their name") {
    val how = started("id" -> "a", "page" -> "b", "ROWOFFSET" -> "off")
    val columns = "a STRING, b STRING, off BIGINT, n BIGINT"
    assert(written("SELECT id, page, n, ROWOFFSET FROM clicks", columns, how) == "a=id b=page off=ROWOFFSET n=n")
    val few = "a STRING, b STRING, off BIGINT"
    assert(refusal(written("SELECT id, page, n, ROWOFFSET FROM clicks", few, how)).contains("no column for n;"))
    assert(written("SELECT id, page, n, ROWOFFSET FROM clicks", few, how, add) == "a=id b=page off=ROWOFFSET n=n")
    assert(refusal(written("SELECT id, n, ROWOFFSET FROM clicks", columns, how))
      .contains("nothing is given for b, which had page when the query was started"))
    assert(refusal(written("SELECT id, page, n, ROWOFFSET FROM clicks", "a STRING, c STRING, off BIGINT", how, add))
      .contains("there is no column b"))
  }

  test("of a stored query's columns with the same name each has its own place") {
    val how = started("page" -> "b", "page" -> "a")
    assert(
      written("SELECT page, upper(page) AS page FROM clicks", "a STRING, b STRING", how).startsWith("a=page b=page")
    )
    assert(query("SELECT page, upper(page) AS page FROM clicks", upsert)
      .places(table("a STRING, b STRING"), how, LakeOptions.of(upsert, Map.empty)) == Seq("page" -> "b", "page" -> "a"))
  }

  for (
    (columns, clauses) <- Seq(
      "id STRING, n INT" -> Seq("ALTER COLUMN `n` TYPE BIGINT"),
      "id STRING, s STRUCT<a: INT>" -> Seq("ALTER COLUMN `s`.`a` TYPE BIGINT", "ADD COLUMN `s`.`b` STRING"),
      "id STRING, l ARRAY<STRUCT<a: BIGINT>>" -> Seq("ADD COLUMN `l`.element.`b` STRING"),
      "id STRING, m MAP<STRING, STRUCT<a: BIGINT>>" -> Seq("ADD COLUMN `m`.value.`b` STRING"),
      "id STRING" -> Seq("ADD COLUMNS (`n` BIGINT)")
    )
  ) test(s"of a table with $columns SCHEMA_EVOLUTION='add' changes what it lacks") {
    val s = "named_struct('a', n, 'b', page)"
    val given = columns.split(" ").lift(2).fold("n")(name =>
      s"${Map("n" -> "n", "s" -> s, "l" -> s"array($s)", "m" -> s"map('k', $s)")(name)} AS $name"
    )
    val select = s"SELECT id, $given FROM clicks"
    val byName = ColumnMatch(Nil, byName = true)
    def changes(add: Boolean) =
      LakeColumns.aligned(table(columns), query(select, upsert).rows, byName, add, fills = true).changes
    assert(changes(add = true) == clauses)
    val why = refusal(changes(add = false))
    assert(why.contains("with SCHEMA_EVOLUTION='add' it would be"))
    if (!columns.endsWith("STRING")) assert(clauses.forall(why.contains))
  }

  test("no type is widened if that would lose information") {
    assert(
      refusal(written("SELECT id, n FROM clicks", "id STRING, n DOUBLE", options = add)).contains("lose information")
    )
    for ((given, columns) <- Seq("CAST(n AS DOUBLE)" -> "BIGINT", "CAST(n AS FLOAT)" -> "INT"))
      assert(
        refusal(written(s"SELECT id, $given AS n FROM clicks", s"id STRING, n $columns", options = add))
          .contains("lose information")
      )
  }

  test("what an upsert does not give is not written, and what an append does not give has a value") {
    assert(written("SELECT id, name FROM users", "id STRING, note STRING, name STRING", listed("id", "name")) ==
      "id=id name=name")
    assert(written("SELECT id FROM clicks", "id STRING, note STRING", listed("id")) == "id=id")
    assert(refusal(written("SELECT id FROM clicks", "id STRING, note STRING NOT NULL", listed("id")))
      .contains("nothing is given for note, which is NOT NULL"))
  }

  test("nested fields that an append does not give are NULL, unless they are NOT NULL") {
    def given(s: String) = {
      val select = "SELECT id, named_struct('b', page, 'a', n) AS s FROM clicks"
      query(select, upsert).planned(
        table(s"id STRING, s $s"),
        ColumnMatch(Nil, byName = false),
        LakeOptions.of(add, Map.empty),
        None
      ).frame.schema("s").dataType
    }
    for (s <- Seq("STRUCT<a: BIGINT, b: STRING, c: INT>", "STRUCT<c: STRUCT<d: INT>, a: BIGINT, b: STRING>"))
      assert(DataType.equalsStructurally(given(s), DataType.fromDDL(s), true))
    assert(given("STRUCT<a: BIGINT, c: INT>").sql == "STRUCT<a: BIGINT, c: INT, b: STRING>")
    assert(refusal(given("STRUCT<a: BIGINT, b: STRING, c: INT NOT NULL>")).contains("that are NOT NULL"))
    assert(refusal(given("STRUCT<a: INT, b: INT, c: INT>")).contains("lose information"))
  }

  test("missing fields are NULL in arrays, maps and structs that may be NULL") {
    def filled(value: String, to: String) = {
      val plan = session.sql(s"SELECT $value AS s").queryExecution.analyzed
      val expression = plan.collectFirst { case Project(Seq(Alias(of, _)), _) => of }.get
      val dataType = DataType.fromDDL(to)
      assert(NestedNulls.fits(expression.dataType, dataType))
      val full = NestedNulls.filled(expression, dataType)
      assert(DataType.equalsStructurally(full.dataType, dataType, true))
      CatalystTypeConverters.convertToScala(full.eval(), full.dataType).toString
    }
    val s = "named_struct('b', 'p', 'a', 1)"
    assert(filled(s, "STRUCT<a: INT, b: STRING, c: INT>") == "[1,p,null]")
    assert(filled(s"array($s, NULL)", "ARRAY<STRUCT<a: INT, b: STRING, c: STRUCT<d: INT>>>") ==
      "ArraySeq([1,p,null], null)")
    assert(filled(s"map('k', $s)", "MAP<STRING, STRUCT<c: INT, b: STRING, a: INT>>") == "Map(k -> [null,p,1])")
    val none = s"named_struct('t', if(1 < 0, $s, NULL))"
    assert(filled(none, "STRUCT<u: INT, t: STRUCT<a: INT, b: STRING, c: INT>>") == "[null,null]")
  }

  test("a merge does not delete nested fields that it does not give") {
    val fewer = "SELECT id, named_struct('a', age) AS s FROM users"
    assert(refusal(written(fewer, "id STRING, s STRUCT<a: BIGINT, b: INT>", options = add)).contains("has more fields"))
  }
}
