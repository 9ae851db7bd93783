package io.kafkalyst.catalog

import io.kafkalyst.catalog.define.Replacement
import io.kafkalyst.model._
import org.apache.spark.sql.types._
import org.scalatest.funsuite.AnyFunSuite

class ReplacementSuite extends AnyFunSuite {
  private val k = TopicColumn("k", LongType, Side.Key)
  private val a = TopicColumn("a", StringType, Side.Value)
  private val b = TopicColumn("b", IntegerType, Side.Value)
  private val h = TopicColumn("h", BinaryType, Side.Value, Some(MetadataColumn("headers.h", virtual = true)))
  private val before =
    TopicObject(ObjectKind.Stream, "t", SideFormat("KAFKA"), SideFormat("AVRO", Some(1)), Seq(k, a, b, h))

  private def differences(after: TopicObject): Seq[String] = Replacement.differences(before, after)

  test("the same, columns more at the end, and what is about the registry only, may take its place") {
    val more = TopicColumn("c", DoubleType, Side.Value)
    assert(differences(before).isEmpty)
    assert(differences(before.copy(columns = before.columns :+ more)).isEmpty)
    assert(Replacement.added(before, before.copy(columns = before.columns :+ more)) == Seq(more))
    val options = Map(SideFormat.givenId -> "7", SideFormat.useLatest -> "true", SideFormat.subject -> "s")
    assert(differences(before.copy(value = SideFormat("AVRO", Some(7), options), onError = OnError.Skip)).isEmpty)
    // Where the key stands among the columns is not what it is.
    assert(differences(before.copy(columns = Seq(a, b, h, k))).isEmpty)
  }

  test("each difference is told once") {
    assert(differences(before.copy(topic = "u")).size == 1)
    assert(differences(before.copy(key = SideFormat("JSON"), value = SideFormat("JSON"))).size == 2)
    assert(differences(before.copy(options = Map("TIMESTAMP" -> "a"))).size == 1)
    assert(differences(before.copy(key = SideFormat("KAFKA", None, Map(SideFormat.wrapSingle -> "true")))).size == 1)
    assert(differences(before.copy(columns = Seq(k.copy(name = "K"), a, b, h))).size == 1)
    assert(differences(before.copy(columns = Seq(k, k.copy(name = "k2"), a, b, h))).size == 1)
    assert(differences(before.copy(columns = Seq(k, b, a, h))).size == 2)
    assert(differences(before.copy(columns = Seq(k, a, b.copy(dataType = LongType), h))).size == 1)
    assert(differences(before.copy(columns = Seq(k, a, b, h.copy(metadata = None)))).size == 1)
    assert(differences(before.copy(columns = Seq(k, a, b))).size == 1)
  }

  test("windows are told by kind and size, however these are written") {
    def windowed(kind: String, size: String) = before.copy(options = Map("WINDOW_TYPE" -> kind, "WINDOW_SIZE" -> size))
    val hours = windowed("HOPPING", "1 HOUR")
    assert(Replacement.windows(hours, windowed("hopping", "60 MINUTES")).isEmpty)
    assert(Replacement.windows(before, before).isEmpty)
    assert(Replacement.windows(hours, windowed("TUMBLING", "1 HOUR")).exists(_.contains("TUMBLING of 3600000 ms")))
    assert(Replacement.windows(hours, windowed("HOPPING", "2 HOURS")).nonEmpty)
    assert(Replacement.windows(before, hours).exists(_.contains("were none")))
  }
}
