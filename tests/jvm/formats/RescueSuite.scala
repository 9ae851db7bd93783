package io.kafkalyst.formats

import scala.jdk.CollectionConverters._
import scala.util.Random

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import com.fasterxml.jackson.databind.node.{ArrayNode, JsonNodeFactory, ObjectNode}
import io.kafkalyst.formats.avro.AvroFormat
import io.kafkalyst.formats.json.JsonFormat
import io.kafkalyst.formats.jsonschema.JsonSrFormat
import io.kafkalyst.formats.protobuf.ProtobufFormat
import io.kafkalyst.model.{Side, SideFormat, TopicColumn}
import org.apache.avro.Schema
import org.apache.spark.sql.catalyst.expressions.SpecificInternalRow
import org.apache.spark.sql.types._
import org.scalatest.funsuite.AnyFunSuite

/** The fields of a value that no column takes, against what is left of the whole value's JSON without the columns. */
class RescueSuite extends AnyFunSuite {
  import FormatTesting._

  private val mapper = new ObjectMapper
  private val make = JsonNodeFactory.instance

  private def request(
      format: Format,
      declared: Seq[TopicColumn],
      asked: Seq[TopicColumn],
      registry: MapRegistry,
      as: SideFormat
  ): DecodeRequest = {
    val targets = asked.zipWithIndex.map { case (c, i) => Target(c.name, c.dataType, i + 1) }.toArray
    DecodeRequest(Side.Value, "t", as, declared, targets, () => registry, rescuedAt = 0)
  }

  /** The rescued column; the same whether other columns are asked for or not. */
  private def rescued(
      format: Format,
      declared: Seq[TopicColumn],
      bytes: Array[Byte],
      registry: MapRegistry = new MapRegistry(Map.empty),
      as: Option[SideFormat] = None
  ): Option[String] = {
    val found = Seq(Nil, declared).map { asked =>
      val row = new SpecificInternalRow(StringType +: asked.map(_.dataType))
      val decoder = format.decoder(request(format, declared, asked, registry, as.getOrElse(SideFormat(format.name))))
      // Twice: nothing stays of the record before.
      (0 to 1).foreach(_ => decoder.decode(bytes, 0, bytes.length, row))
      if (row.isNullAt(0)) None else Some(row.getUTF8String(0).toString)
    }
    assert(found.distinct.size == 1)
    found.head
  }

  private def json(text: String, columns: (String, DataType)*): Option[String] =
    rescued(JsonFormat, value(columns: _*), text.getBytes("UTF-8"))

  /** What is left of a value of that type, computed from its tree. */
  private def left(node: JsonNode, t: DataType): Option[JsonNode] = (node, t) match {
    case (o: ObjectNode, s: StructType) =>
      fields(o) { (name, field) => s.find(_.name == name).fold(Option(field))(f => left(field, f.dataType)) }
    case (o: ObjectNode, m: MapType) => fields(o)((_, field) => left(field, m.valueType))
    case (items: ArrayNode, a: ArrayType) =>
      val rests = items.asScala.map(left(_, a.elementType)).toSeq
      if (rests.flatten.isEmpty) None
      else Some(make.arrayNode().addAll(rests.map(_.getOrElse(make.nullNode())).asJava))
    case _ => None
  }

  private def fields(of: ObjectNode)(rest: (String, JsonNode) => Option[JsonNode]): Option[JsonNode] = {
    val result = make.objectNode()
    for (f <- of.fields.asScala if !f.getValue.isNull; r <- rest(f.getKey, f.getValue))
      result.set[JsonNode](f.getKey, r)
    if (result.isEmpty) None else Some(result)
  }

  private def any(r: Random, depth: Int): JsonNode = r.nextInt(if (depth > 0) 7 else 5) match {
    case 0 => make.nullNode()
    case 1 => make.booleanNode(r.nextBoolean())
    case 2 => make.numberNode(r.nextInt())
    case 3 | 4 => make.textNode(s"\u00fc\n${r.nextInt(9)}")
    case 5 => (0 until r.nextInt(3)).foldLeft(make.arrayNode())((a, _) => a.add(any(r, depth - 1)))
    case _ => withMore(make.objectNode(), r, depth)
  }

