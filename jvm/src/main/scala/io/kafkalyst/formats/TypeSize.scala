package io.kafkalyst.formats

/**
 * Limits the size of a schema's type: a short schema of records that contain each other can expand to a huge number of
 * fields, and very deep types overflow the stack of recursive visitors.
 *
 * @param refuse throws, with the reason in the user's terms
 */
private[formats] final class TypeSize(refuse: String => Nothing) {
  private var fields = 0

  /**
   * @param more  fields of a record
   * @param depth nesting depth of the record
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
