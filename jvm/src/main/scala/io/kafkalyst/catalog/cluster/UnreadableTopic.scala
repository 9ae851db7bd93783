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
 * A topic whose columns cannot be determined. Exists because Spark loads every table for a listing, which one such
 * topic must not fail. Reading or writing it throws the reason.
 *
 * @param reason why the columns cannot be determined
 * @param made   creates the table once the columns are known
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

  /** The same topic with the columns that a statement's properties determine. */
  def as(topic: TopicObject): TopicTable = made(topic)

  override def newScanBuilder(options: CaseInsensitiveStringMap): ScanBuilder = throw reason

  override def newWriteBuilder(info: LogicalWriteInfo): WriteBuilder = throw reason
}
