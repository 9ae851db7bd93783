package io.kafkalyst.parse
package island

import io.kafkalyst.parse.grammar.QueryParser._
import io.kafkalyst.parse.grammar.QueryParserBaseVisitor

import scala.collection.mutable.ArrayBuffer
import scala.jdk.CollectionConverters._

/** Kafkalyst's clauses in a text, in text order. */
private[parse] final class Clauses(tree: TextContext) extends QueryParserBaseVisitor[Unit] {
  val emits = ArrayBuffer.empty[EmitContext]

  /** The sources that follow STREAM in FROM and JOIN. */
  val streams = ArrayBuffer.empty[SourceContext]

  /** Each WITHIN clause with the JOIN whose right side it follows. */
  val withins = ArrayBuffer.empty[(JoinedContext, WithinContext)]

  /** Only clauses of the outer query count for this and the following fields. */
  var window: Option[WindowContext] = None
  var partitionBy: Option[PartitionedContext] = None

  var groupBy: Option[GroupedContext] = None

  private var depth = 0
  visit(tree)

  def isEmpty: Boolean = emits.isEmpty && window.isEmpty && withins.isEmpty && partitionBy.isEmpty

  override def visitGroup(group: GroupContext): Unit = {
    depth += 1
    visitChildren(group)
    depth -= 1
  }

  override def visitEmit(emit: EmitContext): Unit = emits += emit

  override def visitWindow(found: WindowContext): Unit = if (depth == 0 && window.isEmpty) window = Some(found)

  override def visitSource(source: SourceContext): Unit = {
    if (source.STREAM != null && source.item != null) streams += source
    visitChildren(source)
  }

  override def visitJoined(join: JoinedContext): Unit = {
    Option(join.source.item).toSeq.flatMap(_.clause.asScala)
      .foreach { case within: WithinContext => withins += join -> within; case _ => }
    visitChildren(join)
  }

  override def visitPartitioned(part: PartitionedContext): Unit = {
    if (depth == 0 && part.BY != null && partitionBy.isEmpty) partitionBy = Some(part)
    visitChildren(part)
  }

  override def visitGrouped(part: GroupedContext): Unit = {
    if (depth == 0 && part.BY != null && groupBy.isEmpty) groupBy = Some(part)
    visitChildren(part)
  }
}

private[parse] object Clauses {
  def of(text: String): Clauses = new Clauses(new Island(text).tree)
}
