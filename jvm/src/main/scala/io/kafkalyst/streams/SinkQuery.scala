package io.kafkalyst.streams

import org.apache.spark.sql.catalyst.analysis.UnresolvedAttribute
import org.apache.spark.sql.catalyst.expressions.{Alias, Attribute, Expression}
import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, LogicalPlan, Project, UnaryNode}
import org.apache.spark.sql.catalyst.trees.Origin

/**
 * A parsed query whose result becomes a sink's records: its columns need names, and its key may need a clause.
 *
 * @param partitionBy  the expressions of PARTITION BY; None if there is no such clause
 * @param structured   whether PARTITION BY makes the key a record
 * @param dereferences positions in the text of the name chains before `->` into a struct
 * @param window       the WINDOW clause
 * @param early        rules to apply before Spark's analysis if the session's analyzer does not apply them
 * @param emitFinal    whether EMIT FINAL emits a window only once, when it is closed
 * @param inKsql       whether its expressions are ksqlDB's; in a query into a table of another catalog they are Spark's
 *                     unless names follow ksqlDB's rules
 * @param isShown      whether there is no sink and the rows are only shown, see [[PushQuery]]
 */
final case class SinkQuery(
    child: LogicalPlan,
    partitionBy: Option[Seq[Expression]],
    structured: Boolean,
    dereferences: Set[Int],
    window: Option[GroupWindow] = None,
    emitFinal: Boolean = false,
    early: LogicalPlan => LogicalPlan = identity,
    isShown: Boolean = false,
    inKsql: Boolean = true
) extends UnaryNode {

  /** The plan, ready for Spark's analysis. */
  def ready: LogicalPlan = early(this)

  /** The position where the SELECT last defines a column of this name; None if only `*` contains it. */
  def placeOf(name: String): Option[Origin] = child.collectFirst {
    case p: Project => p.projectList
    case a: Aggregate => a.aggregateExpressions
  }.toSeq.flatten.collect {
    case a: Alias if a.name.equalsIgnoreCase(name) => a.origin
    case u: UnresolvedAttribute if u.nameParts.last.equalsIgnoreCase(name) => u.origin
  }.lastOption

  override def output: Seq[Attribute] = child.output
  override lazy val resolved: Boolean = false
  override protected def withNewChildInternal(newChild: LogicalPlan): SinkQuery = copy(child = newChild)
}
