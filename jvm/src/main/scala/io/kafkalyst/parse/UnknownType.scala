package io.kafkalyst.parse

import io.kafkalyst.errors.Conditions
import org.apache.spark.SparkThrowable

/** What UNKNOWN_TYPE says of a type that Spark's parser refuses. */
private[parse] object UnknownType {
  private val known = Seq("BOOLEAN", "TINYINT", "SMALLINT", "INT", "BIGINT", "FLOAT", "DOUBLE", "DECIMAL", "STRING") ++
    Seq("VARCHAR", "CHAR", "BINARY", "BYTES", "DATE", "TIME", "TIMESTAMP", "TIMESTAMP_NTZ", "INTERVAL") ++
    Seq("ARRAY", "MAP", "STRUCT", "VARIANT")

  /**
   * The condition's parameters `unknown` and `nearest`.
   *
   * @param e       Spark's refusal, which may name the type within an ARRAY, MAP or STRUCT that it does not know
   * @param written the whole type
   */
  def parameters(e: SparkThrowable, written: String): Seq[(String, String)] = {
    val unknown = Option(e.getMessageParameters.get("typeName")).fold(written)(_.replace("\"", ""))
    Seq("unknown" -> unknown, "nearest" -> Conditions.nearest(unknown, known))
  }
}
