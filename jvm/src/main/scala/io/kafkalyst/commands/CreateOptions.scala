package io.kafkalyst.commands

import io.kafkalyst.model._

/**
 * The options of a CREATE statement beyond the definition of the object.
 *
 * @param isFlink whether it is in Flink's words, where columns keep their places
 * @param readOnly whether it is a SOURCE STREAM or TABLE
 * @param brokers the brokers that the statement expects, as Flink names them in each statement
 * @param registries as the brokers, the registries
 * @param derived computed columns, watermark and the like
 * @param comment of the object
 * @param temporary whether only this session sees it
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

  /** What the catalog's entry has beside the definition. */
  def properties: Map[String, String] = comment.map("comment" -> _).toMap
}

/** What a statement says of an object beside the columns of its records. */
final case class Derived(
    computed: Seq[ComputedColumn] = Nil,
    watermark: Option[Watermark] = None,
    declared: Seq[DeclaredColumn] = Nil
)
