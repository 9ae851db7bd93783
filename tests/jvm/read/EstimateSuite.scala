package io.kafkalyst.read

import java.util.Collections

import io.kafkalyst.read.offsets.TopicBounds
import org.apache.spark.sql.kafka010.KafkaPlanBridge
import org.apache.spark.sql.types.{LongType, StructType}
import org.scalatest.funsuite.AnyFunSuite

final class EstimateSuite extends AnyFunSuite {
  private object Bounds extends TopicBounds {
    override def client: AnyRef = this
    override def offsets(): Map[Int, (Long, Long)] = Map(0 -> (0L, 100L))
    override def at(time: Long): Map[Int, Long] = Map.empty
    override def isMonotonic: Boolean = false
    override def bytes(): Option[Long] = Some(5000)
  }

  private def part(topic: String, from: Long, until: Long) = TopicInputPartition(
    KafkaPlanBridge.Range(topic, 0, from, until, Collections.emptyMap(), 1000, failOnDataLoss = true, Array.empty)
  )

  private val asked = new StructType().add("n", LongType)

  test("the rows of several topics add up, also where they are equally many") {
    val estimate = Estimate.of(Seq(part("a", 0, 10), part("b", 10, 20)), asked, _ => Bounds, _ => Bounds.offsets())
    assert(estimate == Estimate(Some(20), Some(20 * 50)))
  }

  test("nothing to read is not a size of zero") {
    assert(Estimate.of(Nil, asked, _ => Bounds, _ => Bounds.offsets()) == Estimate(Some(0), Some(1)))
  }
}
