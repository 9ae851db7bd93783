package io.kafkalyst.joins

import io.kafkalyst.metadata.Headers
import org.apache.spark.sql.Row
import org.apache.spark.sql.types._

/**
 * One input row of a join.
 *
 * @param side  0 left, 1 right
 * @param time  ROWTIME, milliseconds
 * @param stamp its position in the processing order: the time, then the tie-breakers for equal times
 * @param gone  whether the row deletes its key
 * @param headers the record's headers; null if unknown
 */
private[joins] final case class Change(side: Int, time: Long, stamp: Seq[Long], gone: Boolean, headers: Any, row: Row)

private[joins] object Change {
  val side = "side"
  val time = "time"
  val stamp = "stamp"
  val gone = "gone"
  val headers = "headers"
  val rows: Seq[String] = Seq("left", "right")
  val stampType: DataType = ArrayType(LongType, containsNull = false)

  def of(row: Row): Change = {
    val from = row.getAs[Int](side)
    Change(
      from,
      row.getAs[Long](time),
      row.getAs[scala.collection.Seq[Long]](stamp).toSeq,
      row.getAs[Boolean](gone),
      row.getAs[Any](headers),
      row.getAs[Row](rows(from))
    )
  }

  /**
   * The rows of a key in processing order. Records of a partition keep their offset order, as in Kafka Streams: a
   * record with an older timestamp than its predecessor is processed with the predecessor's timestamp.
   *
   * @param topics for each side whether its rows are a topic's own records
   */
  def ordered(given: Iterator[Row], topics: Seq[Boolean]): Seq[Change] = {
    val (records, results) = given.map(of).toVector.partition(c => topics(c.side))
    val timed = records.groupBy(c => (c.side, c.stamp(2))).values.flatMap { partition =>
      var latest = Long.MinValue
      partition.sortBy(_.stamp(3)).map { change =>
        latest = math.max(latest, change.stamp.head)
        change.copy(stamp = latest +: change.stamp.tail)
      }
    }
    import scala.math.Ordering.Implicits._
    (results ++ timed).sortBy(_.stamp)
  }
}

/** The schema of a join's state and results: everything that its processor needs on an executor. */
private[joins] final case class JoinShape(key: StructType, left: StructType, right: StructType, topics: Seq[Boolean]) {
  def side(i: Int): StructType = if (i == 0) left else right

  /** The key's columns, both sides' rows, and the change's metadata. */
  val result: StructType = StructType(
    key.fields ++ Seq(
      StructField(Change.rows.head, left),
      StructField(Change.rows(1), right),
      StructField(Change.time, LongType),
      StructField(Change.stamp, Change.stampType),
      StructField(Change.gone, BooleanType),
      StructField(Change.headers, Headers.arrayType)
    )
  )

  /** The state schema of one side's rows. */
  def kept(side: Int, more: StructField*): StructType =
    StructType(StructField(Change.time, LongType) +: StructField("row", this.side(side)) +: more)
}
