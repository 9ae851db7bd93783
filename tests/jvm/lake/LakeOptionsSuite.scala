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

  test("each option of a statement replaces the table's property, whatever other properties there are") {
    // More than four, so that the order of the map is not that of writing.
    val kept = Map(
      "kafkalyst.query_id" -> "kept",
      "kafkalyst.trigger" -> "1 HOUR",
      "kafkalyst.merge" -> "append",
      "kafkalyst.schema_evolution" -> "add",
      "kafkalyst.checkpoint" -> "/kept",
      "owner" -> "me"
    )
    val said = Map(
      "QUERY_ID" -> "said",
      "TRIGGER" -> "5 SECONDS",
      "MERGE" -> "upsert",
      "SCHEMA_EVOLUTION" -> "fail",
      "CHECKPOINT" -> "/said"
    )
    def list(o: LakeOptions) = Seq(o.id.get, o.trigger, o.merge.get, o.addColumns, o.checkpoint.get)
    val of = LakeOptions.of(said, kept)
    assert(list(of) == Seq("SAID", LakeTrigger.Every(5000), MergeMode.Upsert, false, "/said"))
    for ((name, value) <- said) {
      val one = list(LakeOptions.of(Map(name -> value), kept))
      val others = list(LakeOptions.of(Map.empty, kept))
      val expected = list(of).zip(others).map { case (a, b) => if (one.contains(a)) a else b }
      assert(one == expected && one.count(list(of).contains) == 1, name)
    }
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

  for (name <- Seq("TRIGER", "mrege", "queryId", "SCHEMA-EVOLUTON", "kafkalyst.chekpoint"))
    test(s"$name is told with the nearest name") {
      val refused = intercept[KafkalystException](LakeOptions.checkNames(Seq(name), Nil))
      assert(
        refused.getCondition == "KAFKALYST_UNKNOWN_PROPERTY" && refused.getMessage.contains(s"$name. Did you mean")
      )
    }

  test("options of writers and properties of others are not misspelt ones") {
    LakeOptions.checkNames(
      Seq("TRIGGER", "mergeSchema", "replaceWhere", "check-ordering", "fanout-enabled", "branch", "header",
        "compression"),
      Seq("query_kind", "query-id", "schema.evolution", "owner", "kafkalyst.merge", "kafkalyst.history",
        "kafkalyst.history.snapshot",
        "write.merge.mode")
    )
    for (name <- Seq("kafkalyst.triger", "triger"))
      intercept[KafkalystException](LakeOptions.checkNames(Nil, Seq(name)))
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
