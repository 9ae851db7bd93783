package io.kafkalyst.read

import java.nio.ByteBuffer
import java.util.Optional

import org.apache.kafka.clients.consumer.ConsumerRecord
import org.apache.kafka.common.header.internals.RecordHeaders
import org.apache.kafka.common.record.TimestampType
import org.scalatest.funsuite.AnyFunSuite

import scala.collection.mutable
import scala.util.Random

class LatestRecordsSuite extends AnyFunSuite {
  private type Record = ConsumerRecord[ByteBuffer, ByteBuffer]
  // Key, value, offset, timestamp, a header's value.
  private type Known = (Seq[Byte], Option[Seq[Byte]], Long, Long, Option[Seq[Byte]])

  private val none = Optional.empty[Integer]()

  /** Bytes within a larger buffer, as fetched ones are. */
  private def within(bytes: Array[Byte]) =
    ByteBuffer.wrap(Array[Byte](9, 9) ++ bytes ++ Array[Byte](7), 2, bytes.length).slice()

  private def bytes(buffer: ByteBuffer): Seq[Byte] = {
    val copy = new Array[Byte](buffer.remaining)
    buffer.duplicate().get(copy)
    copy.toSeq
  }

  private def random(r: Random, offset: Long): Record = {
    val key = within(Array.fill(r.nextInt(3))(r.nextInt(4).toByte))
    val value = if (r.nextInt(5) == 0) null else within(r.nextBytes(r.nextInt(20)))
    val headers = new RecordHeaders
    if (r.nextInt(3) == 0) headers.add("h", r.nextBytes(3))
    new Record("t", 2, offset, offset * 10, TimestampType.CREATE_TIME, 0, 0, key, value, headers, none)
  }

  private def known(record: Record): Known = (
    bytes(record.key),
    Option(record.value).map(bytes),
    record.offset,
    record.timestamp,
    Option(record.headers.lastHeader("h")).map(_.value.toSeq)
  )

  for (limit <- Seq(1L, 500L, 2000L, LatestRecords.limit))
    test(s"the last record of each key comes last, holding at most $limit bytes") {
      val r = new Random(limit)
      val records = Seq.tabulate(3000)(i => random(r, i.toLong))
      val latest = new LatestRecords(limit)
      val given = mutable.Buffer.empty[Known]
      val left = records.iterator
      while (left.hasNext) {
        while (left.hasNext && latest.add(left.next())) {}
        while (latest.hasNext) given += known(latest.next("t", 2))
      }
      val expected = records.map(known).groupBy(_._1).map { case (key, all) => key -> all.last }
      val found = given.groupBy(_._1)
      assert(found.map { case (key, all) => key -> all.last } == expected)
      assert(found.values.forall(all => all.map(_._3) == all.map(_._3).sorted))
      assert(given.size + latest.superseded == records.size)
      if (limit == LatestRecords.limit) assert(given.size == expected.size)
    }

  test("headers count as held bytes, and give them back") {
    def record(key: Int, header: Int) = {
      val headers = new RecordHeaders
      headers.add("h", new Array[Byte](header))
      val bytes = Array(key.toByte)
      new Record("t", 2, 0, 0, TimestampType.CREATE_TIME, 0, 0, within(bytes), within(bytes), headers, none)
    }
    val full = new LatestRecords(20000)
    assert(Iterator.from(0).takeWhile(i => full.add(record(i, 1000))).size < 20)
    val one = new LatestRecords(20000)
    assert((0 until 1000).forall(i => one.add(record(0, i % 10 * 1000))))
  }
}
