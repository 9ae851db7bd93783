package io.kafkalyst.registry

import java.net.{InetSocketAddress, ServerSocket}
import java.util.concurrent.{ConcurrentLinkedQueue, Executors, TimeUnit}
import java.util.concurrent.atomic.AtomicInteger

import scala.jdk.CollectionConverters._

import com.sun.net.httpserver.{HttpExchange, HttpServer}
import io.kafkalyst.errors.KafkalystException
import org.scalatest.funsuite.AnyFunSuite

/** The client against a server that misbehaves on purpose. */
class HttpRegistrySuite extends AnyFunSuite {
  private final class Server(answer: HttpExchange => Unit) extends AutoCloseable {
    val seen = new ConcurrentLinkedQueue[String]
    private val server = HttpServer.create(new InetSocketAddress("localhost", 0), 0)
    private val pool = Executors.newCachedThreadPool()
    server.setExecutor(pool)
    server.createContext(
      "/",
      exchange => {
        seen.add(s"${exchange.getRequestMethod} ${exchange.getRequestURI}")
        try answer(exchange)
        finally exchange.close()
      }
    )
    server.start()
    def url: String = s"http://localhost:${server.getAddress.getPort}"
    def requests: Seq[String] = seen.asScala.toSeq
    override def close(): Unit = {
      server.stop(0)
      pool.shutdownNow()
    }
  }

  private def reply(exchange: HttpExchange, status: Int, body: String): Unit = {
    val bytes = body.getBytes("UTF-8")
    exchange.getRequestBody.readAllBytes()
    exchange.sendResponseHeaders(status, if (bytes.isEmpty) -1 else bytes.length)
    exchange.getResponseBody.write(bytes)
  }

  private def served[T](answer: HttpExchange => Unit)(use: Server => T): T = {
    val server = new Server(answer)
    try use(server)
    finally server.close()
  }

  private def client(url: String, timeoutMs: Int = 3000): RegistryClient = HttpRegistry(RegistryConfig(url, timeoutMs))

  private def condition(run: => Any): String = intercept[KafkalystException](run).getCondition

  private def timed[T](limitMs: Long)(run: => T): T = {
    val start = System.nanoTime()
    val result = run
    val took = (System.nanoTime() - start) / 1000000
    assert(took < limitMs, s"took $took ms")
    result
  }

  private val closedPort: Int = {
    val socket = new ServerSocket(0)
    try socket.getLocalPort
    finally socket.close()
  }

  test("schemas are read; not found is None; subjects are encoded; a base path is kept") {
    served { e =>
      e.getRequestURI.getRawPath match {
        case "/apis/ccompat/v7/subjects/a%20b%2Fc-value/versions/latest" =>
          reply(e, 200, """{"subject":"a b/c-value","version":3,"id":7,"schema":"\"string\""}""")
        case "/apis/ccompat/v7/schemas/ids/8" => reply(e, 200, """{"schema":"{}","schemaType":"JSON"}""")
        case _ => reply(e, 404, """{"error_code":40403,"message":"no"}""")
      }
    } { server =>
      val registry = client(s"${server.url}/apis/ccompat/v7/")
      assert(registry.latest("a b/c-value").contains(RegisteredSchema(7, "AVRO", "\"string\"", "a b/c-value", 3)))
      assert(registry.byId(8).contains(RegisteredSchema(8, "JSON", "{}")))
      assert(registry.latest("none").isEmpty && !registry.exists("none") && registry.byId(9).isEmpty)
    }
  }

  test("an id is asked for once, also by many at the same time") {
    served { e =>
      Thread.sleep(200)
      reply(e, 200, """{"schema":"\"int\""}""")
    } { server =>
      val pool = Executors.newFixedThreadPool(16)
      val got = (0 until 16).map(_ => pool.submit(() => client(server.url).byId(5)))
      assert(got.map(_.get(10, TimeUnit.SECONDS)).forall(_.exists(_.schema == "\"int\"")))
      client(server.url).byId(5)
      pool.shutdown()
      assert(server.requests == Seq("GET /schemas/ids/5"))
    }
  }

  test("an unknown id is not asked for again at once, but known as soon as this client registers it") {
    val registered = new AtomicInteger
    served { e =>
      if (e.getRequestMethod == "POST") {
        registered.set(1)
        reply(e, 200, """{"id":5}""")
      } else if (registered.get == 0) reply(e, 404, """{"error_code":40403}""")
      else reply(e, 200, """{"schema":"\"int\""}""")
    } { server =>
      val registry = client(server.url)
      assert(registry.byId(5).isEmpty && registry.byId(5).isEmpty)
      assert(server.requests.size == 1)
      assert(registry.register("s", "\"int\"", "AVRO") == 5)
      assert(registry.byId(5).isDefined)
    }
  }

