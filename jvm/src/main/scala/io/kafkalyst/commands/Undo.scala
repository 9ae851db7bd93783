package io.kafkalyst.commands

import io.kafkalyst.clients.Uninterrupted
import org.slf4j.LoggerFactory

import scala.util.control.NonFatal

/**
 * Rolls back the steps of a failed statement, last first.
 *
 * @param exclusive the locks that are held during rollback, so that no other statement starts to use what is rolled
 *                  back
 */
private[commands] final class Undo(exclusive: Exclusive) {
  private var steps = List.empty[(String, () => Unit)]

  def add(what: String)(step: => Unit): Unit = steps = (what, () => step) :: steps

  /** Runs the body; if it fails, rolls back the steps and rethrows its error. */
  def guard[T](body: => T): T =
    try body
    catch {
      case failed: Throwable =>
        takeBack(failed.addSuppressed)
        throw failed
    }

  /** Rolls back the steps; failures of a rollback are logged. */
  def takeBack(): Unit = takeBack(_ => ())

  // Each step is forgotten once it is done: after an interrupt, the others follow.
  private def takeBack(tell: Throwable => Unit): Unit = Uninterrupted.repeated(exclusive.hold {
    while (steps.nonEmpty) {
      val (what, step) = steps.head
      try step()
      catch {
        case NonFatal(e) if !Thread.currentThread.isInterrupted =>
          tell(e)
          Undo.log.warn(s"Could not take back $what after a failed statement", e)
      }
      steps = steps.tail
    }
  })
}

private object Undo {
  private val log = LoggerFactory.getLogger(classOf[Undo])
}
