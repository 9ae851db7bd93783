package io.kafkalyst.parse

import java.nio.file.{Files, Path}

import org.scalatest.funsuite.AnyFunSuite

class ScriptsSuite extends AnyFunSuite {
  private def split(script: String) = Scripts.split(script).map(_._2)

  test("semicolons end statements") {
    assert(split(" ;; -- nothing\n;") == Nil)
    assert(Scripts.split("SELECT 1;\nSELECT ';' /* ; */") == Seq(1 -> "SELECT 1", 2 -> "SELECT ';'"))
    assert(split("SELECT 1 /*+ h(1) */ ; SELECT 2") == Seq("SELECT 1 /*+ h(1) */", "SELECT 2"))
  }

  test("a block is one statement") {
    val nested = Files.readString(Path.of("tests/support/block.sql")).stripTrailing
    assert(split(s"$nested; SELECT 2") == Seq(nested, "SELECT 2"))
    assert(split("begin SELECT 1; end; C") == Seq("begin SELECT 1; end", "C"))
    val set = "EXECUTE STATEMENT SET BEGIN A; B; END"
    assert(split(s"$set; C") == Seq(set, "C"))
  }

  test("BEGIN and END elsewhere are names") {
    assert(split("SELECT begin FROM t; END; C") == Seq("SELECT begin FROM t", "END", "C"))
  }

  test("an open block takes the rest") {
    assert(split("BEGIN SELECT 1; SELECT 2") == Seq("BEGIN SELECT 1; SELECT 2"))
  }

  test("a backslash before a quote is ordinary where the statement is whole only so") {
    val table = "CREATE TABLE a (s STRING) WITH ('escape' = '\\', 'keys' = 'x;y')"
    assert(split(s"$table; SELECT ';';\n$table") == Seq(table, "SELECT ';'", table))
    assert(Scripts.split(s"$table;\n$table;").map(_._1) == Seq(1, 2))
    val set = "EXECUTE STATEMENT SET BEGIN INSERT INTO a SELECT 'C:\\'; B; END"
    assert(split(s"$set; C") == Seq(set, "C"))
    // Spark accepts these.
    val escaped = Seq("SELECT 'a\\'; b'", "SELECT ('a\\', \\'); b')", "SELECT '\\\\'")
    assert(split(escaped.mkString("; ") + s"; $table") == escaped :+ table)
    // Both together would be whole, but for a backslash outside of quotes.
    val two = Seq("SELECT 'C:\\', 'x'", "SELECT 'it\\'s'")
    assert(split(two.mkString("; ")) == two)
    // The quote in the comment would close a string that takes the block's END.
    val last = "EXECUTE STATEMENT SET BEGIN INSERT INTO a SELECT 'C:\\'; INSERT INTO b SELECT 'y'; END"
    assert(split(s"$last;\nSELECT 1; -- Spark's\nSELECT 'it\\'s';") == Seq(last, "SELECT 1", "SELECT 'it\\'s'"))
    // Whole in neither way.
    assert(split("SELECT ('a\\'; B; C").size == 3)
  }
}
