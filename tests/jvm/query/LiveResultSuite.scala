package io.kafkalyst.query

import io.kafkalyst.TopicSession
import org.apache.spark.sql.SparkSession
import org.scalatest.funsuite.AnyFunSuite

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
}
