package io.kafkalyst.formats
package delimited

import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.model.{Side, SideFormat, TopicColumn}
import org.apache.spark.sql.types._
import org.scalatest.funsuite.AnyFunSuite

import scala.util.{Random, Try}

class DelimitedFormatSuite extends AnyFunSuite {
  import FormatTesting._

  private def by(delimiter: String): Map[String, String] = Map(SideFormat.delimiter -> delimiter)

  private def read(columns: Seq[TopicColumn], line: String, options: Map[String, String] = Map.empty): Seq[Any] =
    decode(decoder(DelimitedFormat, columns, columns, options = options), columns, line.getBytes("UTF-8"))

  private def bad(columns: Seq[TopicColumn], line: String): String = intercept[BadBytes](read(columns, line)).reason

  private def written(columns: Seq[TopicColumn], row: Seq[Any], options: Map[String, String] = Map.empty): String = {
    val bytes = encoder(DelimitedFormat, columns, options = options).encode(sparkRow(row, schemaOf(columns)))
    if (bytes == null) null else new String(bytes, "UTF-8")
  }

  private val three = value("a" -> StringType, "b" -> StringType, "c" -> StringType)

  test("quotes as RFC 4180 has them") {
    Seq[(String, Seq[Any])](
      "x,y,z" -> Seq("x", "y", "z"),
      "x,y,z\r\n" -> Seq("x", "y", "z"),
      "x,y,z\n" -> Seq("x", "y", "z"),
      "x,,\"\"" -> Seq("x", null, ""),
      ",," -> Seq(null, null, null),
      "\"x,1\",\"y\r\n2\",\"z\"\"3\"\"\"" -> Seq("x,1", "y\r\n2", "z\"3\""),
      "\"\"\"\",\"\n\",\"\n\"\n" -> Seq("\"", "\n", "\n"),
      "x\"y,z\",é€🙂" -> Seq("x\"y", "z\"", "é€🙂"),
      " x , \"y\" ,#z" -> Seq(" x ", " \"y\" ", "#z"),
      "a\rb,\u0000,\ufeff" -> Seq("a\rb", "\u0000", "\ufeff")
    ).foreach { case (line, row) => assert(read(three, line) == row, line) }
  }

  test("wrong quotes, lines and numbers of fields are bad, and the next record is read as if alone") {
    val one = decoder(DelimitedFormat, three, three)
    Seq(
      "\"x" -> "not closed",
      "x,y,\"z" -> "not closed",
      "x,\"y\"z,w" -> "more after field 2",
      "x,\"y\" ,w" -> "closing quote",
      "x,y,z\nx,y,z" -> "a second line",
      "x,y,z\n\n" -> "a second line",
      "x,y" -> "3 fields expected, 2 found",
      "x,y,z,w" -> "3 fields expected, 4 found",
      "" -> "3 fields expected, 1 found"
    ).foreach { case (line, reason) =>
      assert(intercept[BadBytes](decode(one, three, line.getBytes)).reason.contains(reason), line)
      assert(decode(one, three, "1,\"2\",3".getBytes) == Seq("1", "2", "3"))
    }
    assert(intercept[BadBytes](decode(one, three, Array[Byte](-61, ',', 'y', ',', 'z'))).reason.contains("field 1"))
  }

  test("each type's text in and out") {
    val micros = 1577934245123000L
    Seq[(DataType, String, Any)](
      (BooleanType, "true", true),
      (ByteType, "-128", Byte.MinValue),
      (ShortType, "32767", Short.MaxValue),
      (IntegerType, "-2147483648", Int.MinValue),
      (LongType, "9223372036854775807", Long.MaxValue),
      (FloatType, "1.5", 1.5f),
      (DoubleType, "-1.0E300", -1e300),
      (DoubleType, "Infinity", Double.PositiveInfinity),
      (DecimalType(38, 10), "12345.6789000000", new java.math.BigDecimal("12345.6789000000")),
      (DecimalType(5, 2), "0.10", new java.math.BigDecimal("0.10")),
      (StringType, "é", "é"),
      (BinaryType, "AP8=", Seq[Byte](0, -1)),
      (DateType, "-1", -1),
      (DateType, "18263", 18263),
      (TimestampType, "1577934245123", micros),
      (TimestampType, "-1", -1000L),
      (TimestampNTZType, "2020-01-02T03:04:05.123", micros)
    ).foreach { case (t, text, v) =>
      val columns = value("a" -> t, "b" -> IntegerType)
      assert(written(columns, Seq(v, 1)) == s"$text,1")
      assert(read(columns, s"$text,1") == Seq(v, 1))
      assert(read(columns, s""""$text",1""") == Seq(v, 1))
      assert(written(value("a" -> t), Seq(v)) == text)
      assert(read(key("a" -> t), text) == Seq(v))
    }
    assert(read(value("a" -> DoubleType), "NaN").head.asInstanceOf[Double].isNaN)
  }

