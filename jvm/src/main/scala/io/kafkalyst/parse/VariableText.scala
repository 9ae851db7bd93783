package io.kafkalyst.parse

import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.model.Variables
import io.kafkalyst.parse.grammar.KafkalystLexer._
import org.antlr.v4.runtime.Token

/**
 * Puts a session's variables (DEFINE) in the place of `${name}`: within a 'string' or a quoted name their text, where an
 * unknown one stays as it is; elsewhere a name, number, boolean or 'string'. Spark's own `${…}` of settings and of the
 * environment have a dot or a colon in them and are left to Spark.
 */
private[parse] object VariableText {
  private val reference = """\$\{([A-Za-z_][A-Za-z0-9_]*)\}""".r
  private val literal = """(?i)[A-Za-z_][A-Za-z0-9_@]*|`[^`]+`|"[^"]+"|[+-]?\d+(\.\d*)?(e[+-]?\d+)?|'([^']|'')*'"""

  def apply(text: String, conf: => Map[String, String]): String =
    if (!text.contains("${")) text
    else {
      val variables = Variables.of(conf)
      if (variables.isEmpty) text else replaced(text, variables)
    }

  private def replaced(text: String, variables: Map[String, String]): String = {
    val quoted = new Tokens(text).all.filter(t => Set(STRING, QUOTED, BACKQUOTED)(t.getType))
    reference.replaceAllIn(
      text,
      found => {
        val value = variables.get(found.group(1).toLowerCase)
        val around = quoted.find(t => t.getStartIndex < found.start && found.end <= t.getStopIndex + 1)
        java.util.regex.Matcher.quoteReplacement((around, value) match {
          case (Some(_), None) => found.matched
          case (Some(token), Some(v)) => v.replace(quoteOf(token), quoteOf(token) * 2)
          case (None, Some(v)) if v.matches(literal) => v
          case (None, Some(v)) => throw refused(found.group(1), s"its value ${"\"" + v + "\""} is none")
          case (None, None) =>
            throw refused(found.group(1), "it is not defined")
        })
      }
    )
  }

  private def quoteOf(token: Token): String = token.getText.last.toString

  private def refused(name: String, reason: String) =
    KafkalystException("VARIABLE_REFUSED", "name" -> name, "reason" -> reason)
}
