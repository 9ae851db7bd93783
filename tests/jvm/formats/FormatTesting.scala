package io.kafkalyst.formats

import java.io.ByteArrayOutputStream

import scala.jdk.CollectionConverters._
import scala.util.Random

import io.kafkalyst.formats.events.EventFormat
import io.kafkalyst.model.{Side, SideFormat, TopicColumn}
import io.kafkalyst.registry.{RegisteredSchema, RegistryClient, WireFormat}
import org.apache.avro.{LogicalTypes, Schema}
import org.apache.avro.Schema.Type
import org.apache.avro.generic.{GenericData, GenericDatumWriter, GenericRecord}
import org.apache.avro.io.EncoderFactory
import org.apache.avro.util.Utf8
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{GenericInternalRow, SpecificInternalRow}
import org.apache.spark.sql.catalyst.util.{ArrayBasedMapData, ArrayData, GenericArrayData, MapData}
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

/** A registry that holds what a test gives it. */
final class MapRegistry(schemas: Map[Int, String], schemaType: String = "AVRO") extends RegistryClient {
  override def latest(subject: String): Option[RegisteredSchema] = None
  override def byId(id: Int): Option[RegisteredSchema] = schemas.get(id).map(RegisteredSchema(id, schemaType, _))
  override def register(subject: String, schema: String, schemaType: String): Int =
    throw new UnsupportedOperationException
  override def delete(subject: String): Unit = ()
}

/** Decoders, encoders and rows for tests; values in a plain form that `==` compares. */
object FormatTesting {

  /** The formats whose values are rows, which can be written too. */
  def rowFormats: Seq[Format] = Formats.names.map(Formats(_)).filterNot(_.isInstanceOf[EventFormat])

  def value(columns: (String, DataType)*): Seq[TopicColumn] = columns.map { case (n, t) =>
    TopicColumn(n, t, Side.Value)
  }
  def key(columns: (String, DataType)*): Seq[TopicColumn] = columns.map { case (n, t) => TopicColumn(n, t, Side.Key) }

  /** The side's format without any property. */
  def as(format: Format): SideFormat = SideFormat(format.name)

  def columnsIn(format: Format, schema: String, side: Side): Seq[TopicColumn] =
    format.columnsOf(RegisteredSchema(1, format.schemaType.get, schema), side, as(format))

  def schemaOf(columns: Seq[TopicColumn]): StructType = StructType(columns.map(c => StructField(c.name, c.dataType)))

  def decoder(
      format: Format,
      declared: Seq[TopicColumn],
      asked: Seq[TopicColumn],
      registry: RegistryClient = new MapRegistry(Map.empty),
      options: Map[String, String] = Map.empty,
      id: Option[Int] = None
  ): Decoder = {
    val targets = asked.zipWithIndex.map { case (c, i) => Target(c.name, c.dataType, i) }.toArray
    val side = declared.headOption.map(_.side).getOrElse(Side.Value)
    format.decoder(DecodeRequest(side, "t", SideFormat(format.name, id, options), declared, targets, () => registry))
  }

  def encoder(
      format: Format,
      columns: Seq[TopicColumn],
      registry: RegistryClient = new MapRegistry(Map.empty),
      id: Option[Int] = None,
      options: Map[String, String] = Map.empty
  ): Encoder = {
    val sources = columns.zipWithIndex.map { case (c, i) => Target(c.name, c.dataType, i) }.toArray
    format.encoder(EncodeRequest(columns.head.side, "t", SideFormat(format.name, id, options), sources, () => registry))
  }

  /** Decodes into a row whose places hold something else, so that one not set is seen. */
  def decode(decoder: Decoder, asked: Seq[TopicColumn], bytes: Array[Byte]): Seq[Any] = {
    val row = new SpecificInternalRow(asked.map(_.dataType))
    // Somewhere in a larger array, as in a fetched batch.
    val padded = Array.fill[Byte](7)(0x55) ++ bytes ++ Array.fill[Byte](9)(0x55)
    decoder.decode(padded, 7, bytes.length, row)
    plainRow(row, schemaOf(asked))
  }

  def plainRow(row: InternalRow, schema: StructType): Seq[Any] =
    schema.fields.toSeq.zipWithIndex.map { case (f, i) =>
      if (row.isNullAt(i)) null else plain(row.get(i, f.dataType), f.dataType)
    }

