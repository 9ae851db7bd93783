package io.kafkalyst.read

import java.nio.ByteBuffer
import java.nio.charset.StandardCharsets.UTF_8

import io.kafkalyst.errors.KafkalystTaskException
import io.kafkalyst.formats.BadBytes
import io.kafkalyst.metadata.DeadLetterHeaders
import io.kafkalyst.model._
import org.apache.kafka.clients.consumer.ConsumerRecord
import org.apache.kafka.common.header.Headers
import org.apache.spark.sql.types.StringType
import org.scalatest.funsuite.AnyFunSuite

class DeadLetterSizeSuite extends AnyFunSuite {
  test("a letter's headers are short, whatever the reason quotes") {
    val topic = TopicObject(
      ObjectKind.Stream,
      "t",
      SideFormat("KAFKA"),
      SideFormat("JSON"),
      Seq(TopicColumn("v", StringType, Side.Value))
    ).copy(onError = OnError.DeadLetter)
    var sent: Headers = null
    val letters = new DeadLetters {
      override def send(key: Array[Byte], value: Array[Byte], headers: Headers): Unit = sent = headers
      override def flush(): Unit = ()
      override def close(): Unit = ()
    }
    val bad = new BadRecords(topic, Some(() => letters))
    val bytes = ByteBuffer.wrap("{}".getBytes(UTF_8))
    val fault = new BadBytes("ü" * 500000)
    val sides = Seq(Side.Key, Side.Value).map(BadSide(_, bytes, fault))
    assert(!bad.keeps(new ConsumerRecord("t", 0, 0L, bytes, bytes), sides))
    val size = sent.toArray.map(h => h.key.length + h.value.length).sum
    assert(sent.headers(DeadLetterHeaders.prefix + DeadLetterHeaders.error).iterator.hasNext)
    assert(size < DeadLetterHeaders.size / 2, size)
    val record = new ConsumerRecord("t", 0, 0L, bytes, bytes)
    assert(bad.explain(record, sides).length < 3000)
    val failing = new BadRecords(topic.copy(onError = OnError.Fail), None)
    val failed = intercept[KafkalystTaskException](failing.keeps(record, sides))
    assert(failed.getMessage.contains("üü") && failed.getMessage.length < 2000)
  }
}
