package io.kafkalyst.catalog

import java.util.Locale
import java.time.Duration
import java.{util => ju}

import io.kafkalyst.catalog.define.{Growth, ObjectDefinition, RegistrationListener, SideSchemas}
import io.kafkalyst.bridge.RealTime
import io.kafkalyst.clients.{Consumers, TopicAdmin}
import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.metadata.{MetadataWriter, PseudoColumns}
import io.kafkalyst.model.{DeadLetters, OnError, Properties, RegistryProperties, SinkProperties, TopicObject}
import io.kafkalyst.model.flink.FlinkProperties
import io.kafkalyst.model.settings.{ReadSettings, ReservedTopics, Settings}
import io.kafkalyst.names.InternalSchema
import io.kafkalyst.read.{OlderRecords, StreamStart, TopicScanBuilder}
import io.kafkalyst.read.offsets.TopicBounds
import io.kafkalyst.registry.{RegistryConfig, SessionRegistry}
import io.kafkalyst.write.TopicWrite
import org.apache.kafka.clients.consumer.ConsumerConfig
import org.apache.kafka.clients.producer.ProducerConfig
import org.apache.kafka.common.errors.ApiException
import org.apache.spark.SPARK_VERSION
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.connector.catalog._
import org.apache.spark.sql.connector.read.ScanBuilder
import org.apache.spark.sql.connector.write.{LogicalWriteInfo, Write, WriteBuilder}
import org.apache.spark.sql.execution.datasources.DataSource
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.internal.connector.SupportsStreamingUpdateAsAppend
import org.apache.spark.sql.types.{DataType, StructType}
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import scala.jdk.CollectionConverters._

/**
 * A topic as a DSv2 table. Thin: reading and writing are in packages of their own, the definition in [[TopicObject]].
 *
 * @param isLatest whether the plan above keeps only the last record of each key (in a stream: of each key in a batch)
 * @param id       the topic id, in a catalog that knows it; null elsewhere, and if Spark must not reload the table
 * @param older    records that streams read in place of those that the brokers have deleted
 * @param comment  the entry's comment, if it is known: Spark's session catalog does not pass it
 * @param isJoined whether a stream of the table is input of a continuous join
 * @param recheck  fails a bounded read if the catalog now knows that the topic was recreated. Spark 4.1 and later check
 *                 this by [[id]], but not for a table that a rule has changed, because a reload would undo the change
 * @param hidden   the names of the hidden columns that streams output; None for all
 * @param made     the options or properties by which the data source made the table, by lower-case names
 * @param chosen   the columns that a reader of inferred columns asks for; None for all
 */
