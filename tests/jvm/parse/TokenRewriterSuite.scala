package io.kafkalyst.parse

import org.scalatest.funsuite.AnyFunSuite

class TokenRewriterSuite extends AnyFunSuite {
  private def rewrite(text: String, upper: Boolean = false, quotes: Boolean = false) =
    new TokenRewriter(_.last == "topic", upper).rewrite(text, new Tokens(text), quotes)

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

  test("folding leaves quoted names and strings as they are") {
    assert(rewrite("select id, \"id\", 'id' from t", upper = true).text == "SELECT ID, \"id\", 'id' FROM T")
    assert(rewrite("select key, x'0a', 1e5 from topic", upper = true).text == "SELECT KEY, x'0a', 1e5 FROM TOPIC")
  }
}
