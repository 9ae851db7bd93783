package io.kafkalyst.read

import io.kafkalyst.formats.BadBytes
import io.kafkalyst.model.{Side, TopicColumn}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{BoundReference, EqualNullSafe}

/**
 * Handles the key's columns if the value contains them, too: fills those that a value lacks from the key, and checks
 * that both are equal if the object requires it (FLIP-107, `fields.verify-integrity`). Not thread-safe: one per task.
 *
 * @param columns  the key's columns with their ordinals in the row, which the key fills first and then the value
 * @param verifies whether key and value must agree
 */
private[read] final class KeyIntegrity(columns: Seq[(TopicColumn, Int)], verifies: Boolean) {
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

  /** Completes the row that the value has filled; the fault if key and value disagree, else null. */
  def fault(row: InternalRow): BadBytes = {
    keys.indices.foreach { i =>
      val at = keys(i)._2
      if (row.isNullAt(at) && given(i) != null) row.update(at, given(i))
    }
    val differs =
      if (!verifies) -1
      else keys.indices.indexWhere(i => same(i).eval(InternalRow(given(i), value(row, i))) == false)
    if (differs < 0) null
    else {
      val (name, found) = (keys(differs)._1.name, value(row, differs))
      new BadBytes(s"$name is ${given(differs)} in the ${Side.Key} and $found in the ${Side.Value}")
    }
  }

  /** Sets the key's columns to the key's values, after a value that could not be decoded. */
  def restore(row: InternalRow): Unit = keys.indices.foreach { i =>
    if (given(i) == null) row.setNullAt(keys(i)._2) else row.update(keys(i)._2, given(i))
  }

  private def value(row: InternalRow, i: Int): Any = {
    val (column, at) = keys(i)
    if (row.isNullAt(at)) null else row.get(at, column.dataType)
  }
}
