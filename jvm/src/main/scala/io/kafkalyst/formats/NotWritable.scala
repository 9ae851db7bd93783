package io.kafkalyst.formats

import io.kafkalyst.errors.KafkalystTaskException

/** A value that its format cannot represent. */
private[formats] final class NotWritable(val path: String, val reason: String)
    extends RuntimeException(s"$path: $reason", null, false, false)

private[formats] object NotWritable {

  /** Why NaN is rejected if equal keys must have equal bytes. */
  val nan = "it is NaN, which a key that holds a MAP cannot have: it equals no other"

  /** The nearest FLOAT, for a schema that has nothing wider. */
  def float(path: String, value: Double): Float = {
    val nearest = value.toFloat
    if (nearest.isInfinite && !value.isInfinite) throw new NotWritable(path, s"$value is beyond the schema's float")
    nearest
  }

  /** Runs the code that writes a row; KafkalystTaskException VALUE_NOT_WRITABLE with the field on failure. */
  def guard[T](request: EncodeRequest)(write: => T): T =
    try write
    catch {
      case e: NotWritable =>
        throw KafkalystTaskException(
          e,
          "VALUE_NOT_WRITABLE",
          "format" -> request.format.format,
          "side" -> request.side.name,
          "topic" -> request.topic,
          "field" -> e.path,
          "reason" -> e.reason
        )
    }
}
