package io.kafkalyst.registry

import java.nio.ByteBuffer
import java.util.UUID

import io.kafkalyst.model.Side

/**
 * Records whose schema is named in a header, as Confluent's serializers optionally write them from version 8 on: the
 * header `__key_schema_id` or `__value_schema_id` contains a byte 1, the 16 bytes of the schema's GUID, and for
 * PROTOBUF the message indexes; or the prefix that otherwise precedes the body, see [[WireFormat]]. The side's bytes
 * are the body alone.
 */
object SchemaHeaders {
  private val guidMagic: Byte = 1
  private val guidLength = 17

  def name(side: Side): String = s"__${side.name}_schema_id"

  /** The header of a GUID. */
  def header(guid: UUID): Array[Byte] =
    ByteBuffer.allocate(guidLength).put(guidMagic).putLong(guid.getMostSignificantBits)
      .putLong(guid.getLeastSignificantBits).array

  /** The GUID in a header, with the index after it; None for a header that begins with an id, or is invalid. */
  def guid(header: Array[Byte]): Option[(UUID, Int)] =
    if (header.length < guidLength || header(0) != guidMagic) None
    else {
      val bytes = ByteBuffer.wrap(header, 1, guidLength - 1)
      Some(new UUID(bytes.getLong, bytes.getLong) -> guidLength)
    }
}
