package io.kafkalyst.metadata

import io.kafkalyst.model.TimeOfDay
import org.apache.kafka.clients.consumer.ConsumerRecord
import org.apache.kafka.common.header.internals.RecordHeaders
import org.apache.spark.sql.catalyst.expressions.Cast
import org.apache.spark.sql.types._

/** The parts of a written record besides key and value; null for those that the producer chooses. */
final class RecordParts {
  var topic: String = _
  var partition: Integer = _
  var timestamp: java.lang.Long = _
  var tombstone: Boolean = false

  /** Why the timestamp's column yields no timestamp; null on success. */
  var timeFault: String = _

  /** The bounds of a windowed key, in milliseconds; the end is only written for a session. */
  var windowStart: java.lang.Long = _
  var windowEnd: java.lang.Long = _
  val headers = new RecordHeaders()
}

/**
 * One type in which a key's values are available.
 *
 * @param read  the value in Spark's internal form; null if the record has none
 * @param write sets a value, which is never null; None if it cannot be written
 */
final case class MetadataForm(
    dataType: DataType,
    read: ConsumerRecord[_, _] => Any,
    write: Option[(RecordParts, Any) => Unit] = None
)

/**
 * A metadata key: one property of a record besides its key and value.
 *
 * @param doc   one line for the reference page
 * @param forms its types; the first is the default
 */
final case class MetadataKey(name: String, doc: String, forms: Seq[MetadataForm]) {
  def isWritable: Boolean = forms.exists(_.write.isDefined)

  /**
   * The form that a column of this type is read from: the one of the same type, else the first that can be cast to it.
   */
  def readAs(declared: DataType): Option[MetadataForm] =
    same(declared).orElse(castable(declared) { form =>
      Cast.canAnsiCast(form.dataType, declared) || MetadataCast.isTime(form.dataType, declared)
    })

  /** The form that a column of this type is written as. */
  def writtenAs(declared: DataType): Option[MetadataForm] =
    same(declared).orElse(castable(declared) { form =>
      Cast.canAnsiCast(declared, form.dataType) || MetadataCast.isTime(form.dataType, declared)
    }).filter(_.write.isDefined)

  private def same(declared: DataType) = forms.find(f => DataType.equalsIgnoreNullability(f.dataType, declared))

  /** No implicit TIMESTAMP ↔ BIGINT: the unit is ambiguous. A BIGINT of milliseconds is a separate form. */
  private def isOfKind(form: DataType, declared: DataType): Boolean = {
    def isNumber(t: DataType) = t.isInstanceOf[NumericType] || t == BooleanType
    def isTime(t: DataType) = Seq(TimestampType, TimestampNTZType, DateType).contains(t)
    val ofTime = forms.exists(f => isTime(f.dataType))
    // Only the headers are an array, and its elements are STRUCTs: arrays of other elements do not fit.
    val isArray = (form, declared) match {
      case (_: ArrayType, ArrayType(_: StructType, _)) => false
      case (_: ArrayType, _) => true
      case _ => false
    }
    !isArray && !(isNumber(form) && (isTime(declared) || TimeOfDay.is(declared))) && !(isTime(form) && isNumber(
      declared
    )) && !(ofTime && isNumber(form) &&
      !Seq[DataType](LongType, DoubleType, StringType).contains(declared) && !declared.isInstanceOf[DecimalType])
  }

  /** If the key has a numeric form, a number uses it: the BIGINT of a timestamp is milliseconds, not seconds. */
  private def castable(declared: DataType)(fits: MetadataForm => Boolean) = {
    val (numeric, other) =
      forms.filter(f => fits(f) && isOfKind(f.dataType, declared)).partition(_.dataType.isInstanceOf[NumericType])
    (if (declared.isInstanceOf[NumericType]) numeric ++ other else other ++ numeric).headOption
  }
}
