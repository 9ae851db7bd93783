package io.kafkalyst.commands

import java.util.concurrent.locks.ReentrantLock

import io.kafkalyst.catalog.ObjectName
import io.kafkalyst.query.SinkName

/**
 * Serialises statements of this JVM that create, change or drop objects with the same name or topic, so that each sees
 * the state that the previous one left.
 *
 * @param keys hashes of the names and topics
 */
private[commands] final class Exclusive private (keys: Seq[Int]) {
  import Exclusive._

  // All statements lock in the same order, which prevents deadlocks.
  private val mine = keys.map(Math.floorMod(_, locks.length)).distinct.sorted.map(locks(_))

  /** Runs the body under the locks; throws InterruptedException if waiting for the locks is interrupted. */
  def hold[T](body: => T): T = {
    def under(rest: Seq[ReentrantLock]): T = rest match {
      case lock +: others =>
        lock.lockInterruptibly()
        try under(others)
        finally lock.unlock()
      case _ => body
    }
    under(mine)
  }
}

private[commands] object Exclusive {
  private val locks = Array.fill(256)(new ReentrantLock)

  def apply(table: SinkName.OfTable): Exclusive = new Exclusive(Seq(table.toString.hashCode))

  /** For a folder that statements may name for their queries. */
  def ofFolder(folder: String): Exclusive = new Exclusive(Seq(folder.hashCode))

  def apply(name: ObjectName, topics: Seq[String]): Exclusive = new Exclusive(name.hashCode +: topics.map(_.hashCode))
}
