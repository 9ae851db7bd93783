package io.kafkalyst.read

import java.nio.ByteBuffer

import io.kafkalyst.formats.BadBytes
import io.kafkalyst.model.Side
import io.kafkalyst.registry.{RecordSchemas, RegisteredSchema, RegistryClient, SchemaHeaders, WireFormat}

/**
 * Puts the schema id that a header names before the bytes of one side, where decoders expect it. A schema that is
 * identified by GUID gets a negative id here, unless the registry reports its own. Not thread-safe: one per task and
 * side.
 */
private[read] final class HeaderSchemas(side: Side, client: RegistryClient) extends RegistryClient {
  private val registry = new RecordSchemas(client)
  private val ids = new java.util.HashMap[java.util.UUID, Integer]
  private val known = new java.util.HashMap[Int, RegisteredSchema]

  /** Restarts the wait for unknown schemas: new records may have been written just now. */
  def fetched(): Unit = registry.fetched()

  /**
   * The bytes as if they started with their schema's id.
   *
   * @throws BadBytes for an invalid header, or a GUID that the registry does not know
   */
  def framed(header: Array[Byte], body: ByteBuffer): Array[Byte] = {
    val prefix =
      if (header != null && WireFormat.fault(header, 0, header.length) == null) header
      else {
        val (guid, end) = Option(header).flatMap(SchemaHeaders.guid).getOrElse {
          throw new BadBytes(s"the header ${SchemaHeaders.name(side)} holds neither a schema's id nor a GUID")
        }
        WireFormat.header(idOf(guid)) ++ header.drop(end)
      }
    val bytes = new Array[Byte](prefix.length + body.remaining)
    System.arraycopy(prefix, 0, bytes, 0, prefix.length)
    body.duplicate().get(bytes, prefix.length, body.remaining)
    bytes
  }

  private def idOf(guid: java.util.UUID): Int = {
    val met = ids.get(guid)
    if (met != null) met
    else {
      val schema = registry.byGuid(guid.toString).getOrElse {
        throw new BadBytes(
          s"schema GUID $guid, which the header ${SchemaHeaders.name(side)} names, is not known to the " +
            "schema registry"
        )
      }
      val id = if (schema.id > 0) schema.id else -1 - ids.size
      known.put(id, schema.copy(id = id))
      ids.put(guid, id)
      id
    }
  }

  override def byId(id: Int): Option[RegisteredSchema] = Option(known.get(id)).orElse(registry.byId(id))

  override def latest(subject: String): Option[RegisteredSchema] = registry.latest(subject)
  override def register(subject: String, schema: String, schemaType: String): Int =
    registry.register(subject, schema, schemaType)
  override def delete(subject: String): Unit = registry.delete(subject)
}
