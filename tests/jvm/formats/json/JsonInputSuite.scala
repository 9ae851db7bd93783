package io.kafkalyst.formats
package json

import scala.util.Random

import com.fasterxml.jackson.core.{JsonFactoryBuilder, JsonProcessingException, StreamReadFeature}
import com.fasterxml.jackson.databind.{DeserializationFeature, JsonNode}
import com.fasterxml.jackson.databind.json.JsonMapper
import org.apache.spark.sql.catalyst.expressions.SpecificInternalRow
import org.apache.spark.sql.types._
import org.scalatest.funsuite.AnyFunSuite

/** What is JSON, and what it means: as Jackson has it. */
class JsonInputSuite extends AnyFunSuite {
  import FormatTesting._

  private val mapper = JsonMapper.builder(new JsonFactoryBuilder().disable(StreamReadFeature.AUTO_CLOSE_SOURCE).build())
    .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS, DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
    .build()

  private val pieces = Seq("{", "}", "[", "]", ",", ":", "\"", "\"a\"", "\"b\":", "\\", "\\u00e9", "\\n", "\\x",
    "\\u12",
    "\\ud83d\\ude00", "0", "01", "-", "-0", "1", "1.", "1.5", ".5", "1e", "1e5", "1E+5", "1e-7", "+1", "true", "false",
    "null", "nul", "tru", " ", "\n", "\t", "\r", "\u0001", "\u007f", "é", "😀", "x", "NaN", "1234567890123456789012",
    "\u000b", "/", "0x1", "9007199254740993", "0.1", "123456.789012345678")

  private def random(r: Random, depth: Int): String = r.nextInt(if (depth == 0) 5 else 7) match {
    case 0 => Seq("true", "false", "null")(r.nextInt(3))
    case 1 => pieces.filter(p => p.matches("-?(0|[1-9][0-9]*)(\\.[0-9]+)?([eE][+-]?[0-9]+)?"))(r.nextInt(9))
    case 2 => "\"" + Seq.fill(r.nextInt(4))(Seq("a", "long enough for eight", "\\n", "\\u00e9", "é", "😀", "\\\"",
        "\\ud83d\\ude00", "/", "\\/")(r.nextInt(10))).mkString + "\""
    case 3 => (r.nextInt() / 1000.0).toString
    case 4 => r.nextLong().toString
    case 5 => Seq.fill(r.nextInt(4))(blank(r) + random(r, depth - 1) + blank(r)).mkString("[", ",", "]")
    case _ =>
      Seq.tabulate(r.nextInt(4))(i => s"${blank(r)}\"k$i\"${blank(r)}:${random(r, depth - 1)}").mkString("{", ",", "}")
  }

  private def blank(r: Random): String = Seq("", "", "", " ", "\n\t", "\r ")(r.nextInt(6))

  private def mutated(text: String, r: Random): String = {
    val at = r.nextInt(text.length + 1)
    val until = math.min(text.length, at + r.nextInt(3))
    // Not within a surrogate pair: half of one is not UTF-8.
    if (Seq(at, until).exists(i => i < text.length && Character.isLowSurrogate(text.charAt(i)))) text
    else text.substring(0, at) + pieces(r.nextInt(pieces.size)) + text.substring(until)
  }

  private def jackson(text: String): Option[JsonNode] =
    try Option(mapper.readTree(text.getBytes("UTF-8"))).filterNot(_.isMissingNode)
    catch { case _: JsonProcessingException => None }

  /** Without halves of surrogate pairs. */
  private def inUtf8(text: String): String = new String(text.getBytes("UTF-8"), "UTF-8")

  // JSON, but not to Jackson's tree.
  private val hugeExponent = "[eE][+-]?[0-9]{6}".r.unanchored

  test("what is JSON to Jackson is so here, wherever it stands, and nothing else") {
    val r = new Random(41)
    val columns = value("A" -> StringType, "Z" -> IntegerType)
    val asked = decoder(JsonFormat, columns, columns)
    val skipped = decoder(JsonFormat, columns, columns.drop(1))
    // As trees: the fields of an object are in another order.
    def reread(json: String) = jackson(inUtf8(json))
    var good = 0
    val all = 60000
    val texts = Iterator.tabulate(all) { i =>
      val whole = random(r, 3)
      if (i % 3 == 0) whole else mutated(mutated(whole, r), r)
    }
    texts.filterNot(hugeExponent.matches).foreach { text =>
      val bytes = s"""{"A":$text,"Z":7}""".getBytes("UTF-8")
      val expected = jackson(s"""{"A":$text,"Z":7}""")
      val found =
        try Some(decode(asked, columns, bytes))
        catch { case _: BadBytes => None }
      val passed =
        try Some(decode(skipped, columns.drop(1), bytes))
        catch { case _: BadBytes => None }
      assert(found.isDefined == expected.isDefined && passed.isDefined == expected.isDefined, text)
      expected.foreach { tree =>
        good += 1
        val a = tree.get("A")
        val text = found.get.head.asInstanceOf[String]
        if (a.isTextual) assert(text == inUtf8(a.textValue))
        else if (a.isNull) assert(text == null)
        else assert(jackson(text).map(tree => reread(tree.toString)).contains(reread(a.toString)), text)
      }
    }
    assert(good > all / 3 && good < all * 9 / 10)
  }

