package io.kafkalyst.registry

import java.nio.file.Files

import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.model.settings.{Application, Settings}
import org.scalatest.funsuite.AnyFunSuite

/** A login of the application's stays with the registry that it was given for, also where sessions are open. */
class RegistryTrustSuite extends AnyFunSuite {
  private val registry = "spark.kafkalyst.schema.registry."
  private val jaas = """a.Module required username="me" password="canary";"""

  private def of(own: Map[String, String], session: (String, String)*) =
    SessionRegistry.of(Settings.of(own ++ session, new Application(own)))

  private def stays(own: Map[String, String], session: (String, String)*): Unit = {
    val e = intercept[KafkalystException](of(own, session: _*))
    assert(e.getCondition == "KAFKALYST_LOGIN_OF_OTHER_HOST", e.getMessage)
    assert(!e.getMessage.contains("canary"))
  }

  private val home = Map(registry + "url" -> "https://home:8081/apis")
  private val basic = home + (registry + "basic.auth.user.info" -> "me:canary")

  test("a basic login, a token, a client's secret, and Kafka's own login") {
    val elsewhere = registry + "url" -> "http://other:1"
    stays(basic, elsewhere)
    stays(home + (registry + "bearer.auth.token" -> "canary"), elsewhere)
    val oauth = Seq("issuer.endpoint.url" -> "https://idp/token", "client.id" -> "me", "client.secret" -> "canary")
    stays(home ++ oauth.map { case (n, v) => registry + "bearer.auth." + n -> v }, elsewhere)
    stays(
      home ++ oauth.map { case (n, v) => registry + "bearer.auth." + n -> v },
      registry + "bearer.auth.issuer.endpoint.url" -> "https://other/token"
    )
    val inherit = registry + "basic.auth.credentials.source" -> "SASL_INHERIT"
    stays(home + ("spark.kafkalyst.kafka.sasl.jaas.config" -> jaas), elsewhere, inherit)
    assert(of(home + ("spark.kafkalyst.kafka.sasl.jaas.config" -> jaas), inherit).isDefined)
  }

  test("through no proxy of the session's, not over HTTP instead of HTTPS") {
    stays(basic, registry + "proxy.host" -> "other", registry + "proxy.port" -> "1")
    stays(Map(registry + "url" -> "http://me:canary@home:8081"), registry + "proxy.host" -> "other")
    val proxied = basic ++ Map(registry + "proxy.host" -> "proxy", registry + "proxy.port" -> "3128")
    assert(of(proxied).isDefined)
    stays(proxied, registry + "proxy.port" -> "1")
    stays(basic, registry + "url" -> "http://home:8081/apis")
  }

  test("the login of a file that the application names") {
    val file = Files.createTempFile("registry", ".properties")
    Files.writeString(file, "url=https://home:8081\nbasic.auth.user.info=me:canary\n")
    val own = Map(registry + "conf.file" -> file.toString)
    assert(of(own).exists(_.properties.values.exists(_.contains("canary"))))
    stays(own, registry + "url" -> "http://other:1")
    Files.delete(file)
  }

  test("another registry with its own login, or with none") {
    val other = registry + "url" -> "http://other:1"
    val login = registry + "basic.auth.user.info"
    assert(of(basic, other, login -> "you:mine").exists(_.properties.values.toSeq == Seq("you:mine")))
    assert(of(basic, other, login -> "").exists(_.url == "http://other:1"))
    assert(of(basic, registry + "url" -> "https://HOME:8081").isDefined)
  }
}
