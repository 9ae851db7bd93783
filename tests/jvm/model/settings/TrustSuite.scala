package io.kafkalyst.model.settings

import io.kafkalyst.errors.KafkalystException
import org.scalatest.funsuite.AnyFunSuite

class TrustSuite extends AnyFunSuite {
  private val brokers = "spark.kafkalyst.bootstrap.servers"
  private val kafka = "spark.kafkalyst.kafka."
  private val registry = "spark.kafkalyst.schema.registry."
  private val lock = "spark.kafkalyst.session.properties"
  private val own = Map(
    lock -> "locked",
    brokers -> "home:9092",
    kafka + "sasl.jaas.config" -> "canary",
    kafka + "security.protocol" -> "SASL_SSL",
    registry + "url" -> "https://home:8081",
    registry + "basic.auth.user.info" -> "me:canary"
  )

  private def refused(use: => Any): KafkalystException = {
    val e = intercept[KafkalystException](use)
    assert(!e.getMessage.contains("canary"))
    e
  }

  private def settings(session: (String, String)*) = Settings.of(own ++ session, new Application(own))

  test("a session may not say what needs the application's configuration, and may take nothing of it away") {
    val names = Settings.all.filter(_.trust == Trust.Application).map(_.name) ++ Seq(
      "config.providers", "config.providers.file.class", "metric.reporters", "interceptor.classes",
      "sasl.jaas.config", "sasl.mechanism", "sasl.login.class", "sasl.client.callback.handler.class",
      "sasl.oauthbearer.token.endpoint.url", "sasl.oauthbearer.jwks.endpoint.url", "security.protocol",
      "security.providers", "ssl.truststore.location", "ssl.keystore.location", "ssl.engine.factory.class",
      "ssl.endpoint.identification.algorithm", "partitioner.class", "key.deserializer", "value.serializer",
      "partition.assignment.strategy", "bootstrap.servers", "sasl.kerberos.kinit.cmd", "of.a.later.kafka"
    ).map(kafka + _)
    names.foreach { name =>
      val value =
        if (name == lock) "open"
        else Settings.all.find(_.name == name).flatMap(s => s.allowed.headOption.orElse(s.default)).getOrElse("1")
      val changed = settings(name -> value)
      Seq(() => changed.clientProperties, () => changed.registry).foreach { use =>
        val e = refused(use())
        assert(
          e.getCondition == "KAFKALYST_LOCKED_PROPERTY" && e.getMessage.contains(name) && e.getMessage.contains(lock)
        )
        assert(e.getSqlState == "42501")
      }
    }
    val emptied = Settings.of(Map.empty, new Application(own))
    assert(emptied.clientProperties == settings().clientProperties)
    assert(emptied.registry == settings().registry)
  }

  test("a session does not name the consumer groups whose offsets are moved") {
    val prefix = QuerySettings.offsetsGroup.name
    assert(refused(settings(prefix -> "payments-").clientProperties).getCondition == "KAFKALYST_LOCKED_PROPERTY")
  }

  test("what needs no trust may be said, unless it refers to a config provider") {
    assert(settings(kafka + "max.poll.records" -> "7").clientProperties("max.poll.records") == "7")
    assert(settings(registry + "timeout.ms" -> "5").registry("timeout.ms") == "5")
    val reference = settings(kafka + "client.dns.lookup" -> "${file:/etc/passwd:root}")
    assert(refused(reference.clientProperties).getCondition == "KAFKALYST_LOCKED_PROPERTY")
    val ofOwn = own + (kafka + "client.id" -> "${file:/a:b}")
    assert(Settings.of(ofOwn, new Application(ofOwn)).clientProperties("client.id") == "${file:/a:b}")
    // What the application said is not an offence when it is said again.
    assert(settings(brokers -> "home:9092").clientProperties("bootstrap.servers") == "home:9092")
  }

  test("a session that set what it may not can still do what has no use for it") {
    assert(!settings(brokers -> "other:1").isKsqldb)
  }

  test("a definition may say of the clients only what needs no trust") {
    val changed = settings()
    changed.allowClients(Map("group.id" -> "g", "security.protocol" -> "SASL_SSL", "bootstrap.servers" -> "home:9092"))
    Seq(
      "interceptor.classes" -> "x",
      "security.protocol" -> "PLAINTEXT",
      "bootstrap.servers" -> "other:1",
      "client.id" -> "${env:HOME:}"
    ).foreach { case (name, value) =>
      val e = refused(changed.allowClients(Map(name -> value)))
      assert(e.getCondition == "KAFKALYST_LOCKED_PROPERTY" && e.getMessage.contains(s"properties.$name"))
    }
    val open = Settings.of(Map.empty, new Application(Map(lock -> "open")))
    open.allowClients(Map("interceptor.classes" -> "x"))
    Seq(changed, open).foreach { any =>
      val e = refused(any.allowClients(Map("sasl.jaas.config" -> "canary")))
      assert(e.getCondition == "KAFKALYST_SECRET_IN_DEFINITION")
    }
  }

