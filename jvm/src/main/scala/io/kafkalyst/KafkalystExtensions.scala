package io.kafkalyst

import io.kafkalyst.analyze._
import io.kafkalyst.analyze.names._
import io.kafkalyst.analyze.sinks._
import io.kafkalyst.analyze.tables._
import io.kafkalyst.bridge.ParserShell
import io.kafkalyst.clients.ApplicationEnd
import io.kafkalyst.parse.SqlFrontDoor
import io.kafkalyst.query.ResumeAtStart
import io.kafkalyst.query.push.FirstRows
import org.apache.spark.sql.{SparkSessionExtensions, SparkSessionExtensionsProvider}

/** `spark.sql.extensions=io.kafkalyst.KafkalystExtensions`: registers everything that Kafkalyst adds to Spark. */
class KafkalystExtensions extends SparkSessionExtensionsProvider {
  override def apply(extensions: SparkSessionExtensions): Unit = {
    // Parser: Kafkalyst statements, and ksqlDB's syntax in queries.
    extensions.injectParser { (session, below) =>
      ApplicationEnd.of(session.sparkContext)
      ResumeAtStart(session)
      new ParserShell(below, new SqlFrontDoor(session, below, BeforeSpark.byHand(session)))
    }

    ExtensionFunctions.all.foreach(extensions.injectFunction)
    extensions.injectResolutionRule(_ => ResolveKsqlCalls)

    // Analysis: the hint batch runs after CTE substitution and before Spark's table lookup, so that topics are found
    // whatever implements the session catalog.
    BeforeSpark.rules.foreach(rule => extensions.injectHintResolutionRule(session => rule(session)))
    extensions.injectResolutionRule(_ => TemporaryFunctions)
    extensions.injectResolutionRule(session => new BeforeSpark.InViews(session))
    extensions.injectResolutionRule(session => new LoadedTopics(session))
    extensions.injectResolutionRule(_ => ForeignColumns)
    extensions.injectResolutionRule(session => new RefusedOnTopics(session))
    extensions.injectResolutionRule(_ => ResolveFields)
    extensions.injectResolutionRule(_ => ComparedTimes)
    extensions.injectResolutionRule(_ => WindowedInput.Resolve)
    extensions.injectResolutionRule(_ => RewriteTopicInserts)
    extensions.injectResolutionRule(session => new StageTopics(session))
    extensions.injectResolutionRule(_ => RefusedChanges)
    extensions.injectPostHocResolutionRule(_ => ResolveFields.Unknown)
    extensions.injectPostHocResolutionRule(_ => NamesAmongValues)
    extensions.injectPostHocResolutionRule(_ => TemporalJoins)
    extensions.injectPostHocResolutionRule(_ => TopicRelation.Unwrap)
    extensions.injectPostHocResolutionRule(_ => NetRows)
    extensions.injectPostHocResolutionRule(_ => Deduplication)
    extensions.injectPostHocResolutionRule(session => new OverWindows(session))
    extensions.injectPostHocResolutionRule(_ => SessionGroups)
    extensions.injectPostHocResolutionRule(_ => StreamJoins)
    extensions.injectPostHocResolutionRule(_ => WindowEnds)
    extensions.injectPostHocResolutionRule(_ => ContinuousShapes)
    extensions.injectPostHocResolutionRule(session => new RepeatableTasks(session))
    extensions.injectPostHocResolutionRule(_ => NameSourceRecords)
    extensions.injectPostHocResolutionRule(session => new PlanEmitChanges(session))
    extensions.injectPostHocResolutionRule(session => new ShownTables(session))
    extensions.injectPostHocResolutionRule(session => new CheckTableProperties(session))
    extensions.injectPostHocResolutionRule(_ => FirstRows.Resolve)
    extensions.injectPostHocResolutionRule(_ => NarrowedStreams)
    extensions.injectPostHocResolutionRule(_ => KnownPlan)
    extensions.injectPostHocResolutionRule(_ => ExternalNames)
    extensions.injectPlannerStrategy(session => new FirstRows.Plan(session))
    extensions.injectPreCBORule(_ => KnownPlan.Leaves)
    extensions.injectPreCBORule(_ => RowPlaces)
    extensions.injectQueryStagePrepRule(_ => ShownNames)
    extensions.injectColumnar(_ => ShownNames.InStages)
  }
}
