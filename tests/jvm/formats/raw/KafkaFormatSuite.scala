package io.kafkalyst.formats
package raw

import io.kafkalyst.formats.avro.AvroFormat
import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.model.{Side, TopicColumn}
import org.apache.kafka.common.serialization.{DoubleSerializer, IntegerSerializer, LongSerializer, StringSerializer}
import org.apache.spark.sql.types._
import org.scalatest.funsuite.AnyFunSuite

class KafkaFormatSuite extends AnyFunSuite {
  import FormatTesting._

  private def condition(run: => Any): String = intercept[KafkalystException](run).getCondition

  private def write(columns: Seq[TopicColumn], v: Any): Array[Byte] =
    encoder(KafkaFormat, columns).encode(sparkRow(Seq(v), schemaOf(columns)))

  test("bytes are those of Kafka's own serialisers, and come back") {
    Seq[(DataType, Any, Array[Byte])](
      (IntegerType, -5, new IntegerSerializer().serialize("t", -5)),
      (LongType, 1L << 40, new LongSerializer().serialize("t", 1L << 40)),
      (DoubleType, -0.5, new DoubleSerializer().serialize("t", -0.5)),
      (StringType, "é", new StringSerializer().serialize("t", "é")),
      (StringType, "", Array.emptyByteArray),
      (BinaryType, Seq[Byte](0, -1), Array[Byte](0, -1))
    ).foreach { case (t, v, bytes) =>
      Seq(value("c" -> t), key("c" -> t)).foreach { columns =>
        assert(write(columns, v).toSeq == bytes.toSeq)
        assert(decode(decoder(KafkaFormat, columns, columns), columns, bytes) == Seq(v))
        assert(write(columns, null) == null)
      }
    }
  }

  test("bytes of a wrong length are bad") {
    Seq[(DataType, Int)](IntegerType -> 3, IntegerType -> 5, LongType -> 4, DoubleType -> 0).foreach { case (t, n) =>
      val columns = key("c" -> t)
      assert(intercept[BadBytes](
        decode(decoder(KafkaFormat, columns, columns), columns, new Array[Byte](n))
      ).reason.contains(s"there are $n"))
    }
  }

  test("KAFKA takes one column of few types, NONE takes none") {
    assert(condition(KafkaFormat.validate(Side.Key, Nil, as(KafkaFormat))) == "KAFKALYST_UNSUPPORTED_COLUMN_COUNT")
    assert(condition(
      KafkaFormat.validate(Side.Key, key("a" -> LongType, "b" -> LongType), as(KafkaFormat))
    ) == "KAFKALYST_UNSUPPORTED_COLUMN_COUNT")
    Seq(BooleanType, DecimalType(5, 2), DateType, ArrayType(LongType), FloatType).foreach { t =>
      assert(condition(
        KafkaFormat.validate(Side.Value, value("a" -> t), as(KafkaFormat))
      ) == "KAFKALYST_UNSUPPORTED_COLUMN_TYPE")
    }
    KafkaFormat.validate(Side.Key, key("a" -> StringType), as(KafkaFormat))
    NoneFormat.validate(Side.Key, Nil, as(NoneFormat))
    assert(condition(
      NoneFormat.validate(Side.Key, key("a" -> LongType), as(NoneFormat))
    ) == "KAFKALYST_UNSUPPORTED_COLUMN_COUNT")
  }

  test("formats are found by name in any case; a wrong name gets the nearest") {
    assert(rowFormats.map(_.name) ==
      Seq("AVRO", "AVRO_NOSR", "DELIMITED", "JSON", "JSON_SR", "KAFKA", "NONE", "PROTOBUF", "PROTOBUF_NOSR"))
    assert(Formats.of("avro").contains(AvroFormat) && Formats.of("nope").isEmpty)
    val e = intercept[KafkalystException](Formats("JASON"))
    assert(e.getCondition == "KAFKALYST_UNKNOWN_FORMAT" && e.getMessage.contains("Did you mean \"JSON\""))
  }

  test("without asked columns the bytes are not looked at") {
    rowFormats.foreach { format =>
      val declared = if (format == NoneFormat) Nil else value("a" -> LongType)
      assert(decode(decoder(format, declared, Nil), Nil, Array[Byte](1, 2, 3)) == Nil)
    }
  }
}
