package io.kafkalyst.read

import java.{util => ju}

import io.kafkalyst.read.offsets._
import io.kafkalyst.bridge.{OpenStream, RealTime}
import io.kafkalyst.errors.{Causes, KafkalystException}
import io.kafkalyst.metadata.{DeadLettersMetric, PseudoColumns, Ranges, RegistryRequestsMetric, RowTime}
import io.kafkalyst.model.{Properties, TopicColumn, TopicObject}
import io.kafkalyst.names.{FieldNames, InternalSchema}
import io.kafkalyst.registry.RegistryConfig
import org.apache.kafka.common.errors.ApiException
import org.apache.spark.{SPARK_VERSION, SparkContext}
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.connector.expressions.aggregate.Aggregation
import org.apache.spark.sql.connector.expressions.filter.Predicate
import org.apache.spark.sql.connector.metric.CustomMetric
import org.apache.spark.sql.connector.read._
import org.apache.spark.sql.connector.read.streaming._
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.kafka010.KafkaPlanBridge
import org.apache.spark.sql.types.StructType

import scala.util.control.NonFatal

/**
 * Builds a scan of a topic that decodes only the required columns.
 *
 * @param deadLetters opens the dead letter topic for records that cannot be decoded; only for ON_ERROR=dead-letter
 * @param offsets     Spark's own Kafka scan of the same topics, for a stream or a batch: it plans offsets, admission
 *                    and locality
 * @param bounds      the offsets and metadata that the broker reports for a topic
 * @param ends        offsets at which reading ends, by topic and partition, for a stream or a batch
 * @param latest      whether only the last record of each key is needed, in each batch of a stream
 * @param older       for a stream: the store of records that the brokers have deleted, and where the stream begins
 * @param hidden      the names of the hidden columns that a stream has; None for all
 * @param check       called once the end of a stream's batch is known; throws if its records may have other columns
 * @param origin      settings and options that the offsets depend on; scans of equal origin read the same records
 */
final class TopicScanBuilder(
    topic: TopicObject,
    registry: Option[RegistryConfig],
    deadLetters: Option[DeadLetterTopic],
    offsets: Boolean => Scan,
    bounds: String => TopicBounds,
    ends: Boolean => Map[(String, Int), Long],
    latest: Boolean,
    older: Option[(() => Option[OlderRecords], StreamStart)],
    hidden: Option[Set[String]],
    check: () => Unit,
    origin: AnyRef
) extends ScanBuilder
    with SupportsPushDownRequiredColumns
    with SupportsPushDownV2Filters
    with SupportsPushDownAggregates {
  private val zone = SQLConf.get.sessionLocalTimeZone
  private val moment = StatementOffsets.current()
  private var ranges = Ranges.all
  private var pushed = Array.empty[Predicate]
  private var filters = Seq.empty[Predicate]

  /** Uses predicates to narrow the offset ranges; every predicate also stays a filter over the rows. */
  override def pushPredicates(predicates: Array[Predicate]): Array[Predicate] = {
    val pushdown = new OffsetPushdown(topic, zone)
    val found = predicates.map(p => p -> pushdown.ranges(p)).filterNot(_._2.isAll)
    pushed = found.map(_._1)
    filters = predicates.toSeq
    ranges = found.map(_._2).foldLeft(Ranges.all)(_ & _)
    predicates
  }

  override def pushedPredicates(): Array[Predicate] = pushed

  // Spark calls this only if no filter is left over the rows.
  override def pushAggregation(aggregation: Aggregation): Boolean = {
    isCounted = RowCount.isAll(aggregation)
    if (isCounted) asked = new StructType
    isCounted
  }

  private var isCounted = false
  private val declared = InternalSchema.of(topic.columns)
  private val rowTime = RowTime.of(topic).map(_.column)

  // Streams before Spark 4.2 do not push required columns.
  private var asked =
    StructType(declared ++ PseudoColumns.hidden(topic).filter(f => hidden.forall(_.contains(f.name))))

  override def pruneColumns(required: StructType): Unit = asked = StructType(required.map { field =>
    // Spark 4.2 asks streams for the columns of the analyzed plan, under the user's names.
    val at = declared.fieldNames.indexOf(TopicColumn.internalOf(field.name, field.metadata))
    // Spark's pruning of nested fields drops the column metadata.
    if (at < 0) field
    else if (isWhole(at)) declared(at)
    else declared(at).copy(dataType = field.dataType)
  })

  /** Only nested fields that the decoder fills can be pruned; other columns are read whole. */
  private def isWhole(at: Int): Boolean = {
    val column = topic.columns(at)
    // Under SCHEMA.EVOLUTION='fail' a field that is not required must be known, too. A struct with colliding field
    // names needs all of its fields to tell them apart.
    column.metadata.isDefined || older.isDefined || Properties.isClosed(topic) || rowTime.contains(column) ||
    FieldNames.renamedFields(
      Seq(column)
    ).nonEmpty
  }

  override def build(): Scan =
    new TopicScan(
      TopicReading(
        RecordTypes.only(topic, filters),
        asked,
        registry,
        deadLetters,
        zone,
        latest = latest,
        isCounted = isCounted
      ),
      offsets,
      ranges,
      bounds,
      ends,
      older,
      check,
      moment,
      origin
    )
}

