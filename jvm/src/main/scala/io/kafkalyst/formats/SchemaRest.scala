package io.kafkalyst.formats

import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.formats.json.{JsonFormat, JsonRestDecoder}
import io.kafkalyst.model.{SideFormat, TopicColumn}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow
import org.apache.spark.sql.types.{ArrayType, DataType, MapType, StructType}

/** Sets the rescued column from values of a binary format. */
private[formats] object SchemaRest {

  /**
   * A decoder for the values of one writer's schema: fields without a column are decoded once more, and become JSON.
   *
   * @param written the columns that the writer's schema describes
   * @param wrapped whether the value is a record of the columns
   * @param read    makes a decoder of these columns from the names of all and the required ones
   * @throws BadBytes if the schema has no columns, as its fields would be lost
   */
  def apply(request: DecodeRequest, written: => Seq[TopicColumn], wrapped: Boolean)(
      read: (Seq[String], Array[Target]) => Decoder
  ): Decoder = {
    val declared = request.declared
    val columns =
      try written
      catch { case e: KafkalystException => throw new BadBytes(e.getMessage) }
    val holders =
      if (wrapped) columns.filter(c => hasMore(c.name, c.dataType, declared.map(d => d.name -> d.dataType)))
      else columns.filter(c => hasMore(c.dataType, declared.head.dataType))
    if (holders.isEmpty) (_: Array[Byte], _: Int, _: Int, row: InternalRow) => row.setNullAt(request.rescuedAt)
    else {
      val targets = holders.zipWithIndex.map { case (c, i) => Target(c.name, c.dataType, i) }.toArray
      val fields = new GenericInternalRow(targets.length)
      val decoder = read(columns.map(_.name), targets)
      val options = Map(SideFormat.timestampStandard -> "ISO-8601", SideFormat.wrapSingle -> wrapped.toString)
      val text = SideFormat(JsonFormat.name, options = options)
      val encoder = JsonFormat.encoder(EncodeRequest(request.side, request.topic, text, targets, request.registry))
      val rest = new JsonRestDecoder(request, wrapped)
      (bytes: Array[Byte], offset: Int, length: Int, row: InternalRow) => {
        decoder.decode(bytes, offset, length, fields)
        val json = encoder.encode(fields)
        if (json == null) row.setNullAt(request.rescuedAt) else rest.decode(json, 0, json.length, row)
      }
    }
  }

  private def hasMore(field: String, written: DataType, columns: Seq[(String, DataType)]): Boolean = {
    val index = new FieldIndex(columns.map(_._1))
    val at = if (index.exact(field) >= 0) index.exact(field) else index.inOtherCase(field)
    at < 0 || hasMore(written, columns(at)._2)
  }

  private def hasMore(written: DataType, column: DataType): Boolean = (written, column) match {
    case (w: StructType, c: StructType) =>
      w.exists(f => hasMore(f.name, f.dataType, c.map(k => k.name -> k.dataType)))
    case (w: ArrayType, c: ArrayType) => hasMore(w.elementType, c.elementType)
    case (w: MapType, c: MapType) => hasMore(w.valueType, c.valueType)
    case _ => false
  }
}
