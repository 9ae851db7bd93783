package io.kafkalyst.clients

import io.kafkalyst.registry.{HttpRegistry, RegistryConfig}
import org.apache.spark.sql.SparkSession
import org.scalatest.concurrent.Eventually
import org.scalatest.funsuite.AnyFunSuite
import org.scalatest.time.{Seconds, Span}

import scala.collection.mutable
import scala.jdk.CollectionConverters._

/** What a JVM keeps by login is bounded, is never closed under a call, and goes with the application. */
class KeptClientsSuite extends AnyFunSuite with Eventually {
  implicit override val patienceConfig: PatienceConfig = PatienceConfig(Span(30, Seconds))

  private final class Client { @volatile var isClosed = false }

  private def login(i: Int): Map[String, String] =
    Map("bootstrap.servers" -> "localhost:1", "client.id" -> s"kept$i", "reconnect.backoff.ms" -> "60000")

  private def threads(part: String): Int =
    Thread.getAllStackTraces.keySet.asScala.count(t => t.isAlive && t.getName.contains(part))

  test("of many logins the clients used last are kept, and the others are closed") {
    val made = mutable.Buffer.empty[Client]
    val kept = new KeptClients[Client](_ => { made += new Client; made.last }, _.isClosed = true, most = 3)
    for (i <- 1 to 50) kept.release(login(i), kept.acquire(login(i)))
    assert(made.map(!_.isClosed) == Seq.fill(47)(false) ++ Seq.fill(3)(true))
    assert(kept.acquire(login(50)) eq made(49))
    assert(made.size == 50)
  }

  test("a client in use is not closed, however many logins come after it") {
    val kept = new KeptClients[Client](_ => new Client, _.isClosed = true, most = 3)
    val used = kept.acquire(login(0))
    for (i <- 1 to 50) kept.release(login(i), kept.acquire(login(i)))
    assert(!used.isClosed)
    kept.release(login(0), used)
    assert(!used.isClosed)
    assert(kept.acquire(login(0)) eq used)
  }

  test("two callers at once have two clients") {
    val kept = new KeptClients[Client](_ => new Client, _.isClosed = true, most = 3)
    val (one, other) = (kept.acquire(login(0)), kept.acquire(login(0)))
    assert(one ne other)
  }

  test("many logins leave a bounded number of admin clients and of their threads") {
    for (i <- 1 to 3 * Admins.most) Admins.use(login(i))(_ => ())
    eventually(assert(threads("kafka-admin-client-thread | kept") == Admins.most))
  }

  test("many registries leave a bounded number of clients and of their threads") {
    def client(i: Int) = HttpRegistry(RegistryConfig(s"http://me$i:secret@localhost:1", Map.empty))
    val first = client(0)
    for (i <- 1 to 4 * HttpRegistry.most) client(i)
    assert(client(0) ne first)
    assert(client(4 * HttpRegistry.most) eq client(4 * HttpRegistry.most))
    eventually {
      System.gc()
      // One is in use: the first.
      assert(threads("HttpClient-") <= HttpRegistry.most + 1)
    }
    assert(first.toString.nonEmpty)
  }

  test("the next application in the JVM has clients of its own") {
    def application() = SparkSession.builder().master("local[1]").config("spark.ui.enabled", "false")
      .config("spark.sql.extensions", "io.kafkalyst.KafkalystExtensions").getOrCreate()
    val config = RegistryConfig("http://me:secret@localhost:1", Map.empty)
    val registries = for (i <- 1 to 3) yield {
      val session = application()
      session.sql("SELECT 1").collect()
      Admins.use(login(i))(_ => ())
      assert(threads(s"kafka-admin-client-thread | kept$i") == 1)
      val registry = HttpRegistry(config)
      assert(HttpRegistry(config) eq registry)
      session.stop()
      eventually(assert(threads("kafka-admin-client-thread | kept") == 0))
      registry
    }
    assert(registries.distinct.size == 3)
  }
}
