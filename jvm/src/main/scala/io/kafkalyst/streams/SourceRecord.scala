package io.kafkalyst.streams

import io.kafkalyst.metadata.PseudoColumns
import io.kafkalyst.model.{TopicColumn, TopicObject}
import io.kafkalyst.write.SinkColumns
import org.apache.spark.sql.catalyst.expressions.{Alias, Attribute, NamedExpression}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.types.{Metadata, MetadataBuilder}

/** The record from which a row was made, so that errors can name it: INT partition and BIGINT offset in one topic. */
final case class SourceRecord(topic: String, partition: Attribute, offset: Attribute) {
  def attributes: Seq[Attribute] = Seq(partition, offset)

  /** The columns with which a sink's errors name the record. */
  def columns: Seq[NamedExpression] = {
    val mark = new MetadataBuilder().putString(SinkColumns.sourceTopic, topic).build()
    Seq(SinkColumns.sourcePartition -> partition, SinkColumns.sourceOffset -> offset).map { case (name, a) =>
      Alias(a, name)(explicitMetadata = Some(mark))
    }
  }
}

object SourceRecord {

  /** Whether a column is one of [[SourceRecord.columns]]. */
  def isPart(metadata: Metadata): Boolean = metadata.contains(SinkColumns.sourceTopic)

  /**
   * @param exposed a read of the topic with its metadata columns
   * @return None if the object has several topics, or a column of the topic hides a pseudo column
   */
  def of(exposed: LogicalPlan, topic: TopicObject): Option[SourceRecord] = for {
    name <- if (topic.isOne) topic.topics.headOption else None
    partition <- pseudo(PseudoColumns.rowPartition, exposed, topic)
    offset <- pseudo(PseudoColumns.rowOffset, exposed, topic)
  } yield SourceRecord(name, partition, offset)

  /** None if a column of the topic has this name. */
  private[streams] def pseudo(column: TopicColumn, exposed: LogicalPlan, topic: TopicObject): Option[Attribute] =
    exposed.output.find(a => a.name == column.name && !topic.columns.exists(_.name.equalsIgnoreCase(a.name)))
}
