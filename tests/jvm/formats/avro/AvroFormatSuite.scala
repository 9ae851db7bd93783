package io.kafkalyst.formats
package avro

import io.kafkalyst.formats.json.JsonFormat
import io.kafkalyst.errors.{KafkalystException, KafkalystTaskException}
import io.kafkalyst.model.{Side, TopicColumn}
import org.apache.avro.Schema
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection
import org.apache.spark.sql.types._
import org.scalatest.funsuite.AnyFunSuite

class AvroFormatSuite extends AnyFunSuite {
  import FormatTesting._

  private def record(fields: String): String = s"""{"type":"record","name":"R","fields":[$fields]}"""
  private def field(name: String, schema: String): String = s"""{"name":"$name","type":$schema}"""

  /** Reads bytes of one writer's schema as these columns. */
  private def read(schema: String, columns: Seq[TopicColumn], body: Array[Byte]): Seq[Any] =
    decode(decoder(AvroFormat, columns, columns, new MapRegistry(Map(1 -> schema))), columns, framed(1, body))

  private def bad(schema: String, columns: Seq[TopicColumn], body: Array[Byte]): String =
    intercept[BadBytes](read(schema, columns, body)).reason

  private def bytes(values: Int*): Array[Byte] = values.map(_.toByte).toArray

  private def condition(run: => Any): String = intercept[Exception](run) match {
    case e: KafkalystException => e.getCondition
    case e: KafkalystTaskException => e.getCondition
    case other => throw other
  }

  test("what is not framed is said to be so") {
    val columns = value("A" -> LongType)
    val one = decoder(AvroFormat, columns, columns, new MapRegistry(Map(1 -> record(field("A", "\"long\"")))))
    def reason(bytes: Array[Byte]) = intercept[BadBytes](decode(one, columns, bytes)).reason
    assert(reason(Array.emptyByteArray).contains("no bytes"))
    assert(reason("""{"A":1}""".getBytes).contains("JSON"))
    assert(reason(bytes(0, 0, 0)).contains("only 3 of the 5"))
    assert(reason(framed(9, bytes(2))).contains("schema id 9 is not known"))
    // After a bad record the decoder still reads good ones.
    assert(decode(one, columns, framed(1, bytes(2))) == Seq(1L))
  }

  test("a schema of another type, and one that is not a schema, are bad bytes") {
    val columns = value("A" -> LongType)
    val json = decoder(AvroFormat, columns, columns, new MapRegistry(Map(1 -> "{}"), "JSON"))
    assert(intercept[BadBytes](decode(json, columns, framed(1, bytes(2)))).reason.contains("JSON, not AVRO"))
    assert(bad("{\"type\":\"nonsense\"}", columns, bytes(2)).contains("not a valid Avro schema"))
  }

  test("numbers are promoted, and logical types may be read as plain numbers") {
    val d = DecimalType(20, 2)
    Seq[(String, DataType, Any)](
      ("\"int\"", LongType, 3L),
      ("\"int\"", FloatType, 3f),
      ("\"int\"", DoubleType, 3d),
      ("\"int\"", ByteType, 3.toByte),
      ("\"int\"", ShortType, 3.toShort),
      ("\"int\"", d, new java.math.BigDecimal("3.00")),
      ("\"long\"", FloatType, 3f),
      ("\"long\"", DoubleType, 3d),
      ("\"long\"", d, new java.math.BigDecimal("3.00")),
      ("""{"type":"int","logicalType":"date"}""", DateType, 3),
      ("""{"type":"int","logicalType":"time-millis"}""", IntegerType, 3),
      ("""{"type":"long","logicalType":"time-micros"}""", LongType, 3L),
      ("""{"type":"long","logicalType":"timestamp-millis"}""", TimestampType, 3000L),
      ("""{"type":"long","logicalType":"timestamp-micros"}""", TimestampType, 3L),
      ("""{"type":"long","logicalType":"timestamp-nanos"}""", TimestampType, 0L),
      ("""{"type":"long","logicalType":"timestamp-millis"}""", LongType, 3L),
      ("""{"type":"long","logicalType":"local-timestamp-millis"}""", TimestampNTZType, 3000L)
    ).foreach { case (schema, t, expected) =>
      assert(read(record(field("A", schema)), value("A" -> t), bytes(6)) == Seq(expected), schema)
    }
    assert(read(record(field("A", "\"string\"")), value("A" -> BinaryType), bytes(4, 'h', 'i')) == Seq(Seq('h', 'i')))
    assert(read(record(field("A", "\"bytes\"")), value("A" -> StringType), bytes(4, 'h', 'i')) == Seq("hi"))
    val uuid = """{"type":"string","logicalType":"uuid"}"""
    assert(read(record(field("A", uuid)), value("A" -> StringType), bytes(4, 'h', 'i')) == Seq("hi"))
  }

