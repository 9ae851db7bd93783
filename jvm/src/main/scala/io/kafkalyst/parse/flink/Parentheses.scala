package io.kafkalyst.parse
package flink

import org.antlr.v4.runtime.Token

private[flink] object Parentheses {

  /** The tokens of the call whose name is at i, without those inside nested parentheses or brackets. */
  def top(words: IndexedSeq[Token], i: Int, close: Int): Seq[Int] = {
    var depth = 0
    (i + 2 until close).filter { k =>
      val word = words(k).getText
      if (word == "(" || word == "[") depth += 1
      val isTop = depth == 0
      if (word == ")" || word == "]") depth -= 1
      isTop
    }
  }
}
