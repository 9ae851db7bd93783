package io.kafkalyst.write

import java.nio.charset.StandardCharsets.UTF_8
import java.time.Duration

import io.kafkalyst.formats.avro.AvroTypes
import io.kafkalyst.formats.events.EventEncoder
import io.kafkalyst.formats.raw.NoneFormat
import io.kafkalyst.formats.{Encoder, EncodeRequest, Formats, Target}
import io.kafkalyst.errors.{KafkalystException, KafkalystTaskException}
import io.kafkalyst.metadata.{DeadLetterHeaders, MetadataCast, MetadataWriter, PseudoColumns, RecordParts, WindowedKey}
import io.kafkalyst.model.{ObjectKind, OnError, Properties, Side, SideFormat, SinkProperties, TopicColumn, TopicObject}
import io.kafkalyst.model.settings.ReservedTopics
import io.kafkalyst.registry.{HttpRegistry, RegistryClient, RegistryConfig}
import org.apache.kafka.clients.producer.{ProducerConfig, ProducerRecord}
import org.apache.kafka.common.KafkaException
import org.apache.kafka.common.header.internals.RecordHeaders
import org.apache.spark.TaskContext
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Alias, BoundReference, Cast, Expression, Literal, UnsafeProjection}
import org.apache.spark.sql.catalyst.util.QuotingUtils.quoteIdentifier
import org.apache.spark.sql.connector.distributions.{Distribution, Distributions}
import org.apache.spark.sql.connector.expressions.{Expressions, NamedReference, SortDirection, SortOrder}
import org.apache.spark.sql.connector.metric.{CustomMetric, CustomTaskMetric}
import org.apache.spark.sql.connector.write._
import org.apache.spark.sql.connector.write.streaming.{StreamingDataWriterFactory, StreamingWrite}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.{DataType, StructType}

/**
 * Appends rows to a topic, from a batch or a stream. All in-sync replicas acknowledge the rows before a task commits:
 * at least once, or exactly once in transactions.
 *
 * @param name     the object's name for messages
 * @param ready    checks with the broker, on the driver before any task starts, that the topic can be written; waits up
 *                 to the given duration
 * @param query    id of the streaming query, or of the statement, for exactly-once writes
 * @param incoming the rows' schema; [[SinkColumns.order]] and the source record's columns, if present, come last; the
 *                 records of each key are written in that order
 */
