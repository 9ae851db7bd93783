package io.kafkalyst.formats
package protobuf

import io.kafkalyst.errors.{KafkalystException, KafkalystTaskException}
import io.kafkalyst.model.{Side, SideFormat, TopicColumn}
import io.kafkalyst.registry.{RegisteredSchema, SchemaReference}
import org.apache.spark.sql.types._
import org.scalatest.funsuite.AnyFunSuite

class ProtobufFormatSuite extends AnyFunSuite {
  import FormatTesting._

  private val fullName = SideFormat.schemaFullName

  private def proto3(fields: String): String = s"syntax = \"proto3\"; message M { $fields }"
  private def proto2(fields: String): String = s"message M { $fields }"
  private def registry(schema: String) = new MapRegistry(Map(1 -> schema), "PROTOBUF")

  private def read(schema: String, columns: Seq[TopicColumn], body: Array[Byte]): Seq[Any] =
    decode(decoder(ProtobufFormat, columns, columns, registry(schema)), columns, framed(1, 0.toByte +: body))

  private def bad(schema: String, columns: Seq[TopicColumn], body: Array[Byte]): String =
    intercept[BadBytes](read(schema, columns, body)).reason

  private def write(
      schema: String,
      columns: Seq[TopicColumn],
      values: Seq[Any],
      options: Map[String, String] = Map.empty
  ): Seq[Byte] = {
    val one = encoder(ProtobufFormat, columns, registry(schema), Some(1), options)
    one.encode(sparkRow(values, schemaOf(columns))).drop(5).toSeq
  }

  private def columnsOf(schema: String, options: (String, String)*): Seq[TopicColumn] = ProtobufFormat.columnsOf(
    RegisteredSchema(1, "PROTOBUF", schema),
    Side.Value,
    SideFormat("PROTOBUF", None, options.toMap)
  )

  private def bytes(values: Int*): Array[Byte] = values.map(_.toByte).toArray

  private def condition(run: => Any): String = intercept[Exception](run) match {
    case e: KafkalystException => e.getCondition.stripPrefix("KAFKALYST_")
    case e: KafkalystTaskException => e.getCondition.stripPrefix("KAFKALYST_")
    case other => throw other
  }

  private def message(run: => Any): String = intercept[Exception](run) match {
    case e @ (_: KafkalystException | _: KafkalystTaskException | _: NotWritable) => e.getMessage
    case other => throw other
  }

  private val nested = """syntax = "proto3"; package p.q;
    message A { int32 a = 1; map<string, int32> m = 2; message B { int32 b = 1; message C { int32 c = 1; } } }
    message D { int32 d = 1; enum E { X = 0; } message F { int32 f = 1; } }"""

  test("what is not framed, or has no message at its index, is said to be so") {
    val columns = value("a" -> IntegerType)
    val one = decoder(ProtobufFormat, columns, columns, registry(nested))
    def reason(bytes: Array[Byte]) = intercept[BadBytes](decode(one, columns, bytes)).reason
    assert(reason(Array.emptyByteArray).contains("no bytes"))
    assert(reason("""{"a":1}""".getBytes).contains("JSON"))
    assert(reason(framed(1, bytes())).contains("no message index"))
    assert(reason(framed(1, bytes(2, 10))).contains("no message at index 5"))
    assert(reason(framed(1, bytes(2, 1))).contains("no message at index -1"))
    assert(reason(framed(1, bytes(-2, -1, -1, -1, 15))).contains("message indexes"))
    assert(reason(framed(1, bytes(4, 0))).contains("cut off"))
    assert(reason(framed(9, bytes(0, 8, 1))).contains("schema id 9 is not known"))
    assert(decode(one, columns, framed(1, bytes(0, 8, 7))) == Seq(7))
    val avro = decoder(ProtobufFormat, columns, columns, new MapRegistry(Map(1 -> "\"int\"")))
    assert(intercept[BadBytes](decode(avro, columns, framed(1, bytes(0)))).reason.contains("AVRO, not PROTOBUF"))
    val broken = decoder(ProtobufFormat, columns, columns, registry("message M {\n int32 a; }"))
    assert(intercept[BadBytes](decode(broken, columns, framed(1, bytes(0)))).reason.contains("line 2: ;"))
  }

