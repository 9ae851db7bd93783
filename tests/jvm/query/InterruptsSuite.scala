package io.kafkalyst.query
package push

import java.nio.file.Files
import java.util.UUID
import java.util.concurrent.{CountDownLatch, TimeoutException}
import java.util.concurrent.atomic.AtomicInteger

import io.kafkalyst.TopicSession
import io.kafkalyst.clients.Uninterrupted
import io.kafkalyst.streams.{AnalyzedQuery, SinkQuery}
import org.apache.spark.sql.{DataFrame, Row, SparkSession}
import org.apache.spark.sql.streaming._
import org.apache.spark.sql.streaming.StreamingQueryListener._
import org.scalatest.concurrent.Eventually
import org.scalatest.funsuite.AnyFunSuite
import org.scalatest.time.SpanSugar._

import scala.jdk.CollectionConverters._

/** Statements that fail or are cancelled while they start or stop a query: no run is left that nobody knows. */
class InterruptsSuite extends AnyFunSuite with TopicSession with Eventually {
  private lazy val root = Files.createTempDirectory("checkpoints")
  private lazy val own = {
    val own = session.newSession()
    own.conf.set("spark.kafkalyst.query.checkpoint.root", root.toString)
    own
  }

  /** The stored record of a query into a table of another catalog. */
  private def stored(id: String, settings: Map[String, String] = Map.empty): QueryRecord = {
    val folder = Files.createDirectories(root.resolve(id)).toString
    val sink = SinkName.OfTable(Seq("lake", "db", id))
    val record = InsertRecord(id, sink, "spark_catalog", "default", folder).copy(settings = settings)
    QueryRecord.put(own, record)
    record
  }

  private def rows: DataFrame = own.readStream.format("rate-micro-batch").option("rowsPerBatch", "1").load()

  private lazy val of =
    new AnalyzedQuery(own, SinkQuery(rows.queryExecution.analyzed, None, structured = false, Set.empty, inKsql = false))

  private object Nowhere extends Sink {
    override def start(session: SparkSession, writer: DataStreamWriter[Row], checkpoint: String): StreamingQuery =
      writer.format("noop").start()
    override def written(batch: StreamingQueryProgress): Long = 0
  }

  private def started(record: QueryRecord, sink: Sink = Nowhere) =
    ContinuousQueries.start(own, PlannedQuery(rows, sink, OutputMode.Append(), stateful = false, of), record)

  /** The run that a start has begun which is cancelled while it waits for the stream. */
  private def cancelled(start: => Any): UUID = {
    val caller = Thread.currentThread
    @volatile var run: UUID = null
    val cancel = new StreamingQueryListener {
      override def onQueryStarted(event: QueryStartedEvent): Unit = {
        run = event.runId
        caller.interrupt()
        // The stream begins once the caller has met the interrupt.
        eventually(timeout(30.seconds))(assert(!caller.isInterrupted))
      }
      override def onQueryProgress(event: QueryProgressEvent): Unit = ()
      override def onQueryTerminated(event: QueryTerminatedEvent): Unit = ()
    }
    own.streams.addListener(cancel)
    try intercept[InterruptedException](start)
    finally own.streams.removeListener(cancel)
    run
  }

  private def isAlive(run: UUID) = Thread.getAllStackTraces.keySet.asScala.exists(_.getName.contains(run.toString))

  test("a query that cannot begin is left to later statements") {
    val record = stored("REFUSED", Map("spark.sql.mapKeyDedupPolicy" -> "unheard of"))
    intercept[IllegalArgumentException](started(record))
    assert(!KnownQueries.get(record.id).get.isBusy)
  }

  test("a PAUSE that is cancelled while the stream ends pauses the query") {
    val record = stored("PAUSED")
    val query = started(record)
    val run = query.streaming.get
    Thread.currentThread.interrupt()
    ContinuousQueries.pause(own, query)
    assert(Thread.interrupted() && !isAlive(run.runId))
    assert(query.state == "PAUSED" && QueryRecord.now(own, record).exists(_.state == "PAUSED"))
  }

  test("a PAUSE whose stream does not end in time changes nothing") {
    val record = stored("SLOW")
    val (entered, held) = (new CountDownLatch(1), new CountDownLatch(1))
    @volatile var isSlow = false
    val sink = new Sink {
      override def start(session: SparkSession, writer: DataStreamWriter[Row], checkpoint: String): StreamingQuery =
        writer.foreachBatch((_: DataFrame, _: Long) =>
          if (isSlow) {
            entered.countDown()
            Uninterrupted.repeated(held.await())
          }
        ).start()
      override def written(batch: StreamingQueryProgress): Long = 0
    }
    val query = started(record, sink)
    val run = query.streaming.get
    isSlow = true
    entered.await()
    own.conf.set("spark.sql.streaming.stopTimeout", "100")
    try intercept[TimeoutException](ContinuousQueries.pause(own, query))
    finally {
      own.conf.unset("spark.sql.streaming.stopTimeout")
      held.countDown()
    }
    assert(query.state != "PAUSED" && QueryRecord.now(own, record).exists(_.state == "RUNNING"))
    ContinuousQueries.pause(own, query)
    assert(query.state == "PAUSED" && !isAlive(run.runId))
  }

  test("a cancelled start leaves no stream") {
    val record = stored("CANCELLED")
    assert(!isAlive(cancelled(started(record))))
    val query = KnownQueries.get(record.id).get
    assert(!query.isBusy && !query.isActive)
    assert(!isAlive(cancelled(ShownStream.start(own, rows.queryExecution.analyzed)(_ => ()))))
  }

  test("all queries of an application that has ended are forgotten, also if their forgetting is cancelled") {
    val stops = new AtomicInteger
    final class Run extends StreamingQuery {
      override val (id, runId) = (UUID.randomUUID(), UUID.randomUUID())
      override def name: String = null
      override def sparkSession: SparkSession = own
      override def isActive: Boolean = false
      override def exception: Option[StreamingQueryException] = None
      override def status: StreamingQueryStatus = null
      override def recentProgress: Array[StreamingQueryProgress] = Array.empty
      override def lastProgress: StreamingQueryProgress = null
      override def awaitTermination(): Unit = ()
      override def awaitTermination(timeoutMs: Long): Boolean = true
      override def processAllAvailable(): Unit = ()
      override def stop(): Unit = if (stops.incrementAndGet() == 1) throw new InterruptedException
      override def explain(): Unit = ()
      override def explain(extended: Boolean): Unit = ()
    }
    val queries = Seq("ONE", "TWO").map(id => new ContinuousQuery(own, stored(id)))
    queries.foreach(_.streaming = Some(new Run))
    session.stop()
    queries.foreach(KnownQueries.add)
    KnownQueries.sweep()
    eventually(timeout(30.seconds))(assert(stops.get == 3))
    Thread.interrupted()
    assert(queries.forall(query => KnownQueries.get(query.key).isEmpty))
  }
}
