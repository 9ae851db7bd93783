package io.kafkalyst.lake

import io.kafkalyst.TopicSession
import io.kafkalyst.catalog.TopicTable
import io.kafkalyst.commands.InsertIntoTable
import io.kafkalyst.model.ObjectKind
import io.kafkalyst.query.SinkName
import org.apache.spark.sql.catalyst.streaming.StreamingRelationV2
import org.scalatest.funsuite.AnyFunSuite

/** Which queries into a table need only the last record of each key in a batch. */
class LatestChangesSuite extends AnyFunSuite with TopicSession {
  override protected def beforeAll(): Unit = {
    define(ObjectKind.Stream, "clicks", "id STRING, page STRING, n INT")
    define(ObjectKind.Table, "users", "id STRING, name STRING, age INT")
  }

  /** Whether the sources of the planned query are read so. */
  private def isLatest(select: String, options: Map[String, String] = Map.empty): Boolean = {
    val query = session.sessionState.sqlParser.parsePlan(s"INSERT INTO sink BY NAME $select EMIT CHANGES") match {
      case insert: InsertIntoTable => insert.query
      case other => fail(s"no INSERT: $other")
    }
    val given = LakeOptions.of(options, Map.empty)
    val of = new LakeQuery(session, query, given.merge)
    val table = LakeTable(SinkName.OfTable(Seq("lake", "sink")), of.schema, "delta", Map.empty)
    val plan = of.planned(table, ColumnMatch(Nil, byName = true), given, None).frame.queryExecution.analyzed
    val sources = plan.collectLeaves().collect { case r: StreamingRelationV2 => r.table.asInstanceOf[TopicTable] }
    assert(sources.nonEmpty)
    sources.exists(_.isLatest)
  }

  for (
    select <- Seq(
      "SELECT * FROM users",
      "SELECT id AS k, upper(name) AS name FROM users",
      "SELECT id, name FROM (SELECT id, name, age FROM users) AS u",
      "SELECT id, name FROM users WHERE id > 'b'"
    )
  ) test(s"$select: the last change of each key is that of the table")(assert(isLatest(select)))

  test("a condition on values chooses no other change: its rows are deleted") {
    assert(isLatest("SELECT id, name FROM users WHERE age > 17"))
    assert(isLatest("SELECT id, name FROM users WHERE name IS NOT NULL"))
  }

  for (
    select <- Seq(
      "SELECT id, page FROM clicks",
      "SELECT name, count(*) AS n FROM users GROUP BY name",
      "SELECT id, rand() AS r FROM users"
    )
  ) test(s"$select: each change counts")(assert(!isLatest(select)))

  test("changes that are appended are all there") {
    assert(!isLatest("SELECT id, name FROM users", Map("merge" -> "append")))
  }
}