  test("each record is read as the message of its own indexes") {
    val columns = value("a" -> IntegerType, "b" -> IntegerType, "c" -> IntegerType, "f" -> IntegerType)
    val one = decoder(ProtobufFormat, columns, columns, registry(nested))
    (0 until 2).foreach { _ =>
      assert(decode(one, columns, framed(1, bytes(0, 8, 1))) == Seq(1, null, null, null))
      assert(decode(one, columns, framed(1, bytes(2, 0, 8, 1))) == Seq(1, null, null, null))
      assert(decode(one, columns, framed(1, bytes(4, 0, 0, 8, 2))) == Seq(null, 2, null, null))
      assert(decode(one, columns, framed(1, bytes(6, 0, 0, 0, 8, 3))) == Seq(null, null, 3, null))
      assert(decode(one, columns, framed(1, bytes(4, 2, 0, 8, 4))) == Seq(null, null, null, 4))
    }
  }

  test("the full name picks a message, for its columns and for its index") {
    assert(columnsOf(nested, fullName -> "p.q.D.F") == value("f" -> IntegerType))
    assert(message(columnsOf(nested)).contains("p.q.A, p.q.D"))
    assert(condition(columnsOf(nested)) == "SCHEMA_FULL_NAME_NEEDED")
    assert(condition(columnsOf(nested, fullName -> "p.q.d")) == "SCHEMA_FULL_NAME_UNKNOWN")
    assert(message(columnsOf(nested, fullName -> "p.q.d")).contains("""Did you mean "p.q.D"?"""))
    def index(name: String, column: String) =
      write(nested, value(column -> IntegerType), Seq(5), Map(fullName -> name)).dropRight(2)
    assert(index("p.q.A", "a") == Seq(0))
    assert(index("p.q.A.B", "b") == Seq(4, 0, 0))
    assert(index("p.q.A.B.C", "c") == Seq(6, 0, 0, 0))
    assert(index("p.q.D.F", "f") == Seq(4, 2, 0))
    assert(condition(write(nested, value("a" -> IntegerType), Seq(5))) == "UNUSABLE_SCHEMA")
    assert(condition(write(nested, value("a" -> IntegerType), Seq(5), Map(fullName -> "p.q.X"))) == "UNUSABLE_SCHEMA")
  }

  test("absent fields: defaults of proto3, null where it is told, what proto2 declares") {
    val three = proto3(
      "int32 i = 1; string s = 2; optional int32 o = 3; oneof c { bool b = 4; } repeated int32 r = 5;" +
        " map<string, int32> m = 6; M2 x = 7; E e = 8; bytes y = 9; fixed64 u = 10; } message M2 {} enum E { ZERO = 0; "
    )
    val columns = columnsOf(three, fullName -> "M")
    val defaults = Seq(0, "", null, null, Nil, Map(), null, "ZERO", Nil, java.math.BigDecimal.ZERO)
    assert(read(three, columns, bytes()) == defaults)
    assert(write(three, columns, defaults, Map(fullName -> "M")) == Seq(0))
    assert(write(three, columns, columns.map(_ => null), Map(fullName -> "M")) == Seq(0))
    // With presence the default is a value of its own.
    val told = columns.filter(c => Set("o", "b").contains(c.name))
    assert(write(three, told, Seq(0, false), Map(fullName -> "M")) == Seq(0, 24, 0, 32, 0))
    val two = proto2("optional int32 i = 1; optional int32 d = 2 [default = -3]; optional E e = 3 [default = TWO];" +
      " required string s = 4; enum E { ONE = 1; TWO = 2; }")
    assert(read(two, columnsOf(two), bytes(34, 0)) == Seq(null, -3, "TWO", ""))
    assert(bad(two, columnsOf(two), bytes()) ==
      "field s: it is not there, but the writer's schema requires it")
    assert(bad(two, columnsOf(two).take(1), bytes()).contains("field s"))
    assert(message(write(two, columnsOf(two), Seq(1, 2, "ONE", null))).contains("field s: it is null"))
    assert(message(write(two, columnsOf(two).take(1), Seq(1))).contains("field s: no column feeds it"))
  }

