package io.kafkalyst.parse
package island

import java.util.Locale

import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.model.Durations
import io.kafkalyst.parse.grammar.QueryParser.WindowContext
import io.kafkalyst.streams.GroupWindow

import scala.jdk.CollectionConverters._

/**
 * ksqlDB's WINDOW clause.
 *
 * @param at line and column, as message parameters
 */
private[parse] final case class WindowClause(window: GroupWindow, at: Seq[(String, String)])

private[parse] object WindowClause {

  /** @throws io.kafkalyst.errors.KafkalystException WINDOW_CLAUSE if it is malformed */
  def of(clause: WindowContext, island: Island): WindowClause = {
    val from = clause.getStart
    val at = Seq("line" -> from.getLine.toString, "column_at" -> (from.getCharPositionInLine + 1).toString)
    val parts = clause.span.asScala.map(island.of(_).map(_.getText.toUpperCase(Locale.ROOT)).mkString(" "))
    WindowClause(read(clause.kind.getText.toUpperCase(Locale.ROOT), parts.toSeq, at), at)
  }

  private def read(kind: String, parts: Seq[String], at: Seq[(String, String)]): GroupWindow = {
    def refuse(reason: String): Nothing = throw KafkalystException("WINDOW_CLAUSE", at :+ ("reason" -> reason): _*)
    def millis(text: String): Long =
      Durations.millis(text).getOrElse(refuse(s""""$text" is not a duration such as 10 SECONDS"""))
    val names = Seq("SIZE", "ADVANCE BY", "RETENTION", "GRACE PERIOD")
    val given = parts.map { part =>
      names.find(n => part.startsWith(n + " ")).map(n => n -> millis(part.stripPrefix(n).trim))
        .getOrElse((if (kind == "SESSION") "SIZE" else refuse(s""""$part" is not known here""")) -> millis(part))
    }
    given.map(_._1).diff(names.filter(n => given.exists(_._1 == n))).headOption.foreach(n =>
      refuse(s"$n is given twice")
    )
    val spans = given.toMap
    val size = spans.getOrElse("SIZE", refuse("SIZE is missing"))
    val advance = spans.get("ADVANCE BY")
    if (kind == "HOPPING" && advance.isEmpty) refuse("ADVANCE BY is missing")
    if (kind != "HOPPING" && advance.isDefined) refuse(s"ADVANCE BY is not a part of $kind windows")
    if (size <= 0 || advance.exists(_ <= 0)) refuse("a window's size and advance must be above 0")
    if (advance.exists(_ > size)) refuse("windows that advance by more than their size would leave rows out")
    val window = GroupWindow(kind, size, advance.getOrElse(size), spans.get("GRACE PERIOD"))
    spans.get("RETENTION").filter(_ < size + window.lateness).foreach { _ =>
      val otherwise =
        if (window.grace.isDefined) "" else "; without GRACE PERIOD they are a day together, or the size if longer"
      refuse(s"RETENTION must be at least the window's size and its grace period$otherwise")
    }
    window
  }
}
