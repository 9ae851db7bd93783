package io.kafkalyst.errors

import org.apache.kafka.common.config.ConfigException
import org.apache.kafka.common.errors._

import scala.jdk.CollectionConverters._

/** Maps failures to create Kafka clients to conditions, with secrets redacted. */
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

  private val userIn = """username\s*=\s*["']?([^"';\s]+)""".r

  /** A task's consumer or producer could not be created, for example because of an invalid login setting. */
  def notMade(e: Throwable, properties: Map[String, Any]): KafkalystTaskException = {
    val texts = properties.map { case (k, v) => k -> String.valueOf(v) }
    KafkalystTaskException(
      Redaction.cause(e, texts),
      "KAFKA_ERROR",
      "brokers" -> texts.getOrElse("bootstrap.servers", ""),
      "reason" -> reason(e, texts)
    )
  }
}
