package io.kafkalyst.catalog

import java.util.Locale
import java.util.concurrent.{ConcurrentHashMap, Executors, TimeUnit}

import org.apache.spark.sql.catalyst.TableIdentifier
import org.slf4j.LoggerFactory

import scala.util.control.NonFatal

/**
 * The tables of a metastore that earlier listings found to be foreign, so that later ones pass over them. Another
 * application may drop such a table and create an object under its name: it is looked at again after ten minutes, in
 * the background, so listings here lack the object until then.
 *
 * @param now as System.nanoTime()
 */
private[catalog] final class OtherTables(now: () => Long = () => System.nanoTime()) {
  private val at = new ConcurrentHashMap[TableIdentifier, Long]()

  def knows(id: TableIdentifier): Boolean = at.containsKey(key(id))

  def saw(id: TableIdentifier): Unit = {
    at.put(key(id), now())
    ()
  }

  def forget(id: TableIdentifier): Unit = {
    at.remove(key(id))
    ()
  }

  /** Those of the tables that were seen long ago; the caller looks at them again, and nobody else for a while. */
  def takeOld(ids: Seq[TableIdentifier]): Seq[TableIdentifier] = {
    val time = now()
    ids.filter { id =>
      val since = at.get(key(id))
      at.containsKey(key(id)) && time - since >= OtherTables.nanos && at.replace(key(id), since, time)
    }
  }

  private def key(id: TableIdentifier) = TableIdentifier(id.table.toLowerCase(Locale.ROOT), id.database)
}

private[catalog] object OtherTables {
  private val nanos = TimeUnit.MINUTES.toNanos(10)
  private val log = LoggerFactory.getLogger("io.kafkalyst.catalog")

  private lazy val background = Executors.newSingleThreadExecutor { task =>
    val thread = new Thread(task, "kafkalyst-tables")
    thread.setDaemon(true)
    thread
  }

  /** Looks at tables when nobody waits for it. */
  def later(look: => Any): Unit = background.execute { () =>
    try {
      look
      ()
    } catch { case NonFatal(e) => log.warn("tables could not be looked at again", e) }
  }
}
