package io.kafkalyst.streams

import io.kafkalyst.TopicSession
import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.model.ObjectKind
import org.apache.spark.sql.catalyst.expressions.{Alias, CurrentTimestamp}
import org.apache.spark.sql.catalyst.plans.logical.{Filter, Project}
import org.apache.spark.sql.kafkalyst.Frames
import org.scalatest.funsuite.AnyFunSuite

/** What the result of a query means as changes of its sink. */
class CarryingSuite extends AnyFunSuite with TopicSession {
  override protected def beforeAll(): Unit = {
    define(ObjectKind.Stream, "clicks", "who STRING, page STRING, n INT")
    define(ObjectKind.Table, "users", "id STRING, name STRING, age INT")
    define(ObjectKind.Stream, "wide", s"who STRING, n INT, ${(1 to 30).map(i => s"c$i INT").mkString(", ")}")
    defineChanges("products", "id STRING, name STRING, weight DOUBLE", Map("CHANGES.COMBINED" -> "rows"))
  }

  private def changes(select: String, kind: String = "STREAM"): Changes = {
    val query = parsed(select, kind)
    Carrying.of(session, new AnalyzedQuery(session, query).plan, query.window, query.emitFinal)
  }

  test("a stream's rows keep their time and are not changes of a table") {
    val result = changes("SELECT page FROM clicks WHERE n > 1")
    assert(result.rowTime.isDefined && !result.isTable && result.window.isEmpty)
    assert(result.plan.exists(_.isInstanceOf[Filter]))
  }

  test("a row that WHERE takes from a table's result deletes its key, and is not dropped") {
    val result = changes("SELECT id, name FROM users WHERE age > 17", "TABLE")
    assert(result.isTable && result.order.isDefined)
    val dropped = result.plan.collect { case f: Filter if f.condition.references.exists(_.name == "age") => f }
    assert(dropped.isEmpty)
    assert(result.tombstone.exists(_.dataType == org.apache.spark.sql.types.BooleanType))
  }

  test("groups of a stream are a table whose rows have the latest time of their group") {
    val result = changes("SELECT who, count(*) AS n FROM clicks GROUP BY who", "TABLE")
    assert(result.rowTime.isDefined && result.window.isEmpty)
    assert(result.plan.output.exists(_.name == "n"))
  }

  test("groups of changes retract, and need no state of keys; a query that names the changes groups them") {
    val rows = changes("SELECT name, sum(weight) AS w FROM products GROUP BY name", "TABLE")
    assert(rows.plan.exists(_.expressions.exists(_.exists(_.sql.contains("IN ('+I', '+U')")))))
    assert(!rows.plan.exists(_.nodeName.contains("GroupsWithState")))
    val named = changes("SELECT name, sum(weight) AS w FROM products WHERE _op = '+I' GROUP BY name", "TABLE")
    assert(!named.plan.exists(_.expressions.exists(_.exists(_.sql.contains("IN ('+I', '+U')")))))
  }

  test("windows over changes are refused by name, also where ROWTIME brings the hidden columns") {
    val windowed = "SELECT name, count(*) AS n FROM products WINDOW TUMBLING (SIZE 1 MINUTE) GROUP BY name"
    val error = intercept[KafkalystException](changes(windowed, "TABLE"))
    assert(error.getCondition == "KAFKALYST_CHANGES_AS_ROWS")
  }

  test("groups of a table have its key, also where a subquery leaves it out") {
    val result = changes("SELECT name, count(*) AS n FROM (SELECT name FROM users) AS u GROUP BY name", "TABLE")
    assert(result.isTable && result.plan.exists(_.nodeName.contains("GroupsWithState")))
  }

  test("a WINDOW clause gives the key its bounds") {
    val result =
      changes("SELECT who, count(*) AS n FROM clicks WINDOW TUMBLING (SIZE 1 MINUTE) GROUP BY who", "TABLE")
    assert(result.window.map(_.dataType.sql) == Seq("BIGINT", "BIGINT"))
  }

  test("sessions are stamped by the number of their batch, which does not go back as clocks do") {
    val plan =
      changes("SELECT who, count(*) AS n FROM clicks WINDOW SESSION (1 MINUTE) GROUP BY who", "TABLE").plan
    val all = plan.collect { case operator => operator.expressions.flatMap(_.collect { case e => e }) }.flatten
    assert(all.exists(_.isInstanceOf[BatchStamp]) && !all.exists(_.isInstanceOf[CurrentTimestamp]))
    val stamped = Project(Seq(Alias(BatchStamp(), "stamp")()), session.range(1).queryExecution.analyzed)
    session.sparkContext.setLocalProperty(BatchStamp.property, "7")
    try assert(Frames.of(session, stamped).head().getLong(0) == BatchStamp.first + 7)
    finally session.sparkContext.setLocalProperty(BatchStamp.property, null)
  }

  test("EMIT FINAL needs a window") {
    val plan = continuous("SELECT who, count(*) AS n FROM clicks GROUP BY who", "TABLE").plan
    val error = intercept[KafkalystException](Carrying.of(session, plan, None, isFinal = true))
    assert(error.getCondition == "KAFKALYST_EMIT_FINAL_WITHOUT_WINDOW")
  }

  test("a query without a topic has nothing to run on") {
    val error = intercept[KafkalystException](continuous("SELECT 1 AS one FROM (SELECT 1 AS x)"))
    assert(error.getCondition == "KAFKALYST_NO_TOPIC_IN_QUERY")
  }

  test("a checkpoint fits a query that differs in filters and columns only") {
    def shape(select: String, kind: String) = QueryShape.of(continuous(select, kind))
    val before = shape("SELECT who, page FROM clicks", "STREAM")
    QueryShape.check("Q", before, shape("SELECT who, upper(page) AS p FROM clicks WHERE n > 2", "STREAM"))
    val grouped = shape("SELECT who, count(*) AS n FROM clicks GROUP BY who", "TABLE")
    val error = intercept[KafkalystException] {
      QueryShape.check("Q", grouped, shape("SELECT page, count(*) AS n FROM clicks GROUP BY page", "TABLE"))
    }
    assert(error.getMessage.contains("its state was of GROUP BY"))
  }

  test("a checkpoint's shape knows the whole query, however much of a plan the session shows") {
    def joined(column: String, shown: Int = 25) = {
      session.conf.set("spark.sql.debug.maxToStringFields", shown.toLong)
      val columns = (1 to 30).map(i => s"w.c$i + ${if (i == 28) column else "w.n"} AS c$i").mkString(", ")
      try QueryShape.of(continuous(
          s"SELECT q.who, c28 FROM (SELECT who, $columns FROM wide w) q JOIN clicks c WITHIN 1 HOUR ON q.who = c.who"
        ))
      finally session.conf.unset("spark.sql.debug.maxToStringFields")
    }
    assert(joined("1") != joined("2"))
    assert(joined("1") == joined("1", shown = 3))
  }
}
