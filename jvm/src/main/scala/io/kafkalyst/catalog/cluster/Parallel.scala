package io.kafkalyst.catalog.cluster

import java.util.concurrent.{Callable, Executors}

import org.apache.spark.sql.internal.SQLConf

import scala.jdk.CollectionConverters._

/** Work that waits for requests, several at once. */
private[cluster] object Parallel {
  private val most = 8

  /** Does the work for each value, with the caller's configuration, and returns when all of it has ended. */
  def apply[A](values: Seq[A])(work: A => Any): Unit = {
    val conf = SQLConf.get
    val loader = Thread.currentThread.getContextClassLoader
    val pool = Executors.newFixedThreadPool(
      most,
      { task =>
        val thread = new Thread(task, "kafkalyst-listing")
        thread.setContextClassLoader(loader)
        thread.setDaemon(true)
        thread
      }
    )
    def task(value: A): Callable[Any] = () => SQLConf.withExistingConf(conf)(work(value))
    try pool.invokeAll(values.map(task).asJava)
    finally pool.shutdownNow()
    ()
  }
}
