package io.kafkalyst.formats
package avro

import java.nio.ByteBuffer
import java.util.UUID

import io.kafkalyst.errors.{KafkalystException, KafkalystTaskException}
import io.kafkalyst.model.{Side, SideFormat, TopicColumn}
import io.kafkalyst.registry.{RegisteredSchema, RegistryClient, SchemaReference}
import org.apache.avro.Schema
import org.apache.spark.sql.types._
import org.scalatest.funsuite.AnyFunSuite

/** Avro's rarer parts: UUID, duration, general unions, references, names and defaults. */
class AvroLogicalSuite extends AnyFunSuite {
  import FormatTesting._

  private def record(fields: String): String = s"""{"type":"record","name":"R","fields":[$fields]}"""
  private def field(name: String, schema: String): String = s"""{"name":"$name","type":$schema}"""
  private def one(schema: String): String = record(field("a", schema))

  private def read(
      schema: String,
      declared: Seq[TopicColumn],
      body: Array[Byte],
      options: Map[String, String] = Map.empty
  ): Seq[Any] =
    decode(
      decoder(AvroFormat, declared, declared, new MapRegistry(Map(1 -> schema)), options),
      declared,
      framed(1, body)
    )

  private def written(
      schema: String,
      declared: Seq[TopicColumn],
      row: Seq[Any],
      options: Map[String, String] = Map.empty
  ): Array[Byte] =
    encoder(AvroFormat, declared, new MapRegistry(Map(1 -> schema)), Some(1), options)
      .encode(sparkRow(row, schemaOf(declared)))
      .drop(5)

  private def unwritable(schema: String, declared: Seq[TopicColumn], row: Any*): String = {
    val e = intercept[KafkalystTaskException](written(schema, declared, row))
    assert(e.getCondition == "KAFKALYST_VALUE_NOT_WRITABLE")
    e.getMessage
  }

  private def there(schema: String, t: DataType, v: Any, body: Array[Byte]): Unit = {
    val columns = value("a" -> t)
    assert(columnsIn(AvroFormat, one(schema), Side.Value) == columns)
    assert(read(one(schema), columns, body) == Seq(v))
    assert(written(one(schema), columns, Seq(v)).toSeq == body.toSeq)
  }

  test("a UUID is STRING, whether it is a string or 16 bytes") {
    val uuid = UUID.fromString("123e4567-e89b-12d3-a456-426614174000")
    val bytes = ByteBuffer.allocate(16).putLong(uuid.getMostSignificantBits).putLong(uuid.getLeastSignificantBits).array
    there("""{"type":"string","logicalType":"uuid"}""", StringType, uuid.toString, 72.toByte +: uuid.toString.getBytes)
    val fixed = """{"type":"fixed","name":"U","size":16,"logicalType":"uuid"}"""
    there(fixed, StringType, uuid.toString, bytes)
    assert(read(one(fixed), value("a" -> BinaryType), bytes) == Seq(bytes.toSeq))
    Seq("", "x", "1-2-3-4-5").foreach(no =>
      assert(unwritable(one(fixed), value("a" -> StringType), no).contains("UUID"))
    )
    // A fixed of another size is only bytes.
    val short = """{"type":"fixed","name":"U","size":4,"logicalType":"uuid"}"""
    assert(columnsIn(AvroFormat, one(short), Side.Value) == value("a" -> BinaryType))
  }

  test("a duration is a struct of months, days and milliseconds") {
    val schema = """{"type":"fixed","name":"D","size":12,"logicalType":"duration"}"""
    val bytes = Array[Byte](1, 0, 0, 0, 0, 1, 0, 0, -1, -1, -1, 127)
    there(schema, AvroSchemas.duration, Seq(1, 256, Int.MaxValue), bytes)
    assert(read(one(schema), value("a" -> StructType.fromDDL("DAYS INT")), bytes) == Seq(Seq(256)))
    val over = Array.fill[Byte](12)(-1)
    assert(
      intercept[BadBytes](read(one(schema), value("a" -> AvroSchemas.duration), over)).reason.contains("4294967295")
    )
    assert(unwritable(one(schema), value("a" -> AvroSchemas.duration), Seq(1, -1, 0)).contains("from 0 on"))
    assert(unwritable(one(schema), value("a" -> AvroSchemas.duration), Seq(1, null, 0)).contains("from 0 on"))
  }

