package io.kafkalyst.names

import java.util.Locale

import io.kafkalyst.model.{TopicColumn, TopicObject}
import org.apache.spark.sql.types._

/**
 * The schema that Spark sees for a topic's columns. A name without a conflict in its level stays unchanged. Names that
 * are equal ignoring case, or occur in both key and value, become `COL_<n>`, where n is the field's position in its
 * level; the same holds for nested levels. Deterministic: the same columns always give the same names (seed: quoted
 * identifiers).
 */
object InternalSchema {
  private val prefix = "COL_"

  /** One field per column, in order; a renamed field carries the external column in its metadata. */
  def of(columns: Seq[TopicColumn]): StructType = {
    val names = internal(columns.map(_.name))
    StructType(columns.zip(names).map { case (column, name) =>
      val dataType = internal(column.dataType)
      if (name == column.name && dataType == column.dataType) column.field
      else StructField(name, dataType, nullable = true, column.renamedMetadata(name))
    })
  }

  /** The schema of an object, with the columns' comments where Spark looks for them. */
  def described(o: TopicObject): StructType = StructType(o.columns.zip(of(o.columns)).map { case (column, field) =>
    o.written(column).map(_.comment).filter(_.nonEmpty).fold(field)(field.withComment)
  })

  /** External names with their internal names, nested ones as paths; empty if no field is renamed. */
  def mapping(columns: Seq[TopicColumn]): Seq[(String, String)] = {
    def nested(external: DataType, internal: DataType, path: String): Seq[(String, String)] =
      (external, internal) match {
        case (e: StructType, i: StructType) =>
          e.fields.toSeq.zip(i.fields).flatMap { case (ef, inner) =>
            val at = s"$path.${TopicColumn.quoted(ef.name)}"
            (if (ef.name == inner.name) Nil else Seq(at -> inner.name)) ++ nested(ef.dataType, inner.dataType, at)
          }
        case (e: ArrayType, i: ArrayType) => nested(e.elementType, i.elementType, s"$path.element")
        case (e: MapType, i: MapType) => nested(e.valueType, i.valueType, s"$path.value")
        case _ => Nil
      }
    columns.zip(of(columns).fields).flatMap { case (column, field) =>
      val at = TopicColumn.quoted(column.name)
      (if (column.name == field.name) Nil else Seq(at -> field.name)) ++ nested(column.dataType, field.dataType, at)
    }
  }

  /** The external type of an internal type that column pruning has left. */
  def external(pruned: DataType, internal: DataType, external: DataType): DataType =
    (pruned, internal, external) match {
      case (p: StructType, i: StructType, e: StructType) =>
        StructType(p.fields.map { field =>
          val at = i.fieldIndex(field.name)
          StructField(e(at).name, this.external(field.dataType, i(at).dataType, e(at).dataType), field.nullable)
        })
      case (ArrayType(p, nulls), i: ArrayType, e: ArrayType) =>
        ArrayType(this.external(p, i.elementType, e.elementType), nulls)
      case (MapType(k, p, nulls), i: MapType, e: MapType) =>
        MapType(k, this.external(p, i.valueType, e.valueType), nulls)
      case _ => pruned
    }

  /** Replaces the internal names of fields in a type by the external ones; other fields are unchanged. */
  def externalNames(given: DataType, internal: DataType, external: DataType): DataType =
    (given, internal, external) match {
      case (g: StructType, i: StructType, e: StructType) =>
        StructType(g.fields.map { field =>
          i.fieldNames.indexOf(field.name) match {
            case -1 => field
            case at => StructField(e(at).name, externalNames(field.dataType, i(at).dataType, e(at).dataType))
          }
        })
      case (ArrayType(g, nulls), i: ArrayType, e: ArrayType) =>
        ArrayType(externalNames(g, i.elementType, e.elementType), nulls)
      case (MapType(k, g, nulls), i: MapType, e: MapType) =>
        MapType(k, externalNames(g, i.valueType, e.valueType), nulls)
      case _ => given
    }

  private def internal(t: DataType): DataType = t match {
    case s: StructType =>
      StructType(s.fields.zip(internal(s.fieldNames.toSeq)).map { case (field, name) =>
        field.copy(name = name, dataType = internal(field.dataType))
      })
    case a: ArrayType => a.copy(elementType = internal(a.elementType))
    case m: MapType => m.copy(valueType = internal(m.valueType))
    case other => other
  }

  private def internal(names: Seq[String]): Seq[String] = {
    val same = names.groupBy(fold).collect { case (name, several) if several.size > 1 => name }.toSet
    // A column that is already named like an internal name keeps its name; numbering skips it.
    val taken = names.map(fold).toSet
    val free = Iterator.from(0).map(prefix + _).filterNot(name => taken(fold(name)))
    val byPlace = names.map(_ => free.next())
    names.zip(byPlace).map { case (name, col) => if (same(fold(name))) col else name }
  }

  private def fold(name: String) = name.toLowerCase(Locale.ROOT)
}
