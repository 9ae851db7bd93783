package io.kafkalyst.formats
package avro

import scala.jdk.CollectionConverters._

import io.kafkalyst.formats.avro.AvroReaders._
import io.kafkalyst.model.TimeOfDay
import org.apache.avro.{LogicalTypes, Schema}
import org.apache.avro.Schema.Type
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

/**
 * Decodes the bytes of one writer's schema into the required columns: resolved once per schema, then run per record.
 *
 * Types: Avro's promotions; decimals without loss; times by the column's type; a union of null and one type as that
 * type; any other union as a struct of its members. A number with a logical type can also be read as the plain number,
 * and a plain number by the logical type of the table's schema, or else by the column's type.
 * A column without a field in the writer's schema gets the default from the table's schema, else null; a field without
 * a column is skipped. All bytes are parsed, so that truncated or foreign bytes are detected whatever columns are
 * required.
 *
 * @param root reads a whole body and sets every target
 */
private[formats] final class AvroProgram(root: AvroReader, ordinal: Int) {
  private val in = new ByteReader

  /** Sets every target of the row. Errors: [[BadBytes]]. */
  def run(bytes: Array[Byte], offset: Int, length: Int, row: InternalRow): Unit = {
    in.reset(bytes, offset, length)
    root.into(in, row, ordinal)
    if (in.remaining != 0) in.bad(s"${in.remaining} bytes more than the schema describes")
  }
}

