package io.kafkalyst.formats
package avro

import java.io.ByteArrayOutputStream

import scala.jdk.CollectionConverters._
import scala.util.control.NonFatal

import io.kafkalyst.formats.avro.AvroWriters._
import io.kafkalyst.model.TimeOfDay
import org.apache.avro.{LogicalTypes, Schema}
import org.apache.avro.Schema.Type
import org.apache.avro.generic.{GenericData, GenericDatumWriter}
import org.apache.avro.io.EncoderFactory
import org.apache.spark.sql.types._

/**
 * Builds writers of columns for an Avro schema. Errors: [[NotWritable]] for mismatches that affect every row.
 *
 * @param canonical whether it writes a key that contains a MAP: entries are sorted, and NaN, which has many bit
 *                  patterns, is rejected
 * @param unit      what a plain number counts in a column of timestamps, see [[AvroLogical]]; None if it is not known
 */
private[formats] final class AvroWriterBuilder(canonical: Boolean, unit: Option[String]) {

  /** Writes the fields of a record from columns, given as name, type and ordinal. */
  def fields(schema: Schema, columns: Seq[(String, DataType, Int)], path: String): AvroWriter = {
    val written = schema.getFields.asScala.toSeq
    val fed = FieldIndex.written(written.map(_.name), columns.map(_._1), path)
    val steps = written.zip(fed).map { case (field, column) =>
      if (column < 0) (absent(field, path + field.name), -1)
      else {
        val (_, dataType, ordinal) = columns(column)
        (writer(field.schema, dataType, path + field.name), ordinal)
      }
    }
    new FieldsWriter(steps.map(_._1).toArray, steps.map(_._2).toArray)
  }

  /** Writes a field that has no column. */
  private def absent(field: Schema.Field, path: String): AvroWriter =
    if (field.hasDefaultValue) {
      val bytes = new ByteArrayOutputStream
      val encoder = EncoderFactory.get().binaryEncoder(bytes, null)
      try new GenericDatumWriter[Any](field.schema).write(GenericData.get().getDefaultValue(field), encoder)
      catch {
        case NonFatal(_) => throw new NotWritable(path, "no column feeds it, and its default does not fit its type")
      }
      encoder.flush()
      new ConstantWriter(bytes.toByteArray)
    } else {
      field.schema.getType match {
        case Type.NULL => new ConstantWriter(Array.emptyByteArray)
        case Type.UNION if nullBranch(field.schema) >= 0 => new BranchWriter(nullBranch(field.schema))
        case _ => throw new NotWritable(path, "no column feeds it, and the schema gives it no default")
      }
    }

  private def nullBranch(union: Schema): Int = union.getTypes.asScala.indexWhere(_.getType == Type.NULL)

  /** Writes a nullable column with this schema. */
  def writer(schema: Schema, from: DataType, path: String): AvroWriter =
    if (schema.getType == Type.NULL) new OnlyNullWriter(path)
    else if (schema.getType != Type.UNION) new RequiredWriter(path, value(schema, from, path))
    else {
      val branches = schema.getTypes.asScala.toSeq
      val values = branches.filter(_.getType != Type.NULL)
      AvroSchemas.membersOf(from, values) match {
        case Some((s, of)) if values.size > 1 =>
          val members = s.fields.toSeq.zip(of).map { case (f, branch) =>
            (branches.indexWhere(_ eq branch), writer(branch, f.dataType, s"$path.${f.name}"))
          }
          new MembersWriter(path, nullBranch(schema), members.map(_._1).toArray, members.map(_._2).toArray)
        case _ =>
          // The branch that is read back as exactly the column's type, else the first that can hold it.
          val exact = values.filter(AvroSchemas.isExactly(_, from))
          var refused: NotWritable = null
          val found = (exact ++ values).iterator.flatMap { branch =>
            try Some((branches.indexWhere(_ eq branch), value(branch, from, path)))
            catch {
              case e: NotWritable =>
                if (refused == null) refused = e
                None
            }
          }
          val (branch, writes) = found.nextOption().getOrElse {
            throw if (refused == null) new NotWritable(path, "the schema lets it only be null") else refused
          }
          new NullableWriter(path, nullBranch(schema), branch, writes)
      }
    }

  /** Writes a non-null column. */
  private def value(schema: Schema, from: DataType, path: String): AvroWriter =
    logicalValue(AvroLogical.of(schema, from, null, unit), from, path)

  private def logicalValue(schema: Schema, from: DataType, path: String): AvroWriter = (schema.getType, from) match {
    case (Type.BOOLEAN, _: BooleanType) => BooleanWriter
    case (Type.INT | Type.LONG, _: ByteType) => ByteWrites
    case (Type.INT | Type.LONG, _: ShortType) => ShortWrites
    case (Type.INT | Type.LONG, _: IntegerType) => IntWrites
    case (Type.LONG, _: LongType) => LongWrites
    case (Type.INT, _: DateType) if logical(schema) == "date" => IntWrites
    // Flink and Connect have no other encoding for TIMESTAMP without a zone.
    case (Type.LONG, _: TimestampType | _: TimestampNTZType) if logical(schema).startsWith("timestamp-") =>
      timestamp(logical(schema), path)
    case (Type.LONG, _: TimestampNTZType) if logical(schema).startsWith("local-timestamp-") =>
      timestamp(logical(schema).stripPrefix("local-"), path)
    case (Type.INT, time) if TimeOfDay.is(time) && logical(schema) == "time-millis" => TimeMillisWrites
    case (Type.LONG, time) if TimeOfDay.is(time) && logical(schema) == "time-micros" => TimeMicrosWrites
    case (Type.FLOAT, _: FloatType) => noNaN(path, from, FloatWrites)
    case (Type.FLOAT, _: DoubleType) => noNaN(path, from, new DoubleAsFloat(path))
    case (Type.DOUBLE, _: FloatType) => noNaN(path, from, FloatAsDouble)
    case (Type.DOUBLE, _: DoubleType) => noNaN(path, from, DoubleWrites)
    case (Type.DOUBLE, _: IntegerType) => IntAsDouble
    case (Type.STRING, _: StringType) => StringWrites
    case (Type.BYTES, _: StringType) if schema.getLogicalType == null => StringWrites
    case (Type.ENUM, _: StringType) => new EnumWriter(path, schema.getEnumSymbols.asScala.toSeq)
    case (Type.BYTES, _: BinaryType) => BinaryWrites
    case (Type.FIXED, _: StringType) if AvroSchemas.isUuid(schema) => new UuidWriter(path)
    case (Type.FIXED, s: StructType) if AvroSchemas.isDuration(schema) && s.sql == AvroSchemas.duration.sql =>
      new DurationWriter(path)
    case (Type.FIXED, _: BinaryType) => new FixedWriter(path, schema.getFixedSize)
    case (Type.BYTES | Type.FIXED, d: DecimalType) if schema.getLogicalType.isInstanceOf[LogicalTypes.Decimal] =>
      val to = schema.getLogicalType.asInstanceOf[LogicalTypes.Decimal]
      val size = if (schema.getType == Type.FIXED) schema.getFixedSize else -1
      new DecimalWriter(path, d, to.getPrecision, to.getScale, size)
    case (Type.ARRAY, a: ArrayType) => new ArrayWriter(writer(schema.getElementType, a.elementType, s"$path.element"))
    case (Type.MAP, MapType(_: StringType, v, _)) =>
      new MapWriter(canonical, StringWrites, writer(schema.getValueType, v, s"$path.value"))
    case (Type.ARRAY, MapType(k: StringType, v, _)) if AvroSchemas.entryOf(schema).isDefined =>
      val fields = AvroSchemas.entryOf(schema).get.getFields.asScala
      def of(name: String, t: DataType) = writer(fields.find(_.name == name).get.schema, t, s"$path.$name")
      new MapWriter(canonical, of("key", k), of("value", v), valueFirst = fields.head.name == "value")
    case (Type.RECORD, s: StructType) =>
      val columns = s.fields.toSeq.zipWithIndex.map { case (f, i) => (f.name, f.dataType, i) }
      new StructWriter(s.length, fields(schema, columns, s"$path."))
    case _ =>
      val known = if (schema.getLogicalType == null) "" else s" (${logical(schema)})"
      throw new NotWritable(path, s"${from.sql} cannot be written as the schema's ${schema.getType.getName}$known")
  }

  private def noNaN(path: String, from: DataType, writes: AvroWriter): AvroWriter =
    if (canonical) new NoNaNWriter(path, from == FloatType, writes) else writes

  private def timestamp(unit: String, path: String): AvroWriter = unit match {
    case "timestamp-millis" => MillisWrites
    case "timestamp-nanos" => new NanosWriter(path)
    case _ => LongWrites
  }

  private def logical(schema: Schema): String = if (schema.getLogicalType == null) "" else schema.getLogicalType.getName
}
