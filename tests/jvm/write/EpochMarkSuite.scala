package io.kafkalyst.write

import org.apache.kafka.clients.consumer.OffsetAndMetadata
import org.scalatest.funsuite.AnyFunSuite

class EpochMarkSuite extends AnyFunSuite {
  private val mark = EpochMark(7, 3, 10, -5, Some("value:17"))

  test("a mark is stored as an offset and its metadata") {
    assert(EpochMark.of(mark.asOffset).contains(mark) && mark.isOurs)
    val plain = new OffsetAndMetadata(7, "tasks=3 rows=10 digest=fffffffffffffffb")
    assert(EpochMark.of(plain).contains(mark.copy(schemas = None)))
    assert(EpochMark.of(new OffsetAndMetadata(7)).exists(!_.isOurs) && EpochMark.of(null).isEmpty)
  }

  test("the records' bytes are compared if they were encoded by the same schemas, else their number") {
    assert(mark.isRepeatedBy(mark) && !mark.isRepeatedBy(mark.copy(digest = 6)))
    assert(!mark.copy(schemas = None).isRepeatedBy(mark.copy(digest = 6)))
    val grown = mark.copy(digest = 6, schemas = Some("value:18"))
    assert(mark.isRepeatedBy(grown) && !mark.isRepeatedBy(grown.copy(rows = 11)))
  }
}
