package io.kafkalyst.read

import java.util.concurrent.{CountDownLatch, TimeUnit}

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.read.PartitionReader
import org.apache.spark.{SparkConf, SparkContext}
import org.scalatest.funsuite.AnyFunSuite

final class RowCountSuite extends AnyFunSuite {
  test("a cancelled task ends in the middle of its rows") {
    val spark =
      new SparkContext(new SparkConf().setMaster("local[1]").setAppName("count").set("spark.ui.enabled", "false"))
    try {
      val job = new Thread(() => {
        spark.setJobGroup("count", "rows without end", interruptOnCancel = false)
        spark.parallelize(Seq(1), 1).foreachPartition { _ =>
          try new RowCountReader(RowsWithoutEnd).next()
          finally RowsWithoutEnd.ended.countDown()
        }
      })
      job.setDaemon(true)
      job.setUncaughtExceptionHandler((_, _) => ())
      job.start()
      assert(RowsWithoutEnd.begun.await(60, TimeUnit.SECONDS))
      spark.cancelJobGroup("count")
      assert(RowsWithoutEnd.ended.await(60, TimeUnit.SECONDS))
    } finally spark.stop()
  }
}

private object RowsWithoutEnd extends PartitionReader[InternalRow] {
  val begun = new CountDownLatch(1)
  val ended = new CountDownLatch(1)

  override def next(): Boolean = {
    begun.countDown()
    true
  }
  override def get(): InternalRow = InternalRow.empty
  override def close(): Unit = ()
}
