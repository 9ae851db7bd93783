package io.kafkalyst.query

import java.util.concurrent.ConcurrentHashMap

import io.kafkalyst.catalog.{KafkalystProvider, ObjectCodec, ObjectName, StoredObject}
import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.model.{Settings, TopicObject}
import org.apache.hadoop.fs.Path
import org.apache.spark.sql.{DataFrame, SparkSession}
import org.apache.spark.sql.streaming.{OutputMode, StreamingQuery, StreamingQueryException, Trigger}

import scala.jdk.CollectionConverters._
import scala.util.matching.Regex

/** A continuous query as it is decided before it runs. */
final case class QueryStart(
    id: String,
    sink: ObjectName,
    sources: Seq[ObjectName],
    checkpoint: String,
    text: String,
    inserts: Boolean = false
) {

  /** What the sink's catalog entry keeps of it. */
  def properties: Map[String, String] = Map(
    QueryStart.idProperty -> id,
    QueryStart.checkpointProperty -> checkpoint,
    QueryStart.textProperty -> text
  )
}

object QueryStart {
  private[query] val prefix = "kafkalyst.query."
  private[query] val idProperty = prefix + "id"
  private[query] val checkpointProperty = prefix + "checkpoint"
  private[query] val textProperty = prefix + "text"
  private val numbered: Regex = """(?:CSAS_.*|CTAS_.*|INSERTQUERY)_(\d{1,9})""".r
  private val reserved = Seq("CSAS_", "CTAS_", "CST_", "INSERTQUERY_")

  /** As the query that filled the object before, by its id and from where it stopped; None where none did. */
  def inPlaceOf(before: StoredObject, sources: Seq[ObjectName], text: String): Option[QueryStart] = for {
    id <- before.properties.get(idProperty)
    checkpoint <- before.properties.get(checkpointProperty)
  } yield QueryStart(id, before.name, sources, checkpoint, text)

  /** The next query: its number is above all that the catalog and the checkpoints know. */
  def of(
      session: SparkSession,
      settings: Settings,
      sink: ObjectName,
      sources: Seq[ObjectName],
      text: String,
      prefix: String = "CSAS"
  ): QueryStart =
    made(session, settings, sink, sources, text)((next, _) => s"${prefix}_${sink.table.toUpperCase}_$next")

  /** The next query into a stream that exists already, with the id that it is given; QUERY_ID where it cannot be one. */
  def ofInsert(
      session: SparkSession,
      settings: Settings,
      sink: ObjectName,
      sources: Seq[ObjectName],
      text: String,
      given: Option[String]
  ): QueryStart = made(session, settings, sink, sources, text) { (next, known) =>
    given.foreach { id =>
      val reason =
        if (reserved.exists(id.startsWith))
          Some(s"ids that begin with ${reserved.mkString(" or ")} are given by Kafkalyst")
        else if (!id.matches("[A-Z0-9_-]+")) Some("letters, digits, _ and - are expected")
        else if (known.contains(id)) Some("a query or a checkpoint has it already")
        else None
      reason.foreach(r => throw KafkalystException("QUERY_ID", "id" -> id, "reason" -> r))
    }
    given.getOrElse(s"INSERTQUERY_$next")
  }.copy(inserts = true)

  private def made(
      session: SparkSession,
      settings: Settings,
      sink: ObjectName,
      sources: Seq[ObjectName],
      text: String
  )(id: (Int, Seq[String]) => String): QueryStart = synchronized {
    val warehouse = session.conf.get("spark.sql.warehouse.dir").stripSuffix("/")
    val root = new Path(settings.get(Settings.checkpointRoot).getOrElse(s"$warehouse/_kafkalyst"))
    val files = root.getFileSystem(session.sessionState.newHadoopConf())
    val there = if (files.exists(root)) files.listStatus(root).map(_.getPath.getName).toSeq else Nil
    val known = there ++ ContinuousQueries.all().map(_.id)
    val name = id(known.collect { case numbered(n) => n.toInt }.maxOption.fold(1)(_ + 1), known)
    val checkpoint = new Path(root, name)
    files.mkdirs(checkpoint)
    QueryStart(name, sink, sources, checkpoint.toString, text)
  }
}

/** A continuous query that was started in this application. */
final class ContinuousQuery(start: QueryStart, val streaming: StreamingQuery) {
  def id: String = start.id
  def sink: ObjectName = start.sink
  def sources: Seq[ObjectName] = start.sources
  def text: String = start.text

