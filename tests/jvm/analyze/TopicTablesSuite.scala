package io.kafkalyst.analyze

import io.kafkalyst.TopicSession
import io.kafkalyst.model.ObjectKind
import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.plans.logical.Aggregate
import org.apache.spark.sql.types._
import org.scalatest.funsuite.AnyFunSuite

/** Names, pseudo columns and latest rows of objects in Spark's plans. */
class TopicTablesSuite extends AnyFunSuite with TopicSession {
  override protected def beforeAll(): Unit = {
    define(ObjectKind.Stream, "events", "`@ID` STRING, `MESSAGE.AMOUNT` INT, at STRUCT<x: INT, y: STRING>")
    define(ObjectKind.Table, "latest", "id STRING, v INT")
    session.range(3).createOrReplaceTempView("others")
  }

  test("* has the object's columns, external names, and nothing hidden") {
    assert(columns(bounded("SELECT * FROM events")).map(_._1) == Seq("@ID", "MESSAGE.AMOUNT", "at"))
  }

  test("pseudo columns are there when they are asked for") {
    val found = columns(bounded("SELECT ROWTIME, ROWPARTITION, ROWOFFSET FROM events"))
    assert(found == Seq("ROWTIME" -> LongType, "ROWPARTITION" -> IntegerType, "ROWOFFSET" -> LongType))
  }

  test("a quoted name is the column where a topic is read, and a text elsewhere") {
    assert(columns(bounded("""SELECT "@ID" FROM events""")) == Seq("@ID" -> StringType))
    val other = bounded("""SELECT "@ID" FROM others""")
    assert(other.output.head.dataType == StringType && other.output.head.nullable == false)
  }

  test("a name with a dot is one column, between backticks or double quotes") {
    assert(bounded("SELECT `MESSAGE.AMOUNT` + 1 AS n FROM events").output.head.dataType == IntegerType)
    assert(bounded("""SELECT "MESSAGE.AMOUNT" + 1 AS n FROM events""").output.head.dataType == IntegerType)
  }

  test("-> reads a field of a struct") {
    assert(columns(bounded("SELECT at->x FROM events")).map(_._2) == Seq(IntegerType))
  }

  test("a bounded read of a TABLE takes the last change of each key, and one of a STREAM every record") {
    assert(bounded("SELECT * FROM latest").exists(_.isInstanceOf[Aggregate]))
    assert(!bounded("SELECT * FROM events").exists(_.isInstanceOf[Aggregate]))
    // By every way in.
    assert(session.table("latest").queryExecution.analyzed.exists(_.isInstanceOf[Aggregate]))
    session.sql("CREATE OR REPLACE TEMP VIEW seen AS SELECT * FROM latest")
    assert(bounded("SELECT * FROM seen").exists(_.isInstanceOf[Aggregate]))
  }

  test("a stream of a TABLE has its changes") {
    val plan = session.readStream.table("latest").queryExecution.analyzed
    assert(plan.isStreaming && !plan.exists(_.isInstanceOf[Aggregate]))
  }

  test("a column that is not there is Spark's error, with the names that are") {
    val error = intercept[AnalysisException](bounded("SELECT nothing FROM events"))
    assert(error.getCondition == "UNRESOLVED_COLUMN.WITH_SUGGESTION")
    assert(error.getMessage.contains("@ID"))
  }
}
