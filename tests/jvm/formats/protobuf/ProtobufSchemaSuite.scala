package io.kafkalyst.formats
package protobuf

import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.model.{Side, SideFormat, TopicColumn}
import org.apache.spark.sql.types._
import org.scalatest.funsuite.AnyFunSuite

/** Schemas derived from columns, what is refused of them, and messages without a registry. */
class ProtobufSchemaSuite extends AnyFunSuite {
  import FormatTesting._

  private val fullName = SideFormat.schemaFullName
  private val nulls = SideFormat.nullableRepresentation

  private def textOf(columns: Seq[TopicColumn], options: (String, String)*): String =
    ProtobufFormat.schemaOf(columns, Side.Value, "ORDERS", SideFormat("PROTOBUF", None, options.toMap))

  private def validate(columns: Seq[TopicColumn], options: (String, String)*): String = {
    val as = SideFormat("PROTOBUF", None, options.toMap)
    val error = intercept[KafkalystException](ProtobufFormat.validate(columns.head.side, columns, as))
    error.getCondition.stripPrefix("KAFKALYST_") + " " + error.getMessage
  }

  private val everyType = StructType.fromDDL(
    "b BOOLEAN, t TINYINT, s SMALLINT, i INT, l BIGINT, f FLOAT, d DOUBLE, n DECIMAL(30, 5), x STRING, y BINARY, " +
      "day DATE, at TIMESTAMP, here TIMESTAMP_NTZ, a ARRAY<STRUCT<c: INT>>, m MAP<STRING, STRUCT<c: DECIMAL(4, 1)>>, " +
      "r STRUCT<c: STRUCT<e: INT>, ConnectDefault3: INT>, ts ARRAY<TIMESTAMP>, message STRING"
  )
  private val columns = everyType.map(f => TopicColumn(f.name, f.dataType, Side.Value))
  private val values = Seq[Any](
    true,
    1.toByte,
    2.toShort,
    3,
    4L,
    5f,
    6d,
    new java.math.BigDecimal("7.00000"),
    "ä",
    Seq[Byte](8),
    9,
    10L,
    11L,
    Seq(Seq(12)),
    Map("k" -> Seq(new java.math.BigDecimal("1.5"))),
    Seq(Seq(13), 14),
    Seq(15L),
    "z"
  )

  test("the text is proto3, numbered in the columns' order, nested messages within") {
    val some = columns.filter(c => Set("i", "n", "at", "a", "m").contains(c.name))
    assert(textOf(some) ==
      """syntax = "proto3";
        |
        |import "confluent/meta.proto";
        |import "confluent/type/decimal.proto";
        |import "google/protobuf/timestamp.proto";
        |
        |message ConnectDefault1 {
        |  int32 i = 1;
        |  confluent.type.Decimal n = 2 [(confluent.field_meta) = {params: [{key: "precision", value: "30"}, {key: "scale", value: "5"}]}];
        |  google.protobuf.Timestamp at = 3;
        |  repeated ConnectDefault2 a = 4;
        |  map<string, ConnectDefault4> m = 5;
        |
        |  message ConnectDefault2 {
        |    int32 c = 1;
        |  }
        |
        |  message ConnectDefault4 {
        |    confluent.type.Decimal c = 1 [(confluent.field_meta) = {params: [{key: "precision", value: "4"}, {key: "scale", value: "1"}]}];
        |  }
        |}
        |""".stripMargin)
    val two = value("i" -> IntegerType, "s" -> StringType, "x" -> StructType.fromDDL("y DATE"))
    assert(textOf(two, fullName -> "my.google.Order", nulls -> "OPTIONAL") ==
      """syntax = "proto3";
        |package my.google;
        |
        |import "google/type/date.proto";
        |
        |message Order {
        |  optional int32 i = 1;
        |  optional string s = 2;
        |  optional ConnectDefault2 x = 3;
        |
        |  message ConnectDefault2 {
        |    optional .google.type.Date y = 1;
        |  }
        |}
        |""".stripMargin)
    assert(textOf(two.take(2), nulls -> "wrapper").contains("google.protobuf.Int32Value i = 1;"))
    val lists =
      value("a" -> ArrayType(IntegerType), "m" -> MapType(StringType, BooleanType), "n" -> ArrayType(DateType))
    val wrapped = textOf(lists, nulls -> "wrapper")
    assert(wrapped.contains("repeated google.protobuf.Int32Value a = 1;"))
    assert(wrapped.contains("map<string, google.protobuf.BoolValue> m = 2;"))
    assert(wrapped.contains("repeated google.type.Date n = 3;"))
    assert(textOf(lists, nulls -> "optional").contains("repeated int32 a = 1;"))
  }

