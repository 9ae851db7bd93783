package io.kafkalyst.metadata

import org.apache.kafka.common.header.{Header, Headers => KafkaHeaders}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.util.{ArrayBasedMapData, ArrayData, GenericArrayData, MapData}
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

/** Converts a record's headers to Spark's values and back. The array is lossless; the map is a view of it. */
object Headers {
  val arrayType: ArrayType =
    ArrayType(StructType(Seq(StructField("key", StringType), StructField("value", BinaryType))))
  val mapType: MapType = MapType(StringType, BinaryType)

  /** All headers in order; a header without a value is null, one with empty bytes an empty array. */
  def toArray(headers: KafkaHeaders): ArrayData = {
    val given = headers.toArray
    val out = new Array[Any](given.length)
    var i = 0
    while (i < given.length) {
      out(i) = InternalRow(UTF8String.fromString(given(i).key), given(i).value)
      i += 1
    }
    new GenericArrayData(out)
  }

  /** The last value of each name, in the order of first occurrence. */
  def toMap(headers: KafkaHeaders): MapData = {
    val last = new java.util.LinkedHashMap[String, Array[Byte]]()
    headers.forEach((h: Header) => { last.put(h.key, h.value); () })
    val names = new Array[Any](last.size)
    val values = new Array[Any](last.size)
    var i = 0
    last.forEach { (name, value) =>
      names(i) = UTF8String.fromString(name)
      values(i) = value
      i += 1
    }
    new ArrayBasedMapData(new GenericArrayData(names), new GenericArrayData(values))
  }

  /** The value of the last header of that name; null if there is none. */
  def last(headers: KafkaHeaders, name: String): Array[Byte] = {
    val found = headers.lastHeader(name)
    if (found == null) null else found.value
  }

  /** Adds every header of an array of [[arrayType]]. */
  def ofArray(array: ArrayData, to: KafkaHeaders): Unit = {
    var i = 0
    while (i < array.numElements) {
      if (array.isNullAt(i)) throw new RefusedValue("a header may not be NULL")
      val header = array.getStruct(i, 2)
      add(
        to,
        if (header.isNullAt(0)) null else header.getUTF8String(0),
        if (header.isNullAt(1)) null else header.getBinary(1)
      )
      i += 1
    }
  }

  /** Adds those headers of an array of [[arrayType]] that have a name. */
  def ofList(array: ArrayData, to: KafkaHeaders): Unit = {
    val named = (0 until array.numElements).filter(i => !array.isNullAt(i) && !array.getStruct(i, 2).isNullAt(0))
    ofArray(new GenericArrayData(named.map(array.getStruct(_, 2)).toArray[Any]), to)
  }

  /** Adds every entry of a map of [[mapType]]. */
  def ofMap(map: MapData, to: KafkaHeaders): Unit = {
    val names = map.keyArray
    val values = map.valueArray
    var i = 0
    while (i < names.numElements) {
      add(to, names.getUTF8String(i), if (values.isNullAt(i)) null else values.getBinary(i))
      i += 1
    }
  }

  private def add(to: KafkaHeaders, name: UTF8String, value: Array[Byte]): Unit = {
    if (name == null) throw new RefusedValue("a header must have a name")
    to.add(name.toString, value)
    ()
  }
}

/** A metadata value that no record can have, with the reason in the user's terms. */
private[metadata] final class RefusedValue(val reason: String) extends RuntimeException(reason, null, false, false)
