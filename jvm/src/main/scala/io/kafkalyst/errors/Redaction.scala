package io.kafkalyst.errors

/**
 * Defines which values are secrets and how they are shown in settings, addresses and foreign messages. The name alone
 * decides, so that Kafka's and the registry's settings follow the same rule.
 */
object Redaction {
  val shown = "*********(redacted)"

  /** Names whose values are secrets; the same words as in `spark.redaction.regex` of the bundled conf files. */
  private val secretName =
    "(?i)secret|password|passphrase|pwd|token|credential(?!s?[.]source)|access[.]?key|api[._-]?key|user[.]info|jaas|keystore[.]key".r
  // A password may contain an unescaped slash, but a host with its port does not begin a login.
  private val userInfo = "://(?:[^/?#\\s]*|[^/?#\\s:]+:(?!\\d+[/?#])[^\\s,]*)@".r
  private val quoted = "[\"']([^\"']+)[\"']".r

  /** A shorter secret would match within ordinary words and hide them. */
  private val shortest = 3

  def isSecret(name: String): Boolean = secretName.findFirstIn(name).isDefined

  /** The redacted value. */
  def value(name: String, value: String): String = if (isSecret(name)) shown else address(value)

  /** Redacted properties. */
  def apply(properties: Map[String, String]): Map[String, String] = properties.map { case (k, v) => k -> value(k, v) }

  /** Addresses without `user:password@`. */
  def address(text: String): String = userInfo.replaceAllIn(text, "://")

  /** Each secret among the properties, whole and in the parts that a message may quote. */
  def secrets(properties: Map[String, String]): Seq[String] = properties.toSeq.flatMap { case (name, value) =>
    val hidden = if (isSecret(name)) Seq(value) else userInfo.findAllIn(value).toSeq.map(_.drop(3).dropRight(1))
    hidden.flatMap { secret =>
      val afterUser = if (secret.contains(':')) Seq(secret.substring(secret.indexOf(':') + 1)) else Nil
      secret +: (afterUser ++ quoted.findAllMatchIn(secret).map(_.group(1)))
    }
  }.filter(_.length >= shortest).distinct.sortBy(-_.length)

  /** Redacts the message of a library or a server, which may repeat its input. */
  def message(text: String, properties: Map[String, String]): String =
    address(secrets(properties).foldLeft(String.valueOf(text))((t, secret) => t.replace(secret, shown)))

  /** The cause, unless a message in its chain contains a secret: its stack trace is logged unredacted. */
  def cause(e: Throwable, properties: Map[String, String]): Throwable = {
    val messages = Causes.of(e).map(x => String.valueOf(x.getMessage))
    if (messages.forall(m => message(m, properties) == m)) e else null
  }
}