  test("nested messages have Connect's names: numbered as met, in depth first") {
    val text = textOf(value(
      "st" -> StructType.fromDDL("x INT, y STRUCT<z INT>"),
      "m" -> MapType(StringType, IntegerType),
      "s" -> StructType.fromDDL("q INT")
    ))
    val names = Seq("ConnectDefault2 st", "ConnectDefault3 y", "map<string, int32> m", "ConnectDefault5 s")
    names.foreach(n => assert(text.contains(s" $n = "), text))
  }

  test("columns come back from their own text, and rows from their bytes, nulls as the representation has them") {
    val small = Map("t" -> IntegerType, "s" -> IntegerType, "here" -> TimestampType)
    Seq(Nil, Seq(nulls -> "OPTIONAL"), Seq(nulls -> "WRAPPER"), Seq(fullName -> "a.google.confluent.M")).foreach {
      options =>
        val text = textOf(columns, options: _*)
        assert(columnsIn(ProtobufFormat, text, Side.Value) ==
          columns.map(c => c.copy(dataType = small.getOrElse(c.name, c.dataType))))
        val registry = new MapRegistry(Map(7 -> text), "PROTOBUF")
        val write = encoder(ProtobufFormat, columns, registry, Some(7), options.toMap)
        val read = decoder(ProtobufFormat, columns, columns, registry)
        def through(row: Seq[Any]) = decode(read, columns, write.encode(sparkRow(row, schemaOf(columns))))
        assert(through(values) == values, text)
        val none = through(columns.map(_ => null))
        val repeated: Map[String, Any] = Map("a" -> Nil, "m" -> Map(), "ts" -> Nil)
        val plain: Map[String, Any] = if (options.exists(_._1 == nulls)) Map.empty
        else Map(
          "b" -> false,
          "t" -> 0.toByte,
          "s" -> 0.toShort,
          "i" -> 0,
          "l" -> 0L,
          "f" -> 0f,
          "d" -> 0d,
          "x" -> "",
          "y" -> Nil,
          "message" -> ""
        )
        assert(none == columns.map(c => (repeated ++ plain).getOrElse(c.name, null)), text)
        // With a representation a default is told from null.
        val defaults = values.zip(columns).map { case (v, c) => plain.getOrElse(c.name, if (c.name == "i") 0 else v) }
        assert(through(defaults) == defaults, text)
    }
  }