  test("a oneof holds the member that came last, and is not written with two") {
    val schema = proto3("oneof c { int32 i = 1; string s = 2; M x = 3; } int32 after = 4;").replace("M x", "N x") +
      "message N { int32 n = 1; int32 m = 2; }"
    val columns = columnsOf(schema, fullName -> "M")
    assert(read(schema, columns, bytes(8, 1, 18, 1, 'a')) == Seq(null, "a", null, 0))
    assert(read(schema, columns, bytes(18, 1, 'a', 26, 2, 8, 1, 26, 2, 16, 2)) == Seq(null, null, Seq(1, 2), 0))
    assert(read(schema, columns, bytes(26, 2, 8, 1, 8, 5, 26, 2, 16, 2)) == Seq(null, null, Seq(0, 2), 0))
    // Also where the one that came last is not asked for; an occurrence of another kind is none.
    val some = decoder(ProtobufFormat, columns, columns.take(1), registry(schema))
    assert(decode(some, columns.take(1), framed(1, bytes(0, 8, 1, 18, 1, 'a'))) == Seq(null))
    assert(decode(some, columns.take(1), framed(1, bytes(0, 8, 1, 16, 1))) == Seq(1))
    val options = Map(fullName -> "M")
    assert(message(write(schema, columns, Seq(1, "a", null, 0), options)).contains("field c: several of i, s, x"))
    assert(write(schema, columns, Seq(null, "a", null, 0), options) == Seq(0, 18, 1, 'a'))
  }

  test("unknown enum numbers are text and written back; unknown fields, groups and other kinds are passed over") {
    val schema = proto3("E e = 1; int32 i = 2; } enum E { option allow_alias = true; A = 0; B = 1; C = 1; ")
    val columns = columnsOf(schema)
    assert(read(schema, columns, bytes(8, 1, 16, 3)) == Seq("B", 3))
    assert(read(schema, columns, bytes(8, 77, 16, 3)) == Seq("77", 3))
    assert(write(schema, columns, Seq("77", 3)) == Seq(0, 8, 77, 16, 3))
    assert(write(schema, columns, Seq("C", 3)) == Seq(0, 8, 1, 16, 3))
    assert(message(write(schema, columns, Seq("D", 3))).contains("not one of the schema's values A, B, C"))
    assert(read(schema, columns, bytes(83, 8, 5, 91, 92, 84, 16, 3)) == Seq("A", 3))
    assert(read(schema, columns, bytes(21, 1, 0, 0, 0)) == Seq("A", 0))
    assert(bad(schema, columns, bytes(84)).contains("the end of group 10"))
    assert(bad(schema, columns, bytes(83, 92)).contains("group 10 ends as group 11"))
    assert(bad(schema, columns, bytes(83)).contains("cut off"))
    assert(bad(schema, columns, bytes(15)).contains("kind 7"))
    assert(bad(schema, columns, bytes(0, 0)).contains("where a field's number"))
    assert(bad(schema, columns, Array.fill[Byte](1000000)(83)).contains("nested deeper"))
    val group = proto2("optional int32 i = 1; repeated group G = 2 { optional int32 g = 1; message H {} } message K {}")
    assert(columnsOf(group) == value("i" -> IntegerType))
    assert(read(group, columnsOf(group), bytes(19, 8, 9, 20, 8, 5)) == Seq(5))
  }