  test("enums, decimals on fixed, nanoseconds and local times") {
    there("""{"type":"enum","name":"E","symbols":["A","B"]}""", StringType, "B", Array[Byte](2))
    val decimal = """{"type":"fixed","name":"N","size":3,"logicalType":"decimal","precision":5,"scale":2}"""
    there(decimal, DecimalType(5, 2), new java.math.BigDecimal("-1.50"), Array[Byte](-1, -1, 0x6a))
    there("""{"type":"long","logicalType":"timestamp-nanos"}""", TimestampType, -1L, Array[Byte](-49, 15))
    there("""{"type":"long","logicalType":"local-timestamp-micros"}""", TimestampNTZType, 1L, Array[Byte](2))
    there("""{"type":"long","logicalType":"local-timestamp-millis"}""", TimestampNTZType, 1000L, Array[Byte](2))
    assert(read(
      one("""{"type":"long","logicalType":"timestamp-nanos"}"""),
      value("a" -> TimestampType),
      Array[Byte](1)
    ) ==
      Seq(-1L))
  }

  test("bytes that are the whole body have no length before them, as Confluent's serialisers have it") {
    val decimal = """{"type":"bytes","logicalType":"decimal","precision":5,"scale":2}"""
    Seq[(String, DataType, Any, Array[Byte])](
      ("\"bytes\"", BinaryType, Seq[Byte](1, 2), Array[Byte](1, 2)),
      ("\"bytes\"", BinaryType, Nil, Array.emptyByteArray),
      ("\"bytes\"", BinaryType, Seq.fill(200)(7.toByte), Array.fill[Byte](200)(7)),
      ("\"bytes\"", StringType, "hi", "hi".getBytes),
      (decimal, DecimalType(5, 2), new java.math.BigDecimal("-1.50"), Array[Byte](-1, 106)),
      ("[\"null\",\"bytes\"]", BinaryType, Seq[Byte](1), Array[Byte](2, 2, 1))
    ).foreach { case (schema, t, v, body) =>
      assert(written(schema, key("k" -> t), Seq(v)).toSeq == body.toSeq, schema)
      assert(read(schema, key("k" -> t), body) == Seq(v), schema)
    }
    intercept[BadBytes](read(decimal, key("k" -> DecimalType(5, 2)), Array.emptyByteArray))
  }

  test("general unions are structs of their members, both ways") {
    val item = """{"type":"record","name":"I","fields":[{"name":"x","type":"int"}]}"""
    val schema = s"""["string","null","long",$item]"""
    val t = StructType.fromDDL("member0 STRING, member1 BIGINT, member2 STRUCT<x: INT>")
    there(schema, t, Seq("h", null, null), Array[Byte](0, 2, 'h'))
    there(schema, t, Seq(null, 3L, null), Array[Byte](4, 6))
    there(schema, t, Seq(null, null, Seq(4)), Array[Byte](6, 8))
    there(schema, t, null, Array[Byte](2))
    assert(unwritable(one(schema), value("a" -> t), Seq("h", 3L, null)).contains("2 members"))
    // A plain column takes the branch that holds it, and is bad where a record has another.
    assert(written(one(schema), value("a" -> LongType), Seq(3L)).toSeq == Seq[Byte](4, 6))
    assert(read(one(schema), value("a" -> LongType), Array[Byte](4, 6)) == Seq(3L))
    assert(
      intercept[BadBytes](read(one(schema), value("a" -> LongType), Array[Byte](0, 2, 'h'))).reason.contains("string")
    )
  }

