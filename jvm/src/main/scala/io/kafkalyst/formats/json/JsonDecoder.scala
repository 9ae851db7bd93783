package io.kafkalyst.formats
package json

import io.kafkalyst.model.SideFormat
import org.apache.spark.sql.catalyst.InternalRow

/**
 * Reads the required columns of one JSON value directly from the record's bytes; other fields are only skipped. The
 * last of several fields with the same name wins; a byte order mark before the value is ignored.
 *
 * @param wrapped whether the value is an object of the columns
 * @param shape   the schema's description of the value
 *
 * Errors: [[BadBytes]] for empty bytes, invalid JSON, trailing content without COERCE, and values that do not fit their column, with
 * the path of the field.
 */
private[formats] final class JsonDecoder(request: DecodeRequest, wrapped: Boolean, shape: JsonShape) extends Decoder {
  private val targets = request.targets
  private val root: JsonReader =
    if (wrapped) JsonDecoder.fields(request, shape)
    else JsonReaders.of(targets.head.dataType, shape, JsonStrictness.of(request, shape))
  private val ordinal = targets.head.ordinal

  private val input = new JsonInput(request.format.isSet(SideFormat.coerce))

  override def decode(bytes: Array[Byte], offset: Int, length: Int, row: InternalRow): Unit = {
    input.begin(bytes, offset, length)
    if (JsonReader.isNull(input)) targets.foreach(t => row.setNullAt(t.ordinal))
    else root.into(input, row, ordinal)
    input.end()
  }
}

private[formats] object JsonDecoder {

  /** Reads an object of the columns. */
  def fields(request: DecodeRequest, shape: JsonShape): JsonReader = {
    val strictness = JsonStrictness.of(request, shape)
    val asked = request.declared.map(c => request.targets.find(_.name == c.name).orNull)
    val shapes = JsonShape.fields(shape, request.declared.map(_.name))
    val readers = asked.zip(shapes).map { case (t, s) =>
      if (t == null) null else JsonReaders.of(t.dataType, s, strictness)
    }
    val ordinals = asked.map(t => if (t == null) -1 else t.ordinal)
    new JsonFields(request.declared.map(_.name), readers.toArray, ordinals.toArray, strictness)
  }
}
