package io.kafkalyst.parse

/** A cheap test of texts, because most texts are Spark's own. */
private[parse] object Mentions {

  /**
   * Whether the text contains the word, ignoring case; also within strings and comments.
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
