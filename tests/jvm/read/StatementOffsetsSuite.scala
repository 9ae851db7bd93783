package io.kafkalyst.read

import io.kafkalyst.read.offsets.{StatementOffsets, TopicBounds}
import org.apache.spark.sql.catalyst.QueryPlanningTracker
import org.scalatest.funsuite.AnyFunSuite

final class StatementOffsetsSuite extends AnyFunSuite {

  /** A topic that grows by one record with each request. */
  private class Growing(login: String) extends TopicBounds {
    private var end = 0L
    override def client: AnyRef = login
    override def offsets(): Map[Int, (Long, Long)] = {
      end += 1
      Map(0 -> (0L, end))
    }
    override def at(time: Long): Map[Int, Long] = Map.empty
    override def isMonotonic: Boolean = false
  }

  private def optimizing[T](tracker: QueryPlanningTracker)(of: => T): T = QueryPlanningTracker.withTracker(tracker)(of)

  test("scans of one statement end at the same offsets, those of another one later") {
    val topic = new Growing("a")
    val one = new QueryPlanningTracker
    def end(of: StatementOffsets) = of.of("t", topic)(0)._2
    assert(optimizing(one)(end(StatementOffsets.current())) == 1)
    assert(optimizing(one)(end(StatementOffsets.current())) == 1)
    assert(optimizing(new QueryPlanningTracker)(end(StatementOffsets.current())) == 2)
    assert(end(StatementOffsets.current()) == 3)
    assert(end(StatementOffsets.current()) == 4)
  }

  test("another topic, and another login, have their own offsets") {
    val (mine, theirs) = (new Growing("mine"), new Growing("theirs"))
    val moment = new StatementOffsets
    Seq(mine, theirs).foreach(topic => topic.offsets())
    theirs.offsets()
    assert(moment.of("t", mine)(0)._2 == 2)
    assert(moment.of("t", theirs)(0)._2 == 3)
    assert(moment.of("u", mine)(0)._2 == 3)
  }
}
