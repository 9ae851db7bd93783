package io.kafkalyst.formats

import java.lang.management.ManagementFactory
import java.nio.charset.StandardCharsets.UTF_8

import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.formats.avro.AvroFormat
import io.kafkalyst.formats.events.{CanalJsonFormat, EventDecoder}
import io.kafkalyst.formats.json.JsonFormat
import io.kafkalyst.formats.jsonschema.JsonSrFormat
import io.kafkalyst.formats.protobuf.ProtobufFormat
import io.kafkalyst.model.{Side, SideFormat}
import org.apache.spark.sql.catalyst.expressions.SpecificInternalRow
import org.apache.spark.sql.types._
import org.scalatest.funsuite.AnyFunSuite

/** Records and schemas that are made to multiply: the work stays in proportion to their size. */
class HostileSizesSuite extends AnyFunSuite {
  import FormatTesting._

  private val threads = ManagementFactory.getThreadMXBean.asInstanceOf[com.sun.management.ThreadMXBean]

  /** Megabytes that the run allocates. */
  private def megabytes(run: => Any): Long = {
    val before = threads.getCurrentThreadAllocatedBytes
    run
    (threads.getCurrentThreadAllocatedBytes - before) >> 20
  }

  test("JSON Schema: what the parts of an allOf require is counted where it doubles") {
    val names = (0 until 1000).map(i => s""""r$i"""").mkString(",")
    val levels = (1 to 19).map { i =>
      val part = if (i == 1) "L" else s"A${i - 1}"
      val ref = s"""{"$$ref":"#/definitions/$part"}"""
      s""""A$i":{"allOf":[$ref,$ref]}"""
    }
    val schema = s"""{"type":"object","properties":{"a":{"$$ref":"#/definitions/A19"}},"definitions":{
      "L":{"type":"object","properties":{"x":{"type":"string"}},"required":[$names]},${levels.mkString(",")}}}"""
    val refused = intercept[KafkalystException](columnsIn(JsonSrFormat, schema, Side.Value))
    assert(refused.getMessage.contains("1000000"))
    val twice = schema.replace("A19\"}", "A2\"}")
    assert(columnsIn(JsonSrFormat, twice, Side.Value).map(_.dataType.sql) == Seq("STRUCT<x: STRING>"))
  }

  test("schema.evolution = fail: a schema with new fields is looked through once") {
    val schema = """{"type":"record","name":"R","fields":[{"name":"x","type":"int"}]}"""
    val registry = new MapRegistry(Map(1 -> schema))
    val news = new NewFields(registry, AvroFormat, Side.Value, as(AvroFormat), Nil, "t", isAdding = false)
    val faults = (0 to 1).map(_ => intercept[BadBytes](news.byId(1)))
    assert(faults.head.reason.contains("the new fields x") && (faults.head eq faults.last))
  }

  test("CANAL_JSON: a key of an event with many changes is read once") {
    val types = (0 until 3000).map(i => s""""c$i":4""").mkString(",")
    val rows = Seq.fill(3000)("""{"id":"1"}""").mkString(",")
    val event = s"""{"type":"INSERT","data":[$rows],"sqlType":{$types}}""".getBytes(UTF_8)
    val columns = value("id" -> IntegerType)
    val key = CanalJsonFormat.keys.find(_.name == "sql-type").get
    val made = CanalJsonFormat.decoder(DecodeRequest(
      Side.Value,
      "t",
      SideFormat("CANAL_JSON"),
      columns,
      Array(Target("id", IntegerType, 0)),
      () => new MapRegistry(Map.empty),
      Array(Target(key.name, key.dataType, 1))
    ))
    val row = new SpecificInternalRow(Seq(IntegerType, key.dataType))
    var count = 0
    val used = megabytes {
      made.decode(event, 0, event.length, row)
      do {
        assert(row.getMap(1).numElements() == 3000)
        count += 1
      } while (made.next(row))
    }
    assert(count == 3000 && used < 60, s"$count rows, $used MB")
    val other = """{"type":"INSERT","data":[{"id":"1"}],"sqlType":{"id":4}}""".getBytes(UTF_8)
    made.decode(other, 0, other.length, row)
    assert(row.getMap(1).numElements() == 1)
  }

  test("JSON: values that are null because they do not fit need no message") {
    val column = value("m" -> MapType(StringType, ArrayType(IntegerType)))
    val made =
      decoder(JsonFormat, column, column, options = Map(SideFormat.nullBadFields -> "true"))
    val json = s"""{"m":{"${"k" * 100000}":[${Seq.fill(5000)("\"x\"").mkString(",")}, 7]}}""".getBytes(UTF_8)
    var read: Seq[Any] = Nil
    val used = megabytes { read = decode(made, column, json) }
    val items = read.head.asInstanceOf[Map[String, Seq[Any]]].head._2
    assert(items.size == 5001 && items.last == 7 && items.count(_ == null) == 5000)
    assert(used < 30, s"$used MB")
    // A message does not quote long names as a whole.
    val strict = decoder(JsonFormat, column, column)
    val reason = intercept[BadBytes](decode(strict, column, json)).reason
    assert(reason.contains("INT expected") && reason.length < 500)
  }

  private val wide = StructType((1 to 200).map(i => StructField(s"c$i", LongType)))
  private val wides = value("a" -> ArrayType(wide))

  test("JSON: objects without fields are counted by what they take in memory") {
    def json(n: Int) = s"""{"a":[${Seq.fill(n)("{}").mkString(",")}]}""".getBytes(UTF_8)
    for (options <- Seq(Map.empty[String, String], Map(SideFormat.nullBadFields -> "true"))) {
      val made = decoder(JsonFormat, wides, wides, options = options)
      val bad = intercept[BadBytes](decode(made, wides, json(100000)))
      assert(bad.reason.contains("more than 16777216 values in one record"))
      // Each record is counted by itself.
      for (_ <- 1 to 2) assert(decode(made, wides, json(50000)).head.asInstanceOf[Seq[Any]].size == 50000)
    }
  }

  test("JSON: each row of an array is counted by itself") {
    val targets = wides.zipWithIndex.map { case (c, i) => Target(c.name, c.dataType, i) }.toArray
    val request =
      DecodeRequest(Side.Value, "t", as(JsonFormat), wides, targets, () => new MapRegistry(Map.empty), hasRows = true)
    val made = JsonFormat.decoder(request).asInstanceOf[EventDecoder]
    def rows(count: Int, items: Int) = {
      val one = s"""{"a":[${Seq.fill(items)("{}").mkString(",")}]}"""
      Seq.fill(count)(one).mkString("[", ",", "]").getBytes(UTF_8)
    }
    val row = new SpecificInternalRow(Seq[DataType](wides.head.dataType))
    val small = rows(4, 50000)
    made.decode(small, 0, small.length, row)
    var count = 1
    while (made.next(row)) count += 1
    assert(count == 4 && row.getArray(0).numElements() == 50000)
    val large = rows(1, 100000)
    assert(intercept[BadBytes](made.decode(large, 0, large.length, row)).reason.contains("more than 16777216 values"))
  }

  test("AVRO: records of few bytes are counted by what they take in memory") {
    def schema(item: String) =
      s"""{"type":"record","name":"R","fields":[{"name":"a","type":{"type":"array","items":$item}}]}"""
    val narrow = schema("""{"type":"record","name":"N","fields":[{"name":"c1","type":"long"}]}""")
    val branches = "\"null\"" +: (1 to 200).map(i => s"""{"type":"enum","name":"E$i","symbols":["A"]}""")
    val ofUnion = schema(branches.mkString("[", ",", "]"))
    val members = columnsIn(AvroFormat, ofUnion, Side.Value)
    for ((schema, columns, item) <- Seq((narrow, wides, Seq[Byte](2)), (ofUnion, members, Seq[Byte](2, 0)))) {
      val made = decoder(AvroFormat, columns, columns, new MapRegistry(Map(1 -> schema)))
      def avro(n: Int) = {
        // The block's length as a number of three bytes, zigzag.
        val zigzag = Seq(n * 2 & 0x7f | 0x80, n * 2 >> 7 & 0x7f | 0x80, n * 2 >> 14).map(_.toByte)
        framed(1, (zigzag ++ Seq.fill(n)(item).flatten :+ 0.toByte).toArray)
      }
      val bad = intercept[BadBytes](decode(made, columns, avro(100000)))
      assert(bad.reason.contains("more than 16777216 values in one record"))
      for (_ <- 1 to 2) assert(decode(made, columns, avro(50000)).head.asInstanceOf[Seq[Any]].size == 50000)
    }
  }

  private def proto(schema: String) = s"""syntax = "proto3"; $schema"""

  test("PROTOBUF: values within values are not copied at each level") {
    val schema = proto("import \"google/protobuf/struct.proto\"; message M { google.protobuf.Value v = 1; }")
    val columns = columnsIn(ProtobufFormat, schema, Side.Value)
    val registry = new MapRegistry(Map(1 -> schema), "PROTOBUF")
    val text = (0 until 24).foldLeft("\"" + "x" * 300000 + "\"")((inner, _) => s"""[{"k":$inner}]""")
    val bytes = encoder(ProtobufFormat, columns, registry, Some(1)).encode(sparkRow(Seq(text), schemaOf(columns)))
    val made = decoder(ProtobufFormat, columns, columns, registry)
    var read: Seq[Any] = Nil
    val used = megabytes { read = decode(made, columns, bytes) }
    assert(read == Seq(text))
    assert(used < 9, s"$used MB")
  }

  test("PROTOBUF: names of many parts and strings of many pieces") {
    val deep = proto(s"package ${Seq.fill(5000)("a").mkString(".")}; message M { N n = 1; message N { int32 x = 1; } }")
    assert(intercept[KafkalystException](columnsIn(ProtobufFormat, deep, Side.Value)).getMessage.contains("100 parts"))
    val pieces = proto(s"option java_package = ${"\"ab\" " * 20000}; message M { int32 x = 1; }")
    val used = megabytes(columnsIn(ProtobufFormat, pieces, Side.Value))
    assert(used < 100, s"$used MB")
  }

  test("PROTOBUF: many oneofs are looked through once") {
    def schema(n: Int) =
      proto(s"message M { ${(1 to n).map(i => s"oneof o$i { int32 f$i = $i; }").mkString(" ")} }")
    val columns = value("f1" -> IntegerType)
    def used(n: Int): Long = megabytes {
      val made = decoder(ProtobufFormat, columns, columns, new MapRegistry(Map(1 -> schema(n)), "PROTOBUF"))
      val bytes = Array[Byte](0, 0, 0, 0, 1, 0, 8, 5)
      assert(decode(made, columns, bytes) == Seq(5))
    }
    used(100)
    val (once, twice) = (used(4000), used(8000))
    assert(twice < 3 * once, s"$once and $twice MB")
  }

  test("JSON Schema: a reference to an anchor does not walk the schema") {
    def schema(n: Int) = {
      val fields = (1 to n).map(i => s""""f$i":{"$$ref":"#x"}""").mkString(",")
      s"""{"type":"object","properties":{$fields},"$$defs":{"x":{"$$anchor":"x","type":"string"},
        "y":{"$$anchor":"x","type":"number"},"z":{"$$id":"#z","type":"boolean"}},"title":"T"}"""
    }
    def used(n: Int): Long = megabytes(columnsIn(JsonSrFormat, schema(n), Side.Value))
    used(100)
    val (once, twice) = (used(10000), used(20000))
    assert(twice < 3 * once, s"$once and $twice MB")
    assert(columnsIn(JsonSrFormat, schema(1), Side.Value).map(_.dataType) == Seq(StringType))
    val byId = schema(1).replace("#x\"}", "#z\"}")
    assert(columnsIn(JsonSrFormat, byId, Side.Value).map(_.dataType) == Seq(BooleanType))
  }
}
