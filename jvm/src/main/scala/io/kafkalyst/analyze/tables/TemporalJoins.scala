package io.kafkalyst.analyze
package tables

import io.kafkalyst.catalog.TopicTable
import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.joins.JoinRules
import io.kafkalyst.metadata.{MetadataKeys, RowTime}
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.{Inner, LeftOuter}
import org.apache.spark.sql.catalyst.plans.logical.{Join, LogicalPlan, Project, SubqueryAlias}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.streaming.StreamingRelationV2
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.{TimestampNTZType, TimestampType}

/**
 * Flink's joins `FOR SYSTEM_TIME AS OF` a column: each row of the left side joins the version that the key had at the
 * row's time. In a bounded query, the right side's changes become intervals, [[Versions]], of an ordinary join; in an
 * unbounded query, this is a stream-table join, which reads both sides in the order of their records' times.
 *
 * Errors: TEMPORAL_JOIN
 */
object TemporalJoins extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan =
    if (plan.collectWithSubqueries { case v: VersionsOf => v }.isEmpty) plan
    else {
      val joined = plan.resolveOperatorsUpWithSubqueriesAndPruning(_ => true) {
        case join @ Join(_, Clause(of), _, _, _) => temporal(join, of)
      }
      joined.collectWithSubqueries { case v: VersionsOf => v }.foreach(refuse(_, wrongPlace))
      joined
    }

  /** Matches the clause below the right side's alias. */
  private object Clause {
    def unapply(right: LogicalPlan): Option[VersionsOf] = right match {
      case v: VersionsOf => Some(v)
      case alias: SubqueryAlias => unapply(alias.child)
      case _ => None
    }
  }

  private def temporal(join: Join, of: VersionsOf): LogicalPlan = {
    if (join.joinType != Inner && join.joinType != LeftOuter)
      refuse(of, s"it is a ${join.joinType.sql} JOIN. Make it an INNER or LEFT JOIN, with the versions on the right")
    val time = Some(of.time).filter(_.nonEmpty).map(timeOf(join.left, _, of)).filterNot(isNow(join.left, _))
    def plain = join.copy(right = join.right.transformUp { case v: VersionsOf if v.fastEquals(of) => v.child })
    if (time.isEmpty) plain
    else if (join.isStreaming) {
      (Seq(join.left -> time.get) ++ tableTime(of.child).map(of.child -> _)).foreach { case (side, column) =>
        if (!isOfRecord(side, column)) refuse(
          of,
          s"in what is read without end, ${name(column)} must be the time of the " +
            "records: a column METADATA FROM 'timestamp', or that of the property TIMESTAMP. Declare it so, or ask in a " +
            "bounded query, which takes any time"
        )
      }
      plain
    } else within(join, of, time.get)
  }

  private def within(join: Join, of: VersionsOf, time: Attribute): LogicalPlan = {
    val versions = Versions.of(of.child).getOrElse(refuse(
      of,
      "the right side has no versions. Declare its table with PRIMARY KEY (…) NOT ENFORCED and WATERMARK FOR its time, or " +
        "join a view with ROW_NUMBER() OVER (PARTITION BY its key ORDER BY its time DESC) = 1"
    ))
    if (versions.from.dataType != time.dataType) refuse(
      of,
      s"${name(time)} is ${time.dataType.sql}, and the time of the versions ${versions.from.dataType.sql}. Declare both " +
        "with one type"
    )
    val equal = join.condition.toSeq.flatMap(JoinRules.conjuncts).collect { case EqualTo(a, b) => Seq(a, b) }.flatten
    versions.key.find(k => !equal.exists(_.references.contains(k))).foreach { k =>
      refuse(of, s"ON does not equate ${name(k)} of the versions' key. Add AND … = ${name(k)}")
    }
    val at = And(
      LessThanOrEqual(versions.from, time),
      Or(IsNull(versions.until), LessThan(time, versions.until))
    )
    Project(
      join.output,
      join.copy(right = versions.plan, condition = Some(join.condition.fold[Expression](at)(And(_, at))))
    )
  }

  private def timeOf(left: LogicalPlan, parts: Seq[String], of: VersionsOf): Attribute =
    AttributeSeq(left.output).resolve(parts, SQLConf.get.resolver) match {
      case Some(a: Attribute) if a.dataType != TimestampType && a.dataType != TimestampNTZType =>
        refuse(of, s"${name(a)} is ${a.dataType.sql}. Name a column of type TIMESTAMP or TIMESTAMP_LTZ")
      case Some(a: Attribute) =>
        tables(left).filter(_.output.exists(_.exprId == a.exprId)).find(!isTime(_, a)).foreach { _ =>
          refuse(
            of,
            s"${name(a)} is not its table's time. Declare WATERMARK FOR it, or a column AS PROCTIME(), or name such a column"
          )
        }
        a
      case _ =>
        val times = left.output.filter(a => a.dataType == TimestampType || a.dataType == TimestampNTZType).map(name)
        val known = if (times.isEmpty) "and none of its columns is a TIMESTAMP" else s"name ${times.mkString(" or ")}"
        refuse(of, s"the left side has no column ${parts.mkString(".")}: $known")
    }

  private def isTime(table: TopicRelation, a: Attribute) =
    isNow(table, a) || table.derived.time.exists { case (column, _) => column == a.name }

  private def tables(plan: LogicalPlan) = plan.collect { case table: TopicRelation => table }

  private def isNow(plan: LogicalPlan, a: Attribute) =
    tables(plan).flatMap(_.derived.computed).exists { case (_, now) =>
      now.exprId == a.exprId && now.exists(_.isInstanceOf[CurrentTimestampLike])
    }

  private def tableTime(right: LogicalPlan) = tables(right).flatMap(t =>
    t.derived.time.flatMap { case (column, _) => t.output.find(_.name == column) }
  ).headOption

  /** Whether the column is ROWTIME, by which unbounded joins order records. */
  private def isOfRecord(side: LogicalPlan, a: Attribute) =
    LatestPerKey.isOf(a, MetadataKeys.timestamp.name) || tables(side).filter(
      _.output.exists(_.exprId == a.exprId)
    ).flatMap(_.relation.collectFirst {
      case stream: StreamingRelationV2 => stream.table
    }).collect { case table: TopicTable => table.topic }.flatMap(RowTime.of(_)).exists(t =>
      t.path.isEmpty && t.column.name == a.name
    )

  private def name(a: Attribute) = JoinRules.name(a)

  private val wrongPlace =
    "it is behind a table that is not the right side of a JOIN. Write … JOIN table FOR SYSTEM_TIME AS OF left.time ON …; " +
      "TIMESTAMP AS OF reads a table as it was"

  private def refuse(of: LogicalPlan, reason: String): Nothing =
    throw KafkalystException("TEMPORAL_JOIN", "reason" -> reason).at(of.origin.line, of.origin.startPosition)
}
