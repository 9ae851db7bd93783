package io.kafkalyst.registry

import java.net.URLDecoder
import java.nio.charset.StandardCharsets.UTF_8

import io.kafkalyst.errors.KafkalystException

import scala.util.Try

/** One base address; its credentials are kept apart from the displayed part. */
private[registry] final case class Address(base: String, userInfo: Option[String]) {
  override def toString: String = base
}

private[registry] object Addresses {

  /**
   * The addresses of a setting, which may be a comma-separated list.
   *
   * @throws io.kafkalyst.errors.KafkalystException REGISTRY_SETTINGS for an @ behind the first slash: what is before
   * it could be a password, which messages would then show
   */
  def of(text: String): Seq[Address] =
    text.split(',').toSeq.map(_.trim.stripSuffix("/")).filter(_.nonEmpty).map { one =>
      val start = one.indexOf("://") + 3
      val path = if (start < 3) -1 else one.indexOf('/', start)
      // A password may contain an @, the host cannot.
      val at = if (start < 3) -1 else one.lastIndexOf('@', if (path < 0) one.length else path)
      if (path >= 0 && one.indexOf('@', path) >= 0) throw KafkalystException(
        "REGISTRY_SETTINGS",
        "reason" -> "an address has an @ behind its first slash",
        "fix" -> "Write a slash of the user or the password as %2F, and an @ of the path as %40."
      )
      if (at <= start) Address(one, None)
      else Address(one.substring(0, start) + one.substring(at + 1), Some(decoded(one.substring(start, at))))
    }

  private def decoded(userInfo: String): String =
    Try(URLDecoder.decode(userInfo.replace("+", "%2B"), UTF_8)).getOrElse(userInfo)
}
