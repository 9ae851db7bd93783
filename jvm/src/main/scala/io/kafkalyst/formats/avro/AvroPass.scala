package io.kafkalyst.formats
package avro

import scala.collection.mutable.ArrayBuffer
import scala.jdk.CollectionConverters._

import org.apache.avro.Schema
import org.apache.avro.Schema.Type

/**
 * Skips adjacent fields that are not required in one loop over codes instead of a call per field, and with compiled
 * code if there are many; nested records are flattened. Errors: [[BadBytes]] with the path of the field.
 *
 * @param codes    what to skip, in order
 * @param operands the operand of the code at the same index
 * @param calls    skips of values without a code
 * @param paths    the field that the code at the same index belongs to
 */
private[formats] final class AvroPass private (
    val codes: Array[Byte],
    val operands: Array[Int],
    val calls: Array[AvroSkip],
    val paths: Array[AvroPath]
) extends AvroSkip {
  // Number of runs before it is compiled.
  private val often = math.max(AvroPass.records, AvroPass.steps / math.max(1, codes.length))
  private var times = 0
  private var compiled: CompiledPass = _

  override def skip(in: ByteReader): Unit = {
    if (times < often && codes.length >= AvroPass.worthwhile) prepare()
    in.pass(this, compiled)
  }

  private def prepare(): Unit = {
    times += 1
    compiled = compiled match {
      case lengths: NumberLengths if times == often => AvroPassCode.compile(this, lengths.areSteady).orNull
      case null if times == often - AvroPass.sampled => new NumberLengths(this)
      case other => other
    }
  }
}

private[formats] object AvroPass {
  final val Varint = 0
  final val Boolean = 1

  /** Bytes or a string with a length prefix. */
  final val Sized = 2

  /** The operand is the number of bytes. */
  final val Fixed = 3

  /**
   * A union of null, as its first branch or (Second) its second, and another type; the operand is where to continue
   * after a null.
   */
  final val OptionalFirst = 4
  final val OptionalSecond = 5

  /** The operand is an index into the calls. */
  final val Call = 6

  // Compiling takes 0.1 s for a few hundred fields and 10 ms for a few, once per JVM; it pays off after this many
  // records and codes. A single optional field is as fast without.
  private val records = 2000
  private val steps = 32000
  private val worthwhile = 4

  // How many records are sampled first.
  private val sampled = 64

  // The deepest nesting of records that is flattened into one pass.
  private val deepest = 32

  /** Limits how many values all passes of one program flatten, because a schema may nest the same record many times. */
  final class Budget {
    private var left = 8192

    /** Whether a record of this number of fields is flattened. */
    def take(fields: Int): Boolean = {
      val isLeft = left > 0
      if (isLeft) left -= fields + 1
      isLeft
    }
  }

  /** @param single skips a value that has no code */
  def of(fields: Seq[Schema.Field], budget: Budget)(single: Schema => AvroSkip): AvroPass = {
    val codes = ArrayBuffer.empty[Byte]
    val operands = ArrayBuffer.empty[Int]
    val calls = ArrayBuffer.empty[AvroSkip]
    val paths = ArrayBuffer.empty[AvroPath]

    def add(code: Int, path: AvroPath, operand: Int = 0): Unit = {
      codes += code.toByte
      operands += operand
      paths += path
    }

    def call(schema: Schema, path: AvroPath): Unit = {
      calls += single(schema)
      add(Call, path, calls.size - 1)
    }

    def value(schema: Schema, path: AvroPath, within: List[Schema]): Unit = schema.getType match {
      case Type.NULL =>
      case Type.INT | Type.LONG => add(Varint, path)
      case Type.BOOLEAN => add(Boolean, path)
      case Type.STRING | Type.BYTES => add(Sized, path)
      case Type.FLOAT => add(Fixed, path, 4)
      case Type.DOUBLE => add(Fixed, path, 8)
      case Type.FIXED => add(Fixed, path, schema.getFixedSize)
      case Type.UNION if isOptional(schema) =>
        val nullAt = schema.getIndexNamed("null")
        add(if (nullAt == 0) OptionalFirst else OptionalSecond, path)
        val at = codes.size - 1
        value(schema.getTypes.get(1 - nullAt), path, within)
        operands(at) = codes.size
      case Type.RECORD
          if within.lengthIs < deepest && !within.exists(_ eq schema) && budget.take(schema.getFields.size) =>
        schema.getFields.asScala.foreach(f => value(f.schema, new AvroPath(path, f.name), schema :: within))
      case _ => call(schema, path)
    }

    fields.foreach(f => value(f.schema, new AvroPath(null, f.name), Nil))
    new AvroPass(codes.toArray, operands.toArray, calls.toArray, paths.toArray)
  }

  private def isOptional(union: Schema): Boolean =
    union.getTypes.size == 2 && union.getTypes.asScala.count(_.getType == Type.NULL) == 1
}
