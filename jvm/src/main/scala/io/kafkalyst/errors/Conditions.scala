package io.kafkalyst.errors

import java.util.Locale

import scala.jdk.CollectionConverters._
import scala.util.matching.Regex

import com.fasterxml.jackson.databind.ObjectMapper

/** One named error condition: its SQLSTATE and its message template, with `<name>` for parameters. */
final case class Condition(name: String, sqlState: String, template: String) {

  /**
   * The message for a user: `[NAME] text SQLSTATE: xxxxx`, in the form of Spark's own errors.
   *
   * @param place a sentence that follows the text; empty if there is none
   */
  def message(parameters: Map[String, String], place: String = ""): String = {
    // In one pass, as a value may contain text that looks like a parameter.
    val text = Condition.parameter.replaceAllIn(
      template,
      found => Regex.quoteReplacement(Printable.lines(parameters.getOrElse(found.group(1), found.matched)))
    )
    val whole = if (place.isEmpty) text else s"$text $place"
    s"[$name] $whole SQLSTATE: $sqlState"
  }
}

private object Condition {
  val parameter: Regex = "<([a-z_]+)>".r
}

/** All error texts, read once from `error/kafkalyst-conditions.json`, their only source. */
object Conditions {
  val prefix = "KAFKALYST_"

  lazy val all: Map[String, Condition] = {
    val in = getClass.getResourceAsStream("/error/kafkalyst-conditions.json")
    try {
      new ObjectMapper()
        .readTree(in)
        .properties()
        .asScala
        .map { entry =>
          val name = prefix + entry.getKey
          val lines = entry.getValue.get("message").elements().asScala.map(_.asText).mkString("\n")
          name -> Condition(name, entry.getValue.get("sqlState").asText, lines)
        }
        .toMap
    } finally in.close()
  }

  /** The condition of that short name (without the prefix); an unknown name is an internal error. */
  def apply(name: String): Condition =
    all.getOrElse(prefix + name, throw new IllegalStateException(s"no such error condition: $name"))

  /** The known word nearest to the given one, as ` Did you mean "x"?`; empty if none is similar. */
  def nearest(word: String, known: Iterable[String]): String = {
    val wanted = word.toLowerCase(Locale.ROOT)
    known.map(k => (distance(wanted, k.toLowerCase(Locale.ROOT)), k)).filter(
      _._1 <= 1 + wanted.length / 3
    ).toSeq.sorted.headOption match {
      case Some((_, k)) => s""" Did you mean "$k"?"""
      case None => ""
    }
  }

  /** Whether the word is probably a known one with a typing error: one letter is wrong, or two of a long word. */
  def isMisspelt(word: String, known: Iterable[String]): Boolean = isNear(word, known, if (word.length < 8) 1 else 2)

  /** Whether the word is a known one with at least one and at most so many wrong letters. */
  def isNear(word: String, known: Iterable[String], most: Int): Boolean = {
    val wanted = word.toLowerCase(Locale.ROOT)
    val distances =
      known.filter(k => (k.length - word.length).abs <= most).map(k => distance(wanted, k.toLowerCase(Locale.ROOT)))
    !distances.exists(_ == 0) && distances.exists(_ <= most)
  }

  /**
   * Names as a list for a message. A long list is truncated: Connect's clients receive no error condition if its
   * parameters exceed 1,024 characters.
   */
  def listed(names: Seq[String]): String = {
    val fit = names.scanLeft(0)(_ + _.length + 2).drop(1).count(_ <= 600)
    if (fit == names.size) names.mkString(", ")
    else s"${names.take(fit).mkString(", ")} and ${names.size - fit} more, on the pages of the reference"
  }

  /** Letters that are wrong, missing or too many; two swapped ones count as one. */
  private def distance(a: String, b: String): Int = {
    val rows = Array.tabulate(a.length + 1, b.length + 1)((i, j) => if (i == 0) j else i)
    for (i <- 1 to a.length; j <- 1 to b.length) {
      val change = if (a(i - 1) == b(j - 1)) 0 else 1
      val other = math.min(math.min(rows(i - 1)(j), rows(i)(j - 1)) + 1, rows(i - 1)(j - 1) + change)
      val swapped = i > 1 && j > 1 && a(i - 1) == b(j - 2) && a(i - 2) == b(j - 1)
      rows(i)(j) = if (swapped) math.min(other, rows(i - 2)(j - 2) + 1) else other
    }
    rows(a.length)(b.length)
  }
}