  test("what cannot be read is named with its path, even deep inside") {
    assert(bad(record(field("A", "\"string\"")), value("A" -> LongType), bytes(0)).contains("column A"))
    val nested = record(field(
      "A",
      s"""{"type":"array","items":{"type":"record","name":"I","fields":[${field("b", "\"string\"")}]}}"""
    ))
    val t = ArrayType(StructType.fromDDL("b INT"))
    assert(bad(nested, value("A" -> t), bytes(0)).contains("column A.element.b"))
    assert(bad(record(field("A", "\"long\"")), value("A" -> IntegerType), bytes(2)).contains("column A"))
    assert(bad(record(field("A", "\"int\"")), value("A" -> ByteType), bytes(0x80, 2)).contains("field A: 128"))
    val deep = record(field("a", s"""{"type":"record","name":"I","fields":[${field("b", "\"boolean\"")}]}"""))
    assert(bad(deep, value("a" -> StructType.fromDDL("b BOOLEAN")), bytes(9)).startsWith("field a.b:"))
    assert(bad(deep, value("a" -> StructType.fromDDL("b BOOLEAN")), bytes()).contains("cut off"))
    assert(bad(deep, value("a" -> StructType.fromDDL("b BOOLEAN")), bytes(1, 1)).contains("1 bytes more"))
  }

  test("fields find columns by exact name, else by the only one in another case") {
    val two = record(field("id", "\"int\"") + "," + field("ID", "\"int\""))
    assert(read(two, value("id" -> IntegerType, "ID" -> IntegerType), bytes(2, 4)) == Seq(1, 2))
    assert(read(two, value("ID" -> IntegerType, "id" -> IntegerType), bytes(2, 4)) == Seq(2, 1))
    assert(bad(two, value("Id" -> IntegerType), bytes(2, 4)).contains("several such fields"))
    val one = record(field("id", "\"int\""))
    assert(read(one, value("ID" -> IntegerType), bytes(2)) == Seq(1))
    assert(read(one, value("ID" -> IntegerType, "id" -> IntegerType), bytes(2)) == Seq(null, 1))
    // Also when the column that owns the field is not asked for.
    val declared = value("ID" -> IntegerType, "id" -> IntegerType)
    val part = decoder(AvroFormat, declared, declared.take(1), new MapRegistry(Map(1 -> one)))
    assert(decode(part, declared.take(1), framed(1, bytes(2))) == Seq(null))
  }

  test("a column that the writer did not know is null, and each record is read by its own schema") {
    val columns = value("A" -> LongType, "B" -> StringType)
    val old = record(field("A", "\"int\""))
    val now = record(field("B", "\"string\"") + "," + field("A", "\"long\""))
    val both = decoder(AvroFormat, columns, columns, new MapRegistry(Map(1 -> old, 2 -> now)))
    (0 until 3).foreach { _ =>
      assert(decode(both, columns, framed(1, bytes(2))) == Seq(1L, null))
      assert(decode(both, columns, framed(2, bytes(2, 'x', 4))) == Seq(2L, "x"))
    }
  }

  test("unions: null first or last, several types as one wider type, and as a struct of members") {
    val nullable = record(field("A", """["long","null"]"""))
    assert(read(nullable, value("A" -> LongType), bytes(0, 2)) == Seq(1L))
    assert(read(nullable, value("A" -> LongType), bytes(2)) == Seq(null))
    assert(bad(nullable, value("A" -> LongType), bytes(4)).contains("branch 2 of a union of 2"))
    val wide = record(field("A", """["int","null","long"]"""))
    assert(columnsIn(AvroFormat, wide, Side.Value).map(_.dataType) == Seq(LongType))
    assert(read(wide, value("A" -> LongType), bytes(0, 2)) == Seq(1L))
    assert(read(wide, value("A" -> LongType), bytes(4, 2)) == Seq(1L))
    val mixed = record(field("A", """["null","string","int"]"""))
    val struct = StructType.fromDDL("member0 STRING, member1 INT")
    assert(columnsIn(AvroFormat, mixed, Side.Value).map(_.dataType) == Seq(struct))
    assert(read(mixed, value("A" -> struct), bytes(4, 2)) == Seq(Seq(null, 1)))
    assert(read(mixed, value("A" -> StructType.fromDDL("member1 INT")), bytes(2, 2, 'x')) == Seq(Seq(null)))
    // A plain type takes the branch that it can hold; only a record with another one is bad.
    assert(read(mixed, value("A" -> IntegerType), bytes(4, 2)) == Seq(1))
    assert(bad(mixed, value("A" -> IntegerType), bytes(2, 2, 'x')).contains("column A"))
  }

