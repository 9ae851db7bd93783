package io.kafkalyst.commands

import io.kafkalyst.model._

/**
 * The options of a CREATE statement beyond the definition of the object.
 *
 * @param isFlink whether the statement is in Flink's syntax, where columns keep their positions
 * @param readOnly whether the object is a SOURCE STREAM or TABLE
 * @param brokers the brokers that a Flink statement names
 * @param registries the registries that a Flink statement names
 * @param derived computed columns, the watermark, and declarations beyond types
 * @param comment the object's comment
 * @param temporary whether the object exists in this session only
 */
final case class CreateOptions(
    replace: Boolean,
    ifNotExists: Boolean,
    isFlink: Boolean = false,
    brokers: Option[String] = None,
    readOnly: Boolean = false,
    registries: Seq[String] = Nil,
    derived: Derived = Derived(),
    comment: Option[String] = None,
    temporary: Boolean = false
) {

  /** The catalog entry's properties in addition to the definition. */
  def properties: Map[String, String] = comment.map("comment" -> _).toMap
}

/** What a statement declares in addition to the columns of the object's records. */
final case class Derived(
    computed: Seq[ComputedColumn] = Nil,
    watermark: Option[Watermark] = None,
    declared: Seq[DeclaredColumn] = Nil
)
