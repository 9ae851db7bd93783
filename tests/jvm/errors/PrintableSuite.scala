package io.kafkalyst.errors

import java.nio.file.{Files, Path}
import java.util.Properties

import scala.util.Using

import io.kafkalyst.formats.{BadBytes, FormatTesting}
import io.kafkalyst.formats.json.JsonFormat
import org.apache.logging.log4j.Level
import org.apache.logging.log4j.core.impl.Log4jLogEvent
import org.apache.logging.log4j.core.layout.PatternLayout
import org.apache.logging.log4j.message.SimpleMessage
import org.apache.spark.sql.types.IntegerType
import org.scalatest.funsuite.AnyFunSuite

class PrintableSuite extends AnyFunSuite {
  private val hostile = "\u001b]0;pwned\u0007\r\n12:00:00 ERROR \u009b2J\u202e\u2028"
  private val shown = "\\x1b]0;pwned\\x07\\r\\n12:00:00 ERROR \\x9b2J\\u202e\\u2028"

  test("characters that control a terminal or the writing direction are escapes, others stay") {
    assert(Printable(hostile) == shown)
    assert(Printable.lines(hostile) == shown.replace("\\n", "\n"))
    assert(Printable("\udb40\udc01") == "\\U000e0001")
    assert(Printable("\t$1 \\ Zoë 日本 😀") == "\t$1 \\ Zoë 日本 😀")
  }

  test("a record's text in the reason of a bad record, and any text in a condition") {
    val column = FormatTesting.value("A" -> IntegerType)
    val json = "{\"A\":\"\\u001b]0;pwned\\u0007\\r\\n12:00:00 ERROR \\u009b2J\\u202e\\u2028\"}"
    val bad = intercept[BadBytes] {
      FormatTesting.decode(FormatTesting.decoder(JsonFormat, column, column), column, json.getBytes("UTF-8"))
    }
    assert(bad.reason.contains(shown), bad.reason)
    assert(bad.getMessage == bad.reason)
    val known = KafkalystException("REGISTRY_UNREACHABLE", "url" -> "u", "timeout" -> "1 ms", "reason" -> hostile)
    assert(known.getMessage.contains(shown.replace("\\n", "\n")), known.getMessage)
    val task = KafkalystTaskException(null, "ROWTIME_NOT_READABLE", "topic" -> "t\u001b", "reason" -> hostile)
    assert(!task.getMessage.contains("\u001b"), task.getMessage)
  }

  test("the log of the bundled configuration") {
    val conf = new Properties
    Using.resource(Files.newBufferedReader(Path.of("conf/log4j2.properties")))(conf.load)
    val layout = PatternLayout.newBuilder().withPattern(conf.getProperty("appender.console.layout.pattern")).build()
    val thrown = new IllegalStateException("\u001b[31m\u009b\u202e")
    val event = Log4jLogEvent
      .newBuilder()
      .setLoggerName("io.kafkalyst.query")
      .setLevel(Level.WARN)
      .setMessage(new SimpleMessage("[q] \u001b]0;x\u0007\rover\ttab {1}\nline"))
      .setThrown(thrown)
      .build()
    val line = layout.toSerializable(event)
    assert(line.contains(s" WARN query: [q] ?]0;x??over\ttab {1}\nline${System.lineSeparator}"), line)
    assert(line.contains("IllegalStateException: ?[31m??"), line)
  }
}
