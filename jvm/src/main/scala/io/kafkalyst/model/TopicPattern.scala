package io.kafkalyst.model

import java.util.regex.Pattern

import io.kafkalyst.errors.KafkalystException

/**
 * The regular expression of an object's topics. Anybody who may define an object may give one, and other statements match
 * it, with locks held. Java's matching can take exponential time, and nothing cancels it, so its steps are limited.
 */
object TopicPattern {

  /**
   * Whether a topic's whole name matches.
   *
   * @throws io.kafkalyst.errors.KafkalystException PATTERN_TOO_SLOW
   */
  def matches(pattern: String, name: String): Boolean =
    found(pattern, name).getOrElse {
      throw KafkalystException("PATTERN_TOO_SLOW", "pattern" -> pattern, "topic" -> name, "steps" -> most.toString)
    }

  /** Whether a topic's whole name matches, or the matching takes too long: for patterns of other objects. */
  def mayMatch(pattern: String, name: String): Boolean = found(pattern, name).getOrElse(true)

  // Kafka's names have at most 249 characters: enough for three wildcards that are tried against each other, some 0.1 s.
  private val most = 20000000

  private def found(pattern: String, name: String): Option[Boolean] =
    try Some(Pattern.compile(pattern).matcher(new Counted(name)).matches())
    catch { case TooSlow => None }

  /** A text that is read so many times and no more. */
  private final class Counted(text: String) extends CharSequence {
    private var steps = 0

    override def charAt(i: Int): Char = {
      steps += 1
      if (steps > most) throw TooSlow
      text.charAt(i)
    }
    override def length: Int = text.length
    override def subSequence(from: Int, until: Int): CharSequence = text.subSequence(from, until)
    override def toString: String = text
  }

  private object TooSlow extends RuntimeException(null, null, false, false)
}
