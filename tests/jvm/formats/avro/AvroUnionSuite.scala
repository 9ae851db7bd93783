package io.kafkalyst.formats
package avro

import scala.jdk.CollectionConverters._
import scala.util.chaining._

import io.kafkalyst.formats.FormatTesting._
import io.kafkalyst.model.Side
import org.apache.avro.{AvroRuntimeException, Schema}
import org.apache.avro.generic.{GenericData, GenericDatumReader, GenericRecord}
import org.apache.avro.io.DecoderFactory
import org.scalatest.funsuite.AnyFunSuite

/** Unions and records within a record, of another version than the table's: read as Avro's own library reads them. */
class AvroUnionSuite extends AnyFunSuite {
  private def record(name: String, fields: String*): String =
    s"""{"type":"record","name":"$name","fields":[${fields.mkString(",")}]}"""

  private def field(name: String, schema: String, default: String = ""): String =
    s"""{"name":"$name","type":$schema${if (default.isEmpty) "" else s""","default":$default"""}}"""

  private def event(e: String): Schema = new Schema.Parser().parse(record("Event", field("e", e)))

  /** Ours, or None if the record is bad. */
  private def ours(writer: Schema, table: Schema, bytes: Array[Byte]): Option[Seq[Any]] = {
    val columns = columnsIn(AvroFormat, table.toString, Side.Value)
    val registry = new MapRegistry(Map(1 -> writer.toString, 2 -> table.toString))
    try Some(decode(decoder(AvroFormat, columns, columns, registry, id = Some(2)), columns, framed(1, bytes)))
    catch { case BadBytes(_) => None }
  }

  private def avros(writer: Schema, table: Schema, bytes: Array[Byte]): Option[Any] =
    try {
      val in = DecoderFactory.get.binaryDecoder(bytes, null)
      Some(AvroOracle.plain(new GenericDatumReader[Any](writer, table).read(null, in), table))
    } catch { case _: AvroRuntimeException => None }

  private val created = record("Created", field("id", "\"int\""), field("name", "\"string\""))
  private val deleted = record("Deleted", field("id", "\"int\""), field("why", "\"string\""))
  private val renamed = record("Renamed", field("was", "\"string\""), field("now", "\"string\""))

  // A field with a default in a later version, of records at several depths.
  private val later = record(
    "Created",
    field("id", "\"long\""),
    field("name", "\"string\""),
    field("more", """["null","int"]""", "null"),
    field("unit", "\"string\"", "\"kg\"")
  )
  private val stricter = record("Created", field("id", "\"int\""), field("name", "\"string\""), field("by", "\"int\""))

  private val versions = Seq(
    s"""["null",$created,$deleted]""",
    s"""["null",$renamed,$created,$deleted]""",
    s"""[$deleted,$created,"null"]""",
    s"""["null",$created]""",
    created,
    s"""["null",$later,$deleted]""",
    s"""["null",$deleted,$stricter]""",
    s"""["null",$deleted,{"type":"array","items":$created}]""",
    s"""["null",$deleted,{"type":"array","items":$later}]""",
    s"""["null",{"type":"map","values":$stricter}]""",
    s"""["null",{"type":"map","values":$later}]""",
    """["null","string","long"]""",
    """["null","int","bytes"]""",
    """["double","null","boolean"]""",
    """["float",{"type":"enum","name":"E","symbols":["A","B","C"]},"string"]""",
    """["string",{"type":"enum","name":"E","symbols":["N","A","B"],"default":"N"}]"""
  ).map(event)

  test("every branch of a union is the table's of the same name or type, as Avro resolves it") {
    val random = new scala.util.Random(7)
    var (same, bad) = (0, 0)
    for {
      writer <- versions
      table <- versions
      branch <- Some(writer.getField("e").schema).map(e => if (e.isUnion) e.getTypes.asScala.toSeq else Seq(e)).get
    } {
      val value = new GenericData.Record(writer)
      val held = branch.getType match {
        // A STRING must be UTF-8, which Avro's library does not check.
        case Schema.Type.BYTES => java.nio.ByteBuffer.wrap("text".getBytes)
        case _ => new AvroOracle.RandomAvro(random).value(branch)
      }
      value.put("e", held)
      val isEmpty = held match {
        case items: java.util.Collection[_] => items.isEmpty
        case entries: java.util.Map[_, _] => entries.isEmpty
        case _ => false
      }
      val bytes = AvroOracle.write(writer, value)
      val (expected, found) = (avros(writer, table, bytes), ours(writer, table, bytes))
      val clue = s"$branch of\n$writer\nas\n$table"
      branch.getType match {
        // A null that the table's own schema does not allow is null; a schema that nothing fits is bad as a whole.
        case Schema.Type.NULL => assert(found.forall(row => row == Seq(null)), clue)
        case _ if isEmpty => assert(found.forall(expected.contains), clue)
        case _ if expected.isDefined =>
          same += 1
          assert(found == expected, clue)
        // A column may hold what Avro's types do not convert.
        case Schema.Type.RECORD | Schema.Type.ARRAY | Schema.Type.MAP =>
          bad += 1
          assert(found.isEmpty, clue)
        case _ =>
      }
    }
    assert(same > 40 && bad > 40, s"$same and $bad")
  }

  test("a branch that a later version puts in front moves no member") {
    val (v1, v2) = (versions(0), versions(1))
    def read(writer: Schema, table: Schema, branch: Int, values: Any*) = {
      val value = new GenericData.Record(writer)
      val of: GenericRecord = new GenericData.Record(writer.getField("e").schema.getTypes.get(branch))
      values.zipWithIndex.foreach { case (v, i) => of.put(i, v) }
      value.put("e", of)
      ours(writer, table, AvroOracle.write(writer, value))
    }
    assert(read(v2, v1, 2, 1, "x") == Some(Seq(Seq(Seq(1, "x"), null))))
    assert(read(v2, v1, 3, 1, "y") == Some(Seq(Seq(null, Seq(1, "y")))))
    assert(read(v2, v1, 1, "x", "y").isEmpty)
    assert(read(v1, v2, 1, 1, "x") == Some(Seq(Seq(null, Seq(1, "x"), null))))
  }

  test("records of many branches that multiply are bad, not out of memory") {
    def level(l: Int): String = {
      val records = (0 until 3).map { i =>
        val next = if (l == 0) "\"int\"" else if (i == 0) level(l - 1) else names(l - 1)
        record(s"R${l}_$i", field("a", next))
      }
      s"""[${records.mkString(",")}]"""
    }
    def names(l: Int) = (0 until 3).map(i => s""""R${l}_$i"""").mkString("[", ",", "]")
    val schema = record("T", field("a", level(16)))
    val columns = value("a" -> (0 to 16).foldLeft("INT")((t, _) => s"STRUCT<a: $t>")
      .pipe(org.apache.spark.sql.types.DataType.fromDDL))
    val made = decoder(AvroFormat, columns, columns, new MapRegistry(Map(1 -> schema)))
    assert(intercept[BadBytes](decode(made, columns, framed(1, new Array[Byte](18)))).reason.contains("250000"))
  }
}
