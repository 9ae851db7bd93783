package io.kafkalyst.lake

import io.kafkalyst.query.SinkName
import org.apache.spark.sql.types.StructType
import org.scalatest.funsuite.AnyFunSuite

/** What a table's properties say about its border; anyone who may alter the table may write them. */
class BorderSuite extends AnyFunSuite {
  test("what is no border is none") {
    Seq(null, "", "a note", "[]", """{"kafkalyst.topic":"t","offsets":{"x":1}}""").foreach(text =>
      assert(Border.of(text).isEmpty, s"$text")
    )
    assert(Border.of("""{"kafkalyst.topic":"t","offsets":{"1":2}}""").map(_.offsets).contains(Map(1 -> 2L)))
  }

  test("a snapshot that is no number is part of no statement") {
    Seq("nonsense", "5@x", "0 OR true@0", "1@2@3", "@").foreach { text =>
      val table =
        LakeTable(SinkName.OfTable(Seq("lake", "t")), new StructType, "iceberg", Map(Border.snapshot -> text))
      assert(!Border.isExpired(null, table), text)
    }
  }
}
