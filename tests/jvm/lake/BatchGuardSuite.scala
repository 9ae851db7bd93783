package io.kafkalyst.lake

import io.kafkalyst.TopicSession
import org.apache.spark.sql.SparkSession
import org.scalatest.funsuite.AnyFunSuite

import scala.collection.mutable

/** What goes on around the statement of a batch. */
class BatchGuardSuite extends AnyFunSuite with TopicSession {
  private val application = "spark.databricks.delta.write.txnAppId"
  private val version = "spark.databricks.delta.write.txnVersion"
  private def marks = Seq(application, version).map(session.conf.getOption)

  /** A guard of a table that keeps the batches it has. */
  private final class Table extends BatchGuard {
    val batches: mutable.Buffer[Long] = mutable.Buffer.empty
    override protected def isDone(s: SparkSession, query: String, batch: Long): Boolean = batches.contains(batch)
    override protected def marked(s: SparkSession, query: String, batch: Long, border: Option[String])(
        statement: => Any
    ): Unit = {
      statement
      batches += batch
    }
    override protected def done(s: SparkSession, query: String, batch: Long, border: Option[String]): Unit = ()
  }

  test("a statement that meets another writer runs again, whatever is around the error") {
    val table = new Table
    var runs = 0
    table.once(session, "q", 1) { () =>
      runs += 1
      if (runs == 1) throw new RuntimeException(new delta.ConcurrentAppendException)
      if (runs == 2) throw new delta.MetadataChangedException
    }
    assert(runs == 3 && table.batches == Seq(1))
  }

  test("one that reports another writer, though the table has its batch, does not run again") {
    val table = new Table
    var runs = 0
    table.once(session, "q", 1) { () =>
      runs += 1
      table.batches += 1
      throw new delta.ConcurrentAppendException
    }
    assert(runs == 1)
  }

  test("other errors are the statement's") {
    val table = new Table
    var runs = 0
    for (error <- Seq(new delta.BrokenException, new ConcurrentElsewhereException)) {
      runs = 0
      assert(intercept[RuntimeException](table.once(session, "q", 1) { () => runs += 1; throw error }) eq error)
      assert(runs == 1 && table.batches.isEmpty)
    }
  }

  for (was <- Seq(None, Some("mine"))) test(s"Delta's ids are the statement's only, where there was $was before") {
    was.foreach(session.conf.set(application, _))
    try {
      val before = marks
      var within = Seq.empty[Option[String]]
      DeltaGuard.once(session, "q", 7)(() => within = marks)
      assert(within == Seq(Some("kafkalyst-q"), Some("7")) && marks == before)
      intercept[IllegalStateException] {
        DeltaGuard.once(session, "q", 8)(() => throw new IllegalStateException)
      }
      assert(marks == before)
    } finally session.conf.unset(application)
  }
}

private final class ConcurrentElsewhereException extends RuntimeException
