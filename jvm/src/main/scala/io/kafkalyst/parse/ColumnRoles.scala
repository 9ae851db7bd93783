package io.kafkalyst.parse

import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.metadata.MetadataColumns
import io.kafkalyst.model.MetadataColumn
import io.kafkalyst.parse.grammar.KafkalystParser._
import org.antlr.v4.runtime.{ParserRuleContext, Token}
import org.apache.spark.sql.types.DataType

/** The clauses after a column's type, interpreted by the rules in `metadata`. */
private[parse] object ColumnRoles {

  /** A word's position as message parameters. */
  def at(word: Token): Seq[(String, String)] =
    Seq("line" -> word.getLine.toString, "column_at" -> (word.getCharPositionInLine + 1).toString)

  /** The position of an element's first word. */
  def at(ctx: ParserRuleContext): Seq[(String, String)] = at(ctx.getStart)

  /** The single role of a column; METADATA_ON_KEY if there are several. */
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

  /** The metadata column that a role declares; None for a key. */
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
