package io.kafkalyst.clients

import java.util.{LinkedHashMap, Map => JMap}

/**
 * The most recently used values by key, of one application; see [[ApplicationEnd]]. A value that is let go stays usable
 * for those who have it.
 *
 * @param most how many are kept
 */
private[kafkalyst] final class Recent[K, V](most: Int) {
  private val kept = new LinkedHashMap[K, V](16, 0.75f, true) {
    override def removeEldestEntry(eldest: JMap.Entry[K, V]): Boolean = size > most
  }

  ApplicationEnd.then(() => synchronized(kept.clear()))

  /** The value of a key. Other threads wait while it is made, so that there is one. */
  def getOrMake(key: K)(make: => V): V = synchronized(kept.computeIfAbsent(key, _ => make))

  def get(key: K): Option[V] = synchronized(Option(kept.get(key)))

  def put(key: K, value: V): Unit = synchronized {
    kept.put(key, value)
    ()
  }
}
