package io.kafkalyst.formats
package protobuf

import io.kafkalyst.formats.protobuf.ProtoWriters._
import io.kafkalyst.model.{Side, TimeOfDay}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types._

/**
 * Writes rows as one message, resolved once.
 *
 * A null column is an absent field; so is the type default of a plain proto3 field, hence both read back as that
 * default. A field without a column is absent too; a column without a field is rejected, as its values would be lost.
 * Errors: KafkalystTaskException VALUE_NOT_WRITABLE naming the field: when built, for mismatches that affect every row;
 * when encoding, for a null in a required field or within a list, several members of a oneof, and values that
 * the field's type cannot hold.
 *
 * @param single ordinal of a column whose null is encoded as null bytes; -1 for none
 */
private[formats] final class ProtoEncoder(
    request: EncodeRequest,
    header: Array[Byte],
    writers: Array[ProtoFieldWriter],
    single: Int,
    structWidth: Int
) extends Encoder {
  private val out = new ProtoOutput

  override def encode(row: InternalRow): Array[Byte] =
    if (single >= 0 && row.isNullAt(single)) null
    else
      NotWritable.guard(request) {
        out.clear()
        out.writeRaw(header)
        val message = if (structWidth >= 0) row.getStruct(single, structWidth) else row
        var i = 0
        while (i < writers.length) {
          writers(i).write(out, message)
          i += 1
        }
        out.toArray
      }
}

