package io.kafkalyst.model

import java.nio.charset.Charset

import scala.util.Try

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

/** Shared validation of property values: each returns the error, or None if the value is valid. */
private[model] object PropertyChecks {
  def notBlank(text: String): Option[String] = if (text.trim.isEmpty) Some("it must not be empty") else None

  def positive(text: String): Option[String] =
    if (text.toIntOption.exists(_ > 0)) None else Some("a whole number above 0 is expected")

  def flag(text: String): Option[String] =
    if (text.equalsIgnoreCase("true") || text.equalsIgnoreCase("false")) None else Some("true or false is expected")

  def charset(text: String): Option[String] =
    if (Try(Charset.forName(text)).isSuccess) None else Some("there is no such character set")

  def oneOf(words: String*)(text: String): Option[String] =
    if (words.exists(_.equalsIgnoreCase(text))) None else Some(s"${words.mkString(" or ")} is expected")
}
