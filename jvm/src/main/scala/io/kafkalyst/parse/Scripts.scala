package io.kafkalyst.parse

import java.util.Locale

import io.kafkalyst.parse.grammar.KafkalystLexer.SEMICOLON
import io.kafkalyst.parse.quotes.Backslashes
import org.antlr.v4.runtime.Token

import scala.annotation.tailrec
import scala.collection.mutable.ArrayBuffer

/** Scripts of statements separated by semicolons. */
private[parse] object Scripts {

  /** The statements of a script, each with its first line, counted from 1. */
  def split(script: String): Seq[(Int, String)] = {
    val words = new Tokens(readable(script)).all
    val ends = semicolons(words) :+ words.size
    (-1 +: ends).zip(ends).collect {
      case (before, end) if end - before > 1 =>
        val last = words(end - 1).getStopIndex + 1
        val until = if (end < words.size) words(end).getStartIndex else script.length
        val stop = last + hint(script.substring(last, until))
        (words(before + 1).getLine, script.substring(words(before + 1).getStartIndex, stop))
    }
  }

  /**
   * The script, in which statements that are whole only if a backslash is an ordinary character have other characters
   * instead of backslashes. The front door reads their texts in the same way, see [[Backslashes]].
   */
  private def readable(script: String): String =
    if (!Backslashes.mayHide(script)) script
    else {
      val ordinary = Backslashes.ordinary(script)
      val read = new StringBuilder(script)
      @tailrec def from(at: Int): Unit = {
        val own = first(script, at)
        if (own.nonEmpty) {
          val (begin, end) = (at + own.head.getStartIndex, at + own.last.getStopIndex + 1)
          lazy val others = first(ordinary, begin)
          lazy val until = begin + others.last.getStopIndex + 1
          if (!isWhole(own) && Backslashes.mayHide(script.substring(begin, until)) && isWhole(others)) {
            read.replace(begin, until, ordinary.substring(begin, until))
            from(until)
          } else from(end)
        }
      }
      from(0)
      read.toString
    }

  /** The words of the first statement from a place on, with its semicolon; up to a word that no statement has. */
  private def first(script: String, at: Int): IndexedSeq[Token] = {
    val words = new Tokens(script.substring(at))
    val own = ArrayBuffer.empty[Token]
    def isLast(word: Token) = Backslashes.isBroken(word) ||
      word.getType == SEMICOLON && mayEnd(own) && semicolons(own.toIndexedSeq).nonEmpty
    while (words(own.size) != null && !own.lastOption.exists(isLast)) own += words(own.size)
    own.toIndexedSeq
  }

  /** A semicolon at the end belongs to a block that is open, unless it ends the statement. */
  private def isWhole(words: IndexedSeq[Token]) =
    Backslashes.isWhole(words) && (words.last.getType != SEMICOLON || semicolons(words).nonEmpty)

  /** Spares long blocks, each semicolon of which would be looked at from the beginning. */
  private def mayEnd(own: ArrayBuffer[Token]) =
    !own.take(5).exists(upper(_) == "BEGIN") || own.takeRight(3).exists(upper(_) == "END")

  /**
   * The semicolons that end a statement; Spark's scripts and Flink's statement sets are one statement from BEGIN to
   * END.
   */
  private def semicolons(words: IndexedSeq[Token]): IndexedSeq[Int] = {
    var (first, depth) = (0, 0)
    words.indices.filter { i =>
      if (depth > 0 || isBlock(words, first, i)) depth += nesting(words, i)
      val ends = words(i).getType == SEMICOLON && depth == 0
      if (ends) first = i + 1
      ends
    }
  }

  /** Whether the first words of a statement, up to the i-th, open a block, which may have a label. */
  private def isBlock(words: IndexedSeq[Token], first: Int, i: Int): Boolean =
    upper(words(i)) == "BEGIN" && (words.slice(first, i.min(first + heads)).map(upper) match {
      case Seq() | Seq(_, ":") | Seq("EXECUTE", "STATEMENT", "SET") => true
      // PLAN FOR, details or EXECUTE may be between.
      case "EXPLAIN" +: others => others.takeRight(2) == Seq("STATEMENT", "SET")
      case _ => false
    })

  /** More words than stand before BEGIN in any statement. */
  private val heads = 16

  /** What a word in a block adds to its depth; a name after a dot or AS adds nothing. */
  private def nesting(words: IndexedSeq[Token], i: Int): Int = {
    def at(place: Int) = words.lift(place).fold("")(upper)
    at(i) match {
      case _ if at(i - 1) == "." || at(i - 1) == "AS" => 0
      case "BEGIN" => 1
      case "CASE" if at(i - 1) != "END" => 1
      case "END" if !loops(at(i + 1)) => -1
      case _ => 0
    }
  }

  /** Constructs that `END IF` etc. close; their openings do not count as nesting. */
  private val loops = Set("IF", "WHILE", "LOOP", "REPEAT", "FOR")

  private def upper(word: Token) = word.getText.toUpperCase(Locale.ROOT)

  /** The length of what follows a statement's last word, up to the end of a hint; 0 without one. */
  private def hint(behind: String): Int = if (behind.contains("/*+")) behind.lastIndexOf("*/") + 2 else 0
}
