package io.kafkalyst

import io.kafkalyst.catalog.{ObjectName, ObjectStore}
import io.kafkalyst.commands.CreateAsSelect
import io.kafkalyst.model._
import io.kafkalyst.streams.{AnalyzedQuery, SinkQuery}
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.types.{DataType, StructType}
import org.scalatest.{BeforeAndAfterAll, Suite}

/** A session with the extension and with objects over topics of no broker: plans are analysed, none is run. */
trait TopicSession extends BeforeAndAfterAll { this: Suite =>
  protected lazy val session: SparkSession = SparkSession
    .builder()
    .master("local[1]")
    .config("spark.sql.extensions", "io.kafkalyst.KafkalystExtensions")
    .config("spark.sql.warehouse.dir", java.nio.file.Files.createTempDirectory("kafkalyst").toString)
    .config("spark.kafkalyst.bootstrap.servers", "localhost:1")
    .config("spark.ui.enabled", "false")
    .getOrCreate()

  override protected def afterAll(): Unit = session.stop()

  /** An object with a KAFKA key; the first column is its key. */
  protected def define(
      kind: ObjectKind,
      name: String,
      columns: String,
      value: SideFormat = SideFormat("JSON"),
      options: Map[String, String] = Map.empty
  ): Unit = {
    val fields = StructType.fromDDL(columns)
    val topic = TopicObject(
      kind,
      name,
      SideFormat("KAFKA"),
      value,
      fields.zipWithIndex.map { case (f, i) => TopicColumn(f.name, f.dataType, if (i == 0) Side.Key else Side.Value) },
      options = options
    )
    new ObjectStore(session).create(ObjectName("default", name), topic, Map.empty)
  }

  /** A STREAM of change data capture. */
  protected def defineChanges(name: String, columns: String, options: Map[String, String] = Map.empty): Unit = {
    val events = SideFormat("DEBEZIUM_JSON", options = Map(SideFormat.events -> SideFormat.changes))
    define(ObjectKind.Stream, name, columns, events, options)
  }

  /** The query of a CREATE … AS SELECT, as parsed. */
  protected def parsed(select: String, kind: String = "STREAM"): SinkQuery =
    session.sessionState.sqlParser.parsePlan(s"CREATE $kind sink AS $select EMIT CHANGES") match {
      case create: CreateAsSelect => create.query
      case other => fail(s"no CREATE … AS: $other")
    }

  protected def continuous(select: String, kind: String = "STREAM"): AnalyzedQuery =
    new AnalyzedQuery(session, parsed(select, kind))

  /** The analysed plan of a query that ends. */
  protected def bounded(select: String): LogicalPlan = session.sql(select).queryExecution.analyzed

  protected def columns(plan: LogicalPlan): Seq[(String, DataType)] = plan.output.map(a => a.name -> a.dataType)
}
