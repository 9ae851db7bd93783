package io.kafkalyst.catalog

import java.util.Locale

import com.fasterxml.jackson.databind.ObjectMapper
import io.kafkalyst.errors.{KafkalystException, Redaction}
import io.kafkalyst.model._
import io.kafkalyst.model.flink.FlinkProperties
import io.kafkalyst.names.InternalSchema
import org.apache.spark.sql.types.StructType

import scala.util.control.NonFatal

/**
 * Encodes a [[io.kafkalyst.model.TopicObject]] as a catalog entry's properties, so that any metastore can store it, and
 * decodes it. Law: `decode(InternalSchema.of(o.columns), encode(o)) == o`, even if the metastore drops the columns'
 * metadata.
 */
object ObjectCodec {
  private val kind = "kafkalyst.kind"

  /** The policy for bad records. Validated on use, because ALTER TABLE and each read may set it. */
  val onError = "on_error"
  private val deadLetterTopic = "dead_letter_topic"
  private val keyColumns = "kafkalyst.key.columns"
  private val metadataColumns = "kafkalyst.metadata.columns"
  private val renamedColumns = "kafkalyst.renamed.columns"
  private val computedColumns = "kafkalyst.computed.columns"
  private val watermark = "kafkalyst.watermark"
  private val declaredColumns = "kafkalyst.declared.columns"
  private val schemaOption = "kafkalyst.schema"

  private def idOf(side: Side) = s"kafkalyst.${side.name}.schema.id"
  private def optionPrefix(side: Side) = s"kafkalyst.${side.name}.option."

  def encode(o: TopicObject): Map[String, String] = {
    val fields = InternalSchema.of(o.columns).fields.toSeq.zip(o.columns)
    val keys = fields.collect { case (field, column) if column.side == Side.Key => field.name }
    val renamed = fields.collect { case (field, column) if field != column.field => field }
    Map(
      kind -> o.kind.name,
      "kafka_topic" -> o.topic,
      onError -> o.onError.name,
      keyColumns -> mapper.writeValueAsString(keys.toArray)
    ) ++ o.deadLetterTopic.map(deadLetterTopic -> _) ++
      (if (renamed.isEmpty) None else Some(renamedColumns -> StructType(renamed).json)) ++
      listed(computedColumns, o.computed.map(c => Array(c.name, c.written, c.sql, c.place.toString))) ++
      listed(declaredColumns, o.declared.map(d => Array(d.name, d.written, d.sql, d.comment))) ++
      listed(watermark, o.watermark.map(w => Array(w.column, w.sql)).toSeq) ++ metadataOf(o) ++ o.options.map {
        case (name, value) => name.toLowerCase(Locale.ROOT) -> value
      } ++
      Side.all.flatMap { side =>
        val format = o.format(side)
        Seq(s"${side.name}_format" -> format.format) ++ format.schemaId.map(idOf(side) -> _.toString) ++
          format.options.map { case (k, v) => (optionPrefix(side) + k.toLowerCase(Locale.ROOT)) -> v }
      }
  }

  /** Converts a WITH clause's properties (upper-case names) to a definition's, so that they can override it. */
  def properties(given: Map[String, String]): Map[String, String] = given.map { case (name, value) =>
    Properties.sideOptions.collectFirst {
      case (side, option, property) if property.name == name =>
        optionPrefix(side) + option.toLowerCase(Locale.ROOT) -> value
    }.getOrElse(name.toLowerCase(Locale.ROOT) -> value)
  }

  /** Redacts secrets: Kafkalyst's statements never store one, but other tools may write entries. */
  private def withoutSecret(name: String, value: String): String =
    if (name.startsWith(FlinkProperties.clientPrefix)) Redaction.value(name, value) else value

  private val mapper = new ObjectMapper()

  /** The metadata columns by position: `[[place, key, virtual], …]`; empty if there are none. */
  private def metadataOf(o: TopicObject): Map[String, String] = {
    val of = o.columns.zipWithIndex.flatMap { case (c, i) =>
      c.metadata.map(m => Array(i.toString, m.key, m.virtual.toString))
    }
    listed(metadataColumns, of)
  }

  private def listed(name: String, rows: Seq[Array[String]]): Map[String, String] =
    if (rows.isEmpty) Map.empty else Map(name -> mapper.writeValueAsString(rows.toArray))

  /**
   * The parsed property; None without it. The value may be anything, because another release or a user may have written
   * it.
   */
  private def read[T](properties: Map[String, String], name: String)(parse: String => T): Option[T] =
    properties.get(name).map { value =>
      try parse(value)
      catch { case NonFatal(_) => throw broken(properties, s"the property $name is '${value.take(shown)}'") }
    }

  private def required(properties: Map[String, String], name: String): String =
    properties.getOrElse(name, throw missing(properties, name))

  private def missing(properties: Map[String, String], name: String) =
    broken(properties, s"the property $name is missing")

  private def rows[T](properties: Map[String, String], name: String)(row: Array[String] => T): Seq[T] =
    read(properties, name)(mapper.readValue(_, classOf[Array[Array[String]]]).toSeq.map(row)).getOrElse(Nil)

  private def broken(properties: Map[String, String], reason: String) = KafkalystException(
    "DEFINITION_UNREADABLE",
    "name" -> properties.get(TopicSource.nameOption).orElse(properties.get("kafka_topic")).getOrElse("an object"),
    "reason" -> reason
  )

