package io.kafkalyst.analyze
package names

import java.util.Locale

import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.functions.{Cube, KsqlCall, KsqlFields, KsqlTableCall}
import io.kafkalyst.model.TopicColumn
import io.kafkalyst.streams.ksql.TypeErrors
import org.apache.spark.sql.catalyst.analysis.{Star, UnresolvedAlias}
import org.apache.spark.sql.catalyst.expressions.{Cube => _, _}
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreePattern.UNRESOLVED_FUNCTION
import org.apache.spark.sql.types.{ArrayType, StructType}

/** Replaces ksqlDB's functions and table functions with Spark's own expressions once their arguments are resolved. */
object ResolveKsqlCalls extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperatorsUpWithPruning(
    _.containsPattern(UNRESOLVED_FUNCTION)
  ) {
    case project: Project if project.childrenResolved && isReady(project) => zipped(project)
    case project: Project if project.projectList.exists(isReady) =>
      project.copy(projectList = project.projectList.flatMap(fields))
    case group: Aggregate if group.aggregateExpressions.exists(isReady) =>
      group.copy(aggregateExpressions = group.aggregateExpressions.flatMap(fields))
    case operator if operator.expressions.exists(_.exists(_.isInstanceOf[KsqlCall])) =>
      operator.transformExpressionsUp {
        case call: KsqlCall if call.isReady =>
          lambdaNames(operator, call)
          try call.built
          catch {
            case e: KafkalystException if e.line.isEmpty => throw e.at(call.origin.line, call.origin.startPosition)
          }
      }
  }

  private def isReady(column: NamedExpression) = column match {
    case UnresolvedAlias(KsqlFields(struct), _) => struct.resolved
    case _ => false
  }

  /** Expands `struct->*` to the struct's fields, under the user's names. */
  private def fields(column: NamedExpression): Seq[NamedExpression] = column match {
    case UnresolvedAlias(KsqlFields(struct), _) if struct.resolved =>
      struct.dataType match {
        case s: StructType => s.fields.toSeq.zipWithIndex.map { case (f, i) =>
            Alias(GetStructField(struct, i), TopicColumn.nameOf(f.name, f.metadata))()
          }
        case other => throw TypeErrors.notStruct("The value before ->*", other.sql)
      }
    case other => Seq(other)
  }

  private def lambdaNames(operator: LogicalPlan, call: KsqlCall): Unit = call.children.foreach {
    case LambdaFunction(_, parameters, _) =>
      val columns = operator.children.flatMap(_.output).map(a => TopicColumn.nameOf(a.name, a.metadata))
      parameters.map(_.name).find(columns.contains).foreach { name =>
        throw KafkalystException("LAMBDA_ARGUMENT_IS_COLUMN", "name" -> name, "function" -> call.prettyName)
      }
    case _ =>
  }

  private def tableCalls(p: Project): Seq[KsqlTableCall] =
    p.projectList.flatMap(_.collect { case t: KsqlTableCall => t }).distinct

  /** Stars are expanded first, because they must not include the generated columns. */
  private def isReady(p: Project): Boolean = {
    val calls = tableCalls(p)
    calls.nonEmpty && calls.forall(_.children.forall(_.resolved)) &&
    !p.projectList.exists(_.exists(_.isInstanceOf[Star]))
  }

  /** Combines all table functions of a SELECT: the i-th row has the i-th element of each, or null. */
  private def zipped(p: Project): LogicalPlan = {
    if (p.projectList.exists(_.exists(_.isInstanceOf[AggregateExpression])))
      throw refused(tableCalls(p).head.name, "the SELECT aggregates, and its rows are made before")
    val calls = tableCalls(p)
    val arrays = calls.map(array)
    val zip = ArraysZip(
      arrays.map(a => Coalesce(Seq(a, Literal.create(Array.empty[Any], a.dataType)))),
      arrays.indices.map(i => Literal(i.toString))
    )
    val row = AttributeReference("kafkalyst_row", zip.dataType.asInstanceOf[ArrayType].elementType)()
    val generated = Generate(Explode(zip), Nil, outer = false, None, Seq(row), p.child)
    val list = p.projectList.map(_.transformUp {
      case t: KsqlTableCall => GetStructField(row, calls.indexWhere(_.semanticEquals(t)))
    }.asInstanceOf[NamedExpression])
    Project(list, generated)
  }

  private def array(call: KsqlTableCall): Expression = (call.name, call.children) match {
    case ("explode", Seq(one)) if one.dataType.isInstanceOf[ArrayType] => one
    case ("cube_explode", Seq(one)) if one.dataType.isInstanceOf[ArrayType] => Cube(one)
    case (_, arguments) =>
      throw refused(
        call.name,
        s"it takes one ARRAY, and is given ${arguments.map(_.dataType.sql).mkString("(", ", ", ")")}"
      )
  }

  def refused(function: String, reason: String): KafkalystException =
    KafkalystException("TABLE_FUNCTION_PLACE", "function" -> function.toUpperCase(Locale.ROOT), "reason" -> reason)
}