class TopicTable(
    override val name: String,
    val topic: TopicObject,
    settings: () => Settings,
    val isLatest: Boolean = false,
    val id: String = null,
    older: Option[() => Option[OlderRecords]] = None,
    comment: Option[String] = None,
    isJoined: Boolean = false,
    recheck: () => Unit = () => (),
    val hidden: Option[Set[String]] = None,
    made: Map[String, String] = Map.empty,
    val chosen: Option[StructType] = None
) extends Table
    with SupportsRead
    with SupportsWrite
    with SupportsMetadataColumns {

  override val schema: StructType = InternalSchema.described(topic)

  /** Spark 4.1 and later compare the version before a run to detect a changed definition; null without an [[id]]. */
  def version: String =
    if (id == null) null else ObjectCodec.encodeWithSchema(topic).toSeq.sorted.hashCode.toHexString

  /** An admin client for the topic's cluster. */
  def admin: TopicAdmin = TopicAdmin(settings().clientProperties)

  override def columns(): Array[Column] =
    schema.fields.map(f => Column.create(f.name, f.dataType, true, f.getComment().orNull, f.metadata.json))

  override def metadataColumns(): Array[MetadataColumn] = PseudoColumns.hidden(topic).map { field =>
    new MetadataColumn {
      override def name(): String = field.name
      override def dataType(): DataType = field.dataType
      override def metadataInJSON(): String = field.metadata.json
    }
  }.toArray

  override def properties(): ju.Map[String, String] =
    (ObjectCodec.encode(topic) + (TableCatalog.PROP_PROVIDER -> TopicSource.name) ++
      comment.map(TableCatalog.PROP_COMMENT -> _)).asJava

  override def capabilities(): ju.Set[TableCapability] = TopicTable.capabilities

  override def newScanBuilder(options: CaseInsensitiveStringMap): ScanBuilder = {
    val current = settings()
    val range =
      new ScanRange(
        topic,
        TopicAdmin(current.clientProperties),
        current(ReadSettings.offsetReset).toLowerCase(Locale.ROOT)
      )
    Option(options.get(ObjectCodec.onError)).foreach(Properties.onError.require)
    val deadLetters =
      if (topic.onError != OnError.DeadLetter) None
      else {
        DeadLetters.elsewhere(topic)
        reserved.refuse(Seq(topic.deadLetters), "be written")
        Some(DeadLetterProducer(topic.deadLetters, current.clientProperties))
      }
    val registry = TopicTable.registry(current)
    new TopicScanBuilder(
      spoken(current, topic),
      registry,
      deadLetters,
      isStream => {
        // Runs when a stream begins.
        if (isStream && isJoined) StateSettings.giveStore()
        kafkaScan(current, range, options, isStream)
      },
      bounds(current, options, _),
      range.ends,
      isLatest,
      older.map(_ -> begin(range, options)),
      hidden,
      () => Growth.check(name, topic, current),
      origin = (current.clientProperties, current(ReadSettings.offsetReset), options.asCaseSensitiveMap)
    )
  }

  private def reserved = ReservedTopics.of(SQLConf.get.getAllConfs)

  private def begin(range: ScanRange, options: CaseInsensitiveStringMap): StreamStart =
    if (options.asScala.keys.exists(TopicTable.edgeOf(_).contains("starting"))) StreamStart.Elsewhere else range.start

  // Shown in a query's progress and in messages about a plan.
  override def toString: String = s"topic ${topic.topic}"

  /** The same table, for a plan that keeps only the last record of each key. */
  def latest: TopicTable = changed(isLatest = true)

  /** The same topic with another definition, such as other formats or another end. */
  def as(altered: TopicObject): TopicTable = changed(topic = altered, isLatest = false, older = None, hidden = None)

  /** The table with this definition, as input of a continuous join. */
  def joined(altered: TopicObject): TopicTable = as(altered).changed(isJoined = true)

  /** The same table, whose streams read records that the brokers have deleted from another store. */
  def after(records: () => Option[OlderRecords]): TopicTable = changed(older = Some(records))

  /** Whether streams may read records in place of those that the brokers have deleted. */
  private[kafkalyst] def hasOlder: Boolean = older.isDefined

  /** The same table, whose streams output only the declared columns and these hidden ones, in their order. */
  def showing(hidden: Set[String]): TopicTable = changed(hidden = Some(hidden))

  /** The same table with its entry's comment. */
  def commented(text: String): TopicTable =
    new TopicTable(name, topic, settings, isLatest, id, older, Some(text), isJoined, recheck, hidden, made)

  /** A copy without [[id]], because a reload would undo the change. */
  private def changed(
      topic: TopicObject = topic,
      isLatest: Boolean = isLatest,
      older: Option[() => Option[OlderRecords]] = older,
      isJoined: Boolean = isJoined,
      hidden: Option[Set[String]] = hidden
  ): TopicTable = new TopicTable(name, topic, settings, isLatest, null, older, None, isJoined, recheck, hidden, made)

  /** Whether rows are written to the table exactly once. */
  def isExactlyOnce: Boolean = SinkProperties.isExactlyOnce(topic, settings())

  private def bounds(current: Settings, options: CaseInsensitiveStringMap, of: String) = new TopicBounds {
    // Offsets are read under the same isolation level as the object's own consumers.
    private val isolation = topic.clients.filter(_._1 == ConsumerConfig.ISOLATION_LEVEL_CONFIG)
    override val client: Map[String, String] = current.clientProperties ++ isolation
    private def admin = TopicAdmin(client)
    override def offsets(): Map[Int, (Long, Long)] = admin.offsets(of)
    override def at(time: Long): Map[Int, Long] = admin.offsetsAt(of, time)
    // Timestamps may decrease: records written before LogAppendTime was set have producers' times, and clocks of former
    // leaders may have differed.
    override def isMonotonic: Boolean =
      topic.options.get(Properties.monotonic.name).exists(_.equalsIgnoreCase("true"))
    override def bytes(): Option[Long] = admin.bytes(of)
    override def id(): Option[String] = admin.id(of)
    override def named(cause: ApiException): Throwable = admin.named(cause, of)
    override def failsOnLoss: Boolean = failsOnDataLoss(options)
  }

  private def failsOnDataLoss(options: CaseInsensitiveStringMap): Boolean = {
    val own = topic.options.get(Properties.failOnDataLoss.name).forall(_.equalsIgnoreCase("true"))
    options.getBoolean(Properties.failOnDataLoss.name, own)
  }

  /** The topic in the session's dialect. */
  private def spoken(current: Settings, of: TopicObject) = if (current.isKsqldb) of.likeKsqldb else of

  /**
   * The table as the options of a DataFrame's or a stream's writer change it for one write.
   *
   * @throws io.kafkalyst.errors.KafkalystException FLINK_OPTION or UNKNOWN_PROPERTY for an option that has no effect on
   *         the write, and the errors of [[ObjectProperties.withOptions]]
   */
  def written(options: Map[String, String]): TopicTable = {
    val given = options.map { case (option, value) =>
      option.toLowerCase(Locale.ROOT) -> value
    } -- TopicTable.ofNewTable
    // The data source has applied its own options.
    val (known, own) = given.partition { case (option, value) => made.get(option).contains(value) }
    TopicTable.checkOptions(known)
    // A complete definition may say how the object is read.
    TopicTable.checkWriter(if (ObjectCodec.isWhole(given)) own.keys else given.keys)
    if (own.isEmpty) this else changed(topic = ObjectProperties.withOptions(topic, own, settings()))
  }

  override def newWriteBuilder(info: LogicalWriteInfo): WriteBuilder = new SupportsStreamingUpdateAsAppend {
    override def build(): Write =
      written(info.options.asScala.toMap.filterNot(option => TopicTable.isSparks(option._1))).write(info)
  }

  private def write(info: LogicalWriteInfo): Write = {
    FlinkProperties.notWritten(topic.options).foreach { reason =>
      throw KafkalystException("NOT_A_SINK", "name" -> name, "reason" -> reason)
    }
    val current = settings()
    val kept = reserved
    kept.refuse(MetadataWriter.everyTopic(topic), "be written")
    val isRealTime = RealTime.isIn(SPARK_VERSION) && RealTime.isTriggerOf(info.queryId, SparkSession.active)
    if (isRealTime && isExactlyOnce) TopicTable.noRealTime(name)
    if (isExactlyOnce) topic.pattern.foreach(noMark)
    // In real-time mode, rows are sent without waiting for others.
    val linger = if (isRealTime) Map(ProducerConfig.LINGER_MS_CONFIG -> "0") else Map.empty[String, String]
    val client = linger ++ current.clientProperties(topic)
    val ready = (patience: Duration) =>
      TopicAdmin.retryUntil(patience)(topic.topics.foreach(TopicAdmin(current.clientProperties).require))
    // A table declared by USING … OPTIONS has no schema id yet, and no subject for a given schema.
    val registry = () => ObjectDefinition.registry(current)
    val sink = if (SideSchemas.settled(topic)) SideSchemas.ofEvents(Growth.forWriting(topic, current), registry)
    else if (!topic.isOne) throw RegistryProperties.valueSubject.missing
    else ObjectDefinition.registered(topic, always = false, registry, RegistrationListener.Ignore)
    SinkProperties.all.foreach(property => topic.options.get(property.name).foreach(property.require))
    val query = if (isExactlyOnce) Some(info.queryId) else None
    val registered = TopicTable.registry(current)
    new TopicWrite(name, spoken(current, sink), info.schema, client, registered, query, ready, kept)
  }

  // The marks of batches are kept at one topic, which must be the same in every run.
  private def noMark(pattern: String): Nothing =
    throw KafkalystException("EXACTLY_ONCE_PATTERN", "object" -> name, "pattern" -> pattern)

  /**
   * Spark's own Kafka scan of the topic. Describing the topics first reports unreachable brokers early, with a named
   * error.
   */
  private def kafkaScan(
      current: Settings,
      range: ScanRange,
      options: CaseInsensitiveStringMap,
      streaming: Boolean
  ) = {
    val client = current.clientProperties
    if (!streaming) recheck()
    range.topics
    if (topic.onError == OnError.DeadLetter && TopicAdmin(client).find(topic.deadLetters).isEmpty)
      throw KafkalystException("DEAD_LETTER_TOPIC_MISSING", "object" -> name, "topic" -> topic.deadLetters)
    val source =
      DataSource.lookupDataSource("kafka", SQLConf.get).getConstructor().newInstance().asInstanceOf[TableProvider]
    // Option names are in lower case, or as the caller wrote them.
    val passed = options.asCaseSensitiveMap.asScala.toMap.flatMap { case (k, v) =>
      TopicTable.sourceOption(k).filterNot(_.equalsIgnoreCase(Properties.failOnDataLoss.name)).map(_ -> v)
    }
    val own = range.options(streaming)
    val edges = passed.keySet.flatMap(TopicTable.edgeOf)
    val from = own.filterNot { case (name, _) => TopicTable.edgeOf(name).exists(edges) }
    val clients = Consumers.fetches ++ current.clientProperties(topic)
    val given = from ++ clients.map { case (k, v) =>
      s"kafka.$k" -> v
    } ++ passed +
      (Properties.failOnDataLoss.name -> failsOnDataLoss(options).toString)
    val map = new CaseInsensitiveStringMap(given.asJava)
    source.getTable(source.inferSchema(map), Array.empty, map).asInstanceOf[SupportsRead].newScanBuilder(map).build()
  }
}

