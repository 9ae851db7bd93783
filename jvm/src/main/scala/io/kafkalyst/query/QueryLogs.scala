package io.kafkalyst.query

import org.apache.spark.sql.SparkSession
import org.slf4j.MDC

/**
 * Tags a query's log lines with its id, in the MDC under [[key]]: on the driver, and on executors because Spark passes
 * local properties with such names to tasks.
 */
private[query] object QueryLogs {
  val key = "mdc.kafkalyst.query"

  /** Wraps the start of a query, whose thread inherits the local properties. */
  def starting[A](session: SparkSession, id: String)(start: => A): A = {
    val context = session.sparkContext
    val before = context.getLocalProperty(key)
    context.setLocalProperty(key, id)
    try of(id)(start)
    finally context.setLocalProperty(key, before)
  }

  /** Wraps driver code that logs for a query. */
  def of[A](id: String)(work: => A): A = {
    val entry = MDC.putCloseable(key, id)
    try work
    finally entry.close()
  }
}
