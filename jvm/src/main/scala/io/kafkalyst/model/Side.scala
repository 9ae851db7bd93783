package io.kafkalyst.model

/** One of the two sides of a record. What holds for one holds for the other, so no code exists twice. */
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
