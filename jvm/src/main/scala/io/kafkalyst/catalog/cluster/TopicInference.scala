package io.kafkalyst.catalog.cluster

import io.kafkalyst.catalog.define.{ObjectDefinition, SideFormats}
import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.formats.{Formats, Wrapping}
import io.kafkalyst.model._
import io.kafkalyst.model.flink.FlinkProperties
import io.kafkalyst.model.settings.Settings
import io.kafkalyst.registry.{RegisteredSchema, RegistryAdmin, Subjects}
import org.apache.spark.sql.types.BinaryType

/**
 * Infers the object for a topic without a definition: its columns come from its subjects; a side without one is bytes.
 */
private[kafkalyst] object TopicInference {

  /**
   * @param isCompacted whether the topic is compacted, which makes it a TABLE
   * @param registry    None if the catalog has none
   * @param said        the statement's properties, by upper-case names; they override those inferred from the schemas
   * @param isSubject   whether the registry may have a subject: it is asked only about these
   * @throws io.kafkalyst.errors.KafkalystException SUBJECT_TYPE for a schema type that no format reads, or the
   *         registry's or the format's error
   */
  def of(
      topic: String,
      isCompacted: Boolean,
      settings: Settings,
      registry: Option[RegistryAdmin],
      said: Map[String, String],
      isSubject: String => Boolean = _ => true
  ): TopicObject = {
    def options(side: Side) = Properties.sideOptions.collect {
      case (`side`, option, property) if said.contains(property.name) => option -> said(property.name)
    }.toMap
    val schemas = Side.all.flatMap { side =>
      val subject = SideFormat(SideFormat.bytes, None, options(side) - SideFormat.schemaFullName)
      val found =
        Some(Subjects.of(side, topic, subject, None)).filter(isSubject).flatMap(s => registry.flatMap(_.latest(s)))
      found.filter(s => SideFormats.asked(side, said).forall(Formats(_).schemaType.contains(s.schemaType)))
        .map(side -> _)
    }.toMap
    val inferred =
      Side.all.flatMap(side => schemas.get(side).fold(plain(side))(formatted(topic, side, _, options(side))))
    val properties = if (said.contains(Properties.format.name)) inferred.filterNot(isFormat) else inferred
    val columns = Side.all.filterNot(schemas.contains).map(side => TopicColumn(nameOf(side), BinaryType, side))
    val o = ObjectDefinition.of(
      if (isCompacted) ObjectKind.Table else ObjectKind.Stream,
      ObjectDefinition.withDefaults(
        Map(Properties.topic.name -> topic) ++ properties ++ said - FlinkProperties.keyFields.name,
        settings
      ),
      columns,
      settings,
      () => registry.getOrElse(ObjectDefinition.registry(settings))
    )
    schemas.foldLeft(o) { case (described, (side, schema)) =>
      val docs = Formats(o.format(side).format).docs(schema)
      described.commented(c => if (c.isIn(side)) docs.get(c.name) else None)
    }
  }

  /** The sides of which only the bytes are known. */
  def unknownSides(o: TopicObject): Seq[Side] = Side.all.filter { side =>
    o.columns(side) == Seq(TopicColumn(nameOf(side), BinaryType, side)) && o.format(side).format == SideFormat.bytes
  }

  private def nameOf(side: Side) = side match {
    case Side.Key => "ROWKEY"
    case Side.Value => "ROWVAL"
  }

  private def plain(side: Side) = Seq(Properties.formatOf(side).name -> SideFormat.bytes)

  private def isFormat(property: (String, String)) = Side.all.exists(Properties.formatOf(_).name == property._1)

  private def formatted(
      topic: String,
      side: Side,
      schema: RegisteredSchema,
      options: Map[String, String]
  ): Seq[(String, String)] = {
    val name = Formats.names.find(n => Formats(n).schemaType.contains(schema.schemaType) && Formats.events(n).isEmpty)
      .getOrElse(throw KafkalystException(
        "SUBJECT_TYPE",
        "subject" -> schema.subject,
        "type" -> schema.schemaType,
        "side" -> side.name,
        "topic" -> topic
      ))
    def columns(wrap: Boolean) =
      Formats(name).columnsOf(schema, side, SideFormat(name, None, options + (SideFormat.wrapSingle -> wrap.toString)))
    // A schema that is not a record gives the same column with and without wrapping.
    val isBare = Formats(name).wrapping == Wrapping.Either && columns(wrap = true) == columns(wrap = false)
    val shape = side match {
      case Side.Key if !isBare => Seq(Properties.keyColumns.name -> "FLATTEN")
      case Side.Value if isBare => Seq(Properties.wrapValue.name -> "false")
      case _ => Nil
    }
    (Properties.formatOf(side).name -> name) +: shape
  }
}
