package io.kafkalyst.commands

import java.nio.ByteBuffer
import java.nio.charset.{CharacterCodingException, StandardCharsets}
import java.sql.Timestamp

import org.apache.spark.sql.{Row, SparkSession}
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.execution.command.LeafRunnableCommand
import org.apache.spark.sql.functions.col
import org.apache.spark.sql.types.{IntegerType, LongType, StringType, TimestampType}

/**
 * PRINT topic: its records as they are, text as text and other bytes as hex. The newest `limit` records, or the
 * oldest with FROM BEGINNING; it never waits for more.
 */
final case class PrintTopic(topic: String, fromBeginning: Boolean, limit: Int) extends LeafRunnableCommand {
  override val output: Seq[Attribute] = Commands.output(
    "partition" -> IntegerType,
    "offset" -> LongType,
    "timestamp" -> TimestampType,
    "key" -> StringType,
    "value" -> StringType
  )

  override def run(session: SparkSession): Seq[Row] = {
    val client = Commands.settings(session).clientProperties
    io.kafkalyst.catalog.TopicAdmin(client).require(topic)
    val records = session.read
      .format("kafka")
      .options(client.map { case (k, v) => s"kafka.$k" -> v })
      .option("subscribe", topic)
      .load()
    val order =
      if (fromBeginning) Seq(col("timestamp"), col("partition"), col("offset"))
      else Seq(col("timestamp").desc, col("partition").desc, col("offset").desc)
    val rows = records.select("partition", "offset", "timestamp", "key", "value").orderBy(order: _*).limit(limit).collect().toSeq
    (if (fromBeginning) rows else rows.reverse).map { r =>
      Row(r.getInt(0), r.getLong(1), r.getAs[Timestamp](2), PrintTopic.shown(r, 3), PrintTopic.shown(r, 4))
    }
  }
}

object PrintTopic {
  val defaultLimit = 10

  private[commands] def shown(row: Row, i: Int): String = if (row.isNullAt(i)) null else text(row.getAs[Array[Byte]](i))

  /** UTF-8 text where the bytes are that and printable, else hex. */
  private def text(bytes: Array[Byte]): String =
    try {
      val decoded = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString
      if (decoded.exists(c => Character.isISOControl(c) && !Character.isWhitespace(c))) hex(bytes) else decoded
    } catch { case _: CharacterCodingException => hex(bytes) }

  private def hex(bytes: Array[Byte]): String = bytes.map(b => f"${b & 0xff}%02x").mkString("0x", "", "")
}