  /** A value of Spark's as plain Scala: strings, sequences, maps, BigDecimal; bytes as a sequence. */
  def plain(value: Any, t: DataType): Any = (value, t) match {
    case (null, _) => null
    case (s: UTF8String, _) => s.toString
    case (b: Array[Byte], _) => b.toSeq
    case (d: Decimal, t: DecimalType) =>
      assert(d.precision == t.precision && d.scale == t.scale, s"$d has (${d.precision}, ${d.scale}), not ${t.sql}")
      d.toJavaBigDecimal
    case (a: ArrayData, ArrayType(e, _)) =>
      (0 until a.numElements()).map(i => if (a.isNullAt(i)) null else plain(a.get(i, e), e))
    case (m: MapData, MapType(k, v, _)) =>
      val values = plain(m.valueArray(), ArrayType(v)).asInstanceOf[Seq[Any]]
      plain(m.keyArray(), ArrayType(k)).asInstanceOf[Seq[Any]].zip(values).toMap
    case (r: InternalRow, s: StructType) => plainRow(r, s)
    case (v, _) => v
  }

  /** The inverse of [[plain]]. */
  def spark(value: Any, t: DataType): Any = (value, t) match {
    case (null, _) => null
    case (s: String, _) => UTF8String.fromString(s)
    case (b: Seq[_], BinaryType) => b.map(_.asInstanceOf[Byte]).toArray
    case (d: java.math.BigDecimal, t: DecimalType) => Decimal(d, t.precision, t.scale)
    case (a: Seq[_], ArrayType(e, _)) => new GenericArrayData(a.map(spark(_, e)).toArray[Any])
    case (m: Map[_, _], MapType(k, v, _)) =>
      val (keys, values) = m.toSeq.unzip
      new ArrayBasedMapData(
        new GenericArrayData(keys.map(spark(_, k)).toArray[Any]),
        new GenericArrayData(values.map(spark(_, v)).toArray[Any])
      )
    case (r: Seq[_], s: StructType) => sparkRow(r, s)
    case (v, _) => v
  }

  def sparkRow(values: Seq[Any], schema: StructType): InternalRow =
    new GenericInternalRow(values.zip(schema.fields).map { case (v, f) => spark(v, f.dataType) }.toArray[Any])

  def framed(id: Int, body: Array[Byte]): Array[Byte] = WireFormat.header(id) ++ body

  def mutated(bytes: Array[Byte], r: Random): Array[Byte] = {
    var out = bytes.clone()
    (0 to r.nextInt(3)).foreach { _ =>
      if (out.nonEmpty) r.nextInt(6) match {
        case 0 => out = out.take(r.nextInt(out.length))
        case 1 => out = out ++ Array.fill(r.nextInt(12) + 1)(r.nextInt().toByte)
        case 2 => out(r.nextInt(out.length)) = -1
        case 3 =>
          val at = r.nextInt(out.length)
          out = out.take(at) ++ Array[Byte](-1, -1, -1, -1, 0x0f) ++ out.drop(at)
        case _ => out(r.nextInt(out.length)) = r.nextInt().toByte
      }
    }
    out
  }
}

/** Avro's own generic values, as plain Scala: what a decoder's result is held against. */
object AvroOracle {
  def plain(value: Any, schema: Schema): Any = schema.getType match {
    case Type.UNION =>
      val values = schema.getTypes.asScala.filter(_.getType != Type.NULL).toSeq
      val branch = schema.getTypes.get(GenericData.get().resolveUnion(schema, value))
      if (branch.getType == Type.NULL) null
      else if (values.size == 1) plain(value, branch)
      else values.map(v => if (v eq branch) plain(value, branch) else null)
    case Type.STRING | Type.ENUM => value.toString
    case Type.BYTES | Type.FIXED =>
      val bytes = value match {
        case b: java.nio.ByteBuffer => b.array.slice(b.arrayOffset + b.position(), b.arrayOffset + b.limit())
        case f: GenericData.Fixed => f.bytes
      }
      schema.getLogicalType match {
        case d: LogicalTypes.Decimal => new java.math.BigDecimal(new java.math.BigInteger(bytes), d.getScale)
        case _ => bytes.toSeq
      }
    case Type.LONG if schema.getLogicalType != null && schema.getLogicalType.getName.endsWith("timestamp-millis") =>
      value.asInstanceOf[Long] * 1000
    case Type.ARRAY => value.asInstanceOf[java.util.Collection[_]].asScala.map(plain(_, schema.getElementType)).toSeq
    case Type.MAP =>
      value.asInstanceOf[java.util.Map[_, _]].asScala.map { case (k, v) =>
        k.toString -> plain(v, schema.getValueType)
      }.toMap
    case Type.RECORD =>
      schema.getFields.asScala.toSeq.map(f => plain(value.asInstanceOf[GenericRecord].get(f.pos), f.schema))
    case _ => value
  }

