package io.kafkalyst.commands

import scala.util.Random

import io.kafkalyst.commands.show.{FlinkStatement, KsqldbStatement}
import io.kafkalyst.catalog.define.ObjectDefinition
import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.metadata.Headers
import io.kafkalyst.model._
import io.kafkalyst.model.settings.Settings
import io.kafkalyst.parse.{AstBuilder, Statements}
import org.apache.spark.sql.catalyst.parser.CatalystSqlParser
import org.apache.spark.sql.types._
import org.scalatest.funsuite.AnyFunSuite

/** The text of SHOW CREATE makes an equal object again. */
class ShowCreateSuite extends AnyFunSuite {
  private val settings = Settings.of(Map("spark.kafkalyst.bootstrap.servers" -> "here:9092"))

  private def create(text: String): CreateObject =
    new AstBuilder(text, CatalystSqlParser, upper = false, _ => fail("no query"))
      .build(Statements.parse(text).toOption.get).asInstanceOf[CreateObject]

  private def defined(c: CreateObject): TopicObject = {
    val given = ObjectDefinition.withDefaults(Properties.checked(c.properties), settings)
    val registry = () => fail("everything is declared")
    val o = ObjectDefinition.of(c.kind, given, c.columns, settings, registry, c.options.isFlink)
    o.copy(
      computed = c.options.derived.computed,
      watermark = c.options.derived.watermark,
      options = o.options ++ (if (c.options.readOnly) Map(TopicObject.readOnly -> "true") else Map.empty)
    )
  }

  /** Without what makes no difference: a key's format where there is no key. */
  private def normal(o: TopicObject): TopicObject =
    if (o.columns(Side.Key).isEmpty) o.copy(key = SideFormat("NONE")) else o

  private def keysFirst(o: TopicObject): TopicObject = {
    val (keys, others) = o.columns.partition(_.isIn(Side.Key))
    o.copy(columns = keys ++ others)
  }

  private val names = Seq("id", "a b", "ü🙂", "it's", "dot.ted", "select", "ti`ck", "x\"y", "METADATA", "NAME")
  private val types = Seq(
    IntegerType,
    LongType,
    StringType,
    DecimalType(9, 2),
    TimestampType,
    TimestampNTZType,
    BooleanType,
    DateType,
    ArrayType(StringType),
    StructType.fromDDL("ab INT, c ARRAY<STRUCT<t: TIMESTAMP>>"),
    MapType(StringType, BinaryType)
  )
  private val metadata = Seq(
    "offset" -> LongType,
    "partition" -> IntegerType,
    "timestamp" -> TimestampType,
    "headers" -> Headers.mapType,
    "headers" -> Headers.arrayType,
    "headers.x'y" -> BinaryType,
    "headers.z" -> StringType,
    "topic" -> StringType
  )

