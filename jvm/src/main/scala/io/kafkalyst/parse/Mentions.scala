package io.kafkalyst.parse

/** A cheap look at texts, most of which are Spark's own. */
private[parse] object Mentions {

  /**
   * Whether the text has the word, in any case; within strings and comments too.
   *
   * @param word in lower case, ASCII letters first
   */
  def apply(text: String, word: String): Boolean = {
    val last = text.length - word.length
    var at = 0
    while (at <= last) {
      if ((text.charAt(at) | 0x20) == word.charAt(0) && isWord(text, at, word)) return true
      at += 1
    }
    false
  }

  private def isWord(text: String, at: Int, word: String): Boolean = {
    val end = at + word.length
    text.regionMatches(true, at, word, 0, word.length) &&
    (at == 0 || !Character.isJavaIdentifierPart(text.charAt(at - 1))) &&
    (end == text.length || !Character.isJavaIdentifierPart(text.charAt(end)))
  }
}