object TopicTable {

  /** Options of Spark's Kafka source that a reader may set; topics and offsets are set by Kafkalyst. */
  private val sourceOptions = Seq(
    "startingOffsets", "endingOffsets", "startingTimestamp", "endingTimestamp", "startingOffsetsByTimestamp",
    "endingOffsetsByTimestamp", "startingOffsetsByTimestampStrategy", "failOnDataLoss", "maxOffsetsPerTrigger",
    "minOffsetsPerTrigger", "maxTriggerDelay", "maxRecordsPerPartition", "minPartitions", "groupIdPrefix",
    "kafkaConsumer.pollTimeoutMs", "fetchOffset.numRetries", "fetchOffset.retryIntervalMs"
  )

  /** Options that Spark's `saveAsTable` takes as properties of a new table, but also passes to the write. */
  private val ofNewTable = Set(TableCatalog.PROP_COMMENT, TableCatalog.PROP_COLLATION)

  /** Options of a stream's writer that are Spark's own, in lower case. */
  private val streamOptions = Set("checkpointlocation", "queryname")

  // `__` begins internal options, of Kafkalyst and of Spark.
  private def isSparks(option: String): Boolean = streamOptions(option) || option.startsWith("__") ||
    option.stripPrefix("_").startsWith("asyncprogresstracking")