  private def withMore(o: ObjectNode, r: Random, depth: Int): ObjectNode = {
    (0 until r.nextInt(3)).foreach(_ => o.set[JsonNode](s"\u00e4\"${r.nextInt(9)}", any(r, depth - 1)))
    o
  }

  /** A value that fits the type, with unknown fields wherever there may be some. */
  private def fitting(t: DataType, r: Random): JsonNode = if (r.nextInt(5) == 0) make.nullNode()
  else t match {
    case s: StructType =>
      val o = withMore(make.objectNode(), r, 3)
      r.shuffle(s.fields.toSeq).drop(r.nextInt(2)).foreach(f => o.set[JsonNode](f.name, fitting(f.dataType, r)))
      withMore(o, r, 3)
    case a: ArrayType => (0 until r.nextInt(4)).foldLeft(make.arrayNode())((i, _) => i.add(fitting(a.elementType, r)))
    case m: MapType =>
      (0 until r.nextInt(4)).foldLeft(make.objectNode()) { (o, i) =>
        o.set[JsonNode](s"k$i", fitting(m.valueType, r))
        o
      }
    case _: StringType => make.textNode(s"\u00fc${r.nextInt(9)}")
    case _ => make.numberNode(r.nextInt(100))
  }

  test("JSON: any fields at any depth") {
    val inner = new StructType().add("a", IntegerType).add("b", StringType)
    val columns = value(
      "a" -> IntegerType,
      "s" -> new StructType().add("x", inner).add("l", ArrayType(inner)),
      "m" -> MapType(StringType, ArrayType(inner)),
      "n" -> ArrayType(IntegerType)
    )
    val r = new Random(29)
    val all = (0 until 3000).map { i =>
      val node = fitting(schemaOf(columns), r)
      val expected = left(node, schemaOf(columns))
      val bytes = mapper.writeValueAsBytes(node)
      assert(rescued(JsonFormat, columns, bytes).map(mapper.readTree) == expected, s"record $i: $node")
      if (i % 10 == 0) {
        val registry = new MapRegistry(Map(1 -> """{"type": "object"}"""), "JSON")
        assert(rescued(JsonSrFormat, columns, framed(1, bytes), registry).map(mapper.readTree) == expected)
      }
      expected
    }
    assert(all.count(_.isEmpty) > 100 && all.count(_.isDefined) > 1000)
  }

  test("JSON: as it is written, and by the names that columns take") {
    assert(json("""{"A": 1, "b": 1e999999999, "c": [1,  2]}""", "a" -> IntegerType)
      .contains("""{"b": 1e999999999,"c": [1,  2]}"""))
    assert(json("null", "a" -> IntegerType).isEmpty)
    assert(json("""{"a": null, "b": null, "s": {"y": null}}""", "s" -> new StructType().add("x", IntegerType)).isEmpty)
    Seq("", " ", """{"a": 1} 2""", """{"b": "\x"}""", """{"b": tru}""").foreach { text =>
      intercept[BadBytes](json(text, "a" -> IntegerType))
    }
  }

  test("a bare value has the fields that its own type lacks") {
    val as = Some(SideFormat("JSON", None, Map(SideFormat.wrapSingle -> "false")))
    val struct = value("v" -> new StructType().add("x", IntegerType))
    assert(rescued(JsonFormat, struct, """{"x": 1, "y": 2}""".getBytes, as = as).contains("""{"y": 2}"""))
    assert(rescued(JsonFormat, value("v" -> IntegerType), "5".getBytes, as = as).isEmpty)
    val number = new MapRegistry(Map(1 -> "\"int\""))
    assert(rescued(AvroFormat, value("v" -> IntegerType), framed(1, Array[Byte](10)), number).isEmpty)
  }

