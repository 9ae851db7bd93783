package io.kafkalyst.read
package offsets

import java.nio.file.Files

import io.kafkalyst.model.{ObjectKind, SideFormat, TopicObject}
import org.apache.hadoop.conf.Configuration
import org.scalatest.funsuite.AnyFunSuite

/** Where a bounded stream ends, at its first start and later. */
class TopicEndsSuite extends AnyFunSuite {
  private val json = SideFormat("JSON")
  private def topic(options: (String, String)*) =
    TopicObject(ObjectKind.Stream, "t", SideFormat("KAFKA"), json, Nil, options = options.toMap)

  private def offsets(text: String) = PartitionOffsets.of(text)

  test("the ends of the first start stay, as long as the same end is said") {
    val folder = Files.createTempDirectory("ends").toString
    def at(o: TopicObject, now: Map[(String, Int), Long]) = TopicEnds.kept(folder, o, new Configuration)(now)
    val latest = topic("SCAN.BOUNDED.MODE" -> "latest-offset")
    val first = Map(("t", 0) -> 5L, ("a.b", 1) -> 0L)
    val later = Map(("t", 0) -> 9L)
    assert(at(topic(), Map.empty).isEmpty && new java.io.File(folder).list().isEmpty)
    assert(at(latest, first) == first && at(latest, later) == first)
    val timed = topic("SCAN.BOUNDED.MODE" -> "timestamp", "SCAN.BOUNDED.TIMESTAMP-MILLIS" -> "7")
    assert(at(timed, later) == later && at(timed, first) == later)
    assert(at(topic(), Map.empty).isEmpty && at(timed, first) == first)
  }

  test("no batch reaches beyond the ends, and none goes back") {
    val ends = Map(("t", 0) -> 5L, ("t", 1) -> 5L, ("t", 2) -> 5L)
    val start = offsets("""{"t":{"0":2,"1":7,"2":5,"3":4}}""")
    val latest = offsets("""{"t":{"0":9,"1":9,"2":9,"3":9,"4":9},"new":{"0":3}}""")
    assert(TopicEnds.capped(start, latest, ends) == offsets("""{"t":{"0":5,"1":7,"2":5,"3":4}}"""))
    assert(TopicEnds.capped(start, offsets("""{"t":{"0":3,"1":7,"2":5,"3":4}}"""), ends)("t")(0) == 3)
  }
}
