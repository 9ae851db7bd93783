package io.kafkalyst.catalog

import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.formats.{Format, Formats}
import io.kafkalyst.metadata.RowTime
import io.kafkalyst.model._
import io.kafkalyst.registry.{HttpRegistry, RegistryClient, RegistryConfig}

/** From a statement's properties and declared columns to a whole [[TopicObject]], schemas looked up where needed. */
object ObjectDefinition {
  val defaultKeyFormat = "KAFKA"
  val noFormat = "NONE"

  /**
   * @param properties checked properties by upper-case name
   * @param declared   the columns given; a side without any is looked up where its format has schemas
   * @throws io.kafkalyst.errors.KafkalystException MISSING_PROPERTY, UNKNOWN_FORMAT, SUBJECT_NOT_FOUND, NO_COLUMNS,
   *         TIMESTAMP_COLUMN, or what the formats say of the columns
   */
  def of(
      kind: ObjectKind,
      properties: Map[String, String],
      declared: Seq[TopicColumn],
      registry: () => RegistryClient
  ): TopicObject = {
    val topic = required(properties, Properties.topic)
    val formats = Side.all.map(side => side -> formatName(side, properties)).toMap
    val sides = Side.all.map { side =>
      val format = Formats(formats(side))
      val given = declared.filter(_.isIn(side))
      val inferred = given.isEmpty && format.schemaType.isDefined
      if (inferred) {
        val (columns, id) = fromRegistry(topic, side, format, registry())
        (side, columns, Some(id))
      } else {
        if (given.nonEmpty) format.validate(side, given, SideFormat(formats(side)))
        (side, given, None)
      }
    }
    // Declared columns keep their places; looked-up ones stand keys first, then values, then metadata.
    val columns =
      if (sides.forall { case (side, cs, _) => cs == declared.filter(_.isIn(side)) }) declared
      else sides.flatMap(_._2) ++ declared.filter(_.metadata.isDefined)
    unique(columns)
    keyColumns(properties, columns)
    if (!columns.exists(_.isIn(Side.Value)))
      throw KafkalystException("NO_COLUMNS", "topic" -> topic, "format" -> formats(Side.Value))
    if (kind == ObjectKind.Table && !columns.exists(_.isIn(Side.Key))) throw KafkalystException("TABLE_WITHOUT_KEY")
    def side(s: Side) = SideFormat(formats(s), sides.collectFirst { case (`s`, _, Some(id)) => id })
    val onError = properties.get(Properties.onError.name).flatMap(OnError.of).getOrElse(OnError.Fail)
    val kept = properties.filter { case (name, _) => Properties.kept.exists(_.name == name) }
    val defined = TopicObject(kind, topic, side(Side.Key), side(Side.Value), columns, onError, kept)
    RowTime.of(defined)
    Seq(false, true).foreach(ScanRange.options(defined, _, 1))
    defined
  }

  /** The registry of these settings; NO_REGISTRY where none is set. */
  def registry(settings: Settings): RegistryClient = HttpRegistry(
    settings
      .get(Settings.registryUrl)
      .map(RegistryConfig(_))
      .getOrElse(throw KafkalystException("NO_REGISTRY"))
  )

  /**
   * With each side's columns registered as a schema and its id noted. A subject that exists is left as it is and
   * rows are written with its latest schema.
   *
   * @param always registers a version even where the subject exists, as CREATE … AS SELECT does
   * @param undo   told of each subject that did not exist before
   */
  def registered(o: TopicObject, always: Boolean, registry: () => RegistryClient, undo: String => Unit): TopicObject = {
    def side(s: Side): SideFormat = {
      val format = Formats(o.format(s).format)
      if (format.schemaType.isEmpty || o.format(s).schemaId.isDefined || o.columns(s).isEmpty) o.format(s)
      else {
        val subject = s.subject(o.topic)
        val latest = registry().latest(subject)
        val id = latest.filterNot(_ => always).map(_.id).getOrElse {
          if (latest.isEmpty) undo(subject)
          registry().register(subject, format.schemaOf(o.columns(s), s, o.topic, o.format(s)), format.schemaType.get)
        }
        o.format(s).copy(schemaId = Some(id))
      }
    }
    o.copy(key = side(Side.Key), value = side(Side.Value))
  }

  private def required(properties: Map[String, String], property: Property): String =
    properties.getOrElse(property.name, missing(property))

  private[catalog] def missing(property: Property): Nothing =
    throw KafkalystException("MISSING_PROPERTY", "property" -> property.name, "doc" -> property.doc)

  private def formatName(side: Side, properties: Map[String, String]): String = {
    val given = properties.get(Properties.format.name).orElse(properties.get(Properties.formatOf(side).name))
    val name = side match {
      case Side.Key => given.getOrElse(defaultKeyFormat)
      case Side.Value => given.getOrElse(required(properties, Properties.valueFormat))
    }
    name.toUpperCase(java.util.Locale.ROOT)
  }

  private def fromRegistry(
      topic: String,
      side: Side,
      format: Format,
      registry: RegistryClient
  ): (Seq[TopicColumn], Int) = {
    val subject = side.subject(topic)
    val found = registry.latest(subject).getOrElse {
      throw KafkalystException(
        "SUBJECT_NOT_FOUND",
        "subject" -> subject,
        "topic" -> topic,
        "side" -> side.name,
        "format" -> format.name
      )
    }
    if (!format.schemaType.contains(found.schemaType)) {
      throw KafkalystException(
        "SCHEMA_OF_OTHER_FORMAT",
        "subject" -> subject,
        "found" -> found.schemaType,
        "property" -> Properties.formatOf(side).name,
        "format" -> format.name
      )
    }
    (format.columnsOf(found, side, SideFormat(format.name)), found.id)
  }

  /** A key format that was asked for needs a key; the default one is there for key-less streams too. */
  private def keyColumns(properties: Map[String, String], columns: Seq[TopicColumn]): Unit = {
    val asked = properties.get(Properties.keyFormat.name).orElse(properties.get(Properties.format.name))
    asked.filter(f => !f.equalsIgnoreCase(noFormat) && !columns.exists(_.isIn(Side.Key))).foreach { format =>
      throw KafkalystException("KEY_FORMAT_WITHOUT_KEY", "format" -> format)
    }
  }

  private def unique(columns: Seq[TopicColumn]): Unit =
    columns.groupBy(_.name).collectFirst { case (name, many) if many.size > 1 => name }.foreach { name =>
      throw KafkalystException("DUPLICATE_COLUMN", "column" -> name)
    }
}
