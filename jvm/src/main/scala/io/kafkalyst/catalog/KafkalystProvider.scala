package io.kafkalyst.catalog

import java.{util => ju}
import java.util.Locale

import io.kafkalyst.catalog.cluster.KafkaCluster
import io.kafkalyst.catalog.define.{Growth, ObjectDefinition}
import io.kafkalyst.clients.Connector
import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.model._
import io.kafkalyst.model.settings.Settings
import io.kafkalyst.names.InternalSchema
import org.apache.spark.sql.connector.catalog.{Table, TableProvider}
import org.apache.spark.sql.connector.expressions.Transform
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.sources.DataSourceRegister
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import scala.jdk.CollectionConverters._

/**
 * The data source `kafkalyst`. It receives the properties of a catalog entry or of `spark.read.format("kafkalyst")`:
 * either a complete definition as written by [[ObjectCodec]], or a user's WITH properties as options. Without a format,
 * the topic has the definition or the inferred columns of its cluster's catalog.
 *
 * Errors: TOPIC_OPTION if no topic is named, TOPIC_COLUMNS for a column that the inferred topic lacks, those of
 * [[io.kafkalyst.catalog.define.ObjectDefinition.of]].
 */
final class KafkalystProvider extends TableProvider with DataSourceRegister {
  override def shortName(): String = TopicSource.name

  override def supportsExternalMetadata(): Boolean = true

  override def inferSchema(options: CaseInsensitiveStringMap): StructType = {
    Connector.require()
    val properties = options.asScala.toMap
    ObjectCodec.schemaIn(properties).getOrElse {
      InternalSchema.of(KafkalystProvider.defined(properties, Nil).columns)
    }
  }

  override def getTable(schema: StructType, partitioning: Array[Transform], given: ju.Map[String, String]): Table = {
    Connector.require()
    val properties = given.asScala.map { case (k, v) => k.toLowerCase(Locale.ROOT) -> v }.toMap
    val topic =
      // A stream's writer passes the schema of its rows, which may have more columns than the object.
      if (ObjectCodec.isWhole(properties))
        Growth.of(
          ObjectCodec.decode(ObjectCodec.schemaIn(properties).getOrElse(schema), properties),
          TopicSource.settings()
        )
      else {
        val comments = schema.flatMap(f => f.getComment().map(f.name -> _)).toMap
        KafkalystProvider.defined(properties, schema.map(TopicColumn.of)).commented(c => comments.get(c.name))
      }
    val name = properties.getOrElse(TopicSource.nameOption, topic.topic)
    val chosen = Option.when(!ObjectCodec.isWhole(properties) && !KafkalystProvider.isFormatSaid(properties))(schema)
    new TopicTable(name, topic, TopicSource.settings, made = properties, chosen = chosen)
  }
}

object KafkalystProvider {
  // An option of Spark's own source.
  private val brokersOption = "kafka.bootstrap.servers"

  private def defined(options: Map[String, String], declared: Seq[TopicColumn]): TopicObject = {
    val current = TopicSource.settings()
    // Told before the topic is looked up at other brokers.
    options.find(_._1.equalsIgnoreCase(brokersOption)).foreach(o => Properties.checked(Seq(o)))
    val ours = known(options)
    val topic = ours.get(Properties.topic.name)
      .orElse(options.collectFirst { case (k, v) if k.equalsIgnoreCase(TopicSource.topicOption) => v })
      .getOrElse(throw KafkalystException("TOPIC_OPTION"))
    val said = ours + (Properties.topic.name -> topic)
    if (isFormatSaid(said, current)) ObjectDefinition.of(
      ObjectKind.Stream,
      ObjectDefinition.withDefaults(said, current),
      declared,
      current,
      () => ObjectDefinition.registry(current),
      asDeclared = true
    )
    else inferred(topic, ours - Properties.topic.name, declared, current)
  }

  // Spark adds names of its own (path, provider, option.…), so only Kafkalyst's are checked. The earlier time to read at
  // is no property of the topic: the analyzer applies it.
  private def known(options: Map[String, String]) =
    EntryProperties.checked(options.toSeq.filterNot(o => TopicSource.isAsOf(o._1)))

  /** Whether the reader or the CREATE TABLE declares the columns; without a format, they are inferred. */
  private def isFormatSaid(options: Map[String, String]): Boolean =
    isFormatSaid(known(options), TopicSource.settings())

  private def isFormatSaid(said: Map[String, String], settings: Settings) =
    said.contains(Properties.format.name) || said.contains(Properties.valueFormat.name) ||
      settings.get(Settings.defaultValueFormat).isDefined

  /** The topic as the session's cluster shows it as a catalog, with the options applied. */
  private def inferred(
      topic: String,
      changes: Map[String, String],
      declared: Seq[TopicColumn],
      settings: Settings
  ): TopicObject = {
    val cluster = KafkaCluster(TopicSource.name, Map.empty, SQLConf.get.getAllConfs)
    val found = cluster.altered(topic, changes, settings).getOrElse(throw cluster.missing(topic))
    // A writer passes the columns of its rows, a reader those that it asks for.
    val all = InternalSchema.of(found.columns).names
    declared.map(_.name).find(name => !all.exists(_.equalsIgnoreCase(name))).foreach { name =>
      throw KafkalystException("TOPIC_COLUMNS", "topic" -> topic, "column" -> name, "columns" -> all.mkString(", "))
    }
    found
  }
}
