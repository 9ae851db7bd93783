package io.kafkalyst.query
package report

import com.fasterxml.jackson.databind.ObjectMapper
import io.kafkalyst.query.lease.Runner
import io.kafkalyst.read.AtomicFile
import io.kafkalyst.read.offsets.PartitionOffsets
import org.apache.hadoop.fs.Path
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.streaming.StreamingQuery
import org.slf4j.LoggerFactory

import scala.util.control.NonFatal

/**
 * The small file `status.json` beside a query's checkpoint, which shows the query's status to other processes (see the
 * status file in docs/decisions/). It is written after each batch and every few seconds within a long one.
 */
private[query] object QueryStatus {
  private val log = LoggerFactory.getLogger("io.kafkalyst.query")
  private val mapper = new ObjectMapper()
  private val atLeastEvery = 5000L

  /** Replaces the whole file; waits for brokers. A failed write does not stop the query. */
  def write(session: SparkSession, query: ContinuousQuery): Unit = query.telling.synchronized {
    try {
      val path = new Path(query.record.checkpoint, QueryCounts.file)
      // Do not create the folder: it would look like a checkpoint that was lost or is on another machine.
      if (QueryIds.isThere(session, query.record.checkpoint))
        AtomicFile.write(path, json(query), session.sessionState.newHadoopConf())
    } catch { case NonFatal(e) => log.warn(s"Could not write the status of ${query.id}", e) }
  }

  /**
   * Writes the status in the background. If the checkpoint's file system hangs, one write waits for it and at most one
   * more is due.
   *
   * @param isKnown whether the query still has a status when the write begins
   */
  def soon(query: ContinuousQuery)(isKnown: => Boolean): Unit = if (query.tells.compareAndSet(false, true))
    QueryTimer.within(query.session)(query.telling.synchronized {
      // Before the write: what changes from now on needs another one.
      query.tells.set(false)
      if (isKnown) write(query.session, query)
    })

  /** Writes the status while the run lasts, even within a long batch. */
  def during(query: ContinuousQuery, run: StreamingQuery): Unit = QueryTimer.within(query.session, atLeastEvery) {
    if (run.isActive && query.streaming.contains(run)) {
      if (System.currentTimeMillis() - query.told >= atLeastEvery) {
        query.told = System.currentTimeMillis()
        write(query.session, query)
      }
      during(query, run)
    }
  }

  def delete(session: SparkSession, checkpoint: String): Unit = if (!RecordFiles.isOutside(session, checkpoint))
    try {
      val path = new Path(checkpoint, QueryCounts.file)
      path.getFileSystem(session.sessionState.newHadoopConf()).delete(path, false)
      ()
    } catch { case NonFatal(e) => log.warn(s"Could not delete $checkpoint/${QueryCounts.file}", e) }

  private def json(query: ContinuousQuery): String = {
    val counts = query.counts
    val total = counts.total
    val node = mapper.createObjectNode()
    node.put("id", query.id).put("sink", query.sink.toString).put("state", query.state)
    val sources = node.putArray("sources")
    query.sources.foreach(s => sources.add(s.toString))
    if (query.isActive) Runner.note(node, query.session)
    node.put("updated", System.currentTimeMillis())
    node.put("read", total.read).put("decoded", total.decoded).put("bad", total.bad)
    node.put("dead_lettered", total.deadLetters).put("written", total.written)
    counts.rate.foreach(r => node.put("rows_per_second", r))
    val lags = query.lags
    PartitionOffsets.total(lags).foreach(node.put("lag", _))
    node.set[Nothing]("lag_by_partition", mapper.readTree(PartitionOffsets.json(lags)))
    node.set[Nothing]("offsets", mapper.readTree(PartitionOffsets.json(counts.offsets)))
    node.put("restarts", query.restarts)
    query.error.foreach(node.put("error", _))
    mapper.writeValueAsString(node)
  }
}