final class TopicWrite(
    name: String,
    topic: TopicObject,
    incoming: StructType,
    producer: Map[String, String],
    registry: Option[RegistryConfig],
    query: Option[String],
    ready: Duration => Unit,
    reserved: ReservedTopics
) extends Write
    with RequiresDistributionAndOrdering {
  private val order = incoming.filter(_.name == SinkColumns.order)
  private val source = RowSource.in(incoming)
  // The topic at which exactly-once writes keep their marks.
  private def marked = topic.topics.head
  private val given = incoming.filterNot(f => f.name == SinkColumns.order || RowSource.isPart(f))

  override def requiredDistribution(): Distribution =
    if (order.isEmpty) Distributions.unspecified()
    else Distributions.clustered(
      given.filter(f => TopicColumn.sideOf(f.metadata) == Side.Key).map(f => TopicWrite.reference(f.name)).toArray
    )

  override def requiredOrdering(): Array[SortOrder] =
    order.map(f => Expressions.sort(TopicWrite.reference(f.name), SortDirection.ASCENDING)).toArray

  override def supportedCustomMetrics(): Array[CustomMetric] = WriteMetrics.all

  override def description(): String = s"topic ${topic.topic} (key ${topic.key.format}, value ${topic.value.format})"

  // EXPLAIN shows this text.
  override def toString: String = description()

  private def factory(exactlyOnce: Option[ExactlyOnce], patience: Duration): TopicWriterFactory = {
    MetadataWriter.check(name, topic)
    SinkColumns.checkVirtual(name, topic.columns, given)
    ready(patience)
    val columns = SinkColumns.withHidden(topic, given.map(_.name))
    val zone = SQLConf.get.sessionLocalTimeZone
    val isRecord = topic.columns(Side.Key).size > 1 || topic.key.options.get(SideFormat.wrapSingle).contains("true")
    val holdsNulls = Formats.of(topic.key.format).forall(_.keepsNulls(topic.key))
    TopicWriterFactory(
      topic,
      columns,
      TopicWrite.projection(name, topic, columns, StructType(given), zone),
      producer,
      registry,
      zone,
      exactlyOnce,
      source,
      keepsNullKeys =
        topic.skipsEmpty(Side.Key) || isRecord && holdsNulls && given.exists(f => TopicColumn.isMade(f.metadata)),
      reserved
    )
  }

  override def toBatch: BatchWrite = new BatchWrite {
    private var statement: Option[Statement] = None

    override def createBatchWriterFactory(info: PhysicalWriteInfo): DataWriterFactory = {
      // A Kafka transaction has one producer, so a statement that must write all rows or none has one task.
      if (query.isDefined && info.numPartitions > 1) throw KafkalystException(
        "EXACTLY_ONCE_TASKS",
        "object" -> name,
        "tasks" -> info.numPartitions.toString
      )
      val exactlyOnce =
        query.map(ExactlyOnce(_, marked, info.numPartitions, TopicWrite.speculates, None, isFirst = true, producer))
      val made = factory(exactlyOnce, Duration.ZERO)
      statement = exactlyOnce.map(Statement.begin)
      made
    }
    override def commit(messages: Array[WriterCommitMessage]): Unit =
      statement.foreach(_.committed(messages.forall(_ == TopicDataWriter.DoneAtOnce)))
    override def abort(messages: Array[WriterCommitMessage]): Unit = statement.foreach(_.failed())
    // Spark's coordinator fails the statement when a task fails after its commit was authorised; here the task is
    // retried.
    override def useCommitCoordinator(): Boolean = false
  }

  private def begun(query: String, tasks: Int): (Option[EpochMark], Boolean) = {
    val run = String.valueOf(SparkSession.active.sparkContext.getLocalProperty(TopicWrite.runProperty))
    try Marks.begin(query, marked, run, tasks, producer)
    catch { case e: KafkaException => WriteErrors.fail(topic.topic, None, producer)(e) }
  }

  override def toStreaming: StreamingWrite = new StreamingWrite {
    override def createStreamingWriterFactory(info: PhysicalWriteInfo): StreamingDataWriterFactory = {
      val exactlyOnce = query.map { id =>
        val (former, isFirst) = begun(id, info.numPartitions)
        ExactlyOnce(id, marked, info.numPartitions, TopicWrite.speculates, former, isFirst, producer)
      }
      factory(exactlyOnce, TopicWrite.patience(producer))
    }
    override def commit(epoch: Long, messages: Array[WriterCommitMessage]): Unit = ()
    override def abort(epoch: Long, messages: Array[WriterCommitMessage]): Unit = ()
    override def useCommitCoordinator(): Boolean = false
  }
}

object TopicWrite {
  // Spark's local property that identifies the run of a streaming query in all of its jobs.
  private val runProperty = "spark.jobGroup.id"

  // A batch waits as long as its producers would.
  private def patience(producer: Map[String, String]): Duration = {
    val name = ProducerConfig.MAX_BLOCK_MS_CONFIG
    val default = ProducerConfig.configDef().defaultValues().get(name).toString
    Duration.ofMillis(producer.getOrElse(name, default).toLong)
  }

  private def speculates: Boolean = SparkSession.active.sparkContext.getConf.getBoolean("spark.speculation", false)

  /**
   * Expressions from the incoming rows to the sink's columns in order, matched by name. Flink's implicit cast applies
   * the lengths that its tables declare; a key that is deleted is the one that the statement names.
   */
  private def projection(
      name: String,
      topic: TopicObject,
      sink: Seq[TopicColumn],
      incoming: StructType,
      zone: String
  ): Seq[Expression] = {
    val deletes = incoming.fieldNames.contains(PseudoColumns.tombstone.name)
    sink.zip(SinkColumns.byName(name, sink, incoming)).map {
      case (column, None) => Literal.create(null, MetadataWriter.typeOf(column))
      case (column, Some(i)) =>
        val names = TopicColumn.of(incoming(i)).dataType
        FieldsByName.check(name, column, names)
        val bound = BoundReference(i, incoming(i).dataType, nullable = true)
        val cast = FieldsByName(bound, names, column.dataType)(Cast(_, _, Some(zone), ansiEnabled = true))
        val length = topic.lengthOf(column).filterNot(_ => deletes && column.isIn(Side.Key))
        val stored = length.fold(cast)(MetadataCast.fitted(cast, _))
        val wanted = MetadataWriter.typeOf(column)
        if (DataType.equalsIgnoreNullability(wanted, column.dataType)) stored
        else MetadataCast.written(stored, wanted, zone)
    }
  }

  private def reference(name: String): NamedReference = Expressions.column(quoteIdentifier(name))

