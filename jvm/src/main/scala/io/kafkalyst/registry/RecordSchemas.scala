package io.kafkalyst.registry

import java.util.concurrent.ConcurrentHashMap

import scala.annotation.tailrec

/**
 * The registry as used for the records of a task: an unknown id or GUID is requested again until it cannot be due to a
 * lagging registry node. Not thread-safe.
 */
final class RecordSchemas(registry: RegistryClient) extends RegistryClient {
  private var since = System.nanoTime()

  /** The records may have been written just now. */
  def fetched(): Unit = since = System.nanoTime()

  override def byId(id: Int): Option[RegisteredSchema] = registry.ofRecord(id, since)
  override def byGuid(guid: String): Option[RegisteredSchema] = registry.ofRecord(guid, since)
  override def latest(subject: String): Option[RegisteredSchema] = registry.latest(subject)
  override def register(subject: String, schema: String, schemaType: String): Int =
    registry.register(subject, schema, schemaType)
  override def delete(subject: String): Unit = registry.delete(subject)
}

/**
 * Tracks when a registry was asked for schemas that it did not know.
 *
 * @param settleMs how long a schema must be unknown, with its record in the log, before "unknown" is accepted
 * @param restMs   how long an accepted unknown schema is not requested again
 * @param pauseMs  the pauses between requests until then: the first, which is doubled, and the longest
 */
private[registry] final class UnknownSchemas(settleMs: Long, restMs: Long, pauseMs: (Long, Long)) {
  import UnknownSchemas.{mostNames, Asked}

  private val asked = new ConcurrentHashMap[Any, Asked]

  /**
   * The result of `ask`, which requests a name from the registry; None if the name is definitely unknown.
   *
   * @param since System.nanoTime() at which the record was in the log, so its schema had been registered
   */
  def resolve[T](name: Any, since: Long)(ask: => Option[T]): Option[T] = {
    def isSettled(a: Asked) = a.last - since >= nanos(settleMs) || a.last - a.first >= nanos(settleMs)

    @tailrec
    def again(pause: Long): Option[T] = ask match {
      case None =>
        val now = System.nanoTime()
        val so = asked.merge(name, Asked(now, now), (before, mine) => before.copy(last = mine.last))
        if (isSettled(so)) None
        else {
          val left = settleMs - (now - math.min(since, so.first)) / 1000000L
          Thread.sleep(math.max(1L, math.min(pause, left)))
          again(math.min(pause * 2, pauseMs._2))
        }
      case found =>
        forget(name)
        found
    }
    val before = asked.get(name)
    if (before != null && isSettled(before) && System.nanoTime() - before.last < nanos(restMs)) None
    else {
      if (asked.size > mostNames) asked.clear()
      again(math.max(1L, pauseMs._1))
    }
  }

  def forget(name: Any): Unit = {
    asked.remove(name)
    ()
  }

  private def nanos(ms: Long) = ms * 1000000L
}

private object UnknownSchemas {
  private val mostNames = 10000

  /** The first and the last time (System.nanoTime()) at which a schema was unknown. */
  private final case class Asked(first: Long, last: Long)
}
