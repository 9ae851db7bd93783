package io.kafkalyst.keys

import org.apache.spark.sql.Row
import org.apache.spark.sql.catalyst.{CatalystTypeConverters, InternalRow}
import org.apache.spark.sql.types._
import org.scalatest.funsuite.AnyFunSuite

import scala.util.Random

class KeyHashSuite extends AnyFunSuite {
  private def hash(schema: StructType, values: Any*): Int = {
    val row = CatalystTypeConverters.createToCatalystConverter(schema)(Row(values: _*)).asInstanceOf[InternalRow]
    new KeyHash(schema.fields.toSeq.zipWithIndex.map { case (f, i) => KeyPart(f.name, f.dataType, i) }).of(row)
  }

  private def of(ddl: String, values: Any*): Int = hash(StructType.fromDDL(ddl), values: _*)

  test("the documented bytes: a part's own, without its name") {
    // murmur2 of Kafka over 8 bytes of a long, and over 4 bytes of length and the text.
    val long = java.nio.ByteBuffer.allocate(8).putLong(42L).array
    val text = java.nio.ByteBuffer.allocate(6).putInt(2).put("de".getBytes).array
    def murmur(bytes: Array[Byte]) = org.apache.kafka.common.utils.Utils.toPositive(
      org.apache.kafka.common.utils.Utils.murmur2(bytes)
    )
    assert(of("id BIGINT", 42L) == murmur(long))
    assert(of("country STRING", "de") == murmur(text))
    assert(of("b BIGINT, a STRING", 42L, "de") == murmur(text ++ long))
  }

  test("the width of numbers and the order of columns do not matter") {
    assert(of("id INT", 7) == of("id BIGINT", 7L))
    assert(of("id SMALLINT", 7.toShort) == of("id TINYINT", 7.toByte))
    assert(of("x FLOAT", 0.5f) == of("x DOUBLE", 0.5))
    assert(of("x DOUBLE", -0.0) == of("x DOUBLE", 0.0))
    assert(of("a INT, b STRING", 1, "x") == of("b STRING, a INT", "x", 1))
    val wide = new java.math.BigDecimal("1.500")
    assert(of("d DECIMAL(10,3)", wide) == of("d DECIMAL(4,1)", new java.math.BigDecimal("1.5")))
  }

  test("a field that is added and null changes nothing, at any depth") {
    assert(of("a INT", 1) == of("a INT, b STRING", 1, null))
    assert(of("k STRUCT<a: INT>", Row(1)) == of("k STRUCT<b: STRING, a: INT>", Row(null, 1)))
    assert(of("k ARRAY<STRUCT<a: INT>>", Seq(Row(1))) == of("k ARRAY<STRUCT<a: INT, z: INT>>", Seq(Row(1, null))))
  }

  test("the order of a map's entries does not matter, an array's does") {
    def map(keys: String*) = {
      val linked = new java.util.LinkedHashMap[String, Int]()
      keys.foreach(k => linked.put(k, k.length))
      import scala.jdk.CollectionConverters._
      scala.collection.immutable.ListMap(linked.asScala.toSeq: _*)
    }
    assert(of("m MAP<STRING, INT>", map("a", "bb")) == of("m MAP<STRING, INT>", map("bb", "a")))
    assert(of("m ARRAY<INT>", Seq(1, 2)) != of("m ARRAY<INT>", Seq(2, 1)))
    assert(of("m ARRAY<INT>", Seq(1, null)) != of("m ARRAY<INT>", Seq(null, 1)))
  }

  test("a key of nulls has no hash") {
    assert(of("a INT, b STRING", null, null) == -1)
  }

  test("random keys spread over the partitions, always the same way") {
    val random = new Random(20240607)
    val partitions = 8
    val counts = new Array[Int](partitions)
    (0 until 8000).foreach { _ =>
      val (a, b) = (random.nextInt(), random.alphanumeric.take(random.nextInt(12)).mkString)
      val first = of("a INT, b STRING", a, b)
      assert(first >= 0 && first == of("b STRING, a BIGINT, c INT", b, a.toLong, null))
      counts(first % partitions) += 1
    }
    assert(counts.forall(c => c > 850 && c < 1150), counts.mkString(", "))
  }
}