  /** A value as Avro's own writer writes it. */
  def write(schema: Schema, value: Any, blocking: Boolean = false): Array[Byte] = {
    val out = new ByteArrayOutputStream
    val factory = EncoderFactory.get()
    // The blocking encoder writes blocks with their sizes, as some producers do.
    val encoder = if (blocking) new EncoderFactory().configureBlockSize(64).blockingBinaryEncoder(out, null)
    else factory.binaryEncoder(out, null)
    new GenericDatumWriter[Any](schema).write(value, encoder)
    encoder.flush()
    out.toByteArray
  }

  /** A random schema of a record, and random values of it. */
  final class RandomAvro(r: Random) {
    private var names = 0
    private def name(): String = {
      names += 1
      s"${if (r.nextBoolean()) "N" else "n"}$names"
    }

    def record(depth: Int): Schema = {
      val schema = Schema.createRecord(name(), null, "t", false)
      schema.setFields((0 to r.nextInt(9)).map(_ => new Schema.Field(name(), any(depth), null, null: Any)).asJava)
      schema
    }

    private def any(depth: Int): Schema = r.nextInt(4) match {
      case 0 => Schema.createUnion(Schema.create(Type.NULL), single(depth))
      case 1 => Schema.createUnion(single(depth), Schema.create(Type.NULL))
      case 2 if r.nextInt(4) == 0 =>
        Schema.createUnion(
          Schema.create(Type.STRING),
          Schema.create(Type.NULL),
          Schema.create(Type.LONG),
          Schema.createArray(Schema.create(Type.INT))
        )
      case _ => single(depth)
    }

    private def single(depth: Int): Schema = r.nextInt(if (depth > 0) 19 else 15) match {
      case 0 => Schema.create(Type.BOOLEAN)
      case 1 => Schema.create(Type.INT)
      case 2 => Schema.create(Type.LONG)
      case 3 => Schema.create(Type.FLOAT)
      case 4 => Schema.create(Type.DOUBLE)
      case 5 => Schema.create(Type.STRING)
      case 6 => Schema.create(Type.BYTES)
      case 7 => LogicalTypes.date().addToSchema(Schema.create(Type.INT))
      case 8 => LogicalTypes.timestampMillis().addToSchema(Schema.create(Type.LONG))
      case 9 => LogicalTypes.timestampMicros().addToSchema(Schema.create(Type.LONG))
      case 10 => LogicalTypes.localTimestampMillis().addToSchema(Schema.create(Type.LONG))
      case 11 => Schema.createEnum(name(), null, "t", Seq("RED", "GREEN", "BLUE").asJava)
      case 12 => Schema.createFixed(name(), null, "t", r.nextInt(5))
      case 13 =>
        val precision = 1 + r.nextInt(38)
        LogicalTypes.decimal(precision, r.nextInt(precision + 1)).addToSchema(Schema.create(Type.BYTES))
      case 14 => LogicalTypes.decimal(20, 4).addToSchema(Schema.createFixed(name(), null, "t", 9 + r.nextInt(8)))
      case 15 => Schema.createArray(any(depth - 1))
      case 16 => Schema.createMap(any(depth - 1))
      case _ => record(depth - 1)
    }

