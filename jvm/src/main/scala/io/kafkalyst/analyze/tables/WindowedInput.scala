package io.kafkalyst.analyze
package tables

import java.util.Locale
import java.util.UUID

import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.functions.{KsqlCall, KsqlFunctions}
import io.kafkalyst.metadata.RowTime
import io.kafkalyst.model.settings.Settings
import io.kafkalyst.streams.GroupWindow
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.analysis.{
  UnresolvedAlias,
  UnresolvedAttribute,
  UnresolvedHaving,
  UnresolvedRelation
}
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, ExprCode}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreePattern.AGGREGATE
import org.apache.spark.sql.catalyst.trees.TreeNodeTag
import org.apache.spark.sql.types.{DataType, LongType}
import org.apache.spark.unsafe.types.CalendarInterval

/**
 * The input rows of a GROUP BY with a WINDOW clause, until [[WindowedInput.Resolve]] replaces it with Spark's windows.
 *
 * @param rowTime the rows' time in milliseconds: ROWTIME; for a join, the later one of both sides
 */
final case class WindowedInput(window: GroupWindow, rowTime: Expression, child: LogicalPlan) extends UnaryNode {
  override def output: Seq[Attribute] = child.output
  override protected def withNewChildInternal(newChild: LogicalPlan): WindowedInput = copy(child = newChild)
}

/** WINDOWSTART or WINDOWEND of the group, in milliseconds, until [[WindowedInput.Resolve]] replaces it. */
final case class WindowBound(isStart: Boolean) extends LeafExpression {
  override def dataType: DataType = LongType
  override def nullable: Boolean = false
  override def eval(input: InternalRow): Any = throw new IllegalStateException("a window's bound outside of its query")
  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode =
    throw new IllegalStateException("a window's bound outside of its query")
}

object WindowedInput {
  private val bounds = Map("WINDOWSTART" -> true, "WINDOWEND" -> false)
  private val time = "kafkalyst_time"
  private val clause = TreeNodeTag[GroupWindow]("kafkalyst_window")

  /** The WINDOW SESSION of an unbounded query, after [[Resolve]]. */
  def session(plan: LogicalPlan): Option[GroupWindow] =
    plan.collectFirst { case a: Aggregate if a.isStreaming => a.getTagValue(clause) }.flatten.filter(_.isSession)

  /**
   * Attaches a clause to the query that contained it.
   *
   * @param at the clause's position, for messages
   * @throws io.kafkalyst.errors.KafkalystException WINDOW_WITHOUT_GROUP, WINDOW_BOUND_OUTSIDE
   */
  def onto(plan: LogicalPlan, window: GroupWindow, at: Seq[(String, String)]): LogicalPlan = {
    var found = false
    val whole = plan.transformDown {
      case having: UnresolvedHaving if !found => outside(having.expressions, "HAVING"); having
      case a: Aggregate if !found && a.groupingExpressions.nonEmpty =>
        found = true
        outside(a.groupingExpressions, "GROUP BY")
        a.aggregateExpressions.flatMap(_.collect { case call: KsqlCall if KsqlFunctions.isAggregate(call) => call })
          .foreach(call => outside(call.children, call.prettyName.toUpperCase(Locale.ROOT)))
        a.child.foreach { case f: Filter => outside(f.expressions, "WHERE"); case _ => }
        if (Settings.current.isKsqldb && sources(a.child).size > 1) ofJoin(a.aggregateExpressions)
        a.copy(
          aggregateExpressions = a.aggregateExpressions.map(selected),
          child = WindowedInput(window, rowTime(a.child), a.child)
        )
    }
    if (!found) throw KafkalystException("WINDOW_WITHOUT_GROUP", at: _*)
    whole
  }

  private def boundOf(e: Expression): Option[WindowBound] = e match {
    case a: UnresolvedAttribute if a.nameParts.size <= 2 =>
      bounds.collectFirst { case (name, isStart) if a.nameParts.last.equalsIgnoreCase(name) => WindowBound(isStart) }
    case _ => None
  }

  private def selected(e: NamedExpression): NamedExpression = e match {
    case a: UnresolvedAttribute => boundOf(a).fold[NamedExpression](a)(Alias(_, a.nameParts.last)())
    case UnresolvedAlias(a: UnresolvedAttribute, _) if boundOf(a).isDefined => selected(a)
    case other =>
      other.transformUp { case a: UnresolvedAttribute => boundOf(a).getOrElse(a) }.asInstanceOf[NamedExpression]
  }

