package io.kafkalyst.commands

import java.util.concurrent.locks.ReentrantLock

import io.kafkalyst.catalog.{ObjectName, ObjectStore, TopicTable}
import io.kafkalyst.query.SinkName
import io.kafkalyst.streams.AnalyzedQuery
import org.apache.spark.sql.SparkSession

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

  /** @param folder that the statement names for its query */
  def apply(table: SinkName.OfTable, folder: Option[String] = None): Exclusive =
    new Exclusive(table.toString.hashCode +: folder.map(_.hashCode).toSeq)

  def apply(name: ObjectName, topics: Seq[String]): Exclusive = of(Seq(name), topics)

  def of(names: Seq[ObjectName], topics: Seq[String]): Exclusive =
    new Exclusive(names.map(_.hashCode) ++ topics.map(_.hashCode))
}

/**
 * The sources of a new query, as they are directly after its analysis. A statement finds them again once the query's
 * record is stored: a DROP or RENAME that began before has not seen the query, and a later one does.
 */
private[commands] final class NewSources(session: SparkSession, sources: Seq[TopicTable]) {
  private val store = new ObjectStore(session)

  // A source that a reader's options define has its topic's name.
  private val named = sources.filter(s => s.name != s.topic.topic)
    .flatMap(s => Commands.source(store, s.name).map(_ -> s.topic)).distinct
  private val undefined = named.map(_._1).filter(name => name.isOfCluster && !store.keeps(name))

  /**
   * Call without other locks, which could be locked in another order.
   *
   * @throws io.kafkalyst.errors.KafkalystException SOURCE_NOT_FOUND
   */
  def require(): Unit = Exclusive.of(named.map(_._1), sources.flatMap(_.topic.topics)).hold {
    named.find { case (name, topic) =>
      if (undefined.contains(name)) !store.isThere(name)
      // A cluster's catalog that cannot be read now does not say that the source is gone.
      else store.at(name).fold(!name.isOfCluster || store.isGone(name)) { now =>
        (now.topic.topic, now.topic.pattern) != (topic.topic, topic.pattern)
      }
    }.foreach { case (name, _) => throw AnalyzedQuery.unknown(session, Seq(name.database, name.table)) }
  }
}