  test("bare values: one column is the whole value, and null bytes when written") {
    val column = value("V" -> LongType)
    assert(read("\"long\"", column, bytes(2)) == Seq(1L))
    assert(read("""["null","long"]""", column, bytes(2, 2)) == Seq(1L))
    assert(read("""["null","long"]""", column, bytes(0)) == Seq(null))
    assert(bad("\"long\"", value("A" -> LongType, "B" -> LongType), bytes(2)).contains("bare long"))
    val keyColumn = key("K" -> StructType.fromDDL("a INT"))
    assert(read(record(field("a", "\"int\"")), keyColumn, bytes(2)) == Seq(Seq(1)))
    assert(read(record(field("K", "\"int\"")), key("K" -> IntegerType), bytes(2)) == Seq(1))
    val write = encoder(AvroFormat, key("K" -> LongType), new MapRegistry(Map(1 -> "\"long\"")), Some(1))
    assert(write.encode(sparkRow(Seq(1L), StructType.fromDDL("K BIGINT"))).toSeq == framed(1, bytes(2)).toSeq)
    assert(write.encode(sparkRow(Seq(null), StructType.fromDDL("K BIGINT"))) == null)
  }

  test("decimals keep every digit or are bad") {
    def decimal(p: Int, s: Int) =
      record(field("A", s"""{"type":"bytes","logicalType":"decimal","precision":$p,"scale":$s}"""))
    assert(read(decimal(4, 1), value("A" -> DecimalType(6, 3)), bytes(2, 15)) == Seq(new java.math.BigDecimal("1.500")))
    assert(bad(decimal(4, 1), value("A" -> DecimalType(6, 0)), bytes(2, 15)).contains("15 at scale 1"))
    assert(read(decimal(4, 1), value("A" -> DecimalType(6, 0)), bytes(2, 20)) == Seq(new java.math.BigDecimal("2")))
    assert(bad(decimal(4, 1), value("A" -> DecimalType(2, 1)), bytes(4, 1, 0)).contains("256"))
    assert(read(decimal(4, 1), value("A" -> DecimalType(4, 1)), bytes(2, -15)) == Seq(new java.math.BigDecimal("-1.5")))
    assert(bad(decimal(4, 1), value("A" -> DecimalType(4, 1)), bytes(0)).contains("no bytes"))
  }

  test("claimed sizes are not believed") {
    val huge = bytes(-2, -1, -1, -1, 15)
    val columns = value("A" -> ArrayType(StringType))
    assert(bad(record(field("A", """{"type":"array","items":"string"}""")), columns, huge).contains("items"))
    val nulls = record(field("A", """{"type":"array","items":"null"}""") + "," + field("B", "\"int\""))
    assert(bad(nulls, value("A" -> columns.head.dataType), huge).contains("take no bytes"))
    assert(bad(nulls, value("B" -> IntegerType), huge).contains("take no bytes"))
    assert(bad(record(field("A", "\"string\"")), value("A" -> StringType), huge).contains("length"))
    // Many small blocks of items without bytes count together.
    val blocks = Array.fill(40)(bytes(-128, -128, 1)).flatten :+ 0.toByte
    assert(bad(record(field("A", """{"type":"array","items":"null"}""")), columns, blocks).contains("take no bytes"))
  }

  test("a schema that contains itself can be passed over to a depth, and is not a column") {
    val list = """{"type":"record","name":"L","fields":[{"name":"next","type":["null","L"]}]}"""
    val schema = record(field("A", list) + "," + field("B", "\"int\""))
    val columns = value("B" -> IntegerType)
    assert(read(schema, columns, Array.fill[Byte](900)(2) ++ bytes(0, 2)) == Seq(1))
    assert(bad(schema, columns, Array.fill[Byte](1000000)(2)).contains("nested deeper"))
    assert(columnsIn(AvroFormat, schema, Side.Value) == columns)
    assert(condition(columnsIn(AvroFormat, list, Side.Value)) == "KAFKALYST_UNSUPPORTED_SCHEMA")
    assert(condition(columnsIn(AvroFormat, "{", Side.Value)) == "KAFKALYST_UNSUPPORTED_SCHEMA")
  }

