package io.kafkalyst.lake

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import com.fasterxml.jackson.databind.node.ObjectNode
import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.model.{Properties, TopicObject}
import io.kafkalyst.model.flink.OffsetsText
import io.kafkalyst.query.SinkName
import org.apache.spark.sql.{Row, SparkSession}

import scala.annotation.tailrec
import scala.jdk.CollectionConverters._
import scala.util.Try

/**
 * Up to where a table has a topic's records. The query that writes them keeps it with each commit to the table.
 *
 * @param topic   its name
 * @param id      its id, which differs from that of a later topic of the same name; None if the brokers have no ids
 * @param offsets per partition, the first offset that the table does not have
 * @param columns the table's columns, by the internal name of the topic's column that they hold
 */
private[lake] final case class Border(
    topic: String,
    id: Option[String],
    offsets: Map[Int, Long],
    columns: Map[String, String]
) {

  /** As JSON, the only form that is kept. */
  def json: String = {
    val node = Border.mapper.createObjectNode().put(Border.topicKey, topic)
    id.foreach(node.put(Border.idKey, _))
    def all(name: String, of: Iterable[(String, ObjectNode => Any)]) = {
      val child = node.putObject(name)
      of.toSeq.sortBy(_._1).foreach(_._2(child))
    }
    all("offsets", offsets.map { case (p, offset) => p.toString -> ((n: ObjectNode) => n.put(p.toString, offset)) })
    all("columns", columns.map { case (of, name) => of -> ((n: ObjectNode) => n.put(of, name)) })
    Border.mapper.writeValueAsString(node)
  }

  /** The object, read from here on. */
  def begun(topic: TopicObject): TopicObject = topic.copy(options =
    topic.options +
      (Properties.startMode.name -> "specific-offsets") + (Properties.startOffsets.name -> OffsetsText.of(offsets))
  )
}

private[lake] object Border {

  /** The property of a table, or of its snapshots, that keeps it. */
  val property = "kafkalyst.history"

  private val topicKey = "kafkalyst.topic"
  private val idKey = "id"
  private val mapper = new ObjectMapper()
  private val newest = 20

  /** None if the text is not a border, such as users' own metadata of a commit. */
  def of(json: String): Option[Border] =
    Option(json).flatMap(text => Try(mapper.readTree(text)).toOption).filter(n => n != null && n.has(topicKey)).map {
      node =>
        def all(name: String): Map[String, JsonNode] =
          node.path(name).fields.asScala.map(field => field.getKey -> field.getValue).toMap
        Border(
          node.get(topicKey).asText,
          Option(node.get(idKey)).map(_.asText),
          all("offsets").map { case (partition, offset) => partition.toInt -> offset.asLong },
          all("columns").map { case (of, name) => of -> name.asText }
        )
    }

  /** The border that a table's current state has; reads no data, only what the table keeps of its commits. */
  def at(session: SparkSession, table: LakeTable): Option[Border] = table.provider match {
    case "iceberg" => ofIceberg(session, table)
    case "delta" => ofDelta(session, table)
    case _ => None
  }

  /**
   * @throws io.kafkalyst.errors.KafkalystException HISTORY_TABLE for formats whose commits keep nothing
   */
  def require(table: SinkName.OfTable, provider: String, of: String): Unit =
    if (!Seq("iceberg", "delta").contains(provider))
      throw unusable(table, of, s"it is of the format \"$provider\", and only Delta and Iceberg keep offsets")

  def unusable(table: SinkName.OfTable, of: String, reason: String): KafkalystException =
    KafkalystException("HISTORY_TABLE", "object" -> of, "table" -> table.toString, "reason" -> reason)

  /** That of the newest snapshot, or, once that is expired, the table's property, which is at most one batch older. */
  private def ofIceberg(session: SparkSession, table: LakeTable): Option[Border] = {
    val name = table.name.sql
    val kept = session.sql(
      s"""SELECT s.summary['$property'] FROM $name.snapshots s JOIN $name.history h ON s.snapshot_id = h.snapshot_id
         |WHERE h.is_current_ancestor AND s.summary['$property'] IS NOT NULL
         |ORDER BY h.made_current_at DESC LIMIT 1""".stripMargin
    ).collect().headOption.map(_.getString(0))
    kept.orElse(table.properties.get(property)).flatMap(of)
  }

  private def ofDelta(session: SparkSession, table: LakeTable): Option[Border] = {
    def commits(limit: String) = session.sql(s"DESCRIBE HISTORY ${table.name.sql}$limit").collect().toSeq
    restored(commits(s" LIMIT $newest")).orElse(restored(commits("")))
  }

  /** From the newest commit back; a RESTORE goes on at the version that it restored. */
  @tailrec private def restored(commits: Seq[Row]): Option[Border] = commits match {
    case Nil => None
    case commit +: older =>
      val before = commit.getAs[scala.collection.Map[String, String]]("operationParameters")
      val version = Option.when(commit.getAs[String]("operation") == "RESTORE")(before.get("version")).flatten
      val kept = of(commit.getAs[String]("userMetadata"))
      if (kept.isDefined) kept
      else restored(version.flatMap(_.toLongOption).fold(older)(v => older.filter(_.getAs[Long]("version") <= v)))
  }
}
