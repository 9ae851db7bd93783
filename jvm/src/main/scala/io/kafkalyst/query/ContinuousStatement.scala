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
 * @param stateful whether it has stateful processors, see [[io.kafkalyst.catalog.StateSettings]]
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

  /** Whether the query ends once all available data is written. */
  def availableNow(settings: Settings): Boolean = settings.availableNow || sink.availableNow

  /** The same query, to be started in another session. */
  def in(session: SparkSession): PlannedQuery = copy(frame = Frames.of(session, frame.queryExecution.analyzed))
}

/** A statement that starts a continuous query. It can be planned again for an existing sink. */
trait ContinuousStatement {

  /**
   * @param grows whether the sink gains new columns of the result, if it is declared to
   * @throws io.kafkalyst.errors.KafkalystException QUERY_NOT_FOUND or LAKE_SINK if the sink does not exist any more
   */
  def planned(session: SparkSession, record: QueryRecord, grows: Boolean): PlannedQuery
}

/** A statement that writes into a Kafkalyst object. */
trait TopicStatement extends ContinuousStatement {

  /**
   * @param started the sink's columns when the query was started, if the record says them
   * @param grown   returns the sink with the new columns of the result; called if the sink is declared to gain them
   */
  def planned(
      session: SparkSession,
      sink: StoredObject,
      started: Option[Seq[String]],
      grown: Seq[TopicColumn] => StoredObject
  ): PlannedQuery

  override def planned(session: SparkSession, record: QueryRecord, grows: Boolean): PlannedQuery = record.sink match {
    case SinkName.OfObject(name) =>
      val sink = new ObjectStore(session).at(name).getOrElse {
        throw KafkalystException("QUERY_NOT_FOUND", "id" -> record.id, "known" -> s"its sink $name is gone")
      }
      planned(session, sink, record.columns, columns => if (grows) SinkGrowth.of(session, sink, columns) else sink)
    case table: SinkName.OfTable => throw new IllegalStateException(s"$table is not an object")
  }
}

object ContinuousStatement {

  /**
   * Plans a query again from its text, with the catalog's current sources and sink.
   *
   * @param session the query is planned in a copy of it, with the settings of the query's start
   * @param grows   whether the sink gains new columns; false if the query is only explained
   * @throws io.kafkalyst.errors.KafkalystException QUERY_NOT_FOUND if the sink does not exist any more, and any error
   *         of planning the text
   */
  def again(session: SparkSession, record: QueryRecord, grows: Boolean = true): PlannedQuery = {
    val copy = KeptSettings.in(session, record)
    copy.conf.set(TimeOfDay.enabled, "true")
    copy.catalog.setCurrentCatalog(record.catalog)
    if (record.database.nonEmpty) copy.catalog.setCurrentDatabase(quoted(record.database))
    // Expressions take their settings from the thread, whose active session is the caller's.
    Frames.within(copy)(SQLConf.withExistingConf(copy.sessionState.conf) {
      parsed(copy, record) match {
        case statement: ContinuousStatement =>
          statement.planned(copy, record, grows).in(session)
        case other => throw new IllegalStateException(s"${record.id} is not a continuous query but ${other.nodeName}")
      }
    })
  }

  /** Spark parses the name as in a statement, so unquoted parts are quoted. */
  private def quoted(database: String): String =
    if (database.contains('`')) database else database.split('.').map(part => s"`$part`").mkString(".")

  /**
   * The text of a query into an object is stored after variable substitution; any `${…}` left in it is literal text.
   */
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
