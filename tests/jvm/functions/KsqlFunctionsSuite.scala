package io.kafkalyst.functions

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path}
import java.time.LocalDate
import java.util.{Map => JMap}

import io.kafkalyst.errors.KafkalystTaskException
import org.apache.commons.lang3.time.FastDateFormat
import org.apache.spark.sql.catalyst.{FunctionIdentifier, InternalRow}
import org.apache.spark.sql.catalyst.analysis.FunctionRegistry
import org.apache.spark.sql.catalyst.expressions.{BoundReference, Expression, Literal}
import org.apache.spark.sql.catalyst.util.ArrayData
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String
import org.scalatest.funsuite.AnyFunSuite

class KsqlFunctionsSuite extends AnyFunSuite {
  private def call(name: String, args: Any*): Any = {
    val literals = args.map {
      case e: Expression => e
      case value => Literal(value)
    }
    KsqlFunctions.find(name).get.build(literals).eval() match {
      case null => null
      case array: ArrayData => array.toObjectArray(StringType).toSeq.map(v => if (v == null) null else v.toString)
      case text: org.apache.spark.unsafe.types.UTF8String => text.toString
      case other => other
    }
  }

  private val page = Path.of("docs/reference/functions-ksqldb.md")

  private def row(usage: String) = {
    val Array(call, meaning) = usage.split(" - ", 2)
    s"| `${call.replace("|", "\\|")}` | ${meaning.replace("|", "\\|")} |"
  }

  private def table(rows: Seq[String]) = (Seq("| function | gives |", "|---|---|") ++ rows :+ "").mkString("\n")

  /** The page as the table has it; with GOLDEN in the environment of the tests it is written. */
  private def expected = {
    val families = KsqlFunctions.families.flatMap { case (family, functions) =>
      Seq(s"## $family\n", table(functions.map(f => row(f.usage))))
    }
    def names(all: Seq[String]) = all.map(n => s"`${n.toUpperCase}`").mkString(", ")
    val taken = names(KsqlFunctions.all.filter(_.isSparkBuiltin).map(_.name))
    val tables = Seq(
      "EXPLODE(array) - One row for each element; no row for a NULL array.",
      "CUBE_EXPLODE(array) - One row for each combination of elements and NULLs in their places."
    )
    val parts = Seq(
      "# Functions of ksqlDB\n",
      "In continuous queries into a topic (CREATE … AS SELECT, INSERT INTO … SELECT), these names are the functions below.",
      "In all other queries, Spark's functions come first: only functions whose names Spark does not have are available.",
      s"These names are Spark's there: $taken.",
      "An error within one row, such as a text that is not a date, gives NULL.\n"
    ) ++ families ++ Seq(
      "## Table functions\n",
      table(tables.map(row)),
      "The rows of several table functions in one SELECT are put side by side, and the shorter ones are filled with NULL. See",
      "[language.md](language.md).\n",
      "## Spark's functions of the same meaning\n",
      names(KsqlFunctions.sharedWithSpark) + "\n"
    )
    parts.mkString("\n")
  }

  test("the reference page is the table") {
    if (sys.env.contains("GOLDEN")) Files.write(page, expected.getBytes(UTF_8))
    assert(new String(Files.readAllBytes(page), UTF_8) == expected)
  }

  test("JSON functions keep the digits of numbers, and write them without an exponent") {
    assert(call("extractjsonfield", """{"a":1.10}""", "$.a") == "1.10")
    assert(call("extractjsonfield", """{"a":12345678901234567890.0}""", "$.a") == "12345678901234567890.0")
    assert(call("extractjsonfield", """{"a":[1e2,1e-7,0.00]}""", "$.a") == "[100,0.0000001,0.00]")
    assert(call("extractjsonfield", """{"a":1e300000000}""", "$.a") == "1E+300000000")
    assert(call("json_items", "[100.00,1e2]") == Seq("100.00", "100"))
    assert(call("json_concat", "[1.0]", "2.50") == "[1.0,2.50]")
    val records = call("json_records", """{"a":100.00}""").asInstanceOf[org.apache.spark.sql.catalyst.util.MapData]
    assert(records.valueArray.getUTF8String(0).toString == "100.00")
    assert(call("to_json_string", BigDecimal("0.0000001")) == "0.0000001")
  }

