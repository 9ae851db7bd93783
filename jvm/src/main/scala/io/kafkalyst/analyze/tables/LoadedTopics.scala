package io.kafkalyst.analyze.tables

import io.kafkalyst.analyze.sinks.DerivedOutput
import io.kafkalyst.catalog.{Detached, TopicTable}
import io.kafkalyst.catalog.cluster.UnreadableTopic
import io.kafkalyst.lake.History
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.plans.logical.{LeafNode, LogicalPlan}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.streaming.StreamingRelationV2
import org.apache.spark.sql.connector.catalog.Table
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import scala.jdk.CollectionConverters._

/**
 * Wraps topics that Spark itself loaded from a catalog, as `spark.table` does if no rule ran before, so that table rows
 * and computed columns are the same as in a SELECT.
 */
final class LoadedTopics(session: SparkSession) extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperatorsUp {
    case r: DataSourceV2Relation => wrapped(r, r.table, r.options, r.catalog.isEmpty)
    case r: StreamingRelationV2 => wrapped(r, r.table, r.extraOptions, r.catalog.isEmpty)
  }

  /** @param isReaders whether the options are those of `spark.read.format(…)`, without a catalog */
  private def wrapped(
      leaf: LeafNode,
      table: Table,
      options: CaseInsensitiveStringMap,
      isReaders: Boolean
  ): LogicalPlan = table match {
    case of: TopicTable if !LoadedTopics.isPlain(options) =>
      if (isReaders) TopicTable.checkOptions(options.asScala.toMap)
      val marked = new CaseInsensitiveStringMap((options.asScala ++ LoadedTopics.plain).asJava)
      val hasRange = leaf.isStreaming || options.asScala.keys.exists(TopicTable.edgeOf(_).isDefined)
      val history = if (hasRange) None else History.of(session, of.name, of.topic, of.admin)
      val loaded = leaf.makeCopy(leaf.productIterator.map {
        case given: CaseInsensitiveStringMap if given == options => marked
        case `of` if history.isDefined => of.as(history.get.rest)
        case other => other.asInstanceOf[AnyRef]
      }.toArray)
      val relation = if (history.isDefined) Detached(loaded) else loaded
      val begun = if (leaf.isStreaming) History.ofStream(session, relation) else relation
      // Spark may have resolved hidden columns before this rule, by the ids of the relation that it loaded.
      TopicRelation(begun, of.topic, DerivedOutput(session, of.topic, begun), history, leaf.metadataOutput)
    case unread: UnreadableTopic if !LoadedTopics.isPlain(options) => throw unread.reason
    case _ => leaf
  }
}

object LoadedTopics {
  private val option = "__kafkalyst.plain"

  /** Marks a relation that stays as Spark loads it; the source ignores this option. */
  val plain: Map[String, String] = Map(option -> "true")

  def isPlain(options: CaseInsensitiveStringMap): Boolean = options.containsKey(option)
}
