package io.kafkalyst.parse
package flink

import java.util.Locale

import io.kafkalyst.errors.KafkalystException

/**
 * Flink's EXECUTE of one statement, `EXECUTE INSERT …`, and of a statement set, `EXECUTE STATEMENT SET BEGIN …; …; END`
 * or `BEGIN STATEMENT SET; …; …; END`.
 */
private[parse] object FlinkExecute {
  private val one = """(?is)\s*(EXECUTE)\s+(?:INSERT|SELECT|WITH|VALUES)\b.*""".r
  private val set =
    """(?is)\s*(?:EXECUTE\s+STATEMENT\s+SET\s+BEGIN|BEGIN\s+STATEMENT\s+SET\b\s*;?)(.*?)(\bEND)?[\s;]*""".r

  private val explanation = """(?is)\s*EXPLAIN\s+(?:COST\s+)?(?:EXECUTE\s+)?(STATEMENT\s+SET\s+BEGIN\b.*)""".r

  /** The statements of `EXPLAIN [EXECUTE] STATEMENT SET BEGIN …; END`, as [[several]]; estimates are not shown. */
  def explained(text: String): Option[Seq[String]] = text match {
    case explanation(set) => several(s"EXECUTE $set")
    case _ => None
  }

  /** The statement with EXECUTE blanked; None if the text is not an EXECUTE of one statement. */
  def single(text: String): Option[String] = text match {
    case one(word) =>
      val at = text.indexOf(word)
      Some(text.substring(0, at) + " " * word.length + text.substring(at + word.length))
    case _ => None
  }

  /**
   * The statements of a statement set; None for other texts.
   *
   * @throws io.kafkalyst.errors.KafkalystException STATEMENT_SET if END is missing, or the set is empty or has a
   *         statement that is not an INSERT
   */
  def several(text: String): Option[Seq[String]] = text match {
    case set(inner, end) =>
      def refuse(found: String) = throw KafkalystException("STATEMENT_SET", "found" -> found)
      if (end == null) refuse("no END")
      val statements = Scripts.split(inner).map(_._2)
      if (statements.isEmpty) refuse("no statement")
      statements.find(!_.trim.toUpperCase(Locale.ROOT).startsWith("INSERT")).foreach(refuse)
      Some(statements)
    case _ => None
  }
}
