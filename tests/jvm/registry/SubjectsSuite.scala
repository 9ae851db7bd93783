package io.kafkalyst.registry

import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.model.{RegistryProperties, Side, SideFormat, SubjectStrategy, TopicColumn}
import org.apache.spark.sql.types._
import org.scalatest.funsuite.AnyFunSuite

class SubjectsSuite extends AnyFunSuite {
  import SubjectStrategy._

  test("each strategy names the subject of each side; an explicit one wins") {
    def subject(strategy: SubjectStrategy, side: Side, explicit: Option[String] = None) =
      Subjects.subject(side, "orders", strategy, explicit, Some("shop.Order"))
    assert(subject(TopicName, Side.Key) == "orders-key" && subject(TopicName, Side.Value) == "orders-value")
    assert(subject(RecordName, Side.Value) == "shop.Order" && subject(TopicRecordName, Side.Key) == "orders-shop.Order")
    assert(SubjectStrategy.all.forall(subject(_, Side.Value, Some("mine")) == "mine"))
  }

  test("a strategy that needs the record's name says so where it has none; the others do not ask") {
    def named(strategy: SubjectStrategy) = Subjects.subject(Side.Value, "t", strategy, None, None)
    assert(named(TopicName) == "t-value")
    Seq(RecordName, TopicRecordName).foreach { strategy =>
      val e = intercept[KafkalystException](named(strategy))
      assert(e.getCondition == "KAFKALYST_SUBJECT_NEEDS_RECORD_NAME")
      assert(e.getMessage.contains("VALUE_SCHEMA_FULL_NAME") && e.getMessage.contains("VALUE_SUBJECT"))
    }
  }

  test("strategies are known by their own names, as words of SQL and as Confluent's classes") {
    Seq("RecordName", "recordname", "RECORD_NAME", "RecordNameStrategy").foreach { name =>
      assert(SubjectStrategy.of(name).contains(RecordName), name)
    }
    val theirs = "io.confluent.kafka.serializers.subject.TopicRecordNameStrategy"
    assert(SubjectStrategy.of(theirs).contains(TopicRecordName) && SubjectStrategy.of("Record").isEmpty)
  }

  test("options of a side: its own properties and those of both, the older name too, nothing twice") {
    val given = Map(
      "KEY_SUBJECT" -> "k",
      "VALUE_AVRO_SCHEMA_FULL_NAME" -> "a.B",
      "VALUE_SCHEMA_ID" -> "7",
      "VALUE_SUBJECT_STRATEGY" -> "RecordName",
      "AUTO_REGISTER" -> "false"
    )
    assert(RegistryProperties.of(Side.Key, given) == Map("SUBJECT" -> "k", "AUTO_REGISTER" -> "false"))
    val value = RegistryProperties.of(Side.Value, given)
    assert(value("SCHEMA_FULL_NAME") == "a.B" && value("SCHEMA_ID") == "7")
    assert(Subjects.of(Side.Value, "t", SideFormat("AVRO", None, value), None) == "a.B")
    Seq(
      Map("VALUE_AVRO_SCHEMA_FULL_NAME" -> "a", "VALUE_SCHEMA_FULL_NAME" -> "a"),
      Map("VALUE_SUBJECT" -> "a", "VALUE_SUBJECT_STRATEGY" -> "TopicName")
    ).foreach { twice =>
      val e = intercept[KafkalystException](RegistryProperties.of(Side.Value, twice))
      assert(e.getCondition == "KAFKALYST_SAME_PROPERTY_TWICE" && twice.keys.forall(e.getMessage.contains))
    }
  }

  test("names of records") {
    def avro(schema: String) = Subjects.recordName("AVRO", schema)
    assert(avro("""{"type":"record","name":"B","namespace":"a","fields":[]}""").contains("a.B"))
    assert(avro("""{"type":"record","name":"x.B","namespace":"a","fields":[]}""").contains("x.B"))
    assert(avro("\"long\"").isEmpty && avro("no json").isEmpty)
    assert(Subjects.recordName("JSON", """{"title":"Order"}""").contains("Order"))
  }

