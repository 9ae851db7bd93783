package io.kafkalyst.read
package offsets

import java.time.Duration

import io.kafkalyst.clients.TopicAdmin
import io.kafkalyst.errors.{Causes, KafkalystException}
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException
import org.slf4j.LoggerFactory

/**
 * The ids of the topics that a stream reads, stored beside its checkpoint: offsets belong to a topic id, and a
 * recreated topic of the same name has different ones.
 *
 * @param folder of the source in the checkpoint
 */
private[read] final class TopicIds(folder: String, bounds: String => TopicBounds, conf: Configuration) {
  import TopicIds._

  private val stored = new StoredTopicIds(new Path(folder, file), conf)
  private var last = 0L

  /**
   * Stores the ids of topics that are read for the first time.
   *
   * @param idle whether nothing is about to be read; the broker is then not asked on every call
   * @throws io.kafkalyst.errors.KafkalystException TOPIC_REPLACED if a topic now has another id and the read must not
   * lose data
   */
  def check(topics: Iterable[String], idle: Boolean): Unit =
    if (!idle || System.nanoTime() - last > betweenNs) {
      val now = topics.flatMap(t => TopicAdmin.retryUntil(patience)(bounds(t).id()).map(t -> _))
      val known = stored.all
      now.filter { case (topic, id) => known.get(topic).exists(_ != id) }.foreach { case (topic, id) =>
        if (bounds(topic).failsOnLoss) throw KafkalystException(
          "TOPIC_REPLACED",
          "topic" -> topic,
          "before" -> known(topic),
          "now" -> id,
          "file" -> stored.path.toString
        )
        log.warn(s"The topic $topic was deleted and made again: its id was ${known(topic)} and is $id. Reading goes on")
      }
      stored.put(now)
      last = System.nanoTime()
    }

  /** The failure of Spark's source; TOPIC_DELETED if its reason is a deleted topic. */
  def explained(failure: Throwable): Throwable =
    if (!Causes.of(failure).exists(_.isInstanceOf[UnknownTopicOrPartitionException])) failure
    else stored.all.find { case (topic, _) => bounds(topic).id().isEmpty }.fold(failure) { case (topic, id) =>
      KafkalystException.caused(failure, "TOPIC_DELETED", "topic" -> topic, "id" -> id)
    }
}

private[read] object TopicIds {
  private val file = "topic-ids.json"
  private val betweenNs = 1000000000L

  /** How long a running stream waits for brokers that do not answer: as long as Spark's own offset reader. */
  val patience: Duration = Duration.ofMinutes(3)
  private val log = LoggerFactory.getLogger(classOf[TopicIds])
}
