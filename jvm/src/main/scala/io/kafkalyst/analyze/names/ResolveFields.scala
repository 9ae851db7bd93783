package io.kafkalyst.analyze
package names

import io.kafkalyst.analyze.tables.TopicRelation
import io.kafkalyst.errors.{Conditions, KafkalystException}
import io.kafkalyst.model.TopicColumn
import io.kafkalyst.names.FieldNames
import org.apache.spark.sql.catalyst.analysis.{
  AnalysisContext,
  UnresolvedAlias,
  UnresolvedAttribute,
  UnresolvedExtractValue,
  UnresolvedHaving
}
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreePattern.UNRESOLVED_ATTRIBUTE
import org.apache.spark.sql.catalyst.trees.{CurrentOrigin, Origin}
import org.apache.spark.sql.types.StringType

/**
 * Colliding columns have internal names in the relation, so Spark cannot resolve references to them. This rule rewrites
 * these references to internal names, and leaves all others to Spark's own resolution, which knows the scopes.
 */
object ResolveFields extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperatorsUpWithPruning(
    _.containsPattern(UNRESOLVED_ATTRIBUTE)
  ) {
    case operator if operator.children.nonEmpty && operator.childrenResolved && !operator.resolved =>
      val scopes = scopesOf(operator)
      if (!scopes.exists(_.exists(isRenamed))) operator
      else
        rewritten(operator) { case name: UnresolvedAttribute => internal(name, scopes).getOrElse(name) }
  }

  private[analyze] def rewritten(operator: LogicalPlan)(rule: PartialFunction[Expression, Expression]): LogicalPlan = {
    def selected(list: Seq[NamedExpression]) = list.map(keepingName(_)(rule))
    operator match {
      case p: Project => p.copy(projectList = selected(p.projectList))
      case a: Aggregate =>
        a.copy(a.groupingExpressions.map(_.transformUp(rule)), selected(a.aggregateExpressions))
      case other => other.transformExpressionsUp(rule)
    }
  }

  /** Rewrites an expression of a select list and keeps its user-visible name. */
  private def keepingName(e: NamedExpression)(rule: PartialFunction[Expression, Expression]): NamedExpression = {
    val rewritten = e.transformUp(rule)
    (e, rewritten) match {
      case _ if rewritten.fastEquals(e) => e
      case (UnresolvedAlias(child, None), UnresolvedAlias(inner: UnresolvedExtractValue, None)) =>
        Alias(inner, pretty(child))()
      // Spark names a cast after its child.
      case (UnresolvedAlias(cast: Cast, None), UnresolvedAlias(inner, None))
          if cast.child.isInstanceOf[NamedExpression] =>
        Alias(inner, cast.child.asInstanceOf[NamedExpression].name)()
      case (UnresolvedAlias(child, None), UnresolvedAlias(inner, None)) =>
        val name = pretty(child)
        UnresolvedAlias(inner, Some(_ => name))
      case (a: UnresolvedAttribute, b: UnresolvedAttribute) if a.nameParts.last != b.nameParts.last && isNested(a, b) =>
        Alias(b, a.nameParts.last)()
      case (_, named: NamedExpression) => named
      case (_, other) => Alias(other, e.name)()
    }
  }

  /** An expression's default name in Spark, without an alias. */
  private def pretty(e: Expression): String = e.transform {
    case a: UnresolvedAttribute => PrettyAttribute(a.nameParts.mkString("."))
    case a: Attribute => PrettyAttribute(TopicColumn.nameOf(a.name, a.metadata))
    case UnresolvedExtractValue(child, Literal(field, StringType)) if field != null =>
      PrettyAttribute(s"${child.sql}.$field")
  }.sql

  /** Whether the reference is to a field of a column; the column itself is renamed at the end. */
  private def isNested(a: UnresolvedAttribute, b: UnresolvedAttribute) = a.nameParts.size > 1 && b.nameParts.size > 1

  private def isRenamed(a: Attribute): Boolean = a.metadata.contains(TopicColumn.nameKey)

  /**
   * The attributes that an operator's names may refer to, nearest scope first: a sort also sees its projection's input.
   */
  private def scopesOf(operator: LogicalPlan): Seq[Seq[Attribute]] = {
    def below(plan: LogicalPlan): Seq[Seq[Attribute]] = plan match {
      case p: Project => p.child.output +: below(p.child)
      case a: Aggregate => a.child.output +: below(a.child)
      case f: Filter => below(f.child)
      case d: Distinct => below(d.child)
      case _ => Nil
    }
    val nearest = operator.children.flatMap(_.output)
    val around = AnalysisContext.get.outerPlan.toSeq.map(_.children.flatMap(_.output))
    operator match {
      case _: Sort | _: Filter | _: UnresolvedHaving => (nearest +: operator.children.flatMap(below)) ++ around
      case _ => nearest +: around
    }
  }

  /** The reference in internal names; None if it refers to no renamed column. */
  private def internal(name: UnresolvedAttribute, scopes: Seq[Seq[Attribute]]): Option[UnresolvedAttribute] = {
    def first(matches: (String, String) => Boolean) =
      scopes.iterator.map(internal(name, _, matches)).collectFirst { case Some(found) => found }
    first(_ == _).orElse(first(_ equalsIgnoreCase _))
  }

  private def internal(
      name: UnresolvedAttribute,
      scope: Seq[Attribute],
      matches: (String, String) => Boolean
  ): Option[UnresolvedAttribute] = {
    val parts = name.nameParts
    // As in Spark, a qualifier takes precedence over a column of the same name.
    val found = parts.indices.reverseIterator.map { at =>
      val owned = scope.filter(a =>
        parts.take(at).reverse.zipAll(a.qualifier.reverse.take(at), "", "").forall {
          case (given, has) => given.equalsIgnoreCase(has)
        }
      )
      owned.filter(a => matches(parts(at), TopicColumn.nameOf(a.name, a.metadata))).map(_ -> parts.drop(at + 1))
    }.find(_.nonEmpty).getOrElse(Nil).filter { case (a, _) => isRenamed(a) }.distinctBy(_._1.exprId)
    found match {
      case Seq() => None
      case Seq((a, nested)) =>
        val column = TopicColumn.of(a)
        FieldNames.internalPath(nested, column.dataType, a.dataType).map(rest =>
          attribute(a.qualifier ++ (a.name +: rest), name)
        )
      case several => throw ambiguousColumn(name.name, several.map(_._1))
    }
  }

  /** Reports names that are still unresolved at the end, suggesting the user's names. */
  object Unknown extends Rule[LogicalPlan] {
    override def apply(plan: LogicalPlan): LogicalPlan = {
      if (!plan.resolved && AnalysisContext.get.outerPlan.isEmpty) plan.foreach {
        case operator if operator.childrenResolved && operator.children.exists(_.output.exists(isRenamed)) =>
          operator.expressions.flatMap(_.collect { case name: UnresolvedAttribute => name }).headOption.foreach {
            name =>
              val columns = operator.children.flatMap(_.output).map(a => TopicColumn.nameOf(a.name, a.metadata))
              val below = plan.collectLeaves().flatMap(_.output).filter(isRenamed)
              val known = below.map(a => a.name -> TopicColumn.nameOf(a.name, a.metadata)).toMap
              throw unknown(UnresolvedAttribute(name.nameParts.map(p => known.getOrElse(p, p))), columns, name.origin)
          }
        case _ =>
      }
      plan
    }
  }

  def unknown(name: UnresolvedAttribute, columns: Seq[String]): KafkalystException =
    unknown(name, columns, name.origin)

  private def unknown(name: UnresolvedAttribute, columns: Seq[String], at: Origin) = KafkalystException(
    "UNKNOWN_COLUMN",
    "name" -> name.nameParts.map(TopicColumn.quoted).mkString("."),
    "line" -> at.line.fold("?")(_.toString),
    "column_at" -> at.startPosition.fold("?")(p => (p + 1).toString),
    "nearest" -> Conditions.nearest(name.nameParts.last, columns),
    "columns" -> columns.map(TopicColumn.quoted).mkString(", ")
  )

  /** @param fields the struct's fields that the name could refer to */
  private[analyze] def ambiguous(name: String, fields: Seq[String]): KafkalystException =
    ambiguous(name, fields.map(TopicColumn.quoted), "Write one of these.")

  private[analyze] def ambiguousUsing(name: String, candidates: Seq[Attribute]): KafkalystException = ambiguous(
    name,
    candidates.map(a => TopicColumn.quoted(a.name)),
    "Join on a condition that names the columns of both sides, not on a name."
  )

  private def ambiguous(name: String, candidates: Seq[String], hint: String): KafkalystException =
    KafkalystException("AMBIGUOUS_NAME", "name" -> name, "candidates" -> candidates.mkString(", "), "hint" -> hint)

  private[analyze] def ambiguousColumn(name: String, candidates: Seq[Attribute]): KafkalystException = {
    val shown = candidates.map { a =>
      val owner = a.qualifier.lastOption.fold("")(_ + ".")
      val side = TopicColumn.sideOf(a.metadata)
      val sides = candidates.map(c => TopicColumn.sideOf(c.metadata)).distinct
      val view = if (sides.size > 1) TopicRelation.viewName(side) + "." else ""
      owner + view + TopicColumn.quoted(TopicColumn.nameOf(a.name, a.metadata))
    }
    ambiguous(name, shown, "Write one of these.")
  }

  private[analyze] def attribute(parts: Seq[String], instead: UnresolvedAttribute): UnresolvedAttribute =
    CurrentOrigin.withOrigin(instead.origin) {
      val renamed = UnresolvedAttribute(parts)
      renamed.copyTagsFrom(instead)
      renamed
    }
}
