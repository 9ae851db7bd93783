package io.kafkalyst.formats
package json

import java.io.IOException
import java.nio.charset.StandardCharsets.UTF_8
import java.time.ZoneOffset

import org.apache.spark.sql.types.VariantType
import org.apache.spark.types.variant.{Variant, VariantBuilder, VariantSizeLimitException}
import org.apache.spark.unsafe.types.VariantVal

/** JSON values of any form as Spark's VARIANT. */
private[json] object JsonVariants {

  /** If an object has a field twice, the last one wins, as in a STRUCT. */
  object Reader extends JsonReader {
    override def read(p: JsonInput): Any = {
      val (at, level) = (p.at, p.level)
      p.skip()
      try {
        val variant = VariantBuilder.parseJson(new String(p.since(at), UTF_8), true)
        new VariantVal(variant.getValue, variant.getMetadata)
      } catch {
        case _: IOException | _: VariantSizeLimitException =>
          p.backTo(at, level)
          p.mismatch(VariantType.sql)
      }
    }
  }

  /** Times are written in UTC, bytes in base64. */
  val writer: JsonWriter = (g, row, i) => {
    val value = row.getVariant(i)
    g.writeRaw(new Variant(value.getValue, value.getMetadata).toJson(ZoneOffset.UTC).getBytes(UTF_8))
  }
}
