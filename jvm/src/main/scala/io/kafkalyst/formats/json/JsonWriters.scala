package io.kafkalyst.formats
package json

import java.nio.charset.StandardCharsets.UTF_8

import io.kafkalyst.formats.json.JsonShape.{isIntegral, Number, Text, Unscaled}
import io.kafkalyst.keys.CanonicalMaps
import io.kafkalyst.model.TimeOfDay
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

/**
 * Writes an object with its fields.
 *
 * @param absent   per field, how a null is written
 * @param defaults names and JSON texts of fields without a column
 */
private[formats] final class JsonObject(
    paths: Array[String],
    names: Array[String],
    writers: Array[JsonWriter],
    absent: Array[JsonObject.Absent],
    defaults: Seq[(String, String)]
) {

  private val quoted = names.map(JsonOutput.name)
  private val more = defaults.map { case (name, text) => JsonOutput.name(name) -> text.getBytes(UTF_8) }

  /** @param ordinals of the fields in the row */
  def write(g: JsonOutput, row: SpecializedGetters, ordinals: Array[Int]): Unit = {
    g.startObject()
    var i = 0
    while (i < names.length) {
      if (!row.isNullAt(ordinals(i))) {
        g.field(quoted(i))
        writers(i).write(g, row, ordinals(i))
      } else if (absent(i) == JsonObject.Null) {
        g.field(quoted(i))
        g.writeNull()
      } else if (absent(i) == JsonObject.Refused) JsonWriterBuilder.requireValue(paths(i))
      i += 1
    }
    more.foreach { case (name, text) =>
      g.field(name)
      g.writeRaw(text)
    }
    g.endObject()
  }
}

private[formats] object JsonObject {
  sealed trait Absent
  case object Null extends Absent
  case object LeftOut extends Absent
  case object Refused extends Absent
}

private[formats] object JsonWriterBuilder {
  private val key = JsonOutput.name("key")
  private val value = JsonOutput.name("value")

  def requireValue(path: String): Nothing =
    throw new NotWritable(path, "it is null, but the schema requires a value")
}

/**
 * Builds writers of columns as JSON. Errors: [[NotWritable]] for mismatches that affect every row.
 *
 * @param canonical  whether it writes a key that contains a MAP: entries are sorted, and NaN is rejected
 * @param standard   text form of dates and times: SQL or ISO-8601; None writes numbers, except for TIMESTAMP_NTZ
 * @param omitsNulls whether null fields that the schema does not require are left out
 * @param shortDecimals whether DECIMALs are written as `2.5` and `1E+2`, and not with all digits of their scale
 */
