package io.kafkalyst.query

import java.util.Locale

import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.model.settings.{Application, Settings}
import io.kafkalyst.read.AtomicFile
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.spark.sql.SparkSession
import org.slf4j.LoggerFactory

import scala.annotation.tailrec
import scala.util.control.NonFatal
import scala.util.matching.Regex

/** Ids of continuous queries. Each query has its own checkpoint folder. */
object QueryIds {
  private val numbered: Regex = """(?:CSAS_.*|CTAS_.*|INSERTQUERY)_(\d{1,9})""".r
  private val reserved = Seq("CSAS_", "CTAS_", "CST_", "INSERTQUERY_")
  // The file that marks the folder of an id that is free again.
  private val ended = ".ended"
  private val log = LoggerFactory.getLogger("io.kafkalyst.query")

  /**
   * The next id, numbered above all ids in the catalog and the checkpoint root, and its checkpoint. The id contains
   * only those characters of the table's name that need no quotes and are valid in a folder name.
   */
  def next(session: SparkSession, prefix: String, table: String): (String, String) =
    made(session)(number => s"${prefix}_${table.toUpperCase(Locale.ROOT).replaceAll("[^A-Z0-9_]", "_")}_$number")

  /** Like [[next]], for a query into an existing sink, by the given id if there is one; QUERY_ID if it is not free. */
  def nextInsert(session: SparkSession, given: Option[String]): (String, String) =
    given.fold(made(session)(number => s"INSERTQUERY_$number")) { id =>
      def refused(reason: String) = throw KafkalystException("QUERY_ID", "id" -> id, "reason" -> reason)
      if (reserved.exists(id.startsWith))
        refused(s"ids that begin with ${reserved.mkString(", ")} are given by Kafkalyst itself")
      if (!id.matches("[A-Z0-9_-]+")) refused("it is empty or has other characters")
      KnownQueries.all(session).find(_.id == id).foreach { q =>
        refused(
          s"a query into ${q.sink} has it, and is ${q.state}. RESUME ${q.record.word} continues that query, " +
            s"TERMINATE ${q.record.word} frees the id"
        )
      }
      val (folder, conf) = (new Path(RecordFiles.root(session), id), session.sessionState.newHadoopConf())
      // No id has a dot, so these folders never take another id.
      def later = Iterator.from(2).map(n => folder.suffix(s".$n"))
      if (AtomicFile.claim(folder, conf)) id -> folder.toString
      else if (isFreed(folder, conf)) id -> later.find(AtomicFile.claim(_, conf)).get.toString
      else
        refused(
          s"its folder $folder is there, of a query that this session's catalogs do not have. If that query is " +
            "needed no more, delete the folder"
        )
    }

  /**
   * Removes the record of a query that has ended for good, and frees its id. Its folder stays, because a later query
   * may continue with it as CHECKPOINT; another query with this id gets a folder of its own.
   */
  def free(session: SparkSession, record: QueryRecord): Unit = {
    QueryRecord.remove(session, record)
    freed(session, record.id)
  }

  private def freed(session: SparkSession, id: String): Unit =
    try {
      val folder = new Path(RecordFiles.root(session), id)
      if (isThere(session, folder.toString))
        AtomicFile.write(new Path(folder, ended), "", session.sessionState.newHadoopConf())
    } catch { case NonFatal(e) => log.warn(s"The id $id stays taken: its folder cannot be marked as ended", e) }

  /** Whether the folder is of an ended query; only one of several callers gets true. */
  private def isFreed(folder: Path, conf: Configuration): Boolean =
    folder.getFileSystem(conf).delete(new Path(folder, ended), false)

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
        "id" -> record.word,
        "folder" -> record.checkpoint,
        "root" -> RecordFiles.folderOf(session, RecordFiles.root(session).toString),
        "setting" -> Settings.checkpointRoot.name,
        "lock" -> Application.sessionProperties.name
      )
    if (!isThere(session, record.checkpoint))
      throw KafkalystException("CHECKPOINT_GONE", "id" -> record.word, "folder" -> record.checkpoint)
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
        "id" -> query.record.word,
        "sink" -> query.sink.toString,
        "state" -> query.state
      )
    }
  }

  /** Whether Spark has planned a batch with this checkpoint. */
  def hasBatches(session: SparkSession, checkpoint: String): Boolean = {
    val offsets = new Path(checkpoint, "offsets")
    val files = offsets.getFileSystem(session.sessionState.newHadoopConf())
    files.exists(offsets) && files.listStatus(offsets).exists(_.getPath.getName.forall(_.isDigit))
  }

  /** Creates the folder that a statement names for its query; false if it exists already. */
  def claim(session: SparkSession, checkpoint: String): Boolean =
    AtomicFile.claim(new Path(checkpoint), session.sessionState.newHadoopConf())

  /** Deletes a claimed folder, of a query that has not started. */
  def giveBack(session: SparkSession, checkpoint: String): Unit = {
    val folder = new Path(checkpoint)
    folder.getFileSystem(session.sessionState.newHadoopConf()).delete(folder, true)
    ()
  }

  /** Gives an id back, with the folder that came with it. */
  def giveBack(session: SparkSession, id: String, checkpoint: String): Unit = {
    giveBack(session, checkpoint)
    // Without that folder of its own, the id is free as it is, and another application may have it by now.
    if (new Path(checkpoint) != new Path(RecordFiles.root(session), id)) freed(session, id)
  }

  /** Claims the folder atomically, because applications with the same checkpoint root may choose the same id. */
  @tailrec private def made(session: SparkSession)(id: Int => String): (String, String) = {
    val (root, conf) = (RecordFiles.root(session), session.sessionState.newHadoopConf())
    val files = root.getFileSystem(conf)
    val there = if (files.exists(root)) files.listStatus(root).map(_.getPath.getName).toSeq else Nil
    val known = there ++ KnownQueries.all(session).map(_.id)
    val name = id(known.collect { case numbered(n) => n.toInt }.maxOption.fold(1)(_ + 1))
    val checkpoint = new Path(root, name)
    if (AtomicFile.claim(checkpoint, conf)) name -> checkpoint.toString else made(session)(id)
  }
}
