package io.kafkalyst.formats
package delimited

import io.kafkalyst.model.SideFormat

/** The syntax of a side's lines, from its options; except for the delimiter. */
private[delimited] final class LineSyntax(as: SideFormat) {
  private def flag(option: String, default: Boolean) =
    as.options.get(option).fold(default)(_.equalsIgnoreCase("true"))
  val quote: Option[Char] =
    as.options.get(SideFormat.quote).fold(Option('"'))(q => if (q == SideFormat.none) None else q.headOption)
  val escape: Option[Char] = as.options.get(SideFormat.escape).flatMap(_.headOption)
  val nullLiteral: Option[String] = as.options.get(SideFormat.nullLiteral)
  private val empty = as.options.getOrElse(SideFormat.emptyIsNull, "true")
  val emptyIsNull: Boolean = !empty.equalsIgnoreCase("false")

  /** Whether an empty field in quotes is null, too. */
  val quotedIsNull: Boolean = empty.equalsIgnoreCase(SideFormat.always)
  val arrayDelimiter: String = as.options.getOrElse(SideFormat.arrayDelimiter, ";")
  val likeKsqldb: Boolean = as.isSet(SideFormat.likeKsqldb)
  val coerces: Boolean = flag(SideFormat.coerce, default = false)
  val hasTextTimes: Boolean = as.hasTextTimes
  val writesExponents: Boolean =
    as.options.get(SideFormat.decimalForm).exists(_.equalsIgnoreCase(SideFormat.scientific))
  val allowsComments: Boolean = flag(SideFormat.allowComments, default = false)
}
