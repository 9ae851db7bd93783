package io.kafkalyst.registry

import java.net.ServerSocket
import java.util.concurrent.{CountDownLatch, Executors, TimeUnit}
import java.util.concurrent.atomic.AtomicInteger

import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.registry.RegistryServer.{reply, served}
import org.scalatest.funsuite.AnyFunSuite

/** The client against a server that misbehaves on purpose. */
class HttpRegistrySuite extends AnyFunSuite {
  private def client(url: String, timeoutMs: Int = 10000): RegistryClient =
    HttpRegistry(RegistryConfig(url, Map("timeout.ms" -> timeoutMs.toString)))

  private def condition(run: => Any): String = intercept[KafkalystException](run).getCondition

  /** Longer than any limit of these clients, however busy the machine is; the server's own end interrupts it. */
  private def hang(): Unit = Thread.sleep(600000)

  private val patienceSeconds = 240L

  /** Asserts that a call does not wait for a server that hangs. */
  private def bounded[T](run: => T): T = {
    val start = System.nanoTime()
    try run
    finally assert(System.nanoTime() - start < patienceSeconds * 1000000000L)
  }

  private val closedPort = 1

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
      def patient = client(server.url, 60000)
      val got = (0 until 16).map(_ => pool.submit(() => patient.byId(5)))
      assert(got.map(_.get(patienceSeconds, TimeUnit.SECONDS)).forall(_.exists(_.schema == "\"int\"")))
      patient.byId(5)
      pool.shutdown()
      assert(server.requests == Seq("GET /schemas/ids/5"))
    }
  }

  test("a GUID whose request is not answered lets those of all others pass, and is asked for once") {
    val (asked, answered) = (new CountDownLatch(1), new CountDownLatch(1))
    served { e =>
      if (e.getRequestURI.getPath.endsWith("/slow")) {
        asked.countDown()
        answered.await(60, TimeUnit.SECONDS)
      }
      reply(e, 200, """{"schema":"\"int\""}""")
    } { server =>
      val (registry, pool) = (client(server.url, 60000), Executors.newFixedThreadPool(3))
      val slow = (1 to 2).map(_ => pool.submit(() => registry.byGuid("slow")))
      assert(asked.await(patienceSeconds, TimeUnit.SECONDS))
      // More than a hash table has places.
      val others = pool.submit(() => (1 to 100).forall(i => registry.byGuid(s"g-$i").isDefined))
      assert(others.get(patienceSeconds, TimeUnit.SECONDS) && !slow.exists(_.isDone))
      answered.countDown()
      assert(slow.forall(_.get(patienceSeconds, TimeUnit.SECONDS).isDefined))
      assert(server.requests.count(_.endsWith("/slow")) == 1)
      pool.shutdown()
    }
  }

  test("ten thousand first look-ups of one id at the same time are one request") {
    val asked = new CountDownLatch(1)
    served { e =>
      // Answered only when all are waiting.
      asked.await(patienceSeconds, TimeUnit.SECONDS)
      reply(e, 200, """{"schema":"\"int\""}""")
    } { server =>
      val registry = client(server.url, 30000)
      val (started, found) = (new CountDownLatch(10000), new AtomicInteger)
      val threads = (0 until 10000).map { _ =>
        // A small stack, as there are so many.
        new Thread(
          null,
          () => {
            started.countDown()
            if (registry.byId(5).isDefined) found.incrementAndGet()
          },
          "looks-up",
          65536
        )
      }
      threads.foreach(_.start())
      started.await(patienceSeconds, TimeUnit.SECONDS)
      asked.countDown()
      threads.foreach(_.join(patienceSeconds * 1000))
      assert(found.get == 10000 && server.requests == Seq("GET /schemas/ids/5"))
    }
  }

  test("the registry's own Retry-After is heeded, and not waited for beyond the time limit") {
    val count = new AtomicInteger
    served { e =>
      if (count.incrementAndGet() == 1) {
        e.getResponseHeaders.set("Retry-After", "1")
        reply(e, 429, "")
      } else reply(e, 200, """{"schema":"\"int\""}""")
    } { server =>
      val start = System.nanoTime()
      assert(client(server.url).byId(1).isDefined)
      assert(System.nanoTime() - start >= 1000000000L)
    }
    served { e =>
      e.getResponseHeaders.set("Retry-After", "3600")
      reply(e, 503, "")
    } { server =>
      assert(condition(client(server.url).byId(1)) == "KAFKALYST_REGISTRY_ERROR")
      assert(server.requests.size == 1)
    }
  }

  /** What a task with records of its own asks, which waits so many seconds for schemas that are unknown. */
  private def records(url: String, seconds: Int): RecordSchemas = new RecordSchemas(HttpRegistry(RegistryConfig(
    url,
    Map(
      "unknown.id.seconds" -> seconds.toString,
      "retries.wait.ms" -> "20",
      "missing.id.cache.ttl.sec" -> "600"
    )
  )))

  private def timed[T](run: => T): (T, Long) = {
    val start = System.nanoTime()
    (run, (System.nanoTime() - start) / 1000000L)
  }

  test("a record's id that is not known yet is waited for; others of the task wait no longer than the first") {
    val registered = new AtomicInteger
    served { e =>
      if (registered.get == 0 || !e.getRequestURI.getPath.endsWith("/5")) reply(e, 404, """{"error_code":40403}""")
      else reply(e, 200, """{"schema":"\"int\""}""")
    } { server =>
      val later = new Thread(() => {
        val end = System.nanoTime() + 60000000000L
        while (server.requests.size < 3 && System.nanoTime() < end) Thread.sleep(5)
        registered.set(1)
      })
      later.start()
      assert(records(server.url, 60).byId(5).isDefined)
      later.join()
      val one = records(server.url, 1)
      val (found, took) = timed(one.byId(6))
      assert(found.isEmpty && took >= 1000)
      // All records were there before that wait, so other unknown ids are not waited for.
      val asked = server.requests.size
      assert((10 until 30).forall(one.byId(_).isEmpty) && one.byId(6).isEmpty && one.byId(-1).isEmpty)
      assert(server.requests.size == asked + 20)
      assert(records(server.url, 0).byId(31).isEmpty)
    }
  }

  test("an id that a bad record had is waited for again when a later task has records with it") {
    val toFind = new AtomicInteger(Int.MaxValue)
    served { e =>
      if (toFind.getAndDecrement() > 0) reply(e, 404, """{"error_code":40403}""")
      else reply(e, 200, """{"schema":"\"int\""}""")
    } { server =>
      assert(records(server.url, 1).byId(5).isEmpty)
      val (found, took) = timed(records(server.url, 1).byId(5))
      assert(found.isEmpty && took >= 1000)
      // Its schema is registered now, and the registry's node is one answer behind: a wait begins with that.
      toFind.set(1)
      assert(records(server.url, 1).byId(5).isDefined)
    }
  }

  test("an id must be unknown for as long as its record must be in the log") {
    val toFind = new AtomicInteger(1)
    served { e =>
      if (!e.getRequestURI.getPath.endsWith("/5") || toFind.getAndDecrement() > 0) {
        reply(e, 404, """{"error_code":40403}""")
      } else reply(e, 200, """{"schema":"\"int\""}""")
    } { server =>
      val old = records(server.url, 1)
      Thread.sleep(1100)
      assert(old.byId(5).isDefined)
      // A registry that was seen to lag is waited for anew.
      val (found, took) = timed(old.byId(6))
      assert(found.isEmpty && took >= 1000)
      // Records that came later are not older than their arrival.
      old.fetched()
      val (other, anew) = timed(old.byId(6))
      assert(other.isEmpty && anew >= 1000)
    }
  }

  test("an id is known as soon as it is registered, also where it was asked for before") {
    val registered = new AtomicInteger
    served(e =>
      if (registered.get == 0) reply(e, 404, """{"error_code":40403}""") else reply(e, 200, """{"schema":"\"int\""}""")
    ) { server =>
      assert(client(server.url).byId(5).isEmpty)
      registered.set(1)
      assert(client(server.url).byId(5).isDefined)
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
    served(e => reply(e, 400, """{"error_code":40001,"message":"what is that"}""")) { server =>
      val e = intercept[KafkalystException](client(server.url).byId(1))
      assert(e.getCondition == "KAFKALYST_REGISTRY_ERROR")
      assert(e.getMessage.contains("what is that (error code 40001)"))
      assert(server.requests.size == 1)
    }
    served(e => reply(e, 503, "down")) { server =>
      val e = intercept[KafkalystException](bounded(client(server.url).byId(1)))
      assert(e.getCondition == "KAFKALYST_REGISTRY_ERROR" && e.getMessage.contains("503"))
    }
  }

  test("what a registry said is told, not that a later try ran out of time") {
    val count = new AtomicInteger
    served(e => if (count.incrementAndGet() == 1) reply(e, 503, "starting up") else hang()) { server =>
      val e = intercept[KafkalystException](bounded(client(server.url, 3000).byId(1)))
      assert(count.get > 1 && e.getCondition == "KAFKALYST_REGISTRY_ERROR" && e.getMessage.contains("starting up"))
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
      404 -> """{"error_code":404,"message":"HTTP 404 Not Found"}""",
      404 -> """{"error_code":40408,"message":"no config"}""",
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
    def said(url: String) = {
      val e = intercept[KafkalystException](bounded(client(url).latest("s")))
      assert(e.getCondition == "KAFKALYST_REGISTRY_UNREACHABLE")
      e.getMessage
    }
    assert(said(s"http://localhost:$closedPort").contains("Connection refused"))
    // No resolver is asked for a label that long.
    assert(said(s"http://${"x" * 64}.invalid").contains("host name"))
    assert(condition(client("not an address").latest("s")) == "KAFKALYST_REGISTRY_SETTINGS")
    assert(condition(client(" , ").latest("s")) == "KAFKALYST_REGISTRY_UNREACHABLE")
    served(_ => hang()) { server =>
      assert(condition(bounded(client(server.url, 1000).byId(1))) == "KAFKALYST_REGISTRY_UNREACHABLE")
    }
    served { e =>
      e.sendResponseHeaders(200, 1000)
      e.getResponseBody.write('{')
      e.getResponseBody.flush()
      hang()
    } { server =>
      assert(condition(bounded(client(server.url, 1000).byId(1))) == "KAFKALYST_REGISTRY_UNREACHABLE")
    }
    // A socket that takes connections and says nothing.
    val silent = new ServerSocket(0)
    try assert(condition(
        bounded(client(s"http://localhost:${silent.getLocalPort}", 1000).byId(1))
      ) == "KAFKALYST_REGISTRY_UNREACHABLE")
    finally silent.close()
  }

  test("several addresses are tried in turn, past those that are down or hang") {
    served(e => reply(e, 200, """{"schema":"\"int\""}""")) { good =>
      assert(client(s"http://localhost:$closedPort, ${good.url}").byId(1).isDefined)
      served(_ => hang()) { hanging =>
        val registry = client(s"${hanging.url},${good.url}", 6000)
        assert(registry.byId(2).isDefined)
        // From then on the one that answered comes first.
        assert(registry.byId(3).isDefined && hanging.requests == Seq("GET /schemas/ids/2"))
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

  test("what statements ask for: subjects, versions, look-up, compatibility, modes, GUIDs") {
    served { e =>
      val body = new String(e.getRequestBody.readAllBytes())
      (e.getRequestMethod, e.getRequestURI.toString) match {
        case ("GET", "/subjects") => reply(e, 200, """["a","b"]""")
        case ("GET", "/subjects/a/versions") => reply(e, 200, "[1,3]")
        case ("GET", "/subjects/a/versions/3") =>
          reply(e, 200, """{"subject":"a","version":3,"id":9,"schema":"\"int\""}""")
        case ("POST", "/subjects/a") if body.contains("int") =>
          reply(e, 200, """{"subject":"a","version":3,"id":9,"schema":"\"int\""}""")
        case ("POST", "/compatibility/subjects/a/versions/latest") =>
          reply(e, 200, s"""{"is_compatible":${body.contains("int")}}""")
        case ("GET", "/mode/a?defaultToGlobal=true") => reply(e, 200, """{"mode":"READWRITE"}""")
        case ("PUT", "/mode/a") => reply(e, 200, body)
        case ("PUT", "/mode/c") => reply(e, 204, "")
        case ("PUT", _) => reply(e, 422, """{"error_code":42205,"message":"mode changes are not allowed"}""")
        case ("GET", "/schemas/guids/g-1") => reply(e, 200, """{"schema":"\"int\"","guid":"g-1"}""")
        case ("GET", "/schemas/guids/g-2") => reply(e, 404, """{"error_code":40403,"message":"no"}""")
        case ("GET", "/schemas/guids/g-3") => reply(e, 404, "<html>no such path</html>")
        case _ => reply(e, 404, """{"error_code":40401,"message":"no"}""")
      }
    } { server =>
      val registry = HttpRegistry(RegistryConfig(server.url))
      val (int, long) = (RegisteredSchema(0, "AVRO", "\"int\""), RegisteredSchema(0, "AVRO", "\"long\""))
      assert(registry.subjects() == Seq("a", "b"))
      assert(registry.versions("a") == Seq(1, 3) && registry.versions("none").isEmpty)
      assert(registry.version("a", 3).map(_.id).contains(9) && registry.version("a", 4).isEmpty)
      assert(registry.lookUp("a", int).map(s => (s.id, s.version)).contains((9, 3)))
      assert(registry.lookUp("a", long).isEmpty)
      assert(registry.compatible("a", int) && !registry.compatible("a", long) && registry.compatible("none", long))
      assert(registry.mode("a").contains("READWRITE") && registry.mode("none").isEmpty)
      assert(registry.setMode("a", "READONLY").isEmpty)
      assert(registry.setMode("b", "READONLY").exists(_.contains("mode changes are not allowed")))
      // Success, but nothing done, as Apicurio has it.
      assert(registry.setMode("c", "READONLY").contains("204 nothing"))
      assert(registry.byGuid("g-1").map(_.schema).contains("\"int\"") && registry.byGuid("g-2").isEmpty)
      assert(condition(registry.byGuid("g-3")) == "KAFKALYST_REGISTRY_ERROR")
    }
  }

  test("a key's subject is set READONLY, unless that is not wanted; a registry without modes is asked once") {
    served(e => reply(e, 200, """{"mode":"READONLY"}""")) { server =>
      val registry = HttpRegistry(RegistryConfig(server.url))
      assert(registry.protect("a-key").isEmpty && registry.protect("b-key").isEmpty)
      assert(HttpRegistry(RegistryConfig(server.url, Map("key.readonly" -> "false"))).protect("c-key").isEmpty)
      assert(server.requests == Seq("PUT /mode/a-key", "PUT /mode/b-key"))
    }
    Seq(204 -> "", 405 -> "", 403 -> "no", 422 -> """{"error_code":42205,"message":"not allowed"}""").foreach {
      case (status, body) =>
        served(e => reply(e, status, body)) { server =>
          val registry = HttpRegistry(RegistryConfig(server.url))
          assert(registry.protect("a-key").exists(_.contains(s"a-key of the key's schema could not be set READONLY")))
          assert(registry.protect("b-key").exists(_.contains("schema.registry.key.readonly=false")))
          assert(server.requests == Seq("PUT /mode/a-key"), status)
        }
    }
  }

  test("a subject that is READONLY is made writable and then deleted") {
    val writable = new AtomicInteger
    served { e =>
      e.getRequestMethod match {
        case "PUT" => writable.set(1); reply(e, 200, """{"mode":"READWRITE"}""")
        case _ if writable.get == 0 => reply(e, 422, """{"error_code":42205,"message":"read-only"}""")
        case _ => reply(e, 200, "[1]")
      }
    } { server =>
      client(server.url).delete("s")
      assert(server.requests == Seq(
        "DELETE /subjects/s",
        "PUT /mode/s",
        "DELETE /subjects/s",
        "DELETE /subjects/s?permanent=true"
      ))
    }
  }

  test("references are followed to the end, also of soft-deleted versions, and sent along when registering") {
    def version(subject: String, refs: String*) = {
      val list = refs.map(r => s"""{"name":"$r","subject":"$r","version":1}""").mkString("[", ",", "]")
      s"""{"subject":"$subject","version":1,"id":1,"schema":"schema of $subject","references":$list}"""
    }
    val sent = new java.util.concurrent.ConcurrentLinkedQueue[String]
    served { e =>
      if (e.getRequestMethod == "POST") sent.add(new String(e.getRequestBody.readAllBytes()))
      e.getRequestURI.toString match {
        case "/subjects/top/versions/latest" => reply(e, 200, version("top", "a", "b"))
        case "/schemas/ids/7" => reply(e, 200, version("top", "b"))
        case "/schemas/ids/8" => reply(e, 200, version("round", "circle"))
        case "/schemas/ids/9" => reply(e, 200, version("lost", "nowhere"))
        case "/subjects/a/versions/1?deleted=true" => reply(e, 200, version("a", "b"))
        case "/subjects/b/versions/1?deleted=true" => reply(e, 200, version("b"))
        case "/subjects/circle/versions/1?deleted=true" => reply(e, 200, version("circle", "back"))
        case "/subjects/back/versions/1?deleted=true" => reply(e, 200, version("back", "circle"))
        case "/subjects/s/versions" => reply(e, 200, """{"id":7}""")
        case _ => reply(e, 404, """{"error_code":40402,"message":"no"}""")
      }
    } { server =>
      val registry = HttpRegistry(RegistryConfig(server.url))
      val (a, b) = (SchemaReference("a", "schema of a"), SchemaReference("b", "schema of b"))
      val top = registry.latest("top").get
      assert(top.references == Seq(b, a) && top.imports.map(_.name) == Seq("a", "b"))
      assert(registry.byId(7).map(_.references).contains(Seq(b)))
      val circle = intercept[KafkalystException](registry.byId(8))
      assert(circle.getCondition == "KAFKALYST_SCHEMA_REFERENCE_CYCLE" && circle.getMessage.contains("back"))
      val lost = intercept[KafkalystException](registry.byId(9))
      assert(lost.getCondition == "KAFKALYST_SCHEMA_REFERENCE_NOT_FOUND" && lost.getMessage.contains("nowhere"))
      assert(registry.register("s", top) == 7)
      assert(sent.peek.contains(""""references":[{"name":"a","subject":"a","version":1}"""))
    }
  }

  test("credentials go into the header and never into a message") {
    served(e => reply(e, if (e.getRequestHeaders.getFirst("Authorization") == "Basic dTpw") 403 else 200, "{}")) {
      server =>
        val e = intercept[KafkalystException](client(server.url.replace("://", "://u:p@")).byId(1))
        assert(e.getMessage.contains("403") && !e.getMessage.contains("u:p"))
    }
  }

  test("a redirect is followed, but no login goes to another server; circles and changed requests are errors") {
    var elsewhere = Seq.empty[String]
    served { e =>
      elsewhere :+= String.valueOf(e.getRequestHeaders.getFirst("Authorization"))
      reply(e, 200, """{"schema":"\"int\""}""")
    } { other =>
      served { e =>
        val to = e.getRequestURI.getPath match {
          case "/schemas/ids/1" => "/schemas/ids/2"
          case "/schemas/ids/3" => s"${other.url}/schemas/ids/3"
          case "/schemas/ids/4" => "/schemas/ids/4"
          case "/schemas/ids/5" => "file:///etc/passwd"
          case path if path.startsWith("/subjects") => "/elsewhere"
          case _ => null
        }
        if (to != null) e.getResponseHeaders.add("Location", to)
        val welcome = e.getRequestHeaders.getFirst("Authorization") == "Basic dTpw"
        reply(e, if (to != null) 302 else if (welcome) 200 else 401, """{"schema":"\"string\""}""")
      } { server =>
        val registry = client(server.url.replace("://", "://u:p@"))
        assert(registry.byId(1).map(_.schema).contains("\"string\""))
        assert(registry.byId(3).map(_.schema).contains("\"int\"") && elsewhere == Seq("null"))
        Seq(4, 5).foreach { id =>
          val e = intercept[KafkalystException](registry.byId(id))
          assert(e.getCondition == "KAFKALYST_REGISTRY_ERROR" && e.getMessage.contains("not followed"))
        }
        assert(condition(registry.register("s", "x", "AVRO")) == "KAFKALYST_REGISTRY_ERROR")
      }
    }
  }

  test("an answer without end in sight is given up before it fills the memory") {
    served { e =>
      e.sendResponseHeaders(200, 0)
      val part = Array.fill[Byte](1 << 20)(' ')
      try while (true) e.getResponseBody.write(part)
      catch { case _: java.io.IOException => () }
    } { server =>
      val e = intercept[KafkalystException](client(server.url).byId(1))
      assert(e.getCondition == "KAFKALYST_REGISTRY_UNREACHABLE" && e.getMessage.contains("32 MiB"))
    }
  }
}
