package io.kafkalyst.registry

import java.nio.charset.StandardCharsets.UTF_8
import java.util.Base64

import io.kafkalyst.model.settings.Setting

/** Authentication of a client, sent with every request. */
private[registry] trait RegistryLogin {

  /** The kind of login, for error messages; never the secret. */
  def kind: String

  /** The settings to check if the registry rejects the login. */
  def settings: Seq[Setting]

  /**
   * @param userInfo the `user:password` of the address, if it has one
   * @param until    the time (System.nanoTime) at which the request is abandoned
   */
  def headers(userInfo: Option[String], until: Long): Seq[(String, String)]

  /**
   * Called if the registry rejected a request (401); true if a retry with new headers may succeed.
   *
   * @param sentAt the time (System.nanoTime) before the request took its headers
   */
  def renew(sentAt: Long): Boolean = false
}

private[registry] object RegistryLogin {

  /** The header of HTTP basic authentication. */
  def authorization(userInfo: String): (String, String) =
    "Authorization" -> ("Basic " + Base64.getEncoder.encodeToString(userInfo.getBytes(UTF_8)))
}
