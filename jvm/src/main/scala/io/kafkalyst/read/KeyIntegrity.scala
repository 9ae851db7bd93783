package io.kafkalyst.read

import io.kafkalyst.formats.BadBytes
import io.kafkalyst.model.{Side, TopicColumn}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{BoundReference, EqualNullSafe}

/**
 * Whether a record's value says of the key's columns what its key says (FLIP-107, `fields.verify-integrity`). Not
 * thread-safe: one per task.
 *
 * @param columns the key's columns with their places in the row, which first the key fills and then the value
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

  /** Takes note of what the key says. */
  def note(row: InternalRow): Unit = keys.indices.foreach(i => given(i) = value(row, i))

  /**
   * What is wrong now that the row has what the value says; null where both say the same. Of a column that the value
   * does not tell, the row has what the key says.
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
