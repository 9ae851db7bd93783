package io.kafkalyst.parse
package flink

import java.util.Locale

import io.kafkalyst.analyze.SessionGroups
import io.kafkalyst.analyze.tables.WindowEnds
import io.kafkalyst.model.Durations
import io.kafkalyst.parse.grammar.KafkalystLexer._
import io.kafkalyst.parse.island.Clauses
import org.antlr.v4.runtime.Token

/**
 * Rewrites Flink's window table functions to subqueries over Spark's `window`: `[TABLE(]TUMBLE(TABLE t, DESCRIPTOR(c),
 * INTERVAL '10' MINUTES)[)]`, HOP and CUMULATE. SESSION, with `TABLE t PARTITION BY (k)`, is rewritten to window
 * functions; in an unbounded query to Spark's `session_window`, see [[SessionGroups]]. The subqueries return the
 * table's rows with window_start, window_end and window_time.
 */
private[parse] object FlinkWindows {
  // The arguments by Flink's names, in order; OFFSET is optional.
  private val arguments = Map(
    "TUMBLE" -> Seq("DATA", "TIMECOL", "SIZE", "OFFSET"),
    "HOP" -> Seq("DATA", "TIMECOL", "SLIDE", "SIZE", "OFFSET"),
    "CUMULATE" -> Seq("DATA", "TIMECOL", "STEP", "SIZE", "OFFSET"),
    "SESSION" -> Seq("DATA", "TIMECOL", "GAP")
  )

  /** The text with each window call as a subquery; malformed calls stay for Spark to refuse. */
  def rewritten(text: String): String =
    if (!Mentions(text, "descriptor")) text
    else {
      val tokens = new Tokens(text)
      val words = tokens.all
      lazy val isEndless = Clauses.of(text).emits.exists(_.CHANGES != null)
      val edits = words.indices.flatMap { i =>
        val name = words(i).getText.toUpperCase(Locale.ROOT)
        if (!arguments.contains(name) || tokens.kind(i + 1) != LPAREN) None
        else {
          val close = tokens.afterParentheses(i + 1) - 1
          val isWrapped = i >= 2 && words(i - 1).getType == LPAREN && words(i - 2).getType == TABLE &&
            tokens.kind(close + 1) == RPAREN
          val arguments = given(text, words.slice(i + 2, close), name)
          checkNames(words(i), name, arguments)
          if (name == "CUMULATE") checkStep(words(i), arguments)
          (if (name == "SESSION") sessions(arguments, isEndless) else query(name, arguments)).map { sql =>
            val (from, until) = if (isWrapped) (words(i - 2), words(close + 1)) else (words(i), words(close))
            Edit(from.getStartIndex, until.getStopIndex + 1, sql)
          }
        }
      }
      Edit.inTurn(text, edits)
    }

  /** The texts of the arguments, by name. */
  private def given(text: String, words: Seq[Token], function: String): Map[String, String] = {
    var depth = 0
    val commas = words.indices.filter { i =>
      if (words(i).getType == LPAREN) depth += 1
      if (words(i).getType == RPAREN) depth -= 1
      words(i).getType == COMMA && depth == 0
    }
    (-1 +: commas).zip(commas :+ words.size).map { case (before, end) => words.slice(before + 1, end) }
      .filter(_.nonEmpty).zip(arguments(function)).map { case (argument, place) =>
        def of(part: Seq[Token]) = text.substring(part.head.getStartIndex, part.last.getStopIndex + 1)
        val isNamed = argument.size > 3 && argument(1).getType == EQ && argument(2).getType == GT
        if (isNamed) Names.of(argument.head).toUpperCase(Locale.ROOT) -> of(argument.drop(3)) else place -> of(argument)
      }.toMap
  }

  private def checkNames(word: Token, function: String, given: Map[String, String]): Unit =
    given.keys.find(!arguments(function).contains(_)).foreach { unknown =>
      throw FlinkRefusals.refusal(
        word,
        s"$function with an argument $unknown",
        s"Its arguments are ${arguments(function).mkString(", ")}."
      )
    }

  /** Like Flink, refuses a size that is not a multiple of the step: rows after the last step would be in no window. */
  private def checkStep(word: Token, given: Map[String, String]): Unit = for {
    size <- given.get("SIZE").flatMap(span).flatMap(millis)
    step <- given.get("STEP").flatMap(span).flatMap(millis)
    if step > 0 && size % step != 0
  } throw FlinkRefusals.refusal(
    word,
    "CUMULATE with a size that is not a multiple of its step",
    s"A step divides the size: ${given("STEP")} does not divide ${given("SIZE")}."
  )

  /** The length of a [[span]]; None if it is negative. */
  private def millis(span: String): Option[Long] = {
    val parts = span.split(" ").grouped(2).map(part => Durations.millis(part.mkString(" "))).toSeq
    Option.when(parts.forall(_.isDefined))(parts.flatten.sum)
  }

  private val table = """(?is)TABLE\s+(.+)""".r
  private val subquery = """(?is)\(.+\)""".r

  /** `TABLE name`, `TABLE (query)` or a query in parentheses. */
  private def sourceOf(data: String): Option[String] = data match {
    case table(name) => Some(name)
    case subquery() => Some(data)
    case _ => None
  }

  private val descriptor = """(?is)DESCRIPTOR\s*\(\s*(.+?)\s*\)""".r
  private val interval = """(?is)INTERVAL\s+(-?)\s*'\s*([+-]?)([^'+-]+?)\s*'\s+(\w+)(?:\s+TO\s+(\w+))?""".r

  private def query(function: String, given: Map[String, String]): Option[String] = for {
    source <- given.get("DATA").flatMap(sourceOf)
    time <- given.get("TIMECOL").collect { case descriptor(name) => name }
    size <- given.get("SIZE").flatMap(span)
    offset <- given.get("OFFSET").fold(Option("0 seconds"))(span)
    step <- given.get("SLIDE").orElse(given.get("STEP")).fold(Option(size))(span)
  } yield {
    val (slide, window) = (if (function == "HOP") step else size, s"`${WindowEnds.window}`")
    val whole = s"SELECT *, window($time, '$size', '$slide', '$offset') AS $window FROM $source"
    val ends = if (function == "CUMULATE") {
      val each = s"sequence($window.start + INTERVAL '$step', $window.end, INTERVAL '$step')"
      s"SELECT * FROM (SELECT *, explode($each) AS window_end FROM ($whole)) WHERE window_end > $time"
    } else s"SELECT *, $window.end AS window_end FROM ($whole)"
    s"(SELECT * EXCEPT ($window, window_end), $window.start AS window_start, window_end, " +
      s"window_end - INTERVAL '1' MILLISECOND AS window_time FROM ($ends))"
  }

  private val partitioned = """(?is)TABLE\s+(.+?)(?:\s+PARTITION\s+BY\s*\(?(.+?)\)?)?""".r

  /** A session ends when no row follows within the gap; a row exactly at the end still belongs to it. */
  private def sessions(given: Map[String, String], isEndless: Boolean): Option[String] =
    for {
      (source, keys) <- given.get("DATA").collect { case partitioned(name, by) => (name, Option(by)) }
      time <- given.get("TIMECOL").collect { case descriptor(name) => name }
      gap <- given.get("GAP").flatMap(span)
    } yield
      if (isEndless) merged(source, time, given("GAP"), keys)
      else {
        val (begins, session) = ("`window.begins`", "`window.session`")
        val by = keys.fold("")(k => s"PARTITION BY $k ")
        val before = s"lag($time) OVER (${by}ORDER BY $time) + INTERVAL '$gap'"
        val marked = s"SELECT *, if($time <= $before, 0, 1) AS $begins FROM $source WHERE $time IS NOT NULL"
        val counted = s"SELECT *, sum($begins) OVER (${by}ORDER BY $time) AS $session FROM ($marked)"
        val whole = s"OVER (PARTITION BY ${keys.fold("")(_ + ", ")}$session)"
        val end = s"max($time) $whole + INTERVAL '$gap'"
        s"(SELECT * EXCEPT ($begins, $session), min($time) $whole AS window_start, $end AS window_end, " +
          s"$end - INTERVAL '1' MILLISECOND AS window_time FROM ($counted))"
      }

  /**
   * Gives each row its own session window; the aggregation merges them.
   *
   * @param gap an INTERVAL
   */
  private def merged(source: String, time: String, gap: String, keys: Option[String]): String = {
    val window = s"`${WindowEnds.window}`"
    val by = keys.toSeq.flatMap(_.split(',')).zipWithIndex.map { case (k, i) => k.trim -> s"`${SessionGroups.key}$i`" }
    val whole = s"SELECT *, SESSION($time, $gap) AS $window${by.map { case (k, as) => s", $k AS $as" }.mkString} " +
      s"FROM $source"
    s"(SELECT * EXCEPT (${(window +: by.map(_._2)).mkString(", ")}), $window.start AS window_start, " +
      s"$window.end AS window_end, $window.end - INTERVAL '1' MILLISECOND AS window_time FROM ($whole))"
  }

  private val units = Seq("DAY", "HOUR", "MINUTE", "SECOND")

  /** A duration in the syntax of Spark's `window`; `INTERVAL '1:30' HOUR TO MINUTE` gives two units. */
  private def span(text: String): Option[String] = text match {
    case interval(minus, sign, number, unit, null) if number.forall(_.isDigit) =>
      Some(s"${if (minus.isEmpty != (sign == "-")) "" else "-"}$number $unit")
    case interval("", "", numbers, first, last) if last != null =>
      val of = units.dropWhile(!_.equalsIgnoreCase(first))
      val parts = numbers.split("[ :]+").toSeq
      val given = of.take(of.indexWhere(_.equalsIgnoreCase(last)) + 1)
      Option.when(given.size == parts.size && parts.forall(_.forall(_.isDigit)))(
        parts.zip(given).map { case (part, unit) => s"$part $unit" }.mkString(" ")
      )
    case _ => None
  }
}
