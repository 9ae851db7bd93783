package io.kafkalyst.formats
package protobuf

import java.io.ByteArrayOutputStream

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.core.{JsonFactory, JsonGenerator, JsonProcessingException}
import com.fasterxml.jackson.databind.{DeserializationFeature, JsonNode, ObjectMapper}
import io.kafkalyst.formats.protobuf.ProtoInput.{delimited, fixed64, varint}
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters
import org.apache.spark.unsafe.types.UTF8String

/**
 * Protobuf's messages for values of any form (google/protobuf/struct.proto): Struct, ListValue and Value are a STRING
 * with the JSON text that they represent (Protobuf's JSON mapping). Their numbers are doubles.
 */
private[formats] object ProtoJson {
  private val struct = "google.protobuf.Struct"
  private val list = "google.protobuf.ListValue"
  private val value = "google.protobuf.Value"
  private val deepest = 100

  val messages: Set[String] = Set(struct, list, value)

  private val factory = new JsonFactory
  private val mapper = new ObjectMapper().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)

  private def tag(number: Int, kind: Int): Int = number << 3 | kind

  /** Reads such a message as JSON text. Pieces of one message are joined first, according to Protobuf's merge rules. */
  final class TextReader(name: String) extends ProtoMessageReader {
    private val pieces = new ByteArrayOutputStream
    private val own = new ProtoInput

    override def begin(in: ProtoInput): Unit = pieces.reset()

    override def merge(in: ProtoInput): Unit = pieces.writeBytes(in.readRest())

    override def end(in: ProtoInput): Any = {
      val bytes = pieces.toByteArray
      own.reset(bytes, 0, bytes.length)
      val text = new ByteArrayOutputStream(bytes.length + 16)
      val json = factory.createGenerator(text)
      name match {
        case `struct` => fields(json, 0)
        case `list` => items(json, 0)
        case _ => any(json, 0)
      }
      json.close()
      UTF8String.fromBytes(text.toByteArray)
    }

    private def each(depth: Int)(field: Int => Boolean): Unit = {
      if (depth > deepest) own.bad(s"values nested deeper than $deepest")
      var next = own.readTag()
      while (next != 0) {
        if (!field(next)) own.skip(next)
        next = own.readTag()
      }
    }

    private def within(read: => Unit): Unit = {
      val outer = own.enter()
      read
      own.leave(outer)
    }

    // Of several entries of the same key the last one wins.
    private def fields(json: JsonGenerator, depth: Int): Unit = {
      val entries = new java.util.LinkedHashMap[String, ProtoInput.Range]
      each(depth) { t =>
        val isEntry = t == tag(1, delimited)
        if (isEntry) within(entry(entries, depth))
        isEntry
      }
      json.writeStartObject()
      entries.forEach { (key, held) =>
        json.writeFieldName(key)
        if (held == null) json.writeNull() else own.visit(held)(any(json, depth + 1))
      }
      json.writeEndObject()
    }

    private def entry(entries: java.util.Map[String, ProtoInput.Range], depth: Int): Unit = {
      var key = ""
      var held: ProtoInput.Range = null
      each(depth) { t =>
        if (t == tag(1, delimited)) { key = own.readString().toString; true }
        else if (t == tag(2, delimited)) { held = own.pass(); true }
        else false
      }
      entries.put(key, held)
    }

    private def items(json: JsonGenerator, depth: Int): Unit = {
      json.writeStartArray()
      each(depth) { t =>
        val isItem = t == tag(1, delimited)
        if (isItem) within(any(json, depth + 1))
        isItem
      }
      json.writeEndArray()
    }

    // If a value has several kinds the last one wins; an empty value is null.
    private def any(json: JsonGenerator, depth: Int): Unit = {
      var write: () => Unit = () => json.writeNull()
      each(depth) { t =>
        t match {
          case t if t == tag(1, varint) =>
            own.readVarint()
            write = () => json.writeNull()
          case t if t == tag(2, fixed64) =>
            val n = java.lang.Double.longBitsToDouble(own.readFixed64())
            write = () => number(json, n)
          case t if t == tag(3, delimited) =>
            val text = own.readString().toString
            write = () => json.writeString(text)
          case t if t == tag(4, varint) =>
            val flag = own.readVarint() != 0
            write = () => json.writeBoolean(flag)
          case t if t == tag(5, delimited) || t == tag(6, delimited) =>
            val held = own.pass()
            write =
              () => own.visit(held)(if (t == tag(5, delimited)) fields(json, depth + 1) else items(json, depth + 1))
          case t => own.skip(t)
        }
        true
      }
      write()
    }

    private def number(json: JsonGenerator, n: Double): Unit =
      // Written as a whole number, -0.0 would lose its sign.
      if (n == Math.rint(n) && Math.abs(n) < 1e15 && java.lang.Double.compare(n, -0.0) != 0) json.writeNumber(n.toLong)
      else json.writeNumber(n)
  }

  /** Writes JSON text as such a message. */
  final class TextWriter(name: String, path: String) extends ProtoMessageWriter {
    override protected def fields(out: ProtoOutput, row: SpecializedGetters, ordinal: Int): Unit = {
      val json =
        try mapper.readTree(row.getUTF8String(ordinal).getBytes)
        catch { case e: JsonProcessingException => refuse(s"it is not JSON: ${e.getOriginalMessage}") }
      if (json.isMissingNode) refuse("it is not JSON, but blank")
      name match {
        case `struct` if json.isObject => members(out, json, 0)
        case `struct` => refuse("a JSON object is expected")
        case `list` if json.isArray => items(out, json, 0)
        case `list` => refuse("a JSON array is expected")
        case _ => any(out, json, 0)
      }
    }

    private def refuse(reason: String): Nothing = throw new NotWritable(path, reason)

    private def message(out: ProtoOutput, number: Int)(write: => Unit): Unit = {
      out.writeTag(number, delimited)
      val start = out.open()
      write
      out.close(start)
    }

    private def members(out: ProtoOutput, json: JsonNode, depth: Int): Unit =
      json.properties.asScala.foreach { member =>
        message(out, 1) {
          out.writeTag(1, delimited)
          out.writeBytes(member.getKey.getBytes("UTF-8"))
          message(out, 2)(any(out, member.getValue, depth + 1))
        }
      }

    private def items(out: ProtoOutput, json: JsonNode, depth: Int): Unit =
      json.elements.asScala.foreach(item => message(out, 1)(any(out, item, depth + 1)))

    private def any(out: ProtoOutput, json: JsonNode, depth: Int): Unit = {
      if (depth > deepest) refuse(s"it is nested deeper than $deepest")
      if (json.isObject) message(out, 5)(members(out, json, depth))
      else if (json.isArray) message(out, 6)(items(out, json, depth))
      else if (json.isTextual) {
        out.writeTag(3, delimited)
        out.writeBytes(json.asText.getBytes("UTF-8"))
      } else if (json.isBoolean) {
        out.writeTag(4, varint)
        out.writeVarint(if (json.asBoolean) 1 else 0)
      } else if (json.isNumber) {
        if (json.doubleValue.isInfinite) refuse("it has a number that is larger than any DOUBLE")
        out.writeTag(2, fixed64)
        out.writeFixed64(java.lang.Double.doubleToRawLongBits(json.doubleValue))
      } else {
        out.writeTag(1, varint)
        out.writeVarint(0)
      }
    }
  }
}
