package io.kafkalyst.formats

import com.fasterxml.jackson.core.{JsonFactory, JsonFactoryBuilder, JsonParser, JsonToken}
import com.fasterxml.jackson.core.{JsonProcessingException, StreamReadConstraints, StreamReadFeature}
import org.apache.spark.sql.catalyst.InternalRow

/**
 * Reads the asked columns from one JSON value straight from the record's bytes; what nobody asked for is only passed
 * over. Of fields with the same name the last counts; a byte order mark before the value is let pass.
 *
 * @param wrapped whether the value is an object of the columns
 * @param shape   what a schema says of the value
 *
 * Errors: [[BadBytes]] for no bytes, what is no JSON, more after the value, and values that do not fit their column,
 * with the path of the field.
 */
private[formats] final class JsonDecoder(request: DecodeRequest, wrapped: Boolean, shape: JsonShape) extends Decoder {
  private val factory = JsonDecoder.factory
  private val targets = request.targets
  private val strictness = JsonStrictness.of(request.format)
  private val root: JsonReader =
    if (wrapped) {
      val asked = request.declared.map(c => targets.find(_.name == c.name).orNull)
      val shapes = JsonShape.fields(shape, request.declared.map(_.name))
      val readers = asked.zip(shapes).map { case (t, s) =>
        if (t == null) null else JsonReaders.of(t.dataType, s, strictness)
      }
      val ordinals = asked.map(t => if (t == null) -1 else t.ordinal)
      new JsonFields(request.declared.map(_.name), readers.toArray, ordinals.toArray, strictness)
    } else JsonReaders.of(targets.head.dataType, shape, strictness)
  private val ordinal = targets.head.ordinal

  override def decode(bytes: Array[Byte], offset: Int, length: Int, row: InternalRow): Unit = {
    if (length == 0) throw new BadBytes("no bytes at all; a JSON value without content is written as null")
    var parser: JsonParser = null
    try {
      parser = factory.createParser(bytes, offset, length)
      val first = parser.nextToken()
      if (first == null) throw new BadBytes("no JSON value in the bytes")
      if (first == JsonToken.VALUE_NULL) targets.foreach(t => row.setNullAt(t.ordinal))
      else root.into(parser, row, ordinal)
      if (parser.nextToken() != null) throw new BadBytes(s"more after the JSON value, ${JsonPath.place(parser)}")
    } catch {
      case e: JsonProcessingException =>
        val at = if (e.getLocation == null) "" else s", at byte ${math.max(0L, e.getLocation.getByteOffset)}"
        throw new BadBytes(s"no valid JSON$at: ${e.getOriginalMessage}", e)
      case e: java.io.IOException => throw new BadBytes(s"no valid JSON: ${e.getMessage}", e)
    } finally if (parser != null) parser.close()
  }
}

private[formats] object JsonDecoder {
  // Shared by all decoders of the JVM: it holds the table of field names that were met.
  val factory: JsonFactory = {
    // Any string may be as long as its record.
    val limits = StreamReadConstraints.builder().maxStringLength(Int.MaxValue).build()
    new JsonFactoryBuilder()
      .disable(StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION)
      .enable(StreamReadFeature.USE_FAST_DOUBLE_PARSER)
      .enable(StreamReadFeature.USE_FAST_BIG_NUMBER_PARSER)
      .streamReadConstraints(limits)
      .build()
  }
}

/** Where a parser stands, in the user's words. */
private[formats] object JsonPath {

  /** The path of the current value: `a.b[2]`; empty at the root. */
  def of(parser: JsonParser): String = {
    val path = new StringBuilder
    // At the start of an object or array the parser is already within.
    val within = parser.getParsingContext
    var context = if (parser.currentToken.isStructStart) within.getParent else within
    while (context != null && !context.inRoot) {
      val step = if (context.inArray) s"[${context.getCurrentIndex}]" else s".${context.getCurrentName}"
      path.insert(0, step)
      context = context.getParent
    }
    path.toString.stripPrefix(".")
  }

  def place(parser: JsonParser): String = s"at byte ${parser.currentTokenLocation.getByteOffset}"
}
