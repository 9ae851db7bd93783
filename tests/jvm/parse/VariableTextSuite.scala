package io.kafkalyst.parse

import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.model.Variables
import org.scalatest.funsuite.AnyFunSuite

class VariableTextSuite extends AnyFunSuite {
  private def replaced(text: String, variables: (String, String)*) =
    VariableText(text, variables.map { case (n, v) => Variables.key(n) -> v }.toMap)

  test("names, numbers and strings stand in for themselves") {
    assert(replaced("SELECT ${n} FROM ${t}", "n" -> "1.5", "T" -> "`a b`") == "SELECT 1.5 FROM `a b`")
    assert(replaced("SELECT ${q}", "q" -> "'it''s'") == "SELECT 'it''s'")
  }

  test("within quotes a text is escaped, and an unknown name stays") {
    assert(replaced("SELECT '${v} ${w}'", "v" -> "it's") == "SELECT R\"it's ${w}\"")
    assert(replaced("SELECT `${v}`", "v" -> "a`b") == "SELECT `a``b`")
    assert(replaced("SELECT '$${v} ${v}'", "v" -> "x") == "SELECT '${v} x'")
  }

  test("no value ends its string, in Spark's language and in ksqlDB's") {
    assert(replaced("SELECT '${v}', '${w}'", "v" -> "x\\", "w" -> " OR TRUE --") == "SELECT R'x\\', ' OR TRUE --'")
    assert(replaced("SELECT '${v}'", "v" -> "C:\\new") == "SELECT R'C:\\new'")
    assert(replaced("SELECT R'${v}'", "v" -> "a\\b") == "SELECT R'a\\b'")
    assert(replaced("SELECT 'it''s ${v}'", "v" -> "\"") == "SELECT 'it''s \"'")
    Seq(
      "'\\n${v}'" -> "\\",
      "'\\n${v}'" -> "it's",
      "R'${v}'" -> "'",
      "'${v}'" -> "\\'\"",
      "${v}" -> "'\\'",
      "\"${v}\"" -> "\\"
    ).foreach {
      case (text, value) =>
        val e = intercept[KafkalystException](replaced(s"SELECT $text", "v" -> value))
        assert(e.getCondition == "KAFKALYST_VARIABLE_REFUSED")
    }
  }

  test("elsewhere what is neither a name nor a literal is refused, and an unknown name too") {
    Seq("${v}", "${w}").foreach { text =>
      val e = intercept[KafkalystException](replaced(s"SELECT $text", "v" -> "1; DROP TABLE x"))
      assert(e.getCondition == "KAFKALYST_VARIABLE_REFUSED")
    }
  }

  test("comments stay as they are") {
    assert(replaced("SELECT 1 /* ${v} */ -- ${v}", "v" -> "x y") == "SELECT 1 /* ${v} */ -- ${v}")
  }

  test("without variables, and with Spark's own references, nothing changes") {
    assert(replaced("SELECT ${w}") == "SELECT ${w}")
    assert(replaced("SELECT ${spark.x} ${env:HOME}", "v" -> "1") == "SELECT ${spark.x} ${env:HOME}")
  }
}