  def alias(expression: Expression, column: TopicColumn): Alias =
    Alias(expression, column.name)(explicitMetadata = Some(column.field.metadata))
}

/**
 * Passes to the tasks what they need to encode rows.
 *
 * @param columns       the output columns of the projection, in order
 * @param zone          the session's time zone
 * @param exactlyOnce   None for at-least-once writes
 * @param source        the columns that name the record from which a row was made; None if rows lack them
 * @param keepsNullKeys whether a key whose columns are all null is written as a record of nulls instead of null
 * @param reserved      topics that a row's metadata column must not name
 */
final case class TopicWriterFactory(
    topic: TopicObject,
    columns: Seq[TopicColumn],
    projection: Seq[Expression],
    producer: Map[String, String],
    registry: Option[RegistryConfig],
    zone: String,
    exactlyOnce: Option[ExactlyOnce],
    source: Option[RowSource],
    keepsNullKeys: Boolean,
    reserved: ReservedTopics
) extends DataWriterFactory
    with StreamingDataWriterFactory {
  override def createWriter(partition: Int, task: Long): DataWriter[InternalRow] =
    new TopicDataWriter(this, partition, epoch = 0L, streaming = false)
  override def createWriter(partition: Int, task: Long, epoch: Long): DataWriter[InternalRow] =
    new TopicDataWriter(this, partition, epoch, streaming = true)

  // The producer's properties contain secrets.
  override def toString: String = s"TopicWriterFactory(${topic.topic})"
}

/**
 * One task's writer: encodes key, value and metadata of each row and sends the record to the producer.
 *
 * @param task      the task's number within the write
 * @param epoch     batch number of the streaming query
 * @param streaming whether a continuous query writes
 */
