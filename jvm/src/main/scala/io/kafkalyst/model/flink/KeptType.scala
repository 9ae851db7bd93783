package io.kafkalyst.model.flink

import org.apache.spark.sql.catalyst.util.CharVarcharUtils
import org.apache.spark.sql.types.DataType

/** The type of a declared column as definitions store it. */
object KeptType {

  /** Spark's text of the type, without the lengths of CHAR and VARCHAR, which Spark's session catalog does not keep. */
  def sqlOf(dataType: DataType): String = CharVarcharUtils.replaceCharVarcharWithString(dataType).sql
}
