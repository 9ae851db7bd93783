package io.kafkalyst.lake

import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.metadata.PseudoColumns
import io.kafkalyst.model.{Properties, TopicObject}
import io.kafkalyst.names.InternalSchema
import io.kafkalyst.query.{ContinuousQueries, SinkName}
import io.kafkalyst.streams.AnalyzedQuery
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.objects.AssertNotNull
import org.apache.spark.sql.catalyst.plans.logical._

/**
 * A query that writes a topic's records into the topic's history table. It must write all records, with the columns
 * ROWPARTITION and ROWOFFSET, and begins where the table ends.
 */
private[lake] final class HandOver private (session: SparkSession, of: AnalyzedQuery, table: LakeTable) {
  private val source = of.leftmost
  private val relation = of.plan.collectLeaves().head

  /**
   * @param columns the table's columns, computed from the query's
   * @throws io.kafkalyst.errors.KafkalystException HISTORY_QUERY, HISTORY_TABLE
   */
  def sink(columns: Seq[NamedExpression], into: LakeTarget): HistorySink = {
    Border.require(table.name, table.provider, source.name)
    of.plan.foreach {
      case _: Project | _: SubqueryAlias | _: EventTimeWatermark | `relation` =>
      case other => refuse(s"its ${other.nodeName} would leave records out")
    }
    if (History.hasRange(source.topic)) refuse("it has a start or an end of its own")
    val held = columns.flatMap(c => origin(c).map(_ -> c.name)).toMap
    Seq(PseudoColumns.rowPartition, PseudoColumns.rowOffset).map(_.name).filterNot(held.contains).foreach { name =>
      refuse(s"it does not select $name")
    }
    new HistorySink(
      source.name,
      into,
      Border(
        source.topic.topic,
        source.admin.id(source.topic.topic),
        Map.empty,
        held,
        // Another query does not stop at a new schema, so its records may have fields that are no columns yet.
        Option.when(Properties.isAdding(source.topic))(InternalSchema.of(source.topic.columns).names.toSet)
      ),
      source.admin
    )
  }

  /** The plan, read from the table's border on; a checkpoint with offsets continues at these. */
  def begun(plan: LogicalPlan): LogicalPlan = {
    val border = Border.at(session, table)
    def begun(topic: TopicObject) = border.fold(
      topic.copy(options = topic.options + (Properties.startMode.name -> "earliest-offset"))
    )(_.begun(topic))
    // Without the history, because the query writes it.
    History.inStreams(plan)(read => read.as(begun(read.topic)))
  }

  /** The topic's column that a column of the table stores unchanged. */
  private def origin(column: NamedExpression): Option[String] = column match {
    case Alias(a: Attribute, _) => traced(a)
    case Alias(Cast(a: Attribute, _, _, _), _) => traced(a)
    case Alias(AssertNotNull(a: Attribute, _), _) => traced(a)
    case Alias(AssertNotNull(Cast(a: Attribute, _, _, _), _), _) => traced(a)
    case _ => None
  }

  private def traced(a: Attribute): Option[String] =
    relation.output.find(_.exprId == a.exprId).map(_.name).orElse {
      val made = of.plan.collectFirst {
        case Project(list, _) if list.exists(_.exprId == a.exprId) => list.find(_.exprId == a.exprId).get
      }
      made.collect { case Alias(below: Attribute, _) => below }.flatMap(traced)
    }

  private def refuse(reason: String): Nothing = throw KafkalystException(
    "HISTORY_QUERY",
    "object" -> source.name,
    "table" -> table.name.toString,
    "reason" -> reason
  )
}

private[lake] object HandOver {

  /**
   * The hand-over if the query's source names the table as its history.
   *
   * @param own the query's id, if it already has one
   * @throws io.kafkalyst.errors.KafkalystException HISTORY_WRITER if another query fills the table
   */
  def of(
      session: SparkSession,
      query: AnalyzedQuery,
      table: LakeTable,
      own: Option[String]
  ): Option[HandOver] = Option.when(isHistory(session, query, table.name)) {
    // Before anything is made for the query; of two that begin at once, the sink refuses one.
    val other = ContinuousQueries.all(session).find(q => q.isWanted && q.sink == table.name && !own.contains(q.id))
    other.foreach(writer => throw HistorySink.another(query.leftmost.name, table.name, writer))
    new HandOver(session, query, table)
  }

  private def isHistory(session: SparkSession, query: AnalyzedQuery, table: SinkName.OfTable) =
    query.sources.headOption.flatMap(source => History.tableOf(session, source.name, source.topic)).contains(table)
}
