package io.kafkalyst.formats
package protobuf

import scala.util.Random

import com.google.protobuf.{DynamicMessage, UnknownFieldSet}
import com.google.protobuf.Descriptors.Descriptor
import io.kafkalyst.model.Side
import org.scalatest.funsuite.AnyFunSuite

/** Our Protobuf against Google's own runtime, over random schemas and messages. */
class ProtobufRoundTripSuite extends AnyFunSuite {
  import FormatTesting._

  private val mutations = 200000

  private def samples(
      seed: Int,
      schemas: Int,
      each: Int
  )(check: (Random, String, Descriptor, DynamicMessage) => Unit): Unit = {
    val r = new Random(seed)
    (0 until schemas).foreach { _ =>
      val random = new ProtoOracle.RandomProto(r)
      val (file, text) = random.schema()
      val descriptor = ProtoOracle.compiled(file)
      (0 until each).foreach(_ => check(r, text, descriptor, random.value(descriptor)))
    }
  }

  private def columnsOf(text: String) = columnsIn(ProtobufFormat, text, Side.Value)
  private def registry(text: String) = new MapRegistry(Map(7 -> text), "PROTOBUF")
  private def record(m: DynamicMessage) = framed(7, Array[Byte](0) ++ m.toByteArray)

  test("all columns are read as Google's runtime reads them") {
    samples(seed = 1, schemas = 400, each = 30) { (_, text, descriptor, m) =>
      val columns = columnsOf(text)
      assert(columns.map(_.name) == (0 until descriptor.getFields.size).map(descriptor.getFields.get(_).getName), text)
      assert(
        decode(decoder(ProtobufFormat, columns, columns, registry(text)), columns, record(m)) == ProtoOracle.plain(m),
        text
      )
    }
  }

  test("any part of the columns in any order is read the same") {
    samples(seed = 2, schemas = 300, each = 15) { (r, text, _, m) =>
      val columns = columnsOf(text)
      val asked = r.shuffle(columns).take(1 + r.nextInt(columns.size))
      val got = decode(decoder(ProtobufFormat, columns, asked, registry(text)), asked, record(m))
      val all = columns.map(_.name).zip(ProtoOracle.plain(m)).toMap
      assert(got == asked.map(c => all(c.name)), text)
    }
  }

  test("two pieces behind each other are read as merged, unknown fields and groups among them passed over") {
    samples(seed = 3, schemas = 200, each = 10) { (r, text, descriptor, first) =>
      val random = new ProtoOracle.RandomProto(r)
      val second = random.value(descriptor)
      val group = UnknownFieldSet.Field.newBuilder
        .addGroup(UnknownFieldSet.newBuilder.addField(1, UnknownFieldSet.Field.newBuilder.addVarint(5).build).build)
        .addFixed32(3).addLengthDelimited(com.google.protobuf.ByteString.copyFromUtf8("more"))
      val unknown = UnknownFieldSet.newBuilder.addField(77777, group.build).build.toByteArray
      val bytes = first.toByteArray ++ unknown ++ second.toByteArray
      val columns = columnsOf(text)
      val merged = DynamicMessage.parseFrom(descriptor, bytes)
      val got = decode(decoder(ProtobufFormat, columns, columns, registry(text)), columns, framed(7, 0.toByte +: bytes))
      assert(got == ProtoOracle.plain(merged), text)
    }
  }

  test("what is written is read back by Google's runtime") {
    samples(seed = 4, schemas = 400, each = 30) { (_, text, descriptor, m) =>
      val columns = columnsOf(text)
      val values = ProtoOracle.plain(m)
      val bytes = encoder(ProtobufFormat, columns, registry(text), Some(7)).encode(sparkRow(values, schemaOf(columns)))
      assert(bytes.take(6).toSeq == Seq[Byte](0, 0, 0, 0, 7, 0))
      assert(ProtoOracle.plain(DynamicMessage.parseFrom(descriptor, bytes.drop(6))) == values, text)
    }
  }

