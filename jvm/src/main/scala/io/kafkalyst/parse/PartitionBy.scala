package io.kafkalyst.parse

import io.kafkalyst.parse.grammar.KafkalystLexer._
import org.antlr.v4.runtime.Token

/**
 * ksqlDB's PARTITION BY at the end of a query, and its position in the text.
 *
 * @param items      the expressions, each preceded by blanks that keep its positions equal to those in the whole
 *                   statement
 * @param structured whether `STRUCT<…>` makes the key a record
 * @param from       the position of PARTITION
 * @param until      the position after the clause
 */
private[parse] final case class PartitionBy(items: Seq[String], structured: Boolean, from: Int, until: Int)

/** `GROUP BY STRUCT<a, b>`: the key is a record of these columns. */
private[parse] object GroupStruct {

  /** The positions of STRUCT and of its closing bracket. */
  def find(words: Seq[Token]): Option[(Int, Int)] = words.indices.drop(2).find { i =>
    def isWord(at: Int, text: String) = words(at).getText.equalsIgnoreCase(text)
    isWord(i, "STRUCT") && isWord(i - 1, "BY") && isWord(i - 2, "GROUP") && i + 1 < words.size && words(
      i + 1
    ).getType == LT
  }.flatMap(at => words.indices.drop(at + 2).find(words(_).getType == GT).map(at -> _))
}

private[parse] object PartitionBy {
  private val follow = Set("EMIT", "HAVING", "GROUP", "LIMIT", "ORDER", "WINDOW")

  /**
   * The clause of a query; None if it has none. The PARTITION BY of a window function is in parentheses and is Spark's.
   *
   * @param text the statement's text with names as Spark writes them; positions are those of the words
   */
  def find(words: Seq[Token], text: String): Option[PartitionBy] = {
    val depths = words.scanLeft(0) { (depth, word) =>
      word.getType match {
        case LPAREN => depth + 1
        case RPAREN => depth - 1
        case _ => depth
      }
    }
    def isWord(i: Int, text: String) = i < words.size && words(i).getText.equalsIgnoreCase(text)
    words.indices.find(i => depths(i) == 0 && isWord(i, "PARTITION") && isWord(i + 1, "BY")).map { from =>
      val until = (from + 2 until words.size)
        .find(i => depths(i) == 0 && (follow.contains(words(i).getText.toUpperCase) || words(i).getType == SEMICOLON))
        .getOrElse(words.size)
      new Clause(words, text).read(from, until)
    }
  }

  private final class Clause(words: Seq[Token], text: String) {
    private var structured = false

    def read(from: Int, until: Int): PartitionBy = {
      val items = split(from + 2, until) match {
        case Seq((start, end)) if isAround(start, end, LPAREN, RPAREN) => split(start + 1, end - 1)
        case several => several
      }
      val whole = items match {
        case Seq((start, end)) if isStructType(start) && words(end - 1).getType == GT => split(start + 2, end - 1)
        case _ => Nil
      }
      structured = whole.nonEmpty || items.exists { case (start, end) => isStruct(start) && end - start > 1 }
      val texts = (if (whole.nonEmpty) whole else items).map { case (start, end) => item(start, end) }
      PartitionBy(texts, structured, from, until)
    }

    /** `STRUCT<a, b> [AS] x`, `x STRUCT<a, b>` or any expression. */
    private def item(start: Int, end: Int): String = {
      val at = (start until end).find(isStructType)
      val close = at.map(i => closing(i + 1, end))
      (at, close) match {
        case (Some(i), Some(c)) =>
          val fields = split(i + 2, c).map { case (s, e) => item(s, e).trim }.mkString(", ")
          val alias =
            if (i == start + 1) " AS " + source(start, i) else if (c + 1 < end) " " + source(c + 1, end) else ""
          blanks(start) + s"struct($fields)$alias"
        case _ => blanks(start) + source(start, end)
      }
    }

    private def isStruct(i: Int) = words(i).getText.equalsIgnoreCase("STRUCT")
    private def isStructType(i: Int) = i + 1 < words.size && isStruct(i) && words(i + 1).getType == LT

    private def closing(open: Int, end: Int): Int = {
      var depth = 0
      (open until end).find { i =>
        if (words(i).getType == LT) depth += 1 else if (words(i).getType == GT) depth -= 1
        depth == 0
      }.getOrElse(end - 1)
    }

    private def isAround(start: Int, end: Int, open: Int, close: Int) =
      end - start > 2 && words(start).getType == open && words(end - 1).getType == close && {
        var depth = 0
        (start until end - 1).forall { i =>
          if (words(i).getType == open) depth += 1 else if (words(i).getType == close) depth -= 1
          depth > 0
        }
      }

    private def split(start: Int, end: Int): Seq[(Int, Int)] = {
      var depth = 0
      val commas = (start until end).filter { i =>
        words(i).getType match {
          case LPAREN => depth += 1
          case RPAREN => depth -= 1
          case LT if i > start && isStruct(i - 1) => depth += 1
          case GT if depth > 0 && words(i - 1).getType != MINUS => depth -= 1
          case _ =>
        }
        words(i).getType == COMMA && depth == 0
      }
      if (start >= end) Nil else (start +: commas.map(_ + 1)).zip(commas :+ end)
    }

    private def source(start: Int, end: Int) =
      text.substring(words(start).getStartIndex, words(end - 1).getStopIndex + 1)

    private def blanks(start: Int) =
      text.substring(0, words(start).getStartIndex).map(c => if (c == '\n' || c == '\r') c else ' ')
  }
}
