package io.kafkalyst.errors

/**
 * The one place that says what a secret is and what stands for it wherever settings, addresses or messages of others
 * are shown. A name alone decides, so that Kafka's and the registry's settings go by the same rule.
 */
object Redaction {
  val shown = "*********(redacted)"

  /** Names whose values are secrets; the same words as in `spark.redaction.regex` of the ready conf files. */
  private val secretName =
    "(?i)secret|password|passphrase|pwd|token|credential(?!s?[.]source)|access[.]?key|api[._-]?key|user[.]info|jaas|keystore[.]key".r
  private val userInfo = "://[^/?#\\s]*@".r
  private val quoted = "[\"']([^\"']+)[\"']".r

  /** A shorter text would be found within ordinary words, and hide those. */
  private val shortest = 3

  def isSecret(name: String): Boolean = secretName.findFirstIn(name).isDefined

  /** The value as it may be shown. */
  def value(name: String, value: String): String = if (isSecret(name)) shown else address(value)

  /** Properties as they may be shown. */
  def apply(properties: Map[String, String]): Map[String, String] = properties.map { case (k, v) => k -> value(k, v) }

  /** Addresses without the `user:password@` that they may have. */
  def address(text: String): String = userInfo.replaceAllIn(text, "://")

  /** Each secret among the properties, whole and in the parts that a message may quote. */
  def secrets(properties: Map[String, String]): Seq[String] = properties.toSeq.flatMap { case (name, value) =>
    val hidden = if (isSecret(name)) Seq(value) else userInfo.findAllIn(value).toSeq.map(_.drop(3).dropRight(1))
    hidden.flatMap { secret =>
      val afterUser = if (secret.contains(':')) Seq(secret.substring(secret.indexOf(':') + 1)) else Nil
      secret +: (afterUser ++ quoted.findAllMatchIn(secret).map(_.group(1)))
    }
  }.filter(_.length >= shortest).distinct.sortBy(-_.length)

  /** A message of a library or a server, which may repeat what it was given. */
  def message(text: String, properties: Map[String, String]): String =
    address(secrets(properties).foldLeft(String.valueOf(text))((t, secret) => t.replace(secret, shown)))

  /** The cause, unless a message of its chain tells a secret: its stack trace goes to logs as it is. */
  def cause(e: Throwable, properties: Map[String, String]): Throwable = {
    val messages = Iterator.iterate(e)(_.getCause).takeWhile(_ != null).map(x => String.valueOf(x.getMessage))
    if (messages.forall(m => message(m, properties) == m)) e else null
  }
}
