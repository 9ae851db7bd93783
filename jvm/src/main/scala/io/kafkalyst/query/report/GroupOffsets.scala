package io.kafkalyst.query
package report

import java.util.concurrent.ConcurrentHashMap

import io.kafkalyst.clients.TopicAdmin
import io.kafkalyst.model.settings.{QuerySettings, Settings}
import org.slf4j.LoggerFactory

import scala.util.control.NonFatal

/** Commits a query's offsets to a consumer group, if the setting names one; only monitoring tools read them. */
private[query] object GroupOffsets {
  private val log = LoggerFactory.getLogger("io.kafkalyst.query")
  private val pending = ConcurrentHashMap.newKeySet[String]()

  /** Schedules a commit of the offsets of completed batches; one commit covers all batches that complete before it. */
  def commit(query: ContinuousQuery): Unit = tolerant(query) {
    val settings = Settings.of(query.session.conf.getAll)
    settings.get(QuerySettings.offsetsGroup).foreach { prefix =>
      if (pending.add(query.id)) QueryTimer.within(query.session)(tolerant(query) {
        pending.remove(query.id)
        for ((topic, partitions) <- query.counts.offsets if partitions.nonEmpty)
          TopicAdmin(query.settingsOf(topic).clientProperties)
            .commit(prefix + query.id, partitions.map { case (partition, at) => (topic, partition) -> at })
      })
    }
  }

  /** A failed commit does not stop the query; the next batch tries again. */
  private def tolerant(query: ContinuousQuery)(work: => Unit): Unit =
    try work
    catch { case NonFatal(e) => log.warn(s"The offsets of ${query.id} were not committed to its consumer group", e) }
}
