package io.kafkalyst.formats
package json

import scala.jdk.CollectionConverters._
import scala.util.Random

import com.fasterxml.jackson.databind.{DeserializationFeature, JsonNode, ObjectMapper}
import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.model.{Side, TopicColumn}
import org.apache.spark.sql.types._
import org.scalatest.funsuite.AnyFunSuite

class JsonFormatSuite extends AnyFunSuite {
  import FormatTesting._

  private val mapper = new ObjectMapper().enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)

  private def read(columns: Seq[TopicColumn], text: String, options: Map[String, String] = Map.empty): Seq[Any] =
    decode(decoder(JsonFormat, columns, columns, options = options), columns, text.getBytes("UTF-8"))

  private def bad(t: DataType, text: String): String =
    intercept[BadBytes](read(value("A" -> t), s"""{"A":$text}""")).reason

  private def good(t: DataType, text: String): Any = read(value("A" -> t), s"""{"A":$text}""").head

  private def written(columns: Seq[TopicColumn], row: Seq[Any], options: Map[String, String] = Map.empty): String = {
    val bytes = encoder(JsonFormat, columns, options = options).encode(sparkRow(row, schemaOf(columns)))
    if (bytes == null) null else new String(bytes, "UTF-8")
  }

  test("exponents of any size take no time") {
    val far = Seq("1e300000000", "-1e300000000", "1e-300000000", "1e2147483647", "1.5e999999999")
    far.foreach { number =>
      Seq(TimestampType, TimestampNTZType, DecimalType(38, 10)).foreach(t => assert(bad(t, number).contains(t.sql)))
    }
    assert(good(TimestampType, "0e300000000") == good(TimestampType, "0"))
    assert(good(TimestampType, "17e11") == good(TimestampType, "1700000000000"))
    assert(good(TimestampType, "1.7000000000005e12") == good(TimestampType, "1700000000000.5"))
  }

  test("numbers are exact or bad") {
    assert(good(LongType, "9223372036854775807") == Long.MaxValue)
    assert(good(IntegerType, "1e3") == 1000)
    assert(good(IntegerType, "2.0") == 2)
    assert(good(IntegerType, "1.9") == 1)
    assert(good(LongType, "-1.9") == -1)
    assert(good(LongType, "1e-999999999") == 0)
    assert(good(DecimalType(38, 0), "12345678901234567890123456789012345678") == new java.math.BigDecimal(
      "12345678901234567890123456789012345678"
    ))
    assert(good(DecimalType(5, 2), "1.5") == new java.math.BigDecimal("1.50"))
    assert(good(DecimalType(5, 2), "\"1.5\"") == new java.math.BigDecimal("1.50"))
    assert(good(DecimalType(5, 2), "0e-999999") == new java.math.BigDecimal("0.00"))
    assert(good(DoubleType, "0.1") == 0.1d)
    assert(good(FloatType, "16777217") == 16777216f)
    Seq[(DataType, String)](
      LongType -> "9223372036854775808",
      IntegerType -> "2147483648",
      ByteType -> "128",
      ShortType -> "-32769",
      IntegerType -> "2147483648.5",
      IntegerType -> "1e999999999",
      LongType -> "\"1.5\"",
      LongType -> "\"\"",
      DoubleType -> "\"0x1p3\"",
      DoubleType -> "\"1e400\"",
      DecimalType(5, 2) -> "1.555",
      DecimalType(5, 2) -> "1000",
      DecimalType(5, 2) -> "1e999999999",
      DecimalType(5, 2) -> "1e-999999999",
      DecimalType(5, 2) -> "\"1e999999999\"",
      DecimalType(5, 2) -> "\"x\"",
      DoubleType -> "1e400",
      FloatType -> "1e39",
      DoubleType -> "NaN",
      BooleanType -> "1",
      BooleanType -> "\"true\"",
      BinaryType -> "\"?\"",
      DateType -> "\"2020-02-30\"",
      DateType -> "3000000000",
      TimestampType -> "\"yesterday\"",
      TimestampType -> "9223372036854775807",
      TimestampNTZType -> "\"2020-01-01T00:00:00Z\"",
      ArrayType(IntegerType) -> "{}",
      MapType(StringType, IntegerType) -> "[]",
      StructType.fromDDL("a INT") -> "[1]"
    ).foreach { case (t, text) => assert(bad(t, text).nonEmpty, s"$t $text") }
  }

  test("a value that does not fit is named with its path, the type and what was found") {
    val t = ArrayType(StructType.fromDDL("b MAP<STRING, INT>"))
    assert(bad(t, """[{"b":{}},{"b":{"k":"x"}}]""") == """field A[1].b.k: INT expected, the string "x" found""")
    assert(bad(IntegerType, "2147483648") == "field A: INT expected, 2147483648 found")
    assert(bad(DoubleType, "[1]") == "field A: DOUBLE expected, an array found")
  }

  test("text that is not one JSON value is bad") {
    val columns = value("A" -> IntegerType)
    Seq("", " ", "{", """{"A":1""", """{"A":1}}""", """{"A":1} 2""", """{"A":1}x""", "[1]", "1", "\"A\"", "{A:1}",
      "\u0000").foreach { text =>
      intercept[BadBytes](read(columns, text))
    }
    assert(read(columns, "\uFEFF{\"A\":1}") == Seq(1))
    assert(read(columns, " {\"A\":1} \n") == Seq(1))
    assert(read(columns, "null") == Seq(null))
    intercept[BadBytes](read(columns, "[" * 100000))
    intercept[BadBytes](read(columns, "{\"B\":" + "[" * 100000))
  }

  test("a string may be as long as its record") {
    val long = "x" * 21000000
    assert(good(StringType, "\"" + long + "\"") == long)
  }

  test("fields find columns by exact name, else in another case; the last of one name counts") {
    val id = value("id" -> IntegerType)
    assert(read(id, """{"ID":1}""") == Seq(1))
    assert(read(id, """{"ID":1,"id":2}""") == Seq(2))
    assert(read(id, """{"id":2,"ID":1}""") == Seq(2))
    assert(read(id, """{"id":2,"id":3}""") == Seq(3))
    assert(read(id, """{"id":2,"id":null}""") == Seq(null))
    assert(read(id, """{"x":{"id":5},"y":[{"id":6}]}""") == Seq(null))
    val both = value("id" -> IntegerType, "ID" -> IntegerType)
    assert(read(both, """{"ID":1}""") == Seq(null, 1))
    val part = decoder(JsonFormat, both, both.take(1))
    assert(decode(part, both.take(1), """{"ID":1}""".getBytes) == Seq(null))
    assert(read(value("s" -> StructType.fromDDL("a INT")), """{"S":{"A":1}}""") == Seq(Seq(1)))
  }

  test("dates and times: text and numbers in, numbers out") {
    assert(good(DateType, "\"2020-01-02\"") == 18263)
    assert(good(DateType, "18263") == 18263)
    val micros = 1577934245123456L
    assert(good(TimestampType, "\"2020-01-02T03:04:05.123456Z\"") == micros)
    assert(good(TimestampType, "\"2020-01-02T04:04:05.123456+01:00\"") == micros)
    assert(good(TimestampType, "\"2020-01-02 03:04:05.123456\"") == micros)
    assert(good(TimestampType, "1577934245123") == 1577934245123000L)
    assert(good(TimestampType, "1577934245123.456") == micros && good(TimestampType, "1e3") == 1000000L)
    Seq("0.0001", "1e300", "1e999999999").foreach(text => assert(bad(TimestampType, text).nonEmpty))
    assert(good(TimestampNTZType, "\"2020-01-02T03:04:05.123456\"") == micros)
    assert(good(TimestampType, "\"1969-12-31T23:59:59.999999Z\"") == -1L)
    val columns = value("d" -> DateType, "t" -> TimestampType, "u" -> TimestampType, "n" -> TimestampNTZType)
    val row = Seq[Any](18263, micros, 1577934245000000L, micros)
    val text = written(columns, row)
    assert(
      text == """{"d":18263,"t":1577934245123.456,"u":1577934245000,"n":"2020-01-02T03:04:05.123456"}"""
    )
    Seq(Long.MinValue, -62135596800000000L, -1L, 0L, Long.MaxValue).foreach { extreme =>
      val both = value("t" -> TimestampType, "n" -> TimestampNTZType)
      assert(read(both, written(both, Seq(extreme, extreme))) == Seq(extreme, extreme))
    }
    Seq(Int.MinValue, -1, Int.MaxValue).foreach(d =>
      assert(read(value("d" -> DateType), written(value("d" -> DateType), Seq(d))) == Seq(d))
    )
  }

  test("a single value column is wrapped, a single key column bare, unless the side says otherwise") {
    assert(written(value("v" -> IntegerType), Seq(1)) == """{"v":1}""")
    assert(written(value("v" -> IntegerType), Seq(null)) == """{"v":null}""")
    assert(written(key("k" -> IntegerType), Seq(1)) == "1")
    assert(written(key("k" -> IntegerType), Seq(null)) == null)
    assert(written(key("k" -> IntegerType, "l" -> StringType), Seq(null, null)) == """{"k":null,"l":null}""")
    val bare = Map("WRAP_SINGLE" -> "false")
    assert(written(value("v" -> StringType), Seq("x"), bare) == "\"x\"")
    assert(read(value("v" -> StringType), "\"x\"", bare) == Seq("x"))
    assert(written(key("k" -> IntegerType), Seq(1), Map("WRAP_SINGLE" -> "true")) == """{"k":1}""")
    assert(read(key("k" -> IntegerType), "7") == Seq(7))
    assert(read(key("k" -> StructType.fromDDL("a INT")), """{"a":7}""") == Seq(Seq(7)))
  }

  test("decimals are plain numbers with their scale") {
    assert(written(
      value("d" -> DecimalType(38, 10)),
      Seq(new java.math.BigDecimal("1E-10"))
    ) == """{"d":0.0000000001}""")
    assert(written(value("d" -> DecimalType(20, 2)), Seq(new java.math.BigDecimal("1E+3"))) == """{"d":1000.00}""")
  }

  test("what JSON has no number for stands in a string, and comes back") {
    val columns = value("d" -> DoubleType, "f" -> FloatType)
    Seq("NaN" -> Double.NaN, "Infinity" -> Double.PositiveInfinity, "-Infinity" -> Double.NegativeInfinity).foreach {
      case (text, d) =>
        val json = s"""{"d":"$text","f":"$text"}"""
        assert(written(columns, Seq[Any](d, d.toFloat)) == json)
        assert(read(columns, json).map(_.toString) == Seq(text, text))
    }
  }

  test("numbers are read from strings, and any value as a string") {
    assert(good(IntegerType, "\" 12 \"") == 12)
    assert(good(DoubleType, "\"-1.5e3\"") == -1500d)
    assert(good(FloatType, "\".5\"") == 0.5f)
    assert(good(StringType, "1.50") == "1.50")
    assert(good(StringType, "true") == "true")
    assert(good(StringType, """{"b": [1, null], "a": "x"}""") == """{"b":[1,null],"a":"x"}""")
    assert(read(value("A" -> StringType, "B" -> IntegerType), """{"A":[1],"B":2}""") == Seq("[1]", 2))
  }

  test("validate refuses a MAP with other keys, and VARIANT") {
    def refused(columns: Seq[TopicColumn]) =
      intercept[KafkalystException](
        JsonFormat.validate(columns.head.side, columns, as(JsonFormat))
      ).getCondition == "KAFKALYST_UNSUPPORTED_COLUMN_TYPE"
    assert(refused(value("m" -> MapType(IntegerType, StringType))))
    assert(refused(key("v" -> StructType.fromDDL("v VARIANT"))))
    JsonFormat.validate(Side.Key, key("m" -> StructType.fromDDL("m MAP<STRING, INT>")), as(JsonFormat))
    JsonFormat.validate(
      Side.Value,
      value("m" -> MapType(StringType, StringType), "any name" -> BinaryType),
      as(JsonFormat)
    )
  }

  /** A value of Jackson's tree as what a column of this type should be. */
  private def oracle(node: JsonNode, t: DataType): Any = t match {
    case _ if node == null || node.isNull => null
    case BooleanType => node.booleanValue
    case ByteType => node.intValue.toByte
    case ShortType => node.intValue.toShort
    case IntegerType => node.intValue
    case LongType => node.longValue
    case FloatType => node.decimalValue.floatValue
    case DoubleType => node.doubleValue
    case d: DecimalType => node.decimalValue.setScale(d.scale)
    case StringType => node.textValue
    case BinaryType => java.util.Base64.getDecoder.decode(node.textValue).toSeq
    case ArrayType(e, _) => node.elements.asScala.map(oracle(_, e)).toSeq
    case MapType(_, v, _) => node.properties.asScala.map(p => p.getKey -> oracle(p.getValue, v)).toMap
    case s: StructType => s.fields.toSeq.map(f => oracle(node.get(f.name), f.dataType))
    case _ => throw new IllegalArgumentException(t.sql)
  }

  test("random rows: Jackson's tree holds what was written, and reading gives it back") {
    val r = new Random(11)
    val random = new RandomRows(r)
    (0 until 1000).foreach { _ =>
      val t = random.struct(2)
      val columns = t.map(f => TopicColumn(f.name, f.dataType, Side.Value))
      val one = encoder(JsonFormat, columns)
      val asked = r.shuffle(columns).take(1 + r.nextInt(columns.size))
      val (all, part) = (decoder(JsonFormat, columns, columns), decoder(JsonFormat, columns, asked))
      (0 until 10).foreach { _ =>
        val row = t.fields.toSeq.map(f => random.value(f.dataType))
        val bytes = one.encode(sparkRow(row, t))
        assert(oracle(mapper.readTree(bytes), t) == row)
        assert(decode(all, columns, bytes) == row)
        val named = columns.map(_.name).zip(row).toMap
        assert(decode(part, asked, bytes) == asked.map(c => named(c.name)))
      }
    }
  }

  test("base64 may have blanks and line ends, as MIME's has") {
    val columns = value("b" -> BinaryType)
    assert(read(columns, """{"b":" AQID\r\n BAUG "}""") == Seq(Seq[Byte](1, 2, 3, 4, 5, 6)))
    assert(scala.util.Try(read(columns, """{"b":"AQ!ID"}""")).isFailure)
  }
}
