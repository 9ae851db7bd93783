package io.kafkalyst.lake

import io.kafkalyst.errors.Causes
import io.kafkalyst.model.settings.Temporarily
import org.apache.spark.sql.{DataFrameWriterV2, Row, SparkSession}
import org.apache.spark.sql.catalyst.expressions.Literal
import org.apache.spark.sql.functions.lit
import org.slf4j.LoggerFactory

import scala.annotation.tailrec
import scala.util.Random
import scala.util.control.NonFatal

/**
 * Ensures that a batch changes a table only once. Spark retries a batch if the driver dies between the table's commit
 * and the query's own. Batches are identified by the checkpoint's query id, so a query with a new checkpoint, whose
 * batch ids start at 0 again, is a different query.
 */
private[lake] trait BatchGuard {

  /**
   * Runs a statement that commits once, unless the table already has the batch; retries after a conflict with another
   * writer.
   *
   * @param border stored with the commit, see [[Border]]
   */
  final def once(session: SparkSession, query: String, batch: Long, border: Option[String] = None)(
      statement: () => Any
  ): Unit = {
    @tailrec def attempt(n: Int): Unit =
      if (!isDone(session, query, batch)) {
        val conflict =
          try {
            marked(session, query, batch, border)(statement())
            None
          } catch { case NonFatal(e) if n < BatchGuard.attempts && BatchGuard.isConflict(e) => Some(e) }
        conflict match {
          case None => ()
          case Some(e) =>
            BatchGuard.log.warn(s"Batch $batch of $query met another writer, attempt $n", e)
            Thread.sleep(math.min(100L << n, 5000L) + Random.nextInt(100))
            attempt(n + 1)
        }
      }
    attempt(1)
    done(session, query, batch, border)
  }

  /** Appends rows, in a statement for [[once]]: one commit, refused if the table has got the batch meanwhile. */
  def append(rows: DataFrameWriterV2[Row]): Unit = rows.append()

  /** Whether the table already has the batch. */
  protected def isDone(session: SparkSession, query: String, batch: Long): Boolean

  /** Runs the statement so that its commit records the query and batch. */
  protected def marked(session: SparkSession, query: String, batch: Long, border: Option[String])(
      statement: => Any
  ): Unit

  /** Called once the table has the batch. */
  protected def done(session: SparkSession, query: String, batch: Long, border: Option[String]): Unit
}

private[lake] object BatchGuard {
  private val log = LoggerFactory.getLogger("io.kafkalyst.lake")
  private val attempts = 10

  /** Spark's local property, set on the batch's thread. */
  private val queryIdProperty = "sql.streaming.queryId"

  /** Whether the table's format has a guard. */
  def isOf(table: LakeTable): Boolean = Seq("iceberg", "delta").contains(table.provider)

  def of(table: LakeTable): BatchGuard = if (table.provider == "iceberg") new IcebergGuard(table) else DeltaGuard

  def queryId(session: SparkSession): String = session.sparkContext.getLocalProperty(queryIdProperty)

  // By name, because neither Delta nor Iceberg is on the compile class path.
  private val conflicts = Set(
    "org.apache.iceberg.exceptions.ValidationException",
    "org.apache.iceberg.exceptions.CommitFailedException",
    "org.apache.iceberg.exceptions.CommitStateUnknownException"
  )

  private def isConflict(e: Throwable): Boolean =
    Causes.of(e).exists { cause =>
      val name = cause.getClass.getName
      conflicts(name) || (name.contains(".delta.") && (cause.getClass.getSimpleName.startsWith("Concurrent") ||
        cause.getClass.getSimpleName.startsWith("MetadataChanged")))
    }
}

/** Uses Delta's own transaction ids, which are stored as long as the table exists. */
private[lake] object DeltaGuard extends BatchGuard {
  private val application = "spark.databricks.delta.write.txnAppId"
  private val version = "spark.databricks.delta.write.txnVersion"
  private val metadata = "spark.databricks.delta.commitInfo.userMetadata"

  // Delta itself skips a statement with a known id.
  override protected def isDone(session: SparkSession, query: String, batch: Long): Boolean = false

  override protected def marked(session: SparkSession, query: String, batch: Long, border: Option[String])(
      statement: => Any
  ): Unit = {
    val marks = Map(application -> s"kafkalyst-$query", version -> batch.toString) ++ border.map(metadata -> _)
    Temporarily(session, marks.map { case (key, value) => key -> Some(value) })(statement)
    ()
  }

  override protected def done(session: SparkSession, query: String, batch: Long, border: Option[String]): Unit = ()
}

