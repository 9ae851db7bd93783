package io.kafkalyst.formats
package avro

import scala.util.Try

import io.kafkalyst.model.{SideFormat, TimeOfDay}
import org.apache.avro.{LogicalType, LogicalTypes, Schema}
import org.apache.avro.Schema.Type
import org.apache.spark.sql.types._

/**
 * The logical type of a number or of bytes in a schema that gives it none. In Avro the reader's schema decides what a
 * number means, and registries accept a new version that only adds a logical type.
 */
private[avro] object AvroLogical {

  /**
   * The schema with the logical type that the column needs; unchanged if it has one, or the column needs none.
   *
   * @param table the corresponding part of the table's own schema; null if there is none
   * @param unit  `MILLIS` or `MICROS` of a timestamp without a logical type in either schema; None if it is not known
   */
  def of(written: Schema, to: DataType, table: Schema, unit: Option[String]): Schema =
    if (written.getLogicalType != null) written
    else {
      val own = Option(table).filter(_.getType == written.getType).flatMap(t => Option(t.getLogicalType))
      own.filter(suits(_, to)).orElse(implied(written, to, unit)).fold(written)(typed(written, _))
    }

  private def implied(written: Schema, to: DataType, unit: Option[String]): Option[LogicalType] =
    (written.getType, to) match {
      case (Type.INT, DateType) => Some(LogicalTypes.date)
      case (Type.INT, time) if TimeOfDay.is(time) => Some(LogicalTypes.timeMillis)
      case (Type.LONG, time) if TimeOfDay.is(time) => Some(LogicalTypes.timeMicros)
      case (Type.LONG, TimestampType | TimestampNTZType) => unit.map { u =>
          if (u.equalsIgnoreCase(SideFormat.millis)) LogicalTypes.timestampMillis else LogicalTypes.timestampMicros
        }
      case (Type.BYTES | Type.FIXED, d: DecimalType) => Some(LogicalTypes.decimal(d.precision, d.scale))
      case _ => None
    }

  /** Whether the column reads the logical type, rather than the plain number or bytes. */
  private def suits(logical: LogicalType, to: DataType): Boolean = to match {
    case DateType => logical.getName == "date"
    case TimestampType | TimestampNTZType => logical.getName.contains("timestamp-")
    case _: DecimalType => logical.isInstanceOf[LogicalTypes.Decimal]
    case other => TimeOfDay.is(other) && logical.getName.startsWith("time-")
  }

  /** A copy, as a schema is shared; unchanged where the type cannot hold the logical one, as a short FIXED. */
  private def typed(written: Schema, logical: LogicalType): Schema = {
    val copy =
      if (written.getType == Type.FIXED)
        Schema.createFixed(written.getName, written.getDoc, written.getNamespace, written.getFixedSize)
      else Schema.create(written.getType)
    Try(logical.addToSchema(copy)).getOrElse(written)
  }
}
