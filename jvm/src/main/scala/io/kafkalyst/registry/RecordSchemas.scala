package io.kafkalyst.registry

import java.util.concurrent.ConcurrentHashMap

import scala.annotation.tailrec

/**
 * The registry as used for the records of a task: an unknown id or GUID is requested again until a lagging registry
 * node can no longer be the reason. Not thread-safe.
 */
final class RecordSchemas(registry: RegistryClient) extends RegistryClient {
  private var patience = new Patience

  /** Restarts the wait for newly fetched records, which may have been written just now. */
  def fetched(): Unit = patience = new Patience

  override def byId(id: Int): Option[RegisteredSchema] = registry.ofRecord(id, patience)
  override def byGuid(guid: String): Option[RegisteredSchema] = registry.ofRecord(guid, patience)
  override def latest(subject: String): Option[RegisteredSchema] = registry.latest(subject)
  override def register(subject: String, schema: String, schemaType: String): Int =
    registry.register(subject, schema, schemaType)
  override def delete(subject: String): Unit = registry.delete(subject)
}

/**
 * Tracks when a registry was asked for schemas that it did not know.
 *
 * The answer "unknown" applies only to records that were in the log before it: the schema may have been registered
 * before later records with the same id.
 *
 * @param settleMs how long a schema must be unknown, with its record in the log, before "unknown" is accepted
 * @param restMs   how long an accepted unknown schema is not requested again
 * @param pauseMs  the pauses between requests until then: the first, which is doubled, and the longest
 */
private[registry] final class UnknownSchemas(settleMs: Long, restMs: Long, pauseMs: (Long, Long)) {
  import UnknownSchemas.{mostNames, nanos}

  /** The last time (System.nanoTime()) at which a schema was unknown. */
  private val unknown = new ConcurrentHashMap[Any, java.lang.Long]

  /** The result of `ask`, which requests a name from the registry; None if the name is definitely unknown. */
  def resolve[T](name: Any, patience: Patience)(ask: => Option[T]): Option[T] = {
    def isSettled(at: Long) = patience.waited(at) >= nanos(settleMs)

    @tailrec
    def again(pause: Long): Option[T] = ask match {
      case None =>
        val now = System.nanoTime()
        patience.unknownAt(now)
        unknown.put(name, now)
        if (isSettled(now)) None
        else {
          val left = settleMs - patience.waited(now) / 1000000L
          Thread.sleep(math.max(1L, math.min(pause, left)))
          again(math.min(pause * 2, pauseMs._2))
        }
      case found =>
        if (unknown.remove(name) != null) patience.renew()
        found
    }
    val last = Option(unknown.get(name)).map(_.longValue)
    if (last.exists(at => isSettled(at) && System.nanoTime() - at < nanos(restMs))) None
    else {
      if (unknown.size > mostNames) unknown.clear()
      again(math.max(1L, pauseMs._1))
    }
  }

  def forget(name: Any): Unit = {
    unknown.remove(name)
    ()
  }
}

private object UnknownSchemas {
  private val mostNames = 10000

  private def nanos(ms: Long) = ms * 1000000L
}
