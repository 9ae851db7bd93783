package io.kafkalyst.catalog.cluster

import java.util.Locale

import io.kafkalyst.catalog.ObjectCodec
import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.model.TopicObject
import org.apache.spark.sql.types.StructType

import scala.jdk.CollectionConverters._
import scala.util.Try

/**
 * An object as a record in the catalog's topic: its key is `{"kind":"object","name":…}`, its value
 * `{"version":1,"properties":{…}}` with the properties of a catalog entry, including the columns.
 *
 * @param properties by lower-case names
 * @param fault      why the record cannot be used; `properties` is then empty
 * @param isBroken   whether no release can use the record, so that it may be dropped
 */
private[cluster] final case class Definition(
    properties: Map[String, String],
    fault: Option[String] = None,
    isBroken: Boolean = false
) {

  /** Throws CATALOG_TOPIC_RECORD if the record has a newer version or was not written by Kafkalyst. */
  def require(): Unit = fault.foreach(reason => throw KafkalystException("CATALOG_TOPIC_RECORD", "reason" -> reason))

  lazy val topic: TopicObject = {
    require()
    Definition.decoded(properties)
  }

  /**
   * What statements said, by upper-case names, of an object whose columns nobody has written: these are always those of
   * the topic's schemas. None for any other object.
   */
  def said: Option[Map[String, String]] = properties.get(Definition.inferredKey).flatMap { json =>
    // Others may write the record: what is no object of texts says nothing.
    Try(CatalogRecord.mapper.readTree(json).properties.asScala.map(e => e.getKey -> e.getValue.asText).toMap).toOption
  }

  /** The definition without some properties. */
  def without(names: Seq[String]): Definition = {
    val left = said.map(_.filterNot { case (name, _) => names.exists(_.equalsIgnoreCase(name)) })
    Definition(properties -- names ++ left.map(Definition.told))
  }

  def json: String = {
    val root = CatalogRecord.mapper.createObjectNode().put("version", Definition.version)
    val all = root.putObject("properties")
    properties.toSeq.sorted.foreach { case (name, value) => all.put(name, value) }
    CatalogRecord.mapper.writeValueAsString(root)
  }
}

private[cluster] object Definition {

  /** The version of the records written here. */
  val version = 1
  val Key = new CatalogRecord.Key("object", "name")
  private val inferredKey = "kafkalyst.inferred"

  /** @param more properties in addition to the definition's, which override them */
  def made(topic: TopicObject, more: Map[String, String]): Definition =
    Definition(more ++ ObjectCodec.encodeWithSchema(topic).map { case (k, v) => k.toLowerCase(Locale.ROOT) -> v })

  /** The definition of an object whose columns nobody has written; `topic` has those of now. */
  def inferred(topic: TopicObject, said: Map[String, String], more: Map[String, String]): Definition =
    made(topic, more + told(said))

  /** The properties without the mark of [[Definition.said]]. */
  def declared(properties: Map[String, String]): Map[String, String] = properties - inferredKey

  private def told(said: Map[String, String]): (String, String) =
    inferredKey -> CatalogRecord.mapper.writeValueAsString(said.asJava)

  /** Parses a record's value; the definition has a fault if the value is invalid. `place` is for messages. */
  def of(value: Array[Byte], place: String): Definition = {
    def unusable(reason: String, isBroken: Boolean) = Definition(Map.empty, Some(s"$place: $reason"), isBroken)
    def broken(reason: String) = unusable(s"$reason; DROP removes it", isBroken = true)
    CatalogRecord.value(value, version, "definition").fold(
      unusable(_, isBroken = false),
      { json =>
        val properties = json.path("properties").properties.asScala.map(e => e.getKey -> e.getValue.asText).toMap
        if (!ObjectCodec.isWhole(properties) || !ObjectCodec.hasSchema(properties))
          broken("its value is not a whole definition")
        else
          // An unreadable record must not prevent the use of the others.
          try { decoded(properties); Definition(properties) }
          catch { case e: KafkalystException => broken(e.getMessageParameters.get("reason")) }
      }
    )
  }

  private def decoded(properties: Map[String, String]): TopicObject =
    ObjectCodec.decode(ObjectCodec.schemaIn(properties).getOrElse(new StructType), properties)
}
