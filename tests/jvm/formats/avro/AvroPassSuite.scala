package io.kafkalyst.formats
package avro

import io.kafkalyst.formats.FormatTesting.mutated
import org.apache.avro.Schema
import org.scalatest.funsuite.AnyFunSuite

import scala.jdk.CollectionConverters._
import scala.util.Random

/** Fields passed over by compiled code as by the loop over codes, in good bytes and in bad ones. */
class AvroPassSuite extends AnyFunSuite {
  private val reader = new ByteReader

  private def passOf(schema: Schema): AvroPass =
    new AvroSkips.Builder().run(schema.getFields.asScala.toSeq).asInstanceOf[AvroPass]

  /** How many bytes are left, or why they are bad. */
  private def passed(pass: AvroPass, compiled: CompiledPass, bytes: Array[Byte], behind: Int): Either[String, Int] = {
    val all = Array.fill[Byte](3 + bytes.length + behind)(7)
    System.arraycopy(bytes, 0, all, 3, bytes.length)
    reader.reset(all, 3, bytes.length)
    try {
      reader.pass(pass, compiled)
      Right(reader.remaining)
    } catch { case bad: BadBytes => Left(bad.reason) }
  }

  private def compare(r: Random, schema: Schema, values: Iterator[Any]): Unit = {
    val pass = passOf(schema)
    val forms = new NumberLengths(pass) +:
      Seq(false, true).map(AvroPassCode.compile(pass, _).getOrElse(fail(s"not compiled: $schema")))
    values.foreach { value =>
      val good = AvroOracle.write(schema, value)
      val cases = Iterator(good, good :+ 1.toByte) ++ good.indices.take(300).map(good.take) ++
        Iterator.fill(50)(mutated(good, r))
      assert(passed(pass, null, good, 0) == Right(0), schema)
      cases.foreach { bytes =>
        val behind = r.nextInt(10)
        forms.foreach(form => assert(passed(pass, form, bytes, behind) == passed(pass, null, bytes, behind), schema))
      }
    }
  }

  test("random records, whole, cut off and mutated") {
    val r = new Random(41)
    (0 until 150).foreach { _ =>
      val random = new AvroOracle.RandomAvro(r)
      val schema = random.record(2)
      compare(r, schema, Iterator.fill(3)(random.value(schema)))
    }
  }

  test("hundreds of fields, within and beside each other") {
    val r = new Random(42)
    val inner = (0 until 60).map(i => s"""{"name":"f$i","type":["null","${Seq("long", "string", "double")(i % 3)}"]}""")
    def record(n: Int) = s"""{"type":"record","name":"R$n","fields":[${inner.mkString(",")}]}"""
    val outer =
      (0 until 8).map(n => s"""{"name":"r$n","type":${if (n % 2 == 0) record(n) else s"""[${record(n)},"null"]"""}}""")
    val schema = new Schema.Parser().parse(s"""{"type":"record","name":"R","fields":[${outer.mkString(",")}]}""")
    val random = new AvroOracle.RandomAvro(r)
    compare(r, schema, Iterator.fill(3)(random.value(schema)))
  }

  test("strings of every length of their length") {
    val schema = new Schema.Parser().parse(
      """{"type":"record","name":"R","fields":[{"name":"a","type":"string"},{"name":"b","type":["null","bytes"]}]}"""
    )
    val record = new org.apache.avro.generic.GenericData.Record(schema)
    Seq(0, 1, 63, 64, 127, 8191, 8192, 1048576).foreach { length =>
      record.put("a", "x" * length)
      record.put("b", java.nio.ByteBuffer.wrap(new Array[Byte](length)))
      compare(new Random(43), schema, Iterator(record))
    }
  }

  test("lengths of numbers are steady where few differ from the last") {
    val fields = Seq("id", "n", "m").map(name => s"""{"name":"$name","type":["null","long"]}""")
    val pass = passOf(new Schema.Parser().parse(s"""{"type":"record","name":"R","fields":[${fields.mkString(",")}]}"""))
    def steady(numbers: Int => Seq[Long]): Boolean = {
      val lengths = new NumberLengths(pass)
      (0 until 64).foreach { i =>
        val out = new java.io.ByteArrayOutputStream
        val encoder = org.apache.avro.io.EncoderFactory.get.directBinaryEncoder(out, null)
        numbers(i).foreach { n => encoder.writeIndex(1); encoder.writeLong(n) }
        assert(passed(pass, lengths, out.toByteArray, 0) == Right(0))
      }
      lengths.areSteady
    }
    assert(steady(i => Seq(1000000L + i, 1700000000000L + i * 1000, i % 90)))
    assert(!steady(i => Seq(1000000L + i, 1L << i, i % 2 * 100)))
  }
}
