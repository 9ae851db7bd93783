package io.kafkalyst.clients

import java.util.{LinkedHashMap, Map => JMap}

/**
 * A cache of one application's most recently used values; see [[ApplicationEnd]]. An evicted value stays usable for its
 * holders.
 *
 * @param most the maximum number of values
 */
private[kafkalyst] final class Recent[K, V](most: Int) {
  private val kept = new LinkedHashMap[K, V](16, 0.75f, true) {
    override def removeEldestEntry(eldest: JMap.Entry[K, V]): Boolean = size > most
  }

  ApplicationEnd.then(() => synchronized(kept.clear()))

  /** The value of a key. Other threads wait while it is created, so that only one is. */
  def getOrMake(key: K)(make: => V): V = synchronized(kept.computeIfAbsent(key, _ => make))

  def get(key: K): Option[V] = synchronized(Option(kept.get(key)))

  def remove(key: K): Unit = synchronized {
    kept.remove(key)
    ()
  }

  def put(key: K, value: V): Unit = synchronized {
    kept.put(key, value)
    ()
  }
}
