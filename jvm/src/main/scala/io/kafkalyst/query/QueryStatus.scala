package io.kafkalyst.query

import java.nio.charset.StandardCharsets.UTF_8
import java.util.EnumSet

import com.fasterxml.jackson.databind.ObjectMapper
import io.kafkalyst.read.PartitionOffsets
import org.apache.hadoop.fs.{CreateFlag, FileContext, Options, Path}
import org.apache.spark.sql.SparkSession
import org.slf4j.LoggerFactory

import scala.util.control.NonFatal

/**
 * The small file `status.json` beside a query's checkpoint, by which other processes see how the query does: see
 * docs/decisions/, the status file. What it says is at most as old as the last batch.
 */
private[query] object QueryStatus {
  val file = "status.json"
  private val log = LoggerFactory.getLogger("io.kafkalyst.query")
  private val mapper = new ObjectMapper()

  /** Replaces the file as a whole. A query runs on where it cannot be written. */
  def write(session: SparkSession, query: ContinuousQuery): Unit =
    try {
      val to = new Path(query.record.checkpoint, file)
      val files = FileContext.getFileContext(to.toUri, session.sessionState.newHadoopConf())
      val fresh = new Path(query.record.checkpoint, s".$file.new")
      val out = files.create(fresh, EnumSet.of(CreateFlag.CREATE, CreateFlag.OVERWRITE))
      try out.write(json(query).getBytes(UTF_8))
      finally out.close()
      files.rename(fresh, to, Options.Rename.OVERWRITE)
    } catch { case NonFatal(e) => log.warn(s"Could not write the status of ${query.id}", e) }

  def delete(session: SparkSession, checkpoint: String): Unit =
    try {
      val path = new Path(checkpoint, file)
      path.getFileSystem(session.sessionState.newHadoopConf()).delete(path, false)
      ()
    } catch { case NonFatal(e) => log.warn(s"Could not delete $checkpoint/$file", e) }

  /** The counts of earlier runs; zeros where there is no file. */
  def counts(session: SparkSession, checkpoint: String): Counts =
    try {
      val path = new Path(checkpoint, file)
      val files = path.getFileSystem(session.sessionState.newHadoopConf())
      if (!files.exists(path)) Counts()
      else {
        val in = files.open(path)
        try {
          val json = mapper.readTree(in.readAllBytes())
          def of(name: String) = Option(json.get(name)).fold(0L)(_.asLong)
          Counts(of("read"), of("bad"), of("dead_lettered"), of("written"))
        } finally in.close()
      }
    } catch {
      case NonFatal(e) =>
        log.warn(s"Could not read $checkpoint/$file: counts begin with zero", e)
        Counts()
    }

  private def json(query: ContinuousQuery): String = {
    val counts = query.counts
    val total = counts.total
    val node = mapper.createObjectNode()
    node.put("id", query.id).put("sink", query.sink.toString).put("state", query.state)
    val sources = node.putArray("sources")
    query.sources.foreach(s => sources.add(s.toString))
    node.put("updated", System.currentTimeMillis())
    node.put("read", total.read).put("decoded", total.decoded).put("bad", total.bad)
    node.put("dead_lettered", total.deadLetters).put("written", total.written)
    counts.rate.foreach(r => node.put("rows_per_second", r))
    counts.lag.foreach(l => node.put("lag", l))
    node.set[Nothing]("lag_by_partition", mapper.readTree(PartitionOffsets.json(counts.lags)))
    node.set[Nothing]("offsets", mapper.readTree(PartitionOffsets.json(counts.offsets)))
    node.put("restarts", query.restarts)
    query.error.foreach(node.put("error", _))
    mapper.writeValueAsString(node)
  }
}
