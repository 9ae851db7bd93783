package io.kafkalyst.model.flink

import org.apache.spark.sql.catalyst.util.CharVarcharUtils
import org.apache.spark.sql.types.DataType

/** A declared column's type as definitions keep it. */
object KeptType {

  /** The type in Spark's words, without the lengths of texts, which Spark's session catalog does not keep. */
  def sqlOf(dataType: DataType): String = CharVarcharUtils.replaceCharVarcharWithString(dataType).sql
}
