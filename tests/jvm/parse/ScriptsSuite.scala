package io.kafkalyst.parse

import org.scalatest.funsuite.AnyFunSuite

class ScriptsSuite extends AnyFunSuite {
  private def split(script: String) = Scripts.split(script).map(_._2)

  test("semicolons end statements") {
    assert(split(" ;; -- nothing\n;") == Nil)
    assert(Scripts.split("SELECT 1;\nSELECT ';' /* ; */") == Seq(1 -> "SELECT 1", 2 -> "SELECT ';'"))
    assert(split("SELECT 1 /*+ h(1) */ ; SELECT 2") == Seq("SELECT 1 /*+ h(1) */", "SELECT 2"))
  }

  test("a block is one statement") {
    val nested = """outer: BEGIN
      DECLARE n INT DEFAULT CASE WHEN true THEN 1 ELSE 2 END;
      WHILE n > 0 DO SET n = n - 1; IF n = 0 THEN SELECT w.end AS end FROM t; ELSE SELECT 1; END IF; END WHILE;
      CASE n WHEN 0 THEN SELECT 1; END CASE;
      FOR r AS SELECT 1 DO SELECT r.a; END FOR;
      REPEAT SELECT 1; UNTIL true END REPEAT; lp: LOOP LEAVE lp; END LOOP lp;
      BEGIN SELECT 1; END; END outer"""
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
}
