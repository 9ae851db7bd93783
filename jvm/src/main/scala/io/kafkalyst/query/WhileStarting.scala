package io.kafkalyst.query

import java.util.WeakHashMap

import io.kafkalyst.model.settings.Temporarily
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
  def apply[A](session: SparkSession, settings: => Map[String, Option[String]])(start: => A): A =
    outside(session)(Temporarily(session, settings)(start))

  /** Runs the body while no start has changed the session's settings. */
  def outside[A](session: SparkSession)(body: => A): A = lockOf(session).synchronized(body)
}
