package io.kafkalyst.formats
package jsonschema

import com.fasterxml.jackson.databind.ObjectMapper
import io.kafkalyst.errors.{KafkalystException, KafkalystTaskException}
import io.kafkalyst.model.{Side, SideFormat, TopicColumn}
import io.kafkalyst.registry.{RegisteredSchema, RegistryClient, SchemaReference}
import org.apache.spark.sql.types._
import org.scalatest.funsuite.AnyFunSuite

class JsonSrFormatSuite extends AnyFunSuite {
  import FormatTesting._

  private val mapper = new ObjectMapper
  private val connect = "org.apache.kafka.connect.data"

  private def obj(properties: String, more: String = ""): String =
    s"""{"type":"object","properties":{$properties}$more}"""

  private def columns(schema: String, side: Side = Side.Value): Seq[TopicColumn] =
    columnsIn(JsonSrFormat, schema, side)

  private def typeOf(schema: String): DataType = columns(obj(s""""a":$schema""")).head.dataType

  private def refusal(run: => Any): String = intercept[KafkalystException](run) match {
    case e if e.getCondition == "KAFKALYST_UNSUPPORTED_SCHEMA" => e.getMessage
    case other => throw other
  }

  private def registry(schema: String): RegistryClient = new MapRegistry(Map(1 -> schema), "JSON")

  private def read(
      schema: String,
      declared: Seq[TopicColumn],
      json: String,
      options: Map[String, String] = Map.empty
  ): Seq[Any] = decode(
    decoder(JsonSrFormat, declared, declared, registry(schema), options),
    declared,
    framed(1, json.getBytes("UTF-8"))
  )

  private def written(
      schema: String,
      declared: Seq[TopicColumn],
      row: Seq[Any],
      options: Map[String, String] = Map.empty
  ): String = {
    val one = encoder(JsonSrFormat, declared, registry(schema), Some(1), options)
    val bytes = one.encode(sparkRow(row, schemaOf(declared)))
    if (bytes == null) null
    else {
      assert(bytes.take(5).toSeq == Seq[Byte](0, 0, 0, 0, 1))
      new String(bytes.drop(5), "UTF-8")
    }
  }

  private def unwritable(schema: String, declared: Seq[TopicColumn], row: Any*): String = {
    val e = intercept[KafkalystTaskException](written(schema, declared, row))
    assert(e.getCondition == "KAFKALYST_VALUE_NOT_WRITABLE")
    e.getMessage
  }

  test("types of properties") {
    Seq[(String, DataType)](
      """{"type":"integer"}""" -> LongType,
      """{"type":"integer","connect.type":"int8"}""" -> ByteType,
      """{"type":"integer","connect.type":"int16"}""" -> ShortType,
      """{"type":"integer","connect.type":"int32"}""" -> IntegerType,
      """{"type":"integer","connect.type":"int64"}""" -> LongType,
      """{"type":"number"}""" -> DoubleType,
      """{"type":"number","connect.type":"float32"}""" -> FloatType,
      """{"type":"boolean"}""" -> BooleanType,
      """{"type":"string","format":"date-time"}""" -> StringType,
      """{"type":"string","connect.type":"bytes"}""" -> BinaryType,
      """{"enum":["A","B",null]}""" -> StringType,
      """{"const":1}""" -> LongType,
      """{"type":["null","integer"]}""" -> LongType,
      """{"type":["number","integer"]}""" -> DoubleType,
      """{"oneOf":[{"type":"null"},{"type":"boolean"}]}""" -> BooleanType,
      """{"anyOf":[{"type":"integer","connect.type":"int32"},{"type":"integer"}]}""" -> LongType,
      """{"anyOf":[{"type":"integer"},{"type":"number"}]}""" -> DoubleType,
      s"""{"type":"integer","title":"$connect.Date"}""" -> DateType,
      s"""{"type":"integer","title":"$connect.Timestamp"}""" -> TimestampType,
      s"""{"type":"integer","connect.type":"int32","title":"$connect.Time"}""" -> IntegerType,
      s"""{"type":"number","title":"$connect.Decimal","connect.parameters":{"scale":"2","connect.decimal.precision":"9"}}""" ->
        DecimalType(9, 2),
      s"""{"type":"string","title":"$connect.Decimal","connect.parameters":{"scale":"2"}}""" -> DecimalType(38, 2),
      """{"type":"array","items":{"type":"integer"}}""" -> ArrayType(LongType),
      """{"type":"array"}""" -> ArrayType(StringType),
      """{"type":"object","additionalProperties":{"type":"string"}}""" -> MapType(StringType, StringType),
      """{"type":"object","connect.type":"map","additionalProperties":{"type":"integer"}}""" ->
        MapType(StringType, LongType),
      """{"type":"array","connect.type":"map","items":{"type":"object","properties":{"key":{"type":"string"},"value":{"type":"integer"}}}}""" ->
        MapType(StringType, LongType),
      obj(""""b":{"type":"integer"},"C":{"type":"string"}""") -> StructType.fromDDL("b BIGINT, C STRING"),
      """{"allOf":[{"type":"object","properties":{"x":{"type":"integer"}}},{"properties":{"y":{"type":"string"}}}]}""" ->
        StructType.fromDDL("x BIGINT, y STRING"),
      """{"oneOf":[{"type":"string"},{"type":"integer"}]}""" -> StringType,
      """{"type":["string","integer"]}""" -> StringType,
      """{"type":"object"}""" -> StringType,
      """{}""" -> StringType,
      "true" -> StringType
    ).foreach { case (schema, t) => assert(typeOf(schema) == t, schema) }
  }