  private val references = Seq(
    SchemaReference("money", """{"type":"fixed","name":"Money","namespace":"x","size":2}"""),
    SchemaReference(
      "item",
      """{"type":"record","name":"Item","namespace":"x","fields":[{"name":"price","type":"Money"}]}"""
    )
  )

  test("referenced schemas are known to those that follow") {
    val main = """{"type":"record","name":"Order","namespace":"x","fields":[{"name":"i","type":["null","Item"]}]}"""
    val known = RegisteredSchema(1, "AVRO", main, references = references)
    val columns = AvroFormat.columnsOf(known, Side.Value, as(AvroFormat))
    assert(columns == value("i" -> StructType.fromDDL("price BINARY")))
    val registry = new RegistryClient {
      override def latest(subject: String): Option[RegisteredSchema] = None
      override def byId(id: Int): Option[RegisteredSchema] = Some(known)
      override def register(subject: String, schema: String, schemaType: String): Int = 1
      override def delete(subject: String): Unit = ()
    }
    val row = Seq(Seq(Seq[Byte](1, 2)))
    val bytes = encoder(AvroFormat, columns, registry, Some(1)).encode(sparkRow(row, schemaOf(columns)))
    assert(bytes.toSeq == framed(1, Array[Byte](2, 1, 2)).toSeq)
    assert(decode(decoder(AvroFormat, columns, columns, registry), columns, bytes) == row)
    assert(intercept[KafkalystException](columnsIn(AvroFormat, main, Side.Value)).getMessage.contains("Item"))
  }

  private def named(name: String, more: Map[String, String] = Map.empty) =
    SideFormat("AVRO", None, more + ("SCHEMA_FULL_NAME" -> name))

  test("the full name is the written record's, and says which record of a union is meant") {
    val text = AvroFormat.schemaOf(value("a" -> StructType.fromDDL("b INT")), Side.Value, "T", named("com.shop.Order"))
    val schema = new Schema.Parser().parse(text)
    assert(schema.getFullName == "com.shop.Order" && text.contains("Order_a"))
    val bare = AvroFormat.schemaOf(key("a" -> LongType, "b" -> LongType), Side.Key, "T", named("Order"))
    assert(new Schema.Parser().parse(bare).getFullName == "Order")
    Seq("", "a b", "a..b", ".a", "1a").foreach { bad =>
      val e = intercept[KafkalystException](AvroFormat.validate(Side.Key, key("a" -> LongType), named(bad)))
      assert(e.getCondition == "KAFKALYST_INVALID_PROPERTY" && e.getMessage.contains("KEY_SCHEMA_FULL_NAME"))
    }
    def rec(name: String, f: String) =
      s"""{"type":"record","name":"$name","namespace":"x","fields":[${field(f, "\"int\"")}]}"""
    val union = s"""["null",${rec("A", "a")},${rec("B", "b")}]"""
    val known = RegisteredSchema(1, "AVRO", union)
    assert(AvroFormat.columnsOf(known, Side.Value, named("x.B")) == value("b" -> IntegerType))
    assert(intercept[KafkalystException](AvroFormat.columnsOf(known, Side.Value, named("x.C"))).getMessage.contains(
      "x.A, x.B"
    ))
    val (b, options) = (value("b" -> IntegerType), Map("SCHEMA_FULL_NAME" -> "x.B"))
    assert(written(union, b, Seq(3), options).toSeq == Seq[Byte](4, 6))
    assert(read(union, b, Array[Byte](4, 6), options) == Seq(3))
    assert(read(union, b, Array[Byte](0), options) == Seq(null))
    assert(intercept[BadBytes](read(union, b, Array[Byte](2, 6), options)).reason.contains("it is a x.A, not the x.B"))
    // The name of a lone record is free to change.
    assert(read(rec("Z", "b"), b, Array[Byte](6), options) == Seq(3))
  }

