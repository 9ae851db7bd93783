package io.kafkalyst.formats
package protobuf

import java.util.Locale

import io.kafkalyst.errors.{Conditions, KafkalystException}
import io.kafkalyst.model.{Side, SideFormat, TimeOfDay, TopicColumn}
import io.kafkalyst.registry.RegisteredSchema
import org.apache.spark.sql.types._

/** Converts Protobuf messages to columns. All columns and everything within them are nullable. */
private[formats] object ProtoTypes {
  val timestamp = "google.protobuf.Timestamp"
  val date = "google.type.Date"
  val timeOfDay = "google.type.TimeOfDay"
  val decimal = "confluent.type.Decimal"

  /** Messages of one scalar, which represent a nullable scalar. */
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

  /** The type of a decimal if its field's parameters do not state it. */
  private val anyDecimal = DecimalType.SYSTEM_DEFAULT

  /**
   * The columns that a schema describes: the fields of one message. Groups are omitted, and so are messages that
   * contain themselves, whose type is infinite.
   *
   * @throws io.kafkalyst.errors.KafkalystException UNSUPPORTED_SCHEMA for an invalid schema, or a message without a
   * field that can be a column; SCHEMA_FULL_NAME_NEEDED if the text has several top-level messages,
   * SCHEMA_FULL_NAME_UNKNOWN if it has none of that name
   */
  def columns(registered: RegisteredSchema, side: Side, as: SideFormat): Seq[TopicColumn] = {
    val (schema, message) = chosen(registered, side, as)
    columns(schema, message, side, as)
  }

  /** The columns of a message. Errors: UNSUPPORTED_SCHEMA. */
  def columns(schema: ProtoSchema, message: ProtoMessage, side: Side, as: SideFormat): Seq[TopicColumn] = {
    val columns = (try new Columns(schema, side, as).fields(message, Nil)
    catch { case bad: BadProto => throw unsupported(side, as, bad.reason) }).map { case (name, dataType) =>
      TopicColumn(name, dataType, side)
    }
    if (columns.isEmpty) throw unsupported(side, as, "it has no field that can be a column")
    columns
  }

  /** The paths of fields that [[columns]] omits. Errors: as there. */
  def leftOut(registered: RegisteredSchema, side: Side, as: SideFormat): Seq[String] = {
    val (schema, message) = chosen(registered, side, as)
    def within(m: ProtoMessage, path: String, around: List[ProtoMessage]): Seq[String] = m.fields.toSeq.flatMap { f =>
      val name = path + f.name
      new Columns(schema, side, as).dataType(schema.typeOf(m, f), f, m :: around) match {
        case None => Seq(name)
        case Some(t) => (schema.typeOf(m, f), elementOf(t)) match {
            case (inner: ProtoMessage, _: StructType) => within(inner, s"$name.", m :: around)
            case (ProtoMap(_, inner: ProtoMessage), _) if elementOf(t).isInstanceOf[MapType] =>
              if (elementOf(t).asInstanceOf[MapType].valueType.isInstanceOf[StructType])
                within(inner, s"$name.value.", m :: around)
              else Nil
            case _ => Nil
          }
      }
    }
    within(message, "", Nil)
  }

  private def elementOf(t: DataType): DataType = t match {
    case a: ArrayType => a.elementType
    case other => other
  }

  private def unsupported(side: Side, as: SideFormat, reason: String) =
    KafkalystException("UNSUPPORTED_SCHEMA", "format" -> as.format, "side" -> side.name, "reason" -> reason)

  /** The schema and the selected message. */
  private def chosen(registered: RegisteredSchema, side: Side, as: SideFormat): (ProtoSchema, ProtoMessage) = {
    val schema =
      try ProtoSchema.parse(registered.schema, registered.references)
      catch { case bad: BadProto => throw unsupported(side, as, bad.reason) }
    val top = schema.file.messages
    schema -> (as.options.get(SideFormat.schemaFullName) match {
      case Some(name) =>
        schema.message(name).getOrElse(throw KafkalystException(
          "SCHEMA_FULL_NAME_UNKNOWN",
          "side" -> side.name,
          "name" -> name,
          "nearest" -> Conditions.nearest(name, schema.names),
          "names" -> schema.names.mkString(", ")
        ))
      case None if top.isEmpty => throw unsupported(side, as, "it has no message")
      case None if top.size > 1 =>
        throw KafkalystException(
          "SCHEMA_FULL_NAME_NEEDED",
          "side" -> side.name,
          "names" -> top.map(_.fullName).mkString(", "),
          "property" -> s"${side.name.toUpperCase(Locale.ROOT)}_${SideFormat.schemaFullName}",
          "first" -> top.head.fullName
        )
      case None => top.head
    })
  }

  /** The type's name for messages to users. */
  def describe(t: ProtoType): String = t match {
    case ProtoScalar(name) => name
    case e: ProtoEnum => s"enum ${e.name}"
    case m: ProtoMessage => s"message ${m.fullName}"
    case _: ProtoMap => "map"
    case ProtoGroup => "group"
  }

  /** Converts messages to types; one instance per conversion, as it counts the fields it creates. */
  private final class Columns(schema: ProtoSchema, side: Side, as: SideFormat) {
    private val size = new TypeSize(reason => throw unsupported(side, as, reason))
    private val likeConnect = as.options.contains(SideFormat.likeConnect)

    def fields(message: ProtoMessage, around: List[ProtoMessage]): Seq[(String, DataType)] =
      if (around.contains(message)) Nil
      else {
        size.add(message.fields.size, around.size)
        def column(field: ProtoField) = dataType(schema.typeOf(message, field), field, message :: around).map { t =>
          field.name -> (if (field.isRepeated) ArrayType(t) else t)
        }
        // Connect puts oneofs first, each as a struct.
        val oneofs = if (likeConnect) message.oneofs else Nil
        val structs = oneofs.map(o =>
          o.column -> StructType(o.members.flatMap(column(_).map { case (name, t) => StructField(name, t) }))
        )
        val members = oneofs.flatMap(_.members.map(_.number)).toSet
        structs.filter(_._2.nonEmpty) ++ message.fields.toSeq.filterNot(f => members(f.number)).flatMap(column)
      }

    /** The type of one value of a field; None if it cannot be a column. */
    def dataType(t: ProtoType, field: ProtoField, around: List[ProtoMessage]): Option[DataType] = t match {
      case ProtoGroup => None
      case _: ProtoEnum => Some(StringType)
      case ProtoMap(key, value) => dataType(value, field, around).map(MapType(number(key), _))
      case s: ProtoScalar => Some(number(s))
      case m: ProtoMessage =>
        m.fullName match {
          case `timestamp` => Some(TimestampType)
          case `date` => Some(DateType)
          case `timeOfDay` if likeConnect && TimeOfDay.dataType.isDefined => TimeOfDay.dataType
          case `decimal` => Some(decimalOf(field))
          case json if ProtoJson.messages.contains(json) => Some(StringType)
          case wrapper if wrappers.contains(wrapper) => Some(number(wrappers(wrapper)))
          case _ if around.contains(m) => None
          case _ =>
            val inner = fields(m, around).map { case (name, inner) => StructField(name, inner) }
            // A message without fields has only presence; one whose fields are all omitted cannot be a column.
            if (inner.isEmpty && m.fields.nonEmpty) None else Some(StructType(inner))
        }
    }

    /** Connect has no type for unsigned numbers beyond BIGINT. */
    private def number(s: ProtoScalar): DataType = scalar(s) match {
      case `uint64` if likeConnect => LongType
      case other => other
    }
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

  /** A decimal's type from the field's parameters; (38, 18) if they are missing or invalid. */
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
