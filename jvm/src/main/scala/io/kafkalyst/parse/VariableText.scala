package io.kafkalyst.parse

import java.util.Locale

import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.model.Variables
import io.kafkalyst.parse.Edit.instead
import io.kafkalyst.parse.grammar.KafkalystLexer._
import org.antlr.v4.runtime.Token
import org.apache.spark.SPARK_VERSION

import java.util.regex.Matcher.quoteReplacement

import scala.util.matching.Regex.Match

/**
 * Substitutes a session's variables (DEFINE) for `${name}`: in a 'string' or a quoted name, the variable's text;
 * elsewhere a name, number, boolean or 'string'. Comments are unchanged, and so are Spark's own `${…}` of settings and
 * of the environment, which contain a dot or a colon. In a 'string', `$${name}` is the text `${name}`. Without
 * variables the text is not scanned.
 */
private[parse] object VariableText {
  private val reference = """(\$?)\$\{([A-Za-z_][A-Za-z0-9_]*)\}""".r
  private val literal = """(?i)[A-Za-z_][A-Za-z0-9_@]*|`[^`]+`|"[^"]+"|[+-]?\d+(\.\d*)?(e[+-]?\d+)?|'([^'\\]|'')*'"""

  /**
   * @throws io.kafkalyst.errors.KafkalystException VARIABLE_REFUSED outside of quotes: undefined, or not a single SQL
   *         word; within quotes: a value that no such text can have
   */
  def apply(text: String, conf: => Map[String, String]): String =
    if (!text.contains("${")) text
    else {
      val variables = Variables.of(conf)
      if (variables.isEmpty) text else Edit.all(text, edits(new Tokens(text).all, variables))
    }

  /**
   * Whether an unresolved `${name}` is left although the session has variables; Spark would read it as an unset
   * setting.
   */
  def staysIn(text: String, conf: => Map[String, String]): Boolean =
    text.contains("${") && reference.findFirstIn(text).isDefined && Variables.of(conf).nonEmpty

  private def edits(words: IndexedSeq[Token], variables: Map[String, String]): Seq[Edit] =
    words.indices.flatMap { i =>
      val word = words(i)
      if (Set(STRING, QUOTED, BACKQUOTED)(word.getType)) {
        if (reference.findFirstIn(word.getText).isEmpty) None else Some(instead(word, within(word, variables)))
      } else
        name(words, i).map { n =>
          val value =
            variables.getOrElse(n.getText.toLowerCase(Locale.ROOT), throw refused(n.getText, "it is not defined"))
          if (!value.matches(literal))
            throw refused(n.getText, s"it stands for a name, number, boolean or 'string', but its value is: $value")
          Edit(word.getStartIndex, n.getStopIndex + 2, value)
        }
    }

  /**
   * A quoted word with the variables' texts. A backslash escapes in Spark's strings, but not in ksqlDB's, and Spark 4.0
   * reads a doubled quote as two strings: a string with either becomes a raw string, which all read alike.
   */
  private def within(word: Token, variables: Map[String, String]): String = {
    val text = word.getText
    val quote = text.last.toString
    def value(found: Match) = variables.get(found.group(2).toLowerCase(Locale.ROOT))
    def replaced(text: String)(written: String => String) = reference.replaceAllIn(
      text,
      f => quoteReplacement(if (f.group(1).isEmpty) value(f).fold(f.matched)(written) else f.matched.drop(1))
    )
    def first(bad: String => Boolean) =
      reference.findAllMatchIn(text).find(f => f.group(1).isEmpty && value(f).exists(bad))
    val isString = word.getType == STRING && text.startsWith("'")
    if (isString && !text.contains('\\') && first(_.exists("\\'".contains(_))).isDefined) {
      val content = replaced(text.substring(1, text.length - 1).replace("''", "'"))(identity)
      if (!content.contains("'")) return s"R'$content'"
      if (!content.contains("\"")) return "R\"" + content + "\""
    }
    val bad = word.getType match {
      case BACKQUOTED => None
      case _ if text.head.toUpper == 'R' => first(_.contains(quote))
      case STRING if SPARK_VERSION.startsWith("4.0.") => first(_.exists("\\'".contains(_)))
      case _ => first(_.contains('\\'))
    }
    bad.foreach(f => throw refused(f.group(2), s"the text $text cannot have its value: ${value(f).get}"))
    replaced(text)(_.replace(quote, quote * 2))
  }

  /** The name in the `${name}` that begins at i. */
  private def name(words: IndexedSeq[Token], i: Int): Option[Token] = {
    val parts = words.slice(i, i + 4)
    val touch = parts.zip(parts.drop(1)).forall { case (a, b) => a.getStopIndex + 1 == b.getStartIndex }
    if (parts.size == 4 && touch && reference.matches(parts.map(_.getText).mkString)) Some(parts(2)) else None
  }

  private def refused(name: String, reason: String) =
    KafkalystException("VARIABLE_REFUSED", "name" -> name, "reason" -> reason)
}
