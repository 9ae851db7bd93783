package io.kafkalyst.formats
package json

import org.apache.spark.sql.catalyst.expressions.GenericInternalRow
import org.apache.spark.sql.types._

/**
 * A `oneOf` as in Kafka Connect: a struct of the alternatives. A value is read as the first alternative of its kind, an
 * object as the alternative that has most of its fields.
 */
private[formats] object JsonOneOf {
  private val prefix = "io.confluent.connect.json.OneOf.field."

  /** Connect's name for the alternative of this index. */
  def field(index: Int): String = s"$prefix$index"

  /** Whether a type, or one within it, is a struct of alternatives. */
  def isIn(t: DataType): Boolean = t match {
    case s: StructType => is(s) || s.exists(f => isIn(f.dataType))
    case a: ArrayType => isIn(a.elementType)
    case m: MapType => isIn(m.valueType)
    case _ => false
  }

  def is(s: StructType): Boolean =
    s.nonEmpty && s.fieldNames.forall(_.regionMatches(true, 0, prefix, 0, prefix.length))

  /** For each alternative the ordinal of its field, or -1. */
  def ordinals(t: StructType, shape: JsonShape.OneOf): Array[Int] =
    shape.members.indices.map(i => t.fieldNames.indexWhere(_.equalsIgnoreCase(field(i)))).toArray

  /**
   * A value of another kind than all alternatives, or of one without a field, is a mismatch.
   *
   * @param of makes the reader of an alternative of this type and shape
   */
  final class Reader(t: StructType, shape: JsonShape.OneOf)(of: (DataType, JsonShape) => JsonReader)
      extends JsonReader {
    private val at = ordinals(t, shape)
    private val shapes = shape.members.map(_.get).toArray
    private val readers = at.zip(shapes).map { case (i, s) => if (i < 0) null else of(t(i).dataType, s) }

    override def read(p: JsonInput): Any = {
      val chosen = shapes.indexWhere(isOfKind(p, _)) match {
        case -1 if p.head == '{' => ofObject(p)
        case found => found
      }
      if (chosen < 0 || at(chosen) < 0) p.mismatch(t.sql)
      p.count(t.length + 1)
      val row = new GenericInternalRow(t.length)
      row.update(at(chosen), readers(chosen).read(p))
      row
    }

    private def isOfKind(p: JsonInput, s: JsonShape): Boolean = s match {
      case JsonShape.Scalar(_, JsonShape.Boolean, _) => p.head == 't' || p.head == 'f'
      case JsonShape.Scalar(_, JsonShape.Text | _: JsonShape.Unscaled, _) => p.head == '"'
      case JsonShape.Scalar(_: DoubleType | _: FloatType | _: DecimalType, _, _) => p.isNumber
      case _: JsonShape.Scalar => p.isNumber && isWhole(p)
      case _: JsonShape.Items | _: JsonShape.Entries => p.head == '['
      case _: JsonShape.Members => p.head == '{'
      case _ => false
    }

    private def isWhole(p: JsonInput): Boolean = peeked(p) {
      p.skipNumber()
      p.isWholeNumber
    }

    /** The object alternative with most of the object's fields; -1 if none is an object. */
    private def ofObject(p: JsonInput): Int = {
      val names = peeked(p) {
        val all = Set.newBuilder[String]
        p.enter()
        while (p.nextField()) {
          all += p.readKey().toString
          p.skip()
        }
        all.result()
      }
      val counts = shapes.map {
        case f: JsonShape.Fields => f.fields.count(field => names(field.name))
        case _ => -1
      }
      if (counts.max < 0) -1 else counts.indexOf(counts.max)
    }

    private def peeked[T](p: JsonInput)(look: => T): T = {
      val (position, level) = (p.at, p.level)
      val seen = look
      p.backTo(position, level)
      seen
    }
  }
}
