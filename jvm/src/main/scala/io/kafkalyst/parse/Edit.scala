package io.kafkalyst.parse

import org.antlr.v4.runtime.Token

/** Replaces the text between two positions. */
private[parse] final case class Edit(from: Int, until: Int, text: String)

private[parse] object Edit {
  def instead(word: Token, text: String): Edit = instead(word, word, text)

  def instead(first: Token, last: Token, text: String): Edit = Edit(first.getStartIndex, last.getStopIndex + 1, text)

  /** Replaces the word with blanks, so that all following positions stay. */
  def blank(word: Token): Edit = instead(word, " " * (word.getStopIndex + 1 - word.getStartIndex))

  /** Maps a position outside the edits to its position after [[all]] has applied them. */
  def positions(edits: Iterable[Edit]): Int => Int = {
    val changing = edits.filter(e => e.text.length != e.until - e.from).toSeq.sortBy(_.until)
    position => position + changing.takeWhile(_.until <= position).map(e => e.text.length - (e.until - e.from)).sum
  }

  /** Applies edits that may overlap because the text is invalid; Spark then refuses the result. */
  def inTurn(text: String, edits: Iterable[Edit]): String = {
    val out = new java.lang.StringBuilder(text)
    edits.toSeq.sortBy(-_.from).foreach(e => out.replace(e.from, e.until, e.text))
    out.toString
  }

  /** Applies non-overlapping edits in one pass, because a text may have thousands of them. */
  def all(text: String, edits: Iterable[Edit]): String = {
    val out = new java.lang.StringBuilder(text.length)
    val end = edits.toSeq.sortBy(_.from).foldLeft(0) { (at, e) =>
      out.append(text, at, e.from).append(e.text)
      e.until
    }
    out.append(text, end, text.length).toString
  }
}
