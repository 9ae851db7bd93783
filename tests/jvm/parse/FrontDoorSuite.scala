package io.kafkalyst.parse

import java.nio.file.Files

import io.kafkalyst.analyze.BeforeSpark
import io.kafkalyst.analyze.tables.UnboundedReads
import io.kafkalyst.bridge.ParserShell
import io.kafkalyst.catalog.ObjectStore
import io.kafkalyst.catalog.define.ObjectDefinition
import io.kafkalyst.commands.{AddColumns => AddTopicColumns, CreateAsSelect, ExplainPlan, ExplainQueryStatement}
import io.kafkalyst.commands.flink.StatementSet
import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.model._
import io.kafkalyst.model.settings.{LanguageSettings, Settings}
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.{CreateArray, Expression, Literal}
import org.apache.spark.sql.catalyst.parser.ParseException
import org.apache.spark.sql.catalyst.plans.logical.{AddColumns, LogicalPlan}
import org.apache.spark.sql.execution.SparkSqlParser
import org.apache.spark.sql.types._
import org.scalatest.BeforeAndAfterAll
import org.scalatest.funsuite.AnyFunSuite

/** The front door over Spark's own parser and a catalog with the stream `orders`; no broker. */
class FrontDoorSuite extends AnyFunSuite with BeforeAndAfterAll {
  private lazy val session = SparkSession.builder().master("local[1]").config("spark.ui.enabled", "false")
    .config("spark.sql.warehouse.dir", Files.createTempDirectory("warehouse").toString).getOrCreate()

  /** What Spark's parser is asked, and what comes out. */
  private final class Seen {
    var asked = Seq.empty[String]
    def parse(text: String): LogicalPlan = {
      val spark = new SparkSqlParser()
      val door = new SqlFrontDoor(session, spark, BeforeSpark.byHand(session))
      val below: ParserShell.Below = (given: String) => {
        asked :+= given
        spark.parsePlan(given)
      }
      door.parse(text, below)
    }
  }

  private def parsed(text: String): LogicalPlan = new Seen().parse(text)

  private def rewritten(text: String): String = {
    val seen = new Seen()
    seen.parse(text)
    seen.asked.last
  }

  private def inKsql[T](body: => T): T = {
    session.conf.set(LanguageSettings.identifiers.name, "upper")
    try body
    finally session.conf.unset(LanguageSettings.identifiers.name)
  }

  override def beforeAll(): Unit = {
    val columns = Seq(
      TopicColumn("id", LongType, Side.Value),
      TopicColumn("s", new StructType().add("x", IntegerType), Side.Value),
      TopicColumn("xs", ArrayType(IntegerType), Side.Value)
    )
    val properties = Map(Properties.topic.name -> "orders", Properties.formatOf(Side.Value).name -> "JSON")
    val orders = ObjectDefinition
      .of(ObjectKind.Stream, properties, columns, Settings.of(Map.empty), () => fail("no registry is asked"))
    val store = new ObjectStore(session)
    store.create(store.newName(Seq("orders")).get, orders, Map.empty)
  }

  override def afterAll(): Unit = session.stop()

  test("a text that Spark accepts is asked once, as it is") {
    Seq(
      "SELECT r'a\\', 'x -> y'",
      "SELECT emit changes FROM t",
      "SELECT upper(x -> x), my_hof(a, x -> x + 1) FROM t",
      "SELECT /*+ OPTIONS('a') */ * FROM t",
      "SELECT * FROM a JOIN b ON within(3, x)",
      "SELECT stream orders FROM stream orders",
      "DESCRIBE t extended",
      "CREATE TABLE r AS SELECT id, count(*) FROM orders GROUP BY id",
      "SELECT 1 -- ${x}",
      "SELECT my_hof(xs, e -> e + 1) FROM orders"
    ).foreach { text =>
      val seen = new Seen()
      seen.parse(text)
      assert(seen.asked == Seq(text))
      inKsql {
        if (!text.contains("orders")) {
          val folded = new Seen()
          folded.parse(text)
          assert(folded.asked == Seq(text))
        }
      }
    }
  }

  test("what Spark refuses and is not ours keeps Spark's error") {
    Seq(
      "SELEC 1", "CREATE OR REPLACE TEMPORARY VIEW v SELEC 1", "ALTER TABLE t ADD CONSTRAINT",
      "CREATE TABLE t (a INT) WIHT (x = 1)", "SELECT x.\"a b\" FROM t", "SELECT STRUCT(a := 1) FROM t",
      "EXPLAIN EXTENDED SELECT a FRM t t t"
    ).foreach(text => withClue(text)(intercept[ParseException](parsed(text))))
  }

  test("a statement of ours that does not fit says where") {
    Seq("CREATE STREAM", "SHOW STREAMS x", "PRINT", "DROP TYPE", "CREATE TABLE t (a INT, 5) WITH (x = 1)").foreach {
      text => assert(intercept[KafkalystException](parsed(text)).getCondition == "KAFKALYST_SYNTAX_ERROR")
    }
  }

  test("clauses of ours are cut out of what Spark refuses") {
    assert(rewritten("SELECT id FROM orders EMIT CHANGES") == "SELECT id FROM orders             ")
    assert(parsed("SELECT id FROM orders EMIT CHANGES").isInstanceOf[UnboundedReads])
    assert(rewritten("SELECT orders.s->x FROM orders") == "SELECT orders.s. x FROM orders")
    assert(rewritten("SELECT * FROM orders /*+ OPTIONS('a'='b') */").contains("WITH       ('a'='b')"))
  }