  test("JSON_ARRAY_CONTAINS compares whole numbers of any size") {
    assert(call("json_array_contains", "[18446744073709551617]", 1) == false)
    assert(call("json_array_contains", "[18446744073709551617, 1]", 1) == true)
    assert(call("json_array_contains", "[-9223372036854775808]", Long.MinValue) == true)
  }

  test("no name is there twice, and what is said to be Spark's is") {
    val names = KsqlFunctions.all.map(_.name)
    assert(names == names.distinct)
    assert(KsqlFunctions.sharedWithSpark.filterNot(n =>
      FunctionRegistry.builtin.functionExists(FunctionIdentifier(n))
    ).isEmpty)
    assert(names.intersect(KsqlFunctions.sharedWithSpark).isEmpty)
  }

  test("none of those for every statement shadows a function of Spark's") {
    KsqlFunctions.everywhere.foreach(f => assert(!FunctionRegistry.builtin.functionExists(FunctionIdentifier(f.name))))
  }

  test("SUBSTRING counts from 1, and from the end") {
    assert(call("substring", "some text", 3, 2) == "me")
    assert(call("substring", "some text", 0, 2) == "so")
    assert(call("substring", "some text", -4, 2) == "te")
    assert(call("substring", "some text", -99, 2) == "so")
    assert(call("substring", "some text", 99) == "")
    assert(call("substring", Literal(null, StringType), 1) == null)
  }

  test("INSTR finds occurrences forwards and backwards") {
    assert(call("instr", "corporate floor", "or") == 2)
    assert(call("instr", "corporate floor", "or", 3) == 5)
    assert(call("instr", "corporate floor", "or", 3, 2) == 14)
    assert(call("instr", "corporate floor", "or", -3) == 5)
    assert(call("instr", "corporate floor", "or", -3, 2) == 2)
    assert(call("instr", "corporate floor", "or", 0) == 0)
  }

  test("a mask that is null leaves its characters") {
    assert(call("mask", "My Test $123") == "Xx-Xxxx--nnn")
    assert(call(
      "mask",
      "My Test $123",
      "*",
      Literal(null, StringType),
      "1",
      Literal(null, StringType)
    ) == "*y *est $111")
    assert(call("mask_keep_right", "abcdef", 2) == "xxxxef")
    assert(call("mask_left", "abc", -1) == null)
  }

  test("ROUND rounds halves up") {
    assert(Seq(1.5, -1.5, 2.4, -2.6).map(call("round", _)) == Seq(2L, -1L, 2L, -3L))
    assert(call("round", 12.345, 2) == 12.35)
    assert(call("trunc", -1.79, 1) == -1.7)
    assert(call("round", 15.5, -1) == 20.0 && call("round", 5.5, -1) == 10.0 && call("round", 4.5, -1) == 0.0)
  }

  test("a row's number does not decide how much is computed") {
    Seq(500000000, Int.MaxValue).foreach { n =>
      assert(call("round", 12.345, n) == 12.345 && call("trunc", 12.345, n) == 12.345)
      assert(call("round", 12.345, -n) == 0.0 && call("trunc", 12.345, -n) == 0.0)
      assert(call("generate_series", 0, n) == null && call("generate_series", 0L, Long.MinValue, -n) == null)
    }
    def numbers(args: Any*) = KsqlFunctions.find("generate_series").get.build(args.map(Literal(_))).eval()
      .asInstanceOf[ArrayData]
    assert(numbers(1, 10, 4).toIntArray().toSeq == Seq(1, 5, 9))
    assert(numbers(Long.MaxValue - 1, Long.MaxValue).toLongArray().toSeq == Seq(Long.MaxValue - 1, Long.MaxValue))
    assert(numbers(3L, 1L).toLongArray().toSeq == Seq(3L, 2L, 1L))
    assert(call("parse_date", "+10000000-01-01", "yyyy-MM-dd") == null)
  }

  test("times are read and written by Java's patterns") {
    assert(call("stringtotimestamp", "1970-01-01 00:00:01.5", "yyyy-MM-dd HH:mm:ss.S") == 1500L)
    assert(call("stringtotimestamp", "2020", "yyyy", "Europe/Paris") == 1577833200000L)
    assert(call("stringtotimestamp", "nonsense", "yyyy") == null)
    assert(call("timestamptostring", 0L, "yyyy-MM-dd HH:mm:ss") == "1970-01-01 00:00:00")
    assert(call("timestamptostring", 0L, "yyyy-MM-dd HH:mm X", "Asia/Tokyo") == "1970-01-01 09:00 +09")
    assert(call("dateadd", "DAYS", 2, Literal(0, DateType)) == 2)
    assert(call("timestampsub", "MINUTES", 1, Literal(60000000L, TimestampType)) == 0L)
  }

