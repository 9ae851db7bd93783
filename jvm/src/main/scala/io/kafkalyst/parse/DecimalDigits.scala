package io.kafkalyst.parse

import io.kafkalyst.errors.KafkalystException
import org.antlr.v4.runtime.Token

/** In ksqlDB a DECIMAL requires precision and scale; Spark would default to 10 and 0. */
private[parse] object DecimalDigits {

  /**
   * @param words the words of a type
   * @param at    the position of a word, for messages
   * @throws io.kafkalyst.errors.KafkalystException DECIMAL_DIGITS for a DECIMAL without both digits
   */
  def check(words: Seq[Token])(at: Token => Seq[(String, String)]): Unit =
    words.indices.filter(i => words(i).getText.equalsIgnoreCase("DECIMAL")).foreach { i =>
      val isField = words.lift(i + 1).exists(next => Names.isBare(next) || next.getText == ":")
      if (!isField && !isWhole(words.slice(i + 1, i + 6).map(_.getText)))
        throw KafkalystException("DECIMAL_DIGITS", at(words(i)): _*)
    }

  private def isWhole(behind: Seq[String]): Boolean = behind match {
    case Seq("(", precision, ",", scale, ")") => precision.toIntOption.exists(_ > 0) && scale.toIntOption.isDefined
    case _ => false
  }
}