  /** Whether it writes into a stream that others made. */
  def inserts: Boolean = start.inserts
  def checkpoint: String = start.checkpoint
  def streamingId: String = streaming.id.toString

  def state: String =
    if (streaming.isActive) "RUNNING" else if (streaming.exception.isDefined) "ERROR" else "FINISHED"

  /** Rows per second of the last trigger; null before the first. */
  def rate: java.lang.Double = Option(streaming.lastProgress).map(p => Double.box(p.processedRowsPerSecond)).orNull

  /** Rows read so far, over the progress that Spark keeps. */
  def rows: Long = streaming.recentProgress.map(_.numInputRows).sum

  /** Records between the last one read and the topics' ends; null where not known. */
  def lag: java.lang.Long = {
    val behind = Option(streaming.lastProgress).toSeq.flatMap(_.sources).flatMap { source =>
      Option(source.metrics.get("avgOffsetsBehindLatest")).flatMap(_.toDoubleOption).map { average =>
        average * math.max(1, ContinuousQuery.partitions(source.endOffset))
      }
    }
    if (behind.isEmpty) null else Long.box(math.round(behind.sum))
  }

  def error: String = streaming.exception.map(e => Option(e.cause).getOrElse(e).getMessage).orNull
}

private object ContinuousQuery {

  /** How many partitions an offset of Spark's Kafka source names: `{"topic":{"0":7,"1":9}}`. */
  private def partitions(offset: String): Int =
    Option(offset).fold(0)(text =>
      new com.fasterxml.jackson.databind.ObjectMapper().readTree(text).asScala.map(_.size).sum
    )
}

/** The application's continuous queries, whatever session started them. */
object ContinuousQueries {
  private val queries = new ConcurrentHashMap[String, ContinuousQuery]()

  def all(): Seq[ContinuousQuery] = queries.values.asScala.toSeq.sortBy(_.id)

  def running(): Seq[ContinuousQuery] = all().filter(_.streaming.isActive)

  /** The part of an object's properties that tells of its query. */
  def propertiesOf(stored: StoredObject): Map[String, String] =
    stored.properties.filter(_._1.startsWith(QueryStart.prefix))

  /** The query that an object was made with; None for one that plain CREATE made. */
  def idOf(stored: StoredObject): Option[String] = stored.properties.get(QueryStart.idProperty)

  /**
   * Starts the query into its sink. With the trigger `available-now` it returns when all that was there is written.
   *
   * @param stateful whether it has processors with state, see [[StateSettings]]
   * @throws io.kafkalyst.errors.KafkalystException or the failed task's own condition, where it fails before returning
   */
  def start(
      session: SparkSession,
      settings: Settings,
      frame: DataFrame,
      sink: TopicObject,
      start: QueryStart,
      mode: OutputMode = OutputMode.Append(),
      stateful: Boolean = false
  ): ContinuousQuery = {
    val writer = frame.writeStream
      .queryName(start.id)
      .format(KafkalystProvider.name)
      .outputMode(mode)
      .options(ObjectCodec.encodeWithSchema(sink))
      .option(KafkalystProvider.nameOption, start.sink.toString)
      .option("checkpointLocation", start.checkpoint)
    val triggered = if (settings.availableNow) writer.trigger(Trigger.AvailableNow()) else writer
    val streaming = if (stateful) StateSettings.during(session)(triggered.start()) else triggered.start()
    val query = new ContinuousQuery(start, streaming)
    queries.put(start.id, query)
    if (settings.availableNow) {
      try streaming.awaitTermination()
      catch {
        case failed: StreamingQueryException =>
          queries.remove(start.id)
          throw Iterator.iterate[Throwable](failed)(_.getCause).takeWhile(_ != null).collectFirst {
            case known: org.apache.spark.SparkThrowable
                if String.valueOf(known.getCondition).startsWith("KAFKALYST_") =>
              known.asInstanceOf[Throwable]
          }.getOrElse(failed)
      }
    }
    query
  }

  /** Stops one query; QUERY_NOT_FOUND where it is not running. */
  def terminate(id: String): ContinuousQuery = {
    val query = all().find(_.id.equalsIgnoreCase(id)).getOrElse {
      throw KafkalystException(
        "QUERY_NOT_FOUND",
        "id" -> id,
        "running" -> (if (running().isEmpty) "none" else running().map(_.id).mkString(", "))
      )
    }
    query.streaming.stop()
    queries.remove(query.id)
    query
  }

  /** The queries that write or read an object. */
  def of(name: ObjectName): Seq[ContinuousQuery] = all().filter(q => q.sink == name || q.sources.contains(name))
}
