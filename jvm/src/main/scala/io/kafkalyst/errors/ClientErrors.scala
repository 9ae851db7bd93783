package io.kafkalyst.errors

import java.io.IOException

import org.apache.kafka.common.KafkaException
import org.apache.kafka.common.config.ConfigException
import org.apache.kafka.common.errors._

import scala.jdk.CollectionConverters._

/** Maps errors of Kafka's clients, and failures to create them, to conditions, with secrets redacted. */
object ClientErrors {

  /** The messages of the whole cause chain. */
  def reason(e: Throwable, properties: Map[String, String]): String = {
    val messages = Causes.of(e).map(x => String.valueOf(x.getMessage))
    Redaction.message(messages.toSeq.distinct.mkString(": "), properties)
  }

  /**
   * The condition for a refused connection: wrong login, untrusted certificate, or a missing right.
   *
   * @param topic the topic to report if the error itself names none
   * @return the condition and its parameters; None for any other error
   */
  def refused(
      e: Throwable,
      properties: Map[String, String],
      topic: String
  ): Option[(String, Seq[(String, String)])] = {
    val brokers = "brokers" -> properties.getOrElse("bootstrap.servers", "")
    val user = "user" -> properties.get("sasl.jaas.config").flatMap(userIn.findFirstMatchIn(_)).fold("the login")(m =>
      s"the user ${m.group(1)}"
    )
    def condition(name: String, more: (String, String)*) = Some((name, Seq(brokers, user) ++ more))
    Causes.of(e).flatMap {
      case error: SslAuthenticationException => condition("BROKER_UNTRUSTED", "reason" -> reason(error, properties))
      case error: AuthenticationException => condition("LOGIN_REFUSED", "reason" -> reason(error, properties))
      case error: TopicAuthorizationException =>
        val named = error.unauthorizedTopics.asScala.toSeq.sorted
        condition("TOPIC_DENIED", "topic" -> (if (named.isEmpty) Seq(topic) else named).mkString(", "))
      case error: GroupAuthorizationException =>
        condition("GROUP_DENIED", "group" -> Option(error.groupId).getOrElse("kafkalyst-*"))
      case _: TransactionalIdAuthorizationException => condition("TRANSACTION_DENIED")
      case _ => None
    }.nextOption()
  }

  /** Whether no broker's name has an address; Kafka's clients report that as a wrong setting. */
  def isUnknownHost(e: Throwable): Boolean = Causes.of(e).exists {
    case wrong: ConfigException => String.valueOf(wrong.getMessage).contains("No resolvable bootstrap")
    case _ => false
  }

  /**
   * CLIENT_SETTINGS for a client that could not be made of its settings, so that no broker was asked.
   *
   * @param more further hints, as sentences
   * @return the condition and its parameters; None for any other error
   */
  def ofSettings(
      e: Throwable,
      properties: Map[String, String],
      more: Seq[String]
  ): Option[(String, Seq[(String, String)])] = {
    val isOne = Causes.of(e).exists {
      case _: ConfigException => true
      case failed: KafkaException =>
        unmade.exists(String.valueOf(failed.getMessage).startsWith)
      case _ => false
    }
    // Kafka's constructors wrap whatever fails in them, also for want of threads and open files.
    val isOfMachine = Causes.of(e).exists {
      case _: Error => true
      case io: IOException => String.valueOf(io.getMessage).contains("Too many open files")
      case _ => false
    }
    Option.when(isOne && !isOfMachine) {
      val why = reason(e, properties)
      val known = hints.collectFirst { case (part, hint) if why.contains(part) => hint }
      val all = (known.toSeq ++ more).map(" " + _).mkString
      "CLIENT_SETTINGS" -> Seq("reason" -> (if (why.endsWith(".")) why else s"$why."), "hint" -> all)
    }
  }

  private val unmade = Seq("Failed to create new KafkaAdminClient", "Failed to construct kafka")
  private val hints = Seq(
    "java.security.auth.login.config" ->
      "Set sasl.jaas.config to the login module with user and password, or security.protocol to one without a login.",
    "Invalid url in bootstrap.servers" -> "Addresses are host:port, such as broker:9092.",
    "semi-colon" -> "The value of sasl.jaas.config ends with a semicolon."
  )

  private val userIn = """username\s*=\s*["']?([^"';\s]+)""".r

  /** A task's consumer or producer could not be created, for example because of an invalid login setting. */
  def notMade(e: Throwable, properties: Map[String, Any]): KafkalystTaskException = {
    val texts = properties.map { case (k, v) => k -> String.valueOf(v) }
    val brokers = "brokers" -> texts.getOrElse("bootstrap.servers", "")
    val (condition, parameters) =
      if (isUnknownHost(e)) "BROKER_UNKNOWN_HOST" -> Seq(brokers)
      else ofSettings(e, texts, Nil).getOrElse("KAFKA_ERROR" -> Seq(brokers, "reason" -> reason(e, texts)))
    KafkalystTaskException(Redaction.cause(e, texts), condition, parameters: _*)
  }
}
