package io.kafkalyst.formats
package protobuf

import java.util.Locale

import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.model.{Side, SideFormat, TopicColumn}
import org.apache.spark.sql.types._

/** Validation of PROTOBUF and PROTOBUF_NOSR columns. */
private[formats] object ProtoRules {

  /**
   * @throws io.kafkalyst.errors.KafkalystException INVALID_PROPERTY, UNSUPPORTED_COLUMN_TYPE (also for a list or map
   * directly within another), or INVALID_FIELD_NAME with all names that are invalid in Protobuf
   */
  def validate(side: Side, columns: Seq[TopicColumn], as: SideFormat): Unit = {
    properties(side, as)
    FormatRules.requireTypes(as.format, side, columns, mapsInKeys = true)
    columns.foreach(c => nesting(c.name, c.dataType, isWithin = false, side, as.format))
    val bad = columns.flatMap(c => names(c.name, c.name) ++ within(c.dataType, c.name))
    FormatRules.refuseNames(as.format, side, columns.map(_.name), bad)
  }

  private def properties(side: Side, as: SideFormat): Unit = {
    def check(property: String, expected: String)(isRight: String => Boolean): Unit =
      as.options.get(property).filterNot(isRight).foreach { given =>
        val name = s"${side.name.toUpperCase(Locale.ROOT)}_$property"
        throw KafkalystException("INVALID_PROPERTY", "property" -> name, "value" -> given, "expected" -> expected)
      }
    val nulls = ProtoText.Nulls.all
    check(SideFormat.nullableRepresentation, s"${nulls.keys.mkString(" or ")} is expected")(g =>
      nulls.contains(g.toUpperCase(Locale.ROOT))
    )
    check(SideFormat.schemaFullName, "names with dots between them are expected, as my.package.Message") { given =>
      given.split("\\.", -1).forall(ProtoText.legal)
    }
  }

  private def nesting(path: String, t: DataType, isWithin: Boolean, side: Side, format: String): Unit = t match {
    case _: ArrayType | _: MapType if isWithin =>
      throw KafkalystException(
        "UNSUPPORTED_COLUMN_TYPE",
        "format" -> format,
        "side" -> side.name,
        "column" -> path,
        "type" -> t.sql,
        "hint" -> "Protobuf has no list or map right within another; put a STRUCT of one field between them."
      )
    case a: ArrayType => nesting(s"$path.element", a.elementType, isWithin = true, side, format)
    case m: MapType => nesting(s"$path.value", m.valueType, isWithin = true, side, format)
    case s: StructType => s.fields.foreach(f => nesting(s"$path.${f.name}", f.dataType, isWithin = false, side, format))
    case _ =>
  }

  private def names(name: String, path: String): Seq[String] = if (ProtoText.legal(name)) Nil else Seq(path)

  private def within(t: DataType, path: String): Seq[String] = t match {
    case s: StructType =>
      s.fields.toSeq.flatMap(f => names(f.name, s"$path.${f.name}") ++ within(f.dataType, s"$path.${f.name}"))
    case a: ArrayType => within(a.elementType, path)
    case m: MapType => within(m.valueType, path)
    case _ => Nil
  }
}
