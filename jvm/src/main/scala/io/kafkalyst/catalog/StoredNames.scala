package io.kafkalyst.catalog

import java.nio.charset.StandardCharsets.UTF_8
import java.security.MessageDigest
import java.util.Locale

/**
 * Names of catalog entries. Spark's session catalog takes letters, digits and `_` only and knows no case, so an object
 * with another name stands under one that it takes: what can be read of the name, and a digest of all of it.
 */
private[catalog] object StoredNames {

  /** The entry's name for an object of this name: the name itself where the catalog takes it. */
  def of(name: String): String =
    if (name.matches("\\w+")) name else derived(name, name.toLowerCase(Locale.ROOT))

  /** Its name where the place [[of]] has an object whose name differs in case only. */
  def exact(name: String): String = derived(name, "\"" + name)

  /** Whether it may be one that was derived. */
  def isDerived(stored: String): Boolean = stored.matches("(?i)\\w+__x[0-9a-f]{16}")

  private def derived(name: String, all: String): String = {
    val legible = name.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9_]", "_").take(64)
    val digest = MessageDigest.getInstance("SHA-256").digest(all.getBytes(UTF_8)).take(8)
    s"${legible}__x${digest.map("%02x".format(_)).mkString}"
  }
}
