package io.kafkalyst.formats
package avro

import java.io.{ByteArrayOutputStream, IOException}

import io.kafkalyst.formats.json.JsonTexts
import io.kafkalyst.model.SideFormat
import org.apache.avro.{AvroRuntimeException, Schema}
import org.apache.avro.generic.{GenericDatumReader, GenericDatumWriter}
import org.apache.avro.io.{DecoderFactory, EncoderFactory}

/**
 * Converts Avro's JSON encoding, where a value of a union names its type as in `{"id":{"int":1}}`, to and from the
 * binary encoding. Not thread-safe.
 */
private[avro] final class AvroJson(schema: Schema) {
  private val reader = new GenericDatumReader[Any](schema)
  private val writer = new GenericDatumWriter[Any](schema)

  /** @throws BadBytes if the text is not exactly one value of the schema */
  def binary(json: Array[Byte], offset: Int, length: Int): Array[Byte] = {
    // Checks the whole text: Avro's decoder ignores trailing bytes, and takes the first of several fields of the same
    // name.
    val in = JsonTexts.tree(json, offset, length).toString
    try {
      val out = new ByteArrayOutputStream
      val encoder = EncoderFactory.get().directBinaryEncoder(out, null)
      writer.write(reader.read(null, DecoderFactory.get().jsonDecoder(schema, in)), encoder)
      out.toByteArray
    } catch {
      case e @ (_: AvroRuntimeException | _: IOException | _: ClassCastException) =>
        throw new BadBytes(s"it is not JSON of its Avro schema: ${e.getMessage}", e)
    }
  }

  def json(binary: Array[Byte]): Array[Byte] = {
    val out = new ByteArrayOutputStream
    val encoder = EncoderFactory.get().jsonEncoder(schema, out)
    writer.write(reader.read(null, DecoderFactory.get().binaryDecoder(binary, null)), encoder)
    encoder.flush()
    out.toByteArray
  }
}

private[avro] object AvroJson {
  def is(as: SideFormat): Boolean = as.options.get(SideFormat.avroEncoding).exists(_.equalsIgnoreCase("json"))
}