  private def outside(expressions: Seq[Expression], place: String): Unit =
    expressions.flatMap(_.collect { case a: UnresolvedAttribute if boundOf(a).isDefined => a }).headOption.foreach {
      a =>
        throw KafkalystException("WINDOW_BOUND_OUTSIDE", "name" -> a.name, "place" -> place)
    }

  /** ksqlDB resolves window bounds only for groups over a single source. */
  private def ofJoin(list: Seq[Expression]): Unit =
    list.flatMap(_.collect { case a: UnresolvedAttribute if boundOf(a).isDefined => a }).headOption.foreach { a =>
      throw KafkalystException("NOT_IN_KSQLDB", "what" -> s"${a.name} of a window over a join")
    }

  private def rowTime(plan: LogicalPlan): Expression = sources(plan) match {
    case several @ Seq(_, _, _*) => Greatest(several.map(name => UnresolvedAttribute(Seq(name, "ROWTIME"))))
    case _ => UnresolvedAttribute(Seq("ROWTIME"))
  }

  private def sources(plan: LogicalPlan): Seq[String] = plan match {
    case SubqueryAlias(id, _) => Seq(id.name)
    case r: UnresolvedRelation => Seq(r.multipartIdentifier.last)
    case other => other.children.flatMap(sources)
  }

  /**
   * Replaces the clause with Spark's own windows. In an unbounded query, a watermark keeps a window open for its grace
   * period; a bounded read has all rows at once.
   */
  object Resolve extends Rule[LogicalPlan] {
    override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperatorsUpWithPruning(
      _.containsPattern(AGGREGATE)
    ) {
      case a: Aggregate if isReady(a) =>
        val input = a.child.asInstanceOf[WindowedInput]
        overTable(input.child)
        a.aggregateExpressions.flatMap(_.collect { case f: AggregateExpression => f })
          .find(_.exists(_.isInstanceOf[WindowBound])).foreach { f =>
            throw KafkalystException("WINDOW_BOUND_OUTSIDE", "name" -> "WINDOWSTART or WINDOWEND", "place" -> f.sql)
          }
        grouped(a, input)
    }

    private def isReady(a: Aggregate) = a.child match {
      case input: WindowedInput => input.childrenResolved && input.rowTime.resolved
      case _ => false
    }

    /** Refuses windows over tables only: rows of a stream are immutable facts, even after a join with tables. */
    private def overTable(plan: LogicalPlan): Unit = {
      val sources = plan.collect { case SubqueryAlias(id, t: TopicRelation) => id.name -> t.isTable }
      if (sources.nonEmpty && sources.forall(_._2))
        throw KafkalystException("WINDOW_OVER_TABLE", "name" -> sources.head._1)
    }

    private def grouped(a: Aggregate, input: WindowedInput): LogicalPlan = {
      val window = input.window
      val moment = Alias(RowTime.moment(input.rowTime), time)()
      val timed = Project(input.child.output :+ moment, input.child)
      val late = new CalendarInterval(0, 0, window.lateness * 1000)
      val marked =
        if (timed.isStreaming) EventTimeWatermark(UUID.randomUUID(), moment.toAttribute, late, timed) else timed
      val column = marked.output.find(_.exprId == moment.exprId).get
      val (start, end) =
        if (window.isSession) {
          val session = SessionWindow(column, Literal(new CalendarInterval(0, 0, window.size * 1000)))
          // A session ends with its last row; Spark's session windows end a gap after it.
          (bound(session, 0), new Subtract(bound(session, 1), Literal(window.size)))
        } else {
          val sized = TimeWindow(column, window.size * 1000, window.advance * 1000, 0)
          (bound(sized, 0), bound(sized, 1))
        }
      val spark = start.collectFirst { case w @ (_: TimeWindow | _: SessionWindow) => w }.get
      val whole = a.copy(
        groupingExpressions = a.groupingExpressions :+ spark,
        aggregateExpressions = a.aggregateExpressions.map(_.transformUp { case WindowBound(isStart) =>
          if (isStart) start else end
        }.asInstanceOf[NamedExpression]),
        child = marked
      )
      whole.setTagValue(clause, window)
      whole
    }

    private def bound(window: Expression, field: Int): Expression = UnixMillis(GetStructField(window, field))
  }
}