private[formats] final class JsonWriterBuilder(
    canonical: Boolean,
    standard: Option[String],
    omitsNulls: Boolean,
    shortDecimals: Boolean
) {

  // A Scala function would box the ordinal.
  private def writer(write: JsonWriter): JsonWriter = write

  /** @param path of the column, for errors */
  def of(t: DataType, path: String, shape: JsonShape): JsonWriter = (t, shape) match {
    case (_, JsonShape.OnlyNull) => writer((_, _, _) => throw new NotWritable(path, "the schema lets it only be null"))
    case (s: StructType, oneOf: JsonShape.OneOf) =>
      alternative(s, oneOf, path)
    case (_: StringType, _: JsonShape.Mixed | _: JsonShape.OneOf) =>
      writer((g, row, i) => JsonTexts.write(g, row.getUTF8String(i).toString, path))
    case (a: ArrayType, _: JsonShape.Items | _: JsonShape.Mixed | JsonShape.Free) =>
      val inner = JsonShape.item(shape)
      array(of(a.elementType, s"$path.element", inner), inner, s"$path.element")
    case (m: MapType, _: JsonShape.Members | _: JsonShape.Entries | _: JsonShape.Mixed | JsonShape.Free) =>
      val inner = JsonShape.value(shape)
      map(
        m.keyType,
        of(m.valueType, s"$path.value", inner),
        inner,
        s"$path.value",
        shape.isInstanceOf[JsonShape.Entries]
      )
    case (s: StructType, _: JsonShape.Fields | _: JsonShape.Mixed | JsonShape.Free) =>
      val inner = fields(s, s"$path.", shape)
      val ordinals = s.indices.toArray
      writer((g, row, i) => inner.write(g, row.getStruct(i, ordinals.length), ordinals))
    case (_, s: JsonShape.Scalar) => scalar(t, s, path)
    case (_, JsonShape.Free | _: JsonShape.Mixed) => free(t, path)
    case _ => refuse(t, path, "an array or object of another form")
  }

  /** Writes the first alternative of the struct that is not null. */
  private def alternative(t: StructType, shape: JsonShape.OneOf, path: String): JsonWriter = {
    val fields = JsonOneOf.ordinals(t, shape).zip(shape.members).collect {
      case (i, member) if i >= 0 =>
        i -> of(t(i).dataType, s"$path.${t(i).name}", member.get)
    }
    writer { (g, row, ordinal) =>
      val struct = row.getStruct(ordinal, t.length)
      fields.find { case (i, _) => !struct.isNullAt(i) } match {
        case Some((i, member)) => member.write(g, struct, i)
        case None => g.writeNull()
      }
    }
  }

  /** Writes the fields of an object from columns. */
  def fields(columns: StructType, path: String, shape: JsonShape): JsonObject = {
    val shapes = JsonShape.fields(shape, columns.fieldNames.toSeq)
    val (known, fed, open) = shape match {
      case f: JsonShape.Fields => (f.fields, JsonShape.matching(f, columns.fieldNames.toSeq), f.open)
      case _ => (Nil, Array.emptyIntArray, true)
    }
    val absent = columns.indices.map { i =>
      val field = known.lift(fed.indexOf(i))
      if (field.isEmpty && !open) {
        throw new NotWritable(path + columns(i).name, "the schema has no such field, and takes no other")
      }
      if (omitsNulls && !field.exists(_.required)) JsonObject.LeftOut
      else if (shapes(i).nullable) JsonObject.Null
      else if (field.exists(_.required)) JsonObject.Refused
      else JsonObject.LeftOut
    }
    val missing = known.indices.filter(fed(_) < 0).map(known).filter(f => f.required || f.default != null)
    missing.find(_.default == null).foreach { f =>
      throw new NotWritable(path + f.name, "no column feeds it, and the schema gives it no default")
    }
    new JsonObject(
      columns.fieldNames.map(path + _),
      columns.fieldNames.indices.map(i => known.lift(fed.indexOf(i)).map(_.name).getOrElse(columns(i).name)).toArray,
      columns.fields.zip(shapes).map { case (f, s) => of(f.dataType, path + f.name, s) },
      absent.toArray,
      missing.map(f => (f.name, f.default))
    )
  }

  /** A scalar in its schema's form; values that a reader of that schema would reject are rejected. */
  private def scalar(t: DataType, s: JsonShape.Scalar, path: String): JsonWriter = (t, s.form, s.dataType) match {
    case (_: BooleanType, JsonShape.Boolean, _) => free(t, path)
    case (_, Number, to) if isIntegral(t) && isIntegral(to) && t.defaultSize <= to.defaultSize => free(t, path)
    case (_, Number, _: FloatType | _: DoubleType) if isIntegral(t) => free(t, path)
    case (_: FloatType, Number, _: FloatType | _: DoubleType) => free(t, path)
    case (_: DoubleType, Number, _: DoubleType) => free(t, path)
    case (_: DoubleType, Number, _: FloatType) =>
      val whole = free(t, path)
      writer { (g, row, i) =>
        NotWritable.float(path, row.getDouble(i))
        whole.write(g, row, i)
      }
    case (_: IntegerType, Number, _: ShortType | _: ByteType) =>
      val last = if (s.dataType == ByteType) Byte.MaxValue.toInt else Short.MaxValue.toInt
      writer { (g, row, i) =>
        val n = row.getInt(i)
        if (n > last || n < -last - 1) throw new NotWritable(path, s"$n does not fit the schema's ${s.dataType.sql}")
        g.writeLong(n.toLong)
      }
    case (_: DecimalType, Number, _: DoubleType) => free(t, path)
    case (d: DecimalType, Number, _: LongType) if d.scale == 0 && d.precision <= Decimal.MAX_LONG_DIGITS =>
      free(t, path)
    case (d: DecimalType, Number, to: DecimalType) =>
      writer((g, row, i) => g.writeDecimal(decimal(row, i, d, to, path).toJavaBigDecimal))
    case (d: DecimalType, Unscaled(scale), to: DecimalType) => writer { (g, row, i) =>
        val value = decimal(row, i, d, to, path).toJavaBigDecimal
        val scaled =
          try value.setScale(scale)
          catch {
            case _: ArithmeticException =>
              throw new NotWritable(path, s"$value has digits that the schema's scale of $scale lacks")
          }
        g.writeBase64(scaled.unscaledValue.toByteArray)
      }
    case (d: DecimalType, Text, _: StringType) =>
      writer((g, row, i) => g.writeString(row.getDecimal(i, d.precision, d.scale).toJavaBigDecimal.toPlainString))
    case (_: StringType, Text, _: StringType) => free(t, path)
    case (_: BinaryType, Text, _: BinaryType | _: StringType) => free(t, path)
    case (_: DateType, Number, _: DateType | _: IntegerType | _: LongType) =>
      writer((g, row, i) => g.writeLong(row.getInt(i).toLong))
    case (_: TimestampType | _: TimestampNTZType, Number, _: TimestampType | _: LongType) =>
      writer((g, row, i) => g.writeLong(Math.floorDiv(row.getLong(i), 1000L)))
    case (time, Number, _: IntegerType | _: LongType) if TimeOfDay.is(time) => free(t, path)
    case (_: DateType, Text, _: StringType) => writer((g, row, i) => g.writeString(JsonTimes.date(row.getInt(i))))
    case (_: TimestampType, Text, _: StringType) =>
      writer((g, row, i) => g.writeString(JsonTimes.instant(row.getLong(i))))
    case (_: TimestampNTZType, Text, _: StringType | _: TimestampNTZType) => free(t, path)
    case _ =>
      refuse(t, path, if (s.form.isInstanceOf[Unscaled]) s"${s.dataType.sql} in base64" else s"${s.dataType.sql}")
  }

  private def refuse(t: DataType, path: String, to: String): Nothing =
    throw new NotWritable(path, s"${t.sql} cannot be written where the schema takes $to")

  private def decimal(row: SpecializedGetters, i: Int, from: DecimalType, to: DecimalType, path: String): Decimal = {
    val value = row.getDecimal(i, from.precision, from.scale).toJavaBigDecimal
    val exact = FormatRules.exactDecimal(value, to)
    if (exact == null) throw new NotWritable(path, s"$value does not fit the schema's ${to.sql}")
    exact
  }

  /** Writes a value by the column's type alone. */
  private def free(t: DataType, path: String): JsonWriter = t match {
    case _: BooleanType => writer((g, row, i) => g.writeBoolean(row.getBoolean(i)))
    case _: ByteType => writer((g, row, i) => g.writeLong(row.getByte(i).toLong))
    case _: ShortType => writer((g, row, i) => g.writeLong(row.getShort(i).toLong))
    case _: IntegerType => writer((g, row, i) => g.writeLong(row.getInt(i).toLong))
    case _: LongType => writer((g, row, i) => g.writeLong(row.getLong(i)))
    case _: FloatType => writer { (g, row, i) =>
        if (canonical && row.getFloat(i).isNaN) throw new NotWritable(path, NotWritable.nan)
        g.writeFloat(row.getFloat(i))
      }
    case _: DoubleType => writer { (g, row, i) =>
        if (canonical && row.getDouble(i).isNaN) throw new NotWritable(path, NotWritable.nan)
        g.writeDouble(row.getDouble(i))
      }
    case d: DecimalType if shortDecimals =>
      writer((g, row, i) => g.writeShort(row.getDecimal(i, d.precision, d.scale).toJavaBigDecimal))
    case d: DecimalType => writer { (g, row, i) =>
        val n = row.getDecimal(i, d.precision, d.scale)
        if (n.scale == d.scale && d.precision <= Decimal.MAX_LONG_DIGITS) g.writeDecimal(n.toUnscaledLong, d.scale)
        else g.writeDecimal(n.toJavaBigDecimal.setScale(d.scale))
      }
    case _: StringType => writer((g, row, i) => g.writeString(row.getUTF8String(i)))
    case _: BinaryType => writer((g, row, i) => g.writeBase64(row.getBinary(i)))
    case _: DateType if standard.isDefined => writer((g, row, i) => g.writeString(JsonTimes.date(row.getInt(i))))
    case _: TimestampType if standard.isDefined =>
      writer((g, row, i) => g.writeString(JsonTimes.instant(row.getLong(i), standard.get)))
    case _: TimestampNTZType if standard.isDefined =>
      writer((g, row, i) => g.writeString(JsonTimes.local(row.getLong(i), standard.get)))
    case _: DateType => writer((g, row, i) => g.writeLong(row.getInt(i).toLong))
    case _: TimestampType => writer { (g, row, i) =>
        val micros = row.getLong(i)
        if (micros % 1000 == 0) g.writeLong(micros / 1000) else g.writeDecimal(micros, 3)
      }
    case _: TimestampNTZType => writer((g, row, i) => g.writeString(JsonTimes.local(row.getLong(i))))
    case _: YearMonthIntervalType => writer((g, row, i) => g.writeLong(row.getInt(i).toLong))
    case _: DayTimeIntervalType => writer((g, row, i) => g.writeLong(Math.floorDiv(row.getLong(i), 1000L)))
    case VariantType => JsonVariants.writer
    case time if TimeOfDay.is(time) && standard.isDefined =>
      writer((g, row, i) => g.writeString(JsonTimes.time(row.getLong(i))))
    case time if TimeOfDay.is(time) => writer((g, row, i) => g.writeLong(TimeOfDay.toMillis(row.getLong(i))))
    case other => throw new IllegalArgumentException(s"validate lets no ${other.sql} through")
  }

  private def array(item: JsonWriter, shape: JsonShape, path: String): JsonWriter = writer { (g, row, ordinal) =>
    val items = row.getArray(ordinal)
    g.startArray()
    var i = 0
    while (i < items.numElements()) {
      if (!shape.nullable && items.isNullAt(i)) JsonWriterBuilder.requireValue(path)
      g.item()
      item.orNull(g, items, i)
      i += 1
    }
    g.endArray()
  }

  /** @param asEntries whether the map is an array of objects with key and value */
  private def map(
      keyType: DataType,
      value: JsonWriter,
      shape: JsonShape,
      path: String,
      asEntries: Boolean
  ): JsonWriter = {
    val isText = keyType.isInstanceOf[StringType]
    writer { (g, row, ordinal) =>
      val entries = row.getMap(ordinal)
      val keys = entries.keyArray()
      val values = entries.valueArray()
      val order = if (canonical) CanonicalMaps.order(entries) else null
      if (asEntries) g.startArray() else g.startObject()
      var i = 0
      while (i < entries.numElements()) {
        val at = if (order == null) i else order(i)
        if (!shape.nullable && values.isNullAt(at)) JsonWriterBuilder.requireValue(path)
        val key = if (isText) keys.getUTF8String(at) else UTF8String.fromString(keys.get(at, keyType).toString)
        if (asEntries) {
          g.item()
          g.startObject()
          g.field(JsonWriterBuilder.key)
          g.writeString(key)
          g.field(JsonWriterBuilder.value)
        } else g.field(key)
        value.orNull(g, values, at)
        if (asEntries) g.endObject()
        i += 1
      }
      if (asEntries) g.endArray() else g.endObject()
    }
  }
}