  test("columns: properties in the order of connect.index, only-null ones left out; a key or bare value is one") {
    val schema = obj(
      """"b":{"connect.index":1,"type":"string"},"a":{"connect.index":0,"type":"integer"},"n":{"type":"null"}"""
    )
    assert(columns(schema) == value("a" -> LongType, "b" -> StringType))
    assert(columns(schema, Side.Key) == key("ROWKEY" -> StructType.fromDDL("a BIGINT, b STRING")))
    val as = SideFormat("JSON_SR", None, Map("WRAP_SINGLE" -> "true"))
    assert(JsonSrFormat.columnsOf(RegisteredSchema(1, "JSON", schema), Side.Key, as) ==
      key("a" -> LongType, "b" -> StringType))
    assert(columns("""{"type":"string"}""") == value("ROWVAL" -> StringType))
    assert(columns(s"""{"oneOf":[{"type":"null"},$schema]}""") == value("a" -> LongType, "b" -> StringType))
    assert(refusal(columns("""{"type":"null"}""")).contains("no field"))
    assert(refusal(columns("[")).contains("not valid JSON"))
    assert(refusal(columns("3")).contains("not a JSON Schema"))
    assert(refusal(typeOf("""{"type":"strin"}""")).contains("strin"))
  }

  test("$ref within the schema and to its references; circles are refused") {
    val local = obj(
      """"a":{"$ref":"#/definitions/x"},"b":{"$ref":"#/$defs/y~1z"},"c":{"$ref":"#anchor"},"d":{"$ref":"http://s/main#/definitions/x"}""",
      ""","$id":"http://s/main","definitions":{"x":{"type":"integer"}},"$defs":{"y/z":{"type":"boolean"},"w":{"$anchor":"anchor","type":"string"}}"""
    )
    assert(columns(local).map(_.dataType) == Seq(LongType, BooleanType, StringType, LongType))
    val main = obj(
      """"a":{"$ref":"item.json"},"b":{"$ref":"item.json#/definitions/q"},"c":{"$ref":"other"}""",
      ""","$id":"http://s/main.json""""
    )
    val references = Seq(
      SchemaReference("other", """{"type":"boolean"}"""),
      SchemaReference(
        "http://s/item.json",
        """{"type":"object","properties":{"q":{"$ref":"#/definitions/q"},"o":{"$ref":"other"}},"definitions":{"q":{"type":"integer"}}}"""
      )
    )
    val known = RegisteredSchema(1, "JSON", main, references = references)
    assert(JsonSrFormat.columnsOf(known, Side.Value, as(JsonSrFormat)).map(_.dataType) ==
      Seq(StructType.fromDDL("q BIGINT, o BOOLEAN"), LongType, BooleanType))
    assert(refusal(typeOf("""{"$ref":"#/definitions/none"}""")).contains("leads nowhere"))
    assert(refusal(typeOf("""{"$ref":"none.json"}""")).contains("not one of its references"))
    assert(refusal(columns(obj(""""a":{"type":"array","items":{"$ref":"#"}}"""))).contains("no field"))
    assert(refusal(typeOf("""{"$ref":"#/properties/a"}""")).contains("circle"))
    val all =
      """{"allOf":[{"$ref":"#/definitions/n"}],"definitions":{"n":{"type":"object","properties":{"n":{"$ref":"#"}}}}}"""
    assert(refusal(columns(all)).contains("no field"))
    val doubling = (0 until 40).map { i =>
      s""""d$i":{"oneOf":[{"$$ref":"#/definitions/d${i + 1}"},{"$$ref":"#/definitions/d${i + 1}"}]}"""
    } :+ """"d40":{"type":"integer"}"""
    val many = obj(""""a":{"$ref":"#/definitions/d0"}""", s""","definitions":{${doubling.mkString(",")}}""")
    assert(refusal(columns(many)).contains("parts"))
    // What is declared by hand may be read from a schema that contains itself.
    val list = obj(""""id":{"type":"integer"},"next":{"$ref":"#"}""")
    assert(read(list, value("id" -> LongType), """{"id":1,"next":{"id":2}}""") == Seq(1L))
  }