private[formats] object ProtoEncoder {

  /** Writes the sources as the fields of a message. */
  def apply(
      request: EncodeRequest,
      header: Array[Byte],
      schema: ProtoSchema,
      message: ProtoMessage,
      nullIsNull: Boolean
  ): ProtoEncoder = NotWritable.guard(request) {
    val columns = request.sources.toSeq.map(s => (s.name, s.dataType, s.ordinal))
    val single = if (nullIsNull) request.sources.head.ordinal else -1
    new ProtoEncoder(request, header, new Resolver(schema, request.side).fields(message, columns, ""), single, -1)
  }

  /** Writes the only source, a struct, whose fields are the message's. */
  def ofStruct(request: EncodeRequest, schema: ProtoSchema, message: ProtoMessage, t: StructType): ProtoEncoder =
    NotWritable.guard(request) {
      val columns = t.fields.toSeq.zipWithIndex.map { case (f, i) => (f.name, f.dataType, i) }
      val writers = new Resolver(schema, request.side).fields(message, columns, s"${request.sources.head.name}.")
      new ProtoEncoder(request, Array.emptyByteArray, writers, request.sources.head.ordinal, t.length)
    }

  private final class Resolver(schema: ProtoSchema, side: Side) {
    def fields(message: ProtoMessage, columns: Seq[(String, DataType, Int)], path: String): Array[ProtoFieldWriter] = {
      val written = message.fields.toSeq
      val all = FieldIndex.written(written.map(_.name) ++ message.oneofs.map(_.column), columns.map(_._1), path)
      val structs = message.oneofs.zip(all.drop(written.size)).collect {
        case (oneof, column) if column >= 0 =>
          val (name, t, ordinal) = columns(column)
          ofOneof(message, oneof, t, ordinal, path + name)
      }
      val fed = all.take(written.size)
      val pairs = written.zip(fed)
      val checks = pairs.collect { case (f, c) if f.oneof.isDefined && c >= 0 => (f, columns(c)._3) }
        .groupBy(_._1.oneof.get).toSeq.sortBy(_._1).flatMap { case (oneof, several) => check(path + oneof, several) }
      val writers = pairs.flatMap { case (f, column) =>
        if (column >= 0) {
          val (_, t, ordinal) = columns(column)
          Some(field(message, f, t, ordinal, path + f.name))
        } else if (f.isRequired) {
          throw new NotWritable(path + f.name, "no column feeds it, and the schema requires a value")
        } else None
      }
      (checks ++ writers ++ structs).toArray[ProtoFieldWriter]
    }

    private def check(path: String, members: Seq[(ProtoField, Int)]): Option[ProtoFieldWriter] =
      if (members.size < 2) None
      else Some(new OneofCheck(path, members.map(_._1.name), members.map(_._2).toArray))

    /** A oneof that is one column, a struct of members. */
    private def ofOneof(
        owner: ProtoMessage,
        oneof: ProtoOneof,
        from: DataType,
        ordinal: Int,
        path: String
    ): ProtoFieldWriter = from match {
      case s: StructType =>
        val fed = oneof.members.zip(FieldIndex.written(oneof.members.map(_.name), s.fieldNames.toSeq, s"$path."))
          .filter(_._2 >= 0)
        val writers = fed.map { case (f, i) => field(owner, f, s(i).dataType, i, s"$path.${f.name}") }
        new OneofField(s.length, (check(path, fed) ++ writers).toArray, ordinal)
      case _ => throw new NotWritable(path, s"${from.sql} cannot be written as the schema's oneof ${oneof.name}")
    }

    private def field(owner: ProtoMessage, f: ProtoField, from: DataType, i: Int, path: String): ProtoFieldWriter = {
      val to =
        try schema.typeOf(owner, f)
        catch { case bad: BadProto => throw new NotWritable(path, bad.reason) }
      (to, from) match {
        case (ProtoMap(key, value), MapType(keyType, valueType, _)) if !f.isRepeated =>
          val keys = writer(key, f, keyType, s"$path.key")
          val values = writer(value, f, valueType, s"$path.value")
          new MapField(f.number, keys, values, canonical = side == Side.Key, i)
        case (_: ProtoMap, _) => refuse(to, from, path)
        case (_, ArrayType(element, _)) if f.isRepeated =>
          val item = writer(to, f, element, s"$path.element")
          new RepeatedField(path, f.number, item, f.isPacked && item.kind != ProtoInput.delimited, i)
        case _ if f.isRepeated => refuse(to, from, path, "repeated ")
        case _ =>
          new SingleField(path, f.number, writer(to, f, from, path), !f.hasPresence && !f.isRequired, f.isRequired, i)
      }
    }

    private def writer(to: ProtoType, f: ProtoField, from: DataType, path: String): ProtoValueWriter =
      (to, from) match {
        case (ProtoScalar("bool"), _: BooleanType) => BooleanWriter
        case (ProtoScalar("float"), _: FloatType) => new FloatWriter(_.getFloat(_))
        case (ProtoScalar("float"), _: DoubleType) =>
          new FloatWriter((row, i) => NotWritable.float(path, row.getDouble(i)))
        case (ProtoScalar("double"), _: FloatType) => new DoubleWriter(_.getFloat(_).toDouble)
        case (ProtoScalar("double"), _: DoubleType) => new DoubleWriter(_.getDouble(_))
        case (ProtoScalar("double"), _: IntegerType) => new DoubleWriter(_.getInt(_).toDouble)
        case (ProtoScalar("string" | "bytes"), _: StringType) => StringWriter
        case (ProtoScalar("bytes"), _: BinaryType) => BinaryWriter
        case (ProtoScalar("bool" | "float" | "double" | "string" | "bytes"), _) => refuse(to, from, path)
        case (s @ ProtoScalar("uint64" | "fixed64"), d: DecimalType) => new UnsignedWriter(path, s, d)
        case (ProtoScalar("int32" | "sint32" | "sfixed32"), _: LongType) => refuse(to, from, path)
        case (s: ProtoScalar, _) =>
          new IntegralWriter(path, s, integral(from).getOrElse(refuse(to, from, path)))
        case (e: ProtoEnum, _: StringType) => new EnumWriter(path, e.values)
        case (m: ProtoMessage, s: StructType) =>
          val columns = s.fields.toSeq.zipWithIndex.map { case (f, i) => (f.name, f.dataType, i) }
          new StructWriter(s.length, fields(m, columns, s"$path."))
        case (m: ProtoMessage, _) =>
          (m.fullName, from) match {
            case (ProtoTypes.timestamp, _: TimestampType | _: TimestampNTZType) => new TimestampWriter(path)
            case (ProtoTypes.date, _: DateType) => new DateWriter(path)
            case (ProtoTypes.timeOfDay, time) if TimeOfDay.is(time) => TimeWriter
            case (ProtoTypes.decimal, d: DecimalType) =>
              // If the field does not state its decimal type, it takes the column's.
              new DecimalWriter(path, d, if (f.parameter("scale").isEmpty) d else ProtoTypes.decimalOf(f))
            case (name, _: StringType) if ProtoJson.messages.contains(name) => new ProtoJson.TextWriter(name, path)
            case (name, _) if ProtoTypes.wrappers.contains(name) =>
              new WrapperWriter(writer(ProtoTypes.wrappers(name), f, from, path))
            case _ => refuse(to, from, path)
          }
        case _ => refuse(to, from, path)
      }

    private def refuse(to: ProtoType, from: DataType, path: String, before: String = ""): Nothing =
      throw new NotWritable(path, s"${from.sql} cannot be written as the schema's $before${ProtoTypes.describe(to)}")
  }
}
