package io.kafkalyst.formats

import io.kafkalyst.errors.{Conditions, KafkalystException}
import io.kafkalyst.model.{Side, SideFormat, TopicColumn}
import io.kafkalyst.registry.RegisteredSchema
import org.apache.spark.sql.types._

/** Protobuf messages as columns. All columns and everything within them are nullable. */
private[formats] object ProtoTypes {
  val timestamp = "google.protobuf.Timestamp"
  val date = "google.type.Date"
  val decimal = "confluent.type.Decimal"

  /** Messages of one scalar, which stand for a scalar that may be null. */
  val wrappers: Map[String, ProtoScalar] = Map(
    "Double" -> "double",
    "Float" -> "float",
    "Int64" -> "int64",
    "UInt64" -> "uint64",
    "Int32" -> "int32",
    "UInt32" -> "uint32",
    "Bool" -> "bool",
    "String" -> "string",
    "Bytes" -> "bytes"
  ).map { case (name, scalar) => s"google.protobuf.${name}Value" -> ProtoScalar(scalar) }

  val uint64: DecimalType = DecimalType(20, 0)

  /** What a decimal is where its field's parameters do not say. */
  private val anyDecimal = DecimalType.SYSTEM_DEFAULT

  /**
   * The columns that a schema describes: the fields of one message. Groups are left out.
   *
   * @throws io.kafkalyst.errors.KafkalystException UNSUPPORTED_SCHEMA for no schema, a message that contains itself,
   *         or one without a field that can be a column; SCHEMA_FULL_NAME_NEEDED where the text has several
   *         top-level messages, SCHEMA_FULL_NAME_UNKNOWN where it has none of that name
   */
  def columns(registered: RegisteredSchema, side: Side, as: SideFormat): Seq[TopicColumn] = {
    def unsupported(reason: String) =
      KafkalystException("UNSUPPORTED_SCHEMA", "format" -> as.format, "side" -> side.name, "reason" -> reason)
    try {
      val schema = ProtoSchema.parse(registered.schema, registered.references)
      val message = as.options.get(SideFormat.schemaFullName) match {
        case Some(name) =>
          schema.message(name).getOrElse(throw KafkalystException(
            "SCHEMA_FULL_NAME_UNKNOWN",
            "side" -> side.name,
            "name" -> name,
            "nearest" -> Conditions.nearest(name, schema.names),
            "names" -> schema.names.mkString(", ")
          ))
        case None if schema.file.messages.isEmpty => throw unsupported("it has no message")
        case None if schema.file.messages.size > 1 =>
          throw KafkalystException(
            "SCHEMA_FULL_NAME_NEEDED",
            "side" -> side.name,
            "names" -> schema.file.messages.map(_.fullName).mkString(", "),
            "property" -> s"${side.name.toUpperCase}_${SideFormat.schemaFullName}",
            "first" -> schema.file.messages.head.fullName
          )
        case None => schema.file.messages.head
      }
      val columns = fields(schema, message, Nil).map { case (name, dataType) => TopicColumn(name, dataType, side) }
      if (columns.isEmpty) throw unsupported("it has no field that can be a column")
      columns
    } catch { case bad: BadProto => throw unsupported(bad.reason) }
  }

  /** A type as users know it. */
  def describe(t: ProtoType): String = t match {
    case ProtoScalar(name) => name
    case e: ProtoEnum => s"enum ${e.name}"
    case m: ProtoMessage => s"message ${m.fullName}"
    case _: ProtoMap => "map"
    case ProtoGroup => "group"
  }

  private def fields(
      schema: ProtoSchema,
      message: ProtoMessage,
      around: List[ProtoMessage]
  ): Seq[(String, DataType)] = {
    if (around.contains(message)) {
      throw new BadProto(s"message ${message.fullName} contains itself, by ${around.map(_.fullName).mkString(", ")}")
    }
    message.fields.toSeq.flatMap { field =>
      dataType(schema, schema.typeOf(message, field), field, message :: around).map { t =>
        field.name -> (if (field.isRepeated) ArrayType(t) else t)
      }
    }
  }

  private def dataType(
      schema: ProtoSchema,
      t: ProtoType,
      field: ProtoField,
      around: List[ProtoMessage]
  ): Option[DataType] = t match {
    case ProtoGroup => None
    case _: ProtoEnum => Some(StringType)
    case ProtoMap(key, value) => dataType(schema, value, field, around).map(MapType(scalar(key), _))
    case s: ProtoScalar => Some(scalar(s))
    case m: ProtoMessage =>
      Some(m.fullName match {
        case `timestamp` => TimestampType
        case `date` => DateType
        case `decimal` => decimalOf(field)
        case wrapper if wrappers.contains(wrapper) => scalar(wrappers(wrapper))
        case _ => StructType(fields(schema, m, around).map { case (name, inner) => StructField(name, inner) })
      })
  }

  private def scalar(s: ProtoScalar): DataType = s.name match {
    case "double" => DoubleType
    case "float" => FloatType
    case "int32" | "sint32" | "sfixed32" => IntegerType
    case "int64" | "sint64" | "sfixed64" | "uint32" | "fixed32" => LongType
    case "uint64" | "fixed64" => uint64
    case "bool" => BooleanType
    case "string" => StringType
    case "bytes" => BinaryType
  }

  /** A decimal's type by the field's parameters; (38, 18) where they say nothing that fits. */
  def decimalOf(field: ProtoField): DecimalType = {
    val precision = field.parameter("precision").flatMap(_.toIntOption)
    val scale = field.parameter("scale").flatMap(_.toIntOption)
    (precision, scale) match {
      case (Some(p), s) if p >= 1 && p <= DecimalType.MAX_PRECISION && s.forall(n => n >= 0 && n <= p) =>
        DecimalType(p, s.getOrElse(0))
      case (None, Some(s)) if s >= 0 && s <= DecimalType.MAX_PRECISION => DecimalType(DecimalType.MAX_PRECISION, s)
      case _ => anyDecimal
    }
  }
}
