package io.kafkalyst.query

import java.io.IOException
import java.net.URI
import java.nio.file.{Files, Paths}
import java.util.concurrent.atomic.AtomicInteger
import java.util.concurrent.{CountDownLatch, TimeUnit}

import io.kafkalyst.TopicSession
import io.kafkalyst.catalog.ObjectName
import io.kafkalyst.catalog.cluster.Lease
import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.model.ObjectKind
import io.kafkalyst.model.settings.{Application, Settings}
import io.kafkalyst.query.lease.Leases
import io.kafkalyst.query.report.QueryStatus
import io.kafkalyst.streams.QueryShape
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.RawLocalFileSystem
import org.apache.spark.{SparkEnv, SparkException}
import org.apache.spark.sql.SparkSession
import org.scalatest.funsuite.AnyFunSuite

/** Ids, records and restarts of continuous queries, without running one. */
class QueriesSuite extends AnyFunSuite with TopicSession {
  private lazy val root = Files.createTempDirectory("checkpoints")

  private def own(): SparkSession = {
    val own = session.newSession()
    own.conf.set("spark.kafkalyst.query.checkpoint.root", root.toString)
    own
  }

  private def record(id: String, state: String = QueryRecord.running) = QueryRecord(
    id,
    SinkName.OfObject(ObjectName("default", "sink")),
    Seq(ObjectName("default", "source"), ObjectName("default", "o'ther \"one\"")),
    root.resolve(id).toString,
    "INSERT INTO sink SELECT 'ä' FROM source",
    catalog = "spark_catalog",
    database = "default",
    settings = Map("spark.sql.ansi.enabled" -> "true"),
    shape = QueryShape(Seq("t"), Seq("GROUP BY k: count(1)")),
    state = state,
    error = Some("line one\nline two")
  )

  /** The stream that the records' queries write into. */
  private lazy val sink: Unit = define(ObjectKind.Stream, "sink", "k STRING, v STRING")

  test("ids are numbered above all that have a checkpoint") {
    val mine = own()
    val (first, folder) = QueryIds.next(mine, "CSAS", "a b")
    assert(first == "CSAS_A_B_1" && Files.isDirectory(Paths.get(folder)))
    assert(QueryIds.next(mine, "CTAS", "t")._1 == "CTAS_T_2")
    assert(QueryIds.nextInsert(mine, None)._1 == "INSERTQUERY_3")
    assert(QueryIds.nextInsert(mine, Some("NIGHTLY-9"))._1 == "NIGHTLY-9")
    assert(QueryIds.nextInsert(mine, None)._1 == "INSERTQUERY_4")
  }

  test("an id that a statement gives must be free, of plain characters, and not one of ours") {
    val mine = own()
    QueryIds.nextInsert(mine, Some("TAKEN"))
    for (id <- Seq("TAKEN", "lower", "A B", "../X", "CSAS_X_1", "INSERTQUERY_77")) {
      val error = intercept[KafkalystException](QueryIds.nextInsert(mine, Some(id)))
      assert(error.getCondition == "KAFKALYST_QUERY_ID" && error.getMessage.contains(id))
    }
  }

  test("an id is free once its query is terminated, and gets another folder") {
    sink
    val mine = own()
    val (id, folder) = QueryIds.nextInsert(mine, Some("AGAIN-1"))
    val before = record(id).copy(checkpoint = folder, inserts = true)
    val left = intercept[KafkalystException](QueryIds.nextInsert(mine, Some(id)))
    assert(left.getMessage.contains(s"its folder $folder is there"))
    QueryRecord.put(mine, before)
    val living = intercept[KafkalystException](QueryIds.nextInsert(mine, Some(id)))
    assert(living.getMessage.contains("a query into default.sink has it") && living.getMessage.contains("`AGAIN-1`"))
    QueryIds.free(mine, before)
    assert(QueryIds.nextInsert(mine, Some(id)) == (id -> s"$folder.2"))
    // Only one gets it, until it gives it back.
    intercept[KafkalystException](QueryIds.nextInsert(mine, Some(id)))
    QueryIds.giveBack(mine, id, s"$folder.2")
    assert(!QueryIds.isThere(mine, s"$folder.2"))
    assert(QueryIds.nextInsert(mine, Some(id)) == (id -> s"$folder.2"))
    QueryIds.free(mine, before)
    assert(QueryIds.nextInsert(mine, Some(id)) == (id -> s"$folder.3"))
    assert(QueryIds.nextInsert(mine, Some("AGAIN-1_2"))._2.endsWith("/AGAIN-1_2"))
  }

