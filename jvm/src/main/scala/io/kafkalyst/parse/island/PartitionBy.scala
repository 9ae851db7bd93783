package io.kafkalyst.parse
package island

import io.kafkalyst.parse.grammar.QueryParser._
import org.antlr.v4.runtime.ParserRuleContext

import scala.jdk.CollectionConverters._

/**
 * ksqlDB's PARTITION BY at the end of a query.
 *
 * @param items      the expressions, each preceded by blanks that keep its positions equal to those in the whole
 *                   statement
 * @param structured whether `STRUCT<…>` makes the key a record
 */
private[parse] final case class PartitionBy(items: Seq[String], structured: Boolean)

private[parse] object PartitionBy {
  private type Parts = Seq[ParserRuleContext]

  /** @param source the text, as Spark reads it, between two positions */
  def of(clause: PartitionedContext, text: String, source: (Int, Int) => String): PartitionBy = {
    val keys = items(clause.list) match {
      case Seq(Seq(group: GroupContext)) => items(group.content.list)
      case several => several
    }
    val whole = keys match {
      case Seq(Seq(record: RecordContext)) => Some(fields(record))
      case _ => None
    }
    def between(parts: Parts) =
      if (parts.isEmpty) "" else source(parts.head.getStart.getStartIndex, parts.last.getStop.getStopIndex + 1)
    // `STRUCT<a, b> [AS] x`, `x STRUCT<a, b>` or any expression
    def expression(parts: Parts): String = parts.indexWhere(_.isInstanceOf[RecordContext]) match {
      case -1 => between(parts)
      case at =>
        val inner = fields(parts(at).asInstanceOf[RecordContext]).map(expression).mkString(", ")
        val behind = between(parts.drop(at + 1))
        s"struct($inner)" + (if (at == 1) " AS " + between(parts.take(1)) else if (behind.isEmpty) "" else " " + behind)
    }
    def blanks(until: Int) = text.substring(0, until).map(c => if (c == '\n' || c == '\r') c else ' ')
    PartitionBy(
      whole.getOrElse(keys).map(key => blanks(key.head.getStart.getStartIndex) + expression(key)),
      whole.isDefined || keys.exists(isRecord)
    )
  }

  /** Where the clause ends: other clauses may follow its last expression. */
  def end(clause: PartitionedContext): Int =
    items(clause.list).lastOption.fold(clause.BY.getSymbol)(_.last.getStop).getTokenIndex

  private def items(list: ListContext): Seq[Parts] = list.item.asScala.toSeq.map { item =>
    Island.children(item).takeWhile(!_.isInstanceOf[ClauseContext]).map(_.asInstanceOf[ParserRuleContext])
  }

  private def fields(record: RecordContext): Seq[Parts] = record.field.asScala.toSeq.map(_.element.asScala.toSeq)

  private def isRecord(key: Parts) =
    key.head.getStart.getType == STRUCT && key.head.getStart.getTokenIndex < key.last.getStop.getTokenIndex
}
