package io.kafkalyst.formats
package protobuf

import io.kafkalyst.formats.protobuf.ProtoFields._
import io.kafkalyst.formats.protobuf.ProtoReaders._
import io.kafkalyst.model.TimeOfDay
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

/**
 * Decodes the bytes of one message into the required columns: resolved once per schema and message, then run per
 * record.
 *
 * A field without a column is skipped, a column without a field is null. If a field is absent, a plain proto3 field is
 * its type's default, a field with its own default is that default, a repeated field or map is empty, and any other is
 * null. All fields are parsed, so truncated bytes are detected whatever columns are required.
 */
private[formats] object ProtoProgram {

  /**
   * Resolves a message against the columns of a side.
   *
   * @param declared all columns of the side, which decide what a field may feed
   * @param targets  the required columns
   * @param isUpper  which columns fields in another case feed, see [[FieldIndex]]
   * @throws BadBytes if a column cannot be read from its field, with the path of the field
   */
  def of(
      schema: ProtoSchema,
      message: ProtoMessage,
      declared: Seq[String],
      targets: Array[Target],
      isUpper: Boolean
  ): Decoder = {
    val columns = declared.map(name => targets.find(_.name == name).map(t => (t.dataType, t.ordinal)))
    val (fields, missing) = new Resolver(schema, isUpper).fields(message, declared, columns, "")
    new ColumnsProgram(fields, missing.toArray)
  }

  /** As [[of]], for a message that is the value of one column. */
  def ofStruct(schema: ProtoSchema, message: ProtoMessage, target: Target, isUpper: Boolean): Decoder =
    new StructProgram(
      new Resolver(schema, isUpper).messageReader(message, target.dataType, target.name),
      target.ordinal
    )

  /** @param missing ordinals of the columns without a field in the message */
  private final class ColumnsProgram(fields: ProtoFields, missing: Array[Int]) extends Decoder {
    private val in = new ProtoInput

    override def decode(bytes: Array[Byte], offset: Int, length: Int, row: InternalRow): Unit = {
      in.reset(bytes, offset, length)
      fields.begin(row)
      fields.merge(in, row)
      fields.end(in, row)
      var i = 0
      while (i < missing.length) {
        row.setNullAt(missing(i))
        i += 1
      }
    }
  }

  private final class StructProgram(message: ProtoMessageReader, ordinal: Int) extends Decoder {
    private val in = new ProtoInput

    override def decode(bytes: Array[Byte], offset: Int, length: Int, row: InternalRow): Unit = {
      in.reset(bytes, offset, length)
      message.begin(in)
      message.merge(in)
      row.update(ordinal, message.end(in))
    }
  }

  private final class Resolver(schema: ProtoSchema, isUpper: Boolean) {

    /** @param columns type and ordinal per declared name; None if not required */
    def fields(
        message: ProtoMessage,
        declared: Seq[String],
        columns: Seq[Option[(DataType, Int)]],
        path: String
    ): (ProtoFields, Seq[Int]) = {
      val written = message.fields.toSeq
      val oneofs = message.oneofs
      val all = FieldIndex.read(written.map(_.name) ++ oneofs.map(_.column), declared, path, isUpper)
      val structs = oneofs.zip(all.drop(written.size)).filter(_._2 >= 0)
      val inStructs = structs.flatMap(_._1.members.map(_.number)).toSet
      val fed = written.zip(all).map { case (f, column) => if (inStructs(f.number)) -1 else column }
      val asked: Seq[(ProtoField, Option[ProtoFieldReader])] = written.zip(fed).map { case (f, column) =>
        f -> (if (column < 0) None else columns(column)).map { case (t, i) => field(message, f, t, i, path + f.name) }
      }
      val askedMembers = asked.collect { case (f, Some(r)) if f.oneof.isDefined => f -> r }.groupBy(_._1.oneof)
      val read = asked.flatMap { case (f, reader) =>
        val others = askedMembers.getOrElse(f.oneof, Nil).collect { case (o, r) if o ne f => r }
        if (others.isEmpty && !f.isRequired) reader.map(f -> _)
        else {
          val kind = typeOf(message, f, path + f.name).kind
          val one = if (others.isEmpty) reader.orNull else new MemberField(reader.orNull, kind, others.toArray)
          Some(f -> (if (f.isRequired) new RequiredField(one, kind) else one))
        }
      }
      val members = structs.flatMap { case (oneof, column) =>
        columns(column).toSeq.flatMap { case (t, i) => ofOneof(message, oneof, t, i, path + oneof.column) }
      }
      val ready = new ProtoFields(
        (read ++ members).map(_._1.number).toArray,
        (read ++ members).map(_._1.name).toArray,
        (read ++ members).map(_._2).toArray
      )
      val missing = columns.indices.filterNot((fed ++ structs.map(_._2)).contains).flatMap(columns(_)).map(_._2)
      (ready, missing)
    }

    /** The readers of a oneof's members, if it is one column. */
    private def ofOneof(
        owner: ProtoMessage,
        oneof: ProtoOneof,
        to: DataType,
        ordinal: Int,
        path: String
    ): Seq[(ProtoField, ProtoFieldReader)] = to match {
      case s: StructType =>
        val row = new OneofRow(s.length, ordinal)
        oneof.members.zip(FieldIndex.read(oneof.members.map(_.name), s.fieldNames.toSeq, s"$path.", isUpper)).map {
          case (f, i) =>
            val inner = s"$path.${f.name}"
            val reader = if (i < 0) null else field(owner, f, s(i).dataType, i, inner)
            f -> new OneofMember(row, reader, typeOf(owner, f, inner).kind)
        }
      case _ =>
        throw new BadBytes(
          s"column $path: the writer's schema has the oneof ${oneof.name} there, which cannot be read as ${to.sql}"
        )
    }

    private def field(
        owner: ProtoMessage,
        f: ProtoField,
        to: DataType,
        ordinal: Int,
        path: String
    ): ProtoFieldReader = {
      val from = typeOf(owner, f, path)
      (from, to) match {
        case (ProtoMap(key, value), MapType(keyType, valueType, _)) if !f.isRepeated =>
          val valueField = single(value, valueType, s"$path.value") match {
            case Left(scalar) => new ScalarField(scalar, zero(value, scalar), 1)
            case Right(message) if valueType.isInstanceOf[StructType] => new EntryValue(message, 1)
            case Right(message) => new MessageField(message, 1)
          }
          val keyReader = scalar(key, keyType, s"$path.key")
          val readers = Array[ProtoFieldReader](new ScalarField(keyReader, zero(key, keyReader), 0), valueField)
          new MapField(new ProtoFields(Array(1, 2), Array("key", "value"), readers), ordinal)
        case (_: ProtoMap, _) => unreadable(from, to, path)
        case (_, ArrayType(element, _)) if f.isRepeated =>
          single(from, element, s"$path.element") match {
            case Left(scalar) => new ScalarsField(scalar, ordinal)
            case Right(message) => new MessagesField(message, ordinal)
          }
        case _ if f.isRepeated => unreadable(from, to, path, "repeated ")
        case _ =>
          single(from, to, path) match {
            case Left(scalar) => new ScalarField(scalar, absent(f, from, to, scalar, path), ordinal)
            case Right(message) => new MessageField(message, ordinal)
          }
      }
    }

    private def typeOf(owner: ProtoMessage, f: ProtoField, path: String): ProtoType =
      try schema.typeOf(owner, f)
      catch { case bad: BadProto => throw new BadBytes(s"column $path: ${bad.reason}") }

    private def single(from: ProtoType, to: DataType, path: String): Either[ProtoScalarReader, ProtoMessageReader] =
      from match {
        case m: ProtoMessage => Right(messageReader(m, to, path))
        case other => Left(scalar(other, to, path))
      }

    def messageReader(m: ProtoMessage, to: DataType, path: String): ProtoMessageReader = (m.fullName, to) match {
      case (_, s: StructType) =>
        val columns = s.fields.toSeq.zipWithIndex.map { case (f, i) => Some((f.dataType, i)) }
        // Ordinals without a field stay null in a new row.
        new StructReader(s.length, fields(m, s.fieldNames.toSeq, columns, s"$path.")._1)
      case (ProtoTypes.timestamp, _: TimestampType | _: TimestampNTZType) => new TimestampReader
      case (ProtoTypes.date, _: DateType) => new DateReader
      case (ProtoTypes.timeOfDay, time) if TimeOfDay.is(time) => new TimeReader
      case (ProtoTypes.decimal, d: DecimalType) => new DecimalReader(d)
      case (name, _: StringType) if ProtoJson.messages.contains(name) => new ProtoJson.TextReader(name)
      case (name, _) if ProtoTypes.wrappers.contains(name) =>
        val wrapped = ProtoTypes.wrappers(name)
        val reader = scalar(wrapped, to, path)
        new WrapperReader(reader, zero(wrapped, reader))
      case _ => unreadable(m, to, path)
    }

    private def scalar(from: ProtoType, to: DataType, path: String): ProtoScalarReader = (from, to) match {
      case (e: ProtoEnum, _: StringType) => new EnumReader(e.values)
      case (ProtoScalar("bool"), _: BooleanType) => BooleanReader
      case (ProtoScalar("float"), _: FloatType) => FloatReader
      case (ProtoScalar("float"), _: DoubleType) => FloatAsDouble
      case (ProtoScalar("double"), _: DoubleType) => DoubleReader
      case (ProtoScalar("string" | "bytes"), _: StringType) => StringReader
      case (ProtoScalar("string" | "bytes"), _: BinaryType) => BytesReader
      case (ProtoScalar("bool" | "float" | "double" | "string" | "bytes"), _) => unreadable(from, to, path)
      case (ProtoScalar(name), _) =>
        val number = new Integral(name)
        val isShort = name.endsWith("32")
        to match {
          case _: LongType => new IntegralAsLong(number)
          case _: IntegerType if isShort => new IntegralAsInt(number)
          case _: ShortType if isShort => new IntegralAsShort(number)
          case _: ByteType if isShort => new IntegralAsByte(number)
          case _: DoubleType => new IntegralAs(number, to, _.doubleValue)
          case _: FloatType => new IntegralAs(number, to, _.floatValue)
          case d: DecimalType => new IntegralAs(number, to, FormatRules.exactDecimal(_, d))
          case _ => unreadable(from, to, path)
        }
      case _ => unreadable(from, to, path)
    }

    /** The value of a scalar column for an absent field. */
    private def absent(f: ProtoField, from: ProtoType, to: DataType, reader: ProtoScalarReader, path: String): Any =
      f.default match {
        case Some(default) =>
          val bytes = ProtoOutput.constant(from, default).getOrElse {
            throw new BadBytes(s"column $path: the default of the field ${f.name} is not of its type")
          }
          constant(reader, bytes)
        case None if f.hasPresence => null
        case None => zero(from, reader)
      }

    /** A type's default in the column's type. */
    private def zero(from: ProtoType, reader: ProtoScalarReader): Any = from match {
      case e: ProtoEnum => UTF8String.fromString(e.values.head._1)
      // Zero in every wire type: a 1-byte varint, 4 bytes, 8 bytes, and an empty length-delimited value.
      case _ => constant(reader, new Array[Byte](8))
    }

    private def constant(reader: ProtoScalarReader, bytes: Array[Byte]): Any = {
      val in = new ProtoInput
      in.reset(bytes, 0, bytes.length)
      reader.read(in)
    }
  }

  private def unreadable(from: ProtoType, to: DataType, path: String, before: String = ""): Nothing = {
    val found = before + ProtoTypes.describe(from)
    throw new BadBytes(s"column $path: the writer's schema has $found there, which cannot be read as ${to.sql}")
  }
}
