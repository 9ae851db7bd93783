package io.kafkalyst.commands
package flink

import io.kafkalyst.model.TopicColumn
import io.kafkalyst.model.flink.TableElement

/** One change that Flink's ALTER TABLE makes. */
sealed trait TableChange

object TableChange {

  /** The position of an added or modified column. */
  sealed trait Place
  case object First extends Place
  final case class After(column: String) extends Place

  /**
   * @param column the declared column; None for computed columns, keys and watermarks
   * @param place  None for the end, or for the column's current position
   */
  final case class Placed(element: TableElement, column: Option[TopicColumn], place: Option[Place])

  final case class Add(elements: Seq[Placed]) extends TableChange
  final case class Modify(elements: Seq[Placed]) extends TableChange
  final case class DropColumns(names: Seq[String]) extends TableChange

  /** @param part a part that a table has at most once */
  final case class DropPart(part: String) extends TableChange
  final case class RenameColumn(from: String, to: String) extends TableChange
  final case class SetOptions(options: Seq[(String, String)]) extends TableChange
  final case class ResetOptions(names: Seq[String]) extends TableChange
}
