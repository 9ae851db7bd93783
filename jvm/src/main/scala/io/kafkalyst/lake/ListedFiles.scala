package io.kafkalyst.lake

import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.query.ContinuousQueries
import org.apache.hadoop.fs.Path
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.connector.catalog.{Table, TableCapability}
import org.apache.spark.sql.execution.datasources.v2.FileDataSourceV2
import org.apache.spark.sql.execution.datasources.{DataSource, FileFormat}

import scala.util.Try

/**
 * Tables of files without commits of their own, such as Parquet. A streaming write lists the files of each batch in the
 * table's folder, under the batch's number. Spark skips a batch whose number is listed, whichever query wrote that one,
 * and reads only listed files.
 */
private[lake] object ListedFiles {

  /**
   * Checks, before a query writes, that no batch would be skipped and no row would be hidden.
   *
   * @param checkpoint the query's folder
   * @throws io.kafkalyst.errors.KafkalystException LAKE_FILES
   */
  def check(session: SparkSession, table: LakeTable, checkpoint: String): Unit =
    LakeTable.found(session, table.name).filter(isListed(session, _)).foreach { found =>
      val folder = new Path(found.properties.get(location), list)
      def refuse(reason: String) = throw KafkalystException(
        "LAKE_FILES",
        "name" -> table.name.toString,
        "provider" -> table.provider,
        "reason" -> reason
      )
      ContinuousQueries.all(session).find(q => q.sink == table.name && q.isAlive && q.checkpoint != checkpoint)
        .foreach(other => refuse(s"the query ${other.id} writes it"))
      val listed = newest(session, folder)
      newest(session, new Path(checkpoint, "offsets")) match {
        case None if listed.isDefined => refuse("another query has written it")
        case None => if (!session.table(table.name.sql).isEmpty) refuse("it has rows")
        // The last batch may have failed before its rows or its commit entry were written.
        case Some(begun) =>
          val ended = newest(session, new Path(checkpoint, "commits")).getOrElse(-1L)
          if (listed.exists(_ > begun) || ended > listed.getOrElse(-1L)) {
            val last = listed.fold("no batch")(n => s"batch $n as its last one")
            refuse(s"it is not as this query left it, with batch $ended as its last one: it has $last")
          }
      }
    }

  private val location = "location"
  private val list = "_spark_metadata"

  private def isListed(session: SparkSession, table: Table) =
    table.properties.containsKey(location) && !table.capabilities.contains(TableCapability.STREAMING_WRITE) &&
      Try(DataSource.lookupDataSource(LakeTable.providerOf(table), session.sessionState.conf)).toOption.exists { of =>
        classOf[FileFormat].isAssignableFrom(of) || classOf[FileDataSourceV2].isAssignableFrom(of)
      }

  /** The highest batch number in a metadata folder of Spark's; a compacted file covers all batches up to its number. */
  private def newest(session: SparkSession, folder: Path): Option[Long] = {
    val files = folder.getFileSystem(session.sessionState.newHadoopConf())
    if (!files.exists(folder)) None
    else files.listStatus(folder).flatMap(f => f.getPath.getName.stripSuffix(".compact").toLongOption).maxOption
  }
}