final class TopicDataWriter(factory: TopicWriterFactory, task: Int, epoch: Long, streaming: Boolean)
    extends DataWriter[InternalRow] {
  private val counts = new WriteCounts
  private val topic = factory.topic
  // Rows that already have the sink's layout are encoded without a projection.
  private val isProjected = factory.projection.zipWithIndex.exists {
    case (reference: BoundReference, place) => reference.ordinal != place
    case _ => true
  }
  private lazy val project = UnsafeProjection.create(factory.projection)
  private val key = encoder(Side.Key)
  private val value = encoder(Side.Value)
  private val names = new SchemaNames(topic, () => client())
  private val windowed = WindowedKey.is(topic)
  // Readers of the table would ignore a row without a key.
  private val needsKey = topic.kind == ObjectKind.Table && !streaming && key != null
  private val fail = WriteErrors.fail(topic.topic, Some(epoch), factory.producer) _
  private val delivery: Delivery = factory.exactlyOnce match {
    case Some(write) =>
      new TransactionDelivery(write, task, TaskContext.get().attemptNumber(), epoch, streaming, schemasOf, fail)
    case None => new PlainDelivery(factory.producer, fail)
  }
  private val metadata = new MetadataWriter(
    topic,
    factory.columns,
    factory.zone,
    delivery.partitions,
    factory.reserved.contains,
    ownTimeFirst = streaming
  )
  private val placement = new Placement(topic, factory.columns, task, factory.producer, delivery.partitions)
  // Ordinals of the value's columns; empty if a row of nulls is an ordinary row.
  private val nullRow = if (!SinkProperties.isNullRowTombstone(topic)) Array.empty[Int]
  else factory.columns.indices.filter(i => factory.columns(i).isIn(Side.Value)).toArray

  // The same for the key: in Flink, and after PARTITION BY a record of nulls, the key is a record of nulls.
  private val nullKey = if (factory.keepsNullKeys) Array.empty[Int]
  else factory.columns.indices.filter(i => factory.columns(i).isIn(Side.Key)).toArray

  // Columns of Flink's PRIMARY KEY are NOT NULL, even though the key is a record that may contain nulls.
  private val primary =
    if (needsKey && topic.skipsEmpty(Side.Key))
      factory.columns.indices.filter(i => factory.columns(i).isIn(Side.Key)).toArray
    else Array.empty[Int]

  private val required = factory.columns.indices.filter(i => topic.isRequired(factory.columns(i))).toArray

  override def write(row: InternalRow): Unit =
    try send(row)
    catch { case e: KafkalystTaskException => throw factory.source.fold(e)(source => e.at(source.of(row))) }

  private def send(row: InternalRow): Unit = {
    val sink = if (isProjected) project(row) else row
    val parts = metadata.of(sink)
    if (required.length > 0 && !parts.tombstone && !isNullRow(sink)) checkRequired(sink)
    val plainKey = if (key == null || isNullKey(sink)) null else names.bytes(Side.Key, key.encode(sink))
    val keyBytes = if (windowed) windowedKey(plainKey, parts) else plainKey
    if (needsKey && (keyBytes == null || primary.exists(sink.isNullAt)))
      throw KafkalystTaskException(null, "TABLE_KEY_IS_NULL", "topic" -> parts.topic)
    val valueBytes =
      if (value == null || isNullRow(sink)) null
      else if (!parts.tombstone) names.bytes(Side.Value, value.encode(sink))
      else
        value match {
          case events: EventEncoder => events.deleted(sink)
          case _ => null
        }
    if (parts.timeFault == null || topic.onError == OnError.Null) {
      val record = new ProducerRecord(
        parts.topic,
        if (parts.partition == null) placement(parts.topic, sink, keyBytes) else parts.partition,
        parts.timestamp,
        keyBytes,
        valueBytes,
        names.headers(parts.headers, keyBytes, valueBytes)
      )
      delivery.send(record)
      counts.add(record)
    } else if (topic.onError == OnError.DeadLetter) deadLetter(parts, keyBytes, valueBytes)
  }

  /** Sends a row whose TIMESTAMP column is invalid, as the record that it would have become. */
  private def deadLetter(parts: RecordParts, key: Array[Byte], value: Array[Byte]): Unit = {
    val headers = new RecordHeaders(names.headers(parts.headers, key, value))
    def add(name: String, text: String) = headers.add(DeadLetterHeaders.prefix + name, text.getBytes(UTF_8))
    add(DeadLetterHeaders.topic, parts.topic)
    add(DeadLetterHeaders.error, s"${Properties.timestamp.name}: ${parts.timeFault}")
    delivery.send(new ProducerRecord(topic.deadLetters, null, null, key, value, headers))
    counts.deadLetters += 1
  }

  private def checkRequired(row: InternalRow): Unit = required.find(row.isNullAt).foreach { at =>
    throw KafkalystTaskException(
      null,
      "REQUIRED_COLUMN_IS_NULL",
      "column" -> factory.columns(at).name,
      "object" -> topic.topic,
      "found" -> "a row has NULL there"
    )
  }

  private def isNullKey(row: InternalRow): Boolean = nullKey.length > 0 && nullKey.forall(row.isNullAt)

  private def isNullRow(row: InternalRow): Boolean = nullRow.length > 0 && nullRow.forall(row.isNullAt)

  private def windowedKey(key: Array[Byte], parts: RecordParts): Array[Byte] = {
    val whole = WindowedKey.appended(topic, key, parts)
    // A record without a key has no window, either.
    if (whole == null && key != null) throw KafkalystTaskException(null, "WINDOW_MISSING", "topic" -> topic.topic)
    whole
  }

  override def commit(): WriterCommitMessage = {
    counts.waiting(delivery.flush())
    val attempt = TaskContext.get()
    val isFirst = attempt.attemptNumber == 0 && attempt.stageAttemptNumber == 0
    if (isFirst && !factory.exactlyOnce.exists(_.speculates)) TopicDataWriter.DoneAtOnce else TopicDataWriter.Done
  }

  override def currentMetricsValues(): Array[CustomTaskMetric] = counts.metrics

  override def abort(): Unit = delivery.abort()

  override def close(): Unit = delivery.close()

  private def schemasOf(side: Side): Seq[Int] = {
    val format = topic.format(side)
    format.schemaId.toSeq ++ AvroTypes.of(format).map(_.schemaId)
  }

  private def client(): RegistryClient =
    HttpRegistry(factory.registry.getOrElse(throw KafkalystException("NO_REGISTRY")))

  private def encoder(side: Side): Encoder = {
    val mine = factory.columns.zipWithIndex.filter { case (column, _) => topic.isIn(column, side) }
    val sources = topic.inOrder(side, mine)(_._1).map { case (column, ordinal) =>
      Target(topic.named(column, side).name, column.dataType, ordinal)
    }.toArray
    val format = topic.format(side)
    if (format.format == NoneFormat.name) null
    else if (sources.nonEmpty) {
      Formats(format.format).encoder(EncodeRequest(side, topic.topic, format, sources, () => client()))
    } else if (side == Side.Key) null
    else Formats(format.format).emptyValue.map(bytes => (_ => bytes): Encoder).orNull
  }
}

object TopicDataWriter {
  case object Done extends WriterCommitMessage

  /** For a task that was attempted only once. */
  case object DoneAtOnce extends WriterCommitMessage
}
