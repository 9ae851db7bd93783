package io.kafkalyst.formats
package events

import io.kafkalyst.formats.avro.{AvroFormat, AvroProgram}
import io.kafkalyst.formats.json.JsonTimes
import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.model.{Side, SideFormat, TopicColumn}
import io.kafkalyst.registry.{RegisteredSchema, WireFormat}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{BoundReference, Cast, GenericInternalRow}
import org.apache.spark.sql.catalyst.util.ArrayBasedMapData
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

/**
 * DEBEZIUM_AVRO: Debezium's change events in Avro after a schema id of the registry. Without declared columns, the
 * columns are those of the row in the registered schema.
 *
 * Like Flink, it writes each row as the event of its insert or its delete, with only `before`, `after` and `op`.
 */
object DebeziumAvroFormat extends EventFormat {
  override def name: String = "DEBEZIUM_AVRO"

  override def rowFormat: Format = AvroFormat

  override def schemaType: Option[String] = AvroFormat.schemaType

  override def properties: Seq[String] = Seq(SideFormat.timestampUnit)

  override def schemaOf(columns: Seq[TopicColumn], side: Side, objectName: String, as: SideFormat): String = {
    val row = StructType(columns.map(c => StructField(c.name, c.dataType)))
    val fields = Seq("before" -> row, "after" -> row, "op" -> StringType)
    AvroFormat.schemaOf(fields.map { case (name, t) => TopicColumn(name, t, side) }, side, objectName, as)
  }

  override def encoder(request: EncodeRequest): EventEncoder = new DebeziumAvroEncoder(request)

  override def ownKeys: Seq[EventKey] = {
    import Debezium._
    Seq(schema, ingestion, time, database, sourceSchema, table, Debezium.properties)
  }

  override def columnsOf(known: RegisteredSchema, side: Side, as: SideFormat): Seq[TopicColumn] =
    AvroFormat.columnsOf(known, side, as).collectFirst { case TopicColumn("after", row: StructType, _, _) => row }
      .getOrElse(throw KafkalystException(
        "UNSUPPORTED_SCHEMA",
        "format" -> name,
        "side" -> side.name,
        "reason" -> "it is not a schema of Debezium's events: it has no record in a field named after"
      )).map(f => TopicColumn(f.name, f.dataType, side))

  override def leftOut(known: RegisteredSchema, side: Side, as: SideFormat): Seq[String] =
    AvroFormat.leftOut(known, side, as).filter(_.startsWith("after.")).map(_.stripPrefix("after."))

  override def decoder(request: DecodeRequest): EventDecoder = new DebeziumAvroDecoder(request)
}

private final class DebeziumAvroEncoder(request: EncodeRequest) extends EventEncoder {
  private val sources = request.sources
  private val events = {
    val row = StructType(sources.map(s => StructField(s.name, s.dataType)))
    val fields = Array(Target("before", row, 0), Target("after", row, 1), Target("op", StringType, 2))
    AvroFormat.encoder(request.copy(sources = fields))
  }
  private val (created, gone) = (UTF8String.fromString("c"), UTF8String.fromString("d"))

  override def encode(row: InternalRow): Array[Byte] =
    events.encode(new GenericInternalRow(Array[Any](null, values(row), created)))

  override def deleted(row: InternalRow): Array[Byte] =
    events.encode(new GenericInternalRow(Array[Any](values(row), null, gone)))

  private def values(row: InternalRow) = new GenericInternalRow(
    sources.map(s => if (row.isNullAt(s.ordinal)) null else row.get(s.ordinal, s.dataType))
  )
}

