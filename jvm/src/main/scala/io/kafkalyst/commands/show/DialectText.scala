package io.kafkalyst.commands
package show

import io.kafkalyst.metadata.WindowedKey
import io.kafkalyst.model._
import io.kafkalyst.model.flink.{FlinkProperties, TableElement, TablePart}
import org.apache.spark.sql.catalyst.util.QuotingUtils.quoteIdentifier
import org.apache.spark.sql.types._

/** What the statements of all dialects share: columns, properties, and comments on what a dialect does not have. */
private[show] object DialectText {

  /** Whether the column's field of a derived schema is required. */
  def isRequired(o: TopicObject, c: TopicColumn): Boolean = Side.all.exists { side =>
    o.isIn(c, side) && o.format(side).options.get(SideFormat.requiredFields)
      .exists(FlinkProperties.list(_).contains(o.named(c, side).name))
  }

  /** Whether the object is read-only. */
  def isSource(o: TopicObject): Boolean = o.options.contains(TopicObject.readOnly)

  /** The declared columns, without those that a named schema defines, and without window bounds. */
  def lines(o: TopicObject, computed: ComputedColumn => String, typed: TopicColumn => String)(
      role: TopicColumn => String
  ): Seq[TableElement] = {
    def isFound(c: TopicColumn) = Side.all.exists(s => c.isIn(s) && isGiven(o.format(s)))
    val declared = o.columns.map { c =>
      if (isFound(c) || WindowedKey.isBound(c)) None
      else Some(TableElement(
        if (c.metadata.isDefined) TablePart.Metadata else TablePart.Column,
        c.name,
        s"${quoteIdentifier(c.name)} ${typed(c)}${role(c)}"
      ))
    }
    val all = o.computed.foldLeft(declared) { (columns, c) =>
      val sql = s"${quoteIdentifier(c.name)} AS ${computed(c)}" +
        Some(o.comment(c)).filter(_.nonEmpty).fold("")(comment => s" COMMENT ${flinkText(comment)}")
      columns.patch(c.place, Seq(Some(TableElement(TablePart.Generated, c.name, sql))), 0)
    }
    all.flatten ++ o.watermark.map { w =>
      TableElement(TablePart.Watermarks, "", s"WATERMARK FOR ${quoteIdentifier(w.column)} AS ${w.sql}")
    }
  }

  /** Whether the side's columns come from a schema that the statement named. */
  def isGiven(as: SideFormat): Boolean =
    as.options.contains(SideFormat.givenId) || as.options.contains(SideFormat.types)

  /** Notes on schema ids that no dialect can declare beside columns. */
  def ids(o: TopicObject): Seq[String] = Side.all.flatMap { side =>
    o.format(side).schemaId.filterNot(_ => isGiven(o.format(side))).map(id => s"the $side has the schema id $id")
  }

  /** SQL comments on what the dialect does not have, and further notes; a line each. */
  def comments(language: String, beyond: Seq[String], more: Seq[String]): String =
    ((if (beyond.isEmpty) Nil else Seq(s"beyond $language: ${beyond.distinct.mkString(", ")}")) ++ more)
      .map(line => s"-- ${line.replaceAll("[\r\n]", " ")}\n").mkString

  /** The statement from its parts, each of them in the dialect's syntax. */
  def statement(
      head: String,
      columns: Seq[String],
      properties: Seq[String],
      comment: Option[String] = None,
      partitions: String = ""
  ): String = {
    def list(items: Seq[String]) = items.mkString("(\n  ", ",\n  ", "\n)")
    val said = comment.fold("")(c => s" COMMENT ${flinkText(c)}")
    head + (if (columns.isEmpty) "" else " " + list(columns)) + said + partitions + " WITH " + list(properties)
  }

  /** A text literal. */
  def text(value: String): String = s"'${value.replace("'", "''")}'"

  /**
   * A text literal that Flink and Kafkalyst read alike: Flink has no escapes by backslash, but here a backslash keeps
   * the quote behind it from ending the text.
   */
  def flinkText(value: String): String =
    if (endsLate.findFirstIn(value).isEmpty) text(value) else s"U&${text(value.replace("\\", "\\\\"))}"

  private val endsLate = """\\('|$)""".r

  /** A type's name in a dialect; Spark's name if the dialect has no other. */
  def typeName(dataType: DataType, names: Map[DataType, String]): String = dataType match {
    case a: ArrayType => s"ARRAY<${typeName(a.elementType, names)}>"
    case m: MapType => s"MAP<${typeName(m.keyType, names)}, ${typeName(m.valueType, names)}>"
    case s: StructType =>
      s.fields.map(f => s"${quoteIdentifier(f.name)} ${typeName(f.dataType, names)}")
        .mkString(s"${names.getOrElse(StructType(Nil), "STRUCT")}<", ", ", ">")
    case other => names.getOrElse(other, other.sql)
  }
}
