package io.kafkalyst.parse
package flink

import java.util.Locale

import io.kafkalyst.parse.grammar.KafkalystLexer

/** Flink's statements that do not exist here, each with what stands in its place. */
private[parse] object OtherStatements {
  private val setCatalog =
    "Set spark.sql.catalog.NAME = io.kafkalyst.KafkaCatalog for the cluster's topics, or another catalog of Spark's."
  private val catalogs = s"SHOW CATALOGS lists them. $setCatalog"
  private val modules = "Functions are Spark's and Kafkalyst's: SHOW FUNCTIONS lists them, CREATE FUNCTION adds one."
  private val jars = "Spark has ADD JAR and LIST JARS, and removes no JAR."
  private val jobs = "SHOW QUERIES lists the continuous queries, TERMINATE ends one."
  private val plans = "INSERT … EMIT CHANGES is a continuous query, which continues where it stopped."
  private val materialized =
    "CREATE TABLE … WITH (…) AS SELECT … EMIT CHANGES fills a table continuously."
  private val models =
    "Call the model in a function: spark.udf.register in Python, or CREATE FUNCTION for a class of Java."

  // The first words of each.
  private val firsts: Seq[(String, String)] =
    Seq("CREATE", "ALTER", "DROP").map(verb => s"$verb CATALOG" -> setCatalog) ++
      Seq("SHOW CREATE", "DESCRIBE", "DESC").map(verb => s"$verb CATALOG" -> catalogs) ++
      Seq("LOAD MODULE", "UNLOAD MODULE", "USE MODULES", "SHOW MODULES", "SHOW FULL MODULES").map(_ -> modules) ++
      Seq("SHOW JARS", "REMOVE JAR").map(_ -> jars) ++
      Seq("SHOW JOBS", "STOP JOB", "DESCRIBE JOB", "DESC JOB").map(_ -> jobs) ++
      Seq("COMPILE PLAN", "COMPILE AND EXECUTE PLAN", "EXECUTE PLAN").map(_ -> plans) ++
      Seq("CREATE", "CREATE OR ALTER", "ALTER", "DROP", "DESCRIBE", "DESC", "SHOW CREATE")
        .map(verb => s"$verb MATERIALIZED TABLE" -> materialized) ++
      Seq("SHOW MATERIALIZED TABLES" -> materialized) ++
      Seq("CREATE", "CREATE TEMPORARY", "ALTER", "DROP", "DESCRIBE", "SHOW CREATE")
        .map(verb => s"$verb MODEL" -> models) ++
      Seq(
        "SHOW MODELS" -> models,
        "CREATE OR ALTER TABLE" -> "Write CREATE OR REPLACE TABLE, or ALTER TABLE.",
        "CREATE TEMPORARY SYSTEM FUNCTION" -> "Write CREATE TEMPORARY FUNCTION.",
        "DROP TEMPORARY SYSTEM FUNCTION" -> "Write DROP TEMPORARY FUNCTION."
      ) ++
      Seq("ALTER FUNCTION", "ALTER TEMPORARY FUNCTION", "ALTER TEMPORARY SYSTEM FUNCTION")
        .map(_ -> "Write CREATE OR REPLACE FUNCTION, or CREATE OR REPLACE TEMPORARY FUNCTION.")

  private val longest = firsts.map(_._1.count(_ == ' ') + 1).max

  /** The name of a statement and what stands in its place; None if it is not one of these. */
  def of(tokens: Tokens): Option[(String, String)] = {
    val words = (0 until longest).map(tokens(_)).takeWhile(_ != null).map(_.getText.toUpperCase(Locale.ROOT))
    firsts.find { case (first, _) => s"${words.mkString(" ")} ".startsWith(s"$first ") }
      .orElse(ofDatabase(tokens, words)).orElse(ofFunction(tokens, words))
  }

  /** `CREATE FUNCTION f AS 'class' LANGUAGE …`. */
  private def ofFunction(tokens: Tokens, words: Seq[String]): Option[(String, String)] =
    if (!words.headOption.contains("CREATE") || !words.take(3).contains("FUNCTION")) None
    else
      tokens.all.sliding(2).collectFirst {
        case Seq(name, word) if name.getType == KafkalystLexer.STRING && word.getText.equalsIgnoreCase("LANGUAGE") =>
          "CREATE FUNCTION … LANGUAGE" ->
            "Leave it out for a class of Java or Scala; spark.udf.register in Python registers one of Python."
      }

  /** Flink's properties of a database. */
  private def ofDatabase(tokens: Tokens, words: Seq[String]): Option[(String, String)] = words.take(2) match {
    case Seq(verb @ ("CREATE" | "ALTER"), "DATABASE") =>
      val word = if (verb == "CREATE") KafkalystLexer.WITH else KafkalystLexer.SET
      tokens.all.sliding(2).collectFirst {
        case Seq(given, open) if given.getType == word && open.getType == KafkalystLexer.LPAREN =>
          val name = given.getText.toUpperCase(Locale.ROOT)
          s"$verb DATABASE … $name (…)" -> s"Write $name DBPROPERTIES (…)."
      }
    case _ => None
  }
}
