package io.kafkalyst.commands

import org.slf4j.LoggerFactory

import scala.util.control.NonFatal

/**
 * Takes back, last first, what a statement made before it failed.
 *
 * @param exclusive held meanwhile, so that no other statement begins to use what is taken back
 */
private[commands] final class Undo(exclusive: Exclusive) {
  private var steps = List.empty[(String, () => Unit)]

  def add(what: String)(step: => Unit): Unit = steps = (what, () => step) :: steps

  /** Runs the body; where it fails, takes its steps back and throws its error. */
  def orElse[T](body: => T): T =
    try body
    catch {
      case failed: Throwable =>
        takeBack(failed.addSuppressed)
        throw failed
    }

  /** Takes its steps back; what fails of that is in the log. */
  def takeBack(): Unit = takeBack(_ => ())

  private def takeBack(tell: Throwable => Unit): Unit = exclusive.hold {
    val all = steps
    steps = Nil
    all.foreach { case (what, step) =>
      try step()
      catch {
        case NonFatal(e) =>
          tell(e)
          Undo.log.warn(s"Could not take back $what after a failed statement", e)
      }
    }
  }
}

private object Undo {
  private val log = LoggerFactory.getLogger(classOf[Undo])
}
