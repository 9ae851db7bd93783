package io.kafkalyst.formats
package json

import io.kafkalyst.keys.CanonicalMaps
import io.kafkalyst.model.{Side, SideFormat}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.{StructField, StructType}

/**
 * Writes all columns in their order, null columns as null unless OMIT_NULLS. Decimals are plain numbers with their
 * scale, unless DECIMAL_FORM. In a key, map entries are sorted by the bytes of their keys.
 *
 * @param header  bytes before the JSON value
 * @param wrapped whether the value is an object of the columns
 * @param shape   the schema's description of the value; a null column that is neither nullable nor required is omitted
 *
 * Errors: KafkalystTaskException VALUE_NOT_WRITABLE for values that the schema rejects, and for NaN in a key that
 * contains a MAP; thrown when built if every row is affected.
 */
private[formats] final class JsonEncoder(
    request: EncodeRequest,
    header: Array[Byte],
    wrapped: Boolean,
    shape: JsonShape
) extends Encoder {
  private val sources = request.sources
  private val ordinal = sources.head.ordinal
  private val out = new JsonOutput
  private val build = new JsonWriterBuilder(
    canonical = request.side == Side.Key && sources.exists(s => CanonicalMaps.holdsMap(s.dataType)),
    request.format.options.get(SideFormat.timestampStandard),
    omitsNulls = request.format.isSet(SideFormat.omitNulls),
    shortDecimals = request.format.options.get(SideFormat.decimalForm).exists(_.equalsIgnoreCase(SideFormat.scientific))
  )
  private val bare: JsonWriter =
    if (wrapped) null else NotWritable.guard(request)(build.of(sources.head.dataType, sources.head.name, shape))
  private val fields: JsonObject =
    if (!wrapped) null
    else {
      val columns = StructType(sources.map(s => StructField(s.name, s.dataType)))
      NotWritable.guard(request)(build.fields(columns, "", shape))
    }
  private val ordinals = sources.map(_.ordinal)

  override def encode(row: InternalRow): Array[Byte] =
    if (!wrapped && row.isNullAt(ordinal)) null
    else
      NotWritable.guard(request) {
        out.clear()
        out.writeRaw(header)
        if (wrapped) fields.write(out, row, ordinals) else bare.write(out, row, ordinal)
        out.toArray
      }
}
