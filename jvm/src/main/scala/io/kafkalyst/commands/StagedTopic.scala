package io.kafkalyst.commands

import java.{util => ju}
import java.util.Locale

import io.kafkalyst.catalog.{ObjectName, ObjectStore, StoredObject, TopicSource, TopicTable}
import io.kafkalyst.catalog.define.ObjectDefinition
import io.kafkalyst.commands.show.FlinkStatement
import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.formats.avro.AvroFormat
import io.kafkalyst.formats.json.JsonFormat
import io.kafkalyst.lake.History
import io.kafkalyst.model._
import io.kafkalyst.model.settings.Settings
import io.kafkalyst.model.flink.FlinkProperties
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.connector.catalog.{StagedTable, TableCapability, TableCatalog}
import org.apache.spark.sql.connector.expressions.Transform
import org.apache.spark.sql.connector.write.{LogicalWriteInfo, SupportsTruncate, Write, WriteBuilder}
import org.apache.spark.sql.catalyst.util.CharVarcharUtils
import org.apache.spark.sql.types.StructType

/**
 * A table that a Spark statement creates. Its topic and subjects exist while its rows are written, its definition
 * afterwards. On failure all are rolled back, including the topic with its rows.
 */
private[kafkalyst] final class StagedTopic private (
    name: ObjectName,
    topic: TopicObject,
    settings: () => Settings,
    undo: Undo,
    define: () => Unit
) extends TopicTable(name.toString, topic, settings)
    with StagedTable {
  // The table is new, so overwriting is the same as appending.
  override def capabilities(): ju.Set[TableCapability] = {
    val all = ju.EnumSet.copyOf(super.capabilities())
    all.add(TableCapability.TRUNCATE)
    all
  }

  // The definition has the statement's properties only, and rows in another format could not be read by it.
  override def written(options: Map[String, String]): TopicTable = {
    val sink = super.written(options)
    if (sink.topic.copy(options = topic.options) != topic) {
      val one = options.keys.toSeq.sorted.find(option => !option.regionMatches(true, 0, "sink.", 0, 5))
      throw KafkalystException(
        "FLINK_OPTION",
        "option" -> one.getOrElse(options.keys.min).toLowerCase(Locale.ROOT),
        "reason" -> "the new table would not have it. Give it to writeTo by tableProperty, or create the table first"
      )
    }
    sink
  }

  override def newWriteBuilder(info: LogicalWriteInfo): WriteBuilder = {
    val appending = super.newWriteBuilder(info)
    new SupportsTruncate {
      override def truncate(): WriteBuilder = this
      override def build(): Write = appending.build()
    }
  }

  override def commitStagedChanges(): Unit = undo.guard(define())
  override def abortStagedChanges(): Unit = undo.takeBack()
}

