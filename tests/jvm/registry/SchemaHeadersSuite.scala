package io.kafkalyst.registry

import java.util.UUID

import io.kafkalyst.model.Side
import org.scalatest.funsuite.AnyFunSuite

class SchemaHeadersSuite extends AnyFunSuite {
  private val guid = UUID.fromString("00112233-4455-6677-8899-aabbccddeeff")

  test("a GUID is a byte 1 and its bytes from left to right, and is read back with the place behind it") {
    val header = SchemaHeaders.header(guid)
    assert(header.map(b => f"${b & 0xff}%02x").mkString == "0100112233445566778899aabbccddeeff")
    assert(SchemaHeaders.guid(header).contains(guid -> 17))
    assert(SchemaHeaders.guid(header ++ Array[Byte](2, 0)).contains(guid -> 17))
  }

  test("what is not a GUID is none") {
    assert(SchemaHeaders.guid(WireFormat.header(7)).isEmpty)
    assert(SchemaHeaders.guid(SchemaHeaders.header(guid).init).isEmpty)
    assert(SchemaHeaders.guid(Array.emptyByteArray).isEmpty)
    assert(Side.all.map(SchemaHeaders.name) == Seq("__key_schema_id", "__value_schema_id"))
  }
}
