package io.kafkalyst.analyze

import io.kafkalyst.TopicSession
import io.kafkalyst.catalog.TopicTable
import io.kafkalyst.model.ObjectKind
import org.apache.spark.sql.{Column, DataFrame}
import org.apache.spark.sql.catalyst.streaming.{StreamingRelationV2, WriteToStream}
import org.apache.spark.sql.connector.catalog.Table
import org.apache.spark.sql.functions.{col, count, lit}
import org.apache.spark.sql.streaming.OutputMode
import org.scalatest.funsuite.AnyFunSuite

/** Which columns a stream that is written has. */
class NarrowedStreamsSuite extends AnyFunSuite with TopicSession {
  override protected def beforeAll(): Unit = {
    define(ObjectKind.Stream, "clicks", "who STRING, page STRING, at BIGINT")
    define(ObjectKind.Stream, "timed", "who STRING, page STRING, at BIGINT", options = Map("TIMESTAMP" -> "at"))
  }

  private val declared = Seq("who", "page", "at")
  private def stream(name: String): DataFrame = session.readStream.table(name)

  /** The columns of its sources. */
  private def read(frame: DataFrame): Seq[Seq[String]] = {
    val plan = frame.queryExecution.analyzed
    val written = NarrowedStreams(
      new WriteToStream("q", "/none", null.asInstanceOf[Table], OutputMode.Append, false, plan, None, None)
    )
    assert(written.children.head.output == plan.output && written.resolved)
    assert(NarrowedStreams(written) == written)
    written.collect { case r: StreamingRelationV2 =>
      assert(r.table.isInstanceOf[TopicTable])
      r.output.map(_.name)
    }
  }

  private def selected(columns: String*) = stream("clicks").select(columns.map(col): _*)

  test("hidden columns that no row needs are left out, and declared ones stay") {
    assert(read(stream("clicks")) == Seq(declared))
    assert(read(selected("page", "ROWOFFSET")) == Seq(declared :+ "ROWOFFSET"))
    assert(read(selected("page", "ROWOFFSET", "_headers").select("page")) == Seq(declared))
    assert(read(selected("page", "ROWTIME").where("ROWTIME > 5").select("page")) == Seq(declared :+ "ROWTIME"))
    assert(read(selected("ROWPARTITION", "_headers")) == Seq(declared ++ Seq("ROWPARTITION", "_headers")))
  }

  test("groups, watermarks and tables beside the stream use what they name") {
    val one: Column = count(lit(1)).as("n")
    assert(read(selected("page", "ROWPARTITION", "ROWOFFSET").groupBy("ROWPARTITION").agg(one)) ==
      Seq(declared :+ "ROWPARTITION"))
    val marked = selected("page", "ROWTIME").selectExpr("page", "timestamp_millis(ROWTIME) AS t")
    assert(read(marked.withWatermark("t", "1 minute").select("page")) == Seq(declared :+ "ROWTIME"))
    val joined = selected("page", "ROWOFFSET", "ROWPARTITION").join(session.range(9), col("id") === col("ROWOFFSET"))
    assert(read(joined.select("page")) == Seq(declared :+ "ROWOFFSET"))
  }

  test("rows that state keeps stay as they are") {
    val all = selected("page", "ROWOFFSET", "_headers")
    val exposed = all.queryExecution.analyzed.collectLeaves().map(_.output.map(_.name))
    assert(exposed.head.size > 5)
    assert(read(all.dropDuplicates("page").select("page")) == exposed)
  }

  test("the column that ROWTIME is read from is looked at as before") {
    assert(read(stream("timed").select("page")) == Seq(declared))
    assert(read(stream("timed").select("page", "ROWTIME", "_headers").select("page")) == Seq(declared :+ "ROWTIME"))
  }
}
