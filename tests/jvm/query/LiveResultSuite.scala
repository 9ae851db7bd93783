package io.kafkalyst.query

import java.util.concurrent.CountDownLatch

import io.kafkalyst.TopicSession
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.scalatest.funsuite.AnyFunSuite

import scala.concurrent.{Await, Future}
import scala.concurrent.ExecutionContext.Implicits.global
import scala.concurrent.duration.DurationInt

class LiveResultSuite extends AnyFunSuite with TopicSession {
  test("sessions with views of the same name get their own rows") {
    def read(in: SparkSession) = {
      SparkSession.setActiveSession(in)
      val first = in.read.format("kafkalyst-live").option("view", "shown").option("wait", "60000").load()
      first.collect().map(_.getString(0)).distinct.toSeq
    }
    val sessions = Seq("one", "two").map { text =>
      val own = session.newSession()
      own.readStream.format("rate-micro-batch").option("rowsPerBatch", "1").load()
        .selectExpr(s"'$text' AS v").createOrReplaceTempView("shown")
      own
    }
    try assert(sessions.map(read) == Seq(Seq("one"), Seq("two")))
    finally sessions.foreach(_.streams.active.foreach(_.stop()))
  }

  test("a stream stops, although what its batch called has taken the interrupt") {
    val (planned, taken) = (new CountDownLatch(1), new CountDownLatch(1))
    val takesInterrupt = new Rule[LogicalPlan] {
      override def apply(plan: LogicalPlan): LogicalPlan = {
        if (Thread.currentThread.getName.startsWith("stream execution") && taken.getCount > 0) {
          planned.countDown()
          try taken.await()
          catch { case _: InterruptedException => taken.countDown() }
        }
        plan
      }
    }
    val own = session.newSession()
    own.experimental.extraOptimizations = Seq(takesInterrupt)
    own.readStream.format("rate-micro-batch").option("rowsPerBatch", "1").load().createOrReplaceTempView("stopped")
    def asked(option: (String, String)) = own.withActive {
      own.read.format("kafkalyst-live").option("view", "stopped").option(option._1, option._2).load().collect().toSeq
    }
    assert(asked("wait" -> "0").isEmpty)
    planned.await()
    val stopped = Await.result(Future(asked("query" -> "stop")), 1.minute)
    assert(stopped.map(_.getBoolean(0)) == Seq(false) && own.streams.active.isEmpty)
  }
}
