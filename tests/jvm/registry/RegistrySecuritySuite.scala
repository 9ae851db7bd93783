package io.kafkalyst.registry

import java.nio.file.Files
import java.util.Base64
import java.util.concurrent.{ConcurrentLinkedQueue, CountDownLatch, Executors, TimeUnit}
import java.util.concurrent.atomic.{AtomicBoolean, AtomicInteger}

import com.sun.net.httpserver.HttpExchange
import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.model.settings.Settings
import io.kafkalyst.registry.RegistryServer.{reply, served}
import org.scalatest.funsuite.AnyFunSuite

/** Each way to log in, against a server that asks for it; and what is said where it is wrong. */
class RegistrySecuritySuite extends AnyFunSuite {
  private val canary = "canary-7f3a9"
  private val schema = """{"schema":"\"int\""}"""
  private lazy val certificates = new Certificates

  private def settings(url: String, more: (String, String)*): Settings = Settings.of(
    (Map("url" -> url) ++ more).map { case (k, v) =>
      (if (k.startsWith("spark.")) k else s"spark.kafkalyst.schema.registry.$k") -> v
    }
  )

  private def client(url: String, more: (String, String)*): RegistryAdmin =
    HttpRegistry(SessionRegistry.of(settings(url, more: _*)).get)

  /** The error; none of its texts, nor those of its causes, may hold the canary. */
  private def refused(condition: String)(run: => Any): String = {
    val e = intercept[KafkalystException](run)
    assert(e.getCondition == s"KAFKALYST_$condition", e.getMessage)
    val texts = Iterator.iterate[Throwable](e)(_.getCause).takeWhile(_ != null).map(_.toString).mkString("\n")
    assert(!texts.contains(canary), texts)
    e.getMessage
  }

  private def header(e: HttpExchange, name: String = "Authorization"): String = e.getRequestHeaders.getFirst(name)

  private def basic(user: String): String = "Basic " + Base64.getEncoder.encodeToString(user.getBytes("UTF-8"))

  /** Answers only those who say this. */
  private def asking[T](authorization: String)(use: RegistryServer => T): T = served { e =>
    // A server that repeats what it was sent, as some do.
    if (header(e) == authorization) reply(e, 200, schema) else reply(e, 401, s"not ${header(e)} $canary")
  }(use)

  private def withUser(url: String, user: String): String = url.replace("://", s"://$user@")

  test("basic: from the url, from the settings, from Kafka's own login, from a file") {
    asking(basic(s"me:$canary")) { server =>
      assert(client(withUser(server.url, s"me:$canary")).byId(1).isDefined)
      assert(client(
        withUser(server.url, s"me:$canary"),
        "basic.auth.credentials.source" -> "url"
      ).byId(2).isDefined)
      assert(client(server.url, "basic.auth.user.info" -> s"me:$canary").byId(1).isDefined)
      val jaas = "spark.kafkalyst.kafka.sasl.jaas.config" ->
        s"""org.apache.kafka.common.security.plain.PlainLoginModule required username="me" password="$canary";"""
      assert(client(server.url, "basic.auth.credentials.source" -> "SASL_INHERIT", jaas).byId(1).isDefined)
      Seq(
        s"basic.auth.credentials.source=USER_INFO\nbasic.auth.user.info=me:$canary\n",
        s"bootstrap.servers=b:1\nssl.truststore.location=/of/the/broker\nschema.registry.basic.auth.user.info=me:$canary\n"
      ).foreach { text =>
        val file = Files.writeString(Files.createTempFile("registry", ".properties"), text)
        assert(client(server.url, "conf.file" -> file.toString).byId(1).isDefined)
      }
    }
    asking(basic("me:p@s/s")) { server =>
      assert(client(withUser(server.url, "me:p%40s%2Fs")).byId(1).isDefined)
    }
  }

  test("a login that is not taken is told by its kind and its settings, never by its secret") {
    asking(basic("someone:else")) { server =>
      val url = refused("REGISTRY_DENIED")(client(withUser(server.url, s"me:$canary")).byId(1))
      assert(url.contains("a basic login (URL)") && url.contains("schema.registry.url"))
      val info = refused("REGISTRY_DENIED")(client(server.url, "basic.auth.user.info" -> s"me:$canary").latest("s"))
      assert(info.contains("(USER_INFO)") && info.contains("basic.auth.user.info") && info.contains("401"))
      val token =
        refused("REGISTRY_DENIED")(client(server.url, "bearer.auth.token" -> canary).register("s", "", "AVRO"))
      assert(token.contains("STATIC_TOKEN") && token.contains("bearer.auth.token"))
    }
    served(e => reply(e, 403, """{"error_code":40301,"message":"not yours"}""")) { server =>
      val nobody = refused("REGISTRY_DENIED")(client(server.url).byId(1))
      assert(nobody.contains("no login") && nobody.contains("403") && nobody.contains("not yours"))
      assert(server.requests.size == 1)
    }
  }

