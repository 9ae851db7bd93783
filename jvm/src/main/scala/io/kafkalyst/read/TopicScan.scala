package io.kafkalyst.read

import java.{util => ju}

import io.kafkalyst.model.TopicObject
import io.kafkalyst.names.{FieldNames, InternalSchema}
import io.kafkalyst.registry.RegistryConfig
import org.apache.spark.sql.connector.metric.{CustomMetric, CustomSumMetric}
import org.apache.spark.sql.connector.read._
import org.apache.spark.sql.connector.read.streaming.{
  MicroBatchStream,
  Offset,
  ReadLimit,
  ReportsSourceMetrics,
  SupportsTriggerAvailableNow
}
import org.apache.spark.sql.types.StructType

/**
 * Builds a scan of a topic that decodes only the columns asked for.
 *
 * @param deadLetters where records go that cannot be decoded; only for ON_ERROR=dead-letter
 * @param offsets     Spark's own Kafka scan over the same topic: it plans offsets, admission and locality
 */
final class TopicScanBuilder(
    topic: TopicObject,
    registry: Option[RegistryConfig],
    deadLetters: Option[DeadLetterTopic],
    offsets: () => Scan
) extends ScanBuilder
    with SupportsPushDownRequiredColumns {
  private val whole = InternalSchema.of(topic.columns)

  // Streams of Spark 4.0 and 4.1 tell nothing of what they ask for: their hidden columns are all of them, or none.
  private var asked = StructType(whole ++ topic.hidden)

  // A struct with colliding names is read whole: its decoder must know all of them to tell them apart.
  override def pruneColumns(required: StructType): Unit = asked = StructType(required.map { field =>
    val column = Some(whole.fieldNames.indexOf(field.name)).filter(_ >= 0).map(topic.columns)
    val renamed = column.exists(c => FieldNames.renamedFields(Seq(c)).nonEmpty)
    if (renamed) field.copy(dataType = whole(field.name).dataType) else field
  })

  override def build(): Scan = new TopicScan(TopicReaderFactory(topic, asked, registry, deadLetters), offsets)
}

/** A scan of a topic, bounded at its end as of planning or as an endless stream. */
final class TopicScan(factory: TopicReaderFactory, offsets: () => Scan) extends Scan {
  override def readSchema(): StructType = factory.asked

  override def description(): String = {
    val topic = factory.topic
    s"topic ${topic.topic} (key ${topic.key.format}, value ${topic.value.format})"
  }

  override def toBatch: Batch = {
    val planned = offsets().toBatch
    new Batch {
      override def planInputPartitions(): Array[InputPartition] = TopicScan.wrap(planned.planInputPartitions())
      override def createReaderFactory(): PartitionReaderFactory = factory
    }
  }

  override def toMicroBatchStream(checkpointLocation: String): MicroBatchStream =
    new TopicMicroBatchStream(factory, offsets().toMicroBatchStream(checkpointLocation))

  override def supportedCustomMetrics(): Array[CustomMetric] =
    Array(new BadRecordsMetric, new DeadLettersMetric, new RegistryRequestsMetric)

  override def columnarSupportMode(): Scan.ColumnarSupportMode = Scan.ColumnarSupportMode.UNSUPPORTED
}

object TopicScan {
  private[read] def wrap(planned: Array[InputPartition]): Array[InputPartition] =
    planned.map(p => TopicInputPartition(org.apache.spark.sql.kafka010.KafkaPlanBridge.range(p)))
}

/** Spark's own Kafka stream for offsets, admission, AvailableNow and lag; our record loop for the rows. */
final class TopicMicroBatchStream(factory: TopicReaderFactory, kafka: MicroBatchStream)
    extends MicroBatchStream
    with SupportsTriggerAvailableNow
    with ReportsSourceMetrics {
  private val admission = kafka.asInstanceOf[SupportsTriggerAvailableNow]
  private val reporting = kafka.asInstanceOf[ReportsSourceMetrics]

  override def initialOffset(): Offset = kafka.initialOffset()
  override def deserializeOffset(json: String): Offset = kafka.deserializeOffset(json)
  override def latestOffset(): Offset = kafka.latestOffset()
  override def latestOffset(start: Offset, limit: ReadLimit): Offset = admission.latestOffset(start, limit)
  override def reportLatestOffset(): Offset = admission.reportLatestOffset()
  override def getDefaultReadLimit: ReadLimit = admission.getDefaultReadLimit
  override def prepareForTriggerAvailableNow(): Unit = admission.prepareForTriggerAvailableNow()
  override def metrics(latest: ju.Optional[Offset]): ju.Map[String, String] = reporting.metrics(latest)
  override def commit(end: Offset): Unit = kafka.commit(end)
  override def stop(): Unit = kafka.stop()

  override def planInputPartitions(start: Offset, end: Offset): Array[InputPartition] =
    TopicScan.wrap(kafka.planInputPartitions(start, end))

  override def createReaderFactory(): PartitionReaderFactory = factory

  override def toString: String = s"topic ${factory.topic.topic}"
}

/** Requests to the schema registry: few, as each process asks for a schema once. */
final class RegistryRequestsMetric extends CustomSumMetric {
  override def name(): String = RegistryRequestsMetric.metric
  override def description(): String = "number of requests to the schema registry"
}

object RegistryRequestsMetric {
  val metric = "registryRequests"
}
