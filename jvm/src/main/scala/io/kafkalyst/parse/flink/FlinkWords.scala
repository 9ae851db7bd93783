package io.kafkalyst.parse
package flink

import io.kafkalyst.functions.flink.FlinkCalls
import io.kafkalyst.parse.Edit.instead
import io.kafkalyst.parse.grammar.QueryParser._
import io.kafkalyst.parse.island.Island
import org.antlr.v4.runtime.Token

import scala.jdk.CollectionConverters._

/** Translates calls of Flink's queries to Spark: `ROW(…)`, `ARRAY[…]`, `TO_TIMESTAMP_LTZ(n, 3)`, `TIMESTAMP(3)`. */
private[parse] object FlinkWords {
  private val calls = "(?i)\\b(?:(?:TO_TIMESTAMP_LTZ|ROW)\\s*\\(|ARRAY\\s*\\[|LOCALTIME(?:STAMP)?\\b)".r

  /** Flink's time constants, which are calls with parentheses in Spark. */
  val constants: Map[String, String] = Map("LOCALTIMESTAMP" -> "localtimestamp()", "LOCALTIME" -> "current_time()")

  /** Spark's function for each precision in the second argument of TO_TIMESTAMP_LTZ. */
  val instants: Map[String, String] = Map("0" -> "timestamp_seconds", "3" -> "timestamp_millis")
  private val types = Map("TIMESTAMP" -> "TIMESTAMP_NTZ", "TIMESTAMP_LTZ" -> "TIMESTAMP")

  /** Whether a text that Spark accepts may contain such expressions. */
  def isIn(text: String): Boolean =
    signs.exists(Mentions(text, _)) && calls.findFirstIn(text).isDefined

  private val signs = Seq("row", "array", "to_timestamp_ltz", "localtimestamp", "localtime")

  /** @param name the word before the parentheses, in upper case */
  def call(island: Island, name: String, word: Token, group: GroupContext): Seq[Edit] = {
    def follows(kind: Int) = island.is(word.getTokenIndex - 1, kind)
    name match {
      case "TO_TIMESTAMP_LTZ" => instant(word, group)
      case "ROW" if !follows(AS) && !follows(DOT) => Seq(instead(word, "struct"))
      case _ if types.contains(name) && follows(AS) =>
        precision(group).toSeq.flatMap { number =>
          Seq(instead(word, number, types(name) + FlinkCalls.digits(number.getText)), instead(group.getStop, ""))
        }
      case _ => Nil
    }
  }

  private def instant(word: Token, group: GroupContext): Seq[Edit] =
    (arguments(group), arguments(group).lastOption) match {
      case (Seq(_, _), Some(last)) if last.getStart == last.getStop && instants.contains(last.getText) =>
        Seq(instead(word, instants(last.getText)), instead(group.content.list.COMMA(0).getSymbol, last.getStop, ""))
      case (Seq(_, _, _), _) => Seq(instead(word, "to_timestamp_of_zone"))
      case _ => Nil
    }

  private def precision(group: GroupContext): Option[Token] = arguments(group) match {
    case Seq(one) if one.getStart == one.getStop && one.getStart.getType == NUMBER && group.RPAREN != null =>
      Some(one.getStart)
    case _ => None
  }

  private def arguments(group: GroupContext): Seq[ItemContext] = group.content.list.item.asScala.toSeq
}
