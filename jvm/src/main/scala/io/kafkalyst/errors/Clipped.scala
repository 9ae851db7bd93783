package io.kafkalyst.errors

/** Texts of others in messages: a long one by its beginning. */
object Clipped {

  /** @param most how many characters are shown, with `…` behind them if there are more */
  def apply(text: String, most: Int): String = if (text.length > most) text.take(most) + "…" else text
}