  test("sessions are locked by default but in a local application that serves nobody else") {
    def isLocked(command: String, conf: (String, String)*) = new Application(conf.toMap, command).isLocked
    val (local, submit) = ("spark.master" -> "local[2]", "org.apache.spark.deploy.SparkSubmit ")
    assert(!isLocked("", local) && !isLocked(submit + "pyspark-shell", local))
    assert(isLocked("", "spark.master" -> "spark://m:7077") && isLocked("", "spark.master" -> "yarn"))
    assert(isLocked(submit + "--class org.apache.spark.sql.connect.service.SparkConnectServer spark-internal", local))
    assert(isLocked(submit + "--class org.apache.spark.sql.hive.thriftserver.HiveThriftServer2", local))
    assert(isLocked("", local, "spark.plugins" -> "a.B,org.apache.spark.sql.connect.SparkConnectPlugin"))
    assert(isLocked("", local, "spark.connect.grpc.binding.port" -> "1"))
    assert(!isLocked(submit + "SparkConnectServer", local, lock -> "Open") && isLocked("", local, lock -> "locked"))
    assert(intercept[KafkalystException](isLocked("", lock -> "ajar")).getCondition == "KAFKALYST_INVALID_SETTING")
  }

  test("no session opens the lock, nor closes it") {
    val conf = Map("spark.master" -> "local[1]", brokers -> "home:9092")
    val closed = Settings.of(conf + (lock -> "locked"), new Application(conf))
    assert(refused(closed.clientProperties).getMessage.contains(lock))
  }

  test("a login of the application's goes to no other host, also where sessions are open") {
    val open = own + (lock -> "open")
    def changed(session: (String, String)*) = Settings.of(open ++ session, new Application(open))
    assert(changed(brokers -> "HOME:9092").clientProperties.nonEmpty)
    val e = refused(changed(brokers -> "home:9092,other:9092").clientProperties)
    assert(e.getCondition == "KAFKALYST_LOGIN_OF_OTHER_HOST" && e.getMessage.contains("other:9092"))
    assert(changed(brokers -> "other:1", kafka + "sasl.jaas.config" -> "its own").clientProperties.nonEmpty)
    assert(changed(brokers -> "other:1", kafka + "sasl.jaas.config" -> "").clientProperties.nonEmpty)
  }

  test("a catalog's settings are the application's as it started, and no other cluster's") {
    val prefix = "spark.sql.catalog.shop."
    def of(name: String) = name == brokers || name.startsWith(kafka) || name.startsWith(registry)
    val given = own + (prefix + "bootstrap.servers" -> "shop:9092") + (prefix + "session.properties" -> "open")
    val application = new Application(given).of(prefix, of)
    assert(application.isLocked)
    val client = Settings.of(Map(brokers -> "shop:9092"), application).clientProperties
    assert(client("bootstrap.servers") == "shop:9092" && !client.contains("sasl.jaas.config"))
    Seq(brokers -> "other:1", kafka + "metric.reporters" -> "x", lock -> "open").foreach { case (name, value) =>
      val e = refused(Settings.of(Map(brokers -> "shop:9092", name -> value), application).clientProperties)
      assert(e.getCondition == "KAFKALYST_LOCKED_PROPERTY")
      val told = if (name == lock) lock else prefix + name.stripPrefix("spark.kafkalyst.")
      assert(e.getMessage.contains(told), e.getMessage)
    }
    // One that a session makes up.
    assert(intercept[KafkalystException] {
      Settings.of(Map(brokers -> "other:1"), new Application(own).of("spark.sql.catalog.theirs.", of)).clientProperties
    }.getMessage.contains("spark.sql.catalog.theirs.bootstrap.servers"))
  }

  test("hosts are compared without who logs in, path and case") {
    assert(Logins.hosts("https://me:p@Home:8081/apis, http://b") == Set("https://home:8081", "http://b"))
    assert(Logins.hosts("a:1,b:2") == Set("://a:1", "://b:2"))
    assert(Logins.hosts("http://me:p@ss@[::1]:8081") == Set("http://[::1]:8081"))
    // Clients that read these addresses differently would send the login to the other host.
    for (
      other <-
        Seq("http://a:1?@b:2", "http://a:1#@b:2", "a:1?@b:2", "a:1/@b:2", "a:1/b:2", "http://a:1\\@b:2", "a:1 b:2")
    )
      assert(Logins.hosts(other) == Set(other))
  }

  test("whatever sounds like an address, a login, a file or a class needs the application") {
    val words = "url|servers|host|port|auth|ssl|file|location|root|class|password|secret".r
    val free = Settings.all.filter(s => words.findFirstIn(s.name).isDefined && s.trust != Trust.Application)
    assert(free.map(_.name) == Seq(registry + "bearer.auth.cache.expiry.buffer.seconds"))
  }
}
