package io.kafkalyst.parse
package flink

import java.util.Locale

import io.kafkalyst.parse.grammar.KafkalystLexer._
import org.antlr.v4.runtime.Token

/**
 * Rewrites the clauses in SQL/JSON calls to plain arguments of Kafkalyst's functions (`functions.flink.FlinkJson`):
 * `JSON_VALUE(x, '$.a' RETURNING INT NULL ON EMPTY)`, `JSON_OBJECT('a' VALUE x ABSENT ON NULL)`.
 */
private[flink] object JsonClauses {
  private val queries = Set("JSON_VALUE", "JSON_QUERY", "JSON_EXISTS")
  private val makers = Set("JSON_OBJECT", "JSON_ARRAY", "JSON_OBJECTAGG", "JSON_ARRAYAGG")

  /** Whether a text may contain a SQL/JSON call. */
  def areIn(text: String): Boolean = (queries ++ makers).exists(name => Mentions(text, name.toLowerCase(Locale.ROOT)))

  /** The edits for a call whose name is at i; empty for other words and for malformed clauses. */
  def edits(text: String, tokens: Tokens, i: Int): Seq[Edit] = {
    val words = tokens.all
    val name = words(i).getText.toUpperCase(Locale.ROOT)
    if (tokens.kind(i + 1) != LPAREN || !(queries ++ makers)(name)) Nil
    else {
      val close = tokens.afterParentheses(i + 1) - 1
      if (tokens.kind(close) != RPAREN) Nil
      else if (queries(name)) query(text, words, i, close)
      else making(words, i, close)
    }
  }

  private val returning = """(?is)\s*RETURNING\s+(ARRAY\s*<\s*\w+\s*>|\w+(?:\s*\([^)]*\))?)(.*)""".r
  private val wrapper = """(?is)\s*WITH(OUT)?(\s+CONDITIONAL|\s+UNCONDITIONAL)?(?:\s+ARRAY)?\s+WRAPPER\b(.*)""".r
  private val behaviour =
    """(?is)\s*(NULL|ERROR|TRUE|FALSE|UNKNOWN|EMPTY\s+ARRAY|EMPTY\s+OBJECT|DEFAULT\s+(.+?))\s+ON\s+(EMPTY|ERROR)\b(.*)""".r

  /**
   * The clauses after the path: the returned type, the wrapper, and the behaviour ON EMPTY and ON ERROR, in Spark's
   * syntax.
   */
  private final case class Clauses(
      returned: Option[String] = None,
      wrapped: String = "WITHOUT",
      instead: Map[String, (String, String)] = Map.empty
  )

  @scala.annotation.tailrec
  private def clauses(text: String, read: Clauses): Option[Clauses] = text match {
    case blank if blank.trim.isEmpty => Some(read)
    case returning(of, rest) => clauses(rest, read.copy(returned = Some(of)))
    case wrapper(without, condition, rest) =>
      val word =
        if (without != null) "WITHOUT"
        else if (condition != null && condition.trim.equalsIgnoreCase("CONDITIONAL")) "CONDITIONAL"
        else "WITH"
      clauses(rest, read.copy(wrapped = word))
    case behaviour(word, default, on, rest) =>
      val kind = if (default == null) word.toUpperCase(Locale.ROOT).replaceAll("\\s+", " ") else "DEFAULT"
      val value = kind -> Option(default).getOrElse("NULL")
      clauses(rest, read.copy(instead = read.instead + (on.toUpperCase(Locale.ROOT) -> value)))
    case _ => None
  }

  private def query(text: String, words: IndexedSeq[Token], i: Int, close: Int): Seq[Edit] = {
    // The path is a constant, so one word.
    val path = Parentheses.top(words, i, close).find(words(_).getType == COMMA).map(_ + 1).filter(_ < close - 1)
    path.toSeq.flatMap { at =>
      val (from, until) = (words(at).getStopIndex + 1, words(close).getStartIndex)
      clauses(text.substring(from, until), Clauses()).toSeq.flatMap { read =>
        val name = words(i).getText.toUpperCase(Locale.ROOT)
        def of(on: String) = read.instead.getOrElse(on, "NULL" -> "NULL")
        val arguments = name match {
          case "JSON_VALUE" => Seq("EMPTY", "ERROR").flatMap(on => Seq(s"'${of(on)._1}'", of(on)._2))
          case "JSON_QUERY" => Seq(s"'${read.wrapped}'", s"'${of("EMPTY")._1}'", s"'${of("ERROR")._1}'")
          case _ => read.instead.get("ERROR").map(b => s"'${b._1}'").toSeq
        }
        val isArray = read.returned.exists(_.toUpperCase(Locale.ROOT).startsWith("ARRAY"))
        val isText = read.returned.forall(_.toUpperCase(Locale.ROOT).matches("(VARCHAR|CHAR|STRING).*"))
        // The function converts the value to the type of this NULL.
        val isTyped = !isText && !isArray && name == "JSON_VALUE"
        val typed = if (isTyped) Seq(s"CAST(NULL AS ${read.returned.get})") else Nil
        val call = Edit(from, until, (arguments ++ typed).map(", " + _).mkString)
        if (isText || isTyped) Seq(call)
        else {
          val end = words(close).getStopIndex + 1
          val start = words(i).getStartIndex
          val (before, behind) =
            if (isArray) ("from_json(", s", '${read.returned.get}')") else ("TRY_CAST(", s" AS ${read.returned.get})")
          Seq(Edit(start, start, before), call, Edit(end, end, behind))
        }
      }
    }
  }

  private def making(words: IndexedSeq[Token], i: Int, close: Int): Seq[Edit] = {
    def is(at: Int, word: String) = words(at).getText.equalsIgnoreCase(word)
    val onNull = close - 3 > i + 1 && is(close - 1, "NULL") && is(close - 2, "ON") &&
      (is(close - 3, "NULL") || is(close - 3, "ABSENT"))
    val name = words(i).getText.toLowerCase(Locale.ROOT)
    val ofObject = name.startsWith("json_object")
    // JSON_OBJECT keeps nulls by default, and JSON_ARRAY drops them.
    val renamed =
      if (!onNull || is(close - 3, "NULL") == ofObject) Nil
      else Seq(Edit.instead(words(i), name + (if (ofObject) "_absent" else "_null")))
    val cut = if (onNull) Seq(Edit.instead(words(close - 3), words(close - 1), "")) else Nil
    val end = if (onNull) close - 3 else close
    val pairs =
      if (!ofObject) Nil
      else {
        val inner = Parentheses.top(words, i, end)
        val starts = (i + 2) +: inner.filter(words(_).getType == COMMA).map(_ + 1)
        starts.zip(starts.drop(1) :+ end).flatMap { case (from, until) =>
          val isKeyed = from + 1 < until && words(from).getType == KEY && words(from + 1).getType != COLON
          val sign = inner.find(k => k > from && k < until && (words(k).getType == COLON || is(k, "VALUE")))
          (if (isKeyed) Seq(Edit.blank(words(from))) else Nil) ++ sign.map(k => Edit.instead(words(k), ","))
        }
      }
    renamed ++ cut ++ pairs
  }
}
