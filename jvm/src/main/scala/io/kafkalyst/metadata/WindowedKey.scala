package io.kafkalyst.metadata

import java.nio.ByteBuffer

import io.kafkalyst.model.{MetadataColumn, Properties, Side, TopicColumn, TopicObject}
import org.apache.kafka.clients.consumer.ConsumerRecord
import org.apache.spark.sql.types.LongType

/**
 * The window after a key's bytes, as written by Kafka Streams' windowed serdes: 8 bytes of start for fixed-size
 * windows; 8 of end and 8 of start for sessions. Milliseconds since 1970, big-endian.
 */
object WindowedKey {
  val session = "SESSION"
  private val startKey = "window-start"
  private val endKey = "window-end"

  /** Whether the property WINDOW_TYPE declares the object's keys as windowed. */
  def is(topic: TopicObject): Boolean = length(topic) > 0

  /** The number of key bytes that the window takes; 0 without a window. */
  def length(topic: TopicObject): Int = topic.options.get(Properties.windowType.name) match {
    case None => 0
    case Some(kind) => if (kind.equalsIgnoreCase(session)) 16 else 8
  }

  /** Whether the object's keys have session windows. */
  def isSession(topic: TopicObject): Boolean = length(topic) == 16

  /** WINDOWSTART and WINDOWEND of windows of that size in milliseconds; of sessions for None. */
  def columns(size: Option[Long]): Seq[TopicColumn] = Seq(
    column("WINDOWSTART", startKey),
    column("WINDOWEND", size.fold(endKey)(ms => s"$endKey.$ms"))
  )

  private def column(name: String, key: String) =
    TopicColumn(name, LongType, Side.Value, Some(MetadataColumn(key, virtual = true)))

  def isBound(column: TopicColumn): Boolean = column.metadata.exists(m => of(m.key).isDefined)

  /** The metadata key of a bound; the name of a fixed-size window's end includes the size. */
  private[metadata] def of(name: String): Option[MetadataKey] = name.split('.') match {
    case Array(`startKey`) =>
      Some(key(name, "Start of the key's window.", long(_, 8), (parts, value) => parts.windowStart = value))
    case Array(`endKey`) =>
      Some(key(name, "Last time of the key's session.", long(_, 16), (parts, value) => parts.windowEnd = value))
    case Array(`endKey`, size) if size.toLongOption.isDefined =>
      val end = (bytes: ByteBuffer) => Option(long(bytes, 8)).map(s => Long.box(s + size.toLong)).orNull
      Some(key(name, "End of the key's window.", end, (_, _) => ()))
    case _ => None
  }

  private def key(
      name: String,
      doc: String,
      read: ByteBuffer => java.lang.Long,
      write: (RecordParts, Long) => Unit
  ): MetadataKey = {
    def value(r: ConsumerRecord[_, _]): Any = r.key match {
      case bytes: ByteBuffer => read(bytes)
      case _ => null
    }
    MetadataKey(
      name,
      doc,
      Seq(MetadataForm(LongType, value, Some((parts, v) => write(parts, v.asInstanceOf[Long]))))
    )
  }

  private def long(key: ByteBuffer, fromEnd: Int): java.lang.Long =
    if (key.remaining < fromEnd) null else key.getLong(key.limit() - fromEnd)

  /** A key followed by its window; null if the window is unknown. */
  def appended(topic: TopicObject, key: Array[Byte], parts: RecordParts): Array[Byte] = {
    val isSession = length(topic) == 16
    if (parts.windowStart == null || (isSession && parts.windowEnd == null)) null
    else {
      val plain = if (key == null) Array.empty[Byte] else key
      val whole = ByteBuffer.allocate(plain.length + length(topic)).put(plain)
      if (isSession) whole.putLong(parts.windowEnd)
      whole.putLong(parts.windowStart).array
    }
  }
}
