package io.kafkalyst.query

import java.util.Locale

import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.model.settings.{Application, Settings}
import io.kafkalyst.read.AtomicFile
import org.apache.hadoop.fs.Path
import org.apache.spark.sql.SparkSession

import scala.annotation.tailrec
import scala.util.matching.Regex

/** Ids of continuous queries. Each query has its own checkpoint folder. */
object QueryIds {
  private val numbered: Regex = """(?:CSAS_.*|CTAS_.*|INSERTQUERY)_(\d{1,9})""".r
  private val reserved = Seq("CSAS_", "CTAS_", "CST_", "INSERTQUERY_")

  /**
   * The next id, numbered above all ids in the catalog and the checkpoint root, and its checkpoint. The id contains
   * only those characters of the table's name that need no quotes and are valid in a folder name.
   */
  def next(session: SparkSession, prefix: String, table: String): (String, String) =
    made(session)((number, _) => s"${prefix}_${table.toUpperCase(Locale.ROOT).replaceAll("[^A-Z0-9_]", "_")}_$number")

  /** Like [[next]], for a query into an existing sink, with the given id if there is one; QUERY_ID if it is invalid. */
  def nextInsert(session: SparkSession, given: Option[String]): (String, String) =
    made(session) { (number, known) =>
      given.foreach { id =>
        val reason =
          if (reserved.exists(id.startsWith))
            Some(s"ids that begin with ${reserved.mkString(", ")} are given by Kafkalyst itself")
          else if (!id.matches("[A-Z0-9_-]+")) Some("it is empty or has other characters")
          else if (known.contains(id)) Some("a query has it already, see SHOW QUERIES, or a checkpoint")
          else None
        reason.foreach(r => throw KafkalystException("QUERY_ID", "id" -> id, "reason" -> r))
      }
      given.getOrElse(s"INSERTQUERY_$number")
    }

  /**
   * Each query's folder is made before its first start, so one that is gone has been lost, or is another machine's.
   * Records may be written without Kafkalyst, so if sessions are locked, they name only folders under the root.
   *
   * @throws io.kafkalyst.errors.KafkalystException CHECKPOINT_GONE, CHECKPOINT_OUTSIDE
   */
  def requireFolder(session: SparkSession, record: QueryRecord): Unit = {
    if (RecordFiles.isOutside(session, record.checkpoint))
      throw KafkalystException(
        "CHECKPOINT_OUTSIDE",
        "id" -> record.id,
        "folder" -> record.checkpoint,
        "root" -> RecordFiles.folderOf(session, RecordFiles.root(session).toString),
        "setting" -> Settings.checkpointRoot.name,
        "lock" -> Application.sessionProperties.name
      )
    if (!isThere(session, record.checkpoint))
      throw KafkalystException("CHECKPOINT_GONE", "id" -> record.id, "folder" -> record.checkpoint)
  }

  /** Whether the folder exists, where this application may look. */
  def isThere(session: SparkSession, checkpoint: String): Boolean = !RecordFiles.isOutside(session, checkpoint) && {
    val folder = new Path(checkpoint)
    folder.getFileSystem(session.sessionState.newHadoopConf()).exists(folder)
  }

  /**
   * Two queries on one folder: Spark would end the first one, and the second would skip what the first has read.
   *
   * @throws io.kafkalyst.errors.KafkalystException CHECKPOINT_IN_USE if a query that is not terminated has the folder
   *         that a statement names
   */
  def requireFree(session: SparkSession, checkpoint: String): Unit = {
    val folder = RecordFiles.folderOf(session, checkpoint)
    def has(query: ContinuousQuery) =
      !RecordFiles.isOutside(session, query.checkpoint) && RecordFiles.folderOf(session, query.checkpoint) == folder
    KnownQueries.all(session).find(has).foreach { query =>
      throw KafkalystException(
        "CHECKPOINT_IN_USE",
        "folder" -> folder,
        "id" -> query.id,
        "sink" -> query.sink.toString,
        "state" -> query.state
      )
    }
  }

  /** Creates the folder that a statement names for its query; false if it exists already. */
  def claim(session: SparkSession, checkpoint: String): Boolean =
    AtomicFile.claim(new Path(checkpoint), session.sessionState.newHadoopConf())

  /** Gives an id back: deletes the folder that came with it, of a query that has not started. */
  def giveBack(session: SparkSession, checkpoint: String): Unit = {
    val folder = new Path(checkpoint)
    folder.getFileSystem(session.sessionState.newHadoopConf()).delete(folder, true)
    ()
  }

  /** Claims the folder atomically, because applications with the same checkpoint root may choose the same id. */
  @tailrec private def made(session: SparkSession)(id: (Int, Seq[String]) => String): (String, String) = {
    val (root, conf) = (RecordFiles.root(session), session.sessionState.newHadoopConf())
    val files = root.getFileSystem(conf)
    val there = if (files.exists(root)) files.listStatus(root).map(_.getPath.getName).toSeq else Nil
    val known = there ++ KnownQueries.all(session).map(_.id)
    val name = id(known.collect { case numbered(n) => n.toInt }.maxOption.fold(1)(_ + 1), known)
    val checkpoint = new Path(root, name)
    if (AtomicFile.claim(checkpoint, conf)) name -> checkpoint.toString else made(session)(id)
  }
}
