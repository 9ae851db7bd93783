package io.kafkalyst.query

import java.sql.Timestamp
import java.time.Instant

import io.kafkalyst.read.offsets.PartitionOffsets
import org.apache.spark.sql.Row
import org.apache.spark.sql.types._

/** How statements show a query. */
object QueryView {

  /** The columns of SHOW QUERIES. */
  val columns: Seq[(String, DataType)] = Seq(
    "query_id" -> StringType,
    "sink" -> StringType,
    "sources" -> StringType,
    "state" -> StringType,
    "rows" -> LongType,
    "rows_per_second" -> DoubleType,
    "lag" -> LongType,
    "error" -> StringType
  )

  private val point = StructType(Seq(StructField("at", TimestampType), StructField("lag", LongType)))

  /** The additional columns of SHOW QUERIES EXTENDED. */
  val more: Seq[(String, DataType)] = Seq(
    "decoded" -> LongType,
    "bad" -> LongType,
    "dead_lettered" -> LongType,
    "written" -> LongType,
    "lag_by_partition" -> StringType,
    "offsets" -> StringType,
    "restarts" -> IntegerType,
    "next_start" -> TimestampType,
    "checkpoint" -> StringType,
    "statement" -> StringType,
    "owner" -> StringType,
    "owned_since" -> TimestampType,
    "lag_history" -> ArrayType(point),
    "here" -> BooleanType
  )

  def row(query: ContinuousQuery, extended: Boolean): Row = {
    val counts = query.counts
    val total = counts.total
    val basic = Seq(
      query.id,
      query.sink.toString,
      query.sources.mkString(", "),
      query.state,
      total.read,
      counts.rate.map(Double.box).orNull,
      query.lag.map(Long.box).orNull,
      query.error.orNull
    )
    if (!extended) Row.fromSeq(basic)
    else Row.fromSeq(basic ++ Seq(
      total.decoded,
      total.bad,
      total.deadLetters,
      total.written,
      json(query.lags),
      json(counts.offsets),
      query.restarts,
      Option(query.nextStart).map(Timestamp.from).orNull,
      query.checkpoint,
      query.text,
      query.lease.map(_.owner).orNull,
      query.lease.map(l => new Timestamp(l.since)).orNull,
      counts.history.map { case (at, lag) => Row(Timestamp.from(at), lag) },
      query.isHere
    ))
  }

  /** A one-line summary. */
  def summary(query: ContinuousQuery): String = {
    val lags = query.lags
    s"${query.id} (${query.state}): ${query.counts.total}" +
      (if (lags.isEmpty) "" else s", lag ${json(lags)}") + query.error.fold("")(e => s"; $e")
  }

  /** Details as name/value lines. */
  def details(query: ContinuousQuery): Seq[(String, String)] = {
    val counts = query.counts
    Seq(
      "id" -> query.id,
      "statement" -> query.text,
      "state" -> query.state,
      "error" -> query.error.getOrElse(""),
      "restarts" -> (if (query.restarts == 0) "" else query.restarts.toString),
      "next start" -> Option(query.nextStart).fold("")(_.toString),
      "sink" -> query.sink.toString,
      "sources" -> query.sources.mkString(", "),
      "records" -> counts.total.toString,
      "offsets" -> json(counts.offsets),
      "lag" -> json(query.lags),
      "checkpoint" -> query.checkpoint,
      "runs in" -> query.lease.fold("")(l => s"${l.owner} since ${Instant.ofEpochMilli(l.since)}"),
      "state is of" -> query.record.shape.operators.mkString("\n")
    ).filter(l => l._2 != null && l._2.nonEmpty) ++
      query.settings.toSeq.sorted.map { case (name, value) => s"with $name" -> value }
  }

  private def json(offsets: PartitionOffsets.Offsets): String =
    if (offsets.isEmpty) null else PartitionOffsets.json(offsets)
}
