package io.kafkalyst.parse
package island

import io.kafkalyst.parse.grammar.QueryParser._
import org.antlr.v4.runtime.ParserRuleContext

import scala.jdk.CollectionConverters._

/**
 * The clause that defines a sink's key: ksqlDB's PARTITION BY at the end of a query, or GROUP BY.
 *
 * @param items      the expressions
 * @param structured whether `STRUCT<…>` makes the key a record
 */
private[parse] final case class KeyClause(items: Seq[KeyClause.Item], structured: Boolean) {

  /** The text of the GROUP BY, padded from a position on: in GROUP BY, Spark allows aliases only within a struct. */
  def grouping(from: Int): String =
    items.map(item => item.copy(text = if (item.isNamed) s"struct(${item.text})" else item.text))
      .foldLeft("") { (before, item) =>
        val comma = if (before.isEmpty) "" else ", "
        before + comma + " " * (item.at - from - before.length - comma.length).max(0) + item.text
      }
}

private[parse] object KeyClause {
  private type Parts = Seq[ParserRuleContext]

  /**
   * @param at      the position in the whole statement
   * @param text    the text in Spark's syntax
   * @param isNamed whether an alias follows, as in `a + 1 AS b`
   */
  final case class Item(at: Int, text: String, isNamed: Boolean) {

    /** The text after blanks, so that its positions equal those in the whole statement. */
    def placed(statement: String): String =
      statement.substring(0, at).map(c => if (c == '\n' || c == '\r') c else ' ') + text
  }

  /** @param source the text, in Spark's syntax, between two positions */
  def of(list: ListContext, source: (Int, Int) => String): KeyClause = {
    val keys = items(list) match {
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
    KeyClause(
      whole.getOrElse(keys).map(key => Item(key.head.getStart.getStartIndex, expression(key), isNamed(key))),
      whole.isDefined || keys.exists(isRecord)
    )
  }

  /**
   * The index of the clause's last word; None if the clause has no expression. Other clauses may follow the last
   * expression.
   */
  def end(list: ListContext): Option[Int] = items(list).lastOption.map(_.last.getStop.getTokenIndex)

  private def items(list: ListContext): Seq[Parts] = list.item.asScala.toSeq.map { item =>
    Island.children(item).takeWhile(!_.isInstanceOf[ClauseContext]).map(_.asInstanceOf[ParserRuleContext])
  }

  private def fields(record: RecordContext): Seq[Parts] = record.field.asScala.toSeq.map(_.element.asScala.toSeq)

  /**
   * Whether the key is `STRUCT<a, b>` or `STRUCT(a, b)`; ksqlDB's `STRUCT(f := a)`, and a field of a struct, are
   * values.
   */
  private def isRecord(key: Parts) = key.head.getStart.getType == STRUCT && (key.lift(1) match {
    case Some(group: GroupContext) => (key.size == 2 || isNamed(key)) &&
      !items(group.content.list).exists(_.exists(_.getStart.getType == ASSIGN))
    case other => other.isDefined
  })

  private def isNamed(key: Parts) = key.size > 1 &&
    (key.exists(_.isInstanceOf[RecordContext]) || key(key.size - 2).getText.equalsIgnoreCase("AS"))
}
