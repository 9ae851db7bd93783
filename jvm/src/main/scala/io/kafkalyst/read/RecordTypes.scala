package io.kafkalyst.read

import io.kafkalyst.formats.avro.AvroTypes
import io.kafkalyst.model.TopicObject
import io.kafkalyst.names.InternalSchema
import org.apache.spark.sql.connector.expressions.{Literal, NamedReference}
import org.apache.spark.sql.connector.expressions.filter.Predicate
import org.apache.spark.unsafe.types.UTF8String

/** Pushes down predicates on `_type`: only records of the types that they keep are decoded. */
private[read] object RecordTypes {

  /** The object as read by a scan with these predicates, which stay as filters. */
  def only(topic: TopicObject, predicates: Seq[Predicate]): TopicObject =
    if (AvroTypes.of(topic.value).isEmpty) topic
    else {
      val column = InternalSchema.of(topic.columns)(topic.columns.indexWhere(_.name == AvroTypes.typeColumn)).name
      val kept = predicates.flatMap(names(_, column))
      if (kept.isEmpty) topic
      else {
        val all = kept.reduce(_ intersect _).mkString(",")
        topic.copy(value = topic.value.copy(options = topic.value.options + (AvroTypes.wanted -> all)))
      }
    }

  /** The types of `_type = 'a'` and `_type IN ('a', 'b')`; None for any other predicate. */
  private def names(predicate: Predicate, column: String): Option[Set[String]] = predicate.children.toSeq match {
    case (tested: NamedReference) +: values
        if tested.fieldNames.sameElements(Array(column)) && Seq("=", "IN").contains(predicate.name) =>
      val given = values.collect { case l: Literal[_] if l.value.isInstanceOf[UTF8String] => l.value.toString }
      if (given.size == values.size) Some(given.toSet) else None
    case _ => None
  }
}
