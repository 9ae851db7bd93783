package io.kafkalyst.analyze
package names

import io.kafkalyst.analyze.tables.TopicRelation
import io.kafkalyst.model.TopicColumn
import io.kafkalyst.names.{FieldNames, InternalSchema}
import org.apache.spark.sql.catalyst.analysis.{UnresolvedAttribute, UnresolvedExtractValue}
import org.apache.spark.sql.catalyst.expressions.{Expression, Literal, UnresolvedNamedLambdaVariable}
import org.apache.spark.sql.catalyst.plans.logical.{LocalRelation, LogicalPlan, OneRowRelation, SubqueryAlias}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.types.{DataType, StringType}

/**
 * Rewrites colliding fields to internal names before Spark's resolution, which fails immediately on an unknown field.
 */
object ResolveNested extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = {
    val topics = TopicRelation.in(plan).flatMap(_.columns)
    val columns = topics.filter(c => FieldNames.renamedFields(Seq(c)).nonEmpty)
    if (columns.isEmpty) plan
    else {
      val meant = new Fields(topics, columns, aliases(plan), isOnlyTopics(plan))
      plan.transformWithSubqueries { case operator => ResolveFields.rewritten(operator)(meant.rule) }
    }
  }

  private def aliases(plan: LogicalPlan): Seq[String] = plan.collectWithSubqueries { case a: SubqueryAlias => a.alias }

  /**
   * Whether the plan reads nothing but topics; only then does a name of a derived column certainly refer to a topic's
   * field.
   */
  private def isOnlyTopics(plan: LogicalPlan): Boolean = plan.collectWithSubqueries {
    case leaf if leaf.children.isEmpty => leaf
  }.forall {
    case _: TopicRelation | _: LocalRelation | _: OneRowRelation => true
    case _ => false
  }

  /** @param columns the topics' columns that have colliding fields */
  private class Fields(topics: Seq[TopicColumn], columns: Seq[TopicColumn], aliases: Seq[String], onlyTopics: Boolean) {
    private val byName =
      FieldNames.renamedFields(columns).groupMap(_._1)(_._2).collect { case (n, Seq(one)) => n -> one }

    val rule: PartialFunction[Expression, Expression] = {
      case name: UnresolvedAttribute if name.nameParts.size > 1 =>
        val parts = name.nameParts
        columns.iterator.flatMap(path(name, _)).nextOption().orElse(derived(parts))
          .fold(name)(ResolveFields.attribute(_, name))
      case UnresolvedExtractValue(child, Literal(field, StringType))
          if field != null && byName.contains(field.toString) =>
        UnresolvedExtractValue(child, Literal(byName(field.toString)))
      case variable: UnresolvedNamedLambdaVariable if variable.nameParts.tail.exists(byName.contains) =>
        UnresolvedNamedLambdaVariable(variable.nameParts.head +: variable.nameParts.tail.map(inner))
    }

    private def inner(part: String) = byName.getOrElse(part, part)

    private def path(name: UnresolvedAttribute, column: TopicColumn): Option[Seq[String]] = {
      val parts = name.nameParts
      // As in Spark, a qualifier takes precedence over a column of the same name.
      val isQualified = isAlias(parts.head) && topics.exists(_.name.equalsIgnoreCase(parts(1)))
      val at = parts.indexWhere(_.equalsIgnoreCase(column.name), if (isQualified) 1 else 0)
      val internal = InternalSchema.of(Seq(column)).head.dataType
      if (at < 0 || at + 1 == parts.size) None
      else {
        val found = FieldNames.internalPath(parts.drop(at + 1), column.dataType, internal)
        val isDone = FieldNames.internalPath(parts.drop(at + 1), internal, internal).isDefined
        if (found.isEmpty && !isDone && isColumn(parts, at)) check(name, parts.drop(at + 1), column.dataType)
        found.map(parts.take(at + 1) ++ _)
      }
    }

    /** Whether the name can only be the column's, not that of a table with the same name. */
    private def isColumn(parts: Seq[String], at: Int) =
      (at == 0 && !isAlias(parts.head)) || (at == 1 && isAlias(parts.head))

    private def isAlias(part: String) = aliases.exists(_.equalsIgnoreCase(part))

    /** Throws UNKNOWN_COLUMN or AMBIGUOUS_NAME; Spark's own errors would show internal names. */
    private def check(name: UnresolvedAttribute, path: Seq[String], dataType: DataType): Unit = {
      val levels = FieldNames.levels(path, dataType)
      levels.foreach { case (field, fields) =>
        FieldNames.matches(field, fields) match {
          case Seq() => throw ResolveFields.unknown(name, fields)
          case several if several.size > 1 => throw ResolveFields.ambiguous(field, several.map(fields))
          case _ =>
        }
      }
      // The path goes on below a value that has no fields.
      levels.lastOption.foreach { case (_, fields) => throw ResolveFields.unknown(name, fields) }
    }

    /** `alias.field`, where alias is the name of a column or element in a query below. */
    private def derived(parts: Seq[String]): Option[Seq[String]] = {
      val names = if (isAlias(parts.head)) 2 else 1
      val isTopics = parts.take(names).exists(part => topics.exists(_.name.equalsIgnoreCase(part)))
      if (!onlyTopics || isTopics || !parts.drop(names).exists(byName.contains)) None
      else Some(parts.take(names) ++ parts.drop(names).map(inner))
    }
  }
}
