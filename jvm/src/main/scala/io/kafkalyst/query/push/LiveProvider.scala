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
import org.apache.spark.sql.types.{BooleanType, StructType}
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/**
 * The data source `kafkalyst-live`, with which Python's `kafkalyst.live` reads a stream's rows, classic and over
 * Connect. Spark's own sink for this keeps all rows until the stream ends. Options:
 *
 *  - `view`: the stream, a temporary view of the session; the running query has this name
 *  - `received`: the number of reads that have returned rows, which are then discarded; the first read has no such
 *    option, and starts the stream
 *  - `wait`: how many milliseconds to wait for rows, 0 by default
 *  - `local`: whether the reader is in this process, and the stream waits for it forever instead of ten minutes; read
 *    when the stream starts
 *  - `query`: `ask` or `stop`, instead of reading rows; see below
 *
 * A read returns the next rows of a batch, at most 10,000, or no rows. With `query`, it returns one BOOLEAN, `active`:
 * whether the stream still runs, also after it was to stop.
 *
 * Errors: LIVE_VIEW without the option `view`; LIVE_UNREAD if the stream was not read for ten minutes; the stream's own
 * error, once it has failed.
 */
final class LiveProvider extends TableProvider with DataSourceRegister {
  override def shortName(): String = "kafkalyst-live"

  override def inferSchema(options: CaseInsensitiveStringMap): StructType =
    if (options.containsKey(LiveProvider.query)) LiveProvider.state
    else SparkSession.active.table(LiveProvider.viewIn(options)).schema

  override def getTable(schema: StructType, partitioning: Array[Transform], options: ju.Map[String, String]): Table =
    new LiveTable(schema)
}

private object LiveProvider {
  val query = "query"
  val state: StructType = new StructType().add("active", BooleanType, nullable = false)

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
        val (session, view) = (SparkSession.active, LiveProvider.viewIn(options))
        def given(result: LiveResult) = result.after(options.getLong("received", 0), options.getLong("wait", 0))
        options.get(LiveProvider.query) match {
          case null if options.containsKey("received") => given(LiveResult.get(session, view))
          case null => given(LiveResult.start(session, view, options.getBoolean("local", false)))
          case asked =>
            if (asked == "stop") LiveResult.stop(session, view)
            Array(InternalRow(LiveResult.find(session, view).exists(_.isActive)))
        }
      }
    }
}
