package io.kafkalyst.query
package lease

import java.net.InetAddress

import com.fasterxml.jackson.databind.ObjectMapper
import com.fasterxml.jackson.databind.node.ObjectNode
import io.kafkalyst.errors.{Conditions, KafkalystException}
import io.kafkalyst.model.settings.{QuerySettings, Settings}
import io.kafkalyst.read.AtomicFile
import org.apache.hadoop.fs.Path
import org.apache.spark.sql.SparkSession

import scala.util.Try

/**
 * The application that runs a query which has no lease, by the query's status file. A running query rewrites the
 * file every few seconds, so a second application with the same checkpoints notices the first one. Two that start at the
 * same moment do not notice each other.
 */
private[query] object Runner {
  private val mapper = new ObjectMapper()
  private lazy val host = InetAddress.getLocalHost.getHostName

  /** This application's name, as other applications see it. */
  def owner(session: SparkSession): String = {
    val context = session.sparkContext
    s"${context.appName} (${context.applicationId} on $host)"
  }

  /** How long an application's claim lasts if it is not renewed, in milliseconds. */
  def lengthMs(session: SparkSession): Long = Settings.of(session.conf.getAll).millis(QuerySettings.queryLease)

  /** The error condition for a query that another application runs. */
  val elsewhere: String = Conditions("QUERY_ELSEWHERE").name

  /** Puts this application into the status of a query that it runs. */
  def note(status: ObjectNode, session: SparkSession): Unit = {
    status.put("owner", owner(session)).put("host", host).put("process", process(ProcessHandle.current()))
    ()
  }

  /** @throws io.kafkalyst.errors.KafkalystException QUERY_ELSEWHERE while another living application runs the query */
  def require(session: SparkSession, record: QueryRecord): Unit = {
    def path = new Path(record.checkpoint, QueryCounts.file)
    // A record that names a folder outside of the root does not start.
    val isOutside = RecordFiles.isOutside(session, record.checkpoint)
    val text = if (isOutside) None else AtomicFile.read(path, session.sessionState.newHadoopConf())
    // An unreadable status tells of nobody.
    text.flatMap(t => Try(mapper.readTree(t)).toOption).foreach { status =>
      def of(name: String) = status.path(name).asText("")
      val age = System.currentTimeMillis() - status.path("updated").asLong(0)
      val isOther = of("owner").nonEmpty && of("owner") != owner(session)
      val isFresh = of("state") == QueryRecord.running && age < lengthMs(session)
      if (isOther && isFresh && isAlive(of("host"), of("process")))
        throw KafkalystException(
          "QUERY_ELSEWHERE",
          "id" -> record.word,
          "owner" -> of("owner"),
          "ago" -> math.max(0L, age / 1000).toString,
          "folder" -> record.checkpoint,
          "seconds" -> (lengthMs(session) / 1000).toString
        )
    }
  }

  /** False for a process of this machine that has ended, and for an earlier application of this process. */
  private def isAlive(machine: String, of: String): Boolean = machine != host || {
    val found = of.takeWhile(_ != '@').toLongOption.flatMap(pid => Option(ProcessHandle.of(pid).orElse(null)))
    found.exists(p => p.isAlive && process(p) == of && p.pid != ProcessHandle.current().pid)
  }

  /** The process id with the start of the process, because the system uses ids again. */
  private def process(handle: ProcessHandle): String =
    s"${handle.pid}@${handle.info.startInstant.map[Long](_.toEpochMilli).orElse(0L)}"
}
