package io.kafkalyst.streams

import io.kafkalyst.streams.AnalyzedQuery
import io.kafkalyst.streams.over.OverRows
import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.model.{ObjectKind, TopicObject}
import io.kafkalyst.model.flink.FlinkProperties
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.internal.SQLConf

/**
 * What a checkpoint's offsets and state belong to. A query may replace another and continue from its checkpoint if
 * their shapes are equal; everything else (columns, expressions, filters) may change.
 *
 * @param topics    its source topics, in the order in which the checkpoint stores their offsets
 * @param operators its stateful operators, in order, with everything that determines their state
 * @param window    its WINDOW clause, which determines the bounds in keys and state; None in records of older versions
 * @param keys      the expressions of its keys if it has no stateful operators, as with PARTITION BY: records that are
 *                  already written have these keys; None in records of older versions
 */
final case class QueryShape(
    topics: Seq[String],
    operators: Seq[String],
    window: Option[String] = None,
    keys: Option[Seq[String]] = None
)

object QueryShape {

  /** The shape of an analysed query. */
  def of(query: AnalyzedQuery): QueryShape = SQLConf.withExistingConf(whole)(shapeOf(query))

  /** The current settings, but Spark leaves nothing out of a plan's text. */
  private def whole: SQLConf = {
    val conf = SQLConf.get.clone()
    conf.setConf(SQLConf.MAX_TO_STRING_FIELDS, Int.MaxValue)
    conf.unsetConf(SQLConf.MAX_PLAN_STRING_LENGTH)
    conf
  }

  private def shapeOf(query: AnalyzedQuery): QueryShape = {
    val (plan, topics) = (query.plan, query.sources.map(_.topic))
    val operators = plan.collect {
      // The state of these operators holds whole rows, so it depends on the entire query.
      case j: Join if j.children.forall(_.isStreaming) => s"a join in ${text(plan)}"
      case _: Aggregate if topics.exists(_.kind == ObjectKind.Table) => s"groups of a table in ${text(plan)}"
      case a: Aggregate => s"GROUP BY ${shown(a.groupingExpressions)}: ${shown(functions(a))}"
      case over if OverRows.are(over) => s"window functions ${plain(OverRows.shown(over))}"
      case d: Deduplicate => s"DISTINCT ${shown(d.keys)}"
      case d: Distinct => s"DISTINCT ${shown(d.output)}"
    }
    // The operators of groups and joins already contain their keys.
    val keys = if (operators.isEmpty) SinkProjection.keysOf(plan).map(e => plain(e.toString)) else Nil
    QueryShape(topics.map(read), operators.distinct, Some(windowOf(query.query)), Some(keys))
  }

  /** What says which topics are read. */
  private def read(o: TopicObject) = o.pattern.getOrElse(o.topic)

  private def windowOf(query: SinkQuery) = query.window.fold("without WINDOW") { w =>
    val advance = if (w.kind == "HOPPING") s", ADVANCE BY ${w.advance}" else ""
    val size = if (w.isSession) s"${w.size}" else s"SIZE ${w.size}$advance"
    val emits = if (query.emitFinal) "EMIT FINAL" else "EMIT CHANGES"
    s"WINDOW ${w.kind} ($size, GRACE PERIOD ${w.lateness}) in milliseconds with $emits"
  }

  /**
   * @param id the id of the query that is replaced
   * @throws io.kafkalyst.errors.KafkalystException QUERY_NOT_REPLACEABLE with the difference
   */
  def check(id: String, before: QueryShape, after: QueryShape): Unit = {
    val differences =
      (if (before.topics == after.topics) Nil
       else Seq(s"it read the topics ${list(before.topics)} and would read ${list(after.topics)}")) ++
        (if (before.operators == after.operators) Nil
         else Seq(s"its state was of ${list(before.operators)} and would be of ${list(after.operators)}")) ++
        changed("it was", before.window, after.window) ++
        changed("its keys were", before.keys.map(list), after.keys.map(list))
    if (differences.nonEmpty) {
      throw KafkalystException(
        "QUERY_NOT_REPLACEABLE",
        "id" -> id,
        "differences" -> differences.mkString("- ", ";\n- ", ".")
      )
    }
  }

  /**
   * @param before the shape that is stored with the query's checkpoint
   * @param now    the topics of the sources, each as the object has them
   * @throws io.kafkalyst.errors.KafkalystException QUERY_TOPICS if a source lacks a topic that it had
   */
  def checkTopics(id: String, before: QueryShape, now: Seq[String]): Unit = {
    val hasAll = before.topics.size == now.size && now.zip(before.topics).forall { case (n, b) => this.hasAll(n, b) }
    if (!hasAll)
      throw KafkalystException("QUERY_TOPICS", "id" -> id, "before" -> list(before.topics), "now" -> list(now))
  }

  /** Whether an object's topics, with `;` between them, contain all of others. */
  def hasAll(topics: String, others: String): Boolean =
    FlinkProperties.list(others).toSet.subsetOf(FlinkProperties.list(topics).toSet)

  private def list(all: Seq[String]) = if (all.isEmpty) "nothing" else all.map(short).mkString("; ")

  private def changed(what: String, before: Option[String], after: Option[String]) =
    before.zip(after).filter { case (old, now) => old != now }.map { case (old, now) =>
      s"$what $old and would be $now"
    }

  private def functions(a: Aggregate) =
    a.aggregateExpressions.flatMap(_.collect {
      case f: AggregateExpression => f
    }).distinct

  private def shown(all: Seq[Expression]) =
    all.map(e => s"${plain(e.toString)} ${e.dataType.sql}").mkString(", ")

  private def text(plan: LogicalPlan) = plan.output.map(a => s"${a.name} ${a.dataType.sql}").mkString(
    "a query of (",
    ", ",
    s"), number ${Integer.toHexString(plain(plan.toString).hashCode)}"
  )

  /** Strips what differs each time a query is planned. */
  private def plain(text: String) = text.replaceAll("#\\d+L?", "").replaceAll("@[0-9a-f]+", "")

  private def short(text: String) = if (text.length <= 200) text else text.take(199) + "…"
}