  test("dates and times are read as ISO text too; microseconds are cut off when written") {
    val columns = value("d" -> DateType, "t" -> TimestampType, "n" -> TimestampNTZType)
    assert(
      read(columns, "2020-01-02,2020-01-02T04:04:05.123456+01:00,1577934245123") ==
        Seq(18263, 1577934245123456L, 1577934245123000L)
    )
    assert(written(columns, Seq[Any](1, -1L, -1L)) == "1,-1,1969-12-31T23:59:59.999999")
  }

  test("a text that is no such value is named") {
    Seq[(DataType, String)](
      IntegerType -> "2147483648",
      IntegerType -> "1.0",
      IntegerType -> "\"\"",
      ByteType -> "128",
      LongType -> "x",
      BooleanType -> "1",
      FloatType -> "1e39",
      DoubleType -> "1e400",
      DoubleType -> "0x1p3",
      DoubleType -> "1d",
      DecimalType(5, 2) -> "1.555",
      DecimalType(5, 2) -> "1e999999999",
      BinaryType -> "?",
      DateType -> "2020-02-30",
      DateType -> "3000000000",
      TimestampType -> "9223372036854775807",
      TimestampNTZType -> "2020-01-01T00:00:00Z"
    ).foreach { case (t, text) =>
      assert(bad(value("col" -> t), text).startsWith(s"column col: ${t.sql} expected"), text)
    }
    assert(read(value("i" -> IntegerType, "b" -> BooleanType), " 1 , TRUE ") == Seq(1, true))
  }

  test("null and empty; a single null column is null bytes") {
    assert(written(three, Seq(null, "", "x")) == ",\"\",x")
    assert(written(three, Seq(null, null, null)) == ",,")
    assert(written(value("a" -> StringType), Seq(null)) == null)
    assert(written(value("a" -> StringType), Seq("")) == "\"\"")
    assert(read(value("a" -> StringType), "") == Seq(null))
    assert(read(value("a" -> StringType), "\"\"") == Seq(""))
    assert(read(value("a" -> StringType), "\r\n") == Seq(null))
  }

  test("texts with blanks at their ends, and what may be a comment, are quoted as ksqlDB quotes them") {
    assert(written(three, Seq(" x", "y ", "#z")) == "\" x\",\"y \",\"#z\"")
    assert(written(three, Seq("x y", "!y", "$z")) == "x y,\"!y\",$z")
  }

  test("any one character stands between; values that hold it are quoted") {
    Seq(",", "TAB", "SPACE", ";", "|", "§", "€", "\u0001", "a", "1").foreach { delimiter =>
      val columns = value("a" -> StringType, "b" -> LongType, "c" -> StringType)
      val row = Seq("a,b \t;|§€\u0001\"\r\n1", 1111L, "")
      val text = written(columns, row, by(delimiter))
      assert(read(columns, text, by(delimiter)) == row, text)
    }
    assert(written(three, Seq("x", "y z", null), by("SPACE")) == "x \"y z\" ")
    assert(written(three, Seq("x", "y", "z"), by("TAB")) == "x\ty\tz")
    Seq("", ",,", "\"", "\n", "\r", "tab", "🙂").foreach { delimiter =>
      val e = intercept[KafkalystException](
        DelimitedFormat.validate(Side.Key, key("a" -> LongType), SideFormat("DELIMITED", None, by(delimiter)))
      )
      assert(e.getCondition == "KAFKALYST_INVALID_PROPERTY" && e.getMessage.contains("KEY_DELIMITER"))
    }
  }

  test("columns are found by their place, whichever are asked for") {
    val asked = Seq(three(2), three(0))
    assert(decode(decoder(DelimitedFormat, three, asked), asked, "x,y,z".getBytes) == Seq("z", "x"))
  }

