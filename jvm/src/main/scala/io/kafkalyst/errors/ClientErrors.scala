package io.kafkalyst.errors

/** Converts errors from creating Kafka clients to Kafkalyst errors, without secrets. */
object ClientErrors {

  /** The messages of the whole cause chain. */
  def reason(e: Throwable, properties: Map[String, String]): String = {
    val messages = Iterator.iterate(e)(_.getCause).takeWhile(_ != null).map(x => String.valueOf(x.getMessage))
    Redaction.message(messages.toSeq.distinct.mkString(": "), properties)
  }

  /** A task's consumer or producer could not be created, for example because of a malformed login. */
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
