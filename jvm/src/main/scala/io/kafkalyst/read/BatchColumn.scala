package io.kafkalyst.read

import java.lang.{Double => JDouble, Float => JFloat}

import io.kafkalyst.model.TimeOfDay
import org.apache.spark.sql.types._
import org.apache.spark.sql.vectorized.{ColumnarArray, ColumnarMap, ColumnVector}
import org.apache.spark.unsafe.types.UTF8String

/**
 * A column of a [[RowBatch]]: numbers as 64 bits, all others as Spark's internal objects.
 *
 * @param rows capacity in rows; all are null at first
 */
private[read] final class BatchColumn(of: DataType, rows: Int) extends ColumnVector(of) {
  private val isObject = BatchColumn.isObject(of)
  private val bits = new Array[Long](if (isObject) 0 else rows)
  private val objects = new Array[AnyRef](if (isObject) rows else 0)
  private val nulls = Array.fill(rows)(true)

  def putNull(row: Int): Unit = nulls(row) = true

  /** A number, or its bits. */
  def put(row: Int, value: Long): Unit = {
    nulls(row) = false
    bits(row) = value
  }

  def put(row: Int, value: AnyRef): Unit = {
    nulls(row) = false
    objects(row) = value
  }

  /** The value as in a row; null if it is null. */
  def get(row: Int): Any =
    if (nulls(row)) null
    else of match {
      case BooleanType => getBoolean(row)
      case ByteType => getByte(row)
      case ShortType => getShort(row)
      case IntegerType | DateType => getInt(row)
      case FloatType => getFloat(row)
      case DoubleType => getDouble(row)
      case _ => if (isObject) objects(row) else bits(row)
    }

  override def isNullAt(row: Int): Boolean = nulls(row)
  override def getBoolean(row: Int): Boolean = bits(row) != 0
  override def getByte(row: Int): Byte = bits(row).toByte
  override def getShort(row: Int): Short = bits(row).toShort
  override def getInt(row: Int): Int = bits(row).toInt
  override def getLong(row: Int): Long = bits(row)
  override def getFloat(row: Int): Float = JFloat.intBitsToFloat(bits(row).toInt)
  override def getDouble(row: Int): Double = JDouble.longBitsToDouble(bits(row))
  override def getDecimal(row: Int, precision: Int, scale: Int): Decimal = objects(row).asInstanceOf[Decimal]
  override def getUTF8String(row: Int): UTF8String = objects(row).asInstanceOf[UTF8String]
  override def getBinary(row: Int): Array[Byte] = objects(row).asInstanceOf[Array[Byte]]

  // Callers that read this flag also check each value.
  override def hasNull: Boolean = true
  override def numNulls: Int = nulls.count(identity)
  override def getArray(row: Int): ColumnarArray = throw new UnsupportedOperationException(of.sql)
  override def getMap(row: Int): ColumnarMap = throw new UnsupportedOperationException(of.sql)
  override def getChild(ordinal: Int): ColumnVector = throw new UnsupportedOperationException(of.sql)
  override def close(): Unit = ()
}

private[read] object BatchColumn {

  /**
   * Whether a column of this type can be batched; nested types cannot, as Spark reads them differently from how they
   * are built.
   */
  def takes(dataType: DataType): Boolean = isObject(dataType) || isNumber(dataType)

  private def isObject(dataType: DataType): Boolean = dataType match {
    case BinaryType | _: StringType | _: DecimalType => true
    case _ => false
  }

  private def isNumber(dataType: DataType): Boolean = dataType match {
    case BooleanType | ByteType | ShortType | IntegerType | LongType | FloatType | DoubleType => true
    case DateType | TimestampType | TimestampNTZType => true
    case other => TimeOfDay.is(other)
  }
}
