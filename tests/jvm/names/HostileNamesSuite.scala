package io.kafkalyst.names

import scala.util.Random

import io.kafkalyst.catalog.ObjectCodec
import io.kafkalyst.commands.CreateObject
import io.kafkalyst.formats.FormatTesting._
import io.kafkalyst.formats.json.JsonFormat
import io.kafkalyst.model._
import io.kafkalyst.parse.{AstBuilder, Statements}
import org.apache.spark.sql.catalyst.parser.CatalystSqlParser
import org.apache.spark.sql.types._
import org.scalatest.funsuite.AnyFunSuite

class HostileNamesSuite extends AnyFunSuite {
  private val pieces = Seq(
    "id", "ID", "Id", "a b", ".", "a.b", "SELECT", "select", "FROM", "ROWKEY", "rowvalue", "COL_0", "col_1", "@ID", "`",
    "\"", "\"\"",
    "'", "\\", "->", ":=", ",", "(", ")", "<", ">", ";", "--", "/*", "*/", "*", "%", "$$", "${x}", "\t", "\n", "ü", "İ",
    "ß",
    "🙂", "名", "\u200b", "0", "1e5", "-", "KEY", "STRUCT", "NULL", "true", "x"
  )
  private val leaves = Seq(StringType, IntegerType, LongType, BooleanType, DoubleType, DecimalType(12, 3), BinaryType)

  private def name(dice: Random) = Seq.fill(1 + dice.nextInt(3))(pieces(dice.nextInt(pieces.size))).mkString

  private def names(dice: Random, most: Int) = Seq.fill(1 + dice.nextInt(most))(name(dice)).distinct

  private def dataType(dice: Random, depth: Int): DataType = dice.nextInt(if (depth > 2) 1 else 6) match {
    case 3 => ArrayType(dataType(dice, depth + 1))
    case 4 => MapType(StringType, dataType(dice, depth + 1))
    case 5 => StructType(names(dice, 4).map(StructField(_, dataType(dice, depth + 1))))
    case _ => leaves(dice.nextInt(leaves.size))
  }

  private def random(dice: Random, t: DataType): Any =
    if (dice.nextInt(6) == 0) null
    else
      t match {
        case StringType => name(dice)
        case IntegerType => dice.nextInt()
        case LongType => dice.nextLong()
        case BooleanType => dice.nextBoolean()
        case DoubleType => dice.nextDouble()
        case d: DecimalType => new java.math.BigDecimal(BigInt(dice.nextInt()).bigInteger, d.scale)
        case BinaryType => Seq.fill(dice.nextInt(4))(dice.nextInt().toByte)
        case a: ArrayType => Seq.fill(dice.nextInt(3))(random(dice, a.elementType))
        case m: MapType => Seq.fill(dice.nextInt(3))(name(dice) -> random(dice, m.valueType)).toMap
        case s: StructType => s.fields.toSeq.map(f => random(dice, f.dataType))
      }

  private def quoted(dice: Random, name: String) =
    // Between double quotes a backslash escapes, as Spark lexes them.
    if (!name.contains("\\") && dice.nextBoolean()) "\"" + name.replace("\"", "\"\"") + "\""
    else "`" + name.replace("`", "``") + "`"

  private def sql(dice: Random, t: DataType): String = t match {
    case a: ArrayType => s"ARRAY<${sql(dice, a.elementType)}>"
    case m: MapType => s"MAP<STRING, ${sql(dice, m.valueType)}>"
    case s: StructType =>
      s.fields.map(f => s"${quoted(dice, f.name)}${if (dice.nextBoolean()) ":" else ""} ${sql(dice, f.dataType)}")
        .mkString("STRUCT<", ", ", ">")
    case other => other.sql
  }

  private def declared(columns: Seq[TopicColumn], dice: Random): Seq[TopicColumn] = {
    val list = columns.map(c => s"${quoted(dice, c.name)} ${sql(dice, c.dataType)}").mkString(", ")
    val text = s"CREATE STREAM s ($list) WITH (KAFKA_TOPIC = 't', VALUE_FORMAT = 'JSON')"
    val builder = new AstBuilder(text, CatalystSqlParser, upper = false, _ => fail("no query"))
    builder.build(Statements.parse(text).toOption.get) match {
      case create: CreateObject => create.columns
      case other => fail(other.toString)
    }
  }

  test("10,000 hostile schemas: what is declared, stored, written and read is equal, under names that never collide") {
    val dice = new Random(11)
    for (i <- 1 to 10000) {
      val columns = names(dice, 6).map(n => TopicColumn(n, dataType(dice, 0), Side.Value))
      withClue(s"schema $i: ${columns.map(_.name)}: ") {
        assert(declared(columns, dice) == columns)
        val internal = InternalSchema.of(columns)
        assert(internal == InternalSchema.of(columns))
        check(internal)
        val topic = TopicObject(ObjectKind.Stream, "t", SideFormat("NONE"), SideFormat("JSON"), columns)
        assert(ObjectCodec.decode(internal, ObjectCodec.encode(topic)) == topic)
        columns.zip(internal.fields).foreach { case (c, f) =>
          assert(InternalSchema.external(f.dataType, f.dataType, c.dataType) == c.dataType)
        }
        val row = columns.map(c => random(dice, c.dataType))
        val bytes = encoder(JsonFormat, columns, options = Map("WRAP_SINGLE" -> "true"))
          .encode(sparkRow(row, schemaOf(columns)))
        val reader = decoder(JsonFormat, columns, columns, options = Map("WRAP_SINGLE" -> "true"))
        assert(decode(reader, columns, bytes) == row)
      }
    }
  }

  /** No two names of a level are the same without case, at any depth. */
  private def check(t: DataType): Unit = t match {
    case s: StructType =>
      assert(s.fieldNames.map(_.toLowerCase(java.util.Locale.ROOT)).distinct.length == s.length, s.fieldNames.toSeq)
      s.fields.foreach(f => check(f.dataType))
    case a: ArrayType => check(a.elementType)
    case m: MapType => check(m.valueType)
    case _ =>
  }

  test("a key and a value of one name are told apart") {
    val columns = key("f" -> IntegerType) ++ value("f" -> IntegerType, "g" -> IntegerType)
    assert(InternalSchema.of(columns).fieldNames.toSeq == Seq("COL_0", "COL_1", "g"))
    assert(InternalSchema.of(columns).map(TopicColumn.of) == columns)
  }

  test("a column that is called like an internal name keeps it") {
    val columns = value("COL_0" -> IntegerType, "a" -> IntegerType, "A" -> IntegerType)
    assert(InternalSchema.of(columns).fieldNames.toSeq == Seq("COL_0", "COL_2", "COL_3"))
  }
}
