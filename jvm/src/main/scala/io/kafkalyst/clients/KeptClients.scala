package io.kafkalyst.clients

import java.util.concurrent.{Executors, TimeUnit}

import scala.collection.mutable
import scala.util.Try

/**
 * A pool of Kafka clients per JVM: a task acquires one exclusively and releases it, so that the next task with the same
 * properties need not connect. Clients idle for five minutes are closed.
 *
 * @param make  creates a client with these properties; its exceptions propagate to the caller
 * @param close closes a client
 */
private[clients] final class KeptClients[C](make: Map[String, AnyRef] => C, close: C => Unit) {
  import KeptClients._

  private final class Idle(val client: C, val since: Long)

  // LIFO, so surplus clients expire; guarded by `idle`.
  private val idle = mutable.Map.empty[Map[String, AnyRef], List[Idle]]

  private lazy val sweeping = sweeper.scheduleWithFixedDelay(() => closeOld(), 1, 1, TimeUnit.MINUTES)

  /** A client for the caller's exclusive use, until [[release]]; close a failed one instead. */
  def acquire(properties: Map[String, AnyRef]): C = taken(properties).getOrElse(make(properties))

  private def taken(properties: Map[String, AnyRef]): Option[C] = idle.synchronized {
    idle.get(properties).map { free =>
      if (free.tail.isEmpty) idle.remove(properties) else idle.put(properties, free.tail)
      free.head.client
    }
  }

  def release(properties: Map[String, AnyRef], client: C): Unit = {
    sweeping
    idle.synchronized {
      idle.put(properties, new Idle(client, System.nanoTime()) :: idle.getOrElse(properties, Nil))
    }
    ()
  }

  private def closeOld(): Unit = {
    val before = System.nanoTime() - idleNanos
    def isOld(free: Idle) = free.since - before < 0
    val old = idle.synchronized {
      val closing = idle.values.flatten.filter(isOld).toList
      idle.mapValuesInPlace((_, free) => free.filterNot(isOld)).filterInPlace((_, free) => free.nonEmpty)
      closing
    }
    // A failing close must not stop the cleanup.
    old.foreach(free => Try(close(free.client)))
  }
}

private object KeptClients {
  private val idleNanos = TimeUnit.MINUTES.toNanos(5)

  private lazy val sweeper = Executors.newSingleThreadScheduledExecutor { task =>
    val thread = new Thread(task, "kafkalyst-idle-clients")
    thread.setDaemon(true)
    thread
  }
}