  // The length of a value in a message.
  private val shown = 100

  /** Like [[encode]], including the columns: for readers and writers that only get options. */
  def encodeWithSchema(o: TopicObject): Map[String, String] =
    encode(o) + (schemaOption -> InternalSchema.of(o.columns).json)

  def hasSchema(properties: Map[String, String]): Boolean = properties.contains(schemaOption)

  /** The columns that [[encodeWithSchema]] stored in the options. */
  def schemaIn(properties: Map[String, String]): Option[StructType] =
    read(properties, schemaOption)(StoredType.of(_).asInstanceOf[StructType])

  /** The prefix of the properties that store an object's queries. */
  val queryPrefix = "kafkalyst.query."

  // Properties that only statements about the object itself may change.
  private val fixed =
    Set(kind, keyColumns, metadataColumns, renamedColumns, computedColumns, watermark, declaredColumns, schemaOption) +
      TopicSource.nameOption

  /**
   * Checks a change of an entry's properties by a user.
   *
   * @param name   for messages
   * @param before the current properties, by lower-case names
   * @param after  the properties after the change
   * @throws io.kafkalyst.errors.KafkalystException DEFINITION_PROPERTY if the entry would not be the same object,
   *         INVALID_PROPERTY if its dead letters would go to a topic that it reads
   */
  def checkChange(name: String, topic: TopicObject, before: Map[String, String], after: Map[String, String]): Unit = {
    def refuse(reason: String) =
      throw KafkalystException("DEFINITION_PROPERTY", "name" -> name, "reason" -> reason)
    (before.keySet ++ after.keySet).filter(p => fixed(p) || p.startsWith(queryPrefix)).toSeq.sorted
      .find(property => before.get(property) != after.get(property))
      .foreach(property => refuse(s"the property $property belongs to its definition"))
    val changed =
      try decode(InternalSchema.of(topic.columns), after)
      catch { case e: KafkalystException => refuse(e.getMessageParameters.get("reason")) }
    DeadLetters.elsewhere(changed)
  }

  /**
   * Checks the names of a new entry's properties, given by a user.
   *
   * @throws io.kafkalyst.errors.KafkalystException DEFINITION_PROPERTY for the record of a continuous query
   */
  def checkCreation(name: String, properties: Iterable[String]): Unit =
    properties.find(_.toLowerCase(Locale.ROOT).startsWith(queryPrefix)).foreach { property =>
      throw KafkalystException(
        "DEFINITION_PROPERTY",
        "name" -> name,
        "reason" -> s"the property $property belongs to a continuous query"
      )
    }

  /** Whether the properties are a complete definition from [[encode]], not a user's options. */
  def isWhole(properties: Map[String, String]): Boolean = properties.contains(kind)

  /**
   * @param schema     the columns as Spark sees them, see [[io.kafkalyst.names.InternalSchema]]
   * @param properties by lower-case names
   * @throws io.kafkalyst.errors.KafkalystException DEFINITION_UNREADABLE
   */
  def decode(schema: StructType, properties: Map[String, String]): TopicObject = {
    def format(side: Side) = SideFormat(
      required(properties, s"${side.name}_format"),
      read(properties, idOf(side))(_.toInt),
      properties.collect {
        case (k, v) if k.startsWith(optionPrefix(side)) =>
          k.stripPrefix(optionPrefix(side)).toUpperCase(Locale.ROOT) -> v
      }
    )
    val keys = read(properties, keyColumns)(mapper.readValue(_, classOf[Array[String]]).toSet)
      .getOrElse(throw missing(properties, keyColumns))
    val renamed = read(properties, renamedColumns) { json =>
      StoredType.of(json).asInstanceOf[StructType].map(f => f.name -> TopicColumn.of(f)).toMap
    }.getOrElse(Map.empty[String, TopicColumn])
    val metadata = rows(properties, metadataColumns) { case Array(place, key, virtual) =>
      place.toInt -> MetadataColumn(key, virtual.toBoolean)
    }.toMap
    TopicObject(
      ObjectKind.of(required(properties, kind)),
      required(properties, "kafka_topic"),
      format(Side.Key),
      format(Side.Value),
      schema.zipWithIndex.map { case (field, place) =>
        val side = if (keys.contains(field.name)) Side.Key else Side.Value
        renamed.getOrElse(field.name, TopicColumn(field.name, field.dataType, side, metadata.get(place)))
      },
      properties.get(onError).flatMap(OnError.of).getOrElse(OnError.Fail),
      // Reads write there as whoever reads: an entry must not name a topic with which Kafka or a catalog works.
      read(properties, deadLetterTopic)(text => Properties.deadLetterTopic.check(text).fold(text)(sys.error)),
      properties.collect {
        case (name, value)
            if Properties.isKept(name.toUpperCase(Locale.ROOT)) || name.equalsIgnoreCase(TopicObject.readOnly) =>
          name.toUpperCase(Locale.ROOT) -> withoutSecret(name.toUpperCase(Locale.ROOT), value)
      },
      rows(properties, computedColumns) { case Array(name, written, sql, place) =>
        ComputedColumn(name, written, sql, place.toInt)
      },
      rows(properties, watermark) { case Array(column, sql) => Watermark(column, sql) }.headOption,
      rows(properties, declaredColumns) { case Array(name, written, sql, comment) =>
        DeclaredColumn(name, written, sql, comment)
      }
    )
  }
}
