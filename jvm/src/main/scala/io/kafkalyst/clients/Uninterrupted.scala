package io.kafkalyst.clients

/** Runs clean-up in a thread that Spark may have interrupted: Kafka's clients and locks fail at once in such a thread. */
object Uninterrupted {

  /** The work's result. The thread is interrupted again afterwards, if it was. */
  def apply[T](work: => T): T = {
    val interrupted = Thread.interrupted()
    try work
    finally if (interrupted) Thread.currentThread().interrupt()
  }

  /** Like `apply`, for work that can be repeated: runs it again if it fails because of an interrupt meanwhile. */
  def repeated[T](work: => T): T = Uninterrupted {
    try work
    catch {
      // Clients have exceptions of their own for this, and interrupt the thread again.
      case failed: Throwable if failed.isInstanceOf[InterruptedException] || Thread.currentThread().isInterrupted =>
        Thread.currentThread().interrupt()
        repeated(work)
    }
  }
}
