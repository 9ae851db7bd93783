package io.kafkalyst.query

import io.kafkalyst.catalog.TopicTable
import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.formats.KafkaFormat
import io.kafkalyst.joins.ContinuousJoins
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, LogicalPlan}
import org.apache.spark.sql.catalyst.streaming.StreamingRelationV2
import org.apache.spark.sql.kafkalyst.Frames

/**
 * A query into a topic as the catalog means it now.
 *
 * Errors, when made: KafkalystException NO_TOPIC_IN_QUERY where it reads none, and what Spark's analyzer throws.
 */
final class AnalyzedQuery(session: SparkSession, query: SinkQuery) {

  /** Its names resolved by ksqlDB's rules. */
  val plan: LogicalPlan = KsqlConf.within(session)(Frames.of(session, query.ready).queryExecution.analyzed)

  /** The topics that it reads, leftmost first. */
  val sources: Seq[TopicTable] = AnalyzedQuery.sources(plan)
  val leftmost: TopicTable = sources.headOption.getOrElse(throw KafkalystException("NO_TOPIC_IN_QUERY"))

  val isJoin: Boolean = ContinuousJoins.isIn(plan)
  val isGrouped: Boolean = plan.exists(_.isInstanceOf[Aggregate])

  /** VALUE_FORMAT_NOT_COMBINED for a source whose values have no place for what ksqlDB's joins and groups put there. */
  def checkFormats(): Unit = {
    val what = if (isJoin) Some("JOIN") else if (isGrouped) Some("GROUP BY") else None
    what.zip(sources.find(_.topic.value.format == KafkaFormat.name)).foreach { case (what, source) =>
      throw KafkalystException("VALUE_FORMAT_NOT_COMBINED", "name" -> source.name, "what" -> what)
    }
  }
}

object AnalyzedQuery {
  private[query] def sources(plan: LogicalPlan): Seq[TopicTable] =
    plan.collectLeaves().collect { case relation: StreamingRelationV2 => relation.table }.collect {
      case table: TopicTable => table
    }
}
