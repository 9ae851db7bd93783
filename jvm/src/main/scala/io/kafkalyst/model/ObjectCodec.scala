package io.kafkalyst.model

import com.fasterxml.jackson.databind.ObjectMapper
import org.apache.spark.sql.types.{DataType, StructType}

/**
 * A [[TopicObject]] as a catalog entry's properties, so that any metastore keeps it, and back.
 * Law: `decode(o.schema, encode(o)) == o`, also where the metastore drops the columns' metadata.
 */
object ObjectCodec {
  private val kind = "kafkalyst.kind"
  private val keyColumns = "kafkalyst.key.columns"

  /** Name of the policy for bad records; a user may set it by ALTER TABLE and for a read, so it is checked there. */
  val onError = "on_error"
  private val deadLetterTopic = "dead_letter_topic"
  private val schemaOption = "kafkalyst.schema"

  private def idOf(side: Side) = s"kafkalyst.${side.name}.schema.id"
  private def optionPrefix(side: Side) = s"kafkalyst.${side.name}.option."

  def encode(o: TopicObject): Map[String, String] =
    Map(
      kind -> o.kind.name,
      "kafka_topic" -> o.topic,
      onError -> o.onError.name,
      keyColumns -> mapper.writeValueAsString(o.columns(Side.Key).map(_.name).toArray)
    ) ++ o.deadLetterTopic.map(deadLetterTopic -> _) ++ Side.all.flatMap { side =>
      val format = o.format(side)
      Seq(s"${side.name}_format" -> format.format) ++ format.schemaId.map(idOf(side) -> _.toString) ++
        format.options.map { case (k, v) => (optionPrefix(side) + k.toLowerCase) -> v }
    }

  private val mapper = new ObjectMapper()

  /** As [[encode]], with the columns too: for readers and writers that are given options only. */
  def encodeWithSchema(o: TopicObject): Map[String, String] = encode(o) + (schemaOption -> o.schema.json)

  /** The columns that [[encodeWithSchema]] put among the options. */
  def schemaIn(properties: Map[String, String]): Option[StructType] =
    properties.get(schemaOption).map(DataType.fromJson(_).asInstanceOf[StructType])

  /** Whether these properties are a whole definition, as [[encode]] writes it, and not a user's few options. */
  def isWhole(properties: Map[String, String]): Boolean = properties.contains(kind)

  /** @param properties with lower-case names */
  def decode(schema: StructType, properties: Map[String, String]): TopicObject = {
    def format(side: Side) = SideFormat(
      properties(s"${side.name}_format"),
      properties.get(idOf(side)).map(_.toInt),
      properties.collect {
        case (k, v) if k.startsWith(optionPrefix(side)) => k.stripPrefix(optionPrefix(side)).toUpperCase -> v
      }
    )
    val keys = mapper.readValue(properties(keyColumns), classOf[Array[String]])
    TopicObject(
      ObjectKind.of(properties(kind)),
      properties("kafka_topic"),
      format(Side.Key),
      format(Side.Value),
      schema.map { field =>
        TopicColumn(field.name, field.dataType, if (keys.contains(field.name)) Side.Key else Side.Value)
      },
      properties.get(onError).flatMap(OnError.of).getOrElse(OnError.Fail),
      properties.get(deadLetterTopic)
    )
  }
}
