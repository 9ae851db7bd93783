package io.kafkalyst.keys

import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.model.{Side, TopicColumn}
import org.apache.spark.sql.types.StructType

/**
 * The physical view of a declaration: `ROWKEY <type>, ROWVALUE <type>` instead of columns marked KEY. It is converted
 * to the logical view, which expresses the same with its columns and KEY_FORMAT_TYPE (seed: structured keys).
 */
object PhysicalView {
  val key = "ROWKEY"
  val value = "ROWVALUE"

  /** Whether the columns are ROWVALUE and optionally a ROWKEY, which is not marked as a key. */
  def is(columns: Seq[TopicColumn]): Boolean =
    columns.exists(_.name.equalsIgnoreCase(value)) && columns.forall { c =>
      c.side == Side.Value && (c.name.equalsIgnoreCase(key) || c.name.equalsIgnoreCase(value))
    } && columns.size <= 2

  /**
   * Converts to the logical view: the fields of a struct become the side's columns, any other type its only column.
   *
   * @return the columns, and for each side with one column whether it is wrapped in a record
   * @throws io.kafkalyst.errors.KafkalystException EMPTY_STRUCT for a struct without fields
   */
  def logical(columns: Seq[TopicColumn]): (Seq[TopicColumn], Map[Side, Boolean]) = {
    val sides = columns.map { column =>
      val side = if (column.name.equalsIgnoreCase(key)) Side.Key else Side.Value
      column.dataType match {
        case struct: StructType if struct.isEmpty =>
          throw KafkalystException("EMPTY_STRUCT", "column" -> column.name)
        case struct: StructType =>
          (side, struct.fields.toSeq.map(f => TopicColumn(f.name, f.dataType, side)), true)
        case _ => (side, Seq(column.copy(side = side)), false)
      }
    }
    val ordered = Side.all.flatMap(side => sides.filter(_._1 == side))
    val shapes = ordered.collect { case (side, Seq(_), structured) => side -> structured }
    // A value is wrapped by default if its format supports records.
    (ordered.flatMap(_._2), shapes.filterNot(_ == (Side.Value -> true)).toMap)
  }
}
