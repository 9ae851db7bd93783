package io.kafkalyst.model

import java.util.Locale

import io.kafkalyst.model.settings.Settings

/** The properties of a WITH clause that concern written rows; a part of [[Properties]]. */
object SinkProperties {
  import PropertyChecks.oneOf

  val exactlyOnce = "exactly-once"
  val atLeastOnce = "at-least-once"

  /** Kafka's own partitioner: by the hash of the key's bytes; without a key, evenly and in batches. */
  val defaultPartitioner = "default"
  val fixed = "fixed"
  val roundRobin = "round-robin"
  val byValue = "by-value"

  val guarantee: Property = Property(
    "SINK.DELIVERY-GUARANTEE",
    "`exactly-once`: rows are written in Kafka transactions, and those of a repeated batch are written once; " +
      "`at-least-once`. By default the setting spark.kafkalyst.sink.delivery-guarantee.",
    oneOf(exactlyOnce, atLeastOnce),
    kept = true
  )
  val partitioner: Property = Property(
    "SINK.PARTITIONER",
    "The partition of written rows: `default`: Kafka's own, by the bytes of the key without its window; `fixed`: one " +
      "per task; `round-robin`: one after the other; `by-value`: by the key's values, whatever its format and schema id.",
    oneOf(defaultPartitioner, fixed, roundRobin, byValue),
    kept = true
  )
  val nullRow: Property = Property(
    "VALUE.NULL-ROW",
    "How a row is written whose value columns are all NULL: `row` (default): a record of nulls; `tombstone`: a " +
      "record without a value, which deletes its key.",
    oneOf("row", "tombstone"),
    kept = true
  )

  val all: Seq[Property] = Seq(guarantee, partitioner, nullRow)

  /** Whether rows of the object are written exactly once: by the object's property, else by the session's setting. */
  def isExactlyOnce(topic: TopicObject, settings: Settings): Boolean =
    topic.options.getOrElse(guarantee.name, settings(Settings.deliveryGuarantee)).equalsIgnoreCase(exactlyOnce)

  def partitionerOf(topic: TopicObject): String =
    topic.options.getOrElse(partitioner.name, defaultPartitioner).toLowerCase(Locale.ROOT)

  def isNullRowTombstone(topic: TopicObject): Boolean =
    topic.options.get(nullRow.name).exists(_.equalsIgnoreCase("tombstone"))

  /** The invalid property and the reason, for an object of this kind; None if all are valid. */
  def fault(kind: ObjectKind, properties: Map[String, String], hasKey: Boolean): Option[(Property, String)] = {
    val scatters = properties.get(partitioner.name).filter { p =>
      (p.equalsIgnoreCase(roundRobin) && hasKey) || (p.equalsIgnoreCase(fixed) && kind == ObjectKind.Table)
    }
    val choices = s"$defaultPartitioner and $byValue keep the records of a key in one partition, in their order"
    if (scatters.isDefined) Some(partitioner -> s"there are key columns, and $choices")
    else if (!hasKey && properties.get(partitioner.name).exists(_.equalsIgnoreCase(byValue)))
      Some(partitioner -> s"there are no key columns; $defaultPartitioner, $fixed or $roundRobin is expected")
    else if (!hasKey && properties.get(nullRow.name).exists(_.equalsIgnoreCase("tombstone")))
      Some(nullRow -> "a tombstone deletes a key, and there are no key columns")
    else None
  }
}
