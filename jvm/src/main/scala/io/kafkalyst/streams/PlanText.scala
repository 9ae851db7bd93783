package io.kafkalyst.streams

import io.kafkalyst.model.TopicColumn
import io.kafkalyst.names.InternalSchema
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, V2WriteCommand}
import org.apache.spark.sql.types._

import scala.util.matching.Regex

/** The text of plans with the user's column names, also for unresolved plans that Spark printed. */
object PlanText {
  // One line; its last brackets contain the columns, after the whole definition.
  private val stream =
    """StreamingRelationV2 \S+, kafkalyst, .*\bkafkalyst\.name=([^,\]]+).*, (\[[^\[\]]*\])(, \S+)*""".r

  /** The plan as Spark shows it. */
  def of(plan: LogicalPlan): String = named(plan.treeString, Seq(plan))

  /** @param plans the plans of which the text shows parts */
  def named(text: String, plans: Seq[LogicalPlan]): String = {
    val columns = renamed(plans).map(a => a.exprId.id.toString -> a).toMap
    val short = stream.replaceAllIn(text, m => Regex.quoteReplacement(s"StreamingRelation ${m.group(1)}${m.group(2)}"))
    attribute.replaceAllIn(
      short,
      m =>
        Regex.quoteReplacement(columns.get(m.group(2)).fold(m.matched) { a =>
          val name = if (m.group(1) == internal(a)) external(a) else m.group(1)
          s"$name#${m.group(2)}${m.group(3)}${fields(m.group(4), a)}"
        })
    )
  }

  /** The internal name of each renamed column and field; empty if none is renamed. */
  def mapping(plans: Seq[LogicalPlan]): Seq[String] = renamed(plans).flatMap { a =>
    val column = TopicColumn.of(a)
    val nested = InternalSchema.mapping(Seq(column))
    val own = if (internal(a) == external(a)) Nil else Seq(column.sqlName -> internal(a))
    (own ++ nested).map { case (name, hidden) => s"$name is $hidden" }
  }.distinct

  // A column with its id and the field path into it.
  private val attribute = """(\w+)#(\d+)(L?)((?:\[[^\]]*\]|\.\w+)*)""".r
  private val step = """\[[^\]]*\]|\.\w+""".r

  private def fields(path: String, a: Attribute): String = {
    val column = TopicColumn.of(a)
    val internal = InternalSchema.of(Seq(column)).head.dataType
    step.findAllIn(path).foldLeft(("", internal, column.dataType)) { case ((text, in, ex), step) =>
      def into(in: DataType, ex: DataType): (String, DataType, DataType) = (in, ex) match {
        case (i: StructType, e: StructType) if i.fieldNames.contains(step.drop(1)) =>
          val at = i.fieldIndex(step.drop(1))
          ("." + e(at).name, i(at).dataType, e(at).dataType)
        case (i: ArrayType, e: ArrayType) if step.startsWith("[") => (step, i.elementType, e.elementType)
        case (i: ArrayType, e: ArrayType) => into(i.elementType, e.elementType)
        case (i: MapType, e: MapType) => (step, i.valueType, e.valueType)
        case _ => (step, NullType, NullType)
      }
      val (said, nextIn, nextEx) = into(in, ex)
      (text + said, nextIn, nextEx)
    }._1
  }

  private def renamed(plans: Seq[LogicalPlan]): Seq[Attribute] = plans.flatMap(_.collectWithSubqueries {
    case leaf if leaf.children.isEmpty => leaf.output
    case write: V2WriteCommand => write.table.output
  }).flatten.filter(_.metadata.contains(TopicColumn.nameKey)).distinctBy(_.exprId).sortBy(_.exprId.id)

  private def internal(a: Attribute) = TopicColumn.internalOf(a.name, a.metadata)
  private def external(a: Attribute) = TopicColumn.nameOf(a.name, a.metadata)
}
