package io.kafkalyst.metadata

import io.kafkalyst.errors.{KafkalystException, KafkalystTaskException}
import io.kafkalyst.model.{OnError, Properties, SideFormat, TopicColumn, TopicObject, TopicPattern}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.DataType

/**
 * Extracts a record's parts besides key and value from rows. Not thread-safe: one per task.
 *
 * @param columns      the rows' columns; metadata columns have the type of [[MetadataWriter.typeOf]]
 * @param partitions   the number of partitions of a topic
 * @param isReserved   whether no row may be written to a topic, even if the object's pattern matches its name
 * @param ownTimeFirst whether the column named by the property TIMESTAMP takes precedence over ROWTIME, as in a
 *                     continuous query, where ROWTIME comes from the query's input and not from the user
 */
final class MetadataWriter(
    topic: TopicObject,
    columns: Seq[TopicColumn],
    zone: String,
    partitions: String => Int,
    isReserved: String => Boolean,
    ownTimeFirst: Boolean = false
) {
  private final class Part(val column: TopicColumn, val ordinal: Int) {
    val form: MetadataForm = MetadataWriter.form(column).get
    val put: (RecordParts, Any) => Unit = form.write.get
  }

  private val parts = columns.zipWithIndex.collect {
    case (column, ordinal) if column.metadata.isDefined => new Part(column, ordinal)
  }.toArray
  private val allowed = MetadataWriter.topics(topic)
  private val own = topic.topics
  private val isOne = topic.isOne
  // A VIRTUAL column is not written, so a row has no value of it.
  private val rowTime = RowTime.of(topic).map(of => of -> columns.indexWhere(of.isOf)).collect {
    case (of, ordinal) if ordinal >= 0 => of.on(ordinal, zone)
  }
  private val replacesRowTime =
    ownTimeFirst && !topic.columns.flatMap(_.metadata).exists(_.key == MetadataKeys.timestamp.name)
  // ksqlDB does not write a row without a time.
  private val needsTime = replacesRowTime && topic.value.isSet(SideFormat.likeKsqldb)

  /**
   * The record's topic, partition, timestamp and headers.
   *
   * @throws io.kafkalyst.errors.KafkalystTaskException METADATA_VALUE_REFUSED for a topic that is not allowed, a
   * partition that does not exist, a negative timestamp, a header without a name
   */
  def of(row: InternalRow): RecordParts = {
    val record = new RecordParts
    var i = 0
    while (i < parts.length) {
      val part = parts(i)
      if (!row.isNullAt(part.ordinal)) {
        val value = row.get(part.ordinal, part.form.dataType)
        try {
          part.put(record, value)
          check(part.column, record)
        } catch { case refused: RefusedValue => refuse(part.column.name, part.column.metadata.get.key, refused.reason) }
      }
      i += 1
    }
    if (record.timestamp == null || replacesRowTime) rowTime.foreach { column =>
      try {
        val time = column.millis(row)
        if (time != null) record.timestamp = time
        else if (needsTime && !record.tombstone) throw new RefusedValue("it is NULL")
      } catch {
        case refused: RefusedValue if ownTimeFirst && topic.onError != OnError.Fail => record.timeFault = refused.reason
        case refused: RefusedValue => refuse(column.name, MetadataKeys.timestamp.name, refused.reason)
      }
    }
    if (record.topic == null) {
      if (!isOne) refuse(
        "topic",
        MetadataKeys.topic.name,
        s"it is NULL, and the object is over several topics: ${topic.topic}"
      )
      record.topic = topic.topic
    }
    if (record.partition != null) {
      val there = partitions(record.topic)
      if (record.partition >= there) {
        refuse(
          parts.find(_.column.metadata.exists(_.key == MetadataKeys.partition.name)).fold("")(_.column.name),
          MetadataKeys.partition.name,
          s"topic ${record.topic} has no partition ${record.partition}: it has the partitions 0 to ${there - 1}"
        )
      }
    }
    record
  }

  private def isAllowed(name: String) =
    own.contains(name) || allowed.contains(name) ||
      topic.pattern.exists(TopicPattern.matches(_, name)) && !isReserved(name)

  private def check(column: TopicColumn, record: RecordParts): Unit = column.metadata.get.key match {
    case MetadataKeys.topic.name if !isAllowed(record.topic) =>
      throw new RefusedValue(
        s"topic ${record.topic} is not among those allowed: ${(topic.topic +: allowed).distinct.mkString("; ")}"
      )
    case MetadataKeys.partition.name if record.partition < 0 =>
      throw new RefusedValue(s"a partition is at least 0, not ${record.partition}")
    case MetadataKeys.timestamp.name if record.timestamp < 0 =>
      throw new RefusedValue(RowTime.negative(record.timestamp))
    case _ =>
  }

  private def refuse(column: String, key: String, reason: String): Nothing = throw KafkalystTaskException(
    null,
    "METADATA_VALUE_REFUSED",
    "topic" -> topic.topic,
    "column" -> column,
    "key" -> key,
    "reason" -> reason
  )
}

object MetadataWriter {

  /** The type in which the writer expects a metadata column's values. */
  def typeOf(column: TopicColumn): DataType = form(column).fold(column.dataType)(_.dataType)

  private[metadata] def form(column: TopicColumn): Option[MetadataForm] =
    column.metadata.flatMap(m => MetadataKeys.of(m.key)).flatMap(_.writtenAs(column.dataType))

  /** The names of all topics to which rows of the object may go; without those that only a pattern matches. */
  def everyTopic(topic: TopicObject): Seq[String] = {
    val letters = if (topic.onError == OnError.DeadLetter) Seq(topic.deadLetters) else Nil
    topic.topics ++ topics(topic) ++ letters
  }

  private[metadata] def topics(topic: TopicObject): Seq[String] =
    topic.options.get(Properties.sinkTopics.name).toSeq.flatMap(_.split(';')).map(_.trim).filter(_.nonEmpty)

  /**
   * Rejects writes to an object with a read-only metadata column that is not VIRTUAL.
   *
   * @throws io.kafkalyst.errors.KafkalystException METADATA_READ_ONLY, with the keys that can be written
   */
  def check(name: String, topic: TopicObject): Unit = topic.sinkColumns.filter(_.metadata.isDefined).foreach { column =>
    val key = column.metadata.get.key
    def isSunk(other: MetadataKey) = topic.sinkColumns.flatMap(_.metadata).exists(_.key == other.name)
    def refuse(reason: String): Nothing = throw KafkalystException(
      "METADATA_READ_ONLY",
      "object" -> name,
      "column" -> column.name,
      "key" -> key,
      "type" -> column.dataType.sql,
      "reason" -> reason,
      "writable" -> MetadataKeys.all.filter(_.isWritable).map(_.name).mkString(", ")
    )
    val known = MetadataKeys.of(key).getOrElse(refuse("there is no such key"))
    if (!known.isWritable) refuse("it can only be read")
    if (key == MetadataKeys.headerList.name && isSunk(MetadataKeys.headers))
      refuse(s"the same headers are written by '${MetadataKeys.headers.name}'")
    if (key == MetadataKeys.topic.name && topic.isOne && topics(topic).isEmpty) {
      refuse(s"no topics are allowed by the property ${Properties.sinkTopics.name}")
    }
    if (form(column).isEmpty) {
      refuse(s"a ${column.dataType.sql} cannot be cast to ${known.forms.map(_.dataType.sql).mkString(" or ")}")
    }
  }
}
