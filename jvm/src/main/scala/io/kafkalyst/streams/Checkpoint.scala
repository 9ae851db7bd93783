package io.kafkalyst.streams

import com.fasterxml.jackson.databind.ObjectMapper
import io.kafkalyst.read.AtomicFile
import org.apache.hadoop.fs.Path
import org.apache.spark.sql.SparkSession

import scala.util.Try

/** What a checkpoint's log of offsets says, in Spark's format of all supported versions. */
private[kafkalyst] object Checkpoint {
  private val mapper = new ObjectMapper
  private val setting = "spark.sql.shuffle.partitions"

  /**
   * The number of shuffle partitions with which the last batch was planned, and with which Spark repeats it; None
   * before the first batch.
   */
  def shufflePartitions(session: SparkSession, checkpoint: String): Option[Int] = {
    val log = new Path(checkpoint, "offsets")
    val conf = session.sessionState.newHadoopConf()
    val files = log.getFileSystem(conf)
    val batches = if (files.exists(log)) files.listStatus(log).toSeq.map(_.getPath) else Nil
    batches.filter(_.getName.toLongOption.isDefined).maxByOption(_.getName.toLong).flatMap { last =>
      // The second line has the batch's settings.
      AtomicFile.read(last, conf).iterator.flatMap(_.linesIterator).drop(1).nextOption().flatMap { line =>
        Try(mapper.readTree(line).path("conf").path(setting).asText).toOption.flatMap(_.toIntOption)
      }
    }
  }
}
