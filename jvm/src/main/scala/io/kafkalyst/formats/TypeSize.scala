package io.kafkalyst.formats

/**
 * Bounds what a schema becomes as a type: records that contain each other are written in few lines and become very
 * many fields, and very deep ones end the stack of whoever walks over them.
 *
 * @param refuse throws, with the reason in the user's words
 */
private[formats] final class TypeSize(refuse: String => Nothing) {
  private var fields = 0

  /**
   * @param more  fields of a record
   * @param depth what is around it
   */
  def add(more: Int, depth: Int): Unit = {
    fields += more
    if (fields > TypeSize.most) refuse(s"it has more than ${TypeSize.most} fields, those within others counted")
    if (depth > TypeSize.deepest) refuse(s"it is nested deeper than ${TypeSize.deepest}")
  }
}

private[formats] object TypeSize {
  private val most = 20000
  private val deepest = 100
}
