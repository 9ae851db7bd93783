package io.kafkalyst.parse
package island

import org.scalatest.funsuite.AnyFunSuite

class QueryRewriterSuite extends AnyFunSuite {
  private def rewrite(text: String, upper: Boolean = false, quotes: Boolean = false, sink: Boolean = false) =
    new QueryRewriter(OnlyTopics).rewrite(text, Dialect(quotes, upper, sink))

  test("EMIT CHANGES becomes blanks, and every position stays") {
    val text = "SELECT a\nFROM topic EMIT /* now */ CHANGES LIMIT 3"
    val query = rewrite(text)
    assert(query.emitChanges)
    assert(query.text == "SELECT a\nFROM topic      /* now */         LIMIT 3")
  }

  test("STREAM is cut out before a topic only") {
    assert(rewrite("SELECT * FROM STREAM topic t").streams == Set(21))
    assert(rewrite("SELECT * FROM x JOIN STREAM db.topic").streams == Set(28))
    Seq("SELECT * FROM stream s", "SELECT * FROM STREAM other", "SELECT stream topic FROM x").foreach { text =>
      assert(rewrite(text).text == text)
      assert(rewrite(text).streams.isEmpty)
    }
  }

  test("words in strings, comments and quoted names are left alone") {
    Seq(
      "SELECT 'EMIT CHANGES' FROM x -- EMIT CHANGES",
      "SELECT `EMIT` `CHANGES` FROM x /* EMIT CHANGES */",
      "SELECT 'it''s EMIT CHANGES', \"EMIT CHANGES\" FROM x"
    ).foreach(text => assert(rewrite(text).text == text && !rewrite(text).emitChanges))
  }

  test("double-quoted names become Spark's where they are names") {
    assert(rewrite("SELECT \"@ID\" FROM topic", quotes = true).text == "SELECT `@ID` FROM topic")
    assert(rewrite("SELECT \"a\"\"b`c\" FROM topic EMIT CHANGES").text == "SELECT `a\"b``c` FROM topic             ")
  }

  // What stands where an alias may stand, such as USING, keeps its case too: it is Spark's word, or the alias.
  test("names of catalogs, foreign tables and their columns do not fold") {
    Seq(
      "select id, amount from kafka.shop.topic" -> "SELECT ID, AMOUNT FROM kafka.SHOP.TOPIC",
      "select kafka.shop.topic.id from kafka.shop.topic" -> "SELECT kafka.SHOP.TOPIC.ID FROM kafka.SHOP.TOPIC",
      "select id, amount x, sum(amount) from topic join lake.db.plain using (id)" ->
        "SELECT ID, amount X, SUM(amount) FROM TOPIC JOIN lake.db.plain using (ID)",
      "select t.id, p.id, p.other, t.s->x from topic t, plain as p where t.id = p.id" ->
        "SELECT T.ID, p.id, p.other, T.S. X FROM TOPIC T, plain AS p WHERE T.ID = p.id",
      "select q.amount from (select amount from plain) q join topic" ->
        "SELECT q.amount FROM (SELECT amount FROM plain) Q JOIN TOPIC",
      "insert into lake.db.plain select id from topic" -> "INSERT INTO lake.db.plain select ID FROM TOPIC",
      "insert into kafka.topic select id, amount from plain" -> "INSERT INTO kafka.TOPIC SELECT ID, amount FROM plain",
      "select lake.f(id) from topic where trim(both from id) = 1" ->
        "SELECT lake.f(ID) FROM TOPIC WHERE TRIM(BOTH FROM ID) = 1",
      "select id from topic join lake.db.missing m on m.id = id" ->
        "SELECT ID FROM TOPIC JOIN lake.db.missing M ON M.ID = ID"
    ).foreach { case (text, folded) => assert(rewrite(text, upper = true).text == folded) }
  }

  test("columns of a sink fold, whatever they are read from") {
    assert(rewrite("select p.amount from topic join lake.db.plain p", upper = true, sink = true).text ==
      "SELECT P.AMOUNT FROM TOPIC JOIN lake.db.plain P")
  }

  test("folding leaves quoted names and strings as they are") {
    assert(rewrite("select id, \"id\", 'id' from t", upper = true).text == "SELECT ID, \"id\", 'id' FROM T")
    assert(rewrite("select key, x'0a', 1e5 from topic", upper = true).text == "SELECT KEY, x'0a', 1e5 FROM TOPIC")
  }

