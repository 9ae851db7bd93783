package io.kafkalyst.model

import io.kafkalyst.errors.KafkalystException

/**
 * One property of a WITH clause.
 *
 * @param name    upper case, as ksqlDB writes it
 * @param doc     one line for the reference page
 * @param check   the error for an invalid value; None if it is valid
 * @param asQuery whether CREATE … AS SELECT accepts it
 * @param kept    whether it is stored unchanged in [[TopicObject.options]]
 */
final case class Property(
    name: String,
    doc: String,
    check: String => Option[String] = _ => None,
    asQuery: Boolean = true,
    kept: Boolean = false
) {

  /** KafkalystException INVALID_PROPERTY for an invalid value. */
  def require(value: String): Unit = check(value).foreach(expected => throw invalid(value, expected))

  /** INVALID_PROPERTY for a value that is invalid in this context. */
  def invalid(value: String, expected: String): KafkalystException =
    KafkalystException("INVALID_PROPERTY", "property" -> name, "value" -> value, "expected" -> expected)

  /** MISSING_PROPERTY. */
  def missing: KafkalystException = KafkalystException("MISSING_PROPERTY", "property" -> name, "doc" -> doc)
}