  test("passing faults are tried again, lasting ones are not") {
    val count = new AtomicInteger
    served(e =>
      if (count.incrementAndGet() < 3) reply(e, if (count.get == 1) 500 else 429, "wait")
      else reply(e, 200, """{"schema":"\"int\""}""")
    ) {
      server =>
        assert(client(server.url).byId(1).isDefined)
        assert(count.get == 3)
    }
    served(e => reply(e, 401, """{"error_code":401,"message":"who are you"}""")) { server =>
      val e = intercept[KafkalystException](client(server.url).byId(1))
      assert(e.getCondition == "KAFKALYST_REGISTRY_ERROR" && e.getMessage.contains("who are you"))
      assert(server.requests.size == 1)
    }
    served(e => reply(e, 503, "down")) { server =>
      val e = intercept[KafkalystException](timed(4000)(client(server.url).byId(1)))
      assert(e.getCondition == "KAFKALYST_REGISTRY_ERROR" && e.getMessage.contains("503"))
    }
  }

  test("garbage is an error, not a schema and not a hang") {
    Seq(
      200 -> "<html>",
      200 -> "",
      200 -> "{}",
      200 -> "[]",
      200 -> """{"schema":5}""",
      404 -> "<html>not here</html>",
      418 -> ""
    ).foreach {
      case (status, body) =>
        served(e => reply(e, status, body)) { server =>
          val registry = client(server.url)
          assert(condition(registry.byId(1)) == "KAFKALYST_REGISTRY_ERROR", s"$status $body")
          assert(condition(registry.latest("s")) == "KAFKALYST_REGISTRY_ERROR", s"$status $body")
          assert(condition(registry.register("s", "x", "AVRO")) == "KAFKALYST_REGISTRY_ERROR", s"$status $body")
        }
    }
  }

  test("nobody there, nobody answering, and an answer that never ends are all over in time") {
    assert(condition(
      timed(4000)(client(s"http://localhost:$closedPort", 3000).latest("s"))
    ) == "KAFKALYST_REGISTRY_UNREACHABLE")
    assert(condition(client("http://no.such.host.invalid", 2000).latest("s")) == "KAFKALYST_REGISTRY_UNREACHABLE")
    assert(condition(client("not an address").latest("s")) == "KAFKALYST_REGISTRY_UNREACHABLE")
    assert(condition(client(" , ").latest("s")) == "KAFKALYST_REGISTRY_UNREACHABLE")
    served(_ => Thread.sleep(20000)) { server =>
      assert(condition(timed(2000)(client(server.url, 1000).byId(1))) == "KAFKALYST_REGISTRY_UNREACHABLE")
    }
    served { e =>
      e.sendResponseHeaders(200, 1000)
      e.getResponseBody.write('{')
      e.getResponseBody.flush()
      Thread.sleep(20000)
    } { server =>
      assert(condition(timed(2000)(client(server.url, 1000).byId(1))) == "KAFKALYST_REGISTRY_UNREACHABLE")
    }
    // A socket that takes connections and says nothing.
    val silent = new ServerSocket(0)
    try assert(condition(
        timed(2000)(client(s"http://localhost:${silent.getLocalPort}", 1000).byId(1))
      ) == "KAFKALYST_REGISTRY_UNREACHABLE")
    finally silent.close()
  }

  test("several addresses are tried in turn, past those that are down or hang") {
    served(e => reply(e, 200, """{"schema":"\"int\""}""")) { good =>
      assert(client(s"http://localhost:$closedPort, ${good.url}").byId(1).isDefined)
      served(_ => Thread.sleep(20000)) { hanging =>
        val registry = client(s"${hanging.url},${good.url}", 2000)
        assert(timed(1900)(registry.byId(2)).isDefined)
        // From then on the one that answered comes first.
        assert(timed(500)(registry.byId(3)).isDefined)
      }
      served(e => reply(e, 500, "")) { broken =>
        assert(client(s"${broken.url},${good.url}").byId(4).isDefined)
      }
    }
  }

  test("a refused schema is said with the registry's own words") {
    Seq(409, 422).foreach { status =>
      served(e => reply(e, status, s"""{"error_code":$status,"message":"READER_FIELD_MISSING"}""")) { server =>
        val e = intercept[KafkalystException](client(server.url).register("s", "{}", "AVRO"))
        assert(e.getCondition == "KAFKALYST_SCHEMA_REFUSED")
        assert(e.getMessage.contains("READER_FIELD_MISSING") && e.getMessage.contains("\"s\""))
      }
    }
  }

  test("a subject is deleted soft, then for good; one that is not there is no error") {
    served(e => reply(e, 200, "[1]")) { server =>
      client(server.url).delete("a/b")
      assert(server.requests == Seq("DELETE /subjects/a%2Fb", "DELETE /subjects/a%2Fb?permanent=true"))
    }
    served(e => reply(e, 404, """{"error_code":40401}"""))(server => client(server.url).delete("s"))
  }

  test("credentials go into the header and never into a message") {
    served(e => reply(e, if (e.getRequestHeaders.getFirst("Authorization") == "Basic dTpw") 403 else 200, "{}")) {
      server =>
        val e = intercept[KafkalystException](client(server.url.replace("://", "://u:p@")).byId(1))
        assert(e.getMessage.contains("403") && !e.getMessage.contains("u:p"))
    }
  }
}
