package io.kafkalyst.formats
package avro

import scala.jdk.CollectionConverters._

import org.apache.avro.Schema
import org.apache.avro.Schema.Type
import org.apache.spark.sql.catalyst.InternalRow

/** Skips one value of the writer's schema. */
private[formats] abstract class AvroSkip extends AvroReader {
  def skip(in: ByteReader): Unit

  override def read(in: ByteReader): Any = {
    skip(in)
    null
  }

  // Leaves the row unchanged; the ordinal is unused.
  override def into(in: ByteReader, row: InternalRow, ordinal: Int): Unit = skip(in)
}

private[formats] object AvroSkips {

  private object Nothing extends AvroSkip {
    override def skip(in: ByteReader): Unit = ()
  }

  private object Varint extends AvroSkip {
    override def skip(in: ByteReader): Unit = in.skipVarint()
  }

  private object Bool extends AvroSkip {
    override def skip(in: ByteReader): Unit = in.readBoolean()
  }

  private object Bytes extends AvroSkip {
    override def skip(in: ByteReader): Unit = in.skip(in.readLength())
  }

  private final class Fixed(size: Int) extends AvroSkip {
    override def skip(in: ByteReader): Unit = in.skip(size)
  }

  private final class Enum(symbols: Int) extends AvroSkip {
    override def skip(in: ByteReader): Unit = {
      val n = in.readInt()
      if (n < 0 || n >= symbols) in.bad(s"symbol $n of an enum of $symbols")
    }
  }

  private final class Union(branches: Array[AvroSkip]) extends AvroSkip {
    override def skip(in: ByteReader): Unit = branches(in.readBranch(branches.length)).skip(in)
  }

  private final class Items(leastSize: Int, isMap: Boolean, each: AvroSkip) extends AvroSkip {
    override def skip(in: ByteReader): Unit = {
      var block = in.skipToBlock(leastSize)
      in.enter()
      while (block > 0) {
        while (block > 0) {
          if (isMap) in.skip(in.readLength())
          each.skip(in)
          block -= 1
        }
        block = in.skipToBlock(leastSize)
      }
      in.leave()
    }
  }

  private final class Record extends AvroSkip {
    var fields: AvroSkip = _
    override def skip(in: ByteReader): Unit = {
      in.enter()
      fields.skip(in)
      in.leave()
    }
  }

  /** Builds the skips of one program; a record that is skipped in several places shares one. */
  final class Builder {
    private val records = new java.util.IdentityHashMap[Schema, Record]
    private val budget = new AvroPass.Budget
    private val open = new java.util.ArrayDeque[Schema]
    private val sizes = new java.util.IdentityHashMap[Schema, Int]

    /** Minimum size of a value in bytes, to check whether a claimed number of items is plausible. */
    def leastSize(schema: Schema): Int = schema.getType match {
      case Type.NULL => 0
      case Type.FLOAT => 4
      case Type.DOUBLE => 8
      case Type.FIXED => schema.getFixedSize
      case Type.RECORD =>
        if (!sizes.containsKey(schema)) {
          // A record that must contain itself has no valid bytes, so any size is correct.
          sizes.put(schema, 1)
          val sum = schema.getFields.asScala.map(f => leastSize(f.schema).toLong).sum
          sizes.put(schema, math.min(sum, Int.MaxValue / 2).toInt)
        }
        sizes.get(schema)
      case _ => 1
    }

    /** Skips adjacent fields. */
    def run(fields: Seq[Schema.Field]): AvroSkip = whole(AvroPass.of(fields, budget)(part))

    /** Skips a value of this schema, which may be recursive. */
    def of(schema: Schema): AvroSkip = whole(part(schema))

    // One record after the other: records may be nested deeper than the stack reaches.
    private def whole(skip: AvroSkip): AvroSkip = {
      while (!open.isEmpty) {
        val schema = open.poll()
        records.get(schema).fields = AvroPass.of(schema.getFields.asScala.toSeq, budget)(part)
      }
      skip
    }

    private def part(schema: Schema): AvroSkip = schema.getType match {
      case Type.NULL => Nothing
      case Type.BOOLEAN => Bool
      case Type.INT | Type.LONG => Varint
      case Type.FLOAT => new Fixed(4)
      case Type.DOUBLE => new Fixed(8)
      case Type.STRING | Type.BYTES => Bytes
      case Type.FIXED => new Fixed(schema.getFixedSize)
      case Type.ENUM => new Enum(schema.getEnumSymbols.size)
      case Type.UNION => new Union(schema.getTypes.asScala.map(part).toArray)
      case Type.ARRAY => items(schema.getElementType, isMap = false)
      case Type.MAP => items(schema.getValueType, isMap = true)
      case Type.RECORD =>
        val known = records.get(schema)
        if (known != null) known
        else {
          val record = new Record
          records.put(schema, record)
          open.add(schema)
          record
        }
    }

    private def items(item: Schema, isMap: Boolean): AvroSkip = {
      new Items(leastSize(item) + (if (isMap) 1 else 0), isMap, part(item))
    }
  }
}

/**
 * The path of a field. Only an error turns it into text: the full paths of many long names would fill the memory.
 *
 * @param outer the field around it; null if there is none
 */
private[formats] final class AvroPath(private val outer: AvroPath, private val name: String) {

  /** The error, with the path before its reason. */
  def within(bad: BadBytes): BadBytes =
    Iterator.iterate(this)(_.outer).takeWhile(_ != null).foldLeft(bad)((b, step) => AvroPath.within(step.name, b))
}

/** Prefixes the reason for bad bytes with the name of the field. */
private[formats] object AvroPath {
  private val mark = "field "

  def within(name: String, bad: BadBytes): BadBytes = {
    val rest = if (bad.reason.startsWith(mark)) "." + bad.reason.substring(mark.length) else ": " + bad.reason
    new BadBytes(mark + name + rest, bad.getCause)
  }
}
