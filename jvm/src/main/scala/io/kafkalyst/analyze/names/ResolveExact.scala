package io.kafkalyst.analyze
package names

import io.kafkalyst.model.TopicColumn
import io.kafkalyst.names.FieldNames
import org.apache.spark.sql.catalyst.analysis.{UnresolvedAttribute, UnresolvedExtractValue}
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.UsingJoin
import org.apache.spark.sql.catalyst.plans.logical.{Join, LogicalPlan}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreePattern.{NATURAL_LIKE_JOIN, UNRESOLVED_ATTRIBUTE}
import org.apache.spark.sql.types.{ArrayType, DataType, StringType, StructType}

/**
 * Above an analysed DataFrame, columns have their external names again: resolves references whose candidates differ
 * only in case to the exact match.
 */
object ResolveExact extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperatorsUpWithPruning(
    _.containsAnyPattern(UNRESOLVED_ATTRIBUTE, NATURAL_LIKE_JOIN)
  ) {
    case join @ Join(left, right, UsingJoin(_, names), _, _)
        if left.resolved && right.resolved && !conf.caseSensitiveAnalysis =>
      // Spark would choose the first name that matches case-insensitively.
      for (side <- Seq(left, right); name <- names; same = ofTopics(side.output, name) if same.size > 1)
        throw ResolveFields.ambiguousUsing(name, same)
      join
    case operator if operator.children.nonEmpty && operator.childrenResolved && !operator.resolved =>
      // As in Spark, a column that is selected twice counts once.
      val output = operator.children.flatMap(_.output).distinctBy(_.exprId)
      if (!output.exists(isTopics)) operator
      else operator.transformExpressions {
        case Path(parts) if meant(parts, output).isDefined => meant(parts, output).get
      }
  }

  /** A column, or a field of one, by its name parts. */
  private object Path {
    def unapply(e: Expression): Option[Seq[String]] = e match {
      case name: UnresolvedAttribute => Some(name.nameParts)
      case UnresolvedExtractValue(child, Literal(field, StringType)) if field != null =>
        unapply(child).map(_ :+ field.toString)
      case _ => None
    }
  }

  private def ofTopics(output: Seq[Attribute], name: String) =
    output.filter(a => a.name.equalsIgnoreCase(name) && isTopics(a))

  private def isTopics(a: Attribute) = a.metadata.contains(TopicColumn.roleKey)

  /**
   * Resolves a reference that is ambiguous in Spark; None for others. As in Spark, a qualifier takes precedence over a
   * column.
   */
  private def meant(parts: Seq[String], output: Seq[Attribute]): Option[NamedExpression] =
    parts.indices.reverseIterator
      .map(at => at -> output.filter(a => isQualifier(parts.take(at), a.qualifier) && isNamed(a, parts(at))))
      .collectFirst { case (at, same) if same.nonEmpty => exact(parts.drop(at), same) }
      .flatten

  /** Whether the column has this name, also if [[ResolveFields]] is still to find it by it. */
  private def isNamed(a: Attribute, name: String) = TopicColumn.nameOf(a.name, a.metadata).equalsIgnoreCase(name)

  /** @param same all columns that the first part may refer to */
  private def exact(parts: Seq[String], same: Seq[Attribute]): Option[NamedExpression] =
    if (ofTopics(same, parts.head).size < same.size) None
    else same.filter(_.name == parts.head) match {
      case Seq(one) if parts.size == 1 => if (same.size > 1) Some(one) else None
      case Seq(one) => field(one, parts.tail, same.size > 1)
      case _ if same.size > 1 => throw ResolveFields.ambiguousColumn(parts.head, same)
      case _ => field(same.head, parts.tail, collided = false)
    }

  private def isQualifier(given: Seq[String], qualifier: Seq[String]) =
    given.size <= qualifier.size && given.reverse.zip(qualifier.reverse).forall { case (a, b) => a.equalsIgnoreCase(b) }

  private def field(of: Expression, path: Seq[String], collided: Boolean): Option[NamedExpression] =
    if (path.isEmpty || !(collided || collides(of.dataType, path))) None
    else inside(of, path).map(Alias(_, path.last)())

  private def collides(dataType: DataType, path: Seq[String]): Boolean =
    FieldNames.levels(path, dataType).exists { case (name, fields) => fields.count(_.equalsIgnoreCase(name)) > 1 }

  private def inside(of: Expression, path: Seq[String]): Option[Expression] =
    if (path.isEmpty) Some(of)
    else {
      def at(s: StructType) = FieldNames.matches(path.head, s.fieldNames.toSeq) match {
        case Seq(one) => Some(one)
        case several if several.size > 1 => throw ResolveFields.ambiguous(path.head, several.map(s.fieldNames(_)))
        case _ => None
      }
      val next = of.dataType match {
        case s: StructType => at(s).map(GetStructField(of, _, Some(path.head)))
        case ArrayType(s: StructType, nulls) =>
          at(s).map(i => GetArrayStructFields(of, s(i), i, s.size, nulls || s(i).nullable))
        case _ => None
      }
      next.flatMap(inside(_, path.tail))
    }
}
