package io.kafkalyst.parse
package flink

import java.util.Locale

import io.kafkalyst.model.SideFormat
import io.kafkalyst.model.flink.TimeDigits
import io.kafkalyst.parse.grammar.KafkalystLexer
import org.antlr.v4.runtime.Token

/**
 * Translates Flink's type syntax to Spark's: time precisions, byte lengths, ROW, NOT NULL, `t ARRAY` and MULTISET<t>,
 * which is a MAP<t, INT> of counts as in Flink's formats. Every column is nullable here.
 */
private[parse] object FlinkTypes {

  /**
   * @param text  a column's type
   * @param flink whether it is a Flink statement, where a bare TIMESTAMP has no time zone
   */
  def spelled(text: String, flink: Boolean): String = respelled(SuffixTypes.prefixed(text), flink)

  private def respelled(text: String, flink: Boolean): String = {
    val tokens = new Tokens(text)
    val words = tokens.all
    val out = new java.lang.StringBuilder(text)
    val rows = words.indices.filter(i => flink && are(words, i, "ROW", "("))
    val closes = rows.map(i => tokens.afterParentheses(i + 1) - 1).toSet
    val sets = words.indices.filter(i => flink && are(words, i, "MULTISET", "<"))
    val ends = sets.map(i => closing(words, i + 1)).toSet
    words.indices.reverse.foreach { i =>
      val word = words(i).getText.toUpperCase(Locale.ROOT)
      val behind = if (isPrecision(words, i + 1)) i + 4 else i + 1
      def replace(until: Int, by: String): Unit = {
        out.replace(words(i).getStartIndex, words(until - 1).getStopIndex + 1, by); ()
      }
      if (word.startsWith("TIMESTAMP") && !isFitting(words, i + 1)) ()
      else if (word == "TIMESTAMP_LTZ") replace(behind, "TIMESTAMP")
      else if (word == "TIMESTAMP" && is(words, behind, KafkalystLexer.WITH_LOCAL_TIME_ZONE))
        replace(behind + 1, "TIMESTAMP")
      else if (word == "TIMESTAMP" && are(words, behind, "WITHOUT", "TIME", "ZONE"))
        replace(behind + 3, "TIMESTAMP_NTZ")
      else if (word == "TIMESTAMP" && (behind > i + 1 || flink && endsType(words, i + 1)))
        replace(behind, "TIMESTAMP_NTZ")
      else if (word == "ROW" && is(words, i + 1, KafkalystLexer.LT)) replace(i + 1, "STRUCT")
      else if (rows.contains(i)) replace(i + 2, "STRUCT<")
      else if (sets.contains(i)) replace(i + 1, "MAP")
      else if (ends(i)) replace(i + 1, ", INT>")
      else if (closes(i)) replace(i + 1, ">")
      else if (flink && word == "BINARY" && are(words, i + 1, "VARYING"))
        replace(if (isPrecision(words, i + 2)) i + 5 else i + 2, "BINARY")
      else if (flink && Set("BINARY", "VARBINARY")(word)) replace(behind, "BINARY")
      else if (flink && characters(word) && are(words, i + 1, "VARYING")) replace(i + 2, "VARCHAR")
      else if (flink && word == "VARCHAR" && endsType(words, i + 1)) replace(i + 1, "STRING")
      else if (flink && word == "BYTES" && endsType(words, i + 1)) replace(i + 1, "BINARY")
      else if (flink && characters(word)) replace(i + 1, if (behind == i + 1) "STRING" else "CHAR")
      else if (flink && units(word) && behind > i + 1 && isOfInterval(words, i)) replace(behind, word)
      else if (flink && word == "DOUBLE" && are(words, i + 1, "PRECISION")) replace(i + 2, "DOUBLE")
      else if (flink && word == "NULL" && i > 0 && !are(words, i - 1, "NOT")) replace(i + 1, "")
      else if (flink && isDescription(words, i)) replace(i + 1, s"COMMENT ${words(i).getText}")
      else if (word == "NOT" && are(words, i + 1, "NULL")) replace(i + 2, "")
    }
    out.toString
  }

  private val names = "CHAR(?:ACTER)?(?:\\s+VARYING)?|VARCHAR|BINARY(?:\\s+VARYING)?|VARBINARY|TIMESTAMP(?:_LTZ)?"
  private val sized = s"(?is)($names)\\s*(?:\\(\\s*(\\d{1,9})\\s*\\))?(?:\\s+WITH(?:OUT)?\\s.*)?".r

  /**
   * The edits of `CAST(x AS type)` at word i: Spark's type, and around the cast a function that applies the length or
   * the precision, which Spark's cast ignores. None if the cast is malformed.
   */
  def cast(text: String, tokens: Tokens, i: Int): Seq[Edit] = {
    val close = tokens.afterParentheses(i + 1) - 1
    (i + 2 until close - 1).findLast(tokens.kind(_) == KafkalystLexer.AS).filter(_ =>
      tokens.kind(close) == KafkalystLexer.RPAREN
    ).toSeq.flatMap { as =>
      val (from, until) = (tokens(as + 1).getStartIndex, tokens(close - 1).getStopIndex + 1)
      val given = text.substring(from, until)
      val spark = spelled(given, flink = true)
      fitting(given) match {
        case None => Seq(Edit(from, until, spark))
        case Some((function, arguments)) =>
          val whole = if (spark.startsWith("TIMESTAMP")) spark else if (spark == "BINARY") spark else "STRING"
          Seq(
            Edit.instead(tokens(i), s"$function(${tokens(i).getText}"),
            Edit(from, until, whole),
            Edit.instead(tokens(close), s"), $arguments)")
          )
      }
    }
  }

  /** The function that applies a type's length or precision, and its further arguments; None if there is none. */
  private def fitting(given: String): Option[(String, String)] = given.trim match {
    case sized(name, size) =>
      val word = name.toUpperCase(Locale.ROOT)
      (word.takeWhile(_.isLetter), size) match {
        case ("VARCHAR" | "VARBINARY", n) if n != null => Some("substring" -> s"1, $n")
        case ("TIMESTAMP", "0") => Some("floor_to" -> "'SECOND'")
        case ("TIMESTAMP", "3") => Some("floor_to" -> "'MILLISECOND'")
        case (_, n) if word.endsWith("VARYING") => Option(n).map(n => "substring" -> s"1, $n")
        case ("BINARY", n) if n != null => Some("rpad" -> s"$n, X'00'")
        case ("CHAR" | "CHARACTER", n) => Some("rpad" -> s"${Option(n).getOrElse("1")}, ' '")
        case _ => None
      }
    case _ => None
  }

  /** The unit of AVRO timestamps: milliseconds unless a time type has more digits. */
  def timestampUnit(types: Seq[String]): String = {
    val digits = types.flatMap(TimeDigits.of)
    if (digits.nonEmpty && digits.forall(_ <= 3)) SideFormat.millis else SideFormat.micros
  }

  /** Whether a column's type is NOT NULL. */
  def isNotNull(text: String): Boolean = text.trim.matches("(?is).*\\bNOT\\s+NULL")

  private def is(words: Seq[Token], i: Int, kind: Int) = i < words.size && words(i).getType == kind

  private def isPrecision(words: Seq[Token], i: Int) =
    is(words, i, KafkalystLexer.LPAREN) && is(words, i + 1, KafkalystLexer.NUMBER) &&
      is(words, i + 2, KafkalystLexer.RPAREN)

  /** Whether the precision, if any, is valid for Flink's times. */
  private def isFitting(words: Seq[Token], i: Int) =
    !isPrecision(words, i) || words(i + 1).getText.toIntOption.exists(_ <= 9)

  private val units = Set("YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND")

  /** Whether the word is the unit of an INTERVAL, first or after TO; Spark's units take no precision. */
  private def isOfInterval(words: Seq[Token], i: Int) =
    i > 0 && (are(words, i - 1, "INTERVAL") || are(words, i - 1, "TO"))

  private val characters = Set("CHAR", "CHARACTER")

  private def are(words: Seq[Token], from: Int, wanted: String*) =
    wanted.indices.forall(k => from + k < words.size && words(from + k).getText.equalsIgnoreCase(wanted(k)))

  /** The index of the bracket that closes the one at i. */
  private def closing(words: Seq[Token], i: Int): Int = {
    var depth = 0
    words.indices.drop(i).find { k =>
      if (is(words, k, KafkalystLexer.LT)) depth += 1
      if (is(words, k, KafkalystLexer.GT)) depth -= 1
      depth == 0
    }.getOrElse(-1)
  }

  /** Whether the string is the description of a ROW field, which follows the field's type. */
  private def isDescription(words: Seq[Token], i: Int) =
    is(words, i, KafkalystLexer.STRING) && i > 0 && !are(words, i - 1, "COMMENT")

  /** Whether the word before `next` is a type, rather than a field name that a type follows. */
  private def endsType(words: Seq[Token], next: Int) =
    next >= words.size || is(words, next, KafkalystLexer.COMMA) || is(words, next, KafkalystLexer.GT) ||
      is(words, next, KafkalystLexer.NOT)
}
