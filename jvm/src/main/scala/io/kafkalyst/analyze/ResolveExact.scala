package io.kafkalyst.analyze

import io.kafkalyst.model.TopicColumn
import io.kafkalyst.names.FieldNames
import org.apache.spark.sql.catalyst.analysis.{UnresolvedAttribute, UnresolvedExtractValue}
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.UsingJoin
import org.apache.spark.sql.catalyst.plans.logical.{Join, LogicalPlan}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.types.{ArrayType, DataType, StringType, StructType}

/** In a DataFrame's next step the names below are external again: the exact one of them is meant. */
object ResolveExact extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperatorsUp {
    case Join(left, right, UsingJoin(_, names), _, _)
        if left.resolved && right.resolved && !conf.caseSensitiveAnalysis =>
      // Spark would take the first that is the same but for case.
      for (side <- Seq(left, right); name <- names; same = ofTopics(side.output, name) if same.size > 1)
        throw ResolveFields.ambiguousUsing(name, same)
      plan
    case operator if operator.children.nonEmpty && operator.childrenResolved && !operator.resolved =>
      val output = operator.children.flatMap(_.output)
      operator.transformExpressions { case Path(parts) if meant(parts, output).isDefined => meant(parts, output).get }
  }

  /** A column, or a field of one, by its names. */
  private object Path {
    def unapply(e: Expression): Option[Seq[String]] = e match {
      case name: UnresolvedAttribute => Some(name.nameParts)
      case UnresolvedExtractValue(child, Literal(field, StringType)) if field != null =>
        unapply(child).map(_ :+ field.toString)
      case _ => None
    }
  }

  private def ofTopics(output: Seq[Attribute], name: String) =
    output.filter(a => a.name.equalsIgnoreCase(name) && a.metadata.contains(TopicColumn.roleKey))

  /** What Spark would not tell from others; None where there are none. */
  private def meant(parts: Seq[String], output: Seq[Attribute]): Option[NamedExpression] =
    parts.indices.iterator.map { at =>
      val owned = output.filter(a => isQualifier(parts.take(at), a.qualifier))
      val same = owned.filter(_.name.equalsIgnoreCase(parts(at)))
      val ours = ofTopics(same, parts(at))
      val rest = parts.drop(at + 1)
      if (ours.isEmpty || ours.size < same.size) None
      else same.filter(_.name == parts(at)) match {
        case Seq(one) if rest.isEmpty => if (same.size > 1) Some(one) else None
        case Seq(one) => field(one, rest, same.size > 1)
        case _ if same.size > 1 => throw ResolveFields.ambiguousColumn(parts(at), same)
        case _ => field(same.head, rest, collided = false)
      }
    }.collectFirst { case Some(found) => found }

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
