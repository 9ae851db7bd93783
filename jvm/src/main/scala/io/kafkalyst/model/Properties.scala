package io.kafkalyst.model

import io.kafkalyst.errors.{Conditions, KafkalystException}

/**
 * One property of a WITH clause.
 *
 * @param name    upper case, as ksqlDB writes it
 * @param doc     one line for the reference page
 * @param check   the message of what is wrong with a value; None where it is right
 * @param asQuery whether CREATE … AS SELECT takes it
 */
final case class Property(
    name: String,
    doc: String,
    check: String => Option[String] = _ => None,
    asQuery: Boolean = true
) {

  /** KafkalystException INVALID_PROPERTY for a value that it does not take. */
  def require(value: String): Unit = check(value).foreach { expected =>
    throw KafkalystException("INVALID_PROPERTY", "property" -> name, "value" -> value, "expected" -> expected)
  }
}

/** The properties of a WITH clause: one table from which they are checked, read and documented. */
object Properties {
  private def positive(text: String): Option[String] =
    if (text.toIntOption.exists(_ > 0)) None else Some("a whole number above 0 is expected")

  private def notBlank(text: String): Option[String] = if (text.trim.isEmpty) Some("it must not be empty") else None

  val topic: Property = Property("KAFKA_TOPIC", "Topic that holds the records. Required without AS SELECT.", notBlank)
  val keyFormat: Property = Property("KEY_FORMAT", "Format of the record keys.", notBlank)
  val valueFormat: Property = Property("VALUE_FORMAT", "Format of the record values.", notBlank)
  val format: Property = Property("FORMAT", "Format of keys and values, instead of the two above.", notBlank)
  val partitions: Property = Property("PARTITIONS", "Partitions of a topic that is created.", positive)
  val replicas: Property = Property("REPLICAS", "Replicas of a topic that is created.", positive)
  val onError: Property = Property(
    "ON_ERROR",
    "What happens to a record that cannot be decoded: fail, skip, null or dead-letter; by default as the setting " +
      "spark.kafkalyst.on.error says.",
    v => if (OnError.of(v).isDefined) None else Some(s"one of ${OnError.all.map(_.name).mkString(", ")} is expected")
  )
  val deadLetterTopic: Property = Property(
    "DEAD_LETTER_TOPIC",
    "Topic of the records that cannot be decoded, under ON_ERROR=dead-letter, which it implies. By default the " +
      "topic's name with -dlq. It is created when it does not exist.",
    notBlank
  )

  val all: Seq[Property] =
    Seq(topic, keyFormat, valueFormat, format, partitions, replicas, onError, deadLetterTopic)

  def formatOf(side: Side): Property = side match {
    case Side.Key => keyFormat
    case Side.Value => valueFormat
  }

  /**
   * The clause's properties by upper-case name, each known and with a value that it takes.
   *
   * @throws io.kafkalyst.errors.KafkalystException UNKNOWN_PROPERTY with the nearest name, INVALID_PROPERTY with
   *         what is expected, DUPLICATE_PROPERTY for one given twice
   */
  def checked(given: Seq[(String, String)]): Map[String, String] = {
    val upper = given.map { case (name, value) => name.toUpperCase(java.util.Locale.ROOT) -> value }
    upper.groupBy(_._1).collectFirst { case (name, many) if many.size > 1 => name }.foreach { name =>
      throw KafkalystException("DUPLICATE_PROPERTY", "property" -> name)
    }
    upper.foreach { case (name, value) =>
      all.find(_.name == name) match {
        case None =>
          throw KafkalystException(
            "UNKNOWN_PROPERTY",
            "property" -> name,
            "nearest" -> Conditions.nearest(name, all.map(_.name)),
            "known" -> all.map(_.name).mkString(", ")
          )
        case Some(property) => property.require(value)
      }
    }
    if (upper.exists(_._1 == format.name) && upper.exists(p => p._1 == keyFormat.name || p._1 == valueFormat.name)) {
      throw KafkalystException("FORMAT_GIVEN_TWICE")
    }
    upper.toMap
  }
}
