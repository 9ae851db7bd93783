package io.kafkalyst.parse
package island

import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.joins.{JoinWindow, PlacedWindow}
import io.kafkalyst.model.Durations
import io.kafkalyst.parse.grammar.QueryParser.{JoinedContext, TimeContext, WithinContext}

/** ksqlDB's `WITHIN 10 SECONDS` and `WITHIN (1 HOUR, 2 HOURS) GRACE PERIOD 5 MINUTES` after a join's right side. */
private[parse] object WithinClause {

  /** @throws io.kafkalyst.errors.KafkalystException WITHIN_CLAUSE if it is malformed */
  def of(join: JoinedContext, clause: WithinContext, island: Island): PlacedWindow = {
    def fail(reason: String): Nothing = throw KafkalystException(
      "WITHIN_CLAUSE",
      "line" -> clause.getStart.getLine.toString,
      "column_at" -> (clause.getStart.getCharPositionInLine + 1).toString,
      "reason" -> reason
    )
    def millis(time: TimeContext): Long = {
      val text = island.of(time).map(_.getText).mkString(" ")
      Durations.millis(text).getOrElse(fail(s"`$text` is not a duration such as 10 SECONDS"))
    }
    val (before, after) =
      if (clause.both != null) (millis(clause.both), millis(clause.both))
      else {
        val first = millis(clause.before)
        if (clause.COMMA == null || clause.after == null) fail("a comma and the second time are missing")
        (first, millis(clause.after))
      }
    val window = JoinWindow(before, after, Option(clause.grace).map(millis))
    PlacedWindow(join.getStart.getStartIndex, clause.getStart.getStartIndex, window)
  }
}
