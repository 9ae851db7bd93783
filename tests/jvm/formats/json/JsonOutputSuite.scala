package io.kafkalyst.formats
package json

import java.io.ByteArrayOutputStream

import scala.util.Random

import com.fasterxml.jackson.core.{JsonFactoryBuilder, JsonGenerator, StreamWriteFeature}
import org.apache.spark.unsafe.types.UTF8String
import org.scalatest.funsuite.AnyFunSuite

/** The bytes are those that Jackson writes. */
class JsonOutputSuite extends AnyFunSuite {
  private val factory =
    new JsonFactoryBuilder()
      .enable(StreamWriteFeature.WRITE_BIGDECIMAL_AS_PLAIN)
      .enable(StreamWriteFeature.USE_FAST_DOUBLE_WRITER)
      .build()

  private def jackson(write: JsonGenerator => Unit): String = {
    val out = new ByteArrayOutputStream
    val g = factory.createGenerator(out)
    write(g)
    g.close()
    out.toString("UTF-8")
  }

  private def here(write: JsonOutput => Unit): String = {
    val out = new JsonOutput
    write(out)
    new String(out.toArray, "UTF-8")
  }

  test("strings") {
    val r = new Random(51)
    val all = (0 to 0x2ff) ++ Seq(0x20ac, 0xfffd, 0xffff, 0x10000, 0x1f600, 0x10ffff)
    (0 until 50000).foreach { _ =>
      val one = if (r.nextBoolean()) all else all.slice(32, 127)
      val text = Seq.fill(r.nextInt(40))(one(r.nextInt(one.size))).map(Character.toString).mkString
      assert(here(_.writeString(text)) == jackson(_.writeString(text)))
      assert(here { g =>
        g.startObject()
        g.field(JsonOutput.name(text))
        g.writeNull()
        g.field(UTF8String.fromString(text))
        g.writeBoolean(true)
        g.endObject()
      } == jackson { g =>
        g.writeStartObject()
        g.writeNullField(text)
        g.writeBooleanField(text, true)
        g.writeEndObject()
      })
    }
    val broken = UTF8String.fromBytes(Array(0x61, 0xff, 0x62).map(_.toByte))
    assert(here(_.writeString(broken)) == "\"a\ufffdb\"")
  }

  test("numbers") {
    val r = new Random(52)
    val doubles = Seq(0d, -0d, Double.NaN, Double.PositiveInfinity, Double.MinPositiveValue, Double.MaxValue, 1e7, 1e-3)
    (0 until 50000).foreach { _ =>
      val d =
        r.nextInt(10) match {
          case 0 => doubles(r.nextInt(doubles.size))
          case 1 | 2 => r.nextInt(30000001) - 15000000d
          case 3 => r.nextInt() / 100d
          case _ => java.lang.Double.longBitsToDouble(r.nextLong())
        }
      assert(here(_.writeDouble(d)) == jackson(_.writeNumber(d)))
      assert(here(_.writeFloat(d.toFloat)) == jackson(_.writeNumber(d.toFloat)))
      val n = if (r.nextInt(10) == 0) Seq(0L, Long.MinValue, Long.MaxValue, -1L)(r.nextInt(4))
      else r.nextLong() >> r.nextInt(64)
      assert(here(_.writeLong(n)) == jackson(_.writeNumber(n)))
      val scale = r.nextInt(19)
      assert(here(_.writeDecimal(n, scale)) == jackson(_.writeNumber(java.math.BigDecimal.valueOf(n, scale))))
    }
  }
}
