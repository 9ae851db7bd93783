package io.kafkalyst.formats
package json

import io.kafkalyst.model.SideFormat
import org.apache.spark.sql.catalyst.InternalRow

/**
 * Handling of fields that do not fit a column; by default they make the value bad.
 *
 * @param nullBad whether a field that does not fit is null
 * @param require whether a field must be present
 * @param closed  whether a field must have a column
 * @param coerce  whether values of other forms are converted, as Flink does
 * @param texts   whether dates and times are texts, and never numbers
 * @param ksqldb  whether an array in a STRING is Java's text of it, blanks around a number in a string are bad, a
 *                number in a string may be a date or time, and a field of another name is that of the name in upper case
 */
private[formats] final case class JsonStrictness(
    nullBad: Boolean = false,
    require: Boolean = false,
    closed: Boolean = false,
    coerce: Boolean = false,
    texts: Boolean = false,
    ksqldb: Boolean = false
)

private[formats] object JsonStrictness {
  def of(request: DecodeRequest, shape: JsonShape): JsonStrictness = {
    import request.format.isSet
    // With a schema, NewFields finds new fields.
    val closed = request.isClosed && shape == JsonShape.Free
    JsonStrictness(
      isSet(SideFormat.nullBadFields),
      isSet(SideFormat.requireFields),
      closed,
      isSet(SideFormat.coerce),
      request.format.hasTextTimes,
      isSet(SideFormat.likeKsqldb)
    )
  }
}

/**
 * Reads the fields of an object into one row; skips all others.
 *
 * @param readers  per column; null if not required
 * @param ordinals per column; unused if not required
 */
private[formats] final class JsonFields(
    columns: Seq[String],
    readers: Array[JsonReader],
    ordinals: Array[Int],
    strictness: JsonStrictness = JsonStrictness()
) extends JsonReader {
  private val names = new JsonNames(columns, strictness.ksqldb)
  private val asked = ordinals.indices.filter(readers(_) != null).map(ordinals).toArray
  // The last object in which a field matched the column, and the last in which one matched exactly: after that, matches
  // that ignore case no longer count. Objects are numbered, so that nothing has to be reset.
  private val there = new Array[Long](columns.size)
  private val exactly = new Array[Long](columns.size)
  private var objects = 0L

  override def read(p: JsonInput): Any = throw new IllegalStateException("fields belong to a row")

  override def into(p: JsonInput, row: InternalRow, unused: Int): Unit = {
    if (p.head != '{') p.mismatch("an object")
    clear(row)
    objects += 1
    val mine = objects
    var name = names.start
    p.enter()
    while (p.nextField()) {
      name = names.next(p, name)
      val column = name.column
      if (column < 0 && strictness.closed) throw NewFields.bad("it has", Seq(p.where))
      if (column < 0 || readers(column) == null || !name.exact && exactly(column) == mine) p.skip()
      else {
        if (name.exact) exactly(column) = mine
        there(column) = mine
        if (JsonReader.isNull(p)) row.setNullAt(ordinals(column))
        else if (strictness.nullBad) fitting(p, row, column)
        else readers(column).into(p, row, ordinals(column))
      }
    }
    if (strictness.require) requireAll(p)
  }

  /** Reads the field, or sets null if it does not fit. */
  private def fitting(p: JsonInput, row: InternalRow, column: Int): Unit = {
    val (at, level) = (p.at, p.level)
    try p.quietly(readers(column).into(p, row, ordinals(column)))
    catch {
      case _: BadBytes =>
        p.backTo(at, level)
        p.skip()
        row.setNullAt(ordinals(column))
    }
  }

  private def requireAll(p: JsonInput): Unit = {
    var i = 0
    while (i < readers.length) {
      if (readers(i) != null && there(i) != objects) p.bad(s"no field ${columns(i)}")
      i += 1
    }
  }

  private def clear(row: InternalRow): Unit = {
    var i = 0
    while (i < asked.length) {
      row.setNullAt(asked(i))
      i += 1
    }
  }
}
