package io.kafkalyst.lake

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import com.fasterxml.jackson.databind.node.ObjectNode
import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.model.{Properties, TopicObject}
import io.kafkalyst.model.flink.OffsetsText
import io.kafkalyst.query.SinkName
import org.apache.spark.sql.{Row, SparkSession}
import org.apache.spark.sql.catalyst.expressions.{Cast, EvalMode, Literal}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.TimestampType

import scala.annotation.tailrec
import scala.jdk.CollectionConverters._
import scala.util.Try

/**
 * The offsets up to which a table has a topic's records. The query that writes the records stores it with each commit
 * to the table.
 *
 * @param topic   the topic's name
 * @param id      the topic's id, which differs from that of a later topic of the same name; None if the brokers have no
 *                ids
 * @param offsets per partition, the first offset that the table does not have
 * @param columns the table's columns, by the internal name of the topic's column that they store
 * @param known   the internal names of all columns that the object had; None in borders of earlier versions
 */
private[lake] final case class Border(
    topic: String,
    id: Option[String],
    offsets: Map[Int, Long],
    columns: Map[String, String],
    known: Option[Set[String]]
) {

  /** As JSON, the form in which it is stored. */
  def json: String = {
    val node = Border.mapper.createObjectNode().put(Border.topicKey, topic)
    id.foreach(node.put(Border.idKey, _))
    def all(name: String, of: Iterable[(String, ObjectNode => Any)]) = {
      val child = node.putObject(name)
      of.toSeq.sortBy(_._1).foreach(_._2(child))
    }
    all("offsets", offsets.map { case (p, offset) => p.toString -> ((n: ObjectNode) => n.put(p.toString, offset)) })
    all("columns", columns.map { case (of, name) => of -> ((n: ObjectNode) => n.put(of, name)) })
    known.foreach(names => names.toSeq.sorted.foldLeft(node.putArray(Border.knownKey))(_.add(_)))
    Border.mapper.writeValueAsString(node)
  }

  /** The object, read from these offsets on. */
  def begun(topic: TopicObject): TopicObject = topic.copy(options =
    topic.options +
      (Properties.startMode.name -> "specific-offsets") + (Properties.startOffsets.name -> OffsetsText.of(offsets))
  )
}