  test("of map entries with the same key the last stays") {
    val schema = record(field("A", """{"type":"map","values":"int"}"""))
    val body = bytes(4, 2, 'k', 2, 2, 'k', 4, 0)
    assert(read(schema, value("A" -> MapType(StringType, IntegerType)), body) == Seq(Map("k" -> 2)))
  }

  test("columnsOf: fields with their case; a key, and what is not a record, is one column") {
    val schema = record(field("Id", "\"int\"") + "," + field("gone", "\"null\""))
    assert(columnsIn(AvroFormat, schema, Side.Value) == value("Id" -> IntegerType))
    assert(columnsIn(AvroFormat, s"""["null",$schema]""", Side.Value) == value("Id" -> IntegerType))
    assert(columnsIn(AvroFormat, schema, Side.Key) == key("ROWKEY" -> StructType.fromDDL("Id INT")))
    assert(columnsIn(AvroFormat, "\"string\"", Side.Key) == key("ROWKEY" -> StringType))
    assert(columnsIn(AvroFormat, "\"string\"", Side.Value) == value("ROWVAL" -> StringType))
  }

  private val everyType = StructType.fromDDL(
    "b BOOLEAN, t TINYINT, s SMALLINT, i INT, l BIGINT, f FLOAT, d DOUBLE, n DECIMAL(30, 5), x STRING, y BINARY, " +
      "day DATE, at TIMESTAMP, here TIMESTAMP_NTZ, a ARRAY<STRUCT<c: INT>>, m MAP<STRING, STRUCT<c: INT>>, " +
      "r STRUCT<c: STRUCT<e: INT>>, r_c STRUCT<e: INT>"
  )

  test("schemaOf: columns come back from their own schema, and rows from their bytes") {
    val columns = everyType.map(f => TopicColumn(f.name, f.dataType, Side.Value))
    val text = AvroFormat.schemaOf(columns, Side.Value, "ORDERS", as(AvroFormat))
    val schema = new Schema.Parser().parse(text)
    assert(schema.getFullName == "io.confluent.ksql.avro_schemas.KsqlDataSourceSchema")
    assert(text.contains("KsqlDataSourceSchema_a"))
    assert(text == AvroFormat.schemaOf(columns, Side.Value, "ORDERS", as(AvroFormat)))
    val small = Map("t" -> IntegerType, "s" -> IntegerType)
    assert(columnsIn(AvroFormat, text, Side.Value) == columns.map(c =>
      c.copy(dataType = small.getOrElse(c.name, c.dataType))
    ))
    val registry = new MapRegistry(Map(1 -> text))
    val write = encoder(AvroFormat, columns, registry, Some(1))
    val some = Seq[Any](
      true,
      1.toByte,
      2.toShort,
      3,
      4L,
      5f,
      6d,
      new java.math.BigDecimal("7.00000"),
      "é",
      Seq[Byte](8),
      9,
      -10L,
      11L,
      Seq(Seq(12), null),
      Map("k" -> Seq(13), "z" -> null),
      Seq(Seq(14)),
      Seq(15)
    )
    Seq(some, some.map(_ => null)).foreach { row =>
      val got = decode(decoder(AvroFormat, columns, columns, registry), columns, write.encode(sparkRow(row, everyType)))
      assert(got == row)
      // Spark hands rows over in its own binary layout.
      val unsafe = UnsafeProjection.create(everyType).apply(sparkRow(row, everyType))
      assert(write.encode(unsafe).toSeq == write.encode(sparkRow(row, everyType)).toSeq)
      val json = encoder(JsonFormat, columns)
      assert(decode(decoder(JsonFormat, columns, columns), columns, json.encode(unsafe)) == row)
    }
  }

  test("schemaOf: a key's record is named after its object; its single column is bare") {
    val two = AvroFormat.schemaOf(key("a" -> LongType, "b" -> StringType), Side.Key, "ORDER_items-2", as(AvroFormat))
    assert(new Schema.Parser().parse(two).getName == "OrderItems2Key")
    assert(AvroFormat.schemaOf(key("a" -> StringType), Side.Key, "X", as(AvroFormat)) == "\"string\"")
  }

