package io.kafkalyst.query

import java.util.WeakHashMap

import io.kafkalyst.catalog.StateStore
import io.kafkalyst.model.TimeOfDay
import org.apache.spark.sql.SparkSession

/**
 * Sets or unsets settings of the session while a query starts, because a query takes its session's settings at the
 * start; then restores the previous values.
 */
private[query] object WhileStarting {
  private val locks = new WeakHashMap[SparkSession, Object]

  private def lockOf(session: SparkSession): Object =
    synchronized(locks.computeIfAbsent(session, _ => new Object))

  /** @param settings determined when no other start has changed the session's settings */
  def apply[A](session: SparkSession, settings: => Map[String, Option[String]])(start: => A): A = outside(session) {
    val (needed, before) = (settings, set(session))
    put(session, needed)
    try start
    finally {
      val now = set(session)
      // What another thread of the session has set meanwhile stays.
      val unchanged = needed.filter { case (name, value) => now.get(name) == value }
      put(session, unchanged.map { case (name, _) => name -> before.get(name) })
    }
  }

  // Only settings that were set explicitly: asked for a single setting, Spark returns its default as if it had been set.
  private def set(session: SparkSession): Map[String, String] = session.sessionState.conf.getAllConfs

  /** Runs the body while no start has changed the session's settings. */
  def outside[A](session: SparkSession)(body: => A): A = lockOf(session).synchronized(body)

  private def put(session: SparkSession, settings: Map[String, Option[String]]): Unit = settings.foreach {
    case (name, Some(value)) => session.conf.set(name, value)
    case (name, None) => session.conf.unset(name)
  }
}

/** Spark settings that continuous queries need. */
private[query] object StateSettings {

  /**
   * For all queries: without the first, a query stopped within its first batch could never restart; the other allows
   * TIME values.
   */
  val always: Map[String, String] =
    Map("spark.sql.streaming.verifyCheckpointDirectoryEmptyOnStart" -> "false", TimeOfDay.enabled -> "true")

  /** For queries with stateful processors. */
  val needed: Map[String, String] = Map(
    StateStore.setting -> StateStore.rocksDb,
    // The watermark follows the newest record of any source, like stream time in Kafka Streams.
    "spark.sql.streaming.multipleWatermarkPolicy" -> "max",
    "spark.sql.streaming.statefulOperator.allowMultiple" -> "false"
  )
}
