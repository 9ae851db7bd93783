package io.kafkalyst.joins

import io.kafkalyst.catalog.TopicTable
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project}

/**
 * A part of a query with the row metadata that joins need.
 *
 * @param name    for messages
 * @param table   the first of its topics
 * @param plan    its output has the part's own columns and the attributes below
 * @param output  the part's own columns
 * @param time    ROWTIME, BIGINT milliseconds
 * @param stamp   ARRAY<BIGINT>, the rows' position in the processing order
 * @param gone    BOOLEAN, whether the row deletes its key
 * @param headers the headers of the record that produced the row, see [[io.kafkalyst.metadata.Headers]]
 * @param isTable whether rows replace earlier rows with the same key
 * @param isTopic whether the rows are a topic's own records
 * @param key     the columns of the rows' key, if known
 * @param same    for each of `key`, the expressions over the columns that equal it
 * @param window  start and end of the key's window; empty if the key has no window
 * @param isSession whether the windows are sessions, whose ends are in the key, too
 * @param delay   how many milliseconds behind the newest record a row may arrive, because it waits for others
 */
private[joins] final case class JoinInput(
    name: String,
    table: TopicTable,
    plan: LogicalPlan,
    output: Seq[Attribute],
    time: Attribute,
    stamp: Attribute,
    gone: Attribute,
    headers: Attribute,
    isTable: Boolean,
    isTopic: Boolean,
    key: Seq[Attribute],
    same: Seq[Seq[Expression]],
    window: Seq[Attribute] = Nil,
    isSession: Boolean = false,
    delay: Long = 0
) {
  def around: Seq[Attribute] = Seq(time, stamp, gone, headers)

  /** Whether these expressions are the complete key. */
  def isKey(expressions: Seq[Expression]): Boolean =
    key.nonEmpty && expressions.size == key.size && places(expressions).filter(_ >= 0).distinct.size == key.size

  /**
   * The columns to use instead of the expressions: in an outer join's result, the key is set even where these are null.
   */
  def keyed(expressions: Seq[Expression]): Seq[Expression] = expressions.zip(places(expressions)).map {
    case (e, -1) => e
    case (_, at) => key(at)
  }

  /** The index of the key column that each expression equals; -1 if there is none. */
  private def places(expressions: Seq[Expression]) = expressions.map(meaning)

  def meaning(e: Expression): Int = e match {
    case Coalesce(several) =>
      val all = several.map(meaning).distinct
      if (all.size == 1) all.head else -1
    case _ => same.indexWhere(_.exists(_.semanticEquals(e)))
  }

  /** Replaces its columns with those of a SELECT. */
  def select(list: Seq[NamedExpression]): JoinInput = {
    val wanted = (around ++ key).filterNot(a => list.exists(_.exprId == a.exprId)).distinctBy(_.exprId)
    val named = list.collect { case alias @ Alias(child, _) => meaning(child) -> alias.toAttribute }
    copy(
      plan = Project(list ++ wanted, plan),
      output = list.map(_.toAttribute),
      same = same.zipWithIndex.map { case (those, at) => those ++ named.filter(_._1 == at).map(_._2) }
    )
  }
}
