package io.kafkalyst.errors

/** Truncates texts of other origin for messages. */
object Clipped {

  /** @param most the maximum number of characters; `…` follows a truncated text */
  def apply(text: String, most: Int): String = if (text.length > most) text.take(most) + "…" else text
}
