package io.kafkalyst.query

import java.util.concurrent.ConcurrentHashMap

import io.kafkalyst.clients.TopicAdmin
import io.kafkalyst.model.{QuerySettings, Settings}
import org.slf4j.LoggerFactory

import scala.util.control.NonFatal

/** Tells a consumer group how far a query is, where the setting names one; only tools read it. */
private[query] object GroupOffsets {
  private val log = LoggerFactory.getLogger("io.kafkalyst.query")
  private val pending = ConcurrentHashMap.newKeySet[String]()

  /** Commits what the query's batches have behind them; soon, and once for all batches that end until then. */
  def commit(query: ContinuousQuery): Unit = tolerant(query) {
    val settings = Settings.of(query.session.conf.getAll)
    settings.get(QuerySettings.offsetsGroup).foreach { prefix =>
      if (pending.add(query.id)) QueryWatch.after(0)(tolerant(query) {
        pending.remove(query.id)
        val offsets =
          for ((topic, partitions) <- query.counts.offsets.toSeq; (partition, at) <- partitions)
            yield (topic, partition) -> at
        if (offsets.nonEmpty) TopicAdmin(settings.clientProperties).commit(prefix + query.id, offsets.toMap)
      })
    }
  }

  /** A query runs on where its offsets cannot be committed; the next batch tries again. */
  private def tolerant(query: ContinuousQuery)(work: => Unit): Unit =
    try work
    catch { case NonFatal(e) => log.warn(s"The offsets of ${query.id} were not committed to its consumer group", e) }
}
