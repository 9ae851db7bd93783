package io.kafkalyst.formats

import java.lang.management.ManagementFactory

import scala.util.Random

import io.kafkalyst.formats.avro.AvroFormat
import io.kafkalyst.formats.delimited.DelimitedFormat
import io.kafkalyst.formats.json.JsonFormat
import io.kafkalyst.formats.jsonschema.JsonSrFormat
import io.kafkalyst.formats.raw.KafkaFormat
import io.kafkalyst.model.{Side, TopicColumn}
import io.kafkalyst.registry.RegistryClient
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.SpecificInternalRow
import org.apache.spark.sql.types._
import org.scalatest.funsuite.AnyFunSuite

/**
 * Broken records between whole ones, as in a fetched batch: each is a row or [[BadBytes]], takes memory in proportion to
 * its size, leaves the bytes alone, and the next record is read as if nothing had been.
 */
class FuzzSuite extends AnyFunSuite {
  import FormatTesting._

  private val perFormat = 200000
  // What a decoder may allocate for one record: for classes it loads, its tables, a message; and per byte of the record.
  private val least = 1000000L
  private val perByte = 200L

  private val threads = ManagementFactory.getThreadMXBean.asInstanceOf[com.sun.management.ThreadMXBean]

  private final class Case(
      val columns: Seq[TopicColumn],
      val row: Seq[Any],
      val bytes: Array[Byte],
      val registry: RegistryClient
  )

  private def broken(bytes: Array[Byte], r: Random): Array[Byte] =
    if (bytes.length > 5 && r.nextInt(3) > 0) bytes.take(5) ++ mutated(bytes.drop(5), r) else mutated(bytes, r)

  private def check(format: Format, seed: Int, cases: Iterator[Case]): Unit = {
    val r = new Random(seed)
    val clue = s"${format.name}, seed $seed"
    var records = 0
    var bad = 0
    cases.takeWhile(_ => records < perFormat).foreach { c =>
      val asked = r.shuffle(c.columns).take(1 + r.nextInt(c.columns.size))
      val one = decoder(format, c.columns, asked, c.registry)
      val rows = c.columns.map(_.name).zip(c.row).toMap
      val expected = asked.map(a => rows(a.name))
      val row = new SpecificInternalRow(asked.map(_.dataType))
      val types = schemaOf(asked)
      (0 until 500).foreach { _ =>
        val b = broken(c.bytes, r)
        val batch = c.bytes ++ b ++ c.bytes
        val before = batch.clone()
        records += 1
        if (!reads(one, batch, c.bytes.length, b.length, row, clue)) bad += 1
        assert(java.util.Arrays.equals(batch, before), clue)
        Seq(0, c.bytes.length + b.length).foreach { at =>
          one.decode(batch, at, c.bytes.length, row)
        }
        assert(plainRow(row, types) == expected, clue)
      }
    }
    assert(records >= perFormat, clue)
    // Mutations are neither all harmless nor all fatal, else they would tell nothing.
    assert(bad > records / 20 && bad < records, s"$clue: $bad of $records bad")
  }

  private def reads(one: Decoder, batch: Array[Byte], at: Int, length: Int, row: InternalRow, clue: String): Boolean = {
    val before = threads.getCurrentThreadAllocatedBytes
    val read =
      try { one.decode(batch, at, length, row); true }
      catch { case _: BadBytes => false }
    val allocated = threads.getCurrentThreadAllocatedBytes - before
    assert(allocated <= least + perByte * length, s"$clue: $allocated bytes for a record of $length")
    read
  }

  /** Random rows of random columns, written by the format itself. */
  private def cases(format: Format, seed: Int)(columns: Random => Seq[TopicColumn]): Iterator[Case] = {
    val r = new Random(seed)
    val random = new RandomRows(r)
    Iterator.continually {
      val some = columns(r)
      val registry: RegistryClient =
        if (format.schemaType.isEmpty) new MapRegistry(Map.empty)
        else new MapRegistry(Map(1 -> format.schemaOf(some, Side.Value, "T", as(format))), format.schemaType.get)
      // What stands alone cannot be null: there are no bytes then.
      val alone = format.wrapping == Wrapping.Never && some.size == 1
      val row = some.map(c => Iterator.continually(random.value(c.dataType)).find(v => v != null || !alone).get)
      val bytes = encoder(format, some, registry, Some(1)).encode(sparkRow(row, schemaOf(some)))
      new Case(some, row, bytes, registry)
    }
  }

  private def named(t: StructType): Seq[TopicColumn] = t.map(f => TopicColumn(f.name, f.dataType, Side.Value))

  private def legal(t: DataType): DataType = t match {
    case s: StructType =>
      StructType(s.fields.zipWithIndex.map { case (f, i) => StructField(s"f$i", legal(f.dataType)) })
    case a: ArrayType => ArrayType(legal(a.elementType))
    case m: MapType => MapType(StringType, legal(m.valueType))
    // They come back as INT.
    case ByteType | ShortType => IntegerType
    case other => other
  }

  test("AVRO") {
    check(
      AvroFormat,
      21,
      cases(AvroFormat, 31)(r => named(legal(new RandomRows(r).struct(2)).asInstanceOf[StructType]))
    )
  }

  test("JSON") {
    check(JsonFormat, 22, cases(JsonFormat, 32)(r => named(new RandomRows(r).struct(2))))
  }

  test("JSON_SR") {
    check(JsonSrFormat, 23, cases(JsonSrFormat, 33)(r => named(new RandomRows(r).struct(2))))
  }

  test("DELIMITED") {
    val times =
      Seq(DateType, TimestampNTZType, StringType, BinaryType, BooleanType, LongType, DecimalType(20, 3), FloatType)
    check(
      DelimitedFormat,
      24,
      cases(DelimitedFormat, 34) { r =>
        (0 to r.nextInt(6)).map { i =>
          val t = if (r.nextBoolean()) new RandomRows(r).dataType(0) else times(r.nextInt(times.size))
          TopicColumn(s"c$i", t, Side.Value)
        }
      }
    )
  }

  test("KAFKA") {
    val types = Seq(IntegerType, LongType, DoubleType, StringType, BinaryType)
    check(KafkaFormat, 25, cases(KafkaFormat, 35)(r => value("c" -> types(r.nextInt(types.size)))))
  }
}
