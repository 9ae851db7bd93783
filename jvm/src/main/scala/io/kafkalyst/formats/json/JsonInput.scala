package io.kafkalyst.formats
package json

import io.kafkalyst.errors.Clipped
import io.kafkalyst.formats.bytes.KnownText

import java.nio.charset.StandardCharsets.ISO_8859_1

import org.apache.spark.unsafe.types.UTF8String

/**
 * Reads UTF-8 JSON (RFC 8259) forwards from an array range. The position is at the first byte of a value, which
 * determines the value's type, or after a value. Skipped values are validated like read ones.
 *
 * Errors: [[BadBytes]] for invalid JSON, values nested deeper than 1,000, and numbers longer than 1,000 characters. One
 * per decoder, reused for every record.
 *
 * @param likeFlink whether strings may have control characters, and text may follow the value, as in Flink's formats
 */
private[formats] final class JsonInput(likeFlink: Boolean = false) extends JsonNumbers {
  import JsonInput._

  // For every open object and array: the index of its current field's name, or the complement of its item's index.
  private var path = new Array[Int](32)
  private var depth = 0
  private var isFresh = false

  private var isQuiet = false

  // Whether the last skipped string has escapes.
  private var isEscaped = false

  /** Moves to the first value of a text; ignores a byte order mark before it. */
  override def reset(bytes: Array[Byte], offset: Int, length: Int): Unit = {
    super.reset(bytes, offset, length)
    depth = 0
    isFresh = false
    if (byteOrderMark.isAt(bytes, position, limit)) position += byteOrderMark.length
    skipBlanks()
    valueAt = position
  }

  /** As [[reset]]; [[BadBytes]] if there is no value. */
  def begin(bytes: Array[Byte], offset: Int, length: Int): Unit = {
    if (length == 0) throw new BadBytes("no bytes at all; a JSON value without content is written as null")
    reset(bytes, offset, length)
    if (isAtEnd) throw new BadBytes("no JSON value in the bytes")
  }

  /** [[BadBytes]] if something follows the value; Flink looks no further. */
  def end(): Unit = {
    // Values beyond the limit are no values that do not fit, for which NULL_BAD_FIELDS has nulls.
    count(0)
    if (!likeFlink && !isAtEnd) bad("more after the JSON value")
  }

  def isAtEnd: Boolean = {
    skipBlanks()
    position >= limit
  }

  /** Index of the next byte. */
  def at: Int = position

  /** The number of open objects and arrays. */
  def level: Int = depth

  /** Moves back to the start of a value. */
  def backTo(at: Int, level: Int): Unit = {
    position = at
    valueAt = at
    depth = level
    isFresh = false
  }

  /** Enters the object or array at the position. */
  def enter(): Unit = {
    depth += 1
    if (depth > deepest) bad(s"values nested deeper than $deepest")
    if (depth == path.length) path = java.util.Arrays.copyOf(path, depth * 2)
    path(depth) = 0
    position += 1
    isFresh = true
  }

  /** Moves to the name of the object's next field; false after the object's end. */
  def nextField(): Boolean = {
    val more = next('}')
    if (more) {
      if (position >= limit) truncated("an object")
      if (head != '"') unexpected("a field's name")
      path(depth) = position
    }
    more
  }

  /** Moves to the field's value if the field has this name. */
  def skipName(name: KnownText): Boolean = {
    val isSame = name.isAt(bytes, position, limit)
    if (isSame) toFieldValue(position + name.length)
    isSame
  }

  /** The name as written, with its quotes; moves to the field's value. */
  def readName(): UTF8String = {
    val from = position
    val end = endOfString(from)
    toFieldValue(end)
    UTF8String.fromBytes(bytes, from, end - from)
  }

  /** The name as a map's key; moves to the entry's value. */
  def readKey(): UTF8String = {
    val key = readString()
    toFieldValue(position)
    key
  }

  /** Moves to the array's next item; false after the array's end. */
  def nextItem(): Boolean = {
    val more = next(']')
    if (more) {
      path(depth) -= 1
      toValue()
    }
    more
  }

  /** Skips the value. */
  def skip(): Unit = head match {
    case '"' => position = endOfString(position)
    case '{' =>
      enter()
      while (nextField()) {
        toFieldValue(endOfString(position))
        skip()
      }
    case '[' =>
      enter()
      while (nextItem()) skip()
    case 't' => skipWord(isTrue)
    case 'f' => skipWord(isFalse)
    case 'n' => skipWord(isNull)
    case _ => skipNumber()
  }

  /** The string; it points into the bytes unless it has escapes. */
  def readString(): UTF8String = {
    val from = position + 1
    position = endOfString(position)
    val length = position - 1 - from
    if (isEscaped) UTF8String.fromBytes(JsonStrings.unescaped(bytes, from, length))
    else UTF8String.fromBytes(bytes, from, length)
  }

  /** The characters of the last skipped value. */
  def written: String = new String(bytes, valueAt, position - valueAt, ISO_8859_1)

  /** The bytes from `at` to the position. */
  def since(at: Int): Array[Byte] = java.util.Arrays.copyOfRange(bytes, at, position)

  /** Runs a read whose errors are not reported: skips their messages, which are expensive, as paths may be long. */
  @inline def quietly[T](read: => T): T = {
    val outer = isQuiet
    isQuiet = true
    try read
    finally isQuiet = outer
  }

  /** Throws that the value does not fit; the message quotes the actual value. */
  def mismatch(expected: String): Nothing = {
    if (isQuiet) throw unfit
    position = valueAt
    val found = head match {
      case '{' => "an object"
      case '[' => "an array"
      case '"' => "the string \"" + Clipped(readString().toString, longestValue) + "\""
      case _ =>
        skip()
        Clipped(written, longestValue)
    }
    val field = where
    throw new BadBytes(s"${if (field.isEmpty) "" else s"field $field: "}$expected expected, $found found")
  }

  /** The path of the value: `a.b[2]`; empty at the root. */
  def where: String = {
    val end = position
    val steps = (1 to depth).map { i =>
      if (path(i) < 0) s"[${~path(i)}]"
      else {
        position = path(i)
        s".${Clipped(readString().toString, longestName)}"
      }
    }
    position = end
    steps.mkString.stripPrefix(".")
  }

  private def next(end: Byte): Boolean = {
    skipBlanks()
    if (position >= limit) truncated(if (end == '}') "an object" else "an array")
    val b = bytes(position)
    if (isFresh && b != end) {
      isFresh = false
      true
    } else if (b == end) {
      isFresh = false
      position += 1
      depth -= 1
      false
    } else {
      if (b != ',') unexpected(s"a comma or ${end.toChar}")
      position += 1
      skipBlanks()
      true
    }
  }

  private def toFieldValue(behindName: Int): Unit = {
    position = behindName
    if (position >= limit || bytes(position) != ':') {
      skipBlanks()
      if (position >= limit) truncated("an object")
      if (bytes(position) != ':') unexpected("a colon")
    }
    position += 1
    toValue()
  }

  private def toValue(): Unit = {
    skipBlanks()
    if (position >= limit) truncated("a value")
    valueAt = position
  }

  private def skipBlanks(): Unit = if (position < limit && bytes(position) <= ' ') {
    var p = position
    while (p < limit && isBlank(bytes(p))) p += 1
    position = p
  }

  private def isBlank(b: Byte): Boolean = b == ' ' || b == '\n' || b == '\r' || b == '\t'

  private def skipWord(word: KnownText): Unit = {
    if (!word.isAt(bytes, position, limit)) unexpected("a value")
    position += word.length
  }

  /** Index after the closing quote of the string whose opening quote is at `open`. */
  private def endOfString(open: Int): Int = {
    isEscaped = false
    var isAscii = true
    var p = open + 1
    while (true) {
      p = JsonStrings.endOfPlain(bytes, p, limit)
      if (p >= limit) truncated("a string")
      val b = bytes(p)
      if (b == '"') {
        if (!isAscii && !UTF8String.fromBytes(bytes, open + 1, p - open - 1).isValid) {
          position = open
          bad("a string that is not UTF-8")
        }
        return p + 1
      } else if (b == '\\') {
        isEscaped = true
        p = endOfEscape(p)
      } else if (b < 0) {
        isAscii = false
        p += 1
      } else if (likeFlink) p += 1
      else unexpected("no control character in a string", p)
    }
    p
  }

  private def endOfEscape(p: Int): Int =
    if (p + 1 >= limit) truncated("a string")
    else if (bytes(p + 1) == 'u') {
      var i = p + 2
      while (i < p + 6) {
        if (i >= limit) truncated("a string")
        if (Character.digit(bytes(i).toInt, 16) < 0) unexpected("four hexadecimal digits", i)
        i += 1
      }
      i
    } else if (JsonStrings.escapes.indexOf(bytes(p + 1).toInt) < 0) unexpected("an escape of JSON", p + 1)
    else p + 2
}

private[formats] object JsonInput {
  private val deepest = 1000
  private val byteOrderMark = known("\u00ef\u00bb\u00bf")
  private val isTrue = known("true")
  private val isFalse = known("false")
  private val isNull = known("null")

  private def known(text: String) = new KnownText(text.getBytes(ISO_8859_1))

  private val longestValue = 40
  private val longestName = 200
  private val unfit = new BadBytes("a value that does not fit")
}
