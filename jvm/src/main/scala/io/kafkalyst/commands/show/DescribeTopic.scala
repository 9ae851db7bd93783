package io.kafkalyst.commands
package show

import java.util.Locale

import com.fasterxml.jackson.core.JsonProcessingException
import com.fasterxml.jackson.databind.ObjectMapper
import io.kafkalyst.catalog.{ObjectStore, TopicConfigs}
import io.kafkalyst.catalog.define.ObjectDefinition
import io.kafkalyst.formats.{Formats, RecordText}
import io.kafkalyst.formats.json.JsonFormat
import io.kafkalyst.formats.jsonschema.JsonSrFormat
import io.kafkalyst.model.{Side, SubjectStrategy, TopicObject}
import io.kafkalyst.model.settings.Settings
import io.kafkalyst.registry.{RegisteredSchema, RegistryAdmin, Subjects, WireFormat}
import org.apache.spark.sql.{Row, SparkSession}
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.execution.command.LeafRunnableCommand
import org.apache.spark.sql.types.StringType

import scala.util.Try

/**
 * DESCRIBE TOPIC: the topic's state on the brokers, and the formats of its oldest and newest records. Formats are
 * guessed from a sample, each with its number of records.
 */
final case class DescribeTopic(topic: String) extends LeafRunnableCommand {
  override val output: Seq[Attribute] = Commands.output("info_name" -> StringType, "info_value" -> StringType)

  override def run(session: SparkSession): Seq[Row] = {
    val store = new ObjectStore(session)
    val settings = store.settings
    val admin = Commands.admin(settings)
    val shape = admin.require(topic)
    val ranges = admin.offsets(topic)
    val registry =
      if (settings.get(Settings.registryUrl).isDefined) Some(ObjectDefinition.registry(settings)) else None
    val bytes = admin.bytesOf(topic)
    val sample = new TopicSample(session, settings.clientProperties, topic, ranges)
    val objects = store.listAll().filter(_.topic.topics.contains(topic))
    val lines = Seq(
      "topic" -> topic,
      "partitions" -> shape.partitions.toString,
      "replicas" -> shape.replicas.toString
    ) ++ Seq(TopicConfigs.cleanup, TopicConfigs.retention, TopicConfigs.retentionBytes).flatMap { name =>
      admin.config(topic, name).map(name -> _)
    } ++ Seq("offsets" -> ranges.values.map { case (first, next) => next - first }.sum.toString) ++
      bytes.map(b => "bytes" -> b.values.sum.toString) ++
      ranges.toSeq.sortBy(_._1).map { case (partition, (first, next)) =>
        val size = bytes.map(b => s", ${b.getOrElse(partition, 0L)} bytes").getOrElse("")
        s"partition $partition" -> s"offsets $first to $next$size"
      } ++
      sample.first.map("first time" -> _) ++ sample.last.map("last time" -> _) ++
      Side.all.flatMap(side => sample.formats(side, registry).map(s"${side.name} formats found" -> _)) ++
      Side.all.flatMap(side => subjects(side, objects.map(_.topic), sample, registry)) ++
      objects.map(o => o.topic.kind.name.toLowerCase(Locale.ROOT) -> o.name.toString)
    lines.map { case (name, value) => Row(name, value) }
  }

  /**
   * The subjects with their latest version and all their versions: the topic's own subjects, those of objects over the
   * topic, and those that the naming strategies give for the sampled records.
   */
  private def subjects(
      side: Side,
      objects: Seq[TopicObject],
      sample: TopicSample,
      registry: Option[RegistryAdmin]
  ): Seq[(String, String)] = for {
    registry <- registry.toSeq
    declared =
      objects.map(_.format(side)).filter(f => Formats.of(f.format).exists(_.schemaType.isDefined)).flatMap { f =>
        def record = f.schemaId.flatMap(registry.byId).flatMap(s => Subjects.recordName(s.schemaType, s.schema))
        Try(Subjects.of(side, topic, f, record)).toOption
      }
    found = sample.schemas(side, registry).flatMap(s => Subjects.recordName(s.schemaType, s.schema)).flatMap { name =>
      Seq(SubjectStrategy.RecordName, SubjectStrategy.TopicRecordName)
        .map(Subjects.subject(side, topic, _, None, Some(name)))
    }
    subject <- (side.subject(topic) +: (declared ++ found)).distinct
    latest <- registry.latest(subject).toSeq
    line <- Seq(
      s"${side.name} subject" -> s"${latest.subject}, version ${latest.version}, ${latest.schemaType}",
      s"${side.name} schema versions" -> registry.versions(latest.subject).sorted.mkString(", ")
    )
  } yield line
}

