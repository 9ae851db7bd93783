package io.kafkalyst.keys

import org.apache.spark.sql.catalyst.util.MapData
import org.apache.spark.sql.types.{ArrayType, DataType, MapType, StructType}

/**
 * One order for the entries of a MAP within a record's key: by the unsigned bytes of their keys. A map has none of
 * its own, so without one equal keys could have different bytes and go to different partitions. Whoever encodes a
 * key asks here, at every depth of it.
 */
object CanonicalMaps {

  /** Whether the type is a MAP or holds one. */
  def holdsMap(t: DataType): Boolean = t match {
    case _: MapType => true
    case a: ArrayType => holdsMap(a.elementType)
    case s: StructType => s.fields.exists(f => holdsMap(f.dataType))
    case _ => false
  }

  /**
   * The places of the entries in the order in which a key holds them; null where that is their own order.
   *
   * @param map with keys of STRING, none of them null
   */
  def order(map: MapData): Array[Int] = {
    val keys = map.keyArray()
    val sorted = (0 until map.numElements()).sortWith { (a, b) =>
      keys.getUTF8String(a).binaryCompare(keys.getUTF8String(b)) < 0
    }
    if (sorted.indices.forall(i => sorted(i) == i)) null else sorted.toArray
  }
}
