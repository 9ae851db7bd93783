package io.kafkalyst.query

import io.kafkalyst.streams.QueryShape
import io.kafkalyst.streams.AnalyzedQuery
import io.kafkalyst.catalog.{ObjectStore, StoredObject}
import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.model.{TimeOfDay, TopicColumn, Variables}
import io.kafkalyst.model.settings.Settings
import org.apache.spark.sql.{DataFrame, SparkSession}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.kafkalyst.Frames
import org.apache.spark.sql.streaming.OutputMode

/**
 * A query that is ready to run.
 *
 * @param stateful whether it has stateful processors, see [[StateSettings]]
 * @param of       the analysed query that was planned
 */
final case class PlannedQuery(
    frame: DataFrame,
    sink: Sink,
    mode: OutputMode,
    stateful: Boolean,
    of: AnalyzedQuery
) {
  def shape: QueryShape = QueryShape.of(of)

  /** Whether it ends once all available data is written. */
  def availableNow(settings: Settings): Boolean = settings.availableNow || sink.availableNow

  /** The same, to be started in another session. */
  def in(session: SparkSession): PlannedQuery = copy(frame = Frames.of(session, frame.queryExecution.analyzed))
}

/** A statement that starts a continuous query. It can be planned again for an existing sink. */
trait ContinuousStatement {

  /**
   * @param grows whether the sink gets those of the result's columns that it lacks and is to have
   * @throws io.kafkalyst.errors.KafkalystException QUERY_NOT_FOUND or LAKE_SINK if the sink is gone
   */
  def planned(session: SparkSession, record: QueryRecord, grows: Boolean): PlannedQuery
}

/** A statement that writes into a Kafkalyst object. */
trait TopicStatement extends ContinuousStatement {

  /** @param grown the sink with those of the result's columns that it lacks; called if it is to have them */
  def planned(session: SparkSession, sink: StoredObject, grown: Seq[TopicColumn] => StoredObject): PlannedQuery

  override def planned(session: SparkSession, record: QueryRecord, grows: Boolean): PlannedQuery = record.sink match {
    case SinkName.OfObject(name) =>
      val sink = new ObjectStore(session).at(name).getOrElse {
        throw KafkalystException("QUERY_NOT_FOUND", "id" -> record.id, "known" -> s"its sink $name is gone")
      }
      planned(session, sink, columns => if (grows) SinkGrowth.of(session, sink, columns) else sink)
    case table: SinkName.OfTable => throw new IllegalStateException(s"$table is no object")
  }
}

object ContinuousStatement {

  /**
   * Plans a query again from its text, with its sources and sink as they are in the catalog now.
   *
   * @param session it is planned in a copy with the settings that the query was started with
   * @param grows   whether the sink gets columns that it lacks and is to have; not if the query is only explained
   * @throws io.kafkalyst.errors.KafkalystException QUERY_NOT_FOUND if the sink is gone, and any error of planning the
   *         text
   */
  def again(session: SparkSession, record: QueryRecord, grows: Boolean = true): PlannedQuery = {
    val copy = KeptSettings.in(session, record)
    copy.conf.set(TimeOfDay.enabled, "true")
    copy.catalog.setCurrentCatalog(record.catalog)
    if (record.database.nonEmpty) copy.catalog.setCurrentDatabase(quoted(record.database))
    // Expressions take their settings from the thread, where the caller's session is the active one.
    Frames.within(copy)(SQLConf.withExistingConf(copy.sessionState.conf) {
      parsed(copy, record) match {
        case statement: ContinuousStatement =>
          statement.planned(copy, record, grows).in(session)
        case other => throw new IllegalStateException(s"${record.id} is no continuous query but ${other.nodeName}")
      }
    })
  }

  /** Spark reads the name as it would in a statement, so the parts of one without quotes get them. */
  private def quoted(database: String): String =
    if (database.contains('`')) database else database.split('.').map(part => s"`$part`").mkString(".")

  /** The text of a query into an object has its variables' values; what looks like a variable there is a text. */
  private def parsed(session: SparkSession, record: QueryRecord): LogicalPlan = {
    def plan = session.sessionState.sqlParser.parsePlan(record.text)
    record.sink match {
      case _: SinkName.OfTable => plan
      case _: SinkName.OfObject =>
        Variables.of(session.conf.getAll).keys.foreach(name => session.conf.unset(Variables.key(name)))
        Variables.literally(session.sessionState.conf)(plan)
    }
  }
}
