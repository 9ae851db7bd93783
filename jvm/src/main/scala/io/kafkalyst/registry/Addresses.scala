package io.kafkalyst.registry

import java.net.URLDecoder
import java.nio.charset.StandardCharsets.UTF_8

import io.kafkalyst.errors.KafkalystException

import scala.util.Try

/** One base address; its credentials are kept apart from the displayed part. */
private[kafkalyst] final case class Address(base: String, userInfo: Option[String]) {
  override def toString: String = base
}

private[kafkalyst] object Addresses {

  private val form = """((?i:https?)://)(?:([^/?#\\\s]*)@)?([^/?#@\\\s]+(?:/[^?#@\\\s]*)?)""".r

  /**
   * The addresses of a setting, which may be a comma-separated list.
   *
   * @throws io.kafkalyst.errors.KafkalystException REGISTRY_SETTINGS for one without http:// or https://, with an @
   * after its first slash, or with characters that no base address has: the text before them could be a password,
   * which messages would then show, or a different host, which would get the login
   */
  def of(text: String): Seq[Address] =
    text.split(',').toSeq.map(_.trim.stripSuffix("/")).filter(_.nonEmpty).map {
      // A password may contain an @, the host cannot.
      case form(scheme, userInfo, rest) => Address(scheme + rest, Option(userInfo).filter(_.nonEmpty).map(decoded))
      case other => throw refused(other)
    }

  private def refused(address: String): KafkalystException = {
    val (reason, fix) =
      if (!address.matches("(?i)https?://.*")) "an address does not begin with http:// or https://" ->
        "Write it as http://HOST:PORT or https://HOST:PORT."
      else if (address.exists("?#\\".contains(_)) || address.exists(_.isWhitespace))
        "an address has a ?, #, \\ or blank" ->
          "Write it without a query, and in the user and the password ? as %3F, # as %23, \\ as %5C and a blank as %20."
      else "an address has an @ behind its first slash, or no host" ->
        "Write a slash of the user or the password as %2F, and an @ of the path as %40."
    KafkalystException("REGISTRY_SETTINGS", "reason" -> reason, "fix" -> fix)
  }

  private def decoded(userInfo: String): String =
    Try(URLDecoder.decode(userInfo.replace("+", "%2B"), UTF_8)).getOrElse(userInfo)
}
