package io.kafkalyst.commands
package show

import java.nio.ByteBuffer
import java.nio.charset.{CharacterCodingException, StandardCharsets}
import java.sql.Timestamp

import com.fasterxml.jackson.databind.ObjectMapper
import io.kafkalyst.catalog.ObjectStore
import io.kafkalyst.clients.{Connector, TopicAdmin}
import org.apache.spark.sql.{DataFrame, Row, SparkSession}
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.execution.command.LeafRunnableCommand
import org.apache.spark.sql.functions.col
import org.apache.spark.sql.types.{IntegerType, LongType, StringType, TimestampType}

import scala.jdk.CollectionConverters._

/**
 * PRINT topic: its raw records, text as text and other bytes as hex. The newest `limit` records, or the oldest with
 * FROM BEGINNING; it never waits for more.
 *
 * @param every which of them are shown: the first, and each of this number after it
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
    val client = new ObjectStore(session).settings.clientProperties
    Connector.require()
    // No partition can give more than the limit, so no more of it is read.
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
      Row(r.getInt(0), r.getLong(1), r.getAs[Timestamp](2), PrintTopic.shown(r, 3), PrintTopic.shown(r, 4))
    }
  }
}

object PrintTopic {
  val defaultLimit = 10

  // Spark's source waits for one fetch that finds nothing, 500 ms by default.
  private val prompt = Map("fetch.max.wait.ms" -> "20")

  /** Spark's own rows of the records from one offset to before another, by partition. */
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

  /** Offsets as Spark's Kafka source reads them: `{"topic":{"0":7,"1":9}}`. */
  private def offsets(topic: String, of: Map[Int, Long]): String = {
    val byPartition = of.map { case (p, o) => p.toString -> Long.box(o) }.asJava
    new ObjectMapper().writeValueAsString(java.util.Map.of(topic, byPartition))
  }

  private def shown(row: Row, i: Int): String = if (row.isNullAt(i)) null else text(row.getAs[Array[Byte]](i))

  private def text(bytes: Array[Byte]): String = printable(bytes).getOrElse(hex(bytes))

  /** The bytes as UTF-8 text; None if they are not, or not printable. */
  private[commands] def printable(bytes: Array[Byte]): Option[String] =
    try {
      val decoded = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString
      Option.unless(decoded.exists(c => Character.isISOControl(c) && !Character.isWhitespace(c)))(decoded)
    } catch { case _: CharacterCodingException => None }

  private def hex(bytes: Array[Byte]): String = bytes.map(b => f"${b & 0xff}%02x").mkString("0x", "", "")
}
