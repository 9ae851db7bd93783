package io.kafkalyst.model

/** One of the two sides of a record. Code is shared, as the same rules apply to both. */
sealed abstract class Side(val name: String) extends Serializable {
  override def toString: String = name

  /** The registry subject of this side under TopicNameStrategy. */
  def subject(topic: String): String = s"$topic-$name"
}

object Side {
  case object Key extends Side("key")
  case object Value extends Side("value")

  val all: Seq[Side] = Seq(Key, Value)
}