  test("validate names every illegal name, and types that cannot be") {
    AvroFormat.validate(Side.Value, everyType.map(TopicColumn.of), as(AvroFormat))
    val wrong = value("a b" -> LongType, "ok" -> StructType.fromDDL("`1x` INT, y ARRAY<STRUCT<`ü`: INT>>"))
    val e = intercept[KafkalystException](AvroFormat.validate(Side.Value, wrong, as(AvroFormat)))
    assert(e.getCondition == "KAFKALYST_INVALID_FIELD_NAME")
    assert(Seq("`a b`", "`ok.1x`", "`ok.y.ü`").forall(e.getMessage.contains))
    AvroFormat.validate(Side.Key, key("a b" -> LongType), as(AvroFormat))
    def refused(columns: Seq[TopicColumn]) = condition(AvroFormat.validate(columns.head.side, columns, as(AvroFormat)))
    assert(refused(value("m" -> MapType(IntegerType, StringType))) == "KAFKALYST_UNSUPPORTED_COLUMN_TYPE")
    AvroFormat.validate(Side.Key, key("m" -> ArrayType(MapType(StringType, StringType))), as(AvroFormat))
    assert(refused(key("v" -> VariantType)) == "KAFKALYST_UNSUPPORTED_COLUMN_TYPE")
    assert(refused(value("c" -> CalendarIntervalType)) == "KAFKALYST_UNSUPPORTED_COLUMN_TYPE")
  }

  private def written(schema: String, columns: Seq[TopicColumn], row: Any*): Array[Byte] =
    encoder(AvroFormat, columns, new MapRegistry(Map(1 -> schema)), Some(1)).encode(
      sparkRow(row, schemaOf(columns))
    ).drop(5)

  private def refusal(schema: String, columns: Seq[TopicColumn], row: Any*): String = {
    val e = intercept[KafkalystTaskException](written(schema, columns, row: _*))
    assert(e.getCondition == "KAFKALYST_VALUE_NOT_WRITABLE")
    e.getMessage
  }

  test("a field without a column gets its default, else null, else is named") {
    val schema = record(field(
      "A",
      "\"int\""
    ) + """,{"name":"B","type":"string","default":"x"},{"name":"C","type":["int","null"]}""")
    assert(written(schema, value("A" -> IntegerType), 1).toSeq == bytes(2, 2, 'x', 2).toSeq)
    val required = record(field("A", "\"int\"") + "," + field("B", "\"int\""))
    assert(refusal(required, value("A" -> IntegerType), 1).contains("field B"))
    assert(
      refusal(record(field("A", "\"int\"")), value("A" -> IntegerType, "Z" -> IntegerType), 1, 2).contains("field Z")
    )
  }

  test("values that the schema's field cannot hold are named") {
    assert(refusal(record(field("A", "\"int\"")), value("A" -> IntegerType), null).contains("field A: it is null"))
    val symbols = """{"type":"enum","name":"E","symbols":["RED"]}"""
    assert(refusal(record(field("A", symbols)), value("A" -> StringType), "BLUE").contains("BLUE"))
    assert(refusal(
      record(field("A", """{"type":"fixed","name":"F","size":2}""")),
      value("A" -> BinaryType),
      Seq[Byte](1)
    ).contains("2 bytes"))
    val decimal = """{"type":"bytes","logicalType":"decimal","precision":3,"scale":1}"""
    val t = DecimalType(10, 2)
    assert(refusal(record(field("A", decimal)), value("A" -> t), new java.math.BigDecimal("1.25")).contains("1.25"))
    assert(refusal(record(field("A", decimal)), value("A" -> t), new java.math.BigDecimal("100.00")).contains("100.00"))
    assert(refusal(record(field("A", "\"int\"")), value("A" -> LongType), 1L).contains("BIGINT"))
    val deep = record(field("A", s"""{"type":"record","name":"I","fields":[${field("b", "\"int\"")}]}"""))
    assert(refusal(deep, value("A" -> StructType.fromDDL("b INT")), Seq(null)).contains("field A.b"))
  }

  test("times are written in the unit of the schema") {
    def at(unit: String, t: DataType) =
      written(record(field("A", s"""{"type":"long","logicalType":"$unit"}""")), value("A" -> t), -1500L).toSeq
    assert(at("timestamp-millis", TimestampType) == bytes(3).toSeq)
    assert(at("timestamp-micros", TimestampType) == bytes(0xb7, 0x17).toSeq)
    assert(at("local-timestamp-millis", TimestampNTZType) == bytes(3).toSeq)
  }

  test("a missing or unknown schema id is said when the encoder is built") {
    val columns = value("A" -> IntegerType)
    assert(condition(encoder(AvroFormat, columns)) == "KAFKALYST_NO_SCHEMA_ID")
    assert(condition(encoder(AvroFormat, columns, id = Some(3))) == "KAFKALYST_UNKNOWN_SCHEMA_ID")
    assert(condition(
      encoder(AvroFormat, columns, new MapRegistry(Map(3 -> "{"), "JSON"), Some(3))
    ) == "KAFKALYST_UNUSABLE_SCHEMA")
  }
}
