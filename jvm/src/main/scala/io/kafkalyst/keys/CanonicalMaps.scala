package io.kafkalyst.keys

import org.apache.spark.sql.catalyst.util.MapData
import org.apache.spark.sql.types.{ArrayType, DataType, MapType, StructType}

/**
 * The canonical order of a MAP's entries within a record's key: by the unsigned bytes of their keys. Maps are
 * unordered, so without it equal keys could have different bytes and go to different partitions. Every encoder of keys
 * uses this order, at every depth.
 */
object CanonicalMaps {

  /** Whether the type is a MAP or contains one. */
  def holdsMap(t: DataType): Boolean = t match {
    case _: MapType => true
    case a: ArrayType => holdsMap(a.elementType)
    case s: StructType => s.fields.exists(f => holdsMap(f.dataType))
    case _ => false
  }

  /**
   * The indexes of the entries in canonical order; null if they are already in that order.
   *
   * @param map with non-null STRING keys
   */
  def order(map: MapData): Array[Int] = {
    val keys = map.keyArray()
    val sorted = (0 until map.numElements()).sortWith { (a, b) =>
      keys.getUTF8String(a).binaryCompare(keys.getUTF8String(b)) < 0
    }
    if (sorted.indices.forall(i => sorted(i) == i)) null else sorted.toArray
  }
}
