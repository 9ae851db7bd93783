package io.kafkalyst.write

import org.scalatest.funsuite.AnyFunSuite

class ExactlyOnceSuite extends AnyFunSuite {
  private def write(topic: String, speculates: Boolean) = ExactlyOnce("q", topic, 2, speculates, None, Map.empty)

  test("the attempts of a task share an id, and have several where they race") {
    assert(write("t", speculates = false).ids(1) == Seq("kafkalyst-q-t-1"))
    assert(write("t", speculates = true).ids(1) ==
      Seq("kafkalyst-q-t-1", "kafkalyst-q-t-1.1", "kafkalyst-q-t-1.2", "kafkalyst-q-t-1.3"))
  }

  test("an id tells the task whose marks are to be read, and no other write's is taken for it") {
    for (id <- write("t", speculates = true).ids(12))
      assert(ExactlyOnce.groupOf(id, "q", "t").contains(write("t", speculates = true).group(12)))
    for (topic <- Seq("t-1", "t-1.2", "t.1", "u"); id <- write(topic, speculates = true).ids(3))
      assert(ExactlyOnce.groupOf(id, "q", "t").isEmpty, id)
    assert(ExactlyOnce.groupOf("kafkalyst-q-t-", "q", "t").isEmpty)
  }
}
