package io.kafkalyst.read

import io.kafkalyst.TopicSession
import io.kafkalyst.model.{ObjectKind, SideFormat, TopicObject}
import io.kafkalyst.read.offsets.{PartitionOffsets, TopicBounds}
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.StructType
import org.scalatest.funsuite.AnyFunSuite

/** A store that another query fills while a stream of its topic runs. */
class OlderBatchesSuite extends AnyFunSuite with TopicSession {
  private val topic =
    TopicObject(ObjectKind.Stream, "t", SideFormat("KAFKA"), SideFormat("JSON"), Nil, options = Map.empty)

  private def offsets(zero: Long, one: Long) = PartitionOffsets.of(s"""{"t":{"0":$zero,"1":$one}}""")

  /** Has one row per asked range: partition, first offset, end offset. */
  private class Store(override val border: Map[Int, Long]) extends OlderRecords {
    override def at(time: Long): Map[Int, Long] = Map.empty
    override def rows(ranges: Seq[(Int, Long, Long)], columns: StructType): RDD[InternalRow] =
      session.sparkContext.parallelize(ranges.map { case (p, from, end) => InternalRow(p, from, end) }, 1)
    override def gap(partition: Int, first: Long): Nothing = throw new IllegalStateException(s"$partition: $first")
  }

  /** A stream; the store and the brokers' first offsets are looked up when it asks. */
  private class Stream(fails: Boolean = true) {
    var first = Map(0 -> 0L, 1 -> 0L)
    var store = Option.empty[Map[Int, Long]]
    var looks = 0

    private val bounds = new TopicBounds {
      override def client: AnyRef = this
      override def offsets(): Map[Int, (Long, Long)] = first.map { case (p, offset) => p -> (offset, 1000L) }
      override def at(time: Long): Map[Int, Long] = Map.empty
      override def isMonotonic: Boolean = true
      override def failsOnLoss: Boolean = fails
    }
    private val batches = new OlderBatches(
      TopicReading(topic, new StructType, None, None, "UTC"),
      () => { looks += 1; store.map(new Store(_)) },
      StreamStart.First,
      Map.empty,
      bounds
    )

    /** The ranges read from the store, and where the brokers' part begins. */
    def batch(from: PartitionOffsets.Offsets, until: PartitionOffsets.Offsets) = {
      val (parts, rest) = batches.split(from, until)
      val rows = parts.headOption.toSeq.flatMap(_.all.collect()).map(r => (r.getInt(0), r.getLong(1), r.getLong(2)))
      (rows.sorted, rest)
    }
  }

  test("a store that was empty is found when the brokers delete records later") {
    val stream = new Stream
    stream.first = Map(0 -> 5L, 1 -> 0L)
    assert(stream.batch(offsets(0, 0), offsets(10, 10)) == (Nil, offsets(0, 0)))
    stream.store = Some(Map(0 -> 7L))
    assert(stream.batch(offsets(0, 0), offsets(10, 10)) == (Seq((0, 0L, 7L)), offsets(7, 0)))
  }

  test("the store is looked up again if it was not far enough, and only then") {
    val stream = new Stream
    stream.first = Map(0 -> 5L, 1 -> 5L)
    stream.store = Some(Map(0 -> 20L, 1 -> 20L))
    assert(stream.batch(offsets(0, 0), offsets(10, 10)) == (Seq((0, 0L, 10L), (1, 0L, 10L)), offsets(10, 10)))
    assert(stream.batch(offsets(10, 10), offsets(15, 30)) == (Nil, offsets(10, 10)) && stream.looks == 1)
    stream.first = Map(0 -> 16L, 1 -> 25L)
    stream.store = Some(Map(0 -> 40L, 1 -> 28L))
    assert(stream.batch(offsets(10, 10), offsets(15, 30)) == (Seq((0, 10L, 15L), (1, 10L, 28L)), offsets(15, 28)))
    assert(stream.looks == 2)
  }

  test("records that neither has are a gap, unless losses are allowed") {
    val stream = new Stream
    stream.first = Map(0 -> 25L, 1 -> 0L)
    stream.store = Some(Map(0 -> 20L))
    assert(intercept[IllegalStateException](stream.batch(offsets(0, 0), offsets(30, 0))).getMessage == "0: 25")
    val allows = new Stream(fails = false)
    allows.first = stream.first
    allows.store = stream.store
    assert(allows.batch(offsets(0, 0), offsets(30, 0)) == (Seq((0, 0L, 20L)), offsets(20, 0)))
  }
}
