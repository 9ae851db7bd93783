package io.kafkalyst.parse

import java.util.Locale

import io.kafkalyst.errors.KafkalystException

/** ksqlDB's statements that are not supported here; each is refused by name. */
private[parse] object KsqlRefusals {

  /** KSQLDB_STATEMENT for a statement that Spark refused too; None for any other. */
  def of(text: String): Option[KafkalystException] = {
    val tokens = new Tokens(text)
    val words = (0 until 3).map(tokens(_)).takeWhile(_ != null).map(_.getText.toUpperCase(Locale.ROOT))
    val (heads, rest) = words.span(word => verbs(word) || word == "SOURCE" || word == "SINK")
    rest.headOption match {
      case Some("CONNECTOR" | "CONNECTORS") if heads.headOption.exists(verbs) =>
        Some(refusal(heads :+ rest.head, "Kafka Connect has an API of its own for its connectors."))
      case _ if words.take(2) == Seq("ALTER", "SYSTEM") =>
        Some(refusal(words.take(2), "SET a property of the session, or give it when the application starts."))
      case _ if words.headOption.contains("ASSERT") && words.drop(1).dropWhile(_ == "NULL").headOption.exists(tested) =>
        Some(refusal(
          words.takeWhile(!tested(_)) :+ words.find(tested).get,
          "It is for ksqlDB's testing tool. SELECT from the stream or table, or PRINT its topic, and compare the rows."
        ))
      case _ => None
    }
  }

  private val verbs = Set("CREATE", "DROP", "SHOW", "LIST")

  /** What ksqlDB's testing tool asserts: records, tombstones and definitions. */
  private val tested = Set("VALUES", "STREAM", "TABLE")

  private def refusal(words: Seq[String], instead: String) =
    KafkalystException("KSQLDB_STATEMENT", "statement" -> words.mkString(" "), "instead" -> instead)
}