  test("WRAP_SINGLE decides whether a lone column is a record, in schemas and names too") {
    val bare = Map("WRAP_SINGLE" -> "false")
    val record = Map("WRAP_SINGLE" -> "true")
    val any = SideFormat("AVRO", None, bare)
    assert(AvroFormat.schemaOf(value("a b" -> LongType), Side.Value, "T", any) == "\"long\"")
    AvroFormat.validate(Side.Value, value("a b" -> LongType), any)
    val wrapped = SideFormat("AVRO", None, record)
    assert(AvroFormat.schemaOf(key("k" -> LongType), Side.Key, "my t", wrapped).contains("MyTKey"))
    assert(intercept[KafkalystException](AvroFormat.validate(Side.Key, key("a b" -> LongType), wrapped)).getCondition ==
      "KAFKALYST_INVALID_FIELD_NAME")
    val schema = RegisteredSchema(1, "AVRO", one("\"int\""))
    assert(AvroFormat.columnsOf(schema, Side.Key, wrapped) == key("a" -> IntegerType))
    assert(AvroFormat.columnsOf(schema, Side.Value, any) == value("ROWVAL" -> StructType.fromDDL("a INT")))
  }

  test("defaults of fields without a column: fixed, enum, union, nested") {
    val schema = record(Seq(
      field("a", "\"int\""),
      """{"name":"f","type":{"type":"fixed","name":"F","size":2},"default":"Aÿ"}""",
      """{"name":"e","type":{"type":"enum","name":"E","symbols":["X","Y"]},"default":"Y"}""",
      """{"name":"u","type":["string","null"],"default":"d"}""",
      """{"name":"l","type":{"type":"array","items":"int"},"default":[1]}""",
      """{"name":"r","type":{"type":"record","name":"I","fields":[{"name":"x","type":"int","default":3}]},"default":{}}"""
    ).mkString(","))
    assert(written(schema, value("a" -> IntegerType), Seq(1)).toSeq ==
      Seq[Byte](2, 'A', -1, 2, 0, 2, 'd', 2, 2, 0, 6))
  }

  test("plain numbers and bytes are read by the table's schema, or else by the columns") {
    val fields = Seq("at" -> "\"long\"", "d" -> "\"int\"", "n" -> """["null","bytes"]""")
    val plain = record(fields.map { case (name, schema) => field(name, schema) }.mkString(","))
    val typed = record(Seq(
      field("at", """{"type":"long","logicalType":"timestamp-millis"}"""),
      field("d", """{"type":"int","logicalType":"date"}"""),
      field("n", """["null",{"type":"bytes","logicalType":"decimal","precision":6,"scale":3}]""")
    ).mkString(","))
    val columns = value("at" -> TimestampNTZType, "d" -> DateType, "n" -> DecimalType(6, 2))
    val body = Array[Byte](0xb8.toByte, 0x17, 4, 2, 4, 0x0f, 0x0a)
    def row(scaled: String, micros: Long) = Seq(micros, 2, new java.math.BigDecimal(scaled))
    def in(unit: String) = Map(SideFormat.timestampUnit -> unit)
    assert(read(plain, columns, body, in(SideFormat.millis)) == row("38.50", 1500000L))
    assert(read(plain, columns, body, in(SideFormat.micros)) == row("38.50", 1500L))
    assert(intercept[BadBytes](read(plain, columns, body)).reason.contains("cannot be read as TIMESTAMP_NTZ"))
    val registry = new MapRegistry(Map(1 -> plain, 2 -> typed))
    val byTable = decoder(AvroFormat, columns, columns, registry, id = Some(2))
    assert(decode(byTable, columns, framed(1, body)) == row("3.85", 1500000L))
    val numbers = value("at" -> LongType, "d" -> IntegerType, "n" -> BinaryType)
    val asNumbers = decoder(AvroFormat, numbers, numbers, registry, id = Some(2))
    assert(decode(asNumbers, numbers, framed(1, body)) == Seq(1500L, 2, Seq[Byte](0x0f, 0x0a)))
  }
}
