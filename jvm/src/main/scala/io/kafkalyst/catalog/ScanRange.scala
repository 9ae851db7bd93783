package io.kafkalyst.catalog

import com.fasterxml.jackson.databind.ObjectMapper
import io.kafkalyst.model.{Properties, Property, TopicObject}

import scala.jdk.CollectionConverters._

/** An object's SCAN properties as options of Spark's Kafka source. */
private[catalog] object ScanRange {

  /** @param partitions the number of the topic's partitions, all of which Spark wants named */
  def options(topic: TopicObject, streaming: Boolean, partitions: Int): Map[String, String] = {
    def of(property: Property) = topic.options.get(property.name)
    def required(property: Property) = of(property).getOrElse(ObjectDefinition.missing(property))
    val start = of(Properties.startMode).map(_.toLowerCase) match {
      case Some("latest-offset") if streaming => Map("startingOffsets" -> "latest")
      case Some("timestamp") => Map(
          "startingTimestamp" -> required(Properties.startTime),
          // Nothing of that time yet: begin where it will come.
          "startingOffsetsByTimestampStrategy" -> "latest"
        )
      case Some("specific-offsets") =>
        val given = Properties.offsets(required(Properties.startOffsets)).getOrElse(Map.empty)
        val earliest = -2L
        val all = (0 until partitions).map(p => p.toString -> Long.box(given.getOrElse(p, earliest))).toMap
        Map("startingOffsets" -> new ObjectMapper().writeValueAsString(Map(topic.topic -> all.asJava).asJava))
      case _ => Map("startingOffsets" -> "earliest")
    }
    val end = of(Properties.endMode).map(_.toLowerCase) match {
      case Some("timestamp") if !streaming => Map("endingTimestamp" -> required(Properties.endTime))
      case _ => Map.empty
    }
    start ++ end
  }
}
