package io.kafkalyst.model

/**
 * Trust level of a configuration source: a session's SET is the lowest, the application's own configuration the
 * highest.
 */
sealed abstract class Trust(private val rank: Int) extends Serializable {
  def reaches(needed: Trust): Boolean = rank >= needed.rank
}

object Trust {

  /** SET, and options of a single query. */
  case object Session extends Trust(0)

  /** WITH, TBLPROPERTIES, options of readers and writers, and entries of a catalog. */
  case object Definition extends Trust(1)

  /** `--conf`, spark-defaults.conf, and the configuration of the first session's builder. */
  case object Application extends Trust(2)
}
