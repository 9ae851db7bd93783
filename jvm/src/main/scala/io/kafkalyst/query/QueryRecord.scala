package io.kafkalyst.query

import java.util.Locale

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import io.kafkalyst.streams.QueryShape
import io.kafkalyst.errors.{KafkalystException, Printable}
import io.kafkalyst.catalog.{ObjectCodec, ObjectName, ObjectStore, StoredObject}
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.util.QuotingUtils.quoteIfNeeded
import org.slf4j.LoggerFactory

import scala.jdk.CollectionConverters._
import scala.util.control.NonFatal

/**
 * The stored form of a continuous query: enough to plan it again and to continue where it stopped. It is stored in its
 * sink's catalog entry or, if the sink is a table of another catalog, in a file ([[RecordFiles]]).
 *
 * @param inserts  whether it inserts into an existing sink instead of one that it created
 * @param catalog  the current catalog when it was started
 * @param database the current database when it was started, with Spark's quotes; older versions stored no quotes
 * @param settings the session settings that determine what its text means and writes, see [[KeptSettings]]
 * @param shape    what its checkpoint's offsets and state belong to, see [[QueryShape]]
 * @param state    the wanted state: RUNNING, PAUSED, FINISHED (available-now), FAILED or TERMINATED
 * @param error    the last failure's message
 * @param keepsAll whether settings that are missing in `settings` were unset; false for records of older versions
 * @param columns  the sink's columns when an INSERT into an object was started: later ones are NULL; None in records of
 *                 older versions, and of other queries
 * @param places   the columns of a query into another catalog's table when it was started, each with the table's column
 *                 for it; None if names decide, and in records of older versions, whose positions have the keys first
 */
final case class QueryRecord(
    id: String,
    sink: SinkName,
    sources: Seq[ObjectName],
    checkpoint: String,
    text: String,
    inserts: Boolean = false,
    catalog: String,
    database: String,
    settings: Map[String, String],
    shape: QueryShape,
    state: String = QueryRecord.running,
    error: Option[String] = None,
    keepsAll: Boolean = true,
    columns: Option[Seq[String]] = None,
    places: Option[Seq[(String, String)]] = None
) {

  /** Its id behind its catalog's name; no id has a dot. */
  def fullId: String = sink match {
    case SinkName.OfObject(name) if name.isOfCluster => s"${name.database}.$id"
    case SinkName.OfObject(_) => s"${ObjectName.sessionCatalog}.$id"
    case SinkName.OfTable(parts) => s"${parts.head}.$id"
  }

  /** Its id as a statement takes it. */
  def word: String = quoteIfNeeded(id)

  /** Whether a record that is stored now is this one, whatever its last error. */
  def isStill(now: QueryRecord): Boolean = now.state == state && now.checkpoint == checkpoint

  /** The properties that store it in the sink's catalog entry. */
  def properties: Map[String, String] = Map(QueryRecord.propertyOf(id) -> QueryRecord.encode(this))
}

object QueryRecord {
  val running = "RUNNING"
  val paused = "PAUSED"
  val finished = "FINISHED"
  val failed = "FAILED"
  val terminated = "TERMINATED"

  private val prefix = ObjectCodec.queryPrefix
  private val log = LoggerFactory.getLogger("io.kafkalyst.query")
  private val mapper = new ObjectMapper()

  /** The properties of an object that store its queries. */
  def propertiesOf(stored: StoredObject): Map[String, String] = stored.properties.filter(_._1.startsWith(prefix))

  /** The queries that write into an object. */
  def of(stored: StoredObject): Seq[QueryRecord] =
    propertiesOf(stored).toSeq.sortBy(_._1).flatMap { case (name, json) =>
      readable(s"the property $name of ${stored.name}") {
        decode(SinkName.OfObject(stored.name), mapper.readTree(json))
      }
    }

  /** The query that created an object, even if it is terminated; None for objects of a plain CREATE. */
  def ownOf(stored: StoredObject): Option[QueryRecord] = of(stored).find(!_.inserts)

  /** None for an unreadable record, which must not hide the others. */
  private def readable(place: String)(record: => QueryRecord): Option[QueryRecord] =
    try Some(record)
    catch {
      case NonFatal(e) =>
        log.warn(s"A query is left out, because its record in $place cannot be read: ${Printable(e.toString)}")
        None
    }

  /** All stored queries except terminated ones. */
  def all(session: SparkSession): Seq[QueryRecord] =
    (new ObjectStore(session).listKept().flatMap(of) ++ RecordFiles.all(session).flatMap(ofFile))
      .filter(_.state != terminated)

  private def ofFile(text: String): Option[QueryRecord] = readable("a file beside the checkpoints") {
    val json = mapper.readTree(text)
    decode(SinkName.OfTable(json.get("sink").elements.asScala.map(_.asText).toSeq), json)
  }

  /**
   * Stores the record of a new query; does nothing if its sink is a Kafkalyst object that no longer exists.
   *
   * @throws io.kafkalyst.errors.KafkalystException QUERY_ID if another query has its id in the sink's entry: that of an
   *         application with other checkpoints, which names them by itself
   */
  def add(session: SparkSession, record: QueryRecord): Unit = record.sink match {
    case SinkName.OfObject(name) =>
      def isFree(now: Map[String, String]) =
        now.get(propertyOf(record.id)).forall(stored(record, _).exists(_.checkpoint == record.checkpoint))
      val store = new ObjectStore(session)
      if (!store.setProperties(name, record.properties, isFree(_)) && store.kindAt(name).isDefined) {
        val reason = s"a query of another application into $name has it"
        throw KafkalystException("QUERY_ID", "id" -> record.id, "reason" -> reason)
      }
    case _: SinkName.OfTable => put(session, record)
  }