  test("numbers are promoted and checked, strings and bytes read as each other") {
    val d = DecimalType(20, 2)
    val top = Array.fill[Byte](9)(-1) :+ 1.toByte
    Seq[(String, DataType, Array[Byte], Any)](
      ("int32", LongType, bytes(6), 6L),
      ("int32", ShortType, bytes(6), 6.toShort),
      ("int32", ByteType, bytes(6), 6.toByte),
      ("sint64", DoubleType, bytes(6), 3d),
      ("sint64", FloatType, bytes(6), 3f),
      ("sint64", d, bytes(5), new java.math.BigDecimal("-3.00")),
      ("int32", IntegerType, top, -1),
      ("uint64", DecimalType(20, 0), top, new java.math.BigDecimal("18446744073709551615")),
      ("uint64", LongType, bytes(6), 6L),
      ("uint32", IntegerType, bytes(6), 6),
      ("bool", BooleanType, bytes(6), true),
      ("bytes", StringType, bytes(2, 'h', 'i'), "hi"),
      ("string", BinaryType, bytes(2, 'h', 'i'), Seq('h', 'i'))
    ).foreach { case (t, to, body, expected) =>
      val tag = if (t == "bytes" || t == "string") 10 else 8
      assert(read(proto3(s"$t A = 1;"), value("a" -> to), tag.toByte +: body) == Seq(expected), s"$t as $to")
    }
    assert(bad(proto3("uint64 a = 1;"), value("a" -> LongType), 8.toByte +: top).contains("18446744073709551615 where"))
    assert(bad(proto3("uint32 a = 1;"), value("a" -> IntegerType), 8.toByte +: top).contains("4294967295 where an INT"))
    assert(bad(proto3("int32 a = 1;"), value("a" -> ByteType), bytes(8, -128, 1)).startsWith("field a: 128 where"))
    assert(bad(proto3("int64 a = 1;"), value("a" -> IntegerType), bytes()).contains(
      "column a: the writer's schema has int64"
    ))
    assert(bad(proto3("repeated int32 a = 1;"), value("a" -> IntegerType), bytes()).contains("repeated int32"))
    assert(bad(proto3("string a = 1;"), value("a" -> StringType), bytes(10, 1, -1)).contains("not UTF-8"))
    assert(bad(
      proto3("N n = 1; message N { bool b = 2; }"),
      value("n" -> StructType.fromDDL("b BOOLEAN")),
      bytes(10, 1, 16)
    )
      .startsWith("field n.b: the bytes end"))
  }

  test("known messages are values: times, days, decimals, wrappers") {
    val schema = """syntax = "proto3"; import "google/protobuf/timestamp.proto"; import 'google/protobuf/wrappers.proto';
      import "google/type/date.proto"; import "google/type/timeofday.proto"; import "google/protobuf/duration.proto";
      import "google/protobuf/any.proto"; import "confluent/type/decimal.proto"; import "confluent/meta.proto";
      message M {
        google.protobuf.Timestamp at = 1;
        google.type.Date day = 2;
        .confluent.type.Decimal d = 3 [(confluent.field_meta) = {
          params: [{ key: "scale", value: "2" }, { key: "precision", value: "9" }]
        }];
        confluent.type.Decimal any_d = 4;
        google.protobuf.StringValue s = 5;
        google.protobuf.UInt64Value u = 6;
        google.type.TimeOfDay t = 7;
        google.protobuf.Duration du = 8;
        google.protobuf.Any a = 9;
        confluent.type.Decimal e = 10 [deprecated = false, (confluent.field_meta).params = {key: "precision" value: "5"}];
        repeated google.protobuf.Timestamp many = 11;
      }"""
    val columns = columnsOf(schema)
    val expected = StructType.fromDDL("at TIMESTAMP, day DATE, d DECIMAL(9, 2), any_d DECIMAL(38, 18), s STRING, " +
      "u DECIMAL(20, 0), t STRUCT<hours INT, minutes INT, seconds INT, nanos INT>, " +
      "du STRUCT<seconds BIGINT, nanos INT>, a STRUCT<type_url STRING, value BINARY>, e DECIMAL(5, 0), " +
      "many ARRAY<TIMESTAMP>")
    assert(columns.map(c => c.name -> c.dataType) == expected.map(f => f.name -> f.dataType))
    val day = java.time.LocalDate.of(2024, 2, 29).toEpochDay.toInt
    val values = Seq(
      -1L,
      day,
      new java.math.BigDecimal("-12.50"),
      null,
      "",
      new java.math.BigDecimal(7),
      Seq(1, 2, 3, 4),
      Seq[Any](1L, 2),
      Seq[Any]("u", Seq[Byte](1)),
      new java.math.BigDecimal(42),
      Seq(0L, 1500000L)
    )
    val written = write(schema, columns, values)
    assert(read(schema, columns, written.drop(1).toArray) == values)
    // A message that is there without fields is its zero; one that is not there is null.
    assert(read(schema, columns, bytes(10, 0, 26, 0, 42, 0, 50, 0)).take(6) ==
      Seq(0L, null, new java.math.BigDecimal("0.00"), null, "", new java.math.BigDecimal(0)))
    def one(column: Int, body: Int*) = bad(schema, Seq(columns(column)), bytes(body: _*))
    assert(one(1, 18, 2, 8, 1).contains("year 1, month 0, day 0, which is not a date"))
    // A year whose days do not fit DATE is not a date of 2023.
    assert(one(1, 18, 9, 8, 0xdd, 0xec, 0xcd, 5, 16, 1, 24, 1).contains("year 11761245"))
    assert(one(2, 26, 5, 10, 1, 1, 24, 5).contains("1 at scale 5 where a DECIMAL(9,2)"))
    assert(one(2, (26 +: 131 +: 1 +: 10 +: 128 +: 1 +: Seq.fill(128)(127)) ++ Seq(): _*).contains("DECIMAL(9,2)"))
    assert(one(0, 10, 11, 8, -1, -1, -1, -1, -1, -1, -1, -1, 127, 8, 8).nonEmpty)
    // A plain struct may be asked for instead.
    val parts = value("day" -> StructType.fromDDL("year INT, month INT, day INT"))
    assert(read(schema, parts, bytes(18, 2, 8, 1)) == Seq(Seq(1, 0, 0)))
    // What does not fit is refused.
    def refused(column: Int, t: DataType, v: Any) =
      message(write(schema, Seq(columns(column).copy(dataType = t)), Seq(v)))
    assert(refused(0, TimestampType, Long.MaxValue).contains("years 1 to 9999"))
    assert(refused(1, DateType, 4000000).contains("years 1 to 9999"))
    assert(refused(2, DecimalType(9, 3), new java.math.BigDecimal("1.005")).contains("1.005 does not fit"))
    assert(refused(5, DecimalType(21, 0), new java.math.BigDecimal("18446744073709551616")).contains("does not fit"))
  }