private[kafkalyst] object StagedTopic {

  /**
   * @param schema     the columns in order; keys are the columns in `key.fields`, columns that are keys in their
   *                   source, and ROWKEY
   * @param properties Spark's table properties, and Kafkalyst's
   * @param isFilled   whether rows are written before the definition, so that the topic must be new
   * @throws io.kafkalyst.errors.KafkalystException NOT_SUPPORTED for options that a topic cannot have, and the errors
   *         of CREATE STREAM
   */
  def apply(
      session: SparkSession,
      name: ObjectName,
      schema: StructType,
      properties: Map[String, String],
      isFilled: Boolean
  ): StagedTopic = {
    val store = new ObjectStore(session)
    val settings = store.settings(name)
    val prefix = if (name.isOfCluster) "" else settings.get(Settings.topicPrefix).getOrElse("")
    val given = Map(Properties.topic.name -> (prefix + name.table)) ++ said(session, name, properties) ++
      formats(settings, properties)
    val topic = given(Properties.topic.name)
    val exclusive = Exclusive(name, Seq(topic))
    val undo = new Undo(exclusive)
    val admin = Commands.admin(settings)
    val registry = () => ObjectDefinition.registry(settings)
    val making = new ObjectCreation(store, name, admin, registry, undo, isFilled)
    exclusive.hold(undo.guard {
      ObjectCreation.checkTopicName(topic)
      val isThere = admin.find(topic).isDefined
      if (isThere && isFilled) unsupported(s"CREATE TABLE … AS SELECT into the topic $topic, which is there,")
      if (isThere) ObjectCreation.topicExists(admin, topic, given)
      val plain = ObjectDefinition.of(
        ObjectKind.Stream,
        ObjectDefinition.withDefaults(given, settings),
        columns(schema, given),
        settings,
        registry,
        asDeclared = true
      )
      val defined = ObjectDefinition.declaring(plain, if (isFilled) Nil else declared(schema))
      if (!isThere) making.createTopic(defined, Map(Properties.partitions.name -> "1") ++ given)
      making.createDeadLetterTopic(defined)
      val registered = making.registered(defined, always = false)
      val comment = properties.get(TableCatalog.PROP_COMMENT).map(StoredObject.comment -> _).toMap
      val define = () => making.store(registered, comment, CreateOptions(replace = false, ifNotExists = false))
      new StagedTopic(name, registered, () => settings, undo, define)
    })
  }

  private def said(session: SparkSession, name: ObjectName, properties: Map[String, String]): Map[String, String] = {
    // A DataFrame's table has Spark's default provider if its writer names none.
    properties.get(TableCatalog.PROP_PROVIDER).filterNot { provider =>
      provider.equalsIgnoreCase(TopicSource.name) ||
      provider.equalsIgnoreCase(session.conf.get("spark.sql.sources.default"))
    }.foreach(refuseProvider(_, name))
    if (properties.contains(TableCatalog.PROP_LOCATION)) refuseLocation(name.toString)
    val ours = properties.filterNot { case (property, _) =>
      TopicSource.isSparkProperty(property) || property == TableCatalog.PROP_COMMENT
    }
    History.named(session, Properties.checked(ours.toSeq))
  }

  /** The default if neither statement nor session sets a format: AVRO with a registry, otherwise JSON. */
  private def formats(settings: Settings, properties: Map[String, String]): Map[String, String] = {
    val isSaid =
      Seq(Properties.format, Properties.valueFormat).exists(p => properties.keys.exists(p.name.equalsIgnoreCase))
    if (isSaid || settings.get(Settings.defaultValueFormat).isDefined) Map.empty
    else {
      val format = if (settings.get(Settings.registryUrl).isDefined) AvroFormat else JsonFormat
      Map(Properties.valueFormat.name -> format.name)
    }
  }

  private def columns(schema: StructType, given: Map[String, String]): Seq[TopicColumn] = {
    val keys = given.get(FlinkProperties.keyFields.name).toSeq.flatMap(FlinkProperties.list)
    // Texts of other writers are not padded, so CHAR would never equal them.
    val all = schema.map(TopicColumn.of).map { c =>
      c.copy(dataType = CharVarcharUtils.replaceCharWithVarchar(c.dataType), metadata = None)
    }
    keys.find(key => !all.exists(_.name == key)).foreach { key =>
      throw KafkalystException(
        "FLINK_OPTION",
        "option" -> FlinkProperties.keyFields.name.toLowerCase(Locale.ROOT),
        "reason" -> s"$key is not a column; those are ${all.map(_.name).mkString(", ")}"
      )
    }
    all.map { c =>
      if (keys.contains(c.name) || (keys.isEmpty && c.name.equalsIgnoreCase("ROWKEY"))) c.copy(side = Side.Key)
      else if (keys.nonEmpty) c.copy(side = Side.Value)
      else c
    }
  }

  private def declared(schema: StructType): Seq[DeclaredColumn] = schema.flatMap { field =>
    FlinkStatement.declared(field.name, field.dataType, !field.nullable, field.getComment().getOrElse(""))
  }

  /** Throws TABLE_CLAUSE for PARTITIONED BY, CLUSTERED BY and CLUSTER BY. */
  def checkPartitions(name: String, partitions: Seq[Transform]): Unit = partitions.headOption.foreach { by =>
    val clause = by.name match {
      case "cluster_by" => "CLUSTER BY"
      case "bucket" | "sorted_bucket" => "CLUSTERED BY"
      case _ => "PARTITIONED BY"
    }
    val instead = "'partitions' = '3' among its TBLPROPERTIES is the number of the topic's partitions, and with " +
      "'key.fields' = 'id' the records of an id are in one"
    refuseClause(name, clause, instead)
  }

  /** Throws TABLE_CLAUSE for LOCATION. */
  def refuseLocation(name: String): Nothing = refuseClause(
    name,
    "LOCATION",
    "Its records are at the brokers, under the table's name or that of 'kafka_topic' = '…' among its TBLPROPERTIES"
  )

  def refuseClause(name: String, clause: String, instead: String): Nothing =
    throw KafkalystException("TABLE_CLAUSE", "name" -> name, "clause" -> clause, "instead" -> instead)

  def refuseProvider(provider: String, name: ObjectName): Nothing =
    unsupported(s"USING $provider of $name, which is to be a topic,")

  def unsupported(what: String): Nothing = throw KafkalystException("NOT_SUPPORTED", "what" -> what)
}
