package io.kafkalyst.clients

import java.util.Collections
import java.util.WeakHashMap
import java.util.concurrent.CopyOnWriteArrayList

import org.apache.spark.SparkContext
import org.apache.spark.scheduler.{SparkListener, SparkListenerApplicationEnd}

/**
 * Clears what the JVM caches for an application when its SparkContext stops: its clients, and data that was read with
 * its logins. The next application in the same JVM may have other logins.
 */
private[kafkalyst] object ApplicationEnd {
  private val actions = new CopyOnWriteArrayList[() => Unit]
  private val watched = Collections.newSetFromMap(new WeakHashMap[SparkContext, java.lang.Boolean])

  /** Registers an action for the end of each application. */
  def then(action: () => Unit): Unit = {
    actions.add(action)
    ()
  }

  /** Watches an application's context, once. */
  def of(context: SparkContext): Unit = {
    val isNew = watched.synchronized(watched.add(context))
    if (isNew) context.addSparkListener(new SparkListener {
      override def onApplicationEnd(end: SparkListenerApplicationEnd): Unit = actions.forEach(_())
    })
  }
}