  test("imports come from the registry's references, by whatever scope a name is resolved") {
    val main = """syntax = "proto3"; package a.b; import "other.proto";
      message M { c.N n = 1; a.b.c.N m = 2; .a.b.c.N.I i = 3; N own = 4; message N { int32 x = 1; } }"""
    val other = "syntax = \"proto3\"; package a.b.c; import public \"third.proto\"; import \"other.proto\";" +
      " message N { int32 y = 1; I i = 2; message I { T t = 1; } }"
    val third = "package a; message T { optional bool z = 1; }"
    val references = Seq(SchemaReference("third.proto", third), SchemaReference("other.proto", other))
    val schema = RegisteredSchema(1, "PROTOBUF", main, references = references)
    val columns = ProtobufFormat.columnsOf(schema, Side.Value, as(ProtobufFormat))
    val n = "STRUCT<y INT, i STRUCT<t STRUCT<z BOOLEAN>>>"
    val expected = StructType.fromDDL(s"n $n, m $n, i STRUCT<t STRUCT<z BOOLEAN>>, own STRUCT<x INT>")
    assert(columns.map(_.dataType) == expected.map(_.dataType))
    val lost = message(columnsOf(main))
    assert(lost.contains("unknown type c.N") && lost.contains("other.proto"))
  }