  test("a $ref within allOf is what the plain one is") {
    def left(schema: String) = JsonSrFormat.leftOut(RegisteredSchema(1, "JSON", schema), Side.Value, as(JsonSrFormat))
    def list(next: String) = obj(s""""id":{"type":"integer"},"next":$next""")
    val plain = list("""{"$ref":"#"}""")
    Seq(
      """{"allOf":[{"$ref":"#"}]}""",
      """{"description":"x","allOf":[{"$ref":"#"},{"required":["id"]}]}""",
      """{"allOf":[{"allOf":[{"$ref":"#"}]}]}"""
    ).map(list).foreach { wrapped =>
      assert(columns(wrapped) == columns(plain) && left(wrapped) == left(plain) && left(plain) == Seq("next"))
    }
    // With a property of its own it is another object, which contains itself one level deeper.
    val more = list("""{"allOf":[{"$ref":"#"},{"properties":{"more":{"type":"string"}}}]}""")
    assert(columns(more).map(_.dataType) == Seq(LongType, StructType.fromDDL("id BIGINT, more STRING")))
    assert(left(more) == Seq("next.next"))
    val root = """{"allOf":[{"$ref":"#/definitions/a"},{"properties":{"b":{"$ref":"#"}}}],
      "definitions":{"a":{"properties":{"x":{"type":"integer"},"y":{"$ref":"#"}}}}}"""
    assert(columns(root).map(_.name) == Seq("x") && left(root) == Seq("y", "b"))
  }

  test("a map as entries that is its own key is none, however that is said") {
    def map(key: String) =
      s"""{"type":"array","connect.type":"map","items":{"type":"object","properties":{"key":$key,"value":{}}}}"""
    def typed(key: String) = columns(obj(""""a":{"$ref":"#/definitions/a"}""", s""","definitions":{"a":${map(key)}}"""))
    assert(typed("""{"type":"string"}""").head.dataType == MapType(StringType, StringType))
    assert(typed("""{"oneOf":[{"type":"null"},{"type":"string"}]}""").head.dataType == MapType(StringType, StringType))
    assert(typed("""{"$ref":"#/definitions/a"}""").head.dataType == ArrayType(StructType.fromDDL("value STRING")))
    assert(refusal(typed("""{"oneOf":[{"type":"null"},{"$ref":"#/definitions/a"}]}""")).contains("circle"))
  }

  test("the full name is the title, and chooses between several objects") {
    val two =
      """{"oneOf":[{"$ref":"#/definitions/A"},{"title":"x.B","type":"object","properties":{"b":{"type":"string"}}}],
      "definitions":{"A":{"type":"object","properties":{"a":{"type":"integer"}}}}}"""
    def of(name: String) = JsonSrFormat.columnsOf(
      RegisteredSchema(1, "JSON", two),
      Side.Value,
      SideFormat("JSON_SR", None, Map("SCHEMA_FULL_NAME" -> name))
    )
    assert(of("A") == value("a" -> LongType) && of("x.B") == value("b" -> StringType))
    assert(refusal(of("C")).contains("x.B"))
    assert(columns(two) == value("ROWVAL" -> StringType))
    val as = SideFormat("JSON_SR", None, Map("SCHEMA_FULL_NAME" -> "x.Y"))
    val text = JsonSrFormat.schemaOf(value("a" -> LongType), Side.Value, "T", as)
    assert(mapper.readTree(text).get("title").asText == "x.Y")
    assert(JsonSrFormat.columnsOf(RegisteredSchema(1, "JSON", text), Side.Value, as) == value("a" -> LongType))
  }

