package io.kafkalyst.parse
package island

import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.joins.{JoinWindow, PlacedWindow}
import io.kafkalyst.streams.GroupWindow
import org.scalatest.funsuite.AnyFunSuite

/** Where clauses stand: text to text for Spark and clauses. */
class ClausesSuite extends AnyFunSuite {
  private def read(text: String, sink: Boolean = false) =
    new QueryRewriter(OnlyTopics).rewrite(text, Dialect(quotes = true, upper = false, sink))

  /** The text for Spark with one `_` for each run of blanks where a clause was. */
  private def left(text: String, sink: Boolean = false) = read(text, sink).text.trim.replaceAll(" {2,}", " _ ")

  private val second = 1000L
  private val hour = 3600 * second

  test("EMIT CHANGES stands behind something: else it is a column with another name") {
    Seq("SELECT emit changes FROM t", "SELECT a, emit changes FROM t", "SELECT (emit final) FROM t").foreach { text =>
      assert(read(text).text == text && !read(text).emitChanges)
    }
    val both = read("SELECT emit changes FROM t EMIT CHANGES")
    assert(both.text == "SELECT emit changes FROM t             " && both.emitChanges)
    assert(read("SELECT a FROM t WHERE b EMIT FINAL").emitFinal)
    assert(left(
      "INSERT INTO u SELECT a FROM (SELECT b FROM t EMIT CHANGES)"
    ) == "INSERT INTO u SELECT a FROM (SELECT b FROM t _ )")
    assert(left("WITH c AS (SELECT 1) SELECT a FROM c UNION ALL SELECT b FROM t EMIT CHANGES LIMIT 3") ==
      "WITH c AS (SELECT 1) SELECT a FROM c UNION ALL SELECT b FROM t _ LIMIT 3")
  }

  test("STREAM stands behind FROM, JOIN and the commas between sources only") {
    assert(read("SELECT a FROM x, STREAM topic").streams == Set(24))
    assert(read("SELECT a FROM x WHERE b IN (SELECT c FROM STREAM topic)").streams == Set(49))
    assert(read("CREATE VIEW v AS SELECT a FROM STREAM `topic` t").streams == Set(38))
    Seq("SELECT a, stream topic FROM x", "SELECT f(a, stream topic) FROM x", "SELECT a FROM x ORDER BY a, stream topic")
      .foreach(text => assert(read(text).streams.isEmpty && read(text).text == text))
  }

  test("WINDOW is the outer query's, with or without a name") {
    val plain = read("SELECT a FROM t WINDOW TUMBLING (SIZE 1 HOUR, GRACE PERIOD 1 SECOND) GROUP BY a")
    assert(plain.window.get.window == GroupWindow("TUMBLING", hour, hour, Some(second)))
    assert(left("SELECT a FROM t WINDOW w HOPPING (SIZE 1 HOUR, ADVANCE BY 1 SECOND) GROUP BY a HAVING b") ==
      "SELECT a FROM t _ GROUP BY a HAVING b")
    assert(read("SELECT a FROM t GROUP BY a WINDOW SESSION (1 HOUR)").window.get.window.isSession)
    Seq("SELECT a FROM t WINDOW w AS (PARTITION BY b)", "SELECT a FROM (SELECT b FROM t WINDOW TUMBLING (SIZE 1 HOUR))")
      .foreach(text => assert(read(text).window.isEmpty && read(text).text == text))
    Seq("TUMBLING (SIZE 1)", "TUMBLING ()", "HOPPING (SIZE 1 HOUR)", "SESSION (1 HOUR, 2 HOURS)").foreach { window =>
      val error = intercept[KafkalystException](read(s"SELECT a FROM t WINDOW $window GROUP BY a"))
      assert(error.getCondition == "KAFKALYST_WINDOW_CLAUSE")
    }
  }

  test("WITHIN is that of the join whose right side it follows") {
    val two =
      "SELECT * FROM a JOIN b WITHIN 1 HOUR ON x LEFT JOIN c WITHIN (1 SECOND, 1 HOUR) GRACE PERIOD 0 SECONDS ON y"
    assert(left(two) == "SELECT * FROM a JOIN b _ ON x LEFT JOIN c _ ON y")
    assert(read(two).withins ==
      Seq(PlacedWindow(16, 23, JoinWindow(hour, hour, None)), PlacedWindow(47, 54, JoinWindow(second, hour, Some(0)))))
    val nested = read("SELECT * FROM a JOIN (b JOIN c WITHIN 1 SECOND ON x) WITHIN 1 HOUR ON y").withins
    assert(nested == Seq(
      PlacedWindow(16, 53, JoinWindow(hour, hour, None)),
      PlacedWindow(24, 31, JoinWindow(second, second, None))
    ))
    Seq("WITHIN 10 PARSECS", "WITHIN (1 HOUR)", "WITHIN 1 HOUR GRACE PERIOD 1 PARSEC").foreach { within =>
      val error = intercept[KafkalystException](read(s"SELECT * FROM a JOIN b $within ON x"))
      assert(error.getCondition == "KAFKALYST_WITHIN_CLAUSE")
    }
  }