  test("part of a time of day is no time, but in ksqlDB's dialect the other parts are those of 1970's start") {
    def hours = call("stringtotimestamp", "2021-01-01 03:30", "yyyy-MM-dd hh:mm")
    assert(hours == null)
    assert(call("parse_timestamp", "30:15", "mm:ss") == null)
    assert(call("stringtotimestamp", "2021-01-01 03 PM", "yyyy-MM-dd hh a") == 1609513200000L)
    val conf = new SQLConf
    conf.setConfString("spark.kafkalyst.dialect", "ksqldb")
    SQLConf.withExistingConf(conf) {
      assert(hours == 1609471800000L)
      assert(call("parse_timestamp", "30:15", "mm:ss") == 1815000000L)
      assert(call("stringtotimestamp", "366 2020", "DDD yyyy") == 1609372800000L)
      assert(call("stringtotimestamp", "366", "DDD") == null)
      assert(call("stringtotimestamp", "02-29", "MM-dd", "Europe/Paris") == 5007600000L)
    }
  }

  test("texts and JSON are cut") {
    assert(call("split", "a.b.", ".") == Seq("a", "b", ""))
    assert(call("regexp_extract_all", "a(\\d)", "a1 a2 b3", 1) == Seq("1", "2"))
    assert(call("json_items", "[1, {\"a\": null}]") == Seq("1", "{\"a\":null}"))
    assert(call("json_concat", "1", "[2]") == "[1,2]")
    assert(call("is_json_string", "{\"a\":1} x") == false)
  }

  test("what is beyond a type's range, or too deep for a pattern, is null") {
    val date = Literal(19000, DateType)
    assert(call("dateadd", "DAYS", Int.MaxValue, date) == null)
    assert(call("regexp_split_to_array", "ab" * 20000, "(a|b)*c") == null)
    def cube(elements: Int) =
      Cube(Literal(ArrayData.toArrayData(Array.fill(elements)(1)), ArrayType(IntegerType))).eval()
    Seq(21, 32).foreach { elements =>
      assert(intercept[KafkalystTaskException](cube(elements)).getCondition == "KAFKALYST_FUNCTION_CUBE_SIZE")
    }
    assert(cube(3).asInstanceOf[ArrayData].numElements == 8)
  }

  test("encodings go there and back") {
    assert(call("encode", "68656c6c6f", "hex", "utf8") == "hello")
    assert(call("encode", "hello", "utf8", "base64") == "aGVsbG8=")
    assert(call("from_bytes", "hi".getBytes, "hex") == "0x6869")
  }

  test("a pattern is read once while it stays, and none is kept for ever") {
    var reads = 0
    val lengths = new LastMade({ pattern => reads += 1; pattern.length })
    assert(Seq("a", "a", "a", "bb", "bb", "a").map(lengths(_)) == Seq(1, 1, 1, 2, 2, 1) && reads == 3)

    def kept = {
      val cache = classOf[FastDateFormat].getDeclaredFields.find(_.getType.getSimpleName == "AbstractFormatCache").get
      cache.setAccessible(true)
      cache.getType.getDeclaredFields.filter(f => classOf[JMap[_, _]].isAssignableFrom(f.getType)).map { f =>
        f.setAccessible(true)
        f.get(cache.get(null)).asInstanceOf[JMap[_, _]].size
      }.sum
    }
    val before = kept
    val ksqldb = new SQLConf
    ksqldb.setConfString("spark.kafkalyst.dialect", "ksqldb")
    val date = SQLConf.withExistingConf(ksqldb)(KsqlFunctions.find("PARSE_DATE").get.build(
      Seq(BoundReference(0, StringType, nullable = true), BoundReference(1, StringType, nullable = true))
    ))
    (1 to 200).foreach { i =>
      val row = InternalRow(UTF8String.fromString(s"2021-3-5 $i"), UTF8String.fromString(s"yyyy-MM-dd '$i'"))
      assert(date.eval(row) == LocalDate.of(2021, 3, 5).toEpochDay)
    }
    assert(kept == before)
  }
}
