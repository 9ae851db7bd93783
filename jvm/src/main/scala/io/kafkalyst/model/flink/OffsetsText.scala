package io.kafkalyst.model.flink

/** The text form of offsets by partition, as in Flink's `scan.startup.specific-offsets`. */
object OffsetsText {

  /** The error for an invalid text. */
  val form = "partition:0,offset:42;partition:1,offset:300 is the form"
  private val place = """partition:(\d{1,9}),offset:(\d{1,18})""".r

  /** The text of offsets by partition. */
  def of(offsets: Map[Int, Long]): String =
    offsets.toSeq.sorted.map { case (partition, offset) => s"partition:$partition,offset:$offset" }.mkString(";")

  /** The offsets of a text such as `partition:0,offset:42;partition:1,offset:300`; None for any other text. */
  def offsets(text: String): Option[Map[Int, Long]] = {
    val parts = text.split(';').toSeq.map(_.trim).filter(_.nonEmpty).map {
      case place(partition, offset) => Some(partition.toInt -> offset.toLong)
      case _ => None
    }
    if (parts.nonEmpty && parts.forall(_.isDefined)) Some(parts.flatten.toMap) else None
  }
}
