package org.apache.spark.sql.kafkalyst

import org.apache.spark.sql.{DataFrame, SparkSession}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.classic

/** Makes a DataFrame of a plan. Spark has no public way; this one is the same in all supported versions. */
object Frames {
  def of(session: SparkSession, plan: LogicalPlan): DataFrame =
    classic.Dataset.ofRows(session.asInstanceOf[classic.SparkSession], plan)
}