  test("schemas that cannot be columns are refused with the reason") {
    def reason(schema: String) = {
      assert(condition(columnsOf(schema)) == "UNSUPPORTED_SCHEMA", schema)
      message(columnsOf(schema))
    }
    assert(reason(proto3("N n = 1; message N { repeated M m = 1; }")).contains("no field that can be a column"))
    assert(reason("").contains("no message"))
    assert(reason("message M {}").contains("no field that can be a column"))
    assert(reason("{\"type\":\"record\"}").contains("line 1"))
    assert(reason("syntax = \"proto4\";").contains("proto4"))
    assert(reason("edition = \"2077\";").contains("2077"))
    assert(reason("message M { int32 a = 1; int32 b = 1; }").contains("two fields of the number 1"))
    assert(reason("message M { int32 a = 1; int32 a = 2; }").contains("two fields of the name a"))
    assert(reason("message M { int32 a = 0; }").contains("number 0"))
    assert(reason("message M { map<float, int32> a = 1; }").contains("map of float"))
    assert(reason("message M { int32 a = 1 [default = \"x").contains("a string without its end"))
    assert(reason("message M { int32 a = 1 [default = \"\\UFFFFFFFF\"]; }").contains("no such character"))
    assert(reason("message M { int32 a = 4294967297; }").contains("number 4294967297"))
    assert(reason("/* message M").contains("a comment without its end"))
    assert(reason("message M { " * 100000).contains("nested deeper"))
    assert(reason(s"message M { int32 a = 1 [x = ${"{a: [" * 100000}").contains("nested deeper"))
    assert(reason("message M { int32 a = 1").contains("the end stands where ; is expected"))
    assert(reason("service S { rpc x (").contains("the end"))
  }

  test("what the language allows besides messages is passed over") {
    val schema = """
      edition = "2023"; package x; import weak "nowhere.proto";
      option java_package = "a.b"; option features.field_presence = IMPLICIT; option (my.opt).a.b = { x: 1, y { z: "}" } };
      extend google.protobuf.FieldOptions { string mine = 50000; }
      message M {
        option (my.m) = { list: [1, 2] flag: true; [ext.x/y]: -1 };
        reserved 4, 10 to max; reserved "old"; extensions 100 to 199 [declaration = { number: 1; }];
        extend M { optional int32 e = 100; }
        int32 implicit = 1; int32 explicit = 2 [features.field_presence = EXPLICIT];
        int32 message = 3 [(my.o) = "a" 'b', json_name = "x"]; repeated int32 enum = 5 [features.repeated_field_encoding = EXPANDED];
        repeated int32 packed = 6; M2 delimited = 7 [features.message_encoding = DELIMITED];
        ;
      }
      message M2 {}
      enum E { option x = 1; reserved 3; A = 0 [deprecated = true]; B = -0x1; };
      service S { option x = 1; rpc Do (stream M) returns (M) { option (http) = { get: "/v1/{a}" }; } rpc Go (M) returns (M); }
      """
    val columns = columnsOf(schema, fullName -> "x.M")
    assert(columns.map(_.name) == Seq("implicit", "explicit", "message", "enum", "packed"))
    assert(read(schema, columns, bytes()) == Seq(0, null, 0, Nil, Nil))
    val options = Map(fullName -> "x.M")
    assert(write(schema, columns, Seq(0, 0, 0, Seq(1, 2), Seq(1, 2)), options) == Seq(0, 16, 0, 40, 1, 40, 2, 50, 2, 1,
      2))
  }

  test("claimed sizes are not believed, nor rows that take far more room than their bytes") {
    val columns = value("a" -> ArrayType(StringType))
    assert(
      bad(proto3("repeated string a = 1;"), columns, bytes(10, -1, -1, -1, -1, 7)).contains("a length of 2147483647")
    )
    assert(bad(proto3("repeated string a = 1;"), columns, 10.toByte +: Array.fill[Byte](10)(-1)).contains("64 bits"))
    val wide = proto3("repeated N n = 1; message N { " + (1 to 1000).map(i => s"int32 f$i = $i;").mkString(" ") + "}")
    val many = Array.fill(20000)(bytes(10, 0)).flatten
    assert(bad(wide, columnsOf(wide), many).contains("values in one record"))
    assert(read(wide, columnsOf(wide), many.take(20)).head.asInstanceOf[Seq[_]].size == 10)
  }

  test("lists hold no null, maps leave it out, and rows have only what the schema has") {
    val schema = proto3("repeated int32 a = 1; map<string, int32> m = 2; N n = 3; message N { int32 x = 1; }")
    val columns = value("a" -> ArrayType(IntegerType), "m" -> MapType(StringType, IntegerType))
    assert(message(write(schema, columns, Seq(Seq(1, null), null))).contains("field a.element: it is null"))
    assert(write(schema, columns, Seq(null, Map("k" -> null))) == Seq(0, 18, 3, 10, 1, 'k'))
    assert(write(schema, columns, Seq(null, Map("k" -> 0))) == Seq(0, 18, 5, 10, 1, 'k', 16, 0))
    assert(message(write(schema, value("z" -> IntegerType), Seq(1))).contains("field z: the schema has no such field"))
    val inner = value("n" -> StructType.fromDDL("x INT, y INT"))
    assert(message(write(schema, inner, Seq(Seq(1, 2)))).contains("field n.y: the schema has no such field"))
    assert(message(write(schema, value("a" -> IntegerType), Seq(1))).contains("repeated int32"))
    assert(message(write(schema, value("n" -> StringType), Seq("x"))).contains(
      "STRING cannot be written as the schema's message M.N"
    ))
    // A long message moves by its length's own bytes.
    val long = proto3("N n = 1; message N { N2 n = 1; } message N2 { string s = 1; }").replace(
      "message N2",
      "} message N2"
    ).dropRight(1)
    Seq(0, 1, 125, 126, 127, 128, 16380, 16384, 100000).foreach { size =>
      val column = value("n" -> StructType.fromDDL("n STRUCT<s STRING>"))
      val text = "x" * size
      val body = write(long, column, Seq(Seq(Seq(text))), Map(fullName -> "M")).drop(1).toArray
      assert(read(long, column, body) == Seq(Seq(Seq(text))), size)
    }
  }

  test("editions: presence of all fields by default") {
    val schema =
      "edition = \"2023\"; message M { int32 a = 1; M2 b = 2; } message M2 { int32 c = 1 [features = { field_presence: LEGACY_REQUIRED }]; }"
    val columns = columnsOf(schema, fullName -> "M")
    assert(read(schema, columns, bytes()) == Seq(null, null))
    assert(bad(schema, columns, bytes(18, 0)).contains("field b.c: it is not there"))
  }

  test("editions: DELIMITED is for messages alone, not for other fields of the file") {
    val schema = """edition = "2023"; option features.message_encoding = DELIMITED;
      message M { int32 a = 1; string s = 2; map<string, N> m = 3; repeated int32 r = 4; N n = 5;
        N p = 6 [features.message_encoding = LENGTH_PREFIXED]; } message N { int32 x = 1; }"""
    val columns = columnsOf(schema, fullName -> "M")
    assert(columns.map(_.name) == Seq("a", "s", "m", "r", "p"))
    val row = Seq(1, "x", Map("k" -> Seq(2)), Seq(3, 4), Seq(5))
    val body = write(schema, columns, row, Map(fullName -> "M")).drop(1).toArray
    assert(body.toSeq == Seq[Byte](8, 1, 18, 1, 'x', 26, 7, 10, 1, 'k', 18, 2, 8, 2, 34, 2, 3, 4, 50, 2, 8, 5))
    // A group of the field n is passed over.
    assert(read(schema, columns, bytes(43, 8, 7, 44) ++ body) == row)
  }

  test("a compiled form with impossible fields is refused") {
    def compiled(numbers: Int*) = {
      val fields = numbers.zipWithIndex.map { case (n, i) =>
        com.google.protobuf.DescriptorProtos.FieldDescriptorProto.newBuilder().setName(s"f$i").setNumber(n)
          .setType(com.google.protobuf.DescriptorProtos.FieldDescriptorProto.Type.TYPE_INT32).build()
      }
      val message = com.google.protobuf.DescriptorProtos.DescriptorProto.newBuilder().setName("M")
      fields.foreach(message.addField)
      val file =
        com.google.protobuf.DescriptorProtos.FileDescriptorProto.newBuilder().setName("f").addMessageType(message)
      java.util.Base64.getEncoder.encodeToString(file.build().toByteArray)
    }
    assert(columnsOf(compiled(1, 536870911)).size == 2)
    Seq(-1, 0, 536870912).foreach(n => assert(message(columnsOf(compiled(1, n))).contains(s"number $n")))
    assert(message(columnsOf(compiled(1, 2, 1))).contains("two fields of the number 1"))
  }

  test("values of any form: the last entry of a key, the sign of a zero, one JSON value") {
    val schema = "syntax = \"proto3\"; import \"google/protobuf/struct.proto\";" +
      " message M { google.protobuf.Struct s = 1; google.protobuf.Value v = 2; }"
    val columns = columnsOf(schema)
    def entry(n: Int) = bytes(10, 14, 10, 1, 'k', 18, 9, 17, 0, 0, 0, 0, 0, 0) ++ bytes(n, 64)
    val twice = entry(0) ++ entry(8)
    assert(read(schema, columns, (10 +: twice.length +: Nil).map(_.toByte).toArray ++ twice).head == "{\"k\":3}")
    def back(json: String) = read(schema, columns, write(schema, columns, Seq(null, json)).drop(1).toArray)(1)
    Seq("-0.0", "0", "12", "1.5", "{\"a\":[1,{\"b\":-0.0}]}", "null", "\"x\"").foreach(v => assert(back(v) == v))
    Seq("{\"a\":1} junk", "12 13", "", "  ", "{\"a\":1", "1e400").foreach { v =>
      assert(condition(write(schema, columns, Seq(null, v))) == "VALUE_NOT_WRITABLE", v)
    }
  }

  test("entries of maps in a text that was made of a compiled schema are maps") {
    val schema = """syntax = "proto3"; package shop; message Order { int32 id = 1;
      repeated .shop.Order.TagsEntry tags = 2; repeated Plain plain = 3; repeated In.NEntry no_map = 4; In in = 5;
      message TagsEntry { option map_entry = true; string key = 1; int64 value = 2; }
      message Plain { string key = 1; int64 value = 2; }
      message In { repeated NEntry n = 1;
        message NEntry { option map_entry = true; int32 key = 1; .shop.Order.Plain value = 2; } } }"""
    val entry = StructType(Seq(StructField("key", StringType), StructField("value", LongType)))
    val found = columnsOf(schema)
    assert(found.map(_.name) == Seq("id", "tags", "plain", "no_map", "in"))
    assert(found(1).dataType == MapType(StringType, LongType))
    assert(found(2).dataType == ArrayType(entry))
    assert(found(3).dataType.isInstanceOf[ArrayType])
    assert(found(4).dataType.sql == "STRUCT<n: MAP<INT, STRUCT<key: STRING, value: BIGINT>>>")
    val columns = value("id" -> IntegerType, "tags" -> MapType(StringType, LongType))
    val body = Array[Byte](8, 7, 18, 5, 10, 1, 'a', 16, 5, 18, 5, 10, 1, 'b', 16, 6)
    assert(read(schema, columns, body) == Seq(7, Map("a" -> 5L, "b" -> 6L)))
    assert(write(schema, columns, Seq(7, Map("a" -> 5L))) == (0.toByte +: body.take(9).toSeq))
    // The entries count among the message indexes.
    val second = decoder(ProtobufFormat, columns, columns, registry(schema), Map(fullName -> "shop.Order"))
    assert(decode(second, columns, framed(1, 0.toByte +: body)) == Seq(7, Map("a" -> 5L, "b" -> 6L)))
  }
  test("entries that Connect wrote as messages are maps") {
    def text(name: String) = s"""syntax = "proto3"; message ConnectDefault1 {
      repeated $name M = 1; int32 A = 2; message $name { string key = 1; int32 value = 2; } }"""
    val schema = text("ConnectDefault2Entry")
    assert(columnsOf(schema).map(_.dataType.sql) == Seq("MAP<STRING, INT>", "INT"))
    assert(columnsOf(text("PriceEntry")).head.dataType.isInstanceOf[ArrayType])
    val columns = value("M" -> MapType(StringType, IntegerType), "A" -> IntegerType)
    val body = Array[Byte](10, 5, 10, 1, 'a', 16, 1, 16, 5)
    assert(read(schema, columns, body) == Seq(Map("a" -> 1), 5))
    assert(write(schema, columns, Seq(Map("a" -> 1), 5)) == (0.toByte +: body.toSeq))
  }
}
