package io.kafkalyst.commands
package show

import java.nio.ByteBuffer
import java.sql.Timestamp

import com.fasterxml.jackson.databind.ObjectMapper
import io.kafkalyst.catalog.ObjectStore
import io.kafkalyst.catalog.define.ObjectDefinition
import io.kafkalyst.clients.{Connector, TopicAdmin}
import io.kafkalyst.formats.RecordText
import io.kafkalyst.metadata.WindowedKey
import io.kafkalyst.model.Side
import io.kafkalyst.model.settings.Settings
import io.kafkalyst.registry.WireFormat
import org.apache.spark.sql.{DataFrame, Row, SparkSession}
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.execution.command.LeafRunnableCommand
import org.apache.spark.sql.functions.col
import org.apache.spark.sql.types.{IntegerType, LongType, StringType, TimestampType}

import scala.jdk.CollectionConverters._
import scala.util.Try

/**
 * PRINT topic: its records, decoded by the registry and the objects over the topic where possible. Shows the newest
 * `limit` records, or the oldest with FROM BEGINNING; never waits for more.
 *
 * @param every shows the first record and every n-th record after it
 */
final case class PrintTopic(topic: String, fromBeginning: Boolean, limit: Int, every: Int)
    extends LeafRunnableCommand {
  private val most = math.min(limit.toLong * every, Int.MaxValue.toLong).toInt

  override val output: Seq[Attribute] = Commands.output(
    "partition" -> IntegerType,
    "offset" -> LongType,
    "timestamp" -> TimestampType,
    "key" -> StringType,
    "value" -> StringType
  )

  override def run(session: SparkSession): Seq[Row] = {
    val store = new ObjectStore(session)
    val client = store.settings.clientProperties
    val printed = new PrintedBytes(store, topic)
    Connector.require()
    // Each partition contributes at most the limit, so no more is read.
    val ranges = TopicAdmin(client).offsets(topic).map { case (partition, (first, end)) =>
      if (fromBeginning) partition -> (first, math.min(end, first + most))
      else partition -> (math.max(first, end - most), end)
    }
    val records = PrintTopic.records(session, client, topic, ranges)
    val order =
      if (fromBeginning) Seq(col("timestamp"), col("partition"), col("offset"))
      else Seq(col("timestamp").desc, col("partition").desc, col("offset").desc)
    val rows =
      records.select("partition", "offset", "timestamp", "key", "value").orderBy(order: _*).limit(most).collect().toSeq
    (if (fromBeginning) rows else rows.reverse).grouped(every).map(_.head).toSeq.map { r =>
      val (key, value) = (printed.shown(r, 3, Side.Key), printed.shown(r, 4, Side.Value))
      Row(r.getInt(0), r.getLong(1), r.getAs[Timestamp](2), key, value)
    }
  }
}

object PrintTopic {
  val defaultLimit = 10

  // Spark's source waits for one fetch without records, by default 500 ms.
  private val prompt = Map("fetch.max.wait.ms" -> "20")

  /** The records from one offset to before another, by partition, as rows of Spark's Kafka source. */
  private[commands] def records(
      session: SparkSession,
      client: Map[String, String],
      topic: String,
      ranges: Map[Int, (Long, Long)]
  ): DataFrame = session.read
    .format("kafka")
    .options((prompt ++ client).map { case (k, v) => s"kafka.$k" -> v })
    .option("subscribe", topic)
    .option("startingOffsets", offsets(topic, ranges.map { case (p, (from, _)) => p -> from }))
    .option("endingOffsets", offsets(topic, ranges.map { case (p, (_, until)) => p -> until }))
    .load()

  /** Offsets in the syntax of Spark's Kafka source: `{"topic":{"0":7,"1":9}}`. */
  private def offsets(topic: String, of: Map[Int, Long]): String = {
    val byPartition = of.map { case (p, o) => p.toString -> Long.box(o) }.asJava
    new ObjectMapper().writeValueAsString(java.util.Map.of(topic, byPartition))
  }

}

/**
 * Shows a topic's bytes: decoded by the schema whose id they begin with, else by an object over the topic, else as
 * text, as a number of Kafka's serialisers, or as hex.
 */
private final class PrintedBytes(store: ObjectStore, topic: String) {
  private lazy val registry = {
    val settings = store.settings
    if (settings.get(Settings.registryUrl).isDefined) Some(ObjectDefinition.registry(settings)) else None
  }
  private lazy val objects = store.listAll().map(_.topic).filter(_.topics.contains(topic))

  def shown(row: Row, i: Int, side: Side): String = if (row.isNullAt(i)) null else text(row.getAs[Array[Byte]](i), side)

  private def text(bytes: Array[Byte], side: Side): String = {
    val readable = RecordText.printable(bytes)
    // Text of 4 or 8 bytes may be a number instead.
    if (readable.isDefined && bytes.length != 4 && bytes.length != 8) readable.get
    else
      framed(bytes, side).orElse(declared(bytes, side)).orElse(readable).orElse(RecordText.ofNumber(bytes))
        .getOrElse(RecordText.hex(bytes))
  }

  private def framed(bytes: Array[Byte], side: Side): Option[String] =
    if (WireFormat.fault(bytes, 0, bytes.length) != null) None
    else
      for {
        known <- Try(registry).toOption.flatten
        schema <- Try(known.byId(WireFormat.schemaId(bytes, 0))).toOption.flatten
        text <- RecordText.ofSchema(bytes, side, schema, known)
      } yield text

  private def declared(bytes: Array[Byte], side: Side): Option[String] = objects.flatMap { o =>
    val window = if (side == Side.Key) WindowedKey.length(o) else 0
    if (bytes.length < window) None
    else {
      val body = bytes.dropRight(window)
      val found = RecordText.ofSide(body, side, o.format(side), o.columns(side), registry.get)
      if (window == 0) found
      else
        found.orElse(framed(body, side)).orElse(RecordText.printable(body))
          .map(key => s"[$key@${bounds(bytes, window)}]")
    }
  }.headOption

  /** The window as ksqlDB shows it: its start, and for a session its end. */
  private def bounds(bytes: Array[Byte], window: Int): String = {
    val times = ByteBuffer.wrap(bytes, bytes.length - window, window)
    if (window == 8) s"${times.getLong}/-"
    else {
      val end = times.getLong
      s"${times.getLong}/$end"
    }
  }
}
