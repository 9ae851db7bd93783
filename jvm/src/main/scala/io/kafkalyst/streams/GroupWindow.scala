package io.kafkalyst.streams

import io.kafkalyst.model.Properties

/**
 * A WINDOW clause; all spans in milliseconds.
 *
 * @param kind    TUMBLING, HOPPING or SESSION
 * @param size    for a session, the inactivity gap that ends it
 * @param advance the time from one window's start to the next one's
 * @param grace   how long after a window's end late rows are accepted; None if the clause does not set it
 */
final case class GroupWindow(kind: String, size: Long, advance: Long, grace: Option[Long]) {
  def isSession: Boolean = kind == "SESSION"

  /** How late a row may be: by default, until one day after its window's start, as in ksqlDB. */
  def lateness: Long = grace.getOrElse(math.max(0L, GroupWindow.day - size))

  /** The properties of a topic with such windowed keys. */
  def properties: Map[String, String] = Map(Properties.windowType.name -> kind) ++
    (if (isSession) None else Some(Properties.windowSize.name -> s"$size MILLISECONDS"))
}

object GroupWindow {
  private val day = 24L * 3600 * 1000
}
