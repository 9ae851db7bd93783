package io.kafkalyst.write

import java.net.{InetAddress, ServerSocket}
import java.nio.file.{Files, Path, Paths}
import java.util.{Properties, UUID}
import java.util.concurrent.{CountDownLatch, Executors, TimeUnit}

import org.scalatest.funsuite.AnyFunSuite

import scala.concurrent.{Await, ExecutionContext, Future}
import scala.concurrent.duration.DurationInt
import scala.util.{Try, Using}

class StatementSuite extends AnyFunSuite {
  // All JVMs of a user share the folder.
  private val suite = s"suite-${UUID.randomUUID()}"
  private val folder = Paths.get(System.getProperty("java.io.tmpdir"), s"kafkalyst-${System.getProperty("user.name")}")

  private def write(query: String, brokers: String) =
    ExactlyOnce(query, "t", 1, speculates = false, None, isFirst = true, Map("bootstrap.servers" -> brokers))

  /** The file of a statement whose process has died. */
  private def dead(query: String, brokers: String): Path = {
    Statement.begin(write(s"$query-first", brokers))
    val notes = new Properties()
    Seq("query" -> query, "topic" -> "t", "brokers" -> brokers).foreach { case (k, v) => notes.setProperty(k, v) }
    val file = folder.resolve(s"$query.statement")
    Using.resource(Files.newOutputStream(file))(notes.store(_, null))
    file
  }

  test("a statement does not wait while another one clears what died on brokers that do not answer") {
    val pool = Executors.newFixedThreadPool(2)
    implicit val context: ExecutionContext = ExecutionContext.fromExecutor(pool)
    Using.resource(new ServerSocket(0, 50, InetAddress.getLoopbackAddress)) { silent =>
      val asked = new CountDownLatch(1)
      val brokers = s"127.0.0.1:${silent.getLocalPort}"
      val file = dead(s"$suite-dead", brokers)
      Future {
        silent.accept()
        asked.countDown()
      }
      try {
        // Another JVM may look at the file for a moment, and then this one passes it over.
        val slow = Future {
          while (asked.getCount > 0) {
            Statement.begin(write(s"$suite-slow", brokers))
            Thread.sleep(100)
          }
        }
        assert(asked.await(60, TimeUnit.SECONDS), "the broker was not asked")
        val other = Executors.newSingleThreadExecutor()
        try {
          val apart = ExecutionContext.fromExecutor(other)
          val begun = Future(Statement.begin(write(s"$suite-other", "127.0.0.1:1")))(apart)
          Await.result(begun, 2.minutes)
          assert(!slow.isCompleted && Files.exists(file))
        } finally other.shutdown()
        Await.ready(slow, 2.minutes)
      } finally {
        pool.shutdownNow()
        Seq("dead", "dead-first", "slow", "other").foreach(name =>
          Files.deleteIfExists(folder.resolve(s"$suite-$name.statement"))
        )
      }
    }
  }

  test("a query does not wait for the brokers of another one") {
    val pool = Executors.newFixedThreadPool(2)
    implicit val context: ExecutionContext = ExecutionContext.fromExecutor(pool)
    Using.resource(new ServerSocket(0, 50, InetAddress.getLoopbackAddress)) { silent =>
      val asked = new CountDownLatch(1)
      def begin(query: String, properties: (String, String)*) = Marks.begin(query, "t", "run", 1, properties.toMap)
      Future {
        silent.accept()
        asked.countDown()
      }
      val long = "default.api.timeout.ms" -> "600000"
      val slow = Future(begin(s"$suite-slow", "bootstrap.servers" -> s"127.0.0.1:${silent.getLocalPort}", long))
      try {
        assert(asked.await(60, TimeUnit.SECONDS), "the broker was not asked")
        // More than a hash table has places; each fails soon, and so would a wait for the slow one.
        val short = Seq("default.api.timeout.ms", "request.timeout.ms").map(_ -> "100")
        for (i <- 1 to 50)
          assert(Try(begin(s"$suite-$i", short :+ ("bootstrap.servers" -> "127.0.0.1:1"): _*)).isFailure)
        assert(!slow.isCompleted)
      } finally pool.shutdownNow()
      Await.ready(slow, 2.minutes)
    }
  }
}
