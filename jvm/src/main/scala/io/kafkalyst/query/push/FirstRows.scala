package io.kafkalyst.query
package push

import io.kafkalyst.errors.KafkalystException
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.analysis.MultiInstanceRelation
import org.apache.spark.sql.catalyst.expressions.{Attribute, IntegerLiteral}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.{LeafExecNode, SparkPlan, SparkStrategy}

import scala.collection.mutable

/**
 * SELECT … EMIT CHANGES LIMIT n: a result that ends after n rows, so that `collect()`, spark-sql and Thrift handle it
 * like any other. Waits for the rows without a time limit, or with `available-now` until all available records are
 * read.
 *
 * @param child the query without its limit
 */
final case class FirstRows(limit: Int, child: LogicalPlan) extends UnaryNode {
  override def output: Seq[Attribute] = child.output
  override protected def withNewChildInternal(newChild: LogicalPlan): FirstRows = copy(child = newChild)
}

object FirstRows {

  /** A parsed query without its limit, and the limit if it is a number. */
  def limited(parsed: LogicalPlan): (LogicalPlan, Option[Int]) = parsed match {
    case Limit(IntegerLiteral(limit), child) if limit >= 0 => (child, Some(limit))
    case ctes: UnresolvedWith =>
      val (child, limit) = limited(ctes.child)
      (ctes.withNewChildren(Seq(child)), limit)
    case other => (other, None)
  }

  /** Hides the stream from Spark, which refuses to run one within a batch. */
  object Resolve extends Rule[LogicalPlan] {
    override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperatorsUp {
      case FirstRows(limit, child) if child.resolved && child.isStreaming => StreamedRows(limit, child, child.output)
    }
  }

  /** Plans [[StreamedRows]]. */
  final class Plan(session: SparkSession) extends SparkStrategy {
    override def apply(plan: LogicalPlan): Seq[SparkPlan] = plan match {
      case StreamedRows(limit, query, output) => Seq(FirstRowsExec(limit, query, output, session))
      case _: FirstRows => throw KafkalystException("NO_TOPIC_IN_QUERY")
      case _ => Nil
    }
  }
}

/** The first rows of a stream, as a relation. */
final case class StreamedRows(limit: Int, query: LogicalPlan, output: Seq[Attribute])
    extends LeafNode
    with MultiInstanceRelation {
  override def newInstance(): LogicalPlan = copy(output = output.map(_.newInstance()))
  override def maxRows: Option[Long] = Some(limit.toLong)
  override def computeStats(): Statistics = Statistics(BigInt(output.map(_.dataType.defaultSize).sum + 8) * limit)
  override def innerChildren: Seq[LogicalPlan] = Seq(query)
}

/** Runs the stream until it has returned enough rows. */
private final case class FirstRowsExec(
    limit: Int,
    query: LogicalPlan,
    output: Seq[Attribute],
    @transient within: SparkSession
) extends LeafExecNode {
  override def nodeName: String = "FirstRows"
  override def simpleString(maxFields: Int): String = s"FirstRows $limit"
  override def innerChildren: Seq[LogicalPlan] = Seq(query)

  private lazy val rows: Array[InternalRow] = if (limit == 0) Array.empty else awaited()

  override def executeCollect(): Array[InternalRow] = rows
  override def executeTake(n: Int): Array[InternalRow] = rows.take(n)
  override protected def doExecute(): RDD[InternalRow] = sparkContext.parallelize(rows.toSeq, 1)

  private def awaited(): Array[InternalRow] = {
    val found = mutable.ArrayBuffer.empty[InternalRow]
    def isEnough = found.synchronized(found.size >= limit)
    val streaming = ShownStream.start(within, query) { batch =>
      val left = limit - found.synchronized(found.size)
      val more = FirstRowsExec.first(batch.queryExecution.toRdd, left, ShownStream.isRowByRow(query))
      found.synchronized(found ++= more.take(left))
    }
    try {
      while (streaming.isActive && !isEnough) streaming.awaitTermination(FirstRowsExec.lookMs)
      if (!isEnough) streaming.exception.foreach(failed => throw Failure.of(failed))
    } finally streaming.stop()
    found.synchronized(found.toArray)
  }
}

private object FirstRowsExec {
  private val lookMs = 50L

  /**
   * The first rows of each partition.
   *
   * @param isEnough whether a task may stop after these rows: operators with state must see all rows of a batch
   */
  private def first(rows: RDD[InternalRow], limit: Int, isEnough: Boolean): Array[InternalRow] =
    rows.mapPartitions { all =>
      val found = mutable.ArrayBuffer.empty[InternalRow]
      while ((found.size < limit || !isEnough) && all.hasNext) {
        val row = all.next()
        if (found.size < limit) found += row.copy()
      }
      found.iterator
    }.collect()
}
