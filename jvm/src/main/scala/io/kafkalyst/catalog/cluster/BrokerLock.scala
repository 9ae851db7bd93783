package io.kafkalyst.catalog.cluster

import java.util.concurrent.locks.ReentrantLock

import io.kafkalyst.errors.KafkalystException

/** A lock whose owner may wait for brokers. Waiting for it can be interrupted, so that a cancelled statement ends. */
private[cluster] final class BrokerLock {
  private val lock = new ReentrantLock
  private var failure = Option.empty[(KafkalystException, Long)]

  def hold[T](body: => T): T = {
    // A free lock is for interrupted threads, too: what they look up may be known already.
    if (!lock.tryLock()) lock.lockInterruptibly()
    try body
    finally lock.unlock()
  }

  /**
   * As [[hold]], but if a request fails, all callers that waited for the lock meanwhile fail with it. Otherwise they
   * would wait for the same brokers one after another.
   */
  def ask[T](request: => T): T = {
    val since = System.nanoTime()
    hold {
      failure.foreach { case (e, at) => if (at - since > 0) throw e }
      try {
        val answer = request
        failure = None
        answer
      } catch {
        case e: KafkalystException =>
          failure = Some(e -> System.nanoTime())
          throw e
      }
    }
  }
}
