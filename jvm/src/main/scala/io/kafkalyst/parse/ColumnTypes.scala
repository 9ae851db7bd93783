package io.kafkalyst.parse

import java.util.Locale

import io.kafkalyst.errors.Conditions
import io.kafkalyst.parse.grammar.KafkalystLexer
import org.antlr.v4.runtime.Token
import org.apache.spark.SparkThrowable
import org.apache.spark.sql.catalyst.util.QuotingUtils.quoteIdentifier

/**
 * Translates the types of declared columns to Spark's syntax.
 *
 * @param upper     whether unquoted names are folded
 * @param namedType the type, in Spark's syntax, that CREATE TYPE gave this name
 */
private[parse] final class ColumnTypes(upper: Boolean, namedType: String => Option[String]) {

  /** The type in Spark's syntax: BYTES becomes BINARY, and VARCHAR without a length becomes STRING. */
  def spelled(written: String): String = {
    val words = new Tokens(written).all
    val out = new java.lang.StringBuilder(written)
    words.zipWithIndex.reverse.foreach { case (word, i) =>
      val hasLength = i + 1 < words.size && words(i + 1).getType == KafkalystLexer.LPAREN
      val isField = i + 1 < words.size && startsType(words(i + 1))
      val replacement = word.getType match {
        case KafkalystLexer.QUOTED => Some(quoteIdentifier(Names.of(word)))
        case _ if !isField && Names.isBare(word) =>
          word.getText.toUpperCase(Locale.ROOT) match {
            case "BYTES" => Some("BINARY")
            case "VARCHAR" if !hasLength => Some("STRING")
            case "VARCHAR" if words.lift(i + 2).exists(_.getText.equalsIgnoreCase("STRING")) =>
              out.delete(words(i + 1).getStartIndex, words(i + 3).getStopIndex + 1)
              Some("STRING")
            case other => namedType(other)
          }
        // Keywords are valid field names; so are `2y` and `a@b`, which Spark accepts only in quotes.
        case kind if upper && isField && (Names.isBare(word) || kind == KafkalystLexer.DIGIT_NAME) =>
          Some(quoteIdentifier(Names.of(word, upper)))
        case _ => None
      }
      replacement.foreach(out.replace(word.getStartIndex, word.getStopIndex + 1, _))
    }
    out.toString
  }

  /** Whether a type follows this word, so that the word is a field's name. */
  private def startsType(next: Token): Boolean =
    next.getType == KafkalystLexer.IDENTIFIER || next.getType == KafkalystLexer.COLON
}

private[parse] object ColumnTypes {
  private val known = Seq("BOOLEAN", "TINYINT", "SMALLINT", "INT", "BIGINT", "FLOAT", "DOUBLE", "DECIMAL", "STRING") ++
    Seq("VARCHAR", "CHAR", "BINARY", "BYTES", "DATE", "TIME", "TIMESTAMP", "TIMESTAMP_NTZ", "INTERVAL") ++
    Seq("VARIANT")
  private val nested = Seq("ARRAY", "MAP", "STRUCT")

  /**
   * The parameters of UNKNOWN_TYPE: the unknown type, and the known type with the nearest name.
   *
   * @param e       Spark's error, which may name the unknown type within an ARRAY, MAP or STRUCT
   * @param written the whole type
   */
  def unknown(e: SparkThrowable, written: String): Seq[(String, String)] = {
    val refused = Option(e.getMessageParameters.get("typeName")).map(_.replace("\"", ""))
    val name = refused.getOrElse(written)
    val shown = if (nested.exists(_.equalsIgnoreCase(name))) s"$name without types within, as in ARRAY<INT>" else name
    val nearest =
      if (refused.exists(_.equalsIgnoreCase("TIME"))) " It came with Spark 4.1."
      else Conditions.nearest(shown, known ++ nested)
    Seq("unknown" -> shown, "nearest" -> nearest)
  }
}
