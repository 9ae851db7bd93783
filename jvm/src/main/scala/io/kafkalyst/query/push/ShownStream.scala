package io.kafkalyst.query
package push

import io.kafkalyst.catalog.TopicTable
import io.kafkalyst.model.{ObjectKind, TimeOfDay}
import io.kafkalyst.model.settings.Settings
import io.kafkalyst.streams.AnalyzedQuery
import org.apache.spark.sql.{AnalysisException, DataFrame, SparkSession}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.streaming.StreamingRelationV2
import org.apache.spark.sql.connector.catalog.Table
import org.apache.spark.sql.kafkalyst.Frames
import org.apache.spark.sql.streaming.{OutputMode, StreamingQuery, Trigger}
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import scala.jdk.CollectionConverters._

/** A stream whose rows are shown to a user: it has no sink, and its checkpoint exists only while it runs. */
private[push] object ShownStream {

  /** Records of a topic in a step of [[inSteps]]: few enough to show rows soon, and enough to search a long topic. */
  private val step = "100000"
  private val limits = Seq("maxOffsetsPerTrigger", "minOffsetsPerTrigger")

  /**
   * The query with batches of a limited size, so that a reader who has enough after the first rows does not wait for the
   * whole topic. A query whose rows depend on each other stays as it is, and so does one over a table, of which a batch
   * has only the last row of each key: their results depend on what a batch contains. A limit of the query's own stays.
   */
  def inSteps(query: LogicalPlan): LogicalPlan =
    if (!isRowByRow(query)) query
    else
      query.transform {
        case topic: StreamingRelationV2 if isStream(topic.table) =>
          topic.makeCopy(topic.productIterator.map {
            case options: CaseInsensitiveStringMap => limited(options)
            case part => part.asInstanceOf[AnyRef]
          }.toArray)
      }

  private def isStream(table: Table) = table match {
    // Each step would plan and read a history's table anew.
    case read: TopicTable => read.topic.kind == ObjectKind.Stream && !read.hasOlder
    case _ => false
  }

  private def limited(options: CaseInsensitiveStringMap): CaseInsensitiveStringMap =
    if (limits.exists(options.containsKey(_))) options
    else new CaseInsensitiveStringMap((options.asCaseSensitiveMap.asScala.toMap + (limits.head -> step)).asJava)

  /** Whether a row of the result depends on one row of a topic only. */
  def isRowByRow(query: LogicalPlan): Boolean = !query.exists {
    case _: Project | _: Filter | _: SubqueryAlias | _: View | _: Generate | _: LeafNode => false
    case _ => true
  }

  /**
   * Starts the stream in output mode Update, or in Append if Spark supports only this, as for joins.
   *
   * @throws io.kafkalyst.errors.KafkalystException NOT_WITHOUT_END
   */
  def start(within: SparkSession, query: LogicalPlan, name: Option[String] = None)(
      each: DataFrame => Unit
  ): StreamingQuery = {
    val trigger =
      if (Settings.of(within.conf.getAll).availableNow) Trigger.AvailableNow() else Trigger.ProcessingTime(0)
    val session = withTimes(within, query)
    def in(mode: OutputMode) = Launch.whole(TimeOfDay.allowed {
      val writer = Frames.of(session, query).writeStream.outputMode(mode).trigger(trigger)
      name.foldLeft(writer)(_.queryName(_)).foreachBatch((batch: DataFrame, _: Long) => each(batch)).start()
    })
    AnalyzedQuery.checkDistinct(query)
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