  private def stored(record: QueryRecord, json: String): Option[QueryRecord] =
    readable(s"the entry of ${record.sink}")(decode(record.sink, mapper.readTree(json)))

  /** Stores the record; does nothing if its sink is a Kafkalyst object that no longer exists. */
  def put(session: SparkSession, record: QueryRecord): Unit = record.sink match {
    case SinkName.OfObject(name) =>
      new ObjectStore(session).setProperties(name, record.properties, (_: Map[String, String]) => true)
      ()
    case _: SinkName.OfTable => RecordFiles.put(session, record.id, encode(record))
  }

  /** The record as it is stored now; None if it or its sink is gone. */
  def now(session: SparkSession, record: QueryRecord): Option[QueryRecord] = record.sink match {
    case SinkName.OfObject(name) => new ObjectStore(session).at(name).flatMap(of(_).find(_.id == record.id))
    case _: SinkName.OfTable => RecordFiles.read(session, record.id).flatMap(ofFile)
  }

  /**
   * Stores the record in the place of one that is as expected. Between applications a change of a file
   * ([[RecordFiles]]) may be lost, that of a sink's entry in a cluster's catalog is not.
   *
   * @return false, without a change, if the stored one is not, or is gone
   */
  def replace(session: SparkSession, record: QueryRecord)(expected: QueryRecord => Boolean): Boolean =
    record.sink match {
      case SinkName.OfObject(name) =>
        def isExpected(now: Map[String, String]) =
          now.get(propertyOf(record.id)).flatMap(stored(record, _)).exists(expected)
        new ObjectStore(session).setProperties(name, record.properties, isExpected(_))
      case _: SinkName.OfTable =>
        val isExpected = now(session, record).exists(expected)
        if (isExpected) put(session, record)
        isExpected
    }

  def remove(session: SparkSession, record: QueryRecord): Unit = record.sink match {
    case SinkName.OfObject(name) =>
      val store = new ObjectStore(session)
      if (!store.isGone(name)) store.unsetProperties(name, Seq(propertyOf(record.id)))
    case _: SinkName.OfTable => RecordFiles.remove(session, record.id)
  }

  private def propertyOf(id: String): String = prefix + id.toLowerCase(Locale.ROOT)

  private def encode(r: QueryRecord): String = {
    val json = mapper.createObjectNode()
    json.put("id", r.id).put("state", r.state).put("inserts", r.inserts).put("text", r.text)
    json.put("checkpoint", r.checkpoint).put("catalog", r.catalog).put("database", r.database)
    val sources = json.putArray("sources")
    r.sources.foreach(s => sources.addArray().add(s.database).add(s.table).add(s.stored).add(s.isOfCluster))
    val settings = json.putObject("settings")
    r.settings.toSeq.sorted.foreach { case (name, value) => settings.put(name, value) }
    json.put("keepsAll", r.keepsAll)
    r.columns.foreach { all =>
      val columns = json.putArray("columns")
      all.foreach(columns.add)
    }
    r.places.foreach { all =>
      val places = json.putArray("places")
      all.foreach { case (given, column) => places.addArray().add(given).add(column) }
    }
    val topics = json.putArray("topics")
    r.shape.topics.foreach(topics.add)
    val operators = json.putArray("operators")
    r.shape.operators.foreach(operators.add)
    r.shape.window.foreach(json.put("window", _))
    r.shape.keys.foreach { all =>
      val keys = json.putArray("keys")
      all.foreach(keys.add)
    }
    r.error.foreach(json.put("error", _))
    r.sink match {
      case SinkName.OfTable(parts) =>
        val sink = json.putArray("sink")
        parts.foreach(sink.add)
      case _: SinkName.OfObject =>
    }
    mapper.writeValueAsString(json)
  }

  private def sourceOf(json: JsonNode): ObjectName = {
    val name = ObjectName(json.get(0).asText, json.get(1).asText)
    Option(json.get(2)).fold(name) { stored =>
      name.copy(stored = stored.asText, isOfCluster = json.path(3).asBoolean(false))
    }
  }

  private def decode(sink: SinkName, json: JsonNode): QueryRecord = {
    def texts(name: String) = json.get(name).elements.asScala.map(_.asText).toSeq
    QueryRecord(
      json.get("id").asText,
      sink,
      json.get("sources").elements.asScala.map(sourceOf).toSeq,
      json.get("checkpoint").asText,
      json.get("text").asText,
      json.get("inserts").asBoolean,
      json.path("catalog").asText(ObjectName.sessionCatalog),
      json.get("database").asText,
      json.get("settings").fields.asScala.map(e => e.getKey -> e.getValue.asText).toMap,
      QueryShape(
        texts("topics"),
        texts("operators"),
        Option(json.get("window")).map(_.asText),
        Option(json.get("keys")).map(_ => texts("keys"))
      ),
      json.get("state").asText,
      Option(json.get("error")).map(_.asText),
      json.path("keepsAll").asBoolean(false),
      Option(json.get("columns")).map(_ => texts("columns")),
      Option(json.get("places")).map(_.elements.asScala.map(p => p.get(0).asText -> p.get(1).asText).toSeq)
    )
  }
}
