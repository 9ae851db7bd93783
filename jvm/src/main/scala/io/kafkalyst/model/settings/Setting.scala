package io.kafkalyst.model.settings

import io.kafkalyst.model.Durations

/**
 * One `spark.kafkalyst.*` setting. `default` is the text shown for its default; None without one. `check` returns the
 * expected form for an invalid value; None for a valid one. `trust` is the lowest level that may set it if sessions are
 * locked: addresses, logins, files and classes are reserved to the application.
 */
final case class Setting(
    name: String,
    default: Option[String],
    doc: String,
    allowed: Seq[String] = Nil,
    synonym: Option[String] = None,
    check: String => Option[String] = _ => None,
    trust: Trust = Trust.Application
)

object Setting {

  /** Prefix of every setting's name. */
  final val prefix = "spark.kafkalyst."

  /** Prefix of the settings that are passed to Kafka's clients. */
  final val clientPrefix = prefix + "kafka."

  /** The expected form, unless the text is a time span above 0. */
  def span(text: String): Option[String] =
    if (Durations.millis(text).exists(_ > 0)) None else Some("a number above 0 with its unit, as 30 SECONDS")
}

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