    def value(s: Schema): Any = s.getType match {
      case Type.NULL => null
      case Type.BOOLEAN => r.nextBoolean()
      case Type.INT => if (s.getLogicalType == null) r.nextInt() >> r.nextInt(32) else r.nextInt(100000) - 50000
      case Type.LONG => if (s.getLogicalType == null) r.nextLong() >> r.nextInt(64) else r.nextLong() >> 20
      case Type.FLOAT => r.nextFloat()
      case Type.DOUBLE => r.nextGaussian()
      case Type.STRING => new Utf8(r.nextString(r.nextInt(6)).filterNot(_.isSurrogate))
      case Type.BYTES if s.getLogicalType == null => java.nio.ByteBuffer.wrap(r.nextBytes(r.nextInt(9)))
      case Type.BYTES => java.nio.ByteBuffer.wrap(unscaled(s).toByteArray)
      case Type.FIXED if s.getLogicalType == null => new GenericData.Fixed(s, r.nextBytes(s.getFixedSize))
      case Type.FIXED =>
        val bytes = unscaled(s).toByteArray
        val sign: Byte = if (bytes(0) < 0) -1 else 0
        new GenericData.Fixed(s, Array.fill(s.getFixedSize - bytes.length)(sign) ++ bytes)
      case Type.ENUM => new GenericData.EnumSymbol(s, s.getEnumSymbols.get(r.nextInt(3)))
      case Type.ARRAY => (0 until r.nextInt(4)).map(_ => value(s.getElementType)).asJava
      case Type.MAP => (0 until r.nextInt(4)).map(i => new Utf8(s"k$i") -> value(s.getValueType)).toMap.asJava
      case Type.UNION => value(s.getTypes.get(r.nextInt(s.getTypes.size)))
      case Type.RECORD =>
        val record = new GenericData.Record(s)
        s.getFields.asScala.foreach(f => record.put(f.pos, value(f.schema)))
        record
    }

    private def unscaled(s: Schema): java.math.BigInteger = {
      val digits = s.getLogicalType.asInstanceOf[LogicalTypes.Decimal].getPrecision
      val text = (0 to r.nextInt(digits)).map(_ => r.nextInt(10)).mkString
      val n = new java.math.BigInteger(text)
      if (r.nextBoolean()) n.negate else n
    }
  }
}

/** Random types of columns, as every format with nested types takes them, and random values of them. */
final class RandomRows(r: Random) {
  def dataType(depth: Int): DataType = r.nextInt(if (depth > 0) 13 else 10) match {
    case 0 => BooleanType
    case 1 => ByteType
    case 2 => ShortType
    case 3 => IntegerType
    case 4 => LongType
    case 5 => FloatType
    case 6 => DoubleType
    case 7 => DecimalType(20, r.nextInt(10))
    case 8 => StringType
    case 9 => BinaryType
    case 10 => ArrayType(dataType(depth - 1))
    case 11 => MapType(StringType, dataType(depth - 1))
    case _ => struct(depth - 1)
  }

  def struct(depth: Int): StructType =
    StructType((0 to r.nextInt(6)).map(i =>
      StructField(if (r.nextBoolean()) s"f$i" else s"f ü\"$i", dataType(depth))
    ))

  def value(t: DataType): Any = if (r.nextInt(6) == 0) null
  else t match {
    case BooleanType => r.nextBoolean()
    case ByteType => r.nextInt().toByte
    case ShortType => r.nextInt().toShort
    case IntegerType => r.nextInt()
    case LongType => r.nextLong()
    case FloatType => r.nextGaussian().toFloat * math.pow(10, r.nextInt(40) - 20).toFloat
    case DoubleType => r.nextGaussian() * math.pow(10, r.nextInt(400) - 200)
    case d: DecimalType => java.math.BigDecimal.valueOf(r.nextLong() / 10, d.scale)
    case StringType => r.nextString(r.nextInt(8)).filterNot(_.isSurrogate)
    case BinaryType => r.nextBytes(r.nextInt(8)).toSeq
    case DateType => r.nextInt(100000)
    case TimestampNTZType => r.nextLong() >> 8
    case ArrayType(e, _) => Seq.fill(r.nextInt(4))(value(e))
    case MapType(_, v, _) => (0 until r.nextInt(4)).map(i => s"k $i" -> value(v)).toMap
    case s: StructType => s.fields.toSeq.map(f => value(f.dataType))
    case _ => throw new IllegalArgumentException(t.sql)
  }
}
