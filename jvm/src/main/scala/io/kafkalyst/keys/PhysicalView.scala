package io.kafkalyst.keys

import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.model.{Side, TopicColumn}
import org.apache.spark.sql.types.StructType

/**
 * The physical view of a declaration: `ROWKEY <type>, ROWVALUE <type>` instead of the columns themselves. It is converted
 * to the logical view, which expresses the same with its columns and KEY_FORMAT_TYPE (seed: structured keys).
 */
object PhysicalView {
  val key = "ROWKEY"
  val value = "ROWVALUE"

  /**
   * Whether the columns are ROWVALUE and optionally a ROWKEY, besides metadata columns.
   *
   * @param marked whether the ROWKEY may be marked as the key; in ksqlDB a marked ROWKEY is an ordinary name
   */
  def is(columns: Seq[TopicColumn], marked: Boolean): Boolean = {
    val (values, keys) = columns.filter(_.metadata.isEmpty).partition(_.name.equalsIgnoreCase(value))
    values.size == 1 && values.head.side == Side.Value && keys.size <= 1 &&
    keys.forall(c => c.name.equalsIgnoreCase(key) && (marked || c.side == Side.Value))
  }

  /** Whether the first column is a ROWKEY that is neither marked as the key nor part of a physical view. */
  def hasStrayKey(columns: Seq[TopicColumn]): Boolean = columns.find(_.metadata.isEmpty).exists { c =>
    c.side == Side.Value && c.name.equalsIgnoreCase(key)
  } && !is(columns, marked = true)

  /**
   * Converts to the logical view: the fields of a struct become the side's columns, any other type its only column.
   *
   * @return the columns, and for each side with one column whether it is wrapped in a record
   * @throws io.kafkalyst.errors.KafkalystException EMPTY_STRUCT for a struct without fields
   */
  def logical(columns: Seq[TopicColumn]): (Seq[TopicColumn], Map[Side, Boolean]) = {
    val (around, physical) = columns.partition(_.metadata.isDefined)
    val sides = physical.map { column =>
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
    (ordered.flatMap(_._2) ++ around, shapes.filterNot(_ == (Side.Value -> true)).toMap)
  }
}
