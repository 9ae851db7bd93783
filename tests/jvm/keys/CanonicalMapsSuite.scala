package io.kafkalyst.keys

import scala.util.Random

import io.kafkalyst.errors.KafkalystTaskException
import io.kafkalyst.formats.{Format, FormatTesting, MapRegistry}
import io.kafkalyst.formats.avro.AvroFormat
import io.kafkalyst.formats.json.JsonFormat
import io.kafkalyst.formats.jsonschema.JsonSrFormat
import io.kafkalyst.model.{Side, TopicColumn}
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection
import org.apache.spark.sql.types._
import org.scalatest.funsuite.AnyFunSuite

class CanonicalMapsSuite extends AnyFunSuite {
  import FormatTesting._

  private def map(keys: String*) =
    spark(scala.collection.immutable.ListMap(keys.map(_ -> 1): _*), MapType(StringType, IntegerType))
      .asInstanceOf[org.apache.spark.sql.catalyst.util.MapData]

  test("entries are ordered by the unsigned bytes of their keys") {
    assert(CanonicalMaps.order(map()) == null)
    assert(CanonicalMaps.order(map("", "A", "a", "aa", "z", "é", "€", "🙂")) == null)
    assert(CanonicalMaps.order(map("🙂", "é", "a", "")).toSeq == Seq(3, 2, 1, 0))
    assert(CanonicalMaps.order(map("b", "a", "c")).toSeq == Seq(1, 0, 2))
  }

  test("a MAP is found wherever it is") {
    val m = MapType(StringType, LongType)
    Seq(m, ArrayType(m), StructType.fromDDL("a ARRAY<STRUCT<m: MAP<STRING, INT>>>")).foreach(t =>
      assert(CanonicalMaps.holdsMap(t))
    )
    Seq(LongType, ArrayType(LongType), StructType.fromDDL("a STRING")).foreach(t => assert(!CanonicalMaps.holdsMap(t)))
  }

  private def bytes(format: Format, columns: Seq[TopicColumn], row: Seq[Any], unsafe: Boolean): Seq[Byte] = {
    val registry =
      if (format.schemaType.isEmpty) new MapRegistry(Map.empty)
      else {
        val text = format.schemaOf(columns, columns.head.side, "T", as(format))
        new MapRegistry(Map(1 -> text), format.schemaType.get)
      }
    val schema = schemaOf(columns)
    val plain = sparkRow(row, schema)
    val given = if (unsafe) UnsafeProjection.create(schema).apply(plain) else plain
    encoder(format, columns, registry, Some(1)).encode(given).toSeq
  }

  private val formats = Seq(AvroFormat, JsonFormat, JsonSrFormat)

  /** The same value with the entries of all its maps in another order. */
  private def shuffled(value: Any, r: Random): Any = value match {
    case m: Map[_, _] =>
      scala.collection.immutable.ListMap(r.shuffle(m.toSeq).map { case (k, v) => k -> shuffled(v, r) }: _*)
    case s: Seq[_] => s.map(shuffled(_, r))
    case other => other
  }

  test("equal keys with maps are equal bytes, at every depth, in every format that takes them") {
    val t = StructType.fromDDL("m MAP<STRING, MAP<STRING, INT>>, a ARRAY<MAP<STRING, STRING>>")
    val r = new Random(3)
    def names = r.shuffle(Seq("", "a", "B", "é", "🙂", "key", "z")).take(r.nextInt(7))
    formats.foreach { format =>
      val columns = key("k" -> t, "n" -> MapType(StringType, LongType))
      (0 until 100).foreach { _ =>
        val inner = Seq(names.map(n => n -> names.map(_ -> 7).toMap).toMap, Seq(names.map(_ -> "x").toMap, null))
        val row = Seq[Any](inner, names.map(_ -> 1L).toMap)
        val some = bytes(format, columns, row, unsafe = false)
        assert(bytes(format, columns, row.map(shuffled(_, r)), unsafe = r.nextBoolean()) == some)
      }
    }
  }

  test("values keep the order of their maps") {
    val columns = value("m" -> MapType(StringType, IntegerType))
    val row = Seq(scala.collection.immutable.ListMap("z" -> 1, "b" -> 2, "a" -> 3, "y" -> 4, "c" -> 5))
    assert(
      new String(bytes(JsonFormat, columns, row, unsafe = false).toArray) == """{"m":{"z":1,"b":2,"a":3,"y":4,"c":5}}"""
    )
  }

  test("NaN is refused in a key that holds a MAP, beside it too, and let be elsewhere") {
    def refused(format: Format, columns: Seq[TopicColumn], row: Any*) = {
      val e = intercept[KafkalystTaskException](bytes(format, columns, row, unsafe = false))
      assert(e.getCondition == "KAFKALYST_VALUE_NOT_WRITABLE" && e.getMessage.contains("NaN"), e.getMessage)
    }
    formats.foreach { format =>
      refused(format, key("m" -> MapType(StringType, DoubleType)), Map("a" -> Double.NaN))
      refused(format, key("m" -> MapType(StringType, LongType), "f" -> FloatType), Map("a" -> 1L), Float.NaN)
    }
    assert(bytes(AvroFormat, key("d" -> DoubleType), Seq(Double.NaN), unsafe = false).size == 13)
    val columns = Seq(TopicColumn("m", MapType(StringType, DoubleType), Side.Value))
    assert(bytes(AvroFormat, columns, Seq(Map("a" -> Double.NaN)), unsafe = false).nonEmpty)
  }
}
