package io.kafkalyst.commands

import io.kafkalyst.clients.Uninterrupted
import io.kafkalyst.errors.KafkalystTaskException
import io.kafkalyst.query.{ContinuousQueries, ContinuousQuery, PlannedQuery, QueryIds, QueryRecord}
import org.apache.spark.sql.SparkSession
import org.slf4j.LoggerFactory

import scala.util.Try
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

  /** Forgets the steps: from now on a failure leaves what has been done. */
  def forgo(): Unit = steps = Nil

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

/** The start of a statement's new query. Rows that it has written cannot be rolled back. */
private[commands] object Start {

  /**
   * Starts the query. If it fails once it may have written rows, its statement is not rolled back: a new query would
   * write these rows again. This one stays FAILED, and continues where it stopped.
   *
   * @param watched looks at the sink before the start; its result tells later whether rows may have been written, as
   *                the checkpoint knows only which batches were begun
   */
  def apply(session: SparkSession, planned: PlannedQuery, record: QueryRecord, undo: Undo)(
      watched: => () => Boolean
  ): ContinuousQuery = {
    // Other statements do not wait for their query, so that it cannot fail here.
    val isNew = planned.availableNow(Commands.settings(session)) && !QueryIds.hasBatches(session, record.checkpoint)
    val wrote = if (isNew) watched else () => false
    def isKept = QueryRecord.now(session, record).exists(_.checkpoint == record.checkpoint)
    // Where the catalog or the sink does not answer, which may be why the query failed, nothing is taken back.
    def mayHaveWritten =
      Try(isKept && QueryIds.hasBatches(session, record.checkpoint) && wrote()).getOrElse(true)
    try ContinuousQueries.start(session, planned, record)
    catch {
      case NonFatal(failed) if isNew && mayHaveWritten =>
        undo.forgo()
        val way =
          s"The query ${record.word} may have written rows: RESUME ${record.word} continues it where it stopped."
        Undo.log.warn(s"A statement failed. $way")
        failed match {
          case known: KafkalystTaskException => throw known.at(way)
          case other => throw other
        }
    }
  }
}

private object Undo {
  private[commands] val log = LoggerFactory.getLogger(classOf[Undo])
}
