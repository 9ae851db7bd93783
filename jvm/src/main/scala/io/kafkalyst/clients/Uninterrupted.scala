package io.kafkalyst.clients

/** Runs clean-up in a thread that Spark may have interrupted: Kafka's clients and locks fail at once in such a thread. */
object Uninterrupted {

  /** The work's result. The thread is interrupted again afterwards, if it was. */
  def apply[T](work: => T): T = {
    val interrupted = Thread.interrupted()
    try work
    finally if (interrupted) Thread.currentThread().interrupt()
  }
}
