package io.kafkalyst.errors

/** What Kafka's clients say when they cannot be made, as errors of ours and without the secrets they were given. */
object ClientErrors {

  /** The messages of the whole chain. */
  def reason(e: Throwable, properties: Map[String, String]): String = {
    val messages = Iterator.iterate(e)(_.getCause).takeWhile(_ != null).map(x => String.valueOf(x.getMessage))
    Redaction.message(messages.toSeq.distinct.mkString(": "), properties)
  }

  /** A task's consumer or producer could not be made, such as for a login that is no such thing. */
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