/** The oldest and the newest records of each partition. */
private final class TopicSample(
    session: SparkSession,
    client: Map[String, String],
    topic: String,
    ranges: Map[Int, (Long, Long)]
) {
  private val size = 50
  private val oldest = read { case (first, next) => (first, math.min(next, first + size)) }
  private val newest = read { case (first, next) => (math.max(first, next - size), next) }

  private def read(of: ((Long, Long)) => (Long, Long)): Seq[Row] =
    PrintTopic.records(session, client, topic, ranges.map { case (p, range) => p -> of(range) })
      .selectExpr("unix_millis(timestamp)", "key", "value", "partition", "offset", "CAST(timestamp AS STRING)")
      .collect().toSeq

  /** Times as text, in the session's time zone. */
  def first: Option[String] = oldest.minByOption(_.getLong(0)).map(_.getString(5))
  def last: Option[String] = newest.maxByOption(_.getLong(0)).map(_.getString(5))

  private def bytes(side: Side): Seq[Array[Byte]] = {
    val at = if (side == Side.Key) 1 else 2
    (oldest ++ newest).distinctBy(r => (r.getInt(3), r.getLong(4))).map(_.getAs[Array[Byte]](at))
  }

  /** The schemas whose ids are in the records' wire format. */
  def schemas(side: Side, registry: RegistryAdmin): Seq[RegisteredSchema] =
    bytes(side).filter(b => b != null && WireFormat.fault(b, 0, b.length) == null)
      .map(WireFormat.schemaId(_, 0)).distinct.flatMap(registry.byId)

  /** Such as `JSON (98), none (2)`; None for a topic without records. */
  def formats(side: Side, registry: Option[RegistryAdmin]): Option[String] = {
    val found = bytes(side).map(FoundFormat.of(_, registry))
    val counts = found.groupBy(identity).toSeq.map { case (name, all) => name -> all.size }
    Option.when(found.nonEmpty) {
      counts.sortBy { case (name, count) => (-count, name) }.map { case (n, count) => s"$n ($count)" }.mkString(", ")
    }
  }
}

/** Guesses a format from the bytes alone. */
private object FoundFormat {
  private val json = new ObjectMapper()

  def of(bytes: Array[Byte], registry: Option[RegistryAdmin]): String =
    if (bytes == null) "none"
    else if (WireFormat.fault(bytes, 0, bytes.length) == null) framed(bytes, registry)
    else RecordText.printable(bytes).fold(plain(bytes))(t => if (isJson(t)) JsonFormat.name else "text")

  /** Big-endian numbers may begin with zeros, too, so 8 bytes with an unknown id are shown as a number. */
  private def framed(bytes: Array[Byte], registry: Option[RegistryAdmin]): String = {
    val id = WireFormat.schemaId(bytes, 0)
    registry.flatMap(_.byId(id)).map(s => if (s.schemaType == "JSON") JsonSrFormat.name else s.schemaType)
      .getOrElse(if (bytes.length == 8) plain(bytes) else s"schema id $id, which the registry does not know")
  }

  /** The bytes may be a number if they have the length that Kafka's own serialisers write. */
  private def plain(bytes: Array[Byte]) = bytes.length match {
    case 4 => "4 bytes, as an INT of KAFKA"
    case 8 => "8 bytes, as a BIGINT or DOUBLE of KAFKA"
    case _ => "bytes"
  }

  private def isJson(text: String) = text.trim.headOption.exists("{[".contains(_)) && {
    try json.readTree(text) != null
    catch { case _: JsonProcessingException => false }
  }
}