/** A scan of a topic: bounded by the end offsets at planning time, or an endless stream. */
final class TopicScan(
    reading: TopicReading,
    offsets: Boolean => Scan,
    ranges: Ranges,
    bounds: String => TopicBounds,
    ends: Boolean => Map[(String, Int), Long],
    older: Option[(() => Option[OlderRecords], StreamStart)],
    check: () => Unit,
    moment: StatementOffsets,
    origin: AnyRef
) extends Scan
    with SupportsReportStatistics {
  private val identity = (reading, ranges, moment, origin)

  /** Whether both read the same records and columns, so that Spark can use one's result for both. */
  override def equals(other: Any): Boolean = other match {
    case scan: TopicScan => scan.identity == identity
    case _ => false
  }

  override lazy val hashCode: Int = identity.hashCode

  override def readSchema(): StructType = if (reading.isCounted) RowCount.schema else reading.asked

  override def description(): String = {
    val topic = reading.topic
    val start = topic.options.get(Properties.startOffsets.name).fold("")(offsets => s", from $offsets")
    val range = if (ranges.isAll) "" else s", only $ranges"
    val count = if (reading.isCounted) ", rows counted by its tasks" else ""
    s"topic ${topic.topic} (key ${topic.key.format}, value ${topic.value.format})$start$range$count"
  }

  private var isStream = false

  override def toBatch: Batch = batch

  // Spark requests the batch for each copy of its plan, and planning queries the broker.
  private lazy val batch = new TopicBatch(this, reading, () => parts)

  private lazy val parts: Seq[TopicInputPartition] = {
    // Spark's own client requests the offsets, and does not map its errors.
    val planned =
      try offsets(false).toBatch.planInputPartitions()
      catch {
        case NonFatal(e) =>
          throw Causes.of(e)
            .collectFirst { case cause: ApiException => bounds(reading.topic.topic).named(cause) }.getOrElse(e)
      }
    narrowed(TopicScan.ended(TopicScan.ordered(planned), ends(false))).toSeq
  }

  /** Called only if Spark compares plans, as for joins; other queries send no additional broker request. */
  override def estimateStatistics(): Statistics =
    if (isStream) Estimate.unknown else Estimate.of(parts, readSchema(), bounds, offsetsOf)

  private def offsetsOf(name: String) = moment.of(name, bounds(name))

  // Both ends are resolved here, once, so that a retried task reads the same range; empty ranges get no task.
  private def narrowed(planned: Array[KafkaPlanBridge.Range]): Array[TopicInputPartition] = {
    val narrowing = planned.map(_.topic).distinct.map(t => t -> new Narrowing(ranges, bounds(t), offsetsOf(t))).toMap
    planned.flatMap { r =>
      narrowing(r.topic)(r.partition, r.from, r.until).map { part =>
        TopicInputPartition(r.copy(from = part.from, until = part.until), isWhole = part.isWhole)
      }
    }
  }

  override def toMicroBatchStream(checkpointLocation: String): MicroBatchStream = {
    val counts = SourceCounts.of(SparkContext.getOrCreate())
    val counting = reading.copy(counts = Some(counts))
    isStream = true
    val kafka = offsets(true).toMicroBatchStream(checkpointLocation)
    val conf = SparkSession.active.sessionState.newHadoopConf()
    val ids = new TopicIds(checkpointLocation, bounds, conf)
    val until = TopicEnds.kept(checkpointLocation, reading.topic, conf)(ends(true))
    val before = older.map { case (records, start) =>
      new OlderBatches(counting, records, start, until, bounds(reading.topic.topic))
    }
    val stream = new TopicMicroBatchStream(counting, counts, kafka, until, ids, before, check)
    if (RealTime.isIn(SPARK_VERSION)) RealTime.stream(stream, kafka) else stream
  }

  override def supportedCustomMetrics(): Array[CustomMetric] =
    Array(
      new BadRecordsMetric,
      new DeadLettersMetric,
      new FetchedRecordsMetric,
      new DroppedRecordsMetric,
      new SupersededRecordsMetric,
      new RegistryRequestsMetric
    )

  // Only its partitions show whether a stream's batch stays open (real-time mode). For a batch read this asks for no
  // partitions, so that a plan that is only displayed sends no request to the broker.
  override def columnarSupportMode(): Scan.ColumnarSupportMode =
    if (!reading.isColumnar) Scan.ColumnarSupportMode.UNSUPPORTED
    else if (isStream) Scan.ColumnarSupportMode.PARTITION_DEFINED
    else Scan.ColumnarSupportMode.SUPPORTED
}

