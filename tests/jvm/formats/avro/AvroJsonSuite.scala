package io.kafkalyst.formats
package avro

import io.kafkalyst.formats.FormatTesting._
import io.kafkalyst.model.SideFormat
import org.apache.spark.sql.types._
import org.scalatest.funsuite.AnyFunSuite

/** Avro's JSON encoding: one whole JSON value per record. */
class AvroJsonSuite extends AnyFunSuite {
  private val columns = value("a" -> IntegerType, "d" -> DoubleType)

  private def read(json: String): Seq[Any] = decode(
    decoder(AvroNosrFormat, columns, columns, options = Map(SideFormat.avroEncoding -> "json")),
    columns,
    json.getBytes("UTF-8")
  )

  test("a record is one JSON value, with nothing behind it and nothing missing") {
    val whole = """{"a":{"int":1},"d":{"double":100.50}}"""
    assert(read(whole) == Seq(1, 100.5))
    assert(read(s" $whole\n") == Seq(1, 100.5))
    Seq(s"$whole x", s"$whole {}", whole.dropRight(1), whole.dropRight(2), "", " ", "1", "{}").foreach { json =>
      assert(intercept[BadBytes](read(json)).reason.nonEmpty, json)
    }
  }

  test("of a field that is there twice the last counts") {
    assert(read("""{"a":{"int":1},"d":null,"a":{"int":2}}""") == Seq(2, null))
    assert(read("""{"d":null,"a":{"int":1,"int":3}}""") == Seq(3, null))
  }
}
