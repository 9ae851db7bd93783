package io.kafkalyst.clients

import java.util.concurrent.{Executors, TimeUnit}

import scala.util.Try

/**
 * A pool of Kafka clients per JVM. A caller acquires a client exclusively and releases it, so that the next caller with
 * the same properties need not connect. A client in use has one owner, so it is never closed during a call. Idle
 * clients are closed after five minutes, when there are too many, and when the application ends.
 *
 * @param make  creates a client with these properties; its exceptions propagate to the caller
 * @param close closes a client
 * @param most  the maximum number of idle clients, of all properties together
 */
private[clients] final class KeptClients[C](make: Map[String, AnyRef] => C, close: C => Unit, most: Int) {
  import KeptClients._

  private final class Idle(val properties: Map[String, AnyRef], val client: C, val since: Long)

  // Newest first, so surplus clients expire.
  private var idle = List.empty[Idle]

  private lazy val sweeping = sweeper.scheduleWithFixedDelay(() => closeOld(), 1, 1, TimeUnit.MINUTES)

  ApplicationEnd.then(() => closeAll())

  /**
   * A client for the caller's exclusive use, until [[release]]; close a failed one instead. Throws what `make` throws,
   * for example Kafka's error about a property.
   */
  def acquire(properties: Map[String, AnyRef]): C = taken(properties).getOrElse(make(properties))

  private def taken(properties: Map[String, AnyRef]): Option[C] = synchronized {
    val (newer, rest) = idle.span(_.properties != properties)
    rest.headOption.map { found =>
      idle = newer ::: rest.tail
      found.client
    }
  }

  /**
   * Returns a client that works, with the properties of its [[acquire]]. Closes the oldest idle ones if there are too
   * many; what their close throws is ignored.
   */
  def release(properties: Map[String, AnyRef], client: C): Unit = {
    sweeping
    closed {
      idle = new Idle(properties, client, System.nanoTime()) :: idle
      idle.splitAt(most)
    }
  }

  private def closeOld(): Unit = {
    val before = System.nanoTime() - idleNanos
    closed(idle.span(_.since - before >= 0))
  }

  private def closeAll(): Unit = closed(Nil -> idle)

  /** Closes idle clients, without the lock, as that may take long. A failing close must not stop the others. */
  private def closed(keptAndOld: => (List[Idle], List[Idle])): Unit = {
    val old = synchronized {
      val (kept, old) = keptAndOld
      idle = kept
      old
    }
    old.foreach(free => Try(close(free.client)))
  }
}

private object KeptClients {

  /** More than the tasks of a large executor. */
  val ofTasks = 256
  private val idleNanos = TimeUnit.MINUTES.toNanos(5)

  private lazy val sweeper = Executors.newSingleThreadScheduledExecutor { task =>
    val thread = new Thread(task, "kafkalyst-idle-clients")
    thread.setDaemon(true)
    thread
  }
}
