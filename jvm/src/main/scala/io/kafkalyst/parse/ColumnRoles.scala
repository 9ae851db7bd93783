package io.kafkalyst.parse

import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.metadata.MetadataColumns
import io.kafkalyst.model.MetadataColumn
import io.kafkalyst.parse.grammar.KafkalystParser._
import org.antlr.v4.runtime.ParserRuleContext
import org.apache.spark.sql.types.DataType

/** What stands behind a column's type, read by the rules of the metadata room. */
private[parse] object ColumnRoles {

  /** The place of a word as parameters of a message. */
  def at(ctx: ParserRuleContext): Seq[(String, String)] =
    Seq("line" -> ctx.getStart.getLine.toString, "column_at" -> (ctx.getStart.getCharPositionInLine + 1).toString)

  /** The one role of a column; METADATA_ON_KEY where there are several. */
  def only(column: String, roles: Seq[ColumnRoleContext]): Option[ColumnRoleContext] = {
    if (roles.size > 1) {
      val words = roles.map {
        case k: KeyRoleContext => if (k.PRIMARY == null) "KEY" else "PRIMARY KEY"
        case _: MetadataRoleContext => "METADATA"
        case _: HeadersRoleContext => "HEADERS"
        case _ => "HEADER"
      }
      throw KafkalystException(
        "METADATA_ON_KEY",
        at(roles(1)) ++ Seq("column" -> column, "roles" -> words.mkString(", ")): _*
      )
    }
    roles.headOption
  }

  /** The metadata that a role says; None for a key's. */
  def metadata(column: String, dataType: DataType, role: ColumnRoleContext): Option[MetadataColumn] = role match {
    case m: MetadataRoleContext =>
      val from = Option(m.STRING).map(s => Names.string(s.getSymbol))
      Some(MetadataColumns.metadata(column, dataType, from, m.VIRTUAL != null, at(m)))
    case h: HeadersRoleContext => Some(MetadataColumns.headers(column, dataType, at(h)))
    case h: HeaderRoleContext =>
      Some(MetadataColumns.header(column, dataType, Names.string(h.STRING.getSymbol), at(h)))
    case _ => None
  }
}
