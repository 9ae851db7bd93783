package io.kafkalyst.formats

import java.io.ByteArrayOutputStream
import java.util.Base64

import com.fasterxml.jackson.core.{JsonFactory, JsonGenerator}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters
import org.apache.spark.sql.types._

/**
 * Writes columns in their order; every column is there, as null where it is null. Decimals are plain numbers with
 * their scale.
 *
 * Errors: KafkalystTaskException VALUE_NOT_WRITABLE for NaN and infinities, which JSON has no number for.
 */
private[formats] final class JsonEncoder(request: EncodeRequest) extends Encoder {
  private val sources = request.sources
  private val wrapped = FormatRules.wrapped(request.side, request.format, sources.length)
  private val writers = sources.map(s => JsonWriters.of(s.dataType, s.name))
  private val out = new ByteArrayOutputStream(256)

  override def encode(row: InternalRow): Array[Byte] =
    if (!wrapped && row.isNullAt(sources.head.ordinal)) null
    else
      NotWritable.guard(request) {
        out.reset()
        val generator = JsonEncoder.factory.createGenerator(out)
        if (!wrapped) writers.head.write(generator, row, sources.head.ordinal)
        else {
          generator.writeStartObject()
          var i = 0
          while (i < sources.length) {
            generator.writeFieldName(sources(i).name)
            writers(i).orNull(generator, row, sources(i).ordinal)
            i += 1
          }
          generator.writeEndObject()
        }
        generator.close()
        out.toByteArray
      }
}

private object JsonEncoder {
  private val factory: JsonFactory = new JsonFactory().enable(JsonGenerator.Feature.WRITE_BIGDECIMAL_AS_PLAIN)
}

/** Writes one value, taken from a row or an array. */
private[formats] abstract class JsonWriter {

  /** @param row not null at the ordinal */
  def write(g: JsonGenerator, row: SpecializedGetters, ordinal: Int): Unit

  def orNull(g: JsonGenerator, row: SpecializedGetters, ordinal: Int): Unit =
    if (row.isNullAt(ordinal)) g.writeNull() else write(g, row, ordinal)
}

private[formats] object JsonWriters {
  private def writer(write: (JsonGenerator, SpecializedGetters, Int) => Unit): JsonWriter =
    (g: JsonGenerator, row: SpecializedGetters, ordinal: Int) => write(g, row, ordinal)

  def of(t: DataType, path: String): JsonWriter = t match {
    case _: BooleanType => writer((g, row, i) => g.writeBoolean(row.getBoolean(i)))
    case _: ByteType => writer((g, row, i) => g.writeNumber(row.getByte(i).toInt))
    case _: ShortType => writer((g, row, i) => g.writeNumber(row.getShort(i).toInt))
    case _: IntegerType => writer((g, row, i) => g.writeNumber(row.getInt(i)))
    case _: LongType => writer((g, row, i) => g.writeNumber(row.getLong(i)))
    case _: FloatType => writer { (g, row, i) =>
        val f = row.getFloat(i)
        if (f.isNaN || f.isInfinite) throw new NotWritable(path, s"JSON has no number for $f")
        g.writeNumber(f)
      }
    case _: DoubleType => writer { (g, row, i) =>
        val d = row.getDouble(i)
        if (d.isNaN || d.isInfinite) throw new NotWritable(path, s"JSON has no number for $d")
        g.writeNumber(d)
      }
    case d: DecimalType =>
      writer((g, row, i) => g.writeNumber(row.getDecimal(i, d.precision, d.scale).toJavaBigDecimal.setScale(d.scale)))
    case _: StringType => writer((g, row, i) => g.writeString(row.getUTF8String(i).toString))
    case _: BinaryType => writer((g, row, i) => g.writeString(Base64.getEncoder.encodeToString(row.getBinary(i))))
    case _: DateType => writer((g, row, i) => g.writeString(JsonTimes.date(row.getInt(i))))
    case _: TimestampType => writer((g, row, i) => g.writeString(JsonTimes.instant(row.getLong(i))))
    case _: TimestampNTZType => writer((g, row, i) => g.writeString(JsonTimes.local(row.getLong(i))))
    case a: ArrayType => array(of(a.elementType, s"$path.element"))
    case m: MapType => map(of(m.valueType, s"$path.value"))
    case s: StructType => struct(s.fieldNames, s.fields.map(f => of(f.dataType, s"$path.${f.name}")))
    case other => throw new IllegalArgumentException(s"validate lets no ${other.sql} through")
  }

  private def array(item: JsonWriter): JsonWriter = writer { (g, row, ordinal) =>
    val items = row.getArray(ordinal)
    g.writeStartArray()
    var i = 0
    while (i < items.numElements()) {
      item.orNull(g, items, i)
      i += 1
    }
    g.writeEndArray()
  }

  private def map(value: JsonWriter): JsonWriter = writer { (g, row, ordinal) =>
    val entries = row.getMap(ordinal)
    val keys = entries.keyArray()
    val values = entries.valueArray()
    g.writeStartObject()
    var i = 0
    while (i < entries.numElements()) {
      g.writeFieldName(keys.getUTF8String(i).toString)
      value.orNull(g, values, i)
      i += 1
    }
    g.writeEndObject()
  }

  private def struct(names: Array[String], writers: Array[JsonWriter]): JsonWriter = writer { (g, row, ordinal) =>
    val fields = row.getStruct(ordinal, names.length)
    g.writeStartObject()
    var i = 0
    while (i < names.length) {
      g.writeFieldName(names(i))
      writers(i).orNull(g, fields, i)
      i += 1
    }
    g.writeEndObject()
  }
}
