package io.kafkalyst.errors

/** Truncates texts of other origin for messages. */
object Clipped {

  /** @param most the maximum number of characters; `…` follows a truncated text */
  def apply(text: String, most: Int): String = if (text.length > most) text.take(most) + "…" else text

  /** Its beginning and its end if the text is longer than `most` characters: an error's cause is often named last. */
  def middle(text: String, most: Int): String =
    if (text.length > most) s"${text.take(most / 2)} … ${text.takeRight(most / 2)}" else text
}
