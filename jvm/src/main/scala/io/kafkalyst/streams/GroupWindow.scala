package io.kafkalyst.streams

import io.kafkalyst.model.Properties

/**
 * What a WINDOW clause says; all spans in milliseconds.
 *
 * @param kind    TUMBLING, HOPPING or SESSION
 * @param size    of a session: the gap that ends it
 * @param advance from a window's start to the next one's
 * @param grace   for how long after a window's end its late rows count; None where the clause does not say
 */
final case class GroupWindow(kind: String, size: Long, advance: Long, grace: Option[Long]) {
  def isSession: Boolean = kind == "SESSION"

  /** How long a row may be late: by default until a day after its window's start, as in ksqlDB. */
  def lateness: Long = grace.getOrElse(math.max(0L, GroupWindow.day - size))

  /** The properties of a topic with such keys. */
  def properties: Map[String, String] = Map(Properties.windowType.name -> kind) ++
    (if (isSession) None else Some(Properties.windowSize.name -> s"$size MILLISECONDS"))
}

object GroupWindow {
  private val day = 24L * 3600 * 1000
}
