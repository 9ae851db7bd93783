package io.kafkalyst.formats
package json

import java.io.StringWriter
import java.nio.charset.StandardCharsets.UTF_8

import com.fasterxml.jackson.core.{JsonFactory, JsonFactoryBuilder, JsonGenerator, JsonParser, JsonToken}
import com.fasterxml.jackson.core.{JsonProcessingException, StreamReadConstraints}

/** JSON values in STRING columns, as their JSON text. */
private[formats] object JsonTexts {

  val factory: JsonFactory = {
    // Any string, name or number may be as long as its record.
    val limits = StreamReadConstraints.builder()
      .maxStringLength(Int.MaxValue).maxNameLength(Int.MaxValue).maxNumberLength(Int.MaxValue).build()
    new JsonFactoryBuilder().streamReadConstraints(limits).build()
  }

  /** A value's compact text; numbers keep every digit. */
  def of(value: Array[Byte]): String = {
    val p = factory.createParser(value)
    p.nextToken()
    written(p)
  }

  private def written(p: JsonParser): String = {
    val out = new StringWriter
    val g = factory.createGenerator(out)
    copy(p, g)
    g.close()
    out.toString
  }

  /**
   * Writes a text as the JSON value it represents.
   *
   * @throws NotWritable if the text is not a JSON value
   */
  def write(out: JsonOutput, text: String, path: String): Unit = {
    def no = throw new NotWritable(path, "the schema takes a value of any type there, so the STRING must be JSON text")
    // Fully parsed before anything is written.
    val whole =
      try {
        val p = factory.createParser(text)
        if (p.nextToken() == null) no
        val copied = written(p)
        if (p.nextToken() != null) no
        copied
      } catch { case _: JsonProcessingException => no }
    out.writeRaw(whole.getBytes(UTF_8))
  }

  private def copy(p: JsonParser, g: JsonGenerator): Unit = {
    var depth = 0
    do {
      p.currentToken match {
        case JsonToken.START_OBJECT =>
          g.writeStartObject()
          depth += 1
        case JsonToken.START_ARRAY =>
          g.writeStartArray()
          depth += 1
        case JsonToken.END_OBJECT =>
          g.writeEndObject()
          depth -= 1
        case JsonToken.END_ARRAY =>
          g.writeEndArray()
          depth -= 1
        case JsonToken.FIELD_NAME => g.writeFieldName(p.currentName)
        case JsonToken.VALUE_STRING => g.writeString(p.getText)
        // Written as text: a double would lose digits.
        case JsonToken.VALUE_NUMBER_INT | JsonToken.VALUE_NUMBER_FLOAT => g.writeNumber(p.getText)
        case JsonToken.VALUE_TRUE => g.writeBoolean(true)
        case JsonToken.VALUE_FALSE => g.writeBoolean(false)
        case _ => g.writeNull()
      }
      if (depth > 0) p.nextToken()
    } while (depth > 0)
  }
}