  test("an arrow that Spark takes for a lambda leads into a struct of a topic") {
    assert(rewritten("SELECT s->x, 1 - s->x FROM orders") == "SELECT s.\tx, 1 - s.\tx FROM orders")
    assert(rewritten("SELECT abs(s->x), transform(xs, e -> e + 1) FROM orders") ==
      "SELECT abs(s.\tx), transform(xs, e -> e + 1) FROM orders")
    assert(rewritten("SELECT a->b FROM t") == "SELECT a->b FROM t")
    val lambda = "SELECT my_hof(xs, id -> id + 1) FROM orders"
    assert(rewritten(lambda) == lambda)
  }

  test("where names are ksqlDB's, they fold in queries over topics only") {
    inKsql {
      assert(rewritten("SELECT id FROM orders") == "SELECT ID FROM ORDERS")
      assert(rewritten("SELECT id FROM t WHERE x = :p") == "SELECT id FROM t WHERE x = :p")
      assert(parsed("CREATE TABLE r AS SELECT id, count(*) FROM orders GROUP BY id").isInstanceOf[CreateAsSelect])
    }
  }

  test("a query alone goes through the same door") {
    val shell = new ParserShell(new SparkSqlParser(), new SqlFrontDoor(session, new SparkSqlParser()))
    assert(shell.parseQuery("SELECT id FROM orders EMIT CHANGES").isInstanceOf[UnboundedReads])
    assert(shell.parseQuery("SELECT abs(s->x) FROM orders").toString.contains("s.x"))
  }

  test("an OPTIONS hint behind a table of others keeps Spark's error") {
    session.sql("CREATE TABLE IF NOT EXISTS plain (a INT) USING parquet")
    val text = "SELECT * FROM plain /*+ OPTIONS('a'='b') */"
    val sparks = intercept[ParseException](new SparkSqlParser().parsePlan(text))
    assert(intercept[ParseException](parsed(text)).getMessage == sparks.getMessage)
  }

  test("endless queries have no place in views") {
    Seq(
      "CREATE VIEW v AS SELECT id FROM orders EMIT CHANGES",
      "CREATE TEMPORARY VIEW v AS SELECT id FROM orders EMIT CHANGES",
      "CACHE TABLE c AS SELECT id FROM orders EMIT CHANGES"
    )
      .foreach(text =>
        assert(intercept[KafkalystException](parsed(text)).getCondition == "KAFKALYST_ENDLESS_QUERY_PLACE")
      )
  }

  test("statements that Spark has too are ours over an object of ours") {
    assert(parsed("ALTER TABLE orders ADD COLUMNS (b INT)").isInstanceOf[AddTopicColumns])
    assert(parsed("ALTER TABLE t ADD COLUMNS (b INT)").isInstanceOf[AddColumns])
    assert(parsed("EXPLAIN SELECT id FROM orders").isInstanceOf[ExplainPlan])
    assert(parsed("EXPLAIN CREATE STREAM c AS SELECT id FROM orders").isInstanceOf[ExplainQueryStatement])
  }

  test("arguments stand in a statement's text") {
    val values = java.util.Map.of[String, Expression]("p", Literal("a"), "0", Literal(7))
    assert(Arguments.bind("CREATE STREAM c AS SELECT * FROM o WHERE x = :p AND y = ? AND z = ':p'", values) ==
      "CREATE STREAM c AS SELECT * FROM o WHERE x = 'a' AND y = 7 AND z = ':p'")
  }

  test("arguments are written as both languages read them") {
    Seq(
      Literal("' OR true --") -> "''' OR true --'",
      Literal("a\\") -> "R'a\\'",
      Literal("a\\'b") -> "R\"a\\'b\"",
      Literal("\\'\"") -> "concat(R'\\', '''', '\"')",
      CreateArray(Seq(Literal("it's"))) -> "array('it''s')",
      Literal(Array("it's")) -> "array('it''s')",
      Literal(java.time.Instant.parse("2024-07-01T10:00:00.5Z")) -> "TIMESTAMP '2024-07-01T10:00:00.500Z'"
    ).foreach { case (value, text) =>
      assert(Arguments.bind("SELECT :v", java.util.Map.of[String, Expression]("v", value)) == s"SELECT $text")
    }
  }

  test("comments before and within Flink's statements") {
    for (comment <- Seq("-- c\n", "/* c */ ", "/* a /* b */ c */\n", "/* INSERT; */-- ';\n")) {
      assert(rewritten(s"${comment}USE ${comment}CATALOG x").trim == "SET CATALOG x")
      assert(
        parsed(s"${comment}EXECUTE ${comment}STATEMENT SET BEGIN ${comment}INSERT INTO t VALUES (1); ${comment}END") ==
          StatementSet(Seq("INSERT INTO t VALUES (1)"))
      )
      assert(rewritten(s"${comment}EXPLAIN ${comment}PLAN FOR SELECT 1").contains("EXPLAIN"))
      assert(rewritten(s"${comment}EXECUTE ${comment}INSERT INTO t VALUES ('-- /* x */')").contains("'-- /* x */'"))
    }
  }
}
