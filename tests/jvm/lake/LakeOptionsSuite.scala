package io.kafkalyst.lake

import io.kafkalyst.errors.KafkalystException
import org.scalatest.funsuite.AnyFunSuite

class LakeOptionsSuite extends AnyFunSuite {
  test("a statement's words count before the table's properties, in any case") {
    val options = LakeOptions.of(
      Map("query_id" -> "mine", "Trigger" -> "5 SECONDS", "fanout-enabled" -> "true"),
      Map("kafkalyst.trigger" -> "1 MINUTE", "kafkalyst.schema-evolution" -> "ADD", "owner" -> "me")
    )
    assert(options.id.contains("MINE"))
    assert(options.trigger == LakeTrigger.Every(5000))
    assert(options.addColumns)
    assert(options.rest == Map("fanout-enabled" -> "true"))
  }

  test("properties of a table that are not meant for us are not read") {
    val options = LakeOptions.of(Map.empty, Map("merge" -> "none of ours", "checkpoint" -> "/x"))
    assert(options.merge.isEmpty && options.checkpoint.isEmpty)
  }

  for (name <- Seq("checkpointLocation", "checkpoint-location", "QUERYNAME", "outputMode", "path"))
    test(s"$name, which belongs to the query, is refused with what to write instead") {
      val refused = intercept[KafkalystException](LakeOptions.of(Map(name -> "/x"), Map.empty))
      assert(refused.getCondition == "KAFKALYST_LAKE_QUERY_OPTION" && refused.getMessage.contains(s"$name='/x'"))
    }

  test("without a word batches are ten seconds apart, and a table's columns stay") {
    val options = LakeOptions.of(Map.empty, Map.empty)
    assert(options.trigger == LakeTrigger.Every(10000))
    assert(!options.addColumns && options.merge.isEmpty && options.id.isEmpty)
  }

  for (
    (name, value) <-
      Seq("TRIGGER" -> "often", "TRIGGER" -> "0 SECONDS", "MERGE" -> "replace", "SCHEMA_EVOLUTION" -> "x")
  )
    test(s"$name='$value' is refused") {
      val refused = intercept[KafkalystException](LakeOptions.of(Map(name -> value), Map.empty))
      assert(refused.getCondition == "KAFKALYST_LAKE_OPTION")
    }
}
