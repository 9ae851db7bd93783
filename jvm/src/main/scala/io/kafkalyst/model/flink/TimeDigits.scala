package io.kafkalyst.model
package flink

import java.util.Locale

/** The digits that the timestamps in a column's type have after the second. */
object TimeDigits {
  private val token = """(?s)--[^\n]*|/\*.*?\*/|`(?:[^`]|``)*`|'(?:[^']|'')*'|"(?:[^"]|"")*"|\w+|\S""".r
  private val default = 6

  /**
   * One number per timestamp, 6 for one without a precision.
   *
   * @param text the type as Flink's statement has it; names and descriptions of fields in it are no types
   */
  def of(text: String): Seq[Int] = {
    val words = token.findAllIn(text).filterNot(t => t.startsWith("--") || t.startsWith("/*"))
      .map(_.toUpperCase(Locale.ROOT)).toIndexedSeq
    words.indices.filter(i => Set("TIMESTAMP", "TIMESTAMP_LTZ")(words(i)) && !isName(words, i)).map { i =>
      words.slice(i + 1, i + 4) match {
        case Seq("(", digits, ")") => digits.toIntOption.getOrElse(default)
        case _ => default
      }
    }
  }

  /** Whether the word is a field's name, which its type follows. */
  private def isName(words: IndexedSeq[String], i: Int): Boolean = words.lift(i + 1).exists { next =>
    val isSuffix = Set("ARRAY", "MULTISET")(next) && !words.lift(i + 2).contains("<")
    next == ":" || next.head.isLetter && !behindTypes(next) && !isSuffix
  }

  private val behindTypes = Set("NOT", "NULL", "WITH", "WITHOUT", "COMMENT")
}
