package io.kafkalyst.parse
package flink

import java.util.Locale

import io.kafkalyst.parse.grammar.KafkalystLexer._

/**
 * Rewrites clauses of Flink's queries that Spark's grammar lacks: `FETCH FIRST 2 ROWS ONLY`, `FLOOR(t TO HOUR)`,
 * `BETWEEN SYMMETRIC`, `IS JSON`, `SIMILAR TO`, `OVERLAPS`, `CAST(x AS ROW<…>)`, `FOR SYSTEM_TIME AS OF column`, and
 * the clauses of SQL/JSON. Only called for texts that Spark refused; malformed clauses stay for Spark to refuse.
 */
private[parse] object FlinkClauses {
  private val signs =
    Seq("fetch", "rows", "row", "floor", "ceil", "ceiling", "symmetric", "asymmetric", "ordinality", "json", "similar",
      "overlaps", "any", "some", "all", "cast", "try_cast")

  def rewritten(text: String): String =
    if (!signs.exists(Mentions(text, _)) && !JsonClauses.areIn(text) && !FlinkVersions.areIn(text)) text
    else {
      val tokens = new Tokens(text)
      val words = tokens.all
      val edits = words.indices.flatMap { i =>
        words(i).getText.toUpperCase(Locale.ROOT) match {
          case "FETCH" => fetch(tokens, i)
          case "FOR" => FlinkVersions.edits(text, tokens, i)
          case "ROW" | "ROWS" if isEndOfOffset(tokens, i) => Seq(Edit.blank(words(i)))
          case "SYMMETRIC" => FlinkPredicates.symmetric(text, tokens, i)
          case "ASYMMETRIC" if isWord(tokens, i - 1, "BETWEEN") => Seq(Edit.blank(words(i)))
          case "IS" => FlinkPredicates.isJson(tokens, i)
          case "ANY" | "SOME" | "ALL" => FlinkPredicates.quantified(tokens, i)
          case "SIMILAR" => FlinkPredicates.similar(tokens, i)
          case "OVERLAPS" => FlinkPredicates.overlaps(tokens, i)
          case "FLOOR" | "CEIL" | "CEILING" => rounded(tokens, i)
          case "UNNEST" => counted(tokens, i)
          case "CAST" | "TRY_CAST" => cast(text, tokens, i)
          case _ => JsonClauses.edits(text, tokens, i)
        }
      }
      Edit.all(text, outermost(edits))
    }

  /**
   * Drops edits within another edit, because the outer edit contains their original text. Of several edits at one
   * position, the edit of the later word is the outer one.
   */
  private def outermost(edits: Seq[Edit]): Seq[Edit] =
    edits.reverse.sortBy(e => (e.from, e.until)).foldLeft(Vector.empty[Edit]) { (kept, e) =>
      if (kept.lastOption.exists(e.from < _.until)) kept else kept :+ e
    }

  private def isWord(tokens: Tokens, i: Int, words: String*) =
    i >= 0 && tokens(i) != null && words.exists(tokens(i).getText.equalsIgnoreCase)

  /** Whether the word ends `OFFSET 5 ROWS` without a FETCH; `fetch` handles both together. */
  private def isEndOfOffset(tokens: Tokens, i: Int) =
    i >= 2 && tokens.kind(i - 1) == NUMBER && isWord(tokens, i - 2, "OFFSET") && !isWord(tokens, i + 1, "FETCH")

  /** `[OFFSET m ROWS] FETCH NEXT n ROWS ONLY` as `LIMIT n [OFFSET m]`. */
  private def fetch(tokens: Tokens, i: Int): Seq[Edit] = {
    val isCounted = tokens.kind(i + 2) == NUMBER
    val rows = if (isCounted) i + 3 else i + 2
    if (
      !isWord(tokens, i + 1, "FIRST", "NEXT") || !isWord(tokens, rows, "ROW", "ROWS") ||
      !isWord(tokens, rows + 1, "ONLY")
    ) Nil
    else {
      val limit = s"LIMIT ${if (isCounted) tokens(i + 2).getText else "1"}"
      val offset = Seq(i - 3, i - 2).find(at => isWord(tokens, at, "OFFSET") && tokens.kind(at + 1) == NUMBER)
      val first = offset.fold(tokens(i))(tokens(_))
      Seq(Edit.instead(
        first,
        tokens(rows + 1),
        offset.fold(limit)(at => s"$limit OFFSET ${tokens(at + 1).getText}")
      ))
    }
  }

  /** `UNNEST(x) WITH ORDINALITY`. */
  private def counted(tokens: Tokens, i: Int): Seq[Edit] = {
    val behind = tokens.afterParentheses(i + 1)
    if (tokens.kind(i + 1) != LPAREN || tokens.kind(behind) != WITH || !isWord(tokens, behind + 1, "ORDINALITY")) Nil
    else Seq(Edit.instead(tokens(i), "UNNEST_ORDINALITY"), Edit.instead(tokens(behind), tokens(behind + 1), ""))
  }

  private val units =
    Set("MILLENNIUM", "CENTURY", "DECADE", "YEAR", "QUARTER", "MONTH", "WEEK", "DAY", "HOUR", "MINUTE",
      "SECOND", "MILLISECOND")

  /** `FLOOR(t TO HOUR)`. */
  private def rounded(tokens: Tokens, i: Int): Seq[Edit] = {
    val close = tokens.afterParentheses(i + 1) - 1
    if (
      tokens.kind(i + 1) != LPAREN || tokens.kind(close) != RPAREN || close < i + 5 || tokens.kind(close - 2) != TO ||
      !units(tokens(close - 1).getText.toUpperCase(Locale.ROOT))
    ) Nil
    else
      Seq(
        Edit.instead(tokens(i), if (isWord(tokens, i, "FLOOR")) "floor_to" else "ceil_to"),
        Edit.instead(tokens(close - 2), tokens(close - 1), s", '${tokens(close - 1).getText}'")
      )
  }

  /** `CAST(x AS ROW<…>)`, `CAST(x AS INT ARRAY)`, `CAST(x AS BYTES)` and other casts to Flink's types. */
  private def cast(text: String, tokens: Tokens, i: Int): Seq[Edit] = {
    val close = tokens.afterParentheses(i + 1) - 1
    def isRow(k: Int) = isWord(tokens, k, "ROW") && (tokens.kind(k + 1) == LPAREN || tokens.kind(k + 1) == LT)
    def isSuffix(k: Int) = isWord(tokens, k, "ARRAY", "MULTISET") && tokens.kind(k + 1) != LT
    def isOfFlinks(k: Int) = isWord(tokens, k, "BYTES", "VARBINARY", "PRECISION", "VARYING") ||
      isWord(tokens, k, "BINARY") && tokens.kind(k + 1) == LPAREN ||
      isWord(tokens, k, "CHAR", "CHARACTER", "VARCHAR") && tokens.kind(k + 1) != LPAREN
    val as = (i + 2 until close).findLast(tokens.kind(_) == AS)
    val isOurs = as.exists(k => (k + 1 until close).exists(at => isRow(at) || isSuffix(at) || isOfFlinks(at)))
    if (isOurs) FlinkTypes.cast(text, tokens, i) else Nil
  }
}