/** The batch of a scan, equal to those of equal scans. */
private final class TopicBatch(val scan: TopicScan, reading: TopicReading, parts: () => Seq[TopicInputPartition])
    extends Batch {
  override def planInputPartitions(): Array[InputPartition] = {
    val planned = parts()
    if (planned.isEmpty && reading.isCounted) Array(RowCount.OfNothing) else planned.toArray
  }

  override def createReaderFactory(): PartitionReaderFactory = TopicReaderFactory(reading)

  override def equals(other: Any): Boolean = other match {
    case batch: TopicBatch => batch.scan == scan
    case _ => false
  }

  override def hashCode: Int = scan.hashCode
}

object TopicScan {

  /**
   * Sorts ranges by partition and offset: Spark's Kafka source returns any order, but a repeated batch needs the same
   * one.
   */
  private[read] def ordered(planned: Array[InputPartition]): Array[KafkaPlanBridge.Range] =
    planned.map(KafkaPlanBridge.range).sortBy(r => (r.topic, r.partition, r.from))

  /** Cuts the ranges at the offsets at which reading ends; drops those that become empty. */
  private[read] def ended(
      planned: Array[KafkaPlanBridge.Range],
      ends: Map[(String, Int), Long]
  ): Array[KafkaPlanBridge.Range] =
    if (ends.isEmpty) planned else cut(planned, ends).filterNot(r => r.until >= 0 && r.from >= r.until)

  /** As [[ended]], but keeps ranges that become empty. */
  private[read] def cut(
      planned: Array[KafkaPlanBridge.Range],
      ends: Map[(String, Int), Long]
  ): Array[KafkaPlanBridge.Range] = planned.map { r =>
    ends.get((r.topic, r.partition)).filter(end => r.until < 0 || end < r.until).fold(r)(end => r.copy(until = end))
  }
}

/**
 * Delegates offsets, admission, AvailableNow and lag to Spark's own Kafka stream; a [[TopicPartitionReader]] reads the
 * rows.
 *
 * Errors: KafkalystException REAL_TIME_SLOTS if a local master has too few slots to read all partitions of an open
 * batch.
 */