  test("an address that readers may understand differently is refused, and not shown") {
    Seq(
      s"me:$canary@localhost:9" -> "http://",
      s"http://localhost:9?@$canary:1" -> "%3F",
      s"http://localhost:9#@$canary:1" -> "%3F",
      s"http://me:$canary/s@localhost:9" -> "%2F",
      s"http://localhost:9\\@$canary:1" -> "%5C"
    ).foreach { case (url, fix) => assert(refused("REGISTRY_SETTINGS")(client(url).byId(1)).contains(fix), url) }
  }

  test("bearer: a fixed token") {
    asking(s"Bearer $canary") { server =>
      assert(client(server.url, "bearer.auth.token" -> canary).byId(1).isDefined)
    }
  }

  test("OAuth: a token is fetched, kept, renewed before its end, and once where it is refused") {
    val issued = new AtomicInteger
    val lives = new ConcurrentLinkedQueue[Int]
    val forms = new ConcurrentLinkedQueue[String]
    val taken = new ConcurrentLinkedQueue[String]
    served { e =>
      if (header(e) != basic(s"id:$canary")) reply(e, 401, s"""{"error":"invalid_client","hint":"$canary"}""")
      else {
        forms.add(new String(e.getRequestBody.readAllBytes()))
        val life = Option(lives.poll()).fold("")(n => s""","expires_in":$n""")
        reply(e, 200, s"""{"access_token":"token-${issued.incrementAndGet()}","token_type":"bearer"$life}""")
      }
    } { issuer =>
      served { e =>
        if (taken.contains(header(e)) && header(e, "target-sr-cluster") == "lsrc-1") reply(e, 200, schema)
        else reply(e, 401, """{"error_code":401,"message":"unauthorized"}""")
      } { server =>
        val oauth = Seq(
          "bearer.auth.credentials.source" -> "OAUTHBEARER",
          "bearer.auth.issuer.endpoint.url" -> s"${issuer.url}/token",
          "bearer.auth.client.id" -> "id",
          "bearer.auth.client.secret" -> canary,
          "bearer.auth.scope" -> "schema read",
          "bearer.auth.logical.cluster" -> "lsrc-1",
          "bearer.auth.identity.pool.id" -> "pool-1"
        )
        taken.add("Bearer token-1")
        lives.add(3600)
        val registry = client(server.url, oauth: _*)
        assert((1 to 5).forall(registry.byId(_).isDefined) && issued.get == 1)
        assert(forms.peek == "grant_type=client_credentials&scope=schema+read")
        // Withdrawn before its end: asked for anew, once per request.
        taken.clear()
        taken.add("Bearer token-2")
        lives.add(0)
        assert(registry.byId(6).isDefined && issued.get == 2)
        // Of no life at all: asked for anew each time.
        taken.add("Bearer token-3")
        assert(registry.byId(7).isDefined && issued.get == 3)
        taken.clear()
        refused("REGISTRY_DENIED")(registry.byId(8))
        assert(issued.get == 4)
        val wrong = oauth.map { case (k, v) => k -> (if (k.endsWith("client.id")) "other" else v) }
        val token = refused("REGISTRY_TOKEN")(client(server.url, wrong: _*).byId(1))
        assert(token.contains("invalid_client") && token.contains("bearer.auth.client.id"))
        val nowhere = oauth.map { case (k, v) => k -> (if (k.endsWith("url")) s"http://u:$canary@localhost:1/" else v) }
        refused("REGISTRY_TOKEN")(client(server.url, nowhere: _*).byId(1))
      }
    }
  }

  private def oauth(issuer: RegistryServer, more: (String, String)*) = Seq(
    "bearer.auth.issuer.endpoint.url" -> s"${issuer.url}/token",
    "bearer.auth.client.id" -> "id",
    "bearer.auth.client.secret" -> canary
  ) ++ more