  /** Refuses a writer's option that is one of reads. */
  private[kafkalyst] def checkWriter(options: Iterable[String]): Unit =
    options.toSeq.sorted.find { o =>
      isSourceOption(o) || TopicSource.isAsOf(o) || o.regionMatches(true, 0, "scan.", 0, 5)
    }.foreach { option =>
      throw KafkalystException(
        "FLINK_OPTION",
        "option" -> option,
        "reason" -> "it is one of reads, and this is a write"
      )
    }

  /**
   * Checks the options of a reader or writer with `format("kafkalyst")`.
   *
   * @throws io.kafkalyst.errors.KafkalystException UNKNOWN_PROPERTY for an option without a meaning
   */
  private[kafkalyst] def checkOptions(options: Map[String, String]): Unit = {
    // Spark's load(path) sets `path`.
    val others = options.toSeq.filterNot { case (name, _) =>
      Seq(TopicSource.topicOption, "path").exists(_.equalsIgnoreCase(name)) || isSourceOption(name) ||
      TopicSource.isAsOf(name)
    }
    if (!ObjectCodec.isWhole(options)) Properties.checked(others)
    ()
  }

  private def sourceOption(name: String) = sourceOptions.find(_.equalsIgnoreCase(name))

  private[catalog] val capabilities: ju.Set[TableCapability] = ju.EnumSet.of(
    TableCapability.BATCH_READ,
    TableCapability.MICRO_BATCH_READ,
    TableCapability.BATCH_WRITE,
    TableCapability.STREAMING_WRITE,
    // Rows are matched to the sink's columns by Kafkalyst's own rule: Spark's supports neither roles nor omitted
    // columns.
    TableCapability.ACCEPT_ANY_SCHEMA
  )

  /** Whether the option is one of Spark's own Kafka source. */
  private[kafkalyst] def isSourceOption(name: String): Boolean = sourceOption(name).isDefined

  /** The edge of a read that the option sets, `starting` or `ending`; None for other options. */
  private[kafkalyst] def edgeOf(option: String): Option[String] =
    sourceOption(option).flatMap(name => Seq("starting", "ending").find(name.startsWith))

  /** A retried real-time batch ends at another offset, so it cannot be compared with the rows already written. */
  private[kafkalyst] def noRealTime(name: String): Nothing =
    throw KafkalystException("EXACTLY_ONCE_REAL_TIME", "object" -> name)

  private[kafkalyst] def registry(settings: Settings): Option[RegistryConfig] = SessionRegistry.of(settings)
}
