package io.kafkalyst.formats

import org.apache.spark.sql.catalyst.util.{ArrayBasedMapData, GenericArrayData}
import org.apache.spark.unsafe.types.UTF8String

/** Builds a MAP from the entries that were read; for a repeated key, the last value wins. */
private[formats] object ReadMap {
  def of(entries: java.util.LinkedHashMap[UTF8String, Any]): ArrayBasedMapData = {
    val keys = new Array[Any](entries.size)
    val values = new Array[Any](entries.size)
    var i = 0
    entries.forEach { (k, v) =>
      keys(i) = k
      values(i) = v
      i += 1
    }
    new ArrayBasedMapData(new GenericArrayData(keys), new GenericArrayData(values))
  }
}