  /** Runs all at once, and returns what each gave, with the milliseconds that all took. */
  private def together[T](count: Int)(run: Int => T): (Seq[T], Long) = {
    val pool = Executors.newFixedThreadPool(count)
    val begun = System.nanoTime()
    try {
      val all = (1 to count).map(i => pool.submit(() => run(i)))
      (all.map(_.get(240, TimeUnit.SECONDS)), (System.nanoTime() - begun) / 1000000L)
    } finally pool.shutdownNow()
  }

  test("OAuth: a token server that hangs holds up no request beyond its limit, and is not asked by each thread") {
    val asked = new AtomicInteger
    val hung = new CountDownLatch(1)
    served { _ => asked.incrementAndGet(); hung.await() } { issuer =>
      asking("Bearer t") { server =>
        val registry = client(server.url, oauth(issuer, "timeout.ms" -> "5000", "max.retries" -> "0"): _*)
        val (texts, millis) = together(48)(i => refused("REGISTRY_TOKEN")(registry.byId(i)))
        assert(asked.get == 1, texts)
        // One after the other they would take 240 seconds.
        assert(millis < 120000)
        hung.countDown()
      }
    }
  }

  test("OAuth: an error of the token server that passes is retried, and a token that a thread renewed is kept") {
    val asked = new AtomicInteger
    val isRevoked = new AtomicBoolean
    served { e =>
      if (asked.incrementAndGet() == 1) reply(e, 503, "starting")
      else reply(e, 200, s"""{"access_token":"t${asked.get}","expires_in":3600}""")
    } { issuer =>
      served { e =>
        if (isRevoked.get && header(e) == "Bearer t2") reply(e, 401, "{}") else reply(e, 200, schema)
      } { server =>
        val registry = client(server.url, oauth(issuer): _*)
        assert(registry.byId(1).isDefined && asked.get == 2)
        isRevoked.set(true)
        assert(together(8)(i => registry.byId(i + 1))._1.forall(_.isDefined))
        assert(asked.get == 3)
      }
    }
  }

  private def secure[T](certificate: String, mtls: Boolean = false)(use: RegistryServer => T): T = {
    val server = new RegistryServer(reply(_, 200, schema), Some(certificates.context(certificate)), mtls)
    try use(server)
    finally server.close()
  }

  private def trusting: Seq[(String, String)] = Seq(
    "ssl.truststore.location" -> certificates.trustStore.toString,
    "ssl.truststore.type" -> "PKCS12",
    "ssl.truststore.password" -> certificates.password
  )

  test("TLS: an authority of one's own is trusted from PKCS12, PEM and Python's ca file, and only if set") {
    secure("server") { server =>
      assert(client(server.url, trusting: _*).byId(1).isDefined)
      val pem = Seq("ssl.truststore.location" -> certificates.ca.toString, "ssl.truststore.type" -> "pem")
      assert(client(server.url, pem: _*).byId(1).isDefined)
      assert(client(server.url, "ssl.truststore.certificates" -> Files.readString(certificates.ca)).byId(1).isDefined)
      assert(client(server.url, "ssl.ca.location" -> certificates.ca.toString).byId(1).isDefined)
      val untrusted = refused("REGISTRY_UNREACHABLE")(client(server.url).byId(1))
      assert(untrusted.contains("certification path") && untrusted.contains("schema.registry.ssl."))
    }
  }

  test("TLS: a certificate of another host is taken only where hosts are not looked at") {
    secure("elsewhere") { server =>
      assert(refused("REGISTRY_UNREACHABLE")(client(server.url, trusting: _*).byId(1)).contains("localhost"))
      val lax = trusting :+ ("ssl.endpoint.identification.algorithm" -> "")
      assert(client(server.url, lax: _*).byId(1).isDefined)
    }
  }

  test("mTLS: the client's certificate from PKCS12, PEM files and PEM text; without it nobody gets through") {
    secure("server", mtls = true) { server =>
      val (certificate, key) = certificates.pem("client")
      val store = Seq(
        "ssl.keystore.location" -> certificates.store("client").toString,
        "ssl.keystore.type" -> "PKCS12",
        "ssl.keystore.password" -> certificates.password
      )
      assert(client(server.url, trusting ++ store: _*).byId(1).isDefined)
      val python = Seq("ssl.certificate.location" -> certificate.toString, "ssl.key.location" -> key.toString)
      assert(client(server.url, ("ssl.ca.location" -> certificates.ca.toString) +: python: _*).byId(1).isDefined)
      val text = Seq(
        "ssl.keystore.certificate.chain" -> Files.readString(certificate),
        "ssl.keystore.key" -> Files.readString(key)
      )
      assert(client(server.url, trusting ++ text: _*).byId(1).isDefined)
      refused("REGISTRY_UNREACHABLE")(client(server.url, trusting: _*).byId(1))
    }
  }

