package io.kafkalyst.functions
package flink

import com.fasterxml.jackson.databind.JsonNode
import io.kafkalyst.functions.KsqlStrings.utf
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{BoundReference, Cast, EvalMode}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types._

/** Converts a JSON text, number or BOOLEAN to a type; None if it cannot. Integer types drop the fraction. */
private[flink] final class JsonScalar(t: DataType) extends (JsonNode => Option[Any]) with Serializable {
  import JsonScalar._

  private val cast =
    Cast(BoundReference(0, StringType, nullable = true), t, Some(SQLConf.get.sessionLocalTimeZone), EvalMode.TRY)

  override def apply(node: JsonNode): Option[Any] = {
    val text =
      if (node.isTextual) node.textValue
      else if (node.isNumber && wholes(t)) whole(node.decimalValue)
      else node.toString
    if (t == StringType) Some(utf(text)) else Option(cast.eval(InternalRow(utf(text))))
  }
}

private object JsonScalar {
  private val wholes = Set[DataType](ByteType, ShortType, IntegerType, LongType)

  // No integer type has more digits, and 1e999999999 would need gigabytes.
  private val longest = 40L

  private def whole(n: java.math.BigDecimal): String =
    if (n.precision.toLong - n.scale > longest) n.toString
    else n.setScale(0, java.math.RoundingMode.DOWN).toPlainString
}
