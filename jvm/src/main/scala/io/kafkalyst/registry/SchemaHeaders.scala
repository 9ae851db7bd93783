package io.kafkalyst.registry

import java.nio.ByteBuffer
import java.util.UUID

import io.kafkalyst.model.Side

/**
 * Records whose schema is named in a header, as Confluent's serializers write them on request from version 8 on: the
 * header `__key_schema_id` or `__value_schema_id` has a byte 1, the 16 bytes of the schema's GUID, and for PROTOBUF the
 * message indexes; or what otherwise stands before the body, see [[WireFormat]]. The side's bytes are the body alone.
 */
object SchemaHeaders {
  private val guidMagic: Byte = 1
  private val guidLength = 17

  def name(side: Side): String = s"__${side.name}_schema_id"

  /** The header of a GUID. */
  def header(guid: UUID): Array[Byte] =
    ByteBuffer.allocate(guidLength).put(guidMagic).putLong(guid.getMostSignificantBits)
      .putLong(guid.getLeastSignificantBits).array

  /** The GUID in a header, with the place behind it; None for one that begins with an id, or is neither. */
  def guid(header: Array[Byte]): Option[(UUID, Int)] =
    if (header.length < guidLength || header(0) != guidMagic) None
    else {
      val bytes = ByteBuffer.wrap(header, 1, guidLength - 1)
      Some(new UUID(bytes.getLong, bytes.getLong) -> guidLength)
    }
}
