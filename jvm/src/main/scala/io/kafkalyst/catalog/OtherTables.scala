package io.kafkalyst.catalog

import java.util.Locale
import java.util.concurrent.{ConcurrentHashMap, Executors, TimeUnit}

import org.apache.spark.sql.catalyst.TableIdentifier
import org.slf4j.LoggerFactory

import scala.util.control.NonFatal

/**
 * The foreign tables of a metastore that earlier listings found, so that later listings skip them. Another application
 * may drop such a table and create an object under its name. Therefore tables are checked again in the background after
 * ten minutes; until then, listings lack the object.
 *
 * @param now the clock, as System.nanoTime()
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

  /**
   * The tables that were checked long ago, which the caller now checks again; other callers do not get them for a
   * while.
   */
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

  /** Checks tables in the background. */
  def later(look: => Any): Unit = background.execute { () =>
    try {
      look
      ()
    } catch { case NonFatal(e) => log.warn("tables could not be looked at again", e) }
  }
}
