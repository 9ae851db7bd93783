package io.kafkalyst.query

import org.apache.spark.sql.SparkSession
import org.slf4j.MDC

/**
 * Log lines of a query carry its id: in the MDC under [[key]], on the driver and, as Spark hands local properties of such
 * names to tasks, on executors.
 */
private[query] object QueryLogs {
  val key = "mdc.kafkalyst.query"

  /** Around the start of a query, whose thread takes the local properties with it. */
  def starting[A](session: SparkSession, id: String)(start: => A): A = {
    val context = session.sparkContext
    val before = context.getLocalProperty(key)
    context.setLocalProperty(key, id)
    try of(id)(start)
    finally context.setLocalProperty(key, before)
  }

  /** Around lines that the driver logs of a query. */
  def of[A](id: String)(work: => A): A = {
    val entry = MDC.putCloseable(key, id)
    try work
    finally entry.close()
  }
}
