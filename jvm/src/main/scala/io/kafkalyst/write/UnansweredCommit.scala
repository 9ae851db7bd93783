package io.kafkalyst.write

import java.time.Duration

import io.kafkalyst.clients.Producers
import org.apache.kafka.common.KafkaException
import org.apache.kafka.common.errors.{InterruptException, TimeoutException}

import scala.annotation.tailrec

/** It is unknown whether the broker has committed a transaction, and whether its records are or become visible. */
private[write] final class UnansweredCommit(cause: KafkaException) extends KafkaException(cause.getMessage, cause)

private[write] object UnansweredCommit {

  /**
   * Commits a transaction. The broker may carry out a commit that it does not answer, so a failed commit does not show
   * that the records are not visible.
   *
   * @param patience how long a commit without an answer is repeated
   * @param commit   Kafka allows to repeat it after a TimeoutException
   * @param isDone   whether the broker has committed; ends the transaction if not
   * @throws org.apache.kafka.common.KafkaException the error of the commit if the broker has not committed, an
   *         UnansweredCommit if that is unknown
   */
  def apply(patience: Duration)(commit: => Unit)(isDone: => Boolean): Unit = {
    val until = System.nanoTime() + patience.toNanos
    @tailrec def committed(): Option[KafkaException] = {
      val failure =
        try {
          commit
          None
        } catch {
          case e: InterruptException => throw e
          case e: KafkaException if Producers.isFenced(e) => throw e
          case e: KafkaException => Some(e)
        }
      if (failure.exists(_.isInstanceOf[TimeoutException]) && System.nanoTime() < until) committed() else failure
    }
    committed().foreach { failure =>
      val isThere =
        try isDone
        catch { case e: KafkaException => throw new UnansweredCommit(e) }
      if (!isThere) throw failure
    }
  }
}
