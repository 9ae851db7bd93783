package io.kafkalyst.write

import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.model.{Side, TopicColumn}
import org.apache.spark.sql.types._
import org.scalatest.funsuite.AnyFunSuite

class SinkColumnsSuite extends AnyFunSuite {
  private val sink = Seq(
    TopicColumn("k", LongType, Side.Key),
    TopicColumn("Name", StringType, Side.Value),
    TopicColumn("name", StringType, Side.Value)
  )
  private def query(names: String*) = names.map(StructField(_, StringType))
  private def refused(body: => Any) = intercept[KafkalystException](body).getCondition

  test("by name: exact before caseless, absent is null") {
    assert(SinkColumns.byName("s", sink, query("name", "K")) == Seq(Some(1), None, Some(0)))
    assert(SinkColumns.byName("s", sink, query("Name", "name")) == Seq(None, Some(0), Some(1)))
    assert(SinkColumns.byName("s", sink, Nil) == Seq(None, None, None))
  }

  test("by name: unknown and doubled names are refused") {
    assert(refused(SinkColumns.byName("s", sink, query("nam"))) == "KAFKALYST_INSERT_UNKNOWN_COLUMN")
    assert(refused(SinkColumns.byName("s", sink, query("k", "K"))) == "KAFKALYST_INSERT_DUPLICATE_COLUMN")
  }

  test("by position: the counts must agree") {
    assert(SinkColumns.byPosition("s", sink, query("a", "b", "c")) == Seq(Some(0), Some(1), Some(2)))
    assert(refused(SinkColumns.byPosition("s", sink, query("a", "b"))) == "KAFKALYST_INSERT_COLUMN_COUNT")
  }
}