  test("TLS files that are not there, of another kind, or with another password are named") {
    def tls(more: (String, String)*) = refused("REGISTRY_TLS")(client("https://localhost:1", more: _*))
    assert(tls("ssl.ca.location" -> "/no/such/file").contains("ssl.ca.location"))
    val wrong = trusting.map { case (k, v) => k -> (if (k.endsWith("password")) canary else v) }
    assert(tls(wrong: _*).contains("ssl.truststore.password"))
    val (certificate, _) = certificates.pem("client")
    assert(tls("ssl.certificate.location" -> certificate.toString).contains("PKCS#8"))
  }

  test("what cannot work is refused before anybody is asked, with the setting that is missing") {
    def fault(more: (String, String)*) = refused("REGISTRY_SETTINGS")(client("http://localhost:1", more: _*))
    assert(fault("basic.auth.credentials.source" -> "USER_INFO").contains("schema.registry.basic.auth.user.info"))
    assert(fault("basic.auth.user.info" -> canary).contains("colon"))
    assert(fault("basic.auth.credentials.source" -> "URL").contains("schema.registry.url"))
    assert(fault("basic.auth.credentials.source" -> "SASL_INHERIT").contains("sasl.jaas.config"))
    val broken = "spark.kafkalyst.kafka.sasl.jaas.config" -> s"no module password=$canary"
    assert(fault("basic.auth.credentials.source" -> "SASL_INHERIT", broken).contains("sasl.jaas.config"))
    assert(fault("bearer.auth.credentials.source" -> "STATIC_TOKEN").contains("bearer.auth.token"))
    val issuer = "bearer.auth.issuer.endpoint.url" -> "http://localhost:2"
    assert(fault(issuer).contains("bearer.auth.client.id"))
    assert(fault(issuer, "bearer.auth.client.id" -> "id").contains("bearer.auth.client.secret"))
    assert(fault("basic.auth.user.info" -> s"u:$canary", "bearer.auth.token" -> canary).contains("two logins"))
    assert(fault("proxy.host" -> "h").contains("proxy.port"))
    assert(fault("ssl.key.location" -> "/k").contains("ssl.certificate.location"))
    assert(fault("ssl.keystore.key" -> canary).contains("ssl.keystore.certificate.chain"))
    assert(fault("ssl.keystore.password" -> canary).contains("ssl.keystore.location"))
    assert(fault("ssl.ca.location" -> "/a", "ssl.truststore.location" -> "/b").contains("Keep one"))
    assert(fault("conf.file" -> "/no/such/file").contains("conf.file"))
    Seq(
      "bearer.auth.credentials.source" -> "CUSTOM",
      "timeout.ms" -> "soon",
      "max.retries" -> "-1",
      "ssl.endpoint.identification.algorithm" -> "ldaps",
      "ssl.truststore.type" -> "DER"
    ).foreach(one => assert(refused("INVALID_SETTING")(client("http://localhost:1", one)).contains(one._1)))
  }

  test("unknown names are refused with the nearest one, in the session and in the file") {
    val session = refused("UNKNOWN_SETTING")(client("http://localhost:1", "basic.auth.userinfo" -> canary))
    assert(session.contains("""Did you mean "spark.kafkalyst.schema.registry.basic.auth.user.info"?"""))
    Seq("basic.auth.userinfo" -> "", "schema.registry.basic.auth.userinfo" -> "").foreach { case (name, _) =>
      val file = Files.writeString(Files.createTempFile("registry", ".properties"), s"$name=me:$canary\n")
      val said = refused("UNKNOWN_SETTING")(client("http://localhost:1", "conf.file" -> file.toString))
      assert(said.contains("""Did you mean "basic.auth.user.info"?""") && said.contains(file.toString))
    }
  }

  test("no text of a configuration tells a secret") {
    val config = SessionRegistry.of(settings(
      s"https://u:$canary@host:1/path, https://other",
      "basic.auth.credentials.source" -> "USER_INFO",
      "basic.auth.user.info" -> s"v:$canary",
      "ssl.truststore.location" -> "/t",
      "ssl.truststore.password" -> canary,
      "spark.kafkalyst.kafka.sasl.jaas.config" -> canary
    )).get
    assert(!config.toString.contains(canary) && config.toString.contains("https://host:1/path"))
    assert(config.toString.contains("/t") && !settings("x", "bearer.auth.token" -> canary).toString.contains(canary))
  }
}
