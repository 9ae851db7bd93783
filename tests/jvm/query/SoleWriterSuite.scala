package io.kafkalyst.query

import java.nio.file.{Files, Paths}
import java.util.concurrent.{CyclicBarrier, Executors}

import io.kafkalyst.TopicSession
import io.kafkalyst.query.lease.SoleWriter
import org.scalatest.funsuite.AnyFunSuite

import scala.concurrent.{Await, ExecutionContext, Future}
import scala.concurrent.duration.DurationInt

/** Which of several queries writes into a table. */
class SoleWriterSuite extends AnyFunSuite with TopicSession {
  private val rivals = 6
  private var tables = 0

  private def table(): SinkName.OfTable = {
    tables += 1
    SinkName.OfTable(Seq("lake", "db", s"sole_$tables"))
  }

  private def query(id: String, into: SinkName.OfTable, state: String = QueryRecord.running) =
    InsertRecord(id, into, "lake", "db", s"/none/$id", state)

  private def stored(query: QueryRecord): QueryRecord = {
    QueryRecord.put(session, query)
    query
  }

  /** The id of the query that writes, if that is another one. */
  private def other(query: QueryRecord): Option[String] =
    SoleWriter.other(session, query.sink.asInstanceOf[SinkName.OfTable], query.checkpoint).map(_.id)

  /** Makes the folder of an application that dies before it says which query has it. */
  private def dies(into: SinkName.OfTable, number: Int): Unit = {
    val root = Paths.get(RecordFiles.root(session).toUri.getPath, "_writers")
    val mine = java.util.UUID.nameUUIDFromBytes(into.toString.getBytes).toString
    Files.createDirectories(root.resolve(mine).resolve(number.toString))
    ()
  }

  test("of queries that begin at once, one writes, and the others are told which one") {
    val pool = Executors.newFixedThreadPool(rivals)
    implicit val threads: ExecutionContext = ExecutionContext.fromExecutor(pool)
    try
      for (round <- 1 to 20) {
        val (into, together) = (table(), new CyclicBarrier(rivals))
        val all = (1 to rivals).map(n => query(s"RIVAL_${round}_$n", into))
        val begun = Await.result(
          Future.traverse(all) { q =>
            Future {
              together.await()
              stored(q).id -> other(q)
            }
          },
          60.seconds
        )
        val writers = begun.filter(_._2.isEmpty).map(_._1)
        assert(writers.size == 1, begun)
        assert(begun.flatMap(_._2).toSet == writers.toSet, begun)
        all.foreach(QueryRecord.remove(session, _))
      }
    finally pool.shutdown()
  }

  test("a query that was paused or terminated is followed by another one, and does not go on beside it") {
    val into = table()
    val first = stored(query("FIRST", into))
    assert(other(first).isEmpty && other(first).isEmpty)
    stored(query("FIRST", into, QueryRecord.paused))
    val second = stored(query("SECOND", into))
    assert(other(second).isEmpty)
    stored(first)
    assert(other(first).contains("SECOND"))
    QueryRecord.remove(session, second)
    assert(other(first).isEmpty)
    // Another table's query has the same id later.
    QueryRecord.remove(session, first)
    stored(query("FIRST", table()))
    assert(other(stored(query("THIRD", into))).isEmpty)
  }

  test("an application that dies at its beginning stops no other, and takes nothing away") {
    val into = table()
    dies(into, 1)
    val first = stored(query("AFTER_THE_DEAD", into))
    assert(other(first).isEmpty)
    dies(into, 3)
    assert(other(stored(query("LATE", into))).contains(first.id))
  }
}
