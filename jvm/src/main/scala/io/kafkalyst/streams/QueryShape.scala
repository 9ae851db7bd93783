package io.kafkalyst.streams

import io.kafkalyst.streams.AnalyzedQuery
import io.kafkalyst.streams.over.OverRows
import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.model.ObjectKind
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
import org.apache.spark.sql.catalyst.plans.logical._

/**
 * What a checkpoint's offsets and state belong to. A query may replace another and continue from its checkpoint if both
 * are equal; all else (columns, expressions, filters) may change.
 *
 * @param topics    its source topics, in the order in which the checkpoint stores their offsets
 * @param operators its stateful operators, in order, with what determines their state
 */
final case class QueryShape(topics: Seq[String], operators: Seq[String])

object QueryShape {

  /** The shape of an analysed query. */
  def of(query: AnalyzedQuery): QueryShape = {
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
    QueryShape(topics.map(_.topic), operators.distinct)
  }

  /**
   * @param id of the query that is replaced
   * @throws io.kafkalyst.errors.KafkalystException QUERY_NOT_REPLACEABLE with the difference
   */
  def check(id: String, before: QueryShape, after: QueryShape): Unit = {
    def list(all: Seq[String]) = if (all.isEmpty) "nothing" else all.map(short).mkString("; ")
    val differences =
      (if (before.topics == after.topics) Nil
       else Seq(s"it read the topics ${list(before.topics)} and would read ${list(after.topics)}")) ++
        (if (before.operators == after.operators) Nil
         else Seq(s"its state was of ${list(before.operators)} and would be of ${list(after.operators)}"))
    if (differences.nonEmpty) {
      throw KafkalystException(
        "QUERY_NOT_REPLACEABLE",
        "id" -> id,
        "differences" -> differences.mkString("- ", ";\n- ", ".")
      )
    }
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