  test("50,000 random texts are the numbers that Java reads, and bad where it reads none") {
    val dice = new Random(7)
    val types = Seq(ByteType, ShortType, IntegerType, LongType, DoubleType, DecimalType(9, 2), DecimalType(18, 0))
    val decoders = types.map(t => t -> decoder(DelimitedFormat, value("c" -> t), value("c" -> t)))
    def oracle(t: DataType, text: String): Any = t match {
      case ByteType => text.toByte
      case ShortType => text.toShort
      case IntegerType => text.toInt
      case LongType => text.toLong
      case DoubleType => text.toDouble
      case d: DecimalType =>
        val exact = new java.math.BigDecimal(text).setScale(d.scale)
        if (exact.precision > d.precision) throw new ArithmeticException(text) else exact
    }
    def part(most: Int) = Seq.fill(dice.nextInt(most + 1))(dice.nextInt(10)).mkString
    var numbers = 0
    for (_ <- 1 to 50000) {
      val plain = (if (dice.nextBoolean()) "-" else "") + part(20) + (if (dice.nextBoolean()) "." + part(3) else "")
      val text = dice.nextInt(10) match {
        case 0 => " " + plain
        case 1 => plain + "e" + part(2)
        case 2 => "+" + plain
        case 3 => plain.patch(dice.nextInt(plain.length + 1), "-. x".charAt(dice.nextInt(4)).toString, 0)
        case _ => plain
      }
      val (t, decoder) = decoders(dice.nextInt(decoders.size))
      val expected = if (text.isEmpty) Some(null) else Try(oracle(t, text.trim)).toOption
      val found = Try(decode(decoder, value("c" -> t), text.getBytes).head).toOption
      assert(found == expected, s"${t.sql} of '$text'")
      if (expected.isDefined) numbers += 1
    }
    assert(numbers > 10000)
  }

  test("lines as Flink's csv reads them") {
    val two = value("a" -> StringType, "b" -> StringType)
    val flink = Map(SideFormat.coerce -> "true", SideFormat.emptyIsNull -> "false", SideFormat.nullLiteral -> "n/a")
    def lines(options: Map[String, String], of: (String, Seq[Any])*): Unit = of.foreach { case (line, row) =>
      assert(read(two, line, flink ++ options) == row, line)
    }
    def refused(line: String, options: Map[String, String] = Map.empty): String =
      intercept[BadBytes](read(two, line, flink ++ options)).reason
    lines(
      Map.empty,
      "1,abc\r" -> Seq("1", "abc"),
      "1,\"abc\"\r" -> Seq("1", "abc"),
      "1,a\rb" -> Seq("1", "a"),
      "1,\"a\rb\"\r\n2,c" -> Seq("1", "a\rb"),
      "1,a," -> Seq("1", "a"),
      "1,a, \t" -> Seq("1", "a"),
      "1,a,\"\"" -> Seq("1", "a"),
      "\ufeff1,a" -> Seq("1", "a"),
      "\ufeff\"1\",a" -> Seq("1", "a"),
      "1,\ufeffa" -> Seq("1", "\ufeffa"),
      "#1,a" -> Seq("#1", "a")
    )
    assert(refused("1,a,x").contains("2 fields expected, 3 found"))
    assert(refused("1,a,,").contains("2 fields expected, 4 found"))
    val escape = Map(SideFormat.escape -> "\\")
    lines(
      escape,
      "1,a\\tb\\nc\\rd\\0" -> Seq("1", "a\tb\nc\rd\u0000"),
      "1,\"a\\tb\\\"\"" -> Seq("1", "a\tb\""),
      "\\x,\\\\n" -> Seq("x", "\\n")
    )
    assert(refused("1,a\\", escape).contains("nothing follows the escape of field 2"))
    val comments = Map(SideFormat.allowComments -> "true")
    lines(
      comments,
      "# exported\n1,a" -> Seq("1", "a"),
      "\n2,b" -> Seq("2", "b"),
      "  # one\r\n\r\n# two\r 3,#c" -> Seq("3", "#c"),
      "\ufeff# one\n4,\"# d\"" -> Seq("4", "# d")
    )
    Seq("  # note", "# a\n# b\n", "\n").foreach { line =>
      assert(refused(line, comments).contains("a comment, and no row"), line)
    }
    // Escaped texts come back as they were.
    val text = Seq[Any]("a\\nb\tc", "\r")
    assert(read(two, written(two, text, flink ++ escape), flink ++ escape) == text)
  }

  test("ksqlDB's lines end at a carriage return, too") {
    val two = value("a" -> StringType, "b" -> StringType)
    val ksql = Map(SideFormat.likeKsqldb -> "true")
    assert(read(two, "1,\"a\"\r", ksql) == Seq("1", "a"))
    assert(read(two, "1,a\rb", ksql) == Seq("1", "a"))
  }

  test("several characters between parts, and base64 in lines") {
    val columns = value("a" -> ArrayType(IntegerType), "b" -> BinaryType)
    val parts = Map(SideFormat.arrayDelimiter -> "||")
    val row = Seq[Any](Seq(1, 2), Seq[Byte](1, 2, 3, 4, 5, 6))
    assert(read(columns, "1||2,\"AQID\r\nBAUG\"", parts) == row)
    assert(written(columns, row, parts) == "1||2,AQIDBAUG")
  }
}