  test("a query is of this application while its state is the one that this application stored") {
    sink
    val query = new ContinuousQuery(session, record("Q_9", QueryRecord.failed))
    assert(!query.isHere)
    query.kept(record("Q_9", QueryRecord.failed))
    assert(query.isHere)
    query.record = record("Q_9", QueryRecord.paused)
    assert(!query.isHere)
  }

  test("a record keeps all that a restart needs in the entry of its sink") {
    sink
    val before = record("Q_1")
    QueryRecord.put(session, before)
    assert(QueryRecord.all(session) == Seq(before))
    QueryRecord.put(session, before.copy(state = QueryRecord.paused, error = None))
    assert(QueryRecord.all(session).map(r => r.state -> r.error) == Seq("PAUSED" -> None))
    QueryRecord.remove(session, before)
    assert(QueryRecord.all(session).isEmpty)
  }

  test("a record is only stored in the place of the expected one") {
    sink
    val before = record("Q_4")
    def paused = QueryRecord.replace(session, before.copy(state = QueryRecord.paused))(_.state == QueryRecord.running)
    assert(!paused && QueryRecord.all(session).isEmpty)
    QueryRecord.put(session, before)
    assert(paused && !paused)
    assert(QueryRecord.now(session, before).map(_.state).contains("PAUSED"))
    QueryRecord.remove(session, before)
    QueryRecord.add(session, before)
    val other = before.copy(checkpoint = "/elsewhere/Q_4")
    assert(intercept[KafkalystException](QueryRecord.add(session, other)).getCondition == "KAFKALYST_QUERY_ID")
    assert(QueryRecord.all(session) == Seq(before))
    QueryRecord.remove(session, before)
    val dropped = record("Q_4").copy(sink = SinkName.OfObject(ObjectName("default", "dropped")))
    assert(!QueryRecord.replace(session, dropped)(_ => true))
    val file = record("Q_5").copy(sink = SinkName.OfTable(Seq("lake", "db", "t")))
    val mine = own()
    assert(!QueryRecord.replace(mine, file)(_ => true) && QueryRecord.now(mine, file).isEmpty)
    QueryRecord.put(mine, file)
    assert(!QueryRecord.replace(mine, file)(_.state == QueryRecord.paused))
    assert(QueryRecord.now(mine, file).contains(file))
    QueryRecord.remove(mine, file)
  }

  test("a query that was ended or changed while it was planned does not start") {
    sink
    val planned = record("Q_6")
    Files.createDirectories(Paths.get(planned.checkpoint))
    // It is refused before its plan is looked at.
    def refused() = intercept[KafkalystException](ContinuousQueries.start(session, null, planned)).getCondition
    assert(refused() == "KAFKALYST_QUERY_NOT_FOUND" && QueryRecord.all(session).isEmpty)
    QueryRecord.put(session, planned.copy(state = QueryRecord.terminated))
    assert(refused() == "KAFKALYST_QUERY_NOT_FOUND")
    QueryRecord.put(session, planned.copy(state = QueryRecord.paused))
    assert(refused() == "KAFKALYST_QUERY_CHANGED")
    assert(ContinuousQueries.all(session).map(q => q.id -> q.state) == Seq("Q_6" -> "PAUSED"))
    QueryRecord.remove(session, planned)
  }

  test("the message of a failure is short; it has the beginning and the end") {
    val message = Failure.message(new SparkException("first " + "\"" * 500000 + " last"))
    assert(message.startsWith("first ") && message.endsWith(" last") && message.length < 2100)
    assert(Failure.message(new SparkException("all of it")) == "all of it")
  }

