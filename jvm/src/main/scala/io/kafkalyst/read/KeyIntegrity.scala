package io.kafkalyst.read

import io.kafkalyst.formats.BadBytes
import io.kafkalyst.model.{Side, TopicColumn}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{BoundReference, EqualNullSafe}

/**
 * Checks that the key's columns have the same values in a record's value as in its key (FLIP-107,
 * `fields.verify-integrity`). Not thread-safe: one per task.
 *
 * @param columns the key's columns with their ordinals in the row, which the key fills first and then the value
 */
private[read] final class KeyIntegrity(columns: Seq[(TopicColumn, Int)]) {
  private val keys = columns.toArray
  private val given = new Array[Any](keys.length)
  private val same = keys.map { case (column, _) =>
    EqualNullSafe(
      BoundReference(0, column.dataType, nullable = true),
      BoundReference(1, column.dataType, nullable = true)
    )
  }

  /** Stores the key's values. */
  def note(row: InternalRow): Unit = keys.indices.foreach(i => given(i) = value(row, i))

  /**
   * The fault after the value has filled the row; null if key and value agree. A column that the value lacks keeps the
   * key's value.
   */
  def fault(row: InternalRow): BadBytes = {
    keys.indices.foreach { i =>
      val at = keys(i)._2
      if (row.isNullAt(at) && given(i) != null) row.update(at, given(i))
    }
    val differs = keys.indices.indexWhere(i => same(i).eval(InternalRow(given(i), value(row, i))) == false)
    if (differs < 0) null
    else {
      val (name, found) = (keys(differs)._1.name, value(row, differs))
      new BadBytes(s"$name is ${given(differs)} in the ${Side.Key} and $found in the ${Side.Value}")
    }
  }

  private def value(row: InternalRow, i: Int): Any = {
    val (column, at) = keys(i)
    if (row.isNullAt(at)) null else row.get(at, column.dataType)
  }
}
