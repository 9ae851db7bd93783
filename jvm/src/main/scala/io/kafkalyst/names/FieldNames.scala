package io.kafkalyst.names

import io.kafkalyst.model.TopicColumn
import org.apache.spark.sql.types._

/** Resolves names: an exact match first, else the only match ignoring case. */
object FieldNames {

  /** The indexes of the candidates that a name matches; several only if it is ambiguous. */
  def matches(name: String, candidates: Seq[String]): Seq[Int] = {
    val exact = candidates.indices.filter(candidates(_) == name)
    if (exact.nonEmpty) exact else candidates.indices.filter(candidates(_).equalsIgnoreCase(name))
  }

  /**
   * Converts a user-written path into a value to internal names.
   *
   * @return None unless it leads to exactly one field; Spark's own error then reports it
   */
  def internalPath(path: Seq[String], external: DataType, internal: DataType): Option[Seq[String]] =
    if (path.isEmpty) Some(Nil)
    else
      (external, internal) match {
        case (e: StructType, i: StructType) =>
          matches(path.head, e.fieldNames.toSeq) match {
            case Seq(at) => internalPath(path.tail, e(at).dataType, i(at).dataType).map(i(at).name +: _)
            case _ => None
          }
        case (e: ArrayType, i: ArrayType) => internalPath(path, e.elementType, i.elementType)
        case (e: MapType, i: MapType) => internalPath(path.tail, e.valueType, i.valueType).map(path.head +: _)
        case _ => None
      }

  /** Each name of a path with the field names of the struct that it is resolved in, as far as the path resolves. */
  def levels(path: Seq[String], dataType: DataType): Seq[(String, Seq[String])] =
    (path, dataType) match {
      case (name +: rest, s: StructType) =>
        val below = matches(name, s.fieldNames.toSeq) match {
          case Seq(at) => levels(rest, s(at).dataType)
          case _ => Nil
        }
        (name -> s.fieldNames.toSeq) +: below
      case (_, a: ArrayType) => levels(path, a.elementType)
      case (_ +: rest, m: MapType) => levels(rest, m.valueType)
      case _ => Nil
    }

  /** External and internal names of renamed nested fields, at any depth. */
  def renamedFields(columns: Seq[TopicColumn]): Seq[(String, String)] = {
    def within(external: DataType, internal: DataType): Seq[(String, String)] = (external, internal) match {
      case (e: StructType, i: StructType) =>
        e.fields.toSeq.zip(i.fields).flatMap { case (ef, in) =>
          (if (ef.name == in.name) Nil else Seq(ef.name -> in.name)) ++ within(ef.dataType, in.dataType)
        }
      case (e: ArrayType, i: ArrayType) => within(e.elementType, i.elementType)
      case (e: MapType, i: MapType) => within(e.valueType, i.valueType)
      case _ => Nil
    }
    columns.zip(InternalSchema.of(columns)).flatMap { case (c, f) => within(c.dataType, f.dataType) }.distinct
  }
}