  test("a state that cannot be stored is in the status file") {
    val mine = own()
    val file = record("Q_9").copy(sink = SinkName.OfTable(Seq("lake", "db", "t")))
    Files.createDirectories(Paths.get(file.checkpoint, "query.json"))
    val query = new ContinuousQuery(mine, file)
    intercept[Exception](ContinuousQueries.pause(mine, query))
    val status = Files.readString(Paths.get(file.checkpoint, "status.json"))
    assert(status.contains("\"state\":\"PAUSED\"") && !query.isBusy)
    Files.delete(Paths.get(file.checkpoint, "query.json"))
  }

  test("a query whose checkpoint is gone does not start anew, and nothing makes the folder again") {
    sink
    val lost = record("Q_7", QueryRecord.paused)
    QueryRecord.put(session, lost)
    val error = intercept[KafkalystException](ContinuousQueries.start(session, null, lost))
    assert(error.getCondition == "KAFKALYST_CHECKPOINT_GONE" && error.getMessage.contains(lost.checkpoint))
    QueryStatus.write(session, new ContinuousQuery(session, lost))
    assert(!Files.exists(Paths.get(lost.checkpoint)))
    QueryRecord.remove(session, lost)
  }

  test("if sessions are locked, a record names only folders under the checkpoint root, and settings that are kept") {
    val lock = Application.sessionProperties.name
    val default = Paths.get(session.conf.get("spark.sql.warehouse.dir").stripPrefix("file:"), "_kafkalyst").toString
    def refused(checkpoint: String) = intercept[KafkalystException] {
      QueryIds.requireFolder(session, record("Q_8").copy(checkpoint = checkpoint))
    }.getCondition
    val outside = Seq("/", "/elsewhere/Q_8", default, s"$default/../Q_8", s"${default}2/Q_8", s"hdfs://h$default/Q_8")
    SparkEnv.get.conf.set(lock, Application.locked)
    try {
      outside.foreach(folder => assert(refused(folder) == "KAFKALYST_CHECKPOINT_OUTSIDE", folder))
      assert(refused(s"$default/Q_8") == "KAFKALYST_CHECKPOINT_GONE")
      assert(refused(s"file:$default/x/../Q_8") == "KAFKALYST_CHECKPOINT_GONE")
    } finally SparkEnv.get.conf.remove(lock)
    assert(refused("/elsewhere/Q_8") == "KAFKALYST_CHECKPOINT_GONE")
    val others = Map("spark.kafkalyst.bootstrap.servers" -> "theirs:1", "spark.sql.caseSensitive" -> "true")
    val copy = KeptSettings.in(session, record("Q_8").copy(settings = others))
    assert(copy.conf.get("spark.kafkalyst.bootstrap.servers") == "localhost:1")
    assert(copy.conf.get("spark.sql.caseSensitive") == "true")
  }

  test("if sessions are locked, no listing opens the file system of a record's folder outside of the root") {
    sink
    session.conf.set("fs.spied.impl", classOf[QueriesSuite.SpiedFiles].getName)
    val lock = Application.sessionProperties.name
    val theirs = record("Q_10", QueryRecord.paused).copy(checkpoint = "spied://theirs/Q_10")
    QueryRecord.put(session, theirs)
    def looked() = {
      val before = QueriesSuite.opened.get
      assert(ContinuousQueries.all(session).map(_.id) == Seq("Q_10"))
      QueryIds.requireFree(session, root.resolve("Q_11").toString)
      QueryStatus.write(session, new ContinuousQuery(session, theirs))
      Leases.holds(session, theirs)
      ContinuousQueries.forget(session, theirs)
      QueriesSuite.opened.get - before
    }
    SparkEnv.get.conf.set(lock, Application.locked)
    try assert(looked() == 0)
    finally SparkEnv.get.conf.remove(lock)
    assert(looked() > 0)
    QueryRecord.remove(session, theirs)
    session.conf.unset("fs.spied.impl")
  }

