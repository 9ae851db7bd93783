package io.kafkalyst.formats
package avro

import scala.util.Random

import io.kafkalyst.model.Side
import org.apache.avro.Schema
import org.apache.avro.generic.{GenericData, GenericDatumReader}
import org.apache.avro.io.DecoderFactory
import org.scalatest.funsuite.AnyFunSuite

/** Our Avro against Avro's own generic reader and writer, over random schemas and records. */
class AvroRoundTripSuite extends AnyFunSuite {
  import AvroOracle.write
  import FormatTesting._

  // Avro 1.12.0's own arrays of doubles keep them as floats.
  private val plainArrays = new GenericData {
    override def newArray(old: Any, size: Int, schema: Schema): AnyRef = new GenericData.Array[Any](size, schema)
  }

  private def read(schema: Schema, bytes: Array[Byte]): Any =
    new GenericDatumReader[Any](schema, schema, plainArrays).read(
      null,
      DecoderFactory.get().binaryDecoder(bytes, 5, bytes.length - 5, null)
    )

  private def samples(seed: Int, schemas: Int, each: Int)(check: (Random, Schema, Any) => Unit): Unit = {
    val r = new Random(seed)
    (0 until schemas).foreach { _ =>
      val random = new AvroOracle.RandomAvro(r)
      val schema = random.record(2)
      (0 until each).foreach(_ => check(r, schema, random.value(schema)))
    }
  }

  private def columnsOf(schema: Schema) = columnsIn(AvroFormat, schema.toString, Side.Value)

  test("all columns are read as Avro's generic reader reads them") {
    samples(seed = 1, schemas = 400, each = 30) { (r, schema, record) =>
      // Fixed of no size and their like hold nothing, but are columns.
      val columns = columnsOf(schema)
      val decode1 = decoder(AvroFormat, columns, columns, new MapRegistry(Map(7 -> schema.toString)))
      val got = decode(decode1, columns, framed(7, write(schema, record, r.nextBoolean())))
      assert(got == AvroOracle.plain(record, schema), schema.toString)
    }
  }

  test("any part of the columns in any order is read the same") {
    samples(seed = 2, schemas = 400, each = 15) { (r, schema, record) =>
      val columns = columnsOf(schema)
      val asked = r.shuffle(columns).take(1 + r.nextInt(columns.size))
      val partial = decoder(AvroFormat, columns, asked, new MapRegistry(Map(7 -> schema.toString)))
      val got = decode(partial, asked, framed(7, write(schema, record, r.nextBoolean())))
      val all = columns.map(_.name).zip(AvroOracle.plain(record, schema).asInstanceOf[Seq[Any]]).toMap
      assert(got == asked.map(c => all(c.name)), schema.toString)
    }
  }

  test("what is written is read back by Avro's generic reader") {
    samples(seed = 3, schemas = 400, each = 30) { (_, schema, record) =>
      val columns = columnsOf(schema)
      val encode1 = encoder(AvroFormat, columns, new MapRegistry(Map(7 -> schema.toString)), Some(7))
      val values = AvroOracle.plain(record, schema).asInstanceOf[Seq[Any]]
      val bytes = encode1.encode(sparkRow(values, FormatTesting.schemaOf(columns)))
      assert(bytes.take(5).toSeq == Seq[Byte](0, 0, 0, 0, 7))
      assert(AvroOracle.plain(read(schema, bytes), schema) == values, schema.toString)
    }
  }

  test("every cut-off record is found, whatever is asked for") {
    samples(seed = 6, schemas = 150, each = 2) { (r, schema, record) =>
      val columns = columnsOf(schema)
      val asked = Seq(columns(r.nextInt(columns.size)))
      val one = decoder(AvroFormat, columns, asked, new MapRegistry(Map(7 -> schema.toString)))
      val bytes = framed(7, write(schema, record, blocking = false))
      bytes.indices.foreach(n => intercept[BadBytes](decode(one, asked, bytes.take(n))))
      intercept[BadBytes](decode(one, asked, bytes :+ 0.toByte))
    }
  }
}
