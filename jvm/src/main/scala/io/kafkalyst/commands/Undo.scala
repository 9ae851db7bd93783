package io.kafkalyst.commands

import org.slf4j.LoggerFactory

import scala.util.control.NonFatal

/** Takes back, last first, what a statement made before it failed. */
private[commands] final class Undo {
  private var steps = List.empty[(String, () => Unit)]

  def add(what: String)(step: => Unit): Unit = steps = (what, () => step) :: steps

  /** Runs the body; where it fails, takes its steps back and throws its error. */
  def orElse[T](body: => T): T =
    try body
    catch {
      case failed: Throwable =>
        steps.foreach { case (what, step) =>
          try step()
          catch {
            case NonFatal(e) =>
              failed.addSuppressed(e)
              Undo.log.warn(s"Could not take back $what after a failed statement", e)
          }
        }
        throw failed
    }
}

private object Undo {
  private val log = LoggerFactory.getLogger(classOf[Undo])
}