  test("a start that takes long holds up only its own session") {
    val (mine, other) = (own(), own())
    val (begun, end) = (new CountDownLatch(1), new CountDownLatch(1))
    val start = new Thread(() =>
      WhileStarting(mine, Map.empty) {
        begun.countDown()
        end.await()
      }
    )
    start.start()
    try {
      assert(begun.await(30, TimeUnit.SECONDS))
      val kept = new CountDownLatch(1)
      val reader = new Thread(() => { KeptSettings.of(other); kept.countDown() })
      reader.setDaemon(true)
      reader.start()
      assert(kept.await(30, TimeUnit.SECONDS))
    } finally end.countDown()
  }

  test("a listing that waits for the status of a query holds up no other statement") {
    val mine = own()
    val slow = record("Q_10").copy(sink = SinkName.OfTable(Seq("lake", "db", "t")))
    QueryRecord.put(mine, slow)
    val status = root.resolve("Q_10").resolve("status.json")
    assert(new ProcessBuilder("mkfifo", status.toString).start().waitFor() == 0)
    val listing = new Thread(() => { ContinuousQueries.all(mine); () })
    listing.start()
    // Opens as soon as the listing reads.
    val writer = Files.newOutputStream(status)
    try {
      val free = new CountDownLatch(1)
      val other = new Thread(() => KnownQueries.locked(free.countDown()))
      other.setDaemon(true)
      other.start()
      assert(free.await(30, TimeUnit.SECONDS))
    } finally writer.close()
    listing.join()
    assert(KnownQueries.get("Q_10").exists(_.record == slow))
    Files.delete(status)
    QueryRecord.remove(mine, slow)
  }

  test("work in the background has nothing of the statement that first asks for it") {
    val group = "spark.jobGroup.id"
    @volatile var seen: (String, Option[SparkSession]) = null
    def look(): Unit = seen = (session.sparkContext.getLocalProperty(group), SparkSession.getActiveSession)
    session.sparkContext.setLocalProperty(group, "statement")
    try own().withActive {
        val thread = QueryTimer.daemons.newThread(() => look())
        assert(thread.getContextClassLoader == Thread.currentThread.getContextClassLoader)
        thread.start()
        thread.join()
      }
    finally session.sparkContext.setLocalProperty(group, null)
    assert(seen == (null, None))
    val (mine, done) = (own(), new CountDownLatch(1))
    QueryTimer.within(mine) {
      look()
      done.countDown()
    }
    assert(done.await(30, TimeUnit.SECONDS) && seen._2.contains(mine))
  }

  test("a query has the settings of its start in any session, which keeps its own") {
    val (guarantee, limit) = ("spark.kafkalyst.sink.delivery-guarantee", "ksql.functions.collect_list.limit")
    val others = Map("spark.kafkalyst.dialect" -> "ksqldb", "spark.sql.mapKeyDedupPolicy" -> "LAST_WIN")
    val (first, second) = (own(), own())
    Seq(guarantee -> "exactly-once", limit -> "5").foreach { case (k, v) => first.conf.set(k, v) }
    others.foreach { case (k, v) => second.conf.set(k, v) }
    val kept = record("Q_2").copy(settings = KeptSettings.of(first))
    assert(kept.settings.contains("spark.sql.session.timeZone") && !kept.settings.contains("spark.kafkalyst.dialect"))
    val copy = KeptSettings.in(second, kept)
    assert(Seq(guarantee, limit).map(copy.conf.getOption) == Seq(Some("exactly-once"), Some("5")))
    assert(copy.conf.getOption("spark.kafkalyst.dialect").isEmpty)
    assert(copy.conf.get("spark.sql.mapKeyDedupPolicy") == "EXCEPTION")
    val former = KeptSettings.in(second, kept.copy(settings = Map.empty, keepsAll = false))
    assert(others.forall { case (k, v) => former.conf.get(k) == v })
    WhileStarting(second, KeptSettings.differing(copy, second)) {
      assert(second.conf.get(guarantee) == "exactly-once" && others.keys.forall(!second.sessionState.conf.contains(_)))
    }
    assert(second.conf.getOption(guarantee).isEmpty && others.forall { case (k, v) => second.conf.get(k) == v })
  }

