package io.kafkalyst.query

import java.io.IOException
import java.net.URI

import io.kafkalyst.model.settings.{Application, Settings}
import io.kafkalyst.read.AtomicFile
import org.apache.hadoop.fs.Path
import org.apache.spark.sql.SparkSession
import org.slf4j.LoggerFactory

import scala.util.control.NonFatal

/**
 * Records of queries into tables of other catalogs: one file `query.json` each, in the query's folder under the
 * checkpoint root. A record outlives its sink, so a query whose sink was dropped can continue once the sink exists
 * again; and no catalog must be searched for records.
 */
private[kafkalyst] object RecordFiles {

  /** The root folder of the checkpoints. */
  def root(session: SparkSession): Path = {
    val warehouse = session.conf.get("spark.sql.warehouse.dir").stripSuffix("/")
    new Path(Settings.of(session.conf.getAll).get(Settings.checkpointRoot).getOrElse(s"$warehouse/_kafkalyst"))
  }

  /** The folder, however a statement writes it; as it is written if its file system is unknown here. */
  def folderOf(session: SparkSession, checkpoint: String): String =
    try {
      val path = new Path(checkpoint)
      val full = path.getFileSystem(session.sessionState.newHadoopConf()).makeQualified(path)
      new Path(full.toUri.normalize).toString
    } catch { case _: IOException | _: IllegalArgumentException => checkpoint }

  /**
   * Whether sessions are locked and the folder of a record is not under the checkpoint root. Nothing is then read or
   * written there: it would be with the application's logins, in anybody's statement.
   */
  def isOutside(session: SparkSession, checkpoint: String): Boolean =
    Application.current.isLocked && !isUnderRoot(session, checkpoint)

  private def isUnderRoot(session: SparkSession, checkpoint: String): Boolean = {
    val under = folderOf(session, root(session).toString)
    val of = new Path(under).toUri
    // A file system that is not the root's is not even opened.
    def isNear(uri: URI) =
      if (uri.getScheme == null) uri.getAuthority == null
      else uri.getScheme == of.getScheme && Seq(null, "", of.getAuthority).contains(uri.getAuthority)
    try isNear(new Path(checkpoint).toUri) && folderOf(session, checkpoint).startsWith(s"$under/")
    catch { case _: IllegalArgumentException => false }
  }

  private val file = "query.json"
  private val log = LoggerFactory.getLogger("io.kafkalyst.query")

  def all(session: SparkSession): Seq[String] = {
    val folder = root(session)
    val conf = session.sessionState.newHadoopConf()
    val files = folder.getFileSystem(conf)
    if (!files.exists(folder)) Nil
    else files.listStatus(folder).toSeq.map(s => new Path(s.getPath, file)).flatMap { path =>
      try AtomicFile.read(path, conf)
      catch {
        case NonFatal(e) =>
          log.warn(s"Could not read the record of a query, $path", e)
          None
      }
    }
  }

  /** The record of one query; None if there is none. */
  def read(session: SparkSession, id: String): Option[String] =
    AtomicFile.read(path(session, id), session.sessionState.newHadoopConf())

  /** Replaces the whole file. */
  def put(session: SparkSession, id: String, json: String): Unit =
    AtomicFile.write(path(session, id), json, session.sessionState.newHadoopConf())

  def remove(session: SparkSession, id: String): Unit = {
    val at = path(session, id)
    at.getFileSystem(session.sessionState.newHadoopConf()).delete(at, false)
    ()
  }

  private def path(session: SparkSession, id: String) = new Path(new Path(root(session), id), file)
}