private final class DebeziumAvroDecoder(request: DecodeRequest)
    extends ChangesDecoder[InternalRow](request, DebeziumAvroFormat) {
  import DebeziumAvroDecoder._

  /** The row's columns that are required or form the key. */
  private val columns =
    request.declared.filter(c => request.targets.exists(_.name == c.name) || keyNames.contains(c.name))
  private val rowType = StructType(columns.map(c => StructField(c.name, typeOf(c))))
  private val targets = request.targets.map(t => rowType.fieldIndex(t.name) -> t)
  private val keys = keyNames.map(rowType.fieldIndex).toArray

  /** The parsed parts of events that were written with one schema. */
  private final class Envelope(val known: RegisteredSchema) {
    val source: StructType =
      try {
        AvroFormat.columnsOf(known, Side.Value, request.format)
          .collectFirst { case TopicColumn("source", t: StructType, _, _) => t }.getOrElse(new StructType())
      } catch { case e: KafkalystException => throw new BadBytes(e.getMessage, e) }
    private val types = Seq(rowType, rowType, StringType, LongType) ++ (if (source.isEmpty) Nil else Seq(source))
    private val program = {
      val writer = AvroFormat.parsed(known).fold(reason => throw new BadBytes(reason), identity)
      val asked = fields.zip(types).zipWithIndex.map { case ((field, t), i) => Target(field, t, i) }
      val own = AvroFormat.table(request, known)
      val unit = request.format.options.get(SideFormat.timestampUnit)
      AvroProgram.of(writer, fields, asked.toArray, wrapped = true, table = own, unit = unit)
    }

    def read(bytes: Array[Byte], offset: Int, length: Int): InternalRow = {
      val row = new GenericInternalRow(fields.size)
      program.run(bytes, offset + WireFormat.headerLength, length - WireFormat.headerLength, row)
      row
    }
  }

  private val envelopes = new WriterSchemas[Envelope](request.registry())(new Envelope(_))
  private var envelope: Envelope = _
  private var event: InternalRow = _

  override protected def changesOf(bytes: Array[Byte], offset: Int, length: Int): Seq[(ChangeKind, InternalRow)] = {
    envelope = envelopes.of(bytes, offset, length)
    event = envelope.read(bytes, offset, length)
    def row(at: Int) = if (event.isNullAt(at)) null else event.getStruct(at, rowType.length)
    if (event.isNullAt(opAt)) throw new BadBytes("no such event: it has no op")
    Debezium.changes(event.getUTF8String(opAt).toString)(insert(row(1)), update(row(0), row(1)), delete(row(0)))
  }

  override protected def fill(change: InternalRow, row: InternalRow): Unit = targets.foreach { case (at, target) =>
    if (change.isNullAt(at)) row.setNullAt(target.ordinal)
    else row.update(target.ordinal, change.get(at, target.dataType))
  }

  override protected def keyOf(change: InternalRow): InternalRow =
    new GenericInternalRow(keys.map(k => change.get(k, rowType(k).dataType)))

  override protected def about(key: EventKey): Any = key match {
    case Debezium.schema => UTF8String.fromString(envelope.known.schema)
    case Debezium.ingestion => if (event.isNullAt(timeAt)) null else JsonTimes.millisToMicros(event.getLong(timeAt))
    case _ if envelope.source.isEmpty || event.isNullAt(sourceAt) => null
    case Debezium.time => text("ts_ms").map(ms => JsonTimes.millisToMicros(ms.toString.toLong)).orNull
    case Debezium.database => text("db").orNull
    case Debezium.sourceSchema => text("schema").orNull
    case Debezium.table => text("table").orElse(text("collection")).orNull
    case _ =>
      val names = envelope.source.fieldNames
      ArrayBasedMapData(names.map(UTF8String.fromString).toArray[Any], names.map(text(_).orNull).toArray[Any])
  }

  /** A field of the source as text. */
  private def text(name: String): Option[UTF8String] =
    Some(envelope.source.fieldNames.indexOf(name)).filter(_ >= 0).flatMap { at =>
      val field = envelope.source(at)
      val source = event.getStruct(sourceAt, envelope.source.length)
      Option(Cast(BoundReference(at, field.dataType, nullable = true), StringType, Some("UTC")).eval(source))
        .map(_.asInstanceOf[UTF8String])
    }

  /** The column's required type, which may be pruned. */
  private def typeOf(column: TopicColumn): DataType =
    request.targets.find(_.name == column.name).fold(column.dataType)(_.dataType)
}

private object DebeziumAvroDecoder {
  private val fields = Seq("before", "after", "op", "ts_ms", "source")
  private val opAt = fields.indexOf("op")
  private val timeAt = fields.indexOf("ts_ms")
  private val sourceAt = fields.indexOf("source")
}
