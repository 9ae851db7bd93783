package io.kafkalyst.formats
package raw

import java.util.Locale

import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.model.{Side, SideFormat, TopicColumn}
import org.apache.spark.sql.catalyst.InternalRow

/** NONE: a side without columns. Its bytes are ignored when read and null when written. */
object NoneFormat extends Format {
  override def name: String = SideFormat.none

  override def wrapping: Wrapping = Wrapping.Never

  /** Rejects any column: KafkalystException UNSUPPORTED_COLUMN_COUNT. */
  override def validate(side: Side, columns: Seq[TopicColumn], as: SideFormat): Unit = if (columns.nonEmpty) {
    throw KafkalystException(
      "UNSUPPORTED_COLUMN_COUNT",
      "format" -> name,
      "side" -> side.name,
      "allowed" -> "no column",
      "columns" -> columns.map(_.name).mkString(", "),
      "hint" -> s"Choose a format with ${side.name.toUpperCase(Locale.ROOT)}_FORMAT, or leave the columns out."
    )
  }

  override def decoder(request: DecodeRequest): Decoder = new Decoder {
    private val ordinals = request.targets.map(_.ordinal)
    override def decode(bytes: Array[Byte], offset: Int, length: Int, row: InternalRow): Unit =
      ordinals.foreach(row.setNullAt)
  }

  override def encoder(request: EncodeRequest): Encoder = (_: InternalRow) => null
}
