package io.kafkalyst.lake

import io.kafkalyst.clients.TopicAdmin
import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.query.{ContinuousQuery, SinkName}
import io.kafkalyst.query.lease.SoleWriter
import io.kafkalyst.read.AtomicFile
import io.kafkalyst.read.offsets.PartitionOffsets
import org.apache.hadoop.fs.Path
import org.apache.spark.sql.{DataFrame, Row, SparkSession}
import org.apache.spark.sql.streaming.{DataStreamWriter, StreamingQuery, StreamingQueryProgress}

/**
 * Appends all records of a topic to its history table. Each commit stores the batch's id, so that a retried batch
 * changes nothing, and the offsets up to which the table then has records. A batch is only appended if it begins where
 * the table ends, and if nobody else has appended rows since that was looked up.
 *
 * @param of     the object's name, for errors
 * @param border the border without offsets, which each batch adds
 */
private[lake] final class HistorySink(
    of: String,
    override val into: LakeTarget,
    border: Border,
    admin: TopicAdmin
) extends LakeSink {
  private val guard = BatchGuard.of(table)

  override protected def check(session: SparkSession, checkpoint: String): Unit =
    SoleWriter.other(session, table.name, checkpoint).foreach { writer =>
      throw HistorySink.another(of, table.name, writer)
    }

  override def start(
      session: SparkSession,
      writer: DataStreamWriter[Row],
      checkpoint: String
  ): StreamingQuery =
    writer.foreachBatch { (batch: DataFrame, id: Long) =>
      val own = batch.sparkSession
      // Spark logs a batch's end offsets before the batch begins, and a retried batch ends at the same offsets.
      val reached = border.copy(offsets = logged(own, s"$checkpoint/offsets/$id", head = 2))
      guard.once(own, BatchGuard.queryId(own), id, Some(reached.json)) { () =>
        // A border at the offsets 0 says no more than no border.
        if (!isThere(own, checkpoint, id, reached.offsets) && reached.offsets.values.exists(_ > 0))
          guard.append(batch.writeTo(table.name.sql).options(options.rest))
      }
      // A batch has its own session and catalog, so the table metadata cached by the user's session is stale now.
      session.catalog.refreshTable(table.name.sql)
    }.start()

  override def written(batch: StreamingQueryProgress): Long = batch.numInputRows

  /**
   * Whether the table already has the batch.
   *
   * @throws io.kafkalyst.errors.KafkalystException HISTORY_MOVED if the table ends neither where the batch begins nor
   *         where it ends: rows were removed from the table, or another query wrote into it
   */
  private def isThere(session: SparkSession, checkpoint: String, id: Long, reached: Map[Int, Long]): Boolean = {
    session.catalog.refreshTable(table.name.sql)
    val now = LakeTable.at(session, table.name)
    val ends = Border.at(session, now).map(_.offsets)
    ends.contains(reached) || {
      val begins =
        if (id > 0) logged(session, s"$checkpoint/offsets/${id - 1}", head = 2)
        else logged(session, s"$checkpoint/sources/0/0", head = 1)
      // Later batches continue without a border only if the query had no history before.
      lazy val isBegun = ends.isDefined || Border.wasThere(session, now) || session.table(table.name.sql).isEmpty
      // A new query begins at the table's border, or without one at the topic's first records.
      lazy val first = admin.offsets(border.topic)
      val there = ends.getOrElse(Map.empty)
      val moved = begins.filter { case (p, from) =>
        there.get(p) match {
          case Some(end) => end != from
          case None if id > 0 => isBegun && from > 0
          case None => ends.isEmpty && first.get(p).exists { case (at, _) => from > at }
        }
      }
      moved.toSeq.minOption.foreach { case (partition, from) =>
        throw KafkalystException(
          "HISTORY_MOVED",
          "object" -> of,
          "table" -> table.name.toString,
          "partition" -> partition.toString,
          "from" -> from.toString,
          "border" -> there.getOrElse(partition, 0L).toString
        )
      }
      false
    }
  }

  /** The topic's offsets in a file of the checkpoint, in which the sources follow `head` other lines. */
  private def logged(session: SparkSession, file: String, head: Int): Map[Int, Long] = {
    val text = AtomicFile.read(new Path(file), session.sessionState.newHadoopConf())
    val sources = text.toSeq.flatMap(_.linesIterator.drop(head)).map(PartitionOffsets.of)
    sources.flatMap(_.get(border.topic)).headOption.getOrElse {
      throw new IllegalStateException(s"$file has no offsets of ${border.topic}")
    }
  }
}

private[lake] object HistorySink {

  /** HISTORY_WRITER: two queries that fill one history would each write every record. */
  def another(of: String, table: SinkName.OfTable, writer: ContinuousQuery): KafkalystException =
    KafkalystException("HISTORY_WRITER", "object" -> of, "table" -> table.toString, "id" -> writer.record.word)
}