  test("a query reads the records that it read at its start, whatever its new session reads") {
    val isolation = "spark.kafkalyst.kafka.isolation.level"
    def read(query: SparkSession) = Settings.of(query.conf.getAll).clientProperties("isolation.level")
    val (plain, loose) = (own(), own())
    loose.conf.set(isolation, "read_uncommitted")
    assert(read(KeptSettings.in(loose, record("Q_11").copy(settings = KeptSettings.of(plain)))) == "read_committed")
    assert(read(KeptSettings.in(plain, record("Q_11").copy(settings = KeptSettings.of(loose)))) == "read_uncommitted")
  }

  test("a query whose sources have other topics since does not start with its former offsets") {
    define(ObjectKind.Stream, "moved", "k STRING, v STRING")
    val before = record("Q_12")
    val now = PlannedQuery(null, null, null, stateful = false, continuous("SELECT k, v FROM moved"))
    val error = intercept[KafkalystException](Launch(now, new ContinuousQuery(session, before)))
    assert(error.getCondition == "KAFKALYST_QUERY_TOPICS" && error.getMessage.contains("offsets of the topics t"))
    // More topics are read from their beginning.
    QueryShape.checkTopics(before.id, QueryShape(Seq("a", "b"), Nil), Seq("a;c", "b"))
    assertThrows[KafkalystException](QueryShape.checkTopics(before.id, QueryShape(Seq("a;c"), Nil), Seq("a")))
  }

  test("restarts wait twice as long each time, up to a limit") {
    val settings = Settings.of(
      Map(
        "spark.kafkalyst.query.restart.attempts" -> "3",
        "spark.kafkalyst.query.restart.backoff" -> "2 SECONDS",
        "spark.kafkalyst.query.restart.backoff.max" -> "7 SECONDS"
      ),
      Application.none
    )
    val backoff = Backoff.of(settings)
    assert(backoff.limit == 3)
    assert(Seq(1, 2, 3, 41, 100).map(backoff.wait) == Seq(2000, 4000, 7000, 7000, 7000))
  }

  test("a failure is told by its named condition, else by its root") {
    val named = KafkalystException("NO_TOPIC_IN_QUERY")
    assert(Failure.message(new SparkException("job aborted", new RuntimeException("task", named))) == named.getMessage)
    assert(Failure.message(new SparkException("job aborted", new IllegalStateException("the root"))) == "the root")
    assert(Failure.message(new NullPointerException) == "java.lang.NullPointerException")
  }

  test("a lease is held until it has run out, and a query of a session's catalog needs none") {
    assert(!Leases.take(session, record("Q_3")))
    val lease = Lease("other", 1000L, 500L, 1000L)
    assert(lease.isHeld(1400L) && !lease.isHeld(1600L))
  }

  test("a query without a lease is left to the living application that has written its status") {
    val asked = record("Q_9")
    val folder = Files.createDirectories(Paths.get(asked.checkpoint))
    val here = java.net.InetAddress.getLocalHost.getHostName
    def isRefused(host: String, process: String, ago: Long = 0, state: String = "RUNNING") = {
      val at = System.currentTimeMillis() - ago
      val status =
        s"""{"owner": "other", "host": "$host", "process": "$process", "updated": $at, "state": "$state"}"""
      Files.writeString(folder.resolve("status.json"), status)
      try {
        Leases.take(session, asked)
        false
      } catch { case e: KafkalystException => e.getCondition == "KAFKALYST_QUERY_ELSEWHERE" }
    }
    assert(isRefused("another-machine", "1@1"))
    assert(!isRefused("another-machine", "1@1", ago = 31000))
    assert(!isRefused("another-machine", "1@1", state = "PAUSED"))
    val process = new ProcessBuilder("sleep", "600").start()
    val own = s"${process.pid}@${process.info.startInstant.get.toEpochMilli}"
    try assert(isRefused(here, own) && !isRefused(here, s"${process.pid}@1"))
    finally process.destroyForcibly().waitFor()
    assert(!isRefused(here, own))
  }
}

object QueriesSuite {
  private val opened = new AtomicInteger

  /** A file system that counts how often it is opened. */
  final class SpiedFiles extends RawLocalFileSystem {
    override def getUri: URI = URI.create("spied://theirs")
    override def initialize(name: URI, conf: Configuration): Unit = {
      opened.incrementAndGet()
      throw new IOException("no such server")
    }
  }
}
