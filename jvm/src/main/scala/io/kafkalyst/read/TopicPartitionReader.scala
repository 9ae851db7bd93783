package io.kafkalyst.read

import java.nio.ByteBuffer
import java.time.Duration
import java.{util => ju}

import io.kafkalyst.bridge.OpenReader
import io.kafkalyst.clients.Consumers
import io.kafkalyst.errors.{KafkalystException, KafkalystTaskException}
import io.kafkalyst.formats.{BadBytes, DecodeRequest, Formats, NewFields, NullValues, Target}
import io.kafkalyst.metadata.{RegistryRequestsMetric, TaskMetric, WindowedKey}
import io.kafkalyst.model.{Properties, Side}
import io.kafkalyst.registry.{HttpRegistry, RegistryClient, RegistryCounts, SchemaHeaders}
import org.apache.kafka.clients.consumer.{ConsumerRecord, OffsetOutOfRangeException}
import org.apache.kafka.common.{KafkaException, TopicPartition}
import org.apache.spark.{TaskContext, TaskKilledException}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow
import org.apache.spark.sql.connector.metric.CustomTaskMetric
import org.apache.spark.sql.connector.read.streaming.PartitionOffset
import org.apache.spark.sql.kafka010.KafkaPlanBridge
import org.apache.spark.unsafe.types.UTF8String

/**
 * The record loop: polls raw bytes from the consumer and decodes the required columns of both sides into one reused
 * row. Rows come in offset order; gaps from compaction and transactions are skipped.
 *
 * Errors (KafkalystTaskException): RECORD_NOT_DECODABLE under ON_ERROR=fail, DATA_LOSS if offsets of the range are gone
 * and failOnDataLoss is set, READ_TIMEOUT if the broker does not answer within the poll timeout. A cancelled task ends
 * with TaskKilledException at its next poll, also if all its records are skipped.
 */
