package io.kafkalyst.model

import java.nio.charset.StandardCharsets.UTF_8

/** Kafkalyst's own version, from the one file that the Python package and the jar are both built with. */
object Version {

  /** Such as `1.2.3`. */
  lazy val text: String = {
    val file = getClass.getResourceAsStream("/io/kafkalyst/VERSION")
    try new String(file.readAllBytes(), UTF_8).trim
    finally file.close()
  }
}
