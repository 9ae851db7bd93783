package io.kafkalyst.write

import java.util.Optional

import org.apache.kafka.clients.consumer.OffsetAndMetadata

/**
 * The mark that a task stores in the transaction of its rows: the batch number as the offset, the rest as metadata
 * text.
 *
 * @param tasks   how many tasks wrote the batch
 * @param rows    how many records the task wrote
 * @param digest  sum of the hashes of their keys, or of their values for records without a key
 * @param schemas the ids of the schemas by which the digested bytes were encoded, by side; None without schemas
 */
final case class EpochMark(epoch: Long, tasks: Int, rows: Long, digest: Long, schemas: Option[String] = None) {

  /** Whether a Kafkalyst write stored the mark, not another client or a tool that moves offsets. */
  private[write] def isOurs: Boolean = tasks > 0

  private[write] def asOffset: OffsetAndMetadata =
    new OffsetAndMetadata(
      epoch,
      Optional.empty[Integer],
      s"tasks=$tasks rows=$rows digest=${digest.toHexString}" + schemas.fold("")(ids => s" schemas=$ids")
    )

  /**
   * Whether the task would write the same records again. Another version of a schema encodes the same record to other
   * bytes, and then only the numbers of records are compared.
   */
  private[write] def isRepeatedBy(now: EpochMark): Boolean =
    rows == now.rows && (digest == now.digest || schemas.zip(now.schemas).exists { case (old, ids) => old != ids })
}

object EpochMark {
  private val text = """tasks=(\d+) rows=(\d+) digest=([0-9a-f]+)(?: schemas=(\S+))?""".r

  private[write] def of(offset: OffsetAndMetadata): Option[EpochMark] = Option(offset).map { o =>
    o.metadata match {
      case text(tasks, rows, digest, schemas) =>
        val sum = java.lang.Long.parseUnsignedLong(digest, 16)
        EpochMark(o.offset, tasks.toInt, rows.toLong, sum, Option(schemas))
      case _ => EpochMark(o.offset, 0, 0L, 0L)
    }
  }
}