private[formats] object AvroProgram {

  /**
   * Resolves a writer's schema against the columns of a side.
   *
   * @param declared all columns of the side, which decide what a field may feed
   * @param targets  the required columns
   * @param wrapped  whether the side is a record of its columns; a schema that clearly is or is not decides itself
   * @param record   full name of the record to use if a union has several; other records are bad bytes
   * @param table    the table's own schema; its aliases and defaults apply if the writer's schema lacks a field
   * @param isUpper  which columns fields in another case feed, see [[FieldIndex]]
   * @param unit     what a plain number counts in a column of timestamps, see [[AvroLogical]]; None if it is not known
   * @throws BadBytes if a column cannot be read from its field, with the path of the field
   */
  def of(
      written: Schema,
      declared: Seq[String],
      targets: Array[Target],
      wrapped: Boolean,
      record: Option[String] = None,
      table: Option[Schema] = None,
      isUpper: Boolean = false,
      unit: Option[String] = None
  ): AvroProgram = {
    implicit val building: Building = new Building(isUpper, unit)
    val writer = table.fold(written)(AvroDefaults.renamed(written, _))
    val own = table.flatMap(AvroSchemas.chosen(_, record).toOption).flatMap(AvroSchemas.recordOf).orNull
    // Of several records in a union, only the named one holds these columns.
    val several = record.isDefined && writer.getType == Type.UNION &&
      writer.getTypes.asScala.count(_.getType == Type.RECORD) > 1
    def root(schema: Schema): AvroReader = schema.getType match {
      case Type.UNION =>
        new UnionReader(schema.getTypes.asScala.map { branch =>
          if (!several || branch.getType == Type.NULL || record.contains(branch.getFullName)) root(branch)
          else new UnreadableReader(s"it is a ${branch.getFullName}, not the ${record.get} of SCHEMA_FULL_NAME")
        }.toArray)
      case Type.NULL => new ClearReader(targets.map(_.ordinal))
      case Type.RECORD if wrapped || !targets.forall(_.dataType.isInstanceOf[StructType]) =>
        val asked = targets.reverseIterator.map(t => t.name -> (t.dataType, t.ordinal)).toMap
        fields(schema, declared, declared.map(asked.getOrElse(_, null)), "", own)
      case _ if declared.size == 1 =>
        val target = targets.headOption
        if (target.isEmpty) building.skips.of(schema)
        else {
          val read = reader(schema, target.get.dataType, target.get.name, table.orNull)
          if ((schema eq writer) && schema.getType == Type.BYTES) new RestReader(target.get.dataType, schema) else read
        }
      case other =>
        throw new BadBytes(
          s"the writer's schema is a bare ${other.getName}, but ${declared.size} columns are declared on this side"
        )
    }
    // A union that mixes a record with other types can only be one column's value.
    val bare = declared.size == 1 && targets.nonEmpty && !several && writer.getType == Type.UNION &&
      writer.getTypes.asScala.count(_.getType != Type.NULL) > 1
    val program = if (bare) reader(writer, targets.head.dataType, targets.head.name, table.orNull) else root(writer)
    new AvroProgram(program, targets.headOption.map(_.ordinal).getOrElse(0))
  }

  /** Reads a whole body as one value, resolved to the table's own schema; errors as in [[of]]. */
  def value(written: Schema, to: DataType, column: String, table: Option[Schema]): AvroReader = {
    implicit val building: Building = new Building(isUpper = false, unit = None)
    reader(table.fold(written)(AvroDefaults.renamed(written, _)), to, column, table.orNull)
  }

  /** The state of building one program. Its size is limited, as a short schema can expand to any number of readers. */
  private final class Building(val isUpper: Boolean, val unit: Option[String]) {
    val skips = new AvroSkips.Builder
    private var size = 0

    def isFull: Boolean = size > mostParts

    def add(parts: Int): Unit = {
      size += parts
      if (isFull) throw new BadBytes(s"it has more than $mostParts fields and branches, those within others counted")
    }
  }

  // Far more than the largest type of columns.
  private val mostParts = 250000

  /** Sets every target to null: the body is a bare null. */
  private final class ClearReader(ordinals: Array[Int]) extends AvroReader {
    override def read(in: ByteReader): Any = null
    override def into(in: ByteReader, row: InternalRow, ordinal: Int): Unit = ordinals.foreach(row.setNullAt)
  }

  /** Reads the fields of a record in the writer's order, each into its ordinal of one row. */
  private final class FieldsReader(
      names: Array[String],
      readers: Array[AvroReader],
      ordinals: Array[Int],
      missing: Array[Int]
  ) extends AvroReader {
    override def read(in: ByteReader): Any = throw new IllegalStateException("fields belong to a row")

    override def into(in: ByteReader, row: InternalRow, unused: Int): Unit = {
      var i = 0
      try {
        while (i < readers.length) {
          readers(i).into(in, row, ordinals(i))
          i += 1
        }
      } catch { case bad: BadBytes => throw if (names(i) == null) bad else AvroPath.within(names(i), bad) }
      i = 0
      while (i < missing.length) {
        row.setNullAt(missing(i))
        i += 1
      }
    }
  }

  /** Reads a nested record as its own row. */
  private final class StructReader(width: Int, fields: FieldsReader) extends AvroReader {
    override def read(in: ByteReader): Any = {
      in.count(width + 1)
      val row = new GenericInternalRow(width)
      fields.into(in, row, 0)
      row
    }
  }

  /**
   * @param wanted type and ordinal per declared name; null if not required
   * @param table  the record in the table's own schema; null if it has none
   */
  private def fields(
      writer: Schema,
      declared: Seq[String],
      wanted: Seq[(DataType, Int)],
      path: String,
      table: Schema
  )(implicit building: Building): FieldsReader = {
    building.add(writer.getFields.size)
    val (names, columns) = (declared.toIndexedSeq, wanted.toIndexedSeq)
    val written = writer.getFields.asScala.toSeq
    val defaults = AvroDefaults.fields(table, declared)
    val fed = FieldIndex.read(written.map(_.name), declared, path, building.isUpper)
    val steps = Seq.newBuilder[(String, AvroReader, Int)]
    val passed = Seq.newBuilder[Schema.Field]
    def pass(): Unit = {
      val run = passed.result()
      // The run adds field names to errors itself.
      if (run.nonEmpty) steps += ((null, building.skips.run(run), 0))
      passed.clear()
    }
    written.zip(fed).foreach { case (field, column) =>
      if (column < 0 || columns(column) == null) passed += field
      else {
        pass()
        val (dataType, ordinal) = columns(column)
        val inTable = if (defaults(column) == null) null else defaults(column).schema
        steps += ((field.name, reader(field.schema, dataType, path + field.name, inTable), ordinal))
      }
    }
    pass()
    val found = fed.toSet
    val lacking = columns.indices.filter(c => columns(c) != null && !found(c))
    val missing = lacking.flatMap { c =>
      val (dataType, ordinal) = columns(c)
      val default = AvroDefaults.reader(defaults(c))(reader(_, dataType, path + names(c)))
      default.foreach(d => steps += ((null, d, ordinal)))
      if (default.isEmpty) Some(ordinal) else None
    }
    val all = steps.result()
    new FieldsReader(all.map(_._1).toArray, all.map(_._2).toArray, all.map(_._3).toArray, missing.toArray)
  }

  /** @param table the corresponding part of the table's own schema; null if there is none, or if it is irrelevant */
  private def reader(writer: Schema, to: DataType, path: String, table: Schema = null)(implicit
      building: Building
  ): AvroReader = {
    building.add(1)
    if (writer.getType == Type.UNION) union(writer, to, path, table)
    else if (writer.getType == Type.NULL) NullReader
    else AvroUnions.members(to, table) match {
      case Some(members) => member(writer, members, path, table)
      case None =>
        val own = AvroUnions.branch(writer, table)
        plain(AvroLogical.of(writer, to, own, building.unit), to, path, own)
    }
  }

  /** Reads a value of a branch of the table's union as the branch's member. */
  private def member(writer: Schema, members: AvroUnions.Members, path: String, table: Schema)(implicit
      building: Building
  ): AvroReader = {
    val (struct, of) = members
    AvroUnions.branch(writer, table) match {
      case null => new UnreadableReader(s"column $path: the table's schema has no ${describe(writer)} there")
      case branch =>
        val at = of.indexWhere(_ eq branch)
        if (at < 0) new MemberReader(struct.length, 0, building.skips.of(writer))
        else
          new MemberReader(
            struct.length,
            at,
            attempt(reader(writer, struct(at).dataType, s"$path.${struct(at).name}", branch))
          )
    }
  }

  /** A branch that cannot be read is an error only for the records that use it. */
  private def attempt(made: => AvroReader)(implicit building: Building): AvroReader =
    try made
    catch { case bad: BadBytes if !building.isFull => new UnreadableReader(bad.reason) }

  private def plain(writer: Schema, to: DataType, path: String, table: Schema)(implicit
      building: Building
  ): AvroReader =
    (writer.getType, to) match {
      case (Type.BOOLEAN, _: BooleanType) => BooleanReader
      case (Type.INT, _: ByteType) => ByteColumn
      case (Type.INT, _: ShortType) => ShortColumn
      case (Type.INT, _: IntegerType) => IntReader
      case (Type.INT, _: DateType) if logical(writer) == "date" => IntReader
      case (Type.INT, _: LongType) => IntAsLong
      case (Type.LONG, _: LongType) => LongReader
      // Flink and Connect have no other encoding for TIMESTAMP without a zone.
      case (Type.LONG, _: TimestampType | _: TimestampNTZType) if logical(writer).startsWith("timestamp-") =>
        timestamp(logical(writer))
      case (Type.LONG, _: TimestampNTZType) if logical(writer).startsWith("local-timestamp-") =>
        timestamp(logical(writer).stripPrefix("local-"))
      case (Type.INT, time) if TimeOfDay.is(time) && logical(writer) == "time-millis" => TimeReader
      case (Type.LONG, time) if TimeOfDay.is(time) && logical(writer) == "time-micros" => MicrosTimeReader
      case (Type.INT | Type.LONG, _: FloatType) => new IntegralAsFloat(writer.getType == Type.INT)
      case (Type.INT | Type.LONG, _: DoubleType) => new IntegralAsDouble(writer.getType == Type.INT)
      case (Type.INT | Type.LONG, d: DecimalType) => new IntegralAsDecimal(writer.getType == Type.INT, d)
      case (Type.FLOAT, _: FloatType) => FloatReader
      case (Type.FLOAT, _: DoubleType) => FloatAsDouble
      case (Type.DOUBLE, _: DoubleType) => DoubleReader
      case (Type.STRING | Type.BYTES, _: StringType) if !isDecimal(writer) => StringReader
      case (Type.STRING | Type.BYTES, _: BinaryType) => BytesReader
      case (Type.BYTES, d: DecimalType) if isDecimal(writer) => new DecimalReader(-1, scale(writer), d)
      case (Type.FIXED, d: DecimalType) if isDecimal(writer) => new DecimalReader(writer.getFixedSize, scale(writer), d)
      case (Type.FIXED, _: StringType) if AvroSchemas.isUuid(writer) => UuidReader
      case (Type.FIXED, s: StructType) if AvroSchemas.isDuration(writer) =>
        val fed = FieldIndex.matching(AvroSchemas.duration.fieldNames.toSeq, s.fieldNames.toSeq)((_, _) =>
          unfit(writer, to, path)
        )
        if (!s.forall(_.dataType == IntegerType)) unfit(writer, to, path)
        new DurationReader(s.length, fed)
      case (Type.FIXED, _: BinaryType) => new FixedReader(writer.getFixedSize)
      case (Type.BOOLEAN | Type.INT | Type.LONG | Type.FLOAT | Type.DOUBLE, _: StringType) if logical(writer).isEmpty =>
        new AsText(number(writer.getType))
      case (Type.ENUM, _: StringType) =>
        new EnumReader(AvroDefaults.symbols(writer, table).map(UTF8String.fromString).toArray)
      case (Type.ARRAY, a: ArrayType) =>
        val item = writer.getElementType
        new ArrayReader(
          building.skips.leastSize(item),
          reader(item, a.elementType, s"$path.element", AvroDefaults.element(table, Type.ARRAY))
        )
      case (Type.ARRAY, MapType(_: StringType, value, _)) if AvroSchemas.entryOf(writer).isDefined =>
        val entry = StructType(Seq(StructField("key", StringType), StructField("value", value)))
        new EntriesReader(value, plain(writer, ArrayType(entry), path, table))
      case (Type.MAP, MapType(_: StringType, value, _)) =>
        val item = writer.getValueType
        val own = AvroDefaults.element(table, Type.MAP)
        new MapReader(building.skips.leastSize(item), reader(item, value, s"$path.value", own))
      case (Type.RECORD, s: StructType) =>
        val (own, names) = (AvroDefaults.record(table), s.fieldNames.toSeq)
        AvroResolution.lacking(writer, own, names).fold[AvroReader] {
          val columns = s.fields.toSeq.zipWithIndex.map { case (f, i) => (f.dataType, i) }
          new StructReader(s.length, fields(writer, names, columns, s"$path.", own))
        }(reason => new UnreadableReader(s"column $path: $reason"))
      case _ => unfit(writer, to, path)
    }

  private def number(t: Type): AvroReader = t match {
    case Type.BOOLEAN => BooleanReader
    case Type.INT => IntReader
    case Type.LONG => LongReader
    case Type.FLOAT => FloatReader
    case _ => DoubleReader
  }

  private def unfit(writer: Schema, to: DataType, path: String): Nothing =
    throw new BadBytes(unreadable(writer, to, path))

  private def union(writer: Schema, to: DataType, path: String, table: Schema)(implicit
      building: Building
  ): AvroReader = {
    val branches = writer.getTypes.asScala.toSeq
    val values = branches.filter(_.getType != Type.NULL)
    if (values.size == 1 && branches.size == 2)
      new NullableReader(branches.indexWhere(_.getType == Type.NULL), reader(values.head, to, path, table))
    else {
      // Without a union in the table's schema, the members are numbered by the writer's branches.
      val members = if (AvroUnions.members(to, table).isDefined) None else AvroSchemas.membersOf(to, values)
      val readers = members.filter(_ => values.size > 1) match {
        case Some((s, of)) =>
          branches.map { branch =>
            val at = of.indexWhere(_ eq branch)
            if (branch.getType == Type.NULL) NullReader
            else if (at < 0) new MemberReader(s.length, 0, building.skips.of(branch))
            else new MemberReader(s.length, at, reader(branch, s(at).dataType, s"$path.${s(at).name}", table))
          }
        case None =>
          val tried = branches.map { branch =>
            if (AvroUnions.isAnother(branch, values, table))
              new UnreadableReader(s"column $path: the table's schema has no ${describe(branch)} there")
            else attempt(reader(branch, to, path, table))
          }
          if (values.nonEmpty && !tried.exists(r => r != NullReader && !r.isInstanceOf[UnreadableReader])) {
            throw new BadBytes(unreadable(writer, to, path))
          }
          tried
      }
      new UnionReader(readers.toArray)
    }
  }

  private def timestamp(unit: String): AvroReader = unit match {
    case "timestamp-millis" => new ScaledLong(1000, 1)
    case "timestamp-nanos" => new ScaledLong(1, 1000)
    case _ => LongReader
  }

  private def logical(schema: Schema): String = if (schema.getLogicalType == null) "" else schema.getLogicalType.getName

  private def isDecimal(schema: Schema): Boolean = schema.getLogicalType.isInstanceOf[LogicalTypes.Decimal]

  private def scale(schema: Schema): Int = schema.getLogicalType.asInstanceOf[LogicalTypes.Decimal].getScale

  private def unreadable(writer: Schema, to: DataType, path: String): String =
    s"column $path: the writer's schema has ${describe(writer)} there, which cannot be read as ${to.sql}"

  private def describe(schema: Schema): String = schema.getType match {
    case Type.UNION => schema.getTypes.asScala.map(describe).mkString("a union of ", ", ", "")
    case Type.RECORD => s"record ${schema.getFullName}"
    case other => if (schema.getLogicalType == null) other.getName else s"${other.getName} (${logical(schema)})"
  }
}
