package io.kafkalyst.parse
package flink

import java.util.Locale

import io.kafkalyst.parse.grammar.KafkalystLexer._

/**
 * Flink's predicates that Spark's grammar lacks: `BETWEEN SYMMETRIC`, `IS JSON`, `SIMILAR TO`, `OVERLAPS`, `= ANY
 * (SELECT …)`. Each function rewrites the predicate at word i; it returns no edits if the predicate is malformed.
 */
private[flink] object FlinkPredicates {
  private val logic = Set("AND", "OR", "WHEN", "THEN", "ELSE", "ON")
  private val starts = logic ++ Set("NOT", "CASE", "SELECT", "DISTINCT", "ALL", "WHERE", "HAVING", "BY")
  private val ends = logic ++
    Set("GROUP", "ORDER", "HAVING", "LIMIT", "UNION", "EXCEPT", "INTERSECT", "EMIT", "END", "FROM", "WHERE", "AS", "IS")

  private def upper(tokens: Tokens, i: Int) =
    Option(tokens(i)).filter(_ => i >= 0).fold("")(_.getText.toUpperCase(Locale.ROOT))

  /** The index after the operand that begins at `from`. */
  private def end(tokens: Tokens, from: Int, also: String = ""): Int = {
    val words = tokens.all
    var depth = 0
    words.indices.drop(from).find { k =>
      val kind = words(k).getType
      if (kind == LPAREN) depth += 1
      if (kind == RPAREN) depth -= 1
      depth < 0 || depth == 0 && {
        val word = upper(tokens, k)
        kind == COMMA || kind == SEMICOLON || ends(word) || word == also
      }
    }.getOrElse(words.size)
  }

  /** The index of the first word of the operand before the word at i. */
  private def start(tokens: Tokens, i: Int): Int = {
    val words = tokens.all
    var depth = 0
    (0 until i).findLast { k =>
      val word = words(k).getText
      if (word == ")" || word == "]") depth += 1
      if (word == "(" || word == "[") depth -= 1
      depth < 0 || depth == 0 && (words(k).getType == COMMA || starts(upper(tokens, k)))
    }.fold(0)(_ + 1)
  }

  /** `BETWEEN SYMMETRIC a AND b` as `BETWEEN least(a, b) AND greatest(a, b)`. */
  def symmetric(text: String, tokens: Tokens, i: Int): Seq[Edit] = {
    val words = tokens.all
    val and = end(tokens, i + 1)
    val last = end(tokens, and + 1)
    if (upper(tokens, i - 1) != "BETWEEN" || upper(tokens, and) != "AND" || and == i + 1 || last == and + 1) Nil
    else {
      def of(from: Int, until: Int) = text.substring(words(from).getStartIndex, words(until - 1).getStopIndex + 1)
      val both = s"(${of(i + 1, and)}, ${of(and + 1, last)})"
      Seq(Edit.instead(words(i), words(last - 1), s"least$both AND greatest$both"))
    }
  }

  private val kinds = Set("VALUE", "OBJECT", "ARRAY", "SCALAR")

  /** `x IS [NOT] JSON [VALUE|OBJECT|ARRAY|SCALAR]` as `is_json(x, 'VALUE')`. */
  def isJson(tokens: Tokens, i: Int): Seq[Edit] = {
    val words = tokens.all
    val isNot = upper(tokens, i + 1) == "NOT"
    val json = if (isNot) i + 2 else i + 1
    val first = start(tokens, i)
    if (upper(tokens, json) != "JSON" || first >= i) Nil
    else {
      val kind = Some(upper(tokens, json + 1)).filter(kinds)
      val last = if (kind.isDefined) json + 1 else json
      val at = words(first).getStartIndex
      Seq(
        Edit(at, at, if (isNot) "(NOT is_json(" else "is_json("),
        Edit.instead(words(i), words(last), s", '${kind.getOrElse("VALUE")}')" + (if (isNot) ")" else ""))
      )
    }
  }

  /** `(a, b) OVERLAPS (c, d)` as a function of the four values. */
  def overlaps(tokens: Tokens, i: Int): Seq[Edit] = {
    val words = tokens.all
    var depth = 0
    val open = (0 until i).findLast { k =>
      if (words(k).getType == RPAREN) depth += 1
      if (words(k).getType == LPAREN) depth -= 1
      depth == 0
    }
    open.filter(k => words(k).getType == LPAREN && tokens.kind(i - 1) == RPAREN && tokens.kind(i + 1) == LPAREN).toSeq
      .flatMap { k =>
        val at = words(k).getStartIndex
        Seq(Edit(at, at, "times_overlap"), Edit.instead(words(i - 1), words(i + 1), ","))
      }
  }

  /** `x [NOT] SIMILAR TO pattern [ESCAPE character]` as RLIKE. */
  def similar(tokens: Tokens, i: Int): Seq[Edit] = {
    val words = tokens.all
    val escape = end(tokens, i + 2, "ESCAPE")
    if (upper(tokens, i + 1) != "TO" || escape == i + 2) Nil
    else {
      val isEscaped = upper(tokens, escape) == "ESCAPE"
      val last = if (isEscaped) end(tokens, escape + 1) else escape
      val behind = words(last - 1).getStopIndex + 1
      Seq(Edit.instead(words(i), words(i + 1), "RLIKE similar_regex("), Edit(behind, behind, ")")) ++
        (if (isEscaped) Seq(Edit.instead(words(escape), ",")) else Nil)
    }
  }

  private val comparisons = Set("=", "<>", "!=", "<", "<=", ">", ">=")

  /**
   * `x = ANY (SELECT …)` as IN, `x <> ALL (SELECT …)` as NOT IN, and other comparisons as EXISTS over the rows of the
   * subquery; SOME is a synonym of ANY.
   */
  def quantified(tokens: Tokens, i: Int): Seq[Edit] = {
    val words = tokens.all
    val signs = (i - 1 to math.max(0, i - 2) by -1).takeWhile(k => words(k).getText.forall("=<>!".contains(_))).reverse
    val sign = signs.map(words(_).getText).mkString
    val close = tokens.afterParentheses(i + 1) - 1
    val isQuery = tokens.kind(i + 1) == LPAREN && Set("SELECT", "WITH", "VALUES")(upper(tokens, i + 2))
    if (!isQuery || !comparisons(sign) || tokens.kind(close) != RPAREN) Nil
    else {
      val isAll = upper(tokens, i) == "ALL"
      val first = words(start(tokens, signs.head)).getStartIndex
      if (sign == "=" && !isAll) Seq(Edit.instead(words(signs.head), words(i), "IN"))
      else if ((sign == "<>" || sign == "!=") && isAll) Seq(Edit.instead(words(signs.head), words(i), "NOT IN"))
      else {
        val (column, rows) = ("`compared`", "`compared.with`")
        val operand = words(signs.head - 1).getStopIndex + 1
        val behind = words(close).getStopIndex + 1
        val matches = (text: String) => if (isAll) s"NOT coalesce($text, false)" else text
        val test = matches(s"${tokens.textOf(first, operand)} $sign $rows.$column")
        Seq(
          Edit(first, words(i).getStopIndex + 1, s"${if (isAll) "NOT " else ""}EXISTS (SELECT 1 FROM"),
          Edit(behind, behind, s" AS $rows($column) WHERE $test)")
        )
      }
    }
  }
}
