package io.kafkalyst.formats
package avro

/**
 * Skips fields by their codes and checks whether numbers are as long as in the previous record. Errors: [[BadBytes]].
 */
private[formats] final class NumberLengths(pass: AvroPass) extends CompiledPass {
  private val last = new Array[Int](pass.codes.length)
  private var numbers = 0
  private var others = 0

  /** Whether a CPU can predict the lengths: one misprediction costs as much as several correct predictions save. */
  def areSteady: Boolean = others < numbers / 5

  override private[formats] def run(in: ByteReader, bytes: Array[Byte], position: Int, limit: Int): Int = {
    var p = position
    var i = 0
    while (i < pass.codes.length) {
      val next = in.passOne(pass, i, p)
      if (pass.codes(i) == AvroPass.Varint) {
        numbers += 1
        if (last(i) != next - p) others += 1
        last(i) = next - p
      }
      if (next < 0) i = pass.operands(i) - 1
      p = if (next < 0) ~next else next
      i += 1
    }
    p
  }
}
