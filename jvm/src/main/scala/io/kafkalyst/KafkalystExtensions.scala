package io.kafkalyst

import io.kafkalyst.analyze.{ResolveTopicTables, RewriteTopicInserts}
import io.kafkalyst.bridge.ParserShell
import io.kafkalyst.functions.KafkaFunctions
import io.kafkalyst.parse.SqlFrontDoor
import org.apache.spark.sql.{SparkSessionExtensions, SparkSessionExtensionsProvider}

/** `spark.sql.extensions=io.kafkalyst.KafkalystExtensions`: the only place that adds anything to Spark. */
class KafkalystExtensions extends SparkSessionExtensionsProvider {
  override def apply(extensions: SparkSessionExtensions): Unit = {
    // Text: our statements, and ksqlDB's words in queries.
    extensions.injectParser((session, below) => new ParserShell(below, new SqlFrontDoor(session, below)))

    // Analysis: the hint batch runs after CTEs are substituted and before Spark looks tables up, so a topic is found
    // whoever owns the session catalog.
    extensions.injectHintResolutionRule(session => new ResolveTopicTables(session))
    extensions.injectResolutionRule(_ => RewriteTopicInserts)

    // The tables' codecs for any bytes.
    KafkaFunctions.all.foreach(extensions.injectFunction)
  }
}
