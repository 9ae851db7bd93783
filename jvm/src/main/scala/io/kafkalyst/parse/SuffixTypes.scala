package io.kafkalyst.parse

import io.kafkalyst.parse.grammar.KafkalystLexer
import org.antlr.v4.runtime.Token

/** Converts `t ARRAY` and Flink's `t MULTISET` to the prefix forms ARRAY<t> and MULTISET<t>. */
private[parse] object SuffixTypes {

  /** The type with ARRAY and MULTISET before their element types. */
  def prefixed(text: String): String = {
    val words = new Tokens(text).all
    val found = places(words)
    val edits = found.map { case (_, i) => Edit.instead(words(i), ">") } ++
      found.groupMap(_._1)(_._2).map { case (start, suffixes) =>
        val from = words(start).getStartIndex
        Edit(from, from, opened(suffixes.map(words(_))))
      }
    Edit.all(text, edits)
  }

  /** The opening words for the suffixes of one element type; the last suffix is the outermost. */
  def opened(suffixes: Seq[Token]): String = suffixes.reverseIterator.map(w => s"${w.getText}<").mkString

  /** Each suffix ARRAY or MULTISET: the index where its element type begins, and the index of the word. */
  def places(words: Seq[Token]): Seq[(Int, Int)] = words.indices.filter(i =>
    (is(words, i, "ARRAY") || is(words, i, "MULTISET")) && !words.lift(i + 1).exists(_.getType == KafkalystLexer.LT)
  ).map(i => elementStart(words, i) -> i).filter { case (start, i) => start < i }

  /** The index where the type before the word at i begins; i if there is none. */
  private def elementStart(words: Seq[Token], i: Int): Int = {
    var depth = 0
    var (comma, open) = (-1, -1)
    words.indices.take(i).reverseIterator.takeWhile(_ => open < 0).foreach { k =>
      words(k).getType match {
        case KafkalystLexer.GT | KafkalystLexer.RPAREN => depth += 1
        case KafkalystLexer.LT | KafkalystLexer.LPAREN => if (depth == 0) open = k else depth -= 1
        case KafkalystLexer.COMMA if depth == 0 && comma < 0 => comma = k
        case _ =>
      }
    }
    // A field has a name before its type, and in Spark's form a colon.
    val named = open > 0 && (is(words, open - 1, "ROW") || is(words, open - 1, "STRUCT"))
    val first = math.max(comma, open) + 1 + (if (named) 1 else 0)
    math.min(if (named && words.lift(first).exists(_.getType == KafkalystLexer.COLON)) first + 1 else first, i)
  }

  private def is(words: Seq[Token], i: Int, wanted: String) = words(i).getText.equalsIgnoreCase(wanted)
}
