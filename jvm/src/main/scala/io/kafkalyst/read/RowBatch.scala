package io.kafkalyst.read

import java.lang.{Double => JDouble, Float => JFloat}

import org.apache.spark.sql.catalyst.expressions.BaseGenericInternalRow
import org.apache.spark.sql.types.DataType
import org.apache.spark.sql.vectorized.{ColumnarBatch, ColumnVector}

/**
 * Rows column by column, which Spark's compiled code goes through without a call for each row. It is filled as one row
 * that moves on, so decoders know nothing of it. Values are kept as they are made: texts go on pointing into the bytes
 * that came from the broker, so a decoder must not write again into what it has given.
 *
 * @param types of the columns; [[BatchColumn.takes]] tells which can be
 * @param asked how many of them, the first ones, Spark sees
 */
private[read] final class RowBatch(types: Seq[DataType], asked: Int) extends BaseGenericInternalRow {
  private val columns = types.map(new BatchColumn(_, RowBatch.most)).toArray
  private val batch = new ColumnarBatch(columns.take(asked).toArray[ColumnVector])

  /** The row that is filled now. */
  private var at = 0

  def isEmpty: Boolean = at == 0
  def isFull: Boolean = at == RowBatch.most

  /** Begins anew with the first row. */
  def begin(): Unit = at = 0

  /** Keeps the row and goes on to the next. */
  def keep(): Unit = at += 1

  /** The rows that were kept, until it begins anew. */
  def kept: ColumnarBatch = {
    batch.setNumRows(at)
    batch
  }

  override def numFields: Int = columns.length
  override def isNullAt(ordinal: Int): Boolean = columns(ordinal).isNullAt(at)
  override def setNullAt(ordinal: Int): Unit = columns(ordinal).putNull(at)
  override def setBoolean(ordinal: Int, value: Boolean): Unit = setLong(ordinal, if (value) 1L else 0L)
  override def setByte(ordinal: Int, value: Byte): Unit = setLong(ordinal, value.toLong)
  override def setShort(ordinal: Int, value: Short): Unit = setLong(ordinal, value.toLong)
  override def setInt(ordinal: Int, value: Int): Unit = setLong(ordinal, value.toLong)
  override def setLong(ordinal: Int, value: Long): Unit = columns(ordinal).put(at, value)
  override def setFloat(ordinal: Int, value: Float): Unit = setLong(ordinal, JFloat.floatToRawIntBits(value).toLong)
  override def setDouble(ordinal: Int, value: Double): Unit = setLong(ordinal, JDouble.doubleToRawLongBits(value))

  override def update(ordinal: Int, value: Any): Unit = value match {
    case null => setNullAt(ordinal)
    case v: Boolean => setBoolean(ordinal, v)
    case v: Byte => setByte(ordinal, v)
    case v: Short => setShort(ordinal, v)
    case v: Int => setInt(ordinal, v)
    case v: Long => setLong(ordinal, v)
    case v: Float => setFloat(ordinal, v)
    case v: Double => setDouble(ordinal, v)
    case v: AnyRef => columns(ordinal).put(at, v)
  }

  override protected def genericGet(ordinal: Int): Any = columns(ordinal).get(at)
}

private[read] object RowBatch {

  /** So few that a batch of some columns stays in the processor's first caches. */
  val most = 128
}
