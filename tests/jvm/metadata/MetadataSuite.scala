package io.kafkalyst.metadata

import java.nio.charset.StandardCharsets.UTF_8
import java.util.Optional

import io.kafkalyst.errors.{KafkalystException, KafkalystTaskException}
import io.kafkalyst.model._
import org.apache.kafka.clients.consumer.ConsumerRecord
import org.apache.kafka.common.header.internals.RecordHeaders
import org.apache.kafka.common.record.{TimestampType => Clock}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.SpecificInternalRow
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String
import org.scalatest.funsuite.AnyFunSuite

class MetadataSuite extends AnyFunSuite {
  private val headers = new RecordHeaders()
    .add("a", "1".getBytes(UTF_8)).add("ü", null).add("a", Array.empty[Byte]).add("b", Array[Byte](-1))

  private def record(clock: Clock = Clock.CREATE_TIME, epoch: Option[Integer] = Some(7)) =
    new ConsumerRecord[AnyRef, AnyRef](
      "topic",
      3,
      3000000000L,
      1234567L,
      clock,
      0,
      0,
      null,
      null,
      headers,
      epoch.fold(Optional.empty[Integer]())(Optional.of(_))
    )

  private def read(key: String, dataType: DataType, from: ConsumerRecord[_, _] = record()): Any = {
    val column =
      TopicColumn("c", dataType, Side.Value, Some(MetadataColumns.metadata("c", dataType, Some(key), false, Nil)))
    val row = new SpecificInternalRow(Seq(dataType))
    new MetadataReader(Seq(column -> 0), _ => "", "UTC").fill(from, row)
    if (row.isNullAt(0)) null else row.get(0, dataType)
  }

  private def text(s: String) = UTF8String.fromString(s)

  test("every key in its own type and in others that it casts to") {
    assert(read("topic", StringType) == text("topic"))
    assert(read("partition", IntegerType) == 3)
    assert(read("partition", StringType) == text("3"))
    assert(read("partition", DecimalType(5, 1)) == Decimal(BigDecimal("3.0"), 5, 1))
    assert(read("offset", LongType) == 3000000000L)
    assert(read("offset", DoubleType) == 3.0e9)
    assert(read("leader-epoch", IntegerType) == 7)
    assert(read("leader-epoch", IntegerType, record(epoch = None)) == null)
    assert(read("timestamp", TimestampType) == 1234567000L)
    assert(read("timestamp", LongType) == 1234567L)
    assert(read("timestamp", StringType) == text("1970-01-01 00:20:34.567"))
    assert(read("timestamp", DateType) == 0)
    assert(read("timestamp", TimestampType, record(Clock.NO_TIMESTAMP_TYPE)) == null)
    assert(read("timestamp-type", StringType, record(Clock.LOG_APPEND_TIME)) == text("LogAppendTime"))
    assert(read("headers.a", StringType) == text(""))
    assert(read("headers.ü", BinaryType) == null && read("headers.A", BinaryType) == null)
  }

  test("headers as an array keep order, duplicates and the difference of null and empty; as a map the last wins") {
    val array = Headers.toArray(headers)
    val back = new RecordHeaders()
    Headers.ofArray(array, back)
    assert(back == headers)
    val map = Headers.toMap(headers)
    assert(map.keyArray.toSeq[UTF8String](StringType) == Seq("a", "ü", "b").map(text))
    val values = map.valueArray
    assert(values.getBinary(0).isEmpty && values.isNullAt(1) && values.getBinary(2).sameElements(Array[Byte](-1)))
    val ofMap = new RecordHeaders()
    Headers.ofMap(map, ofMap)
    assert(ofMap.toArray.map(_.key).sameElements(Array("a", "ü", "b")) && ofMap.lastHeader("ü").value == null)
  }

  test("a value that does not fit its column names the record") {
    val failed = intercept[KafkalystTaskException](read("offset", IntegerType))
    assert(failed.getCondition == "KAFKALYST_METADATA_NOT_CASTABLE")
    assert(failed.getMessageParameters.get("offset") == "3000000000")
  }

  test("types that no cast reaches are refused") {
    Seq("offset" -> DateType, "partition" -> BinaryType, "topic" -> Headers.mapType, "headers" -> BinaryType).foreach {
      case (key, dataType) =>
        val refused = intercept[KafkalystException](MetadataColumns.metadata("c", dataType, Some(key), false, Nil))
        assert(refused.getCondition == "KAFKALYST_METADATA_COLUMN_TYPE", key)
    }
  }

  private val topic = TopicObject(
    ObjectKind.Stream,
    "own",
    SideFormat("NONE"),
    SideFormat("JSON"),
    Seq(
      "topic" -> StringType,
      "partition" -> IntegerType,
      "timestamp" -> LongType,
      "headers" -> Headers.arrayType
    ).map {
      case (key, dataType) => TopicColumn(key, dataType, Side.Value, Some(MetadataColumn(key)))
    },
    options = Map(Properties.sinkTopics.name -> "other; third")
  )
  private val partitions = Map("own" -> 2, "other" -> 5, "third" -> 1)
  private val writer = new MetadataWriter(topic, topic.columns, "UTC", partitions, _ => false)

  private def refused(row: Any*) = {
    val e = intercept[KafkalystTaskException](writer.of(InternalRow(row: _*)))
    assert(e.getCondition == "KAFKALYST_METADATA_VALUE_REFUSED")
    e.getMessageParameters.get("column")
  }

  test("what is written goes where it belongs, what is NULL is left to the producer") {
    val none = writer.of(InternalRow(null, null, null, null))
    assert(none.topic == "own" && none.partition == null && none.timestamp == null && none.headers.toArray.isEmpty)
    val all = writer.of(InternalRow(text("other"), 4, 5L, Headers.toArray(headers)))
    assert(all.topic == "other" && all.partition == 4 && all.timestamp == 5L && all.headers == headers)
  }

  test("topics, partitions and timestamps that cannot be are refused by column") {
    assert(refused(text("fourth"), null, null, null) == "topic")
    assert(refused(text("third"), 1, null, null) == "partition")
    assert(refused(null, 2, null, null) == "partition")
    assert(refused(null, -1, null, null) == "partition")
    assert(refused(null, null, -1L, null) == "timestamp")
  }

  test("the sink's columns that are only read are refused before any row") {
    def check(key: String, dataType: DataType, virtual: Boolean = false) = MetadataWriter.check(
      "s",
      topic.copy(
        columns = Seq(TopicColumn("c", dataType, Side.Value, Some(MetadataColumn(key, virtual)))),
        options = Map.empty
      )
    )
    check("offset", LongType, virtual = true)
    check("partition", StringType)
    check("timestamp", StringType)
    Seq("offset" -> LongType, "headers" -> StringType, "topic" -> StringType).foreach { case (key, dataType) =>
      assert(intercept[KafkalystException](check(key, dataType)).getCondition == "KAFKALYST_METADATA_READ_ONLY")
    }
  }
}