final class TopicMicroBatchStream(
    reading: TopicReading,
    counts: SourceCounts,
    kafka: MicroBatchStream,
    ends: Map[(String, Int), Long],
    ids: TopicIds,
    older: Option[OlderBatches],
    check: () => Unit
) extends OpenStream {
  private val admission = kafka.asInstanceOf[SupportsTriggerAvailableNow]
  private val reporting = kafka.asInstanceOf[ReportsSourceMetrics]

  // A run that starts by repeating a batch has not requested the latest offset; Spark's source then fails to report it
  // (4.0, 4.1).
  @volatile private var askedForLatest = false
  @volatile private var isOpen = false

  override def initialOffset(): Offset = older.fold(kafka.initialOffset()) { before =>
    offset(before.begun(PartitionOffsets.of(kafka.initialOffset().json)))
  }
  override def deserializeOffset(json: String): Offset = kafka.deserializeOffset(json)
  override def latestOffset(): Offset = kafka.latestOffset()
  override def latestOffset(start: Offset, limit: ReadLimit): Offset = {
    ids.check(PartitionOffsets.of(start.json).keys, idle = true)
    val latest =
      try admission.latestOffset(start, limit)
      catch { case NonFatal(e) => throw ids.explained(e) }
    askedForLatest = true
    if (ends.isEmpty) latest
    else offset(TopicEnds.capped(PartitionOffsets.of(start.json), PartitionOffsets.of(latest.json), ends))
  }
  override def reportLatestOffset(): Offset = if (askedForLatest) admission.reportLatestOffset() else null
  override def getDefaultReadLimit: ReadLimit = admission.getDefaultReadLimit
  override def prepareForTriggerAvailableNow(): Unit = admission.prepareForTriggerAvailableNow()
  override def metrics(latest: ju.Optional[Offset]): ju.Map[String, String] = {
    val all = new ju.TreeMap[String, String](counts.metrics)
    if (askedForLatest) {
      all.putAll(reporting.metrics(latest))
      latest.ifPresent { end =>
        // In real-time mode the requested offset is the start of the batch.
        val now = if (isOpen) latestOffset(end, ReadLimit.allAvailable()) else reportLatestOffset()
        val known = Option(now).map(_.json).orNull
        val behind = PartitionOffsets.behind(PartitionOffsets.of(known), PartitionOffsets.of(end.json))
        all.put(SourceCounts.lag, PartitionOffsets.json(behind))
        ()
      }
    }
    all
  }
  override def commit(end: Offset): Unit = kafka.commit(end)
  override def stop(): Unit = kafka.stop()

  override def planInputPartitions(start: Offset, end: Offset): Array[InputPartition] = {
    ids.check(PartitionOffsets.of(end.json).keys, idle = false)
    check()
    val (before, from) = older.fold((Seq.empty[OlderInputPartition], start)) { of =>
      val (parts, rest) = of.split(PartitionOffsets.of(start.json), PartitionOffsets.of(end.json))
      (parts, offset(rest))
    }
    val rest = TopicScan.ended(TopicScan.ordered(kafka.planInputPartitions(from, end)), ends)
    // Spark requires all tasks to return rows, or all to return columns.
    before.toArray[InputPartition] ++ rest.map(TopicInputPartition(_, inRows = before.nonEmpty))
  }

  private def offset(of: PartitionOffsets.Offsets): Offset = kafka.deserializeOffset(PartitionOffsets.json(of))

  override def prepareOpen(): Unit = isOpen = true

  // An exhausted partition still reports its offset.
  override def planOpen(planned: Array[InputPartition]): Array[InputPartition] = {
    TaskSlots.ofLocal(SparkContext.getOrCreate().master).filter(_ < planned.length).foreach { slots =>
      throw KafkalystException(
        "REAL_TIME_SLOTS",
        "topic" -> reading.topic.topic,
        "partitions" -> planned.length.toString,
        "slots" -> slots.toString
      )
    }
    val ranges = TopicScan.ordered(planned)
    ids.check(ranges.map(_.topic).toSet, idle = false)
    TopicScan.cut(ranges, ends).map(TopicInputPartition(_, isOpen = true))
  }

  override def createReaderFactory(): PartitionReaderFactory = TopicReaderFactory(reading)

  override def toString: String = s"topic ${reading.topic.topic}"
}
