package io.kafkalyst.streams

import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, UnaryNode}

/**
 * A parsed query whose result becomes the records of a sink: its columns need names, and its key a clause.
 *
 * @param partitionBy  the expressions of PARTITION BY; None where there is no such clause
 * @param structured   whether PARTITION BY says that the key is a record
 * @param dereferences positions in the text of the chains of names that `->` leads into a struct
 * @param window       the WINDOW clause
 * @param early        what is done before Spark analyses it, where the session's analyzer does not do it
 * @param emitFinal    whether EMIT FINAL says that a window is written once, when it is over
 * @param inKsql       whether its expressions are ksqlDB's; those of a query into a table of another catalog are Spark's
 *                     where names are
 * @param isShown      whether there is no sink, and the rows are only shown: see [[PushQuery]]
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

  /** As Spark may analyse it. */
  def ready: LogicalPlan = early(this)

  override def output: Seq[Attribute] = child.output
  override lazy val resolved: Boolean = false
  override protected def withNewChildInternal(newChild: LogicalPlan): SinkQuery = copy(child = newChild)
}