/**
 * Uses properties of the snapshot that a commit creates and, because snapshots expire, a table property that is set
 * afterwards. The table is asked before each batch, because an application that was suspended may go on with its batch
 * after another one has taken the query over. A MERGE that was planned before that is refused by Iceberg's own
 * validation, unless the table's `write.merge.isolation-level` is `snapshot`. Iceberg validates an append only as an
 * overwrite: of no rows, and since the snapshot that was current when the table was asked.
 */
private[lake] final class IcebergGuard(table: LakeTable) extends BatchGuard {
  import IcebergGuard._
  private var there: Option[Long] = None
  private var asked: Option[Long] = None

  override protected def isDone(session: SparkSession, query: String, batch: Long): Boolean = {
    session.sql(s"REFRESH TABLE ${table.name.sql}")
    // Before the marks: a commit between both counts as one after the snapshot.
    asked = current(session)
    there = last(session, query)
    there.exists(_ >= batch)
  }

  override def append(rows: DataFrameWriterV2[Row]): Unit = {
    val validated = rows.option("isolation-level", "serializable")
    asked.foreach(snapshot => validated.option("validate-from-snapshot-id", snapshot.toString))
    validated.overwrite(lit(false))
  }

  override protected def marked(session: SparkSession, query: String, batch: Long, border: Option[String])(
      statement: => Any
  ): Unit = {
    val marks = Map(queryKey -> query, batchKey -> batch.toString) ++ border.map(Border.property -> _)
    Temporarily(session, marks.map { case (key, value) => (setting + key) -> Some(value) })(statement)
    ()
  }

  // The marks of an application that has gone further stay.
  override protected def done(session: SparkSession, query: String, batch: Long, border: Option[String]): Unit =
    if (!there.exists(_ > batch)) note(session, query, batch, border)

  private def note(session: SparkSession, query: String, batch: Long, border: Option[String]): Unit = {
    val ends = border.toSeq.flatMap { json =>
      session.sql(s"REFRESH TABLE ${table.name.sql}")
      val at = Border.snapshotWith(session, table, Seq(queryKey -> query, batchKey -> batch.toString))
      at.toSeq.flatMap(snapshot => Seq(Border.property -> json, Border.snapshot -> snapshot))
    }
    val kept = (property(query) -> batch.toString) +: ends
    val pairs = kept.map { case (name, value) => s"'$name' = ${Literal(value).sql}" }
    session.sql(s"ALTER TABLE ${table.name.sql} SET TBLPROPERTIES (${pairs.mkString(", ")})")
    ()
  }

  /** The current snapshot; None if the table has no commit yet. */
  private def current(session: SparkSession): Option[Long] =
    session.sql(s"SELECT snapshot_id FROM ${table.name.sql}.refs WHERE name = 'main'")
      .collect().headOption.map(_.getLong(0))

  /** The last batch in the table. */
  private def last(session: SparkSession, query: String): Option[Long] = {
    val kept = LakeTable.at(session, table.name).properties.get(property(query)).map(_.toLong)
    val name = table.name.sql
    // Snapshots of other branches, and rolled-back ones, do not count.
    val snapshots = session.sql(
      s"""SELECT max(CAST(s.summary['$batchKey'] AS BIGINT)) FROM $name.snapshots s JOIN $name.history h
         |ON s.snapshot_id = h.snapshot_id WHERE h.is_current_ancestor AND s.summary['$queryKey'] = '$query'""".stripMargin
    ).head()
    (kept ++ Option.when(!snapshots.isNullAt(0))(snapshots.getLong(0))).maxOption
  }
}

private[lake] object IcebergGuard {
  private val setting = "spark.sql.iceberg.snapshot-property."
  private val queryKey = "kafkalyst.query-id"
  private val batchKey = "kafkalyst.batch-id"

  private def property(query: String) = s"kafkalyst.committed.$query"
}