  test("a function with a clause's name stays one") {
    Seq(
      "SELECT * FROM a JOIN b ON within(3, x)",
      "SELECT within(3, 4) FROM a WHERE window(b)",
      "SELECT a FROM within (3, x)"
    )
      .foreach(text => assert(read(text).text == text && read(text).withins.isEmpty))
    assert(left("SELECT * FROM a JOIN b ON within (3, x) EMIT CHANGES") == "SELECT * FROM a JOIN b ON within (3, x)")
  }

  test("PARTITION BY ends where the next part of the query begins") {
    def items(text: String) = read(text, sink = true).partitionBy.get.items.map(_.text.trim)
    assert(items("SELECT * FROM t PARTITION BY a->b, f(c, d) WHERE e") == Seq("a.\tb", "f(c, d) WHERE e"))
    Seq("EMIT CHANGES", "LIMIT 3", "GROUP BY c", "HAVING c", "ORDER BY c", "WINDOW TUMBLING (SIZE 1 HOUR)",
      ";").foreach {
      behind => assert(items(s"SELECT * FROM t PARTITION BY a, \"b\" $behind") == Seq("a", "`b`"))
    }
    assert(items("SELECT * FROM t PARTITION BY STRUCT<a, b> AS k") == Seq("struct(a, b) AS k"))
    assert(items("SELECT * FROM t PARTITION BY (k STRUCT<a, b STRUCT<c>>, d)") == Seq(
      "struct(a, struct(c) AS b) AS k",
      "d"
    ))
    val text = "SELECT *\nFROM t PARTITION BY a"
    assert(read(text, sink = true).partitionBy.get.items.head.placed(text) == "        \n                    a")
  }

  test("GROUP BY STRUCT makes the key of a sink a record") {
    val query = read("SELECT a FROM t GROUP BY STRUCT<a, b> EMIT CHANGES", sink = true)
    assert(query.groupsByStruct && query.text.trim.replaceAll(" +", " ") == "SELECT a FROM t GROUP BY a, b")
    assert(read("SELECT a FROM t GROUP BY struct(a)", sink = true).groupsByStruct)
    assert(!read("SELECT a FROM t GROUP BY a, b", sink = true).groupsByStruct)
  }

  test("GROUP BY of a sink names keys") {
    def grouped(text: String) = read(s"SELECT a FROM t GROUP BY $text", sink = true).text.split("GROUP BY +")(1)
    assert(grouped("a + 1 AS b HAVING c") == "struct(a + 1 AS b) HAVING c")
    assert(grouped("a, STRUCT<b, c> AS \"d\"") == "a, struct(struct(b, c) AS `d`)")
    assert(grouped("STRUCT<a STRUCT<b->c, d>> EMIT CHANGES").trim == "struct(struct(b.\tc, d) AS a)")
    assert(read("SELECT a FROM t GROUP BY a AS b").text == "SELECT a FROM t GROUP BY a AS b")
    assert(grouped("CAST(a AS VARCHAR(STRING)), b").replaceAll(" +", " ") == "CAST(a AS STRING ), b")
  }

  test("Flink's calls and types") {
    assert(read("SELECT ROW(a, 1), MAP[k, v], m[k] FROM t").text == "SELECT struct(a, 1), MAP(k, v), m[k] FROM t")
    assert(read("SELECT TO_TIMESTAMP_LTZ(a, 3), TO_TIMESTAMP_LTZ(f(b, 1), 0) FROM t").text ==
      "SELECT timestamp_millis(a), timestamp_seconds(f(b, 1)) FROM t")
    assert(read("SELECT CAST(a AS TIMESTAMP(3)), CAST(b AS TIMESTAMP_LTZ(3)) FROM t").text ==
      "SELECT CAST(a AS TIMESTAMP_NTZ/*digits 3*/), CAST(b AS TIMESTAMP/*digits 3*/) FROM t")
  }

  test("`<=>` is not an arrow") {
    val text = "SELECT a <=> b, f(x => a<=>b) FROM t"
    assert(read(text).text == "SELECT a <=> b, f(x -> a<=>b) FROM t")
  }

  test("a text whose brackets do not close has its clauses too") {
    Seq("SELECT (a FROM t", "SELECT a) FROM t", "SELECT f(a, [b FROM t", "SELECT a] FROM (t",
      "SELECT struct < a FROM t", "")
      .foreach { text =>
        assert(read(s"$text x EMIT CHANGES").emitChanges)
        assert(read(text).text == text)
      }
  }
}
