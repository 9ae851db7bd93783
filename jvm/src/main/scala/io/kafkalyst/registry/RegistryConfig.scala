package io.kafkalyst.registry

import io.kafkalyst.errors.{KafkalystException, Redaction}
import io.kafkalyst.model.settings.{RegistrySettings, Setting}

/**
 * The registry's address and client settings. Serialisable, so that tasks create their own client from it; equal
 * configurations share a client.
 *
 * @param properties by the names of Confluent's clients, without prefix
 */
final case class RegistryConfig(url: String, properties: Map[String, String] = Map.empty) {

  /** The value of a setting, or its default; None if it has neither. */
  def get(setting: Setting): Option[String] =
    properties.get(RegistryConfig.nameOf(setting)).filter(_.nonEmpty).orElse(setting.default)

  /** The explicitly set value, without default. */
  def given(setting: Setting): Option[String] = properties.get(RegistryConfig.nameOf(setting)).filter(_.nonEmpty)

  /** A non-negative whole number; KafkalystException INVALID_SETTING for anything else. */
  def number(setting: Setting): Option[Int] = get(setting).map { text =>
    text.trim.toIntOption.filter(_ >= 0).getOrElse {
      throw KafkalystException(
        "INVALID_SETTING",
        "setting" -> setting.name,
        "value" -> Redaction.value(setting.name, text),
        "expected" -> "a whole number, not negative,"
      )
    }
  }

  /** The address and the other settings, redacted. */
  override def toString: String =
    s"RegistryConfig(${Redaction.address(url)}, ${Redaction(properties).toSeq.sorted.mkString(", ")})"
}

object RegistryConfig {
  import RegistrySettings._

  /** The name of a registry setting in Confluent's clients. */
  def nameOf(setting: Setting): String = setting.name.stripPrefix(registryPrefix)
}
