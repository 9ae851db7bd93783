package io.kafkalyst.registry

import org.scalatest.funsuite.AnyFunSuite

class WireFormatSuite extends AnyFunSuite {
  test("the header of an id is read back from anywhere in an array") {
    Seq(0, 1, 255, 256, 1 << 24, Int.MaxValue).foreach { id =>
      val bytes = Array.fill[Byte](3)(9) ++ WireFormat.header(id) ++ Array[Byte](9)
      assert(WireFormat.fault(bytes, 3, 6) == null)
      assert(WireFormat.schemaId(bytes, 3) == id)
    }
  }

  test("what is not a header is said in words") {
    def fault(bytes: Int*) = WireFormat.fault(bytes.map(_.toByte).toArray, 0, bytes.length)
    assert(fault() == "no bytes at all, not even a schema id")
    assert(fault('{', '}').startsWith("first byte is 0x7b") && fault('{', '}').contains("JSON"))
    assert(fault('a').contains("text"))
    assert(fault(1, 0, 0, 0, 0).startsWith("first byte is 0x01"))
    assert(fault(0, 0, 0).contains("only 3 of the 5"))
    assert(fault(0, 0, 0, 0, 1) == null)
  }
}
