package io.kafkalyst.formats
package avro

import java.lang.management.ManagementFactory

import io.kafkalyst.formats.FormatTesting._
import io.kafkalyst.registry.WireFormat
import org.apache.spark.sql.types._
import org.scalatest.funsuite.AnyFunSuite

/** Schemas that contain themselves, or the same records many times, whose fields are skipped. */
class NestedAvroSuite extends AnyFunSuite {
  private val columns = value("a" -> IntegerType)

  /** A row, or what is wrong, on the stack of a task. */
  private def read(schema: String, body: Array[Byte]): Either[String, Seq[Any]] =
    read(decoder(AvroFormat, columns, columns, new MapRegistry(Map(1 -> schema))), body)

  private def read(made: Decoder, body: Array[Byte]): Either[String, Seq[Any]] = {
    var result: Either[String, Seq[Any]] = null
    val task = new Thread(
      null,
      () =>
        result =
          try Right(decode(made, columns, WireFormat.header(1) ++ body))
          catch { case BadBytes(bad) => Left(bad.reason) },
      "task",
      1 << 20
    )
    task.start()
    task.join()
    assert(result != null, "the thread died")
    result
  }

  private def node(kids: String) =
    s"""{"type":"record","name":"T","fields":[{"name":"a","type":"int"},{"name":"kids","type":$kids}]}"""

  private def nested(levels: Int, open: Array[Byte], close: Array[Byte], leaf: Byte*): Array[Byte] = {
    val around = 2.toByte +: open
    Array.fill(levels)(around).flatten ++ Array[Byte](2) ++ leaf ++ Array.fill(levels)(close).flatten
  }

  private def refused(read: Either[String, Seq[Any]]): Unit =
    assert(read.left.exists(_.contains("values nested deeper than")), read)

  test("records within records, by unions, arrays and maps") {
    val list = node("""["null","T"]""")
    def next(levels: Int) = nested(levels, Array(2), Array(), 0)
    assert(read(list, next(400)) == Right(Seq(1)))
    Seq(2000, 100000).foreach(levels => refused(read(list, next(levels))))

    val tree = node("""{"type":"array","items":["null","T"]}""")
    def kids(levels: Int) = nested(levels, Array(2, 2), Array(0), 0)
    assert(read(tree, kids(200)) == Right(Seq(1)))
    Seq(990, 100000).foreach(levels => refused(read(tree, kids(levels))))

    val named = node("""{"type":"map","values":"T"}""")
    def entries(levels: Int) = nested(levels, Array(2, 2, 'k'), Array(0), 0)
    assert(read(named, entries(200)) == Right(Seq(1)))
    Seq(990, 100000).foreach(levels => refused(read(named, entries(levels))))
  }

  test("arrays of arrays count as much as records") {
    val arrays = node((1 to 200).foldLeft("\"T\"")((item, _) => s"""{"type":"array","items":$item}"""))
    def kids(levels: Int) = nested(levels, Array.fill(200)(2.toByte), Array.fill(200)(0.toByte), 0)
    assert(read(arrays, kids(1)) == Right(Seq(1)))
    Seq(3, 30, 400).foreach(levels => refused(read(arrays, kids(levels))))
  }

  /** Each record has two fields of the next one's type. */
  private def doubling(records: Int, name: String): String = {
    val chain = (1 to records).reverse.foldLeft("\"int\"") { (next, i) =>
      val again = if (i == records) next else s""""R${i + 1}""""
      s"""{"type":"record","name":"R$i","fields":[{"name":"$name","type":$next},{"name":"b","type":$again}]}"""
    }
    s"""{"type":"record","name":"T","fields":[{"name":"a","type":"int"},{"name":"d","type":["null",$chain]}]}"""
  }

  test("records that multiply, with long names, take little memory") {
    val threads = ManagementFactory.getThreadMXBean.asInstanceOf[com.sun.management.ThreadMXBean]
    val schema = doubling(100, "n" * 300)
    val before = threads.getCurrentThreadAllocatedBytes
    val made = decoder(AvroFormat, columns, columns, new MapRegistry(Map(1 -> schema)))
    assert(decode(made, columns, WireFormat.header(1) ++ Array[Byte](2, 0)) == Seq(1))
    val megabytes = (threads.getCurrentThreadAllocatedBytes - before) >> 20
    assert(megabytes < 100, s"$megabytes MB")
  }

  test("an error in such a record has the field's path") {
    val reason = read(doubling(3, "x"), Array[Byte](2, 2, 2, 2)).left.getOrElse(fail())
    assert(reason.startsWith("field d.x.b.x: "), reason)
  }

  test("a schema's records may be nested to any depth") {
    val chain = (1 to 2500).reverse.map { i =>
      val next = if (i == 2500) "\"int\"" else s""""R${i + 1}""""
      s"""{"type":"record","name":"R$i","fields":[{"name":"x","type":["null",$next]}]}"""
    }
    val schema = s"""{"type":"record","name":"T","fields":[{"name":"a","type":"int"},
      {"name":"all","type":{"type":"array","items":[${chain.mkString(",")}]}},{"name":"d","type":["null","R1"]}]}"""
    assert(read(schema, Array[Byte](2, 0, 0)) == Right(Seq(1)))
  }

  test("compiled passes over wide records that contain themselves") {
    val fields = (0 until 12).map(i => s"""{"name":"f$i","type":["null","long"]}""").mkString(",")
    val cycle = (0 until 60).foldLeft("\"T\"") { (next, i) =>
      s"""{"type":"record","name":"Q$i","fields":[$fields,{"name":"n","type":["null",$next]}]}"""
    }
    val schema =
      s"""{"type":"record","name":"T","fields":[{"name":"a","type":"int"},{"name":"n","type":["null",$cycle]}]}"""
    val around = Array[Byte](2, 2) ++ Array.fill(60)(new Array[Byte](12) :+ 2.toByte).flatten
    def cycles(n: Int) = Array.fill(n)(around).flatten ++ Array[Byte](2, 0)
    val made = decoder(AvroFormat, columns, columns, new MapRegistry(Map(1 -> schema)))
    (0 until 2500).foreach(_ => assert(decode(made, columns, WireFormat.header(1) ++ cycles(3)) == Seq(1)))
    refused(read(made, cycles(2000)))
    assert(read(made, cycles(3)) == Right(Seq(1)))
  }

  test("a schema or value that is nested deeper than the stack reaches is bad") {
    val schemas = new WriterSchemas[String](new MapRegistry(Map(1 -> "{}")))(_ => throw new StackOverflowError)
    val reason = intercept[BadBytes](schemas.of(WireFormat.header(1), 0, 5)).reason
    assert(reason.contains("nested too deep"))
    assert(BadBytes.unapply(new StackOverflowError).exists(_.reason.contains("nested too deep")))
    assert(BadBytes.unapply(new OutOfMemoryError).isEmpty)
  }

  test("microseconds of a day are a TIME, other numbers are none") {
    def time(micros: Long) = {
      val out = new java.io.ByteArrayOutputStream
      org.apache.avro.io.EncoderFactory.get.directBinaryEncoder(out, null).writeLong(micros)
      val in = new ByteReader
      in.reset(out.toByteArray, 0, out.size)
      AvroReaders.MicrosTimeReader.read(in)
    }
    assert(time(0) == 0L && time(86399999999L) == 86399999999000L)
    Seq(-5L, 86400000000L, Long.MaxValue).foreach(n => intercept[BadBytes](time(n)))
  }
}
