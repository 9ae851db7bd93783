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

  /** @param userInfo the `user:password` of the address, if it has one */
  def headers(userInfo: Option[String]): Seq[(String, String)]

  /** Called if the registry rejected the headers (401); true if a retry with new ones may succeed. */
  def renew(): Boolean = false
}

private[registry] object RegistryLogin {

  /** The header of HTTP basic authentication. */
  def authorization(userInfo: String): (String, String) =
    "Authorization" -> ("Basic " + Base64.getEncoder.encodeToString(userInfo.getBytes(UTF_8)))
}
