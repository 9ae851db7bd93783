package io.kafkalyst.commands

import java.util.concurrent.locks.ReentrantLock

import io.kafkalyst.catalog.ObjectName
import io.kafkalyst.query.SinkName

/**
 * Statements that make, change or drop what has the same name or topic run one after the other in this JVM, so that
 * each sees what the one before it left.
 *
 * @param keys hashes of the names and topics
 */
private[commands] final class Exclusive private (keys: Seq[Int]) {
  import Exclusive._

  // In one order in all statements, so that no two wait for each other.
  private val mine = keys.map(Math.floorMod(_, locks.length)).distinct.sorted.map(locks(_))

  /** Runs the body alone; throws InterruptedException where the wait for others is interrupted. */
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

  def apply(name: ObjectName, topics: Seq[String]): Exclusive = new Exclusive(name.hashCode +: topics.map(_.hashCode))
}