  test("a schema in its compiled form is the same as its text") {
    val r = new Random(9)
    (0 until 200).foreach { _ =>
      val random = new ProtoOracle.RandomProto(r)
      val (file, text) = random.schema()
      val form = java.util.Base64.getEncoder.encodeToString(file.toByteArray)
      val columns = columnsOf(text)
      assert(columnsOf(form) == columns, text)
      val m = random.value(ProtoOracle.compiled(file))
      assert(
        decode(decoder(ProtobufFormat, columns, columns, registry(form)), columns, record(m)) == ProtoOracle.plain(m)
      )
      val row = sparkRow(ProtoOracle.plain(m), schemaOf(columns))
      val written = Seq(text, form).map(s => encoder(ProtobufFormat, columns, registry(s), Some(7)).encode(row).toSeq)
      assert(written.distinct.size == 1)
      val broken = java.util.Base64.getEncoder.encodeToString(mutated(file.toByteArray, r))
      try columnsOf(broken)
      catch { case _: io.kafkalyst.errors.KafkalystException => }
    }
  }

  test("mutated bytes give a row or BadBytes, nothing else, and agree with Google's runtime on what is cut off") {
    val r = new Random(5)
    var done = 0
    var rows = 0
    while (done < mutations) samples(seed = 6 + done, schemas = 40, each = 5) { (_, text, descriptor, m) =>
      val columns = columnsOf(text)
      val one = decoder(ProtobufFormat, columns, columns, registry(text))
      (0 until 100).foreach { _ =>
        done += 1
        val bad = mutated(record(m), r)
        try {
          val row = decode(one, columns, bad)
          rows += 1
          if (bad.take(6).toSeq == Seq[Byte](0, 0, 0, 0, 7, 0)) agrees(text, descriptor, bad.drop(6), row)
        } catch { case _: BadBytes => }
      }
    }
    assert(rows > mutations / 20 && rows < mutations)
  }

  /** What we read, Google's runtime reads the same, but for its own limits and for enum numbers without a name. */
  private def agrees(text: String, descriptor: Descriptor, bytes: Array[Byte], row: Seq[Any]): Unit = {
    val parsed =
      try Some(DynamicMessage.parseFrom(descriptor, bytes))
      catch { case _: com.google.protobuf.InvalidProtocolBufferException => None }
    val known =
      try parsed.map(ProtoOracle.plain)
      catch { case _: Exception => None }
    known.foreach(k =>
      if (!k.toString.contains("UNKNOWN_ENUM") && text.contains("proto3")) assert(bits(k) == bits(row), text)
    )
  }

  /** Floats as their bits, as NaN is not equal to itself; decimals without their scale. */
  private def bits(value: Any): Any = value match {
    case d: Double => java.lang.Double.doubleToLongBits(d)
    case f: Float => java.lang.Float.floatToIntBits(f)
    case n: java.math.BigDecimal => n.stripTrailingZeros
    case s: Seq[_] => s.map(bits)
    // Google's runtime does not tell an entry without a value, NULL here, from one with its type's default.
    case m: Map[_, _] => m.map { case (k, v) => k -> Option(bits(v)).filterNot(defaults.contains) }
    case other => other
  }

  private val defaults = Set[Any](false, 0, 0L, "", Nil)

  test("every field's cut-off record is found") {
    samples(seed = 8, schemas = 100, each = 2) { (r, text, descriptor, m) =>
      val columns = columnsOf(text)
      val asked = Seq(columns(r.nextInt(columns.size)))
      val one = decoder(ProtobufFormat, columns, asked, registry(text))
      val bytes = record(m)
      bytes.indices.foreach { n =>
        val isWhole = n >= 6 && (try { DynamicMessage.parseFrom(descriptor, bytes.slice(6, n)); true }
        catch { case _: com.google.protobuf.InvalidProtocolBufferException => false })
        val read =
          try { decode(one, asked, bytes.take(n)); true }
          catch { case _: BadBytes => false }
        assert(read == isWhole, s"$n of ${bytes.length} bytes of $text")
      }
    }
  }
}
