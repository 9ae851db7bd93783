package io.kafkalyst.registry

/**
 * Measures how long a task waits for schemas that the registry does not know. It is created after the task's records
 * were written, so that the records are older than the wait. Not thread-safe.
 */
final class Patience {
  private var first = Option.empty[Long]

  /** The registry did not know a schema at this System.nanoTime(). */
  private[registry] def unknownAt(now: Long): Unit = if (first.isEmpty) first = Some(now)

  /** Restarts the wait, because the registry has proved to lag. */
  private[registry] def renew(): Unit = first = None

  /** How long the task had waited at this System.nanoTime(), in nanoseconds; 0 if that was before the wait. */
  private[registry] def waited(at: Long): Long = first.fold(0L)(at - _).max(0L)
}
