package io.kafkalyst.formats

import org.apache.spark.sql.catalyst.util.{ArrayBasedMapData, GenericArrayData}
import org.apache.spark.unsafe.types.UTF8String

/** A MAP of what was read; of a key that occurs twice, the last value. */
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