  private val everyType = StructType.fromDDL(
    "b BOOLEAN, t TINYINT, s SMALLINT, i INT, l BIGINT, f FLOAT, d DOUBLE, n DECIMAL(30, 5), x STRING, y BINARY, " +
      "day DATE, at TIMESTAMP, here TIMESTAMP_NTZ, a ARRAY<STRUCT<c: INT>>, m MAP<STRING, STRUCT<c: INT>>, " +
      "r STRUCT<`any name`: STRUCT<e: INT>>"
  )

  test("schemaOf: columns come back from their own schema, and rows from their bytes") {
    val all = everyType.map(f => TopicColumn(f.name, f.dataType, Side.Value))
    val text = JsonSrFormat.schemaOf(all, Side.Value, "T", as(JsonSrFormat))
    assert(columns(text) == all)
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
      -10000L,
      11L,
      Seq(Seq(12), null),
      Map("k" -> Seq(13), "z" -> null),
      Seq(Seq(14))
    )
    Seq(some, some.map(_ => null)).foreach(row => assert(read(text, all, written(text, all, row)) == row))
    val json = mapper.readTree(written(text, all, some))
    assert(json.get("day").intValue == 9 && json.get("at").longValue == -10)
    assert(json.get("here").asText == "1970-01-01T00:00:00.000011")
    assert(written(text, all, some).contains("\"n\":7.00000,"))
    val property = mapper.readTree(text).at("/properties/i")
    assert(
      property.toString == """{"connect.index":3,"oneOf":[{"type":"null"},{"type":"integer","connect.type":"int32"}]}"""
    )
    assert(JsonSrFormat.schemaOf(key("k" -> IntegerType), Side.Key, "T", as(JsonSrFormat)) ==
      """{"$schema":"http://json-schema.org/draft-07/schema#","type":"integer","connect.type":"int32"}""")
  }

  test("values are written and read in the form that the schema has") {
    def both(schema: String, t: DataType, v: Any, text: String) = {
      val column = value("a" -> t)
      assert(written(obj(s""""a":$schema"""), column, Seq(v)) == s"""{"a":$text}""")
      assert(read(obj(s""""a":$schema"""), column, s"""{"a":$text}""") == Seq(v))
    }
    both("""{"type":"string"}""", TimestampType, 1000L, "\"1970-01-01T00:00:00.001Z\"")
    both("""{"type":"integer"}""", TimestampType, 1000L, "1")
    both("""{"type":"string"}""", DateType, 1, "\"1970-01-02\"")
    both("""{"type":"integer"}""", DateType, 1, "1")
    both("""{"type":"string"}""", DecimalType(5, 2), new java.math.BigDecimal("1.50"), "\"1.50\"")
    val base64 = s"""{"type":"string","title":"$connect.Decimal","connect.parameters":{"scale":"2"}}"""
    both(base64, DecimalType(5, 2), new java.math.BigDecimal("-1.50"), "\"/2o=\"")
    both("""{"type":["integer","string"]}""", StringType, "\"x\"", "\"x\"")
    both("{}", StringType, """{"b":[1.10,null,"é"],"c":{}}""", """{"b":[1.10,null,"é"],"c":{}}""")
    both(
      """{"type":"array","connect.type":"map","items":{"type":"object","properties":{"key":{"type":"string"},"value":{"type":"integer"}}}}""",
      MapType(StringType, LongType),
      Map("k" -> 1L),
      """[{"key":"k","value":1}]"""
    )
  }

  test("nulls as the schema lets them be; the field's own spelling and defaults") {
    val schema = obj(
      """"Opt":{"type":"string"},"nul":{"type":["null","string"]},"req":{"type":"integer"},"d":{"type":"string","default":"x"}""",
      ""","required":["req"],"additionalProperties":false"""
    )
    val some = value("OPT" -> StringType, "nul" -> StringType, "req" -> LongType)
    assert(written(schema, some, Seq("o", "n", 1L)) == """{"Opt":"o","nul":"n","req":1,"d":"x"}""")
    assert(written(schema, some, Seq(null, null, 1L)) == """{"nul":null,"req":1,"d":"x"}""")
    assert(unwritable(schema, some, null, null, null).contains("field req: it is null"))
    assert(unwritable(schema, some.take(2), null, null).contains("field req: no column feeds it"))
    assert(unwritable(schema, some ++ value("z" -> LongType), null, null, 1L, 2L).contains("field z"))
    assert(unwritable(
      obj(""""OPT":{"type":"array","items":{"type":"integer"}}"""),
      value("OPT" -> ArrayType(LongType)),
      Seq(1L, null)
    ).contains("OPT.element"))
    assert(unwritable(obj(""""a":{"type":"string"}"""), value("a" -> LongType), 1L).contains("BIGINT"))
    assert(
      unwritable(obj(""""a":{"type":"integer","connect.type":"int32"}"""), value("a" -> LongType), 1L).contains("INT")
    )
    assert(unwritable(obj(""""a":{}"""), value("a" -> StringType), "x").contains("JSON text"))
    assert(unwritable(obj(""""a":{}"""), value("a" -> StringType), "1 2").contains("JSON text"))
  }

  test("bare values and bad bytes") {
    assert(written("""{"type":"string"}""", value("ROWVAL" -> StringType), Seq("x")) == "\"x\"")
    assert(written("""{"type":"string"}""", value("ROWVAL" -> StringType), Seq(null)) == null)
    assert(read("""{"type":"string"}""", value("ROWVAL" -> StringType), "\"x\"") == Seq("x"))
    assert(read(obj(""""v":{"type":"string"}"""), key("v" -> StringType), """{"v":"x"}""") == Seq("x"))
    assert(read("{}", value("ROWVAL" -> StringType), """{"v":"x"}""") == Seq("""{"v":"x"}"""))
    val columns = value("a" -> LongType)
    val one = decoder(JsonSrFormat, columns, columns, registry(obj(""""a":{"type":"integer"}""")))
    def bad(bytes: Array[Byte]) = intercept[BadBytes](decode(one, columns, bytes)).reason
    assert(bad("""{"a":1}""".getBytes).contains("without a schema id"))
    assert(bad(framed(9, "{}".getBytes)).contains("not known"))
    assert(bad(framed(1, "{".getBytes)).contains("no valid JSON"))
    assert(bad(framed(1, Array.emptyByteArray)).contains("no bytes"))
    assert(decode(one, columns, framed(1, """{"A":1}""".getBytes)) == Seq(1L))
    val avro = decoder(JsonSrFormat, columns, columns, new MapRegistry(Map(1 -> "\"int\"")))
    assert(intercept[BadBytes](decode(avro, columns, framed(1, "{}".getBytes))).reason.contains("AVRO, not JSON"))
  }

  test("a decimal of a scale that no column has keeps its value") {
    def of(scale: Int) = obj(
      s""""a":{"type":"string","title":"$connect.Decimal","connect.parameters":{"scale":"$scale",""" +
        """"connect.decimal.precision":"5"}}"""
    )
    assert(columns(of(-2)).map(_.dataType) == Seq(DecimalType(7, 0)))
    assert(read(of(-2), columns(of(-2)), """{"a":"BQ=="}""") == Seq(new java.math.BigDecimal(500)))
    assert(written(of(-2), columns(of(-2)), Seq(new java.math.BigDecimal(500))) == """{"a":"BQ=="}""")
    assert(unwritable(of(-2), columns(of(-2)), new java.math.BigDecimal(501)).contains("scale of -2"))
    intercept[BadBytes](read(of(40), columns(of(40)), """{"a":"BQ=="}"""))
    assert(written(of(40), columns(of(40)), Seq(new java.math.BigDecimal("0E-38"))) == """{"a":"AA=="}""")
    assert(refusal(columns(of(Int.MinValue))).contains("a decimal of the scale -2147483648"))
  }

  test("connect.type decides before the type") {
    def number(kind: String, connect: String, more: String = "") =
      typeOf(s"""{"type":"$kind","connect.type":"$connect"$more}""")
    val kinds = Seq(
      "int8" -> ByteType,
      "int16" -> ShortType,
      "int32" -> IntegerType,
      "int64" -> LongType,
      "float32" -> FloatType,
      "float64" -> DoubleType
    )
    for { kind <- Seq("integer", "number"); (name, t) <- kinds } assert(number(kind, name) == t, s"$kind $name")
    assert(number("number", "int32", s""","title":"$connect.Date"""") == DateType)
    assert(number("number", "int64", s""","title":"$connect.Timestamp"""") == TimestampType)
    val schema = obj(""""n":{"type":"number","connect.type":"int64"}""")
    assert(read(schema, columns(schema), """{"n":9007199254740993}""") == Seq(9007199254740993L))
  }

  test("allOf holds parts of other schemas, each with its own definitions") {
    val base = obj(
      """"id":{"type":"integer"},"at":{"$ref":"#/$defs/place"},"l":{"type":"array","items":{"$ref":"#/$defs/place"}}""",
      ""","$defs":{"place":{"type":"object","properties":{"city":{"type":"string"}}}}"""
    )
    val middle = """{"allOf":[{"$ref":"base.json"},{"properties":{"m":{"$ref":"#/$defs/place"}}}],""" +
      """"$defs":{"place":{"type":"boolean"}}}"""
    val main = """{"allOf":[{"$ref":"middle.json"},{"type":"object","properties":{"n":{"$ref":"#/$defs/place"}}}],""" +
      """"$defs":{"place":{"type":"number"}}}"""
    val references = Seq(SchemaReference("base.json", base), SchemaReference("middle.json", middle))
    val known = RegisteredSchema(1, "JSON", main, references = references)
    val found = JsonSrFormat.columnsOf(known, Side.Value, as(JsonSrFormat)).map(c => c.name -> c.dataType.sql).toMap
    assert(found == Map(
      "id" -> "BIGINT",
      "at" -> "STRUCT<city: STRING>",
      "l" -> "ARRAY<STRUCT<city: STRING>>",
      "m" -> "BOOLEAN",
      "n" -> "DOUBLE"
    ))
  }

  test("$ref to a part by its $id") {
    def order(id: String, ref: String, more: String = "") =
      s"""{"$$id":"https://x/order.json","type":"object","properties":{"ship":{"$$ref":"$ref"}},"$$defs":{"a":{
        "$$id":"$id","type":"object","properties":{"city":{"$$ref":"#/$$defs/name"}}
        $more}, "name":{"type":"boolean"}},"definitions":{"name":{"type":"integer"}}}"""
    def city(id: String, ref: String, more: String = "") = columns(order(id, ref, more)).map(_.dataType.sql)
    val own = ""","$defs":{"name":{"type":"string"}}"""
    assert(city("address.json", "address.json", own) == Seq("STRUCT<city: STRING>"))
    assert(city("address.json", "https://x/address.json", own) == Seq("STRUCT<city: STRING>"))
    assert(city("https://x/address.json", "/address.json", own) == Seq("STRUCT<city: STRING>"))
    assert(city("address.json", "address.json#/properties/city", own) == Seq("STRING"))
    // A part without the definition means that of the whole schema.
    assert(city("address.json", "address.json") == Seq("STRUCT<city: BOOLEAN>"))
    assert(refusal(columns(order("address.json", "addres.json"))).contains("not one of its references"))
  }

  test("a schema that ksqlDB registered is the same as the derived one") {
    def same(one: String, other: String) =
      JsonSrFormat.isSame(RegisteredSchema(1, "JSON", one), RegisteredSchema(0, "JSON", other))
    val derived = """{"$schema":"http://json-schema.org/draft-07/schema#","type":"integer","connect.type":"int32"}"""
    assert(same("""{"oneOf":[{"type":"null"},{"type":"integer","connect.type":"int32"}]}""", derived))
    assert(same("""{"connect.type":"int32","type":"integer"}""", derived))
    assert(!same("""{"oneOf":[{"type":"null"},{"type":"integer","connect.type":"int64"}]}""", derived))
    assert(!same("true", derived))
  }
}