  private def random(dice: Random): TopicObject = {
    def pick[T](all: Seq[T]): T = all(dice.nextInt(all.size))
    def maybe[T](what: => T): Option[T] = if (dice.nextInt(3) == 0) Some(what) else None
    // Avro takes no other names.
    val isAvro = dice.nextInt(4) == 0
    val chosen = dice.shuffle(if (isAvro) ('a' to 'j').map(_.toString) else names)
    val keys = chosen.take(dice.nextInt(3)).map(TopicColumn(_, pick(Seq(LongType, StringType)), Side.Key))
    val values = chosen.slice(keys.size, keys.size + 1 + dice.nextInt(4)).map(TopicColumn(_, pick(types), Side.Value))
    val keysOf = dice.shuffle(metadata).distinctBy(_._1).take(dice.nextInt(3))
    // HEADERS lets no other header follow.
    val several = keysOf.filterNot(m => m._1 == "headers" && keysOf.exists(_._1.startsWith("headers.")))
    val around = several.zip(chosen.drop(7)).map {
      case ((key, t), name) => TopicColumn(name, t, Side.Value, Some(MetadataColumn(key, dice.nextBoolean())))
    }
    val isTable = keys.nonEmpty && dice.nextBoolean()
    val isFlink = dice.nextBoolean()
    val keyFormat = if (keys.isEmpty) None else Some(pick(Seq(if (isAvro) "AVRO" else "JSON", "JSON_SR", "DELIMITED")))
    val valueFormat = pick(Seq("JSON", if (isAvro) "AVRO" else "JSON", "JSON_SR"))
    def flag = dice.nextBoolean().toString
    val properties = Seq("KAFKA_TOPIC" -> pick(Seq("t", "a;b", "o.k-1")), "VALUE_FORMAT" -> valueFormat) ++
      keyFormat.map("KEY_FORMAT" -> _) ++
      maybe("KEY.FIELDS" -> keys.map(_.name).reverse.mkString(";")).filter(_ => keys.size > 1) ++
      maybe("WRAP_SINGLE_KEY" -> flag).filter(_ => keys.size == 1 && keyFormat.exists(_ != "DELIMITED")) ++
      maybe("WRAP_SINGLE_VALUE" -> flag).filter(_ => values.size == 1) ++
      maybe("KEY_DELIMITER" -> pick(Seq("|", "TAB"))).filter(_ => keyFormat.contains("DELIMITED")) ++
      maybe("VALUE_TIMESTAMP_STANDARD" -> pick(Seq("SQL", "ISO-8601"))).filter(_ => valueFormat == "JSON") ++
      maybe("VALUE_NULL_BAD_FIELDS" -> "true").filter(_ => valueFormat == "JSON") ++
      maybe("VALUE_SUBJECT" -> "a'subject").filter(_ => valueFormat != "JSON") ++
      maybe("AUTO_REGISTER" -> flag).filter(_ => valueFormat != "JSON") ++
      maybe("VALUE.FIELDS-INCLUDE" -> "ALL").filter(_ =>
        keys.nonEmpty && !values.exists(v => keys.exists(_.name == v.name))
      ) ++
      maybe("SCAN.EMPTY-RECORDS" -> "skip") ++ maybe("SCAN.BOUNDED.MODE" -> "latest-offset") ++
      maybe("PROPERTIES.FETCH.MIN.BYTES" -> "7") ++ maybe("ON_ERROR" -> pick(OnError.all).name) ++
      maybe("FIELDS.VERIFY-INTEGRITY" -> flag)
    val columns = if (isFlink) dice.shuffle(keys ++ values ++ around) else keys ++ values ++ around
    val o = ObjectDefinition.of(
      if (isTable) ObjectKind.Table else ObjectKind.Stream,
      ObjectDefinition.withDefaults(Properties.checked(properties), settings),
      columns,
      settings,
      () => fail("everything is declared"),
      isFlink
    )
    val computed = maybe(ComputedColumn("computed", "1 + (2, 3)", "1 + (2, 3)", dice.nextInt(columns.size + 1)))
    val time = maybe(values.map(_.name).headOption).flatten
    o.copy(
      computed = computed.toSeq,
      watermark = time.map(n => Watermark(n, s"`${n.replace("`", "``")}` - INTERVAL '5' SECOND")),
      options = o.options ++ maybe(TopicObject.readOnly -> "true")
    )
  }

  test("what is shown in ksqlDB's words makes the object again") {
    val dice = new Random(11)
    for (i <- 1 to 3000) {
      val given = random(dice)
      val text = KsqldbStatement.of("o`x", given)
      val again = defined(create(text))
      val isMoved = keysFirst(given) != given
      val wanted = if (isMoved) given.copy(computed = Nil) else given
      val found = if (isMoved) again.copy(computed = Nil) else again
      assert(normal(found) == normal(keysFirst(wanted)), s"object $i:\n$text")
    }
  }

  test("what is shown in Flink's words makes the object again, but for SOURCE") {
    val dice = new Random(12)
    for (i <- 1 to 3000) {
      val given = random(dice)
      val text = FlinkStatement.of("o`x", given, "here:9092")
      assert(text.contains("SOURCE") == given.options.contains(TopicObject.readOnly))
      val wanted = given.copy(options = given.options - TopicObject.readOnly)
      // Flink's types say what AVRO's times count and which fields are required, where the object leaves it open.
      def open(o: TopicObject) =
        o.copy(key = unsaid(o.key), value = unsaid(o.value))
      assert(open(normal(defined(create(text)))) == normal(wanted), s"object $i:\n$text")
    }
  }

  private def unsaid(as: SideFormat) =
    as.copy(options = as.options -- Seq(SideFormat.timestampUnit, SideFormat.requiredFields))

  test("what a language does not have is told, or refused by name") {
    val delimited = TopicObject(
      ObjectKind.Stream,
      "t",
      SideFormat("DELIMITED"),
      SideFormat("DELIMITED"),
      Seq(TopicColumn("v", LongType, Side.Value), TopicColumn("k", LongType, Side.Key)),
      options = Map("VALUE.FIELDS-INCLUDE" -> "ALL")
    )
    val e = intercept[KafkalystException](KsqldbStatement.of("t", delimited))
    assert(e.getCondition == "KAFKALYST_NOT_IN_DIALECT")
    val byId = delimited.copy(key = SideFormat("AVRO", Some(7), Map(SideFormat.givenId -> "7")))
    assert(KsqldbStatement.of("t", byId.copy(value = SideFormat("JSON"))).contains("KEY_SCHEMA_ID = '7'"))
    assert(intercept[KafkalystException](FlinkStatement.of("t", byId, "b")).getCondition == "KAFKALYST_NOT_IN_DIALECT")
    val latest = delimited.copy(value = SideFormat("AVRO", Some(9)))
    assert(FlinkStatement.of("t", latest, "b").startsWith("-- "))
    assert(FlinkStatement.of("t", latest, "b").contains("-- the value has the schema id 9\n"))
  }
}
