package io.kafkalyst.query
package push

import java.{util => ju}

import io.kafkalyst.errors.KafkalystException
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.catalog.{SupportsRead, Table, TableCapability, TableProvider}
import org.apache.spark.sql.connector.expressions.Transform
import org.apache.spark.sql.connector.read.{LocalScan, ScanBuilder}
import org.apache.spark.sql.sources.DataSourceRegister
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/**
 * The data source `kafkalyst-live`, with which Python's `kafkalyst.live` reads a stream's rows, classic and over
 * Connect. Spark's own sink for this keeps all rows until the stream ends. Options:
 *
 *  - `view`: the stream, a temporary view of the session; the running query has this name
 *  - `received`: the number of reads that have returned rows, which are then discarded; the first read has no such
 *    option, and starts the stream
 *  - `wait`: how many milliseconds to wait for rows, 0 by default
 *
 * A read returns the next rows of a batch, at most 10,000, or no rows.
 *
 * Errors: LIVE_VIEW without the option `view`; the stream's own error, once it has failed.
 */
final class LiveProvider extends TableProvider with DataSourceRegister {
  override def shortName(): String = "kafkalyst-live"

  override def inferSchema(options: CaseInsensitiveStringMap): StructType =
    SparkSession.active.table(LiveProvider.viewIn(options)).schema

  override def getTable(schema: StructType, partitioning: Array[Transform], options: ju.Map[String, String]): Table =
    new LiveTable(schema)
}

private object LiveProvider {
  def viewIn(options: CaseInsensitiveStringMap): String =
    Option(options.get("view")).getOrElse(throw KafkalystException("LIVE_VIEW"))
}

private final class LiveTable(override val schema: StructType) extends Table with SupportsRead {
  override def name(): String = "live"

  override def capabilities(): ju.Set[TableCapability] = ju.EnumSet.of(TableCapability.BATCH_READ)

  override def newScanBuilder(options: CaseInsensitiveStringMap): ScanBuilder = () =>
    new LocalScan {
      override def readSchema(): StructType = schema

      override def rows(): Array[InternalRow] = {
        val view = LiveProvider.viewIn(options)
        val result =
          if (options.containsKey("received")) LiveResult.find(SparkSession.active, view)
          else Some(LiveResult.start(SparkSession.active, view))
        result.fold(Array.empty[InternalRow])(_.after(options.getLong("received", 0), options.getLong("wait", 0)))
      }
    }
}