  test("numbers are as Java reads them") {
    val r = new Random(42)
    val types = Seq[DataType](DoubleType, FloatType, DecimalType(38, 18), LongType)
    val row = new SpecificInternalRow(types)
    val columns = types.map(t => t.typeName -> t)
    val one = decoder(JsonFormat, value(columns: _*), value(columns: _*))
    (0 until 100000).foreach { _ =>
      val n = r.nextInt(6) match {
        case 0 => r.nextLong().toString
        case 1 => r.nextDouble().toString
        case 2 => new java.math.BigDecimal(BigInt(r.nextInt(120), r).bigInteger, r.nextInt(25)).toPlainString
        case 3 => "-" + new java.math.BigDecimal(BigInt(r.nextInt(60), r).bigInteger, r.nextInt(25)).toString
        case 4 => s"${r.nextInt(1000)}e${r.nextInt(40) - 20}"
        case _ => Seq("0", "-0", "0.0", "-0.0", "9007199254740992", "9007199254740993", "-9007199254740993", "1e22",
            "1e23", "4.9e-324", "1.7976931348623157e308", "16777217", "9223372036854775807", "-9223372036854775808",
            "999999999999999999", "0.000000000000000001")(r.nextInt(16))
      }
      val exact = new java.math.BigDecimal(n)
      def field(name: String, text: String) = "\"" + name + "\":" + text
      val long =
        try exact.longValueExact
        catch { case _: ArithmeticException => 0L }
      val fits = exact.signum == 0 || exact.stripTrailingZeros.scale <= 18 && exact.precision - exact.scale <= 20
      val text = Seq(
        field("double", n),
        field("float", if (n.toFloat.isInfinite) "0" else n),
        field("decimal(38,18)", if (fits) n else "0"),
        field("bigint", if (exact.signum == 0 || long != 0) n else "0")
      ).mkString("{", ",", "}")
      val named = text.replace("\"bigint\"", "\"" + LongType.typeName + "\"")
      val bytes = named.getBytes("UTF-8")
      one.decode(bytes, 0, bytes.length, row)
      assert(java.lang.Double.compare(row.getDouble(0), n.toDouble) == 0, n)
      assert(n.toFloat.isInfinite || java.lang.Float.compare(row.getFloat(1), n.toFloat) == 0, n)
      assert(
        row.getDecimal(2, 38, 18).toJavaBigDecimal.compareTo(if (fits) exact else java.math.BigDecimal.ZERO) == 0,
        n
      )
      assert(row.getLong(3) == long, n)
    }
  }

  test("a field is told from others that differ in one letter or in length, whatever came there before") {
    for (length <- 1 to 40) {
      val name = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMN".take(length)
      val columns = value(name -> IntegerType)
      val one = decoder(JsonFormat, columns, columns)
      def read(field: String) = decode(one, columns, s"""{"$field":1}""".getBytes("UTF-8")).head
      val others = name.indices.map(name.updated(_, '-')) ++ Seq(name + "-", "-" + name, name.drop(1))
      others.foreach { other =>
        assert(read(name) == 1, name)
        assert(read(other) == null, s"$other for $name")
      }
    }
  }

  test("strings that are not UTF-8 are bad, asked for or not") {
    val columns = value("A" -> StringType, "B" -> StringType)
    Seq(Seq(0xff), Seq(0xc0, 0x80), Seq(0xed, 0xa0, 0x80), Seq(0xe2, 0x82), Seq(0xf5, 0x80, 0x80, 0x80)).foreach {
      wrong =>
        val bytes = "{\"A\":\"long enough for eight ".getBytes ++ wrong.map(_.toByte) ++ "\"}".getBytes
        Seq(columns, columns.drop(1)).foreach { asked =>
          val reason = intercept[BadBytes](decode(decoder(JsonFormat, columns, asked), asked, bytes)).reason
          assert(reason.contains("not UTF-8, at byte 5"), reason)
        }
    }
  }

  test("the order of fields may change from object to object") {
    val r = new Random(43)
    val names = Seq("a", "A", "b", "name with \\n", "é", "c", "d")
    val columns = Seq("a", "b", "name with \n", "é", "zero").map(_ -> IntegerType)
    val one = decoder(JsonFormat, value(columns: _*), value(columns: _*))
    (0 until 20000).foreach { _ =>
      val fields = r.shuffle(names.filter(_ => r.nextInt(3) > 0)).map(_ -> r.nextInt(100)) ++
        Seq.fill(r.nextInt(3))(s"other${r.nextInt(5000)}" -> 1)
      val text = fields.map { case (name, n) => s"\"$name\":$n" }.mkString("{", ",", "}")
      val found = fields.toMap
      val expected =
        Seq(found.get("a").orElse(found.get("A")), found.get("b"), found.get("name with \\n"), found.get("é"), None)
      assert(decode(one, value(columns: _*), text.getBytes("UTF-8")) == expected.map(_.getOrElse(null)), text)
    }
  }
}
