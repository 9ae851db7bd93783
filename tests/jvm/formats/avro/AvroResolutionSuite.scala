package io.kafkalyst.formats
package avro

import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.model.{Side, SideFormat, TopicColumn}
import io.kafkalyst.registry.RegisteredSchema
import org.apache.avro.Schema
import org.apache.spark.sql.types._
import org.scalatest.funsuite.AnyFunSuite

class AvroResolutionSuite extends AnyFunSuite {
  import FormatTesting._

  private def record(fields: String*): String = s"""{"type":"record","name":"R","fields":[${fields.mkString(",")}]}"""

  /** A record of a long x = 3, read by a table of this schema. */
  private def resolved(table: String, columns: (String, DataType)*): Seq[Any] = {
    val all = value(columns: _*)
    val registry = new MapRegistry(Map(1 -> record("""{"name":"x","type":"long"}"""), 2 -> table))
    decode(decoder(AvroFormat, all, all, registry, id = Some(2)), all, framed(1, Array[Byte](6)))
  }

  private val x = """{"name":"x","type":"long"}"""

  test("a field that the record lacks has the table's default, and without one is not a record of the table") {
    assert(resolved(record(x, """{"name":"y","type":"int","default":5}"""), "x" -> LongType, "y" -> IntegerType) == Seq(
      3L,
      5
    ))
    val required = record(x, """{"name":"y","type":"int"}""")
    assert(
      intercept[BadBytes](resolved(required, "x" -> LongType, "y" -> IntegerType)).reason.contains("lacks the field y")
    )
    // Of a column that nobody declared nothing is missing.
    assert(resolved(required, "x" -> LongType) == Seq(3L))
    // By its name in another case, too, as fields are found in records.
    assert(resolved(record(x, """{"name":"Y","type":"string","default":"d"}"""), "y" -> StringType) == Seq("d"))
  }

  test("a default that is not a value of the column or the field is null, not a bad record") {
    assert(resolved(record(x, """{"name":"y","type":"string","default":"d"}"""), "y" -> IntegerType) == Seq(null))
    assert(resolved(record(x, """{"name":"y","type":"int","default":"no number"}"""), "y" -> IntegerType) == Seq(null))
  }

  test("an alias finds a field by its older name, unless the record has both") {
    assert(resolved(record("""{"name":"z","type":"long","aliases":["x"]}"""), "z" -> LongType) == Seq(3L))
    val both = record(x, """{"name":"z","type":"long","default":0,"aliases":["x"]}""")
    assert(resolved(both, "x" -> LongType).size == 1)
  }

  test("a map is read where the table's schema has another form of it") {
    def of(name: String) = s"""{"type":"record","name":"$name","fields":[$x]}"""
    val map = record(s"""{"name":"m","type":{"type":"map","values":${of("R_m")}}}""")
    val fields = s"""{"name":"key","type":"string"},{"name":"value","type":${of("R_m_MapValue")}}"""
    val entry = s"""{"type":"record","name":"R_m","fields":[$fields],"connect.internal.type":"MapEntry"}"""
    val entries = record(s"""{"name":"m","type":{"type":"array","items":$entry}}""")
    val all = value("m" -> MapType(StringType, StructType(Seq(StructField("x", LongType)))))
    for (written <- Seq(map, entries); table <- Seq(map, entries)) {
      val registry = new MapRegistry(Map(1 -> written, 2 -> table))
      // Both forms of {a: {x: 3}} have the same bytes.
      val bytes = framed(1, Array[Byte](2, 2, 'a', 6, 0))
      val read = decode(decoder(AvroFormat, all, all, registry, id = Some(2)), all, bytes)
      assert(read == Seq(Map("a" -> Seq(3L))))
    }
  }

  test("entries of maps are no other array for a key's schema") {
    def known(mark: String) = RegisteredSchema(
      0,
      "AVRO",
      s"""{"type":"array","items":{"type":"record","name":"E","fields":[{"name":"key","type":"string"}]$mark}}"""
    )
    val (plain, named) = (known(""), known(""","connect.name":"x.E""""))
    assert(AvroFormat.isSame(plain, named))
    assert(!AvroFormat.isSame(plain, known(""","connect.internal.type":"MapEntry"""")))
  }

  test("a symbol that the table's enum lacks is its default, where it has one") {
    def read(table: String) = {
      val written = """{"name":"e","type":{"type":"enum","name":"E","symbols":["A","B","NEW"]}}"""
      val registry = new MapRegistry(Map(1 -> record(written), 2 -> record(table)))
      val all = value("e" -> StringType)
      val targets = Array(Target("e", StringType, 0))
      val request = DecodeRequest(Side.Value, "t", SideFormat("AVRO", Some(2)), all, targets, () => registry)
      Seq(0, 2).flatMap(i => decode(AvroFormat.decoder(request), all, framed(1, Array((i * 2).toByte))))
    }
    val known = """"name":"E","symbols":["A","B"]"""
    assert(read(s"""{"name":"e","type":{"type":"enum",$known,"default":"B"}}""") == Seq("A", "B"))
    assert(read(s"""{"name":"e","type":["null",{"type":"enum",$known,"default":"B"}],"default":null}""") == Seq(
      "A",
      "B"
    ))
    // Without a default nothing is lost either: the column is a STRING.
    assert(read(s"""{"name":"e","type":{"type":"enum",$known}}""") == Seq("A", "NEW"))
  }

  test("records that contain each other do not become more fields than can be handled") {
    val names = (0 until 12).map(i => s"R$i")
    def fields(i: Int): String = names.indices.map { j =>
      val t = if (j == i + 1 && j < 12) nested(j) else s"\"R${math.min(i, j)}\""
      s"""{"name":"f$j","type":["null",$t]}"""
    }.mkString(",")
    def nested(i: Int): String = s"""{"type":"record","name":"R$i","fields":[${fields(i)}]}"""
    def columns(schema: String) = AvroFormat.columnsOf(RegisteredSchema(1, "AVRO", schema), Side.Value, as(AvroFormat))
    def refused(schema: String) = intercept[KafkalystException](columns(schema)).getMessage
    val own = s"""{"name":"f0","type":["null","R0"]}"""
    assert(columns(nested(0).replace(own, """{"name":"f0","type":"int"}""")).map(_.name).contains("f0"))
    val deep = """{"type":"array","items":""" * 3000 + "\"int\"" + "}" * 3000
    assert(refused(deep).contains("nest"))
    val wide = (0 until 25000).map(i => s"""{"name":"f$i","type":"int"}""").mkString(",")
    assert(refused(record(s"""{"name":"w","type":{"type":"record","name":"I","fields":[$wide]}}""")).contains("20000"))
  }

  test("a schema is extended where its record is, with all else as it was written") {
    def extended(schema: String) = AvroFormat.extended(
      RegisteredSchema(1, "AVRO", schema),
      Seq(TopicColumn("s", StructType.fromDDL("a INT"), Side.Value)),
      Side.Value,
      SideFormat("AVRO")
    )
    val given =
      """{"type":"record","name":"a.R","doc":"d","fields":[{"name":"x","type":"long","aliases":["w"],"my":1}]}"""
    val text = extended(s"""["null",$given]""").get
    assert(text.contains(given.stripSuffix("]}")))
    val field = new Schema.Parser().parse(text).getTypes.get(1).getField("s")
    assert(field.hasDefaultValue && field.schema.getTypes.get(1).getFullName == "a.R_s")
    assert(extended("\"long\"").isEmpty)
  }
}