  test("AVRO: any schema") {
    val r = new Random(31)
    val text = Map(SideFormat.timestampStandard -> "ISO-8601", SideFormat.wrapSingle -> "true")
    var (some, none) = (0, 0)
    (0 until 400).foreach { i =>
      val any = new AvroOracle.RandomAvro(r)
      val schema = any.record(3)
      val registry = new MapRegistry(Map(1 -> schema.toString))
      val columns = columnsIn(AvroFormat, schema.toString, Side.Value)
      val declared =
        r.shuffle(columns).take(1 + r.nextInt(columns.size)).map(c => c.copy(dataType = part(c.dataType, r)))
      val written = framed(1, AvroOracle.write(schema, any.value(schema)))
      val whole = new SpecificInternalRow(columns.map(_.dataType))
      decoder(AvroFormat, columns, columns, registry).decode(written, 0, written.length, whole)
      val tree = mapper.readTree(encoder(JsonFormat, columns, options = text).encode(whole))
      val expected = left(tree, schemaOf(declared))
      assert(rescued(AvroFormat, declared, written, registry).map(mapper.readTree) == expected, s"record $i of $schema")
      if (expected.isDefined) some += 1 else none += 1
    }
    assert(some > 100 && none > 20)
  }

  /** The type with some fields of its structs. */
  private def part(t: DataType, r: Random): DataType = t match {
    case s: StructType =>
      StructType(r.shuffle(s.fields.toSeq).take(1 + r.nextInt(s.size)).map(f => f.copy(dataType = part(f.dataType, r))))
    case a: ArrayType => a.copy(elementType = part(a.elementType, r))
    case m: MapType => m.copy(valueType = part(m.valueType, r))
    case other => other
  }

  test("AVRO: a field that the table has renamed is not an unknown one") {
    val before =
      """{"type":"record","name":"R","fields":[{"name":"old","type":"int"},{"name":"more","type":"double"}]}"""
    val table = """{"type":"record","name":"R","fields":[{"name":"now","type":"int","aliases":["old"]}]}"""
    val record = new org.apache.avro.generic.GenericData.Record(new Schema.Parser().parse(before))
    record.put("old", 5)
    record.put("more", Double.NaN)
    val as = Some(SideFormat("AVRO", Some(2), Map.empty))
    val bytes = framed(1, AvroOracle.write(record.getSchema, record))
    val found =
      rescued(AvroFormat, value("now" -> IntegerType), bytes, new MapRegistry(Map(1 -> before, 2 -> table)), as)
    assert(found.contains("""{"more":"NaN"}"""))
  }

  test("PROTOBUF: fields of the message that a record has; maps with other keys; fields of no number known") {
    val schema = """syntax = "proto3"; import "google/protobuf/timestamp.proto";
      message A { int32 a = 1; }
      message B { int32 a = 1; map<int32, string> m = 2; optional int32 o = 3; google.protobuf.Timestamp at = 4; C c = 5;
        message C { bytes x = 1; uint64 y = 2; } }"""
    val registry = new MapRegistry(Map(1 -> schema), "PROTOBUF")
    val columns = value("a" -> IntegerType, "c" -> new StructType().add("x", BinaryType))
    def of(place: Seq[Int], body: Int*) =
      rescued(ProtobufFormat, columns, framed(1, (place ++ body).map(_.toByte).toArray), registry)
    // The second message.
    val second = Seq(2, 2)
    assert(of(Seq(0), 8, 1).isEmpty)
    assert(of(second, 8, 1).contains("""{"m":{}}"""))
    assert(of(second, 18, 5, 8, 7, 18, 1, 'x', 24, 0, 34, 2, 8, 60, 42, 5, 10, 1, 1, 16, 9, 80, 1)
      .contains("""{"m":{"7":"x"},"o":0,"at":"1970-01-01T00:01:00Z","c":{"y":9}}"""))
  }
}
