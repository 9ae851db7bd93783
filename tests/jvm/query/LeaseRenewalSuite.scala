package io.kafkalyst.query

import java.util.concurrent.{CountDownLatch, Semaphore, TimeUnit}
import java.util.concurrent.atomic.AtomicInteger

import io.kafkalyst.TopicSession
import io.kafkalyst.catalog.ObjectName
import io.kafkalyst.query.lease.LeaseRenewal
import org.apache.spark.sql.SparkSession
import org.scalatest.funsuite.AnyFunSuite

/** When leases are renewed; how, is seen with brokers. */
class LeaseRenewalSuite extends AnyFunSuite with TopicSession {
  private def quick(): SparkSession = withLease("30 MILLISECONDS")

  private def withLease(length: String): SparkSession = {
    val own = session.newSession()
    own.conf.set("spark.kafkalyst.query.lease", length)
    own
  }

  private def query(cluster: String) = {
    val sink = SinkName.OfObject(ObjectName.ofTopic(cluster, "sink"))
    new ContinuousQuery(session, InsertRecord(s"INSERTQUERY_$cluster", sink, cluster))
  }

  test("a failure does not end the renewals") {
    val renewed = new Semaphore(0)
    val asked = new AtomicInteger
    @volatile var isLeased = true
    def leased() =
      if (asked.incrementAndGet() <= 2) throw new IllegalStateException("for a moment")
      else Seq(query("k")).filter(_ => isLeased)
    val renewal = new LeaseRenewal(() => leased(), _ => Some("k"), _ => renewed.release())
    renewal.begin(quick())
    try assert(renewed.tryAcquire(3, 30, TimeUnit.SECONDS))
    finally isLeased = false
  }

  test("a session with a shorter lease renews more often, and one with a longer lease does not change that") {
    val renewed = new Semaphore(0)
    @volatile var isLeased = true
    val renewal =
      new LeaseRenewal(() => Seq(query("k")).filter(_ => isLeased), _ => Some("k"), _ => renewed.release())
    try {
      renewal.begin(withLease("1 HOUR"))
      renewal.begin(quick())
      renewal.begin(withLease("1 HOUR"))
      assert(renewed.tryAcquire(5, 30, TimeUnit.SECONDS))
    } finally isLeased = false
  }

  test("a cluster that does not answer delays no other") {
    val (silent, answers) = (query("silent"), query("answers"))
    val renewed = new Semaphore(0)
    val end = new CountDownLatch(1)
    val waiting = new AtomicInteger
    val asked = new CountDownLatch(1)
    val renewal = new LeaseRenewal(
      () => if (end.getCount == 0) Nil else Seq(silent, answers),
      q => Some(q.sink.toString),
      {
        case Seq(`silent`) =>
          waiting.incrementAndGet()
          asked.countDown()
          end.await()
        case _ => renewed.release()
      }
    )
    renewal.begin(quick())
    try {
      assert(asked.await(30, TimeUnit.SECONDS))
      assert(renewed.tryAcquire(5, 30, TimeUnit.SECONDS))
      assert(waiting.get == 1)
    } finally end.countDown()
  }
}