  test("an arrow leads into a struct, except where a lambda may stand") {
    def text(given: String) = rewrite(given).text
    assert(text("SELECT a->b->c, f(a->b) FROM t") == "SELECT a.\tb. c, f(a.\tb) FROM t")
    assert(text("SELECT t.a -> b, x[1]->y") == "SELECT t.a .  b, x[1]. y")
    Seq(
      "SELECT transform(a, x -> x + 1)", "SELECT aggregate(a, 0, (acc, x) -> acc + x, acc -> acc)",
      "SELECT zip_with(a, b, (x, y) -> x + y)", "SELECT filter(a, x -> exists(b, y -> y = x))", "SELECT 'a->b', a - > b"
    ).foreach(lambda => assert(text(lambda) == lambda))
    assert(text("SELECT transform(s->a, x -> x->y)") == "SELECT transform(s.\ta, x -> x. y)")
    assert(rewrite("SELECT t.a->b, c FROM t").dereferences == Set(7))
  }

  test("what shows changes is in ksqlDB's language where names are ksqlDB's, and all of a query into a topic is") {
    def inKsql(text: String, upper: Boolean = false, sink: Boolean = false) =
      rewrite(text, upper = upper, sink = sink).inKsql
    assert(inKsql("SELECT a FROM t EMIT CHANGES", upper = true))
    assert(inKsql("EXPLAIN SELECT a FROM t EMIT CHANGES", upper = true))
    assert(inKsql("SELECT a FROM t", sink = true))
    assert(!inKsql("SELECT a FROM t EMIT CHANGES"))
    assert(!inKsql("SELECT a FROM t", upper = true))
    assert(!inKsql("INSERT INTO u SELECT a FROM t EMIT CHANGES", upper = true))
  }

  test("PARTITION BY is cut out of a query into a topic, but not out of a window") {
    def clause(given: String) = rewrite(given, sink = true, quotes = true)
    val cut = clause("SELECT * FROM t PARTITION BY a, upper(b) EMIT CHANGES")
    assert(cut.text.trim == "SELECT * FROM t" && cut.partitionBy.get.items.map(_.text.trim) == Seq("a", "upper(b)"))
    assert(clause("SELECT * FROM t PARTITION BY (a, b)").partitionBy.get.items.map(_.text.trim) == Seq("a", "b"))
    val window = "SELECT row_number() OVER (PARTITION BY a ORDER BY b) FROM t"
    assert(clause(window) == RewrittenQuery(window, emitChanges = false, Set.empty, None, Set.empty, inKsql = true))
    val struct = clause("SELECT * FROM t PARTITION BY STRUCT<x STRUCT<a, b>>").partitionBy.get
    assert(struct.structured && struct.items.map(_.text.trim) == Seq("struct(a, b) AS x"))
    assert(!clause("SELECT * FROM t PARTITION BY a < b").partitionBy.get.structured)
  }

  test("ksqlDB's constructors and types") {
    def text(given: String) = rewrite(given, quotes = true).text
    assert(text("SELECT STRUCT(a := 1, \"b c\" := x) AS s") == "SELECT named_struct('a', 1, 'b c', x) AS s")
    assert(text("SELECT MAP('k' := 1), ARRAY[1, x[0]]") == "SELECT MAP('k' ,  1), ARRAY(1, x[0])")
    assert(text("SELECT CAST(a AS VARCHAR), CAST(b AS BYTES)") == "SELECT CAST(a AS STRING ), CAST(b AS BINARY)")
  }

  test("places are those of the string, also behind an emoji") {
    assert(rewrite("SELECT \"🙂\", \"a\"", quotes = true).text == "SELECT `🙂`, `a`")
  }

  test("ksqlDB's lambdas, types and functions in a query into a topic") {
    assert(rewrite("SELECT transform(a, x => x + 1) FROM topic EMIT CHANGES").text.startsWith(
      "SELECT transform(a, x -> x + 1)"
    ))
    assert(rewrite("SELECT f(a => 1) FROM t").text == "SELECT f(a => 1) FROM t")
    val cast = "SELECT CAST(a AS ARRAY<STRUCT<bytes BYTES, b VARCHAR>>), CAST(b AS VARCHAR(3)) AS varchar FROM topic"
    assert(rewrite(cast, quotes = true).text ==
      "SELECT CAST(a AS ARRAY<STRUCT<bytes BINARY, b STRING >>), CAST(b AS VARCHAR(3)) AS varchar FROM topic")
    assert(rewrite("SELECT TIMESTAMPADD(DAYS, 1, t), 'a\\d' FROM topic", quotes = true, sink = true).text ==
      "SELECT `timestampadd`('DAYS', 1, t), 'a\\\\d' FROM topic")
  }

  test("positions are those in the text for Spark, also behind words that became longer") {
    val query = rewrite("SELECT TRIM(t.a->b), c->d FROM t JOIN u WITHIN 1 DAY ON x", sink = true)
    assert(query.dereferences == Set(query.text.indexOf("t.a"), query.text.indexOf("c")))
    assert(query.withins.map(w => query.text.substring(w.from, w.until).trim) == Seq("JOIN u"))
  }
}