  private def value(columns: (String, DataType)*) = columns.map { case (n, t) => TopicColumn(n, t, Side.Value) }
  private def key(columns: (String, DataType)*) = columns.map { case (n, t) => TopicColumn(n, t, Side.Key) }
  private def struct(fields: (String, DataType)*) = StructType(fields.map { case (n, t) => StructField(n, t) })

  test("columns of a query are the leading fields of a schema: name with case, type, place; all differences told") {
    val schema = value("id" -> LongType, "Name" -> StringType, "price" -> DecimalType(9, 2), "more" -> IntegerType)
    def differ(columns: (String, DataType)*) = SchemaIds.differences(value(columns: _*), schema)
    assert(differ("id" -> LongType, "Name" -> StringType).isEmpty)
    assert(differ("id" -> LongType, "Name" -> StringType, "price" -> DecimalType(9, 2), "more" -> IntegerType).isEmpty)
    assert(differ("id" -> IntegerType, "name" -> StringType, "price" -> DecimalType(9, 3)) == Seq(
      "column 1: the query has `id` INT, the schema has `id` BIGINT",
      "column 2: the query has `name` STRING, the schema has `Name` STRING",
      "column 3: the query has `price` DECIMAL(9,3), the schema has `price` DECIMAL(9,2)"
    ))
    assert(differ("Name" -> StringType, "id" -> LongType).size == 2)
    assert(differ("id" -> LongType, "price" -> DecimalType(9, 2)).size == 1)
    val five = value(
      "id" -> LongType,
      "Name" -> StringType,
      "price" -> DecimalType(9, 2),
      "more" -> IntegerType,
      "x" -> LongType
    )
    assert(SchemaIds.differences(five, schema) ==
      Seq("column 5: the query has `x` BIGINT, the schema has no more fields"))
  }

  test("nested names and types count, whether something may be null does not") {
    val schema =
      value("s" -> StructType(Seq(StructField("a", ArrayType(LongType, containsNull = false), nullable = false))))
    assert(SchemaIds.differences(value("s" -> struct("a" -> ArrayType(LongType))), schema).isEmpty)
    assert(SchemaIds.differences(value("s" -> struct("A" -> ArrayType(LongType))), schema).size == 1)
  }

  test("a schema without field names is compared by type; a key's record stands for its fields") {
    assert(SchemaIds.differences(key("id" -> LongType), key("ROWKEY" -> LongType)).isEmpty)
    assert(SchemaIds.differences(key("id" -> LongType), key("ROWKEY" -> StringType)) ==
      Seq("column 1: the query has `id` BIGINT, the schema has STRING"))
    val record = key("ROWKEY" -> struct("a" -> LongType, "b" -> StringType))
    assert(SchemaIds.differences(key("a" -> LongType, "b" -> StringType), record).isEmpty)
    assert(SchemaIds.differences(key("a" -> LongType), record).isEmpty)
    assert(SchemaIds.differences(key("b" -> StringType, "a" -> LongType), record).size == 2)
    assert(SchemaIds.differences(key("k" -> struct("a" -> LongType, "b" -> StringType)), record).isEmpty)
    assert(SchemaIds.differences(key("a" -> LongType, "b" -> StringType), key("ROWKEY" -> LongType)).size == 1)
  }

  test("strictly, the names ROWKEY and ROWVAL are compared, too") {
    val schema = key("ROWKEY" -> LongType)
    assert(SchemaIds.differences(key("ROWKEY" -> LongType), schema, strict = true).isEmpty)
    assert(SchemaIds.differences(key("id" -> LongType), schema, strict = true) ==
      Seq("column 1: the query has `id` BIGINT, the schema has `ROWKEY` BIGINT"))
    val record = key("ROWKEY" -> struct("a" -> LongType, "b" -> StringType))
    assert(SchemaIds.differences(key("a" -> LongType, "b" -> StringType), record, strict = true).size == 2)
  }
}
