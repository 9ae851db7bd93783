package io.kafkalyst.model.settings

import java.nio.file.{Files, Path}

import io.kafkalyst.errors.KafkalystException
import org.scalatest.funsuite.AnyFunSuite

class SettingsSuite extends AnyFunSuite {
  test("the reference page has every setting, with what it means") {
    val page = Files.readString(Path.of("docs", "reference", "settings.md"))
    val missing = Settings.all.filterNot(s => page.contains(s"| `${s.name}` |") && page.contains(s"| ${s.doc}"))
    assert(missing.map(_.name).isEmpty)
  }

  test("client properties are the brokers and whatever has the client's prefix") {
    val settings = Settings.of(
      Map(
        "spark.kafkalyst.bootstrap.servers" -> "a:1",
        "spark.kafkalyst.kafka.security.protocol" -> "SSL",
        "spark.x" -> "y"
      )
    )
    assert(settings.clientProperties ==
      Map("bootstrap.servers" -> "a:1", "security.protocol" -> "SSL", "isolation.level" -> "read_committed"))
  }

  test("ksqlDB's name of the topic prefix is a synonym, ours wins") {
    val theirs = Map("ksql.output.topic.name.prefix" -> "theirs-")
    assert(Settings.of(theirs).get(Settings.topicPrefix).contains("theirs-"))
    val both = theirs + ("spark.kafkalyst.output.topic.prefix" -> "ours-")
    assert(Settings.of(both).get(Settings.topicPrefix).contains("ours-"))
  }

  test("unknown names and values are refused, with the nearest name") {
    val unknown = intercept[KafkalystException](Settings.of(Map("spark.kafkalyst.bootstrap.server" -> "a:1")))
    assert(unknown.getCondition == "KAFKALYST_UNKNOWN_SETTING")
    assert(unknown.getMessage.contains("\"spark.kafkalyst.bootstrap.servers\""))
    val invalid = intercept[KafkalystException](Settings.of(Map("spark.kafkalyst.identifiers" -> "lower")))
    assert(invalid.getCondition == "KAFKALYST_INVALID_SETTING")
  }

  test("a setting without value and default is missing by name") {
    val missing = intercept[KafkalystException](Settings.of(Map.empty)(Settings.bootstrapServers))
    assert(missing.getCondition == "KAFKALYST_MISSING_SETTING")
  }

  test("the real-time trigger may have the length of its batches") {
    def realTime(text: String) = Settings.of(Map("spark.kafkalyst.query.trigger" -> text)).realTime
    assert(realTime("continuous").isEmpty)
    assert(realTime("available-now").isEmpty)
    assert(realTime("Real-Time").contains(None))
    assert(realTime("real-time 2 minutes").contains(Some(120000L)))
    Seq("real-time soon", "real-time 0 SECONDS", "realtime", "real-time5 SECONDS").foreach { text =>
      assert(intercept[KafkalystException](realTime(text)).getCondition == "KAFKALYST_INVALID_SETTING")
    }
  }
}
