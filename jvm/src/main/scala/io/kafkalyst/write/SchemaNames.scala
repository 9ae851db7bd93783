package io.kafkalyst.write

import java.util.{Arrays, UUID}

import io.kafkalyst.errors.KafkalystTaskException
import io.kafkalyst.formats.Formats
import io.kafkalyst.model.{Side, SideFormat, TopicObject}
import io.kafkalyst.registry.{RegistryClient, SchemaHeaders, WireFormat}
import org.apache.kafka.common.header.Header
import org.apache.kafka.common.header.internals.RecordHeader

import scala.jdk.CollectionConverters._

/**
 * Where written records name their schemas: by id in their bytes, as encoders write it, or by GUID in headers.
 *
 * @throws io.kafkalyst.errors.KafkalystTaskException SCHEMA_WITHOUT_GUID when constructed, if the registry reports no
 *         GUID
 */
private[write] final class SchemaNames(topic: TopicObject, registry: () => RegistryClient) {
  // Headers copied from other records could name a schema that does not match the bytes.
  private val foreign =
    Side.all.filter(s => Formats(topic.format(s).format).schemaType.isDefined && topic.columns(s).nonEmpty)
      .map(SchemaHeaders.name).toSet

  // For each side named by GUID: the header, and the number of leading bytes that it replaces.
  private val named: Map[Side, (Header, Int)] = Side.all.flatMap { side =>
    val format = topic.format(side)
    format.schemaId.filter(_ => format.isSet(SideFormat.guidHeaders)).map {
      id =>
        def without = throw KafkalystTaskException(
          null,
          "SCHEMA_WITHOUT_GUID",
          "id" -> id.toString,
          "topic" -> topic.topic
        )
        val schema = registry().byId(id).getOrElse(without)
        val frame = Formats(format.format).frame(schema, format)
        val header = SchemaHeaders.header(UUID.fromString(schema.guid.getOrElse(without))) ++ frame
        side -> (new RecordHeader(SchemaHeaders.name(side), header): Header, WireFormat.headerLength + frame.length)
    }
  }.toMap

  /** The side's bytes as they are sent. */
  def bytes(side: Side, encoded: Array[Byte]): Array[Byte] =
    if (encoded == null || !named.contains(side)) encoded
    else Arrays.copyOfRange(encoded, named(side)._2, encoded.length)

  /** The headers as they are sent; a null side names no schema. */
  def headers(given: java.lang.Iterable[Header], key: Array[Byte], value: Array[Byte]): java.lang.Iterable[Header] =
    if (foreign.isEmpty || (given == null && named.isEmpty)) given
    else {
      val kept = if (given == null) Nil else given.asScala.toSeq.filterNot(h => foreign.contains(h.key))
      val sides =
        Seq(Side.Key -> key, Side.Value -> value).collect { case (side, b) if b != null => named.get(side).map(_._1) }
      (kept ++ sides.flatten).asJava
    }
}
