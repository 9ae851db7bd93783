package io.kafkalyst.analyze
package names

import io.kafkalyst.analyze.tables.TopicRelation
import io.kafkalyst.model.settings.Settings
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.analysis.{UnresolvedAttribute, UnresolvedRelation}
import org.apache.spark.sql.catalyst.expressions.{Alias, UnresolvedNamedLambdaVariable}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, SubqueryAlias}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.types.{ArrayType, DataType, MapType, StructType}

/**
 * With `spark.kafkalyst.identifiers=upper`, names match exactly after unquoted ones are folded: `"id"` does not match
 * ID, unlike in Spark.
 */
final class ExactNames(session: SparkSession) extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = {
    val columns = TopicRelation.in(plan).flatMap(_.columns)
    if (columns.nonEmpty && Settings.of(session.conf.getAll).foldsNames) {
      val names = columns.map(_.name)
      val nested = columns.flatMap(c => fields(c.dataType))
      val known = names ++ nested
      val exact = (known ++ namesGiven(plan)).toSet
      val others = foreign(plan)
      plan.foreachWithSubqueries(_.expressions.foreach(_.foreach {
        case a: UnresolvedAttribute if !others.exists(isBehind(a, _)) =>
          a.nameParts.filterNot(exact).find(part => known.exists(_.equalsIgnoreCase(part))).foreach { part =>
            throw ResolveFields.unknown(a, if (names.exists(_.equalsIgnoreCase(part))) names else nested)
          }
        case _ =>
      }))
    }
    plan
  }

  /** The qualifiers of other relations' columns: the relations' names and aliases. */
  private def foreign(plan: LogicalPlan): Seq[Seq[String]] = plan.collectWithSubqueries {
    case r: UnresolvedRelation => r.multipartIdentifier.tails.filter(_.nonEmpty).toSeq
    case SubqueryAlias(alias, _: UnresolvedRelation) => Seq(Seq(alias.name))
  }.flatten

  private def isBehind(a: UnresolvedAttribute, qualifier: Seq[String]) = a.nameParts.size > qualifier.size &&
    a.nameParts.zip(qualifier).forall { case (part, name) => part.equalsIgnoreCase(name) }

  private def namesGiven(plan: LogicalPlan): Seq[String] = plan.collectWithSubqueries { case operator =>
    val own = operator match {
      case SubqueryAlias(name, _) => Seq(name.name)
      case _ => Nil
    }
    own ++ operator.expressions.flatMap(_.collect {
      case Alias(_, name) => Seq(name)
      case v: UnresolvedNamedLambdaVariable => v.nameParts
    }.flatten)
  }.flatten

  private def fields(t: DataType): Seq[String] = t match {
    case s: StructType => s.fieldNames.toSeq ++ s.fields.flatMap(f => fields(f.dataType))
    case a: ArrayType => fields(a.elementType)
    case m: MapType => fields(m.valueType)
    case _ => Nil
  }
}
