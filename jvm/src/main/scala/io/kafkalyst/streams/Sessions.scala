package io.kafkalyst.streams

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.{AggregateFunction, TypedImperativeAggregate}
import org.apache.spark.sql.catalyst.util.GenericArrayData
import org.apache.spark.sql.types._

/**
 * All sessions of a key, each with its aggregates, because Spark's own session windows only emit closed sessions. The
 * result is an array of the changes in the last batch: `start` and `end` of the session in milliseconds (as in Kafka
 * Streams: the times of the first and the last row), `gone` for an emitted session that has been merged into another,
 * and one field per function.
 *
 * @param time     the row's time, BIGINT, milliseconds
 * @param stamp    the batch's stamp, BIGINT, see [[BatchStamp]]: sessions with the newest stamp have changed
 * @param now      stream time when the row arrives, BIGINT, milliseconds: a session that has closed by then accepts no
 *                 row
 * @param inner    Spark's aggregate functions
 * @param filters  the filter of each function, BOOLEAN
 * @param gap      milliseconds without a row that end a session
 * @param lateness milliseconds for which a session accepts rows after its gap
 */
final case class Sessions(
    time: Expression,
    stamp: Expression,
    now: Expression,
    inner: Seq[Expression],
    filters: Seq[Expression],
    gap: Long,
    lateness: Long,
    mutableAggBufferOffset: Int = 0,
    inputAggBufferOffset: Int = 0
) extends TypedImperativeAggregate[SessionBuffer] {
  override def children: Seq[Expression] = Seq(time, stamp, now) ++ inner ++ filters
  override def nullable: Boolean = false
  override def prettyName: String = "sessions"

  private lazy val functions = inner.map(f => InnerAggregate(f.asInstanceOf[AggregateFunction])).toArray

  val element: StructType = StructType(
    Seq(
      StructField("start", LongType, nullable = false),
      StructField("end", LongType, nullable = false),
      StructField("gone", BooleanType, nullable = false)
    ) ++ inner.zipWithIndex.map { case (f, i) => StructField(s"r$i", f.dataType) }
  )
  override def dataType: DataType = ArrayType(element, containsNull = false)

  override def createAggregationBuffer(): SessionBuffer = new SessionBuffer(functions, gap, lateness)

  override def update(buffer: SessionBuffer, row: InternalRow): SessionBuffer = {
    val at = time.eval(row)
    if (at != null) {
      val Seq(batch, arrival) = Seq(stamp, now).map(_.eval(row).asInstanceOf[Long])
      val session = buffer.at(at.asInstanceOf[Long], batch, arrival)
      functions.indices.foreach { i =>
        if (filters(i).eval(row) == true) session.values(i) = functions(i).update(session.values(i), row)
      }
    }
    buffer
  }

  override def merge(buffer: SessionBuffer, input: SessionBuffer): SessionBuffer = buffer.merged(input)

  override def eval(buffer: SessionBuffer): Any = {
    val newest = buffer.newest
    val changed = buffer.all.filter(_.stamp == newest).map { s =>
      InternalRow.fromSeq(Seq[Any](s.start, s.end, false) ++ functions.zip(s.values).map { case (f, v) => f.result(v) })
    }
    val gone = buffer.gone.filter(_.stamp == newest).map { s =>
      InternalRow.fromSeq(Seq[Any](s.start, s.end, true) ++ functions.map(_ => null))
    }
    new GenericArrayData((gone ++ changed).toArray[Any])
  }

  override def serialize(buffer: SessionBuffer): Array[Byte] = buffer.toBytes
  override def deserialize(bytes: Array[Byte]): SessionBuffer = createAggregationBuffer().read(bytes)

  override def withNewMutableAggBufferOffset(offset: Int): Sessions = copy(mutableAggBufferOffset = offset)
  override def withNewInputAggBufferOffset(offset: Int): Sessions = copy(inputAggBufferOffset = offset)

  override protected def withNewChildrenInternal(fresh: IndexedSeq[Expression]): Sessions = {
    val (functions, conditions) = fresh.drop(3).splitAt(inner.size)
    copy(time = fresh(0), stamp = fresh(1), now = fresh(2), inner = functions, filters = conditions)
  }
}
