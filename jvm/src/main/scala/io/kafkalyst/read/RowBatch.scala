package io.kafkalyst.read

import java.lang.{Double => JDouble, Float => JFloat}

import org.apache.spark.sql.catalyst.expressions.BaseGenericInternalRow
import org.apache.spark.sql.types.DataType
import org.apache.spark.sql.vectorized.{ColumnarBatch, ColumnVector}

/**
 * A columnar batch, which Spark's compiled code processes without a call per row. Decoders fill it like a single row,
 * which [[keep]] moves on. Values are not copied: strings point into the fetched bytes, so a decoder must not overwrite
 * a value that it has returned.
 *
 * @param types of the columns; see [[BatchColumn.takes]] for the supported ones
 * @param asked how many of the leading columns Spark sees
 */
private[read] final class RowBatch(types: Seq[DataType], asked: Int) extends BaseGenericInternalRow {
  private val columns = types.map(new BatchColumn(_, RowBatch.most)).toArray
  private val batch = new ColumnarBatch(columns.take(asked).toArray[ColumnVector])

  /** Index of the row that is being filled. */
  private var at = 0

  def isEmpty: Boolean = at == 0
  def isFull: Boolean = at == RowBatch.most

  /** Restarts at the first row. */
  def begin(): Unit = at = 0

  /** Keeps the current row and moves on to the next. */
  def keep(): Unit = at += 1

  /** The rows kept so far; valid until [[begin]] is called. */
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

  /** Small enough that a batch of a few columns fits the CPU's L1/L2 cache. */
  val most = 128
}