final class TopicPartitionReader(reading: TopicReading, part: TopicInputPartition, row: InternalRow)
    extends OpenReader {
  private val range = part.range
  private val partition = new TopicPartition(range.topic, range.partition)
  private val requestsBefore = RegistryCounts.mine.requests
  private val layout = reading.layout
  private val metadata = new RecordMetadata(layout, reading.zone)
  private val bad = new BadRecords(reading.topic, reading.deadLetters)
  private val key = decoder(Side.Key)
  private val value = decoder(Side.Value)
  private val skipsEmpty = Side.all.map(reading.topic.skipsEmpty)
  private val integrity =
    if (!reading.topic.completesKey) null
    else
      new KeyIntegrity(
        layout.columns.filter { case (column, _) => column.isIn(Side.Key) },
        reading.topic.verifiesKey
      )
  // Set if a value may be any number of rows: events, and arrays of rows.
  private val events = if (value == null) null else value.events
  private val isEvent = reading.topic.value.isEvent
  // Whether a value's rows after the first need more than the value's columns. A columnar batch has a row for each.
  private val completes = integrity != null || layout.rowTime.isDefined || !isEvent
  // Stored after the key's own bytes.
  private val windowBytes = WindowedKey.length(reading.topic)

  private val latest =
    if (reading.latest && LatestRecords.suffice(reading.topic)) new LatestRecords(LatestRecords.limit) else null

  private var records: ju.Iterator[ConsumerRecord[ByteBuffer, ByteBuffer]] = ju.Collections.emptyIterator()
  private var dropped, taken, passed = 0L
  private var position = range.from
  private val until = range.until
  // The record whose rows are returned, and its key's fault.
  private var current: ConsumerRecord[ByteBuffer, ByteBuffer] = _
  private var currentKey: BadSide = _
  // Whether the consumer can be returned for other tasks.
  private var isSound = true
  private var isClosed = false
  private val task = TaskContext.get()

  // Created last, so that nothing has to be released if earlier initialisation fails.
  private val properties = Consumers.properties(range.consumer, part.isOpen)
  private val consumer = Consumers.acquire(properties)
  consumer.assign(ju.Collections.singletonList(partition))
  consumer.seek(partition, range.from)

  override def next(): Boolean = {
    if (nextChange()) return true
    var record = following()
    while (record != null) {
      if (decoded(record)) return true
      record = following()
    }
    // The range is complete only once its bad records are stored.
    bad.flush()
    false
  }

  override def nextWithin(millis: Long): Boolean = {
    if (nextChange()) return true
    val deadline = System.nanoTime() + millis * 1000000L
    while (isAwaited(deadline)) {
      val record = fetchedNext()
      if (record != null) {
        passed = record.offset + 1
        if (decoded(record)) return true
      }
    }
    false
  }

  /** Whether a record arrives before the deadline. */
  private def isAwaited(deadline: Long): Boolean = {
    var left = deadline - System.nanoTime()
    while (!records.hasNext && left > 0) {
      val millis = left / 1000000L + 1
      if (position < until) poll(math.min(millis, TopicPartitionReader.longestPoll)) else Thread.sleep(millis)
      left = deadline - System.nanoTime()
    }
    records.hasNext
  }

  override def reached(): PartitionOffset = {
    bad.flush()
    val next =
      if (events != null && events.hasNext) passed - 1 // re-reads its rows rather than losing some
      else if (records.hasNext) passed
      else position
    KafkaPlanBridge.reached(range.topic, range.partition, next)
  }

  /** The next record to decode; null at the range's end. */
  private def following(): ConsumerRecord[ByteBuffer, ByteBuffer] =
    if (latest == null) fetchedNext()
    else {
      if (!latest.hasNext) {
        var record = fetchedNext()
        // Tables ignore records without a key.
        while (record != null && (record.key == null || latest.add(record))) record = fetchedNext()
      }
      if (latest.hasNext) latest.next(range.topic, range.partition) else null
    }

  private def fetchedNext(): ConsumerRecord[ByteBuffer, ByteBuffer] = {
    while (hasRecord) {
      val record = records.next()
      if (record.offset < until) {
        taken += 1
        return record
      }
      position = until
      records = ju.Collections.emptyIterator()
    }
    null
  }

  override def get(): InternalRow = row

  override def close(): Unit = if (!isClosed) {
    isClosed = true
    try if (isSound) Consumers.release(properties, consumer) else Consumers.discard(consumer)
    finally {
      reading.counts.foreach { counts =>
        counts.add(taken, if (latest == null) 0 else latest.superseded)
        bad.addTo(counts)
      }
      bad.close()
    }
  }

  override def currentMetricsValues(): Array[CustomTaskMetric] = bad.metrics ++ Array(
    TaskMetric(FetchedRecordsMetric.metric, taken),
    TaskMetric(DroppedRecordsMetric.metric, dropped),
    TaskMetric(SupersededRecordsMetric.metric, if (latest == null) 0 else latest.superseded),
    TaskMetric(RegistryRequestsMetric.metric, RegistryCounts.mine.requests - requestsBefore)
  )

  /** Polls until a record arrives or the end of the range is reached. */
  private def hasRecord: Boolean = {
    if (records.hasNext) return true
    var since = System.nanoTime()
    while (position < until) {
      val before = position
      poll(math.min(range.pollTimeoutMs, TopicPartitionReader.longestPoll))
      if (records.hasNext) return true
      if (position != before) since = System.nanoTime() // the broker answers, even if without records
      else if (System.nanoTime() - since > range.pollTimeoutMs * 1000000L) {
        if (!range.failOnDataLoss && end() <= position) {
          position = until
          return false
        }
        isSound = false
        throw KafkalystTaskException(
          null,
          "READ_TIMEOUT",
          "topic" -> range.topic,
          "partition" -> range.partition.toString,
          "offset" -> position.toString,
          "until" -> until.toString,
          "timeout" -> s"${range.pollTimeoutMs} ms"
        )
      }
    }
    false
  }

  private def poll(millis: Long): Unit = {
    // Spark asks only between returned rows, and skipped records return none.
    if (task != null && task.isInterrupted()) throw new TaskKilledException
    isSound = false
    try {
      records = NullValues.absent(reading.topic, consumer.poll(Duration.ofMillis(millis)).records(partition).iterator())
      // The position also moves over offsets without records, so only the position shows the end.
      position = consumer.position(partition)
    } catch {
      case lost: OffsetOutOfRangeException => lose(lost)
      case e: KafkaException => throw Consumers.failed(e, range.topic, properties)
    }
    isSound = true
    if (part.isOpen) Seq(key, value).filter(side => side != null && side.schemas != null).foreach(_.schemas.fetched())
  }

  private def lose(lost: OffsetOutOfRangeException): Unit = {
    val earliest = consumer.beginningOffsets(ju.List.of(partition)).get(partition).longValue
    if (range.failOnDataLoss && !(part.isWhole && taken == 0 && position < earliest)) {
      throw KafkalystTaskException(
        lost,
        "DATA_LOSS",
        "topic" -> range.topic,
        "partition" -> range.partition.toString,
        "offset" -> position.toString,
        "earliest" -> earliest.toString
      )
    }
    // An offset beyond the end means another topic of the same name, in which a planned end is never reached.
    position =
      if (part.isOpen) earliest
      else if (position > end()) until
      else math.min(math.max(earliest, position), until)
    consumer.seek(partition, position)
  }

  /** The offset after the partition's last record. */
  private def end(): Long = consumer.endOffsets(ju.List.of(partition)).get(partition).longValue

  /** Decodes a record; false if it is skipped. */
  private def decoded(record: ConsumerRecord[ByteBuffer, ByteBuffer]): Boolean = {
    if ((record.key == null && skipsEmpty.head) || (record.value == null && skipsEmpty.last)) {
      dropped += 1
      return false
    }
    val badKey = read(Side.Key, key, record.key, record)
    if (integrity != null) integrity.note(row)
    val badValue = read(Side.Value, value, record.value, record)
    // A tombstone only repeats the delete event before it.
    if (events != null && badValue == null && (if (record.value == null) isEvent else events.isEmpty)) return false
    current = record
    currentKey = badKey
    val own = completed(badValue)
    val faults = if (own.isEmpty) laterFaults() else own
    if (faults.isEmpty || bad.keeps(record, faults)) {
      explain(own)
      true
    } else {
      // All rows of a dropped record are dropped.
      if (events != null) events.clear()
      false
    }
  }

  /** Sets the row to the value's next row, with a ROWTIME of its own. */
  private def nextChange(): Boolean = events != null && events.hasNext && {
    // Read before the value, which overwrites the key's columns that it contains.
    if (!isEvent) read(Side.Key, key, current.key, current)
    events.next(value.into)
    if (completes) explain(completed(null))
    true
  }

  /** The first fault of the changes after the first; the row is the first change's again. */
  private def laterFaults(): Seq[BadSide] =
    if (!completes || events == null || !events.hasNext) Nil
    else {
      var found = Seq.empty[BadSide]
      while (found.isEmpty && events.next(value.into)) found = completed(null)
      events.restart()
      events.next(value.into)
      completed(null)
      found
    }

  /** Verifies the key's columns, and fills the columns outside key and value; returns the row's faults. */
  private def completed(badValue: BadSide): Seq[BadSide] = {
    val fault = verified(badValue)
    val badTime = metadata.fill(current, row)
    if (currentKey != null || fault != null) Seq(currentKey, fault).filter(_ != null)
    else if (badTime != null) Seq(badTime)
    else Nil
  }

  private def explain(faults: Seq[BadSide]): Unit = if (layout.errorAt >= 0) {
    if (faults.isEmpty) row.setNullAt(layout.errorAt)
    else row.update(layout.errorAt, UTF8String.fromString(bad.explain(current, faults)))
  }

  /** The value's fault, also for a value that contradicts its key: key columns get the key's values again. */
  private def verified(badValue: BadSide): BadSide =
    if (integrity == null || currentKey != null || current.key == null || current.value == null) badValue
    else {
      val found = if (badValue == null) integrity.fault(row) else null
      if (found != null) value.clear(row)
      val fault = if (found == null) badValue else BadSide(Side.Value, current.value, found)
      if (fault != null) integrity.restore(row)
      fault
    }

  /** Null on success, else the decoding fault; the side's columns are then null. */
  private def read(
      side: Side,
      reader: SideReader,
      bytes: ByteBuffer,
      record: ConsumerRecord[ByteBuffer, ByteBuffer]
  ): BadSide = {
    if (reader == null) return null
    if (bytes == null) {
      reader.clearOwn(row)
      return null
    }
    val length = if (side == Side.Key) bytes.remaining - windowBytes else bytes.remaining
    try {
      if (length < 0) throw new BadBytes(s"it has ${bytes.remaining} bytes, and its window alone has $windowBytes")
      // As in Confluent's own deserialisers, a header takes precedence over the id in the bytes.
      val header = if (reader.schemas == null) null else record.headers.lastHeader(reader.header)
      if (header == null) {
        reader.decoder.decode(bytes.array, bytes.arrayOffset + bytes.position(), length, reader.into)
      } else {
        val framed = reader.schemas.framed(header.value, bytes.duplicate().limit(bytes.position() + length))
        reader.decoder.decode(framed, 0, framed.length, reader.into)
      }
      null
    } catch {
      case BadBytes(fault) =>
        reader.clear(row)
        BadSide(side, bytes, fault)
    }
  }

  private def decoder(side: Side): SideReader = {
    val targets = layout.targets(side)
    val format = reading.topic.format(side)
    val rescuedAt = if (side == Side.Value) layout.rescuedAt else -1
    val declared = reading.topic.columns(side)
    val (checked, hasRows) = (layout.checked(side), layout.hasRows(side))
    if (targets.isEmpty && rescuedAt < 0 && !hasRows && checked.isEmpty) null
    else {
      val client = TopicPartitionReader.registry(reading)
      val schemas = if (Formats(format.format).schemaType.isEmpty) null else new HeaderSchemas(side, client())
      val isClosed = Properties.isClosed(reading.topic)
      // Only in a stream: a batch read is planned with the registry's current columns.
      val isAdding = side == Side.Value && reading.counts.isDefined && Properties.isAdding(reading.topic)
      val given = () =>
        if (schemas == null) client()
        else if (isClosed || isAdding)
          new NewFields(schemas, Formats(format.format), side, format, declared, reading.topic.topic, isAdding)
        else schemas
      val events = if (format.isEvent) layout.events else Array.empty[Target]
      val (topic, all) = (range.topic, targets ++ checked)
      val request = DecodeRequest(side, topic, format, declared, all, given, events, isClosed, rescuedAt, hasRows)
      val rescued = Seq(rescuedAt).filter(_ >= 0)
      val ordinals = (targets ++ events).map(_.ordinal) ++ rescued
      val own = layout.columns.collect { case (column, ordinal) if column.isIn(side) => ordinal } ++ rescued
      val decoder = Formats(format.format).decoder(request)
      val into = if (checked.isEmpty) row else new GenericInternalRow(1)
      new SideReader(decoder, into, ordinals, own.toArray, schemas, SchemaHeaders.name(side))
    }
  }
}

object TopicPartitionReader {

  private def registry(reading: TopicReading): () => RegistryClient = () =>
    HttpRegistry(reading.registry.getOrElse(throw KafkalystException("NO_REGISTRY")))

  // Milliseconds.
  private val longestPoll = 1000L
}
