package io.kafkalyst.query
package push

import io.kafkalyst.model.TimeOfDay
import io.kafkalyst.model.settings.Settings
import org.apache.spark.sql.{AnalysisException, DataFrame, SparkSession}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.kafkalyst.Frames
import org.apache.spark.sql.streaming.{OutputMode, StreamingQuery, Trigger}

/** A stream whose rows are shown to a user: it has no sink, and its checkpoint exists only while it runs. */
private[push] object ShownStream {

  /** Starts the stream in output mode Update, or in Append if Spark supports only this, as for joins. */
  def start(within: SparkSession, query: LogicalPlan, name: Option[String] = None)(
      each: DataFrame => Unit
  ): StreamingQuery = {
    val trigger =
      if (Settings.of(within.conf.getAll).availableNow) Trigger.AvailableNow() else Trigger.ProcessingTime(0)
    val session = withTimes(within, query)
    def in(mode: OutputMode) = TimeOfDay.allowed {
      val writer = Frames.of(session, query).writeStream.outputMode(mode).trigger(trigger)
      name.foldLeft(writer)(_.queryName(_)).foreachBatch((batch: DataFrame, _: Long) => each(batch)).start()
    }
    try in(OutputMode.Update())
    catch { case _: AnalysisException => in(OutputMode.Append()) }
  }

  /** A session that can run streams with TIME, which require a setting of Spark. */
  private def withTimes(within: SparkSession, query: LogicalPlan): SparkSession =
    if (query.output.forall(a => TimeOfDay.asNanos(a.dataType) == a.dataType)) within
    else {
      val own = Frames.copyOf(within)
      own.conf.set(TimeOfDay.enabled, "true")
      own
    }
}
