package io.kafkalyst.analyze

import io.kafkalyst.TopicSession
import io.kafkalyst.model.ObjectKind
import org.apache.spark.sql.catalyst.expressions.ReplicateRows
import org.apache.spark.sql.catalyst.plans.logical.{Generate, LogicalPlan}
import org.scalatest.funsuite.AnyFunSuite

/** Which queries over a stream of changes have rows, and by which columns rows are equal. */
class NetRowsSuite extends AnyFunSuite with TopicSession {
  override protected def beforeAll(): Unit = {
    defineChanges("products", "id STRING, name STRING, weight DOUBLE", Map("CHANGES.COMBINED" -> "rows"))
    defineChanges("facts", "id STRING, name STRING")
    define(ObjectKind.Stream, "clicks", "who STRING, page STRING")
  }

  /** The columns by which a query's rows are equal, once for each time it reads rows. */
  private def rows(select: String): Seq[Seq[String]] = rows(bounded(select))

  private def rows(plan: LogicalPlan): Seq[Seq[String]] = plan.collectWithSubqueries {
    case Generate(ReplicateRows(_ +: columns), _, _, _, _, _) => columns.map(_.references.head.name)
  }

  test("what filters and computes has the changes") {
    Seq("SELECT * FROM products", "SELECT upper(name) FROM products WHERE weight > 1 ORDER BY id LIMIT 3")
      .foreach(select => assert(rows(select).isEmpty, select))
  }

  test("what combines rows has them, equal by the columns that it uses") {
    assert(rows("SELECT name, count(*) FROM products GROUP BY name") == Seq(Seq("name")))
    assert(rows("SELECT count(*) FROM products") == Seq(Nil))
    assert(rows("SELECT DISTINCT name, weight FROM products") == Seq(Seq("name", "weight")))
    assert(rows("SELECT p.id FROM products p JOIN clicks ON p.name = page") == Seq(Seq("id", "name")))
    assert(rows("SELECT who FROM clicks WHERE who IN (SELECT id FROM products)") == Seq(Seq("id")))
    assert(rows("SELECT who, (SELECT max(weight) FROM products) FROM clicks") == Seq(Seq("weight")))
    assert(rows("SELECT sum(weight) OVER (PARTITION BY name) FROM products") == Seq(Seq("name", "weight")))
  }

  test("groups of a function of a DataFrame have them") {
    import session.implicits._
    val named = session.sql("SELECT name, id FROM products").as[(String, String)].groupByKey(_._1)
    assert(rows(named.mapGroups((_, rows) => rows.size).queryExecution.analyzed) == Seq(Seq("id", "name")))
    assert(rows(named.flatMapGroups((_, rows) => rows).queryExecution.analyzed) == Seq(Seq("id", "name")))
    val each = session.sql("SELECT name FROM products").as[String].map(_.length)
    assert(rows(each.queryExecution.analyzed).isEmpty)
  }

  test("a common table expression has rows where they are combined") {
    assert(rows("WITH p AS (SELECT * FROM products) SELECT count(name) FROM p").size == 1)
    assert(rows("WITH p AS (SELECT * FROM products), q AS (SELECT * FROM p) SELECT count(name) FROM q").size == 1)
    assert(rows("WITH p AS (SELECT * FROM products) SELECT name FROM p").isEmpty)
  }

  test("a query that uses columns of the records has the changes") {
    Seq("_op, count(*)", "count(_change)", "max(ROWOFFSET)", "sum(CASE WHEN _op = '-D' THEN 1 END)").foreach { list =>
      val grouped = if (list.startsWith("_op")) " GROUP BY _op" else ""
      assert(rows(s"SELECT $list FROM products$grouped").isEmpty, list)
    }
  }

  test("a hidden column that only passes through a subquery is not used") {
    assert(rows("SELECT count(name) FROM (SELECT name, _op FROM products)") == Seq(Seq("name")))
  }

  test("other streams have their records") {
    assert(rows("SELECT page, count(*) FROM clicks GROUP BY page").isEmpty)
    assert(rows("SELECT name, count(*) FROM facts GROUP BY name").isEmpty)
  }

  test("the rule leaves its own plan alone") {
    val once = bounded("SELECT name, count(*) FROM products GROUP BY name")
    assert(NetRows(once) == once)
  }
}
