package io.kafkalyst.catalog.cluster

import java.{util => ju}

import io.kafkalyst.catalog.TopicTable
import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.model.TopicObject
import org.apache.spark.sql.connector.catalog._
import org.apache.spark.sql.connector.read.ScanBuilder
import org.apache.spark.sql.connector.write.{LogicalWriteInfo, WriteBuilder}
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/**
 * A topic whose columns cannot be known, so that one such topic breaks no listing, for which Spark loads every table.
 * Whoever reads or writes it gets the reason.
 *
 * @param reason why its columns are not known
 * @param made   the table once they are
 */
private[kafkalyst] final class UnreadableTopic(
    override val name: String,
    val reason: KafkalystException,
    made: TopicObject => TopicTable
) extends Table
    with SupportsRead
    with SupportsWrite {

  override val schema: StructType = new StructType

  override def columns(): Array[Column] = Array.empty

  override def capabilities(): ju.Set[TableCapability] = TopicTable.capabilities

  /** The same topic with the columns that a statement's properties tell. */
  def as(topic: TopicObject): TopicTable = made(topic)

  override def newScanBuilder(options: CaseInsensitiveStringMap): ScanBuilder = throw reason

  override def newWriteBuilder(info: LogicalWriteInfo): WriteBuilder = throw reason
}
