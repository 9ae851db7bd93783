package io.kafkalyst.parse

import java.util.Locale

import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.parse.Edit.blank
import org.antlr.v4.runtime.Token

/** The types that ksqlDB's dialect accepts. */
private[parse] object KsqlTypes {

  /**
   * A column's type without the parameters that ksqlDB ignores.
   *
   * @param namedType the type that CREATE TYPE gave this name
   * @param at        the column's position, for messages
   */
  def plain(written: String, namedType: String => Option[String], at: Seq[(String, String)]): String = {
    val words = new Tokens(written).all
    check(words, namedType)(_ => at)
    Edit.all(written, words.indices.flatMap(ignored(words, _)).map(blank))
  }

  /**
   * @throws io.kafkalyst.errors.KafkalystException DECIMAL_DIGITS for a DECIMAL without precision and scale, for which
   *         Spark has defaults; TYPE_NOT_IN_KSQLDB for types that only Spark has
   */
  def check(words: Seq[Token], namedType: String => Option[String])(at: Token => Seq[(String, String)]): Unit =
    words.indices.filterNot(isField(words, _)).foreach { i =>
      val name = words(i).getText.toUpperCase(Locale.ROOT)
      if (name == "DECIMAL" && !hasDigits(words.slice(i + 1, i + 6).map(_.getText)))
        throw KafkalystException("DECIMAL_DIGITS", at(words(i)): _*)
      others.get(name).filter(_ => Names.isBare(words(i)) && namedType(name).isEmpty).foreach(instead =>
        throw KafkalystException("TYPE_NOT_IN_KSQLDB", at(words(i)) ++ Seq("type" -> name, "instead" -> instead): _*)
      )
    }

  /** The words of the parameters after the type at an index: ksqlDB reads `VARCHAR(5)` and ignores the 5. */
  def ignored(words: Seq[Token], i: Int): Seq[Token] =
    if (!primitives(words(i).getText.toUpperCase(Locale.ROOT)) || !is(words, i + 1, "(")) Nil
    else words.slice(i + 1, words.indexWhere(_.getText == ")", i) + 1)

  private val primitives =
    Set("BOOLEAN", "INT", "INTEGER", "BIGINT", "DOUBLE", "STRING", "VARCHAR", "BYTES", "DATE", "TIME", "TIMESTAMP")

  /** Types of Spark and of other databases, and ksqlDB's types for their values. */
  private val others = Seq(
    "INT" -> Seq("TINYINT", "BYTE", "SMALLINT", "SHORT"),
    "BIGINT" -> Seq("LONG"),
    "DOUBLE" -> Seq("FLOAT", "REAL"),
    "DECIMAL(precision, scale)" -> Seq("DEC", "NUMERIC"),
    "STRING" -> Seq("CHAR", "CHARACTER", "TEXT", "VARIANT"),
    "BYTES" -> Seq("VARBINARY", "BLOB"),
    "TIMESTAMP" -> Seq("TIMESTAMP_NTZ", "TIMESTAMP_LTZ", "DATETIME"),
    "BIGINT with a number of milliseconds" -> Seq("INTERVAL")
  ).flatMap { case (instead, names) => names.map(_ -> instead) }.toMap

  /** Whether the word is the name of a STRUCT's field, and not a type before the suffix ARRAY. */
  private def isField(words: Seq[Token], i: Int) = words.lift(i + 1).exists { next =>
    val isSuffix = next.getText.equalsIgnoreCase("ARRAY") && !is(words, i + 2, "<")
    Names.isBare(next) && !isSuffix || is(words, i + 1, ":")
  }

  private def hasDigits(behind: Seq[String]): Boolean = behind match {
    case Seq("(", precision, ",", scale, ")") => precision.toIntOption.exists(_ > 0) && scale.toIntOption.isDefined
    case _ => false
  }

  private def is(words: Seq[Token], i: Int, sign: String) = words.lift(i).exists(_.getText == sign)
}