private[lake] object Border {

  /** The property of a table, or of its snapshots, that stores the border. */
  val property = "kafkalyst.history"

  /** The table property that identifies the snapshot with the border: its id and time. */
  val snapshot = "kafkalyst.history.snapshot"

  private val topicKey = "kafkalyst.topic"
  private val idKey = "id"
  private val knownKey = "known"
  private val mapper = new ObjectMapper()
  private val newest = 20

  /** None if the text is not a border, for example a user's own commit metadata. */
  def of(json: String): Option[Border] =
    for {
      text <- Option(json)
      node <- Try(mapper.readTree(text)).toOption if node != null && node.has(topicKey)
      offsets <-
        Try(fields(node, "offsets").map { case (partition, offset) => partition.toInt -> offset.asLong }).toOption
    } yield Border(
      node.get(topicKey).asText,
      Option(node.get(idKey)).map(_.asText),
      offsets,
      fields(node, "columns").map { case (of, name) => of -> name.asText },
      Option(node.get(knownKey)).map(_.elements.asScala.map(_.asText).toSet)
    )

  private def fields(node: JsonNode, name: String): Map[String, JsonNode] =
    node.path(name).fields.asScala.map(field => field.getKey -> field.getValue).toMap

  /** The border of a table's current state; reads no data, only the table's commit history. */
  def at(session: SparkSession, table: LakeTable): Option[Border] = table.provider match {
    case "iceberg" => ofIceberg(session, table)
    case "delta" => ofDelta(session, table)
    case _ => None
  }

  /**
   * @throws io.kafkalyst.errors.KafkalystException HISTORY_TABLE for formats whose commits store no metadata
   */
  def require(table: SinkName.OfTable, provider: String, of: String): Unit =
    if (!Seq("iceberg", "delta").contains(provider))
      throw unusable(table, of, s"it is of the format \"$provider\", and only Delta and Iceberg keep offsets")

  def unusable(table: SinkName.OfTable, of: String, reason: String): KafkalystException =
    KafkalystException("HISTORY_TABLE", "object" -> of, "table" -> table.toString, "reason" -> reason)

  /** Whether the table had a border in an earlier state. */
  def wasThere(session: SparkSession, table: LakeTable): Boolean = table.provider match {
    case "iceberg" => table.properties.contains(property) || !session.sql(
        s"SELECT 1 FROM ${table.name.sql}.snapshots WHERE summary['$property'] IS NOT NULL"
      ).isEmpty
    case _ => commits(session, table).exists(commit => of(commit.getAs[String]("userMetadata")).isDefined)
  }

  /** The border of the newest snapshot; if that has expired, the table's property, which is at most one batch older. */
  private def ofIceberg(session: SparkSession, table: LakeTable): Option[Border] = {
    val kept = session.sql(
      s"""SELECT s.summary['$property'] FROM ${snapshots(table)}
         |WHERE h.is_current_ancestor AND s.summary['$property'] IS NOT NULL
         |ORDER BY h.made_current_at DESC LIMIT 1""".stripMargin
    ).collect().headOption.map(_.getString(0))
    kept.orElse(table.properties.get(property).filter(_ => isExpired(session, table))).flatMap(of)
  }

  private def snapshots(table: LakeTable) =
    s"${table.name.sql}.snapshots s LEFT JOIN ${table.name.sql}.history h ON s.snapshot_id = h.snapshot_id"

  /** The value of [[snapshot]] for the snapshot with these properties, if the table's current state includes it. */
  def snapshotWith(session: SparkSession, table: LakeTable, properties: Seq[(String, String)]): Option[String] = {
    val marks = properties.map { case (key, value) => s"s.summary['$key'] = ${Literal(value).sql}" }
    session.sql(
      s"SELECT s.snapshot_id, unix_millis(s.committed_at) FROM ${snapshots(table)} " +
        s"WHERE ${("h.is_current_ancestor" +: marks).mkString(" AND ")}"
    ).collect().headOption.map(row => s"${row.getLong(0)}@${row.getLong(1)}")
  }

  /**
   * Whether the property's snapshot was part of the current state and has expired. An expired snapshot is gone, but so
   * may be one that was rolled back. It has expired if the oldest remaining snapshot of the current state is younger
   * than it and has a parent. Tables of older versions do not store the snapshot; others may write the property.
   */
  private[lake] def isExpired(session: SparkSession, table: LakeTable): Boolean =
    table.properties.get(snapshot).map(_.split("@").map(_.toLongOption)).forall {
      case Array(Some(id), Some(time)) => session.sql(
          s"""SELECT first.parent_id IS NOT NULL AND first.committed_at > timestamp_millis($time) AND gone FROM
           |  (SELECT min(struct(s.committed_at, s.parent_id)) FILTER (WHERE h.is_current_ancestor) AS first,
           |     count_if(s.snapshot_id = $id) = 0 AS gone FROM ${snapshots(table)})""".stripMargin
        ).collect().exists(row => !row.isNullAt(0) && row.getBoolean(0))
      case _ => false
    }

  private def ofDelta(session: SparkSession, table: LakeTable): Option[Border] = {
    restored(commits(session, table, s" LIMIT $newest")).orElse(restored(commits(session, table)))
  }

  private def commits(session: SparkSession, table: LakeTable, limit: String = "") =
    session.sql(s"DESCRIBE HISTORY ${table.name.sql}$limit")
      .selectExpr("version", "operation", "operationParameters", "userMetadata", "unix_micros(timestamp) AS micros")
      .collect().toSeq

  /** Searches from the newest commit back to the table's creation; at a RESTORE, continues at the restored version. */
  @tailrec private def restored(commits: Seq[Row]): Option[Border] = commits match {
    case Nil => None
    case commit +: older =>
      val operation = commit.getAs[String]("operation")
      val kept = of(commit.getAs[String]("userMetadata"))
      if (kept.isDefined || operation.startsWith("CREATE") || operation.startsWith("REPLACE")) kept
      else
        restored(
          if (operation != "RESTORE") older
          else {
            val to = commit.getAs[scala.collection.Map[String, String]]("operationParameters")
            def until(bound: Option[Long], column: String, all: Seq[Row]) =
              bound.fold(all)(most => all.filter(_.getAs[Long](column) <= most))
            def given(name: String) = to.get(name).flatMap(Option(_))
            val version = given("version").flatMap(_.toLongOption)
            until(given("timestamp").flatMap(micros), "micros", until(version, "version", older))
          }
        )
  }

  /** A time as Delta parses it; None if the text is not a time. */
  private def micros(text: String): Option[Long] =
    Option(Cast(Literal(text), TimestampType, Some(SQLConf.get.sessionLocalTimeZone), EvalMode.TRY).eval())
      .map(_.asInstanceOf[Long])
}
