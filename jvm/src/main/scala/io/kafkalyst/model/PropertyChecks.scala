package io.kafkalyst.model

import java.nio.charset.Charset

import scala.util.Try

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
