package io.kafkalyst.analyze
package names

import java.util.Locale

import io.kafkalyst.analyze.tables.{EndlessViews, TopicRelation}
import io.kafkalyst.catalog.ObjectStore
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.analysis._
import org.apache.spark.sql.catalyst.expressions.{Expression, Literal, NamedExpression}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.CurrentOrigin
import org.apache.spark.sql.catalyst.trees.TreePattern.LITERAL
import org.apache.spark.sql.types.StringType

/**
 * Resolves `"x"` as a column if its input reads a topic and has a column of exactly that name: declared, computed or
 * hidden, or as a view, a subquery or a CTE renames it. Spark parses `"x"` as a string unless
 * `spark.sql.ansi.doubleQuotedIdentifiers` is on; the position in the text still shows the quotes.
 */
final class QuotedNames(session: SparkSession) extends Rule[LogicalPlan] {
  private lazy val views = new EndlessViews(session, new ObjectStore(session))

  // Few statements contain double quotes, so the catalog is asked last.
  override def apply(plan: LogicalPlan): LogicalPlan =
    if (conf.doubleQuotedIdentifiers || !plan.containsPattern(LITERAL) || !QuotedNames.areIn(plan)) plan
    else {
      val ctes = plan.collectWithSubqueries { case cte: CTERelationDef => cte.id -> cte }.toMap
      val scope = new QuotedScope(ctes, name => views.columnsOverTopics(name))
      plan.transformUpWithSubqueries {
        case operator if operator.children.nonEmpty && QuotedNames.areAmong(operator.expressions) =>
          if (!operator.children.exists(scope.readsTopic)) operator
          else {
            val names = operator.children.flatMap(scope.names).toSet ++ scope.below(operator)
            operator match {
              case group: Aggregate =>
                val aliases = group.aggregateExpressions.flatMap(scope.name)
                group.copy(
                  groupingExpressions = group.groupingExpressions.map(QuotedNames.asColumns(names ++ aliases)),
                  aggregateExpressions = group.aggregateExpressions.map(
                    QuotedNames.asColumns(names)(_).asInstanceOf[NamedExpression]
                  )
                )
              case other => other.mapExpressions(QuotedNames.asColumns(names))
            }
          }
      }
    }
}

object QuotedNames {

  /** Replaces double-quoted strings that equal one of these names with references, except where a text is expected. */
  def asColumns(names: Set[String])(e: Expression): Expression = e match {
    case text: Literal if isQuoted(text) && names(text.toString) =>
      CurrentOrigin.withOrigin(text.origin)(UnresolvedAttribute(Seq(text.toString)))
    case call: UnresolvedFunction => arguments(call, call.nameParts.last, names)
    case call: UnresolvedGenerator => arguments(call, call.name.funcName, names)
    case other => other.mapChildren(asColumns(names))
  }

  // The arguments of Spark's functions that are names or units: Spark refuses columns there, or nobody means them.
  private val texts = {
    val pairs = (i: Int) => i % 2 == 0
    val first = Set(0)
    val third = Set(2)
    Map(
      "date_part" -> first,
      "date_trunc" -> first,
      "datepart" -> first,
      "json_tuple" -> ((i: Int) => i > 0),
      "map" -> pairs,
      "named_struct" -> pairs,
      "trunc" -> Set(1),
      "try_variant_get" -> third,
      "variant_get" -> third
    )
  }

  private def arguments(call: Expression, name: String, names: Set[String]): Expression = {
    val isText = texts.getOrElse(name.toLowerCase(Locale.ROOT), Set.empty[Int])
    call.withNewChildren(call.children.zipWithIndex.map {
      case (text: Literal, i) if isText(i) => text
      case (other, _) => asColumns(names)(other)
    })
  }

  private def areIn(plan: LogicalPlan): Boolean =
    plan.collectWithSubqueries { case p if !p.analyzed && areAmong(p.expressions) => p }.nonEmpty

  private def areAmong(expressions: Seq[Expression]): Boolean = expressions.exists(_.exists {
    case text: Literal => isQuoted(text)
    case _ => false
  })

  private def isQuoted(text: Literal): Boolean = text.dataType == StringType && (for {
    sql <- text.origin.sqlText
    from <- text.origin.startIndex
    if from < sql.length
  } yield sql.charAt(from) == '"').contains(true)
}

/**
 * The column names of a plan's output, before Spark resolves them.
 *
 * @param views the columns of a view over topics; None for any other name
 */
private final class QuotedScope(ctes: Map[Long, CTERelationDef], views: Seq[String] => Option[Seq[String]]) {

  def readsTopic(plan: LogicalPlan): Boolean = plan.exists {
    case _: TopicRelation => true
    case r: UnresolvedRelation => views(r.multipartIdentifier).isDefined
    case r: CTERelationRef => within(r).exists { case (cte, inner) => inner.readsTopic(cte) }
    case _ => false
  }

  /** All names of a plan's output, including hidden columns. */
  def names(plan: LogicalPlan): Seq[String] = shown(plan) ++ hidden(plan)

  /** A sort or HAVING may use columns that the SELECT below it leaves out. */
  def below(operator: LogicalPlan): Seq[String] = operator match {
    case _: Sort | _: UnresolvedHaving | _: RepartitionByExpression =>
      operator.children.flatMap {
        case selected @ (_: Project | _: Aggregate) => selected.children.flatMap(names)
        case _ => Nil
      }
    case _ => Nil
  }

  def name(e: Expression): Option[String] = e match {
    case UnresolvedAlias(child, _) => name(child)
    case u: UnresolvedAttribute => u.nameParts.lastOption
    case _: Star => None
    case n: NamedExpression => Some(n.name)
    case _ => None
  }

  private def shown(plan: LogicalPlan): Seq[String] = plan match {
    case t: TopicRelation => t.columns.map(_.name) ++ t.derived.computed.map(_._2.name)
    case r: UnresolvedRelation => views(r.multipartIdentifier).getOrElse(Nil)
    case r: CTERelationRef => within(r).toSeq.flatMap { case (cte, inner) => inner.shown(cte) }
    case renamed: UnresolvedSubqueryColumnAliases => renamed.outputColumnNames
    case p: Project => selected(p.projectList, p.child)
    case a: Aggregate => selected(a.aggregateExpressions, a.child)
    case g: Generate => g.generatorOutput.flatMap(name) ++ shown(g.child)
    case u: Union => shown(u.children.head)
    case other => other.children.flatMap(shown)
  }

  /** Hidden columns are available from relations, but not above a SELECT. */
  private def hidden(plan: LogicalPlan): Seq[String] = plan match {
    case t: TopicRelation => t.metadataOutput.map(_.name)
    case _: Project | _: Aggregate | _: Union => Nil
    case other => other.children.flatMap(hidden)
  }

  private def selected(list: Seq[Expression], child: LogicalPlan): Seq[String] = list.flatMap {
    case _: Star | UnresolvedAlias(_: Star, _) => shown(child)
    case MultiAlias(_, names) => names
    case one => name(one).toSeq
  }

  private def within(r: CTERelationRef): Option[(LogicalPlan, QuotedScope)] =
    ctes.get(r.cteId).map(cte => cte.child -> new QuotedScope(ctes - r.cteId, views))
}
