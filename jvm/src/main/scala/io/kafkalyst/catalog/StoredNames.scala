package io.kafkalyst.catalog

import java.nio.charset.StandardCharsets.UTF_8
import java.security.MessageDigest
import java.util.Locale

/**
 * Names of catalog entries. Spark's session catalog only allows letters, digits and `_`, and ignores case, so an object
 * with any other name is stored under a derived name: the name's readable characters and a digest of the whole name.
 */
private[catalog] object StoredNames {

  /** The entry name for an object name: the name itself if the catalog allows it. */
  def of(name: String): String =
    if (name.matches("\\w+")) name else derived(name, name.toLowerCase(Locale.ROOT))

  /** The entry name if [[of]] is taken by an object whose name differs only in case. */
  def exact(name: String): String = derived(name, "\"" + name)

  /** Whether the entry name may be derived. */
  def isDerived(stored: String): Boolean = stored.matches("(?i)\\w+__x[0-9a-f]{16}")

  private def derived(name: String, all: String): String = {
    val legible = name.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9_]", "_").take(64)
    val digest = MessageDigest.getInstance("SHA-256").digest(all.getBytes(UTF_8)).take(8)
    s"${legible}__x${digest.map("%02x".format(_)).mkString}"
  }
}