  test("what Protobuf cannot hold is refused") {
    assert(validate(value("a b" -> IntegerType, "ok" -> StructType.fromDDL("`1x` INT"), "_y" -> IntegerType))
      .startsWith("INVALID_FIELD_NAME"))
    assert(validate(value("a b" -> IntegerType, "ok" -> StructType.fromDDL("`1x` INT"))).contains("`a b`, `ok.1x`"))
    assert(validate(key("a b" -> IntegerType)).startsWith("INVALID_FIELD_NAME"))
    assert(validate(value("m" -> MapType(IntegerType, StringType))).startsWith("UNSUPPORTED_COLUMN_TYPE"))
    assert(validate(key("m" -> MapType(IntegerType, StringType))).startsWith("UNSUPPORTED_COLUMN_TYPE"))
    ProtobufFormat.validate(Side.Key, key("m" -> MapType(StringType, StringType)), as(ProtobufFormat))
    assert(validate(value("v" -> CalendarIntervalType)).startsWith("UNSUPPORTED_COLUMN_TYPE"))
    Seq("ARRAY<ARRAY<INT>>", "MAP<STRING, ARRAY<INT>>", "STRUCT<x ARRAY<MAP<STRING, INT>>>").foreach { t =>
      assert(validate(value("v" -> DataType.fromDDL(t))).contains("put a STRUCT of one field between"), t)
    }
    assert(validate(value("a" -> IntegerType), nulls -> "no").startsWith("INVALID_PROPERTY"))
    assert(validate(value("a" -> IntegerType), fullName -> "a..b").contains("VALUE_SCHEMA_FULL_NAME"))
    ProtobufFormat.validate(Side.Value, columns, as(ProtobufFormat))
    ProtobufFormat.validate(
      Side.Value,
      value("v" -> DataType.fromDDL("ARRAY<STRUCT<x ARRAY<INT>>>")),
      as(ProtobufFormat)
    )
  }

  test("PROTOBUF_NOSR: a bare message of the columns in their order") {
    val columns = value("i" -> IntegerType, "s" -> StringType, "x" -> StructType.fromDDL("y ARRAY<INT>"))
    val write = encoder(ProtobufNosrFormat, columns)
    val read = decoder(ProtobufNosrFormat, columns, columns.reverse)
    val bytes = write.encode(sparkRow(Seq(5, "a", Seq(Seq(1, 2))), schemaOf(columns)))
    assert(bytes.toSeq == Seq[Byte](8, 5, 18, 1, 'a', 26, 4, 10, 2, 1, 2))
    assert(decode(read, columns.reverse, bytes) == Seq(Seq(Seq(1, 2)), "a", 5))
    assert(decode(read, columns.reverse, Array.emptyByteArray) == Seq(null, "", 0))
    val told = Map(nulls -> "OPTIONAL")
    val none =
      encoder(ProtobufNosrFormat, columns, options = told).encode(sparkRow(Seq(0, null, null), schemaOf(columns)))
    assert(none.toSeq == Seq[Byte](8, 0))
    assert(decode(decoder(ProtobufNosrFormat, columns, columns, options = told), columns, none) == Seq(0, null, null))
  }

  test("PROTOBUF_NOSR: a single column unwrapped is its struct's message, or a message of it") {
    def through(columns: Seq[TopicColumn], v: Any, options: Map[String, String] = Map.empty): (Seq[Byte], Any) = {
      val bytes = encoder(ProtobufNosrFormat, columns, options = options).encode(sparkRow(Seq(v), schemaOf(columns)))
      if (bytes == null) (null, null)
      else (bytes.toSeq, decode(decoder(ProtobufNosrFormat, columns, columns, options = options), columns, bytes).head)
    }
    val struct = StructType.fromDDL("a INT, b STRING")
    val bare = Map(SideFormat.wrapSingle -> "false")
    assert(through(key("k" -> struct), Seq(1, "x")) == ((Seq[Byte](8, 1, 18, 1, 'x'), Seq(1, "x"))))
    assert(through(key("k" -> struct), null) == ((null, null)))
    assert(through(value("v" -> struct), Seq(1, "x")) == ((Seq[Byte](10, 5, 8, 1, 18, 1, 'x'), Seq(1, "x"))))
    assert(through(value("v" -> struct), Seq(1, "x"), bare)._1 == Seq[Byte](8, 1, 18, 1, 'x'))
    assert(through(key("k" -> LongType), 7L) == ((Seq[Byte](8, 7), 7L)))
    assert(through(key("k" -> LongType), null) == ((null, null)))
    assert(through(value("v" -> LongType), null) == ((Nil, 0L)))
    assert(through(value("v" -> LongType), null, bare) == ((null, null)))
  }
}
