package io.kafkalyst.lake

import java.nio.file.{Files, Path}

import io.kafkalyst.TopicSession
import io.kafkalyst.query.SinkName
import org.scalatest.funsuite.AnyFunSuite

class TableSinkSuite extends AnyFunSuite with TopicSession {
  test("no option of the table's writer moves the query's checkpoint") {
    session.sql("CREATE TABLE taken (timestamp TIMESTAMP, value BIGINT) USING parquet")
    val Seq(own, other) = Seq("own", "other").map(Files.createTempDirectory(_).resolve("c"))
    val options = LakeOptions(None, LakeTrigger.AvailableNow, None, addColumns = false, None, given(other))
    val table = LakeTable.at(session, SinkName.OfTable(Seq("spark_catalog", "default", "taken")))
    val writer = session.readStream.format("rate").load().writeStream.options(given(own))
    val query = TableSink(LakeTarget(table, options, () => ())).start(session, writer, own.toString)
    try assert(Files.exists(own.resolve("metadata")) && !Files.exists(other))
    finally query.stop()
  }

  private def given(checkpoint: Path) = Map("checkpointLocation" -> checkpoint.toString)
}
