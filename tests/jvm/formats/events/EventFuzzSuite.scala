package io.kafkalyst.formats
package events

import java.io.ByteArrayOutputStream
import java.nio.charset.StandardCharsets.UTF_8

import scala.util.Random

import io.kafkalyst.model.{Side, SideFormat}
import org.apache.avro.Schema
import org.apache.avro.generic.{GenericData, GenericDatumWriter}
import org.apache.avro.io.EncoderFactory
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.SpecificInternalRow
import org.apache.spark.sql.types._
import org.scalatest.funsuite.AnyFunSuite

/** Broken events: each is changes or [[BadBytes]], and the event behind it is read as if nothing had been. */
class EventFuzzSuite extends AnyFunSuite {
  import FormatTesting._

  private val perFormat = 200000

  private val columns = value(
    "id" -> IntegerType,
    "name" -> StringType,
    "price" -> DecimalType(10, 2),
    "ok" -> BooleanType,
    "at" -> TimestampType
  )

  private def check(format: EventFormat, event: Array[Byte], registry: MapRegistry, ops: Seq[String]): Unit = {
    val r = new Random(format.name.hashCode)
    val keys = format.keys.map(k => k.name -> k.dataType) :+ ("tombstone" -> BooleanType)
    val types = columns.map(_.dataType) ++ keys.map(_._2)
    def target(name: String, t: DataType, at: Int) = Target(name, t, at)
    val decoder = format.decoder(DecodeRequest(
      Side.Value,
      "t",
      SideFormat(format.name, options = Map(SideFormat.events -> SideFormat.changes)),
      columns,
      columns.zipWithIndex.map { case (c, i) => target(c.name, c.dataType, i) }.toArray,
      () => registry,
      keys.zipWithIndex.map { case ((name, t), i) => target(name, t, columns.size + i) }.toArray
    ))
    val row = new SpecificInternalRow(types)
    val op = columns.size + keys.indexWhere(_._1 == EventKey.op.name)
    var bad = 0
    (0 until perFormat).foreach { _ =>
      val broken = mutated(event, r)
      try all(decoder, broken, row, op)
      catch { case _: BadBytes => bad += 1 }
      assert(all(decoder, event, row, op) == ops, format.name)
    }
    assert(bad > perFormat / 20 && bad < perFormat, s"${format.name}: $bad bad")
  }

  private def all(decoder: EventDecoder, bytes: Array[Byte], row: InternalRow, op: Int): Seq[String] = {
    decoder.decode(bytes, 0, bytes.length, row)
    if (decoder.isEmpty) Nil
    else {
      val first = row.getUTF8String(op).toString
      first +: Iterator.continually(decoder.next(row)).takeWhile(identity).map(_ =>
        row.getUTF8String(op).toString
      ).toSeq
    }
  }

  private def checkJson(format: EventFormat, event: String, ops: String*): Unit =
    check(format, event.getBytes(UTF_8), new MapRegistry(Map.empty), ops)

  private val before = """{"id":1,"name":"a","price":"1.50","ok":1,"at":1700000000000}"""
  private val after = """{"id":1,"name":"b","price":2.5,"ok":true,"at":"2024-01-02 03:04:05"}"""

  test("a number of very many digits is bad at once") {
    val event = s"""{"op":"c","after":{"id":1},"x":${"9" * 900000}}"""
    val decoder =
      DebeziumJsonFormat.decoder(DecodeRequest(
        Side.Value,
        "t",
        as(DebeziumJsonFormat),
        columns,
        Array.empty,
        () => null
      ))
    val threads = java.lang.management.ManagementFactory.getThreadMXBean
    val start = threads.getCurrentThreadCpuTime
    intercept[BadBytes](decoder.decode(event.getBytes(UTF_8), 0, event.length, new SpecificInternalRow(Nil)))
    assert(threads.getCurrentThreadCpuTime - start < 2000000000L)
  }

  test("DEBEZIUM_JSON") {
    checkJson(
      DebeziumJsonFormat,
      s"""{"schema":{"a":1},"payload":{"before":$before,"after":$after,"op":"u","ts_ms":1700000000001,
         |"source":{"ts_ms":5,"db":"d","schema":"s","table":"t","x":{"y":[1]}}}}""".stripMargin,
      "-U",
      "+U"
    )
  }

  test("CANAL_JSON") {
    checkJson(
      CanalJsonFormat,
      s"""{"data":[$after,$after],"old":[{"name":"a"},{"price":null}],"type":"UPDATE","database":"d","table":"t",
         |"sqlType":{"id":4},"pkNames":["id"],"ts":1700000000001,"es":1700000000000}""".stripMargin,
      "-U",
      "+U",
      "-U",
      "+U"
    )
  }

  test("MAXWELL_JSON") {
    checkJson(
      MaxwellJsonFormat,
      s"""{"data":$after,"old":{"name":"a"},"type":"update","database":"d","table":"t","ts":1700000000,
         |"primary_key_columns":["id"]}""".stripMargin,
      "-U",
      "+U"
    )
  }

  test("OGG_JSON") {
    checkJson(
      OggJsonFormat,
      s"""{"table":"s.t","op_type":"D","before":$before,"op_ts":"2020-05-13 13:39:35.766000",
         |"current_ts":"2020-05-13T13:39:36.001Z","primary_keys":["id"]}""".stripMargin,
      "-D"
    )
  }

  test("DEBEZIUM_AVRO") {
    val schema = new Schema.Parser().parse(
      """{"type":"record","name":"Envelope","fields":[
        |{"name":"before","type":["null",{"type":"record","name":"Value","fields":[
        |  {"name":"id","type":"int"},{"name":"name","type":["null","string"]},{"name":"ok","type":"boolean"}]}]},
        |{"name":"after","type":["null","Value"]},
        |{"name":"source","type":{"type":"record","name":"Source","fields":[
        |  {"name":"ts_ms","type":"long"},{"name":"db","type":"string"},{"name":"seq","type":{"type":"array","items":"int"}}]}},
        |{"name":"op","type":"string"},{"name":"ts_ms","type":["null","long"]}]}""".stripMargin
    )
    def record(of: Schema, fields: (String, Any)*) = {
      val made = new GenericData.Record(of)
      fields.foreach { case (name, v) => made.put(name, v) }
      made
    }
    val value = schema.getField("after").schema.getTypes.get(1)
    def row(name: String) = record(value, "id" -> 1, "name" -> name, "ok" -> true)
    val source =
      record(schema.getField("source").schema, "ts_ms" -> 5L, "db" -> "d", "seq" -> java.util.List.of(1, 2))
    val event =
      record(schema, "before" -> row("a"), "after" -> row("b"), "source" -> source, "op" -> "u", "ts_ms" -> 7L)
    val out = new ByteArrayOutputStream
    val encoder = EncoderFactory.get.binaryEncoder(out, null)
    new GenericDatumWriter[GenericData.Record](schema).write(event, encoder)
    encoder.flush()
    check(
      DebeziumAvroFormat,
      framed(1, out.toByteArray),
      new MapRegistry(Map(1 -> schema.toString)),
      Seq("-U", "+U")
    )
  }
}
