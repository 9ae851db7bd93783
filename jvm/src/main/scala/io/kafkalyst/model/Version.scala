package io.kafkalyst.model

import java.nio.charset.StandardCharsets.UTF_8

/** Kafkalyst's version, from the single file that the Python package and the jar are both built from. */
object Version {

  /** For example `1.2.3`. */
  lazy val text: String = {
    val file = getClass.getResourceAsStream("/io/kafkalyst/VERSION")
    try new String(file.readAllBytes(), UTF_8).trim
    finally file.close()
  }
}
