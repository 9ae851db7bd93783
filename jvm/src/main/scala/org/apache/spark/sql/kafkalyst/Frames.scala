package org.apache.spark.sql.kafkalyst

import io.kafkalyst.model.TimeOfDay
import org.apache.spark.sql.{DataFrame, SparkSession}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.classic

/** What Spark has no public way for; these ones are the same in all supported versions. */
object Frames {

  /** A session with settings, views and functions of its own, which begin as the session's are now. */
  def copyOf(session: SparkSession): SparkSession = session.asInstanceOf[classic.SparkSession].cloneSession()

  /** The DataFrame of a plan. */
  def of(session: SparkSession, plan: LogicalPlan): DataFrame =
    TimeOfDay.allowed(classic.Dataset.ofRows(session.asInstanceOf[classic.SparkSession], plan))
}
