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
 * Where written records name their schemas: by id in their bytes, as encoders write them, or by GUID in headers.
 *
 * @throws io.kafkalyst.errors.KafkalystTaskException SCHEMA_WITHOUT_GUID when built, where the registry gives none
 */
private[write] final class SchemaNames(topic: TopicObject, registry: () => RegistryClient) {
  // Headers that are copied from elsewhere would name another schema than the one that the bytes are of.
  private val foreign =
    Side.all.filter(s => Formats(topic.format(s).format).schemaType.isDefined && topic.columns(s).nonEmpty)
      .map(SchemaHeaders.name).toSet

  private val named: Map[Side, Header] = Side.all.flatMap { side =>
    val format = topic.format(side)
    format.schemaId.filter(_ => format.options.get(SideFormat.guidHeaders).exists(_.equalsIgnoreCase("true"))).map {
      id =>
        val guid = registry().byId(id).flatMap(_.guid).getOrElse {
          throw KafkalystTaskException(null, "SCHEMA_WITHOUT_GUID", "id" -> id.toString, "topic" -> topic.topic)
        }
        side -> (new RecordHeader(SchemaHeaders.name(side), SchemaHeaders.header(UUID.fromString(guid))): Header)
    }
  }.toMap

  /** The side's bytes as they are sent. */
  def bytes(side: Side, encoded: Array[Byte]): Array[Byte] =
    if (encoded == null || !named.contains(side)) encoded
    else Arrays.copyOfRange(encoded, WireFormat.headerLength, encoded.length)

  /** The headers as they are sent; a null side names no schema. */
  def headers(given: java.lang.Iterable[Header], key: Array[Byte], value: Array[Byte]): java.lang.Iterable[Header] =
    if (foreign.isEmpty || (given == null && named.isEmpty)) given
    else {
      val kept = if (given == null) Nil else given.asScala.toSeq.filterNot(h => foreign.contains(h.key))
      val sides = Seq(Side.Key -> key, Side.Value -> value).collect { case (side, b) if b != null => named.get(side) }
      (kept ++ sides.flatten).asJava
    }
}
