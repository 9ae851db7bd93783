package io.kafkalyst.errors

import org.scalatest.funsuite.AnyFunSuite

class RedactionSuite extends AnyFunSuite {
  private val canary = "canary-51c"

  test("the names of secrets, of Kafka's clients and of the registry's, and no others") {
    Seq(
      "ssl.keystore.password", "ssl.key.password", "ssl.truststore.password", "ssl.keystore.key", "sasl.jaas.config",
      "sasl.password", "sasl.oauthbearer.client.credentials.client.secret", "basic.auth.user.info",
      "bearer.auth.token", "bearer.auth.client.secret", "aws.access.key", "SASL.JAAS.CONFIG", "ssl.key.passphrase",
      "db.pwd", "aws.credentials", "credential", "confluent.api.key", "api_key"
    ).foreach(name => assert(Redaction.isSecret(name), name))
    Seq(
      "bootstrap.servers", "security.protocol", "ssl.truststore.location", "ssl.keystore.location",
      "basic.auth.credentials.source", "bearer.auth.client.id", "key.serializer", "url"
    ).foreach(name => assert(!Redaction.isSecret(name), name))
  }

  test("addresses lose their users, wherever they stand in a text") {
    assert(Redaction.address(s"http://u:$canary@h:1/p,https://x:$canary@@y") == "http://h:1/p,https://y")
    assert(Redaction.address("at http://h:1/a@b or c@d") == "at http://h:1/a@b or c@d")
    assert(Redaction.address(s"at http://u:p/$canary@h:1/p") == "at http://h:1/p")
    assert(Redaction(Map("url" -> s"http://$canary@h", "a.password" -> canary)) ==
      Map("url" -> "http://h", "a.password" -> Redaction.shown))
  }

  test("messages lose secrets whole and in parts; a cause that tells one is dropped") {
    val properties = Map(
      "sasl.jaas.config" -> s"""a.Module required username="me" password="$canary";""",
      "basic.auth.user.info" -> s"user:x$canary",
      "url" -> s"http://someone:y$canary@h",
      "ssl.key.password" -> "ab"
    )
    Seq(s"bad $canary here", s"not x$canary", s"user:x$canary", s"y$canary", properties("sasl.jaas.config")).foreach {
      text => assert(!Redaction.message(text, properties).contains(canary), text)
    }
    // Two letters are in many words.
    assert(Redaction.message("able about me", properties) == "able about me")
    val telling = new RuntimeException("outer", new RuntimeException(canary))
    assert(Redaction.cause(telling, properties) == null)
    val harmless = new RuntimeException("outer", new RuntimeException())
    assert(Redaction.cause(harmless, properties) eq harmless)
  }
}
