package io.kafkalyst.write

import org.scalatest.funsuite.AnyFunSuite

class ExactlyOnceSuite extends AnyFunSuite {
  private def write(topic: String, speculates: Boolean) =
    ExactlyOnce("q", topic, 2, speculates, None, isFirst = true, Map.empty)

  test("the attempts of a task share an id, and have several where they race") {
    assert(write("t", speculates = false).ids(1) == Seq("kafkalyst-q-t-1"))
    assert(write("t", speculates = true).ids(1) ==
      Seq("kafkalyst-q-t-1", "kafkalyst-q-t-1.1", "kafkalyst-q-t-1.2", "kafkalyst-q-t-1.3"))
  }

  test("no other write's groups and ids are taken for its own") {
    val mine = ExactlyOnce.tasksGroup("q", "t") +: (0 to 12).flatMap(ExactlyOnce.everyId("q", "t", _))
    assert(mine.distinct == mine)
    for (topic <- Seq("t-1", "t-1.2", "t.1", "u", "t-tasks")) {
      val others = ExactlyOnce.tasksGroup("q", topic) +: (0 to 12).flatMap(ExactlyOnce.everyId("q", topic, _))
      assert(mine.intersect(others).isEmpty, topic)
    }
  }
}
