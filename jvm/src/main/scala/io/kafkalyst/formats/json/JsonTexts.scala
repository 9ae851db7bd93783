package io.kafkalyst.formats
package json

import io.kafkalyst.formats.bytes.PlainNumber

import java.io.{IOException, StringWriter}
import java.nio.charset.StandardCharsets.UTF_8

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.core.{JsonFactory, JsonFactoryBuilder, JsonGenerator, JsonParser, JsonToken}
import com.fasterxml.jackson.core.{JsonProcessingException, StreamReadConstraints}
import com.fasterxml.jackson.core.json.JsonReadFeature
import com.fasterxml.jackson.databind.{DeserializationFeature, JsonNode, ObjectReader}
import com.fasterxml.jackson.databind.cfg.JsonNodeFeature
import com.fasterxml.jackson.databind.json.JsonMapper

/** JSON texts: as trees, and as values of STRING columns. */
private[formats] object JsonTexts {

  private val factory: JsonFactory = {
    // A string or name may be as long as its record. A number may not, as parsing it takes quadratic time.
    val limits = StreamReadConstraints.builder()
      .maxStringLength(Int.MaxValue).maxNameLength(Int.MaxValue).maxNumberLength(PlainNumber.longest).build()
    new JsonFactoryBuilder().streamReadConstraints(limits).build()
  }

  // Numbers keep every digit, as the column may be a DECIMAL.
  private val objects: JsonMapper = JsonMapper.builder(factory)
    .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS, DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
    .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
    .build()
  private val trees: ObjectReader = objects.reader()

  private val controls = JsonReadFeature.ALLOW_UNESCAPED_CONTROL_CHARS.mappedFeature

  private val treesLikeFlink: ObjectReader =
    trees.without(DeserializationFeature.FAIL_ON_TRAILING_TOKENS).`with`(controls)

  /**
   * The single value of a text; of several fields of the same name, the last one wins.
   *
   * @param likeFlink as that of [[JsonInput]]
   * @throws BadBytes if it is not JSON, or more than one value
   */
  def tree(bytes: Array[Byte], offset: Int, length: Int, likeFlink: Boolean = false): JsonNode = {
    if (length == 0) throw new BadBytes("no bytes at all")
    val found =
      try (if (likeFlink) treesLikeFlink else trees).readTree(bytes, offset, length)
      catch {
        case e: JsonProcessingException => throw new BadBytes(s"no valid JSON: ${e.getOriginalMessage}", e)
        case e: IOException => throw new BadBytes(s"no valid JSON: ${e.getMessage}", e)
        case e: NumberFormatException => throw new BadBytes("a number whose exponent is too large", e)
      }
    if (found.isMissingNode) throw new BadBytes("no JSON value in the bytes")
    found
  }

  /** The compact text of a value that [[JsonInput]] has read; numbers keep every digit. */
  def of(value: Array[Byte]): String = {
    val p = factory.createParser(value).enable(controls)
    p.nextToken()
    written(p)
  }

  /** A value's text in ksqlDB: a list and a number as Java shows them, an object as JSON. */
  def inJava(value: Array[Byte]): String = shown(tree(value, 0, value.length))

  private def shown(node: JsonNode): String =
    if (node.isArray) node.elements().asScala.map(shown).mkString("[", ", ", "]")
    else if (node.isObject) objects.writeValueAsString(node)
    else node.asText

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
