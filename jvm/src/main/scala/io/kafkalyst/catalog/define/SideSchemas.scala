package io.kafkalyst.catalog
package define

import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.formats.{Format, Formats}
import io.kafkalyst.model._
import io.kafkalyst.model.settings.Settings
import io.kafkalyst.registry.{RegisteredSchema, RegistryAdmin, RegistryClient, SchemaIds, Subjects}

/** The registry schema of one side of an object: looked up by subject or id, compared, registered. */
private[kafkalyst] object SideSchemas {

  /**
   * A side's schema options from the properties.
   *
   * @throws io.kafkalyst.errors.KafkalystException SCHEMA_ID_WITHOUT_FORMAT, PROPERTY_NEEDS_SCHEMAS if the format has
   *         no schemas
   */
  def options(side: Side, format: Format, properties: Map[String, String]): Map[String, String] = {
    val id = RegistryProperties.schemaId(side).name
    val explicit = Seq(Properties.format, Properties.formatOf(side)).exists(p => properties.contains(p.name))
    if (properties.contains(id) && !explicit) {
      throw KafkalystException(
        "SCHEMA_ID_WITHOUT_FORMAT",
        "property" -> id,
        "format_property" -> Properties.formatOf(side).name
      )
    }
    if (format.schemaType.isDefined) {
      RegistryProperties.of(side, properties)
    } else {
      RegistryProperties.given(side, properties).foreach(needsSchemas(_, side, format))
      Map.empty
    }
  }

  /**
   * The inferred columns of a side without declared columns, and the id of their schema: the given schema, otherwise
   * the latest under the side's subject.
   *
   * @param as the side's format with its [[options]]
   */
  def found(
      topic: String,
      side: Side,
      format: Format,
      as: SideFormat,
      registry: RegistryClient
  ): (Seq[TopicColumn], Int) = {
    val schema = as.options.get(SideFormat.givenId) match {
      case Some(id) => byId(side, format, id.toInt, registry)
      case None => latest(topic, side, format, as, registry)
    }
    (format.columnsOf(schema, side, as), schema.id)
  }

  /** A schema id determines a side's columns, so none may be declared with it. */
  def noColumnsBeside(side: Side, as: SideFormat, declared: Seq[TopicColumn]): Unit =
    as.options.get(SideFormat.givenId).filter(_ => declared.nonEmpty).foreach { id =>
      throw KafkalystException(
        "SCHEMA_ID_WITH_COLUMNS",
        "property" -> RegistryProperties.schemaId(side).name,
        "id" -> id,
        "side" -> side.name,
        "columns" -> declared.map(_.name).mkString(", ")
      )
    }

  /**
   * The sink of a query with the schema ids from its properties: its columns must be the leading fields of each schema,
   * and its rows are written with that schema.
   *
   * @param settings in ksqlDB's dialect, the columns must be those that CREATE would infer from the id: a key that is
   *                 not PROTOBUF, or a single value without a record, is one column named ROWKEY or ROWVAL
   * @throws io.kafkalyst.errors.KafkalystException SCHEMA_ID_OTHER_COLUMNS with every difference, BARE_VALUE_SCHEMA
   */
  def withIds(
      sink: TopicObject,
      properties: Map[String, String],
      registry: () => RegistryClient,
      settings: Settings
  ): TopicObject = {
    val strict = settings.isKsqldb
    def side(s: Side): SideFormat =
      properties.get(RegistryProperties.schemaId(s).name).map(_.trim).fold(sink.format(s)) {
        id =>
          val format = Formats(sink.format(s).format)
          if (format.schemaType.isEmpty) needsSchemas(RegistryProperties.schemaId(s), s, format)
          val known = byId(s, format, id.toInt, registry())
          val asked = Inference.asked(sink.format(s), settings)
          val described = format.columnsOf(known, s, asked)
          if (strict && s == Side.Value) Inference.check(s, described, asked, properties, Some(known))
          val differences = SchemaIds.differences(sink.columns(s), Inference.typed(described, settings), strict)
          if (differences.nonEmpty) {
            throw KafkalystException(
              "SCHEMA_ID_OTHER_COLUMNS",
              "property" -> RegistryProperties.schemaId(s).name,
              "id" -> id,
              "side" -> s.name,
              "differences" -> differences.mkString("- ", ";\n- ", ".")
            )
          }
          sink.format(s).copy(schemaId = Some(known.id), options = sink.format(s).options + (SideFormat.givenId -> id))
      }
    sink.copy(key = side(Side.Key), value = side(Side.Value))
  }

  /**
   * Warnings for a sink whose schema ids are given: fields that the schema requires, but that the query's columns lack
   * or may be null in.
   */
  def requirements(sink: TopicObject, registry: () => RegistryClient): Seq[String] = for {
    side <- Side.all
    as = sink.format(side)
    id <- as.options.get(SideFormat.givenId).toSeq
    format = Formats(as.format)
    (present, absent) = format.required(byId(side, format, id.toInt, registry()), side, as)
      .partition(field => sink.columns(side).exists(_.name.equalsIgnoreCase(field)))
    (fields, consequence) <- Seq(
      present -> "a row that is NULL there cannot be written",
      absent -> "the query has no such columns, so no row can be written"
    )
    if fields.nonEmpty
  } yield s"the schema of ${RegistryProperties.schemaId(side).name} requires ${fields.mkString(", ")}: $consequence"

  /** Whether each side that needs a schema for writing has one. */
  def settled(o: TopicObject): Boolean = Side.all.forall { side =>
    o.columns(side).isEmpty || o.format(side).isEvent || o.format(side).schemaId.isDefined || Formats(
      o.format(side).format
    ).schemaType.isEmpty ||
    ValueTypes.has(o.format(side))
  }

  /**
   * The object with the schema in which its rows are written as events. CREATE registers no such schema, because the
   * producer of events that are only read registers its own.
   */
  private[catalog] def ofEvents(o: TopicObject, registry: () => RegistryAdmin): TopicObject = {
    val (as, format) = (o.value, Formats(o.value.format))
    if (!as.isEvent || format.schemaType.isEmpty || as.schemaId.isDefined) o
    else
      o.copy(value =
        as.copy(schemaId =
          Some(derived(o, Side.Value, o.topic, format, always = true, registry(), RegistrationListener.Ignore))
        )
      )
  }

  /** One side of [[ObjectDefinition.registered]]. */
  def registered(
      o: TopicObject,
      side: Side,
      objectName: String,
      always: Boolean,
      registry: () => RegistryAdmin,
      listener: RegistrationListener
  ): SideFormat = {
    val as = o.format(side)
    val format = Formats(as.format)
    // The producer of events registers their schema; and with several topics the subject would be ambiguous.
    val isForeign = as.isEvent || (!o.isOne && !as.options.contains(SideFormat.subject))
    if (format.schemaType.isEmpty || o.columns(side).isEmpty || ValueTypes.has(as) || isForeign) as
    else if (as.options.contains(SideFormat.givenId)) {
      if (!says(as, SideFormat.autoRegister, "false")) again(o.topic, side, format, as, registry(), listener)
      as
    } else if (as.schemaId.isDefined) as
    else as.copy(schemaId = Some(derived(o, side, objectName, format, always, registry(), listener)))
  }

  /**
   * Registers the schema with a given id under the side's own subject, too, so that the registry checks later schemas
   * against it.
   */
  private def again(
      topic: String,
      side: Side,
      format: Format,
      as: SideFormat,
      registry: RegistryAdmin,
      listener: RegistrationListener
  ): Unit = {
    val known = byId(side, format, as.schemaId.get, registry)
    val subject = Subjects.of(side, topic, as, Subjects.recordName(known.schemaType, known.schema))
    val id = register(side, subject, registry.latest(subject), format, known, registry, listener)
    if (id != known.id) {
      throw KafkalystException(
        "SCHEMA_ID_DIFFERS",
        "property" -> RegistryProperties.schemaId(side).name,
        "id" -> known.id.toString,
        "subject" -> subject,
        "found" -> id.toString
      )
    }
  }

  /**
   * The schema of the columns as it would be registered; options that the object lacks come from the session's
   * settings.
   */
  private[catalog] def schemaOf(o: TopicObject, side: Side, columns: Seq[TopicColumn]): RegisteredSchema =
    schemaOf(o, side, columns, o.topic, None)

  private def schemaOf(
      o: TopicObject,
      side: Side,
      columns: Seq[TopicColumn],
      objectName: String,
      latest: Option[RegisteredSchema]
  ) = {
    val as = o.format(side)
    val format = Formats(as.format)
    def text = format.schemaOf(columns, side, objectName, toDerive(as, latest))
    RegisteredSchema(0, format.schemaType.get, as.options.getOrElse(SideFormat.schemaText, text))
  }

  /**
   * The side's format with the options that the session gives derived schemas.
   *
   * @param latest the subject's latest version, whose forms are kept
   */
  private[catalog] def toDerive(as: SideFormat, latest: Option[RegisteredSchema]): SideFormat = {
    val (format, settings) = (Formats(as.format), TopicSource.settings())
    val unit =
      if (!format.properties.contains(SideFormat.timestampUnit)) Map.empty[String, String]
      else Map(SideFormat.timestampUnit -> settings.timestampUnit)
    val asked = Inference.asked(as.copy(options = unit ++ as.options), settings)
    latest.filter(known => format.schemaType.contains(known.schemaType)).fold(asked)(format.inFormOf(_, asked))
  }

  /**
   * The schema as the registry accepts it: under the record name of the subject's latest version if another name is not
   * compatible, because Flink and others use their own names.
   */
  private def named(
      o: TopicObject,
      side: Side,
      schema: RegisteredSchema,
      subject: String,
      latest: Option[RegisteredSchema],
      registry: RegistryAdmin
  ): RegisteredSchema = {
    val as = o.format(side)
    def nameOf(s: RegisteredSchema) = Subjects.recordName(s.schemaType, s.schema)
    def isRefused =
      if (side == Side.Key) registry.lookUp(subject, schema).isEmpty else !registry.compatible(subject, schema)
    val isFree = schema.schemaType == "AVRO" && !saysName.exists(as.options.contains)
    latest.filter(_ => isFree).flatMap(nameOf).filter(name => !nameOf(schema).contains(name) && isRefused)
      .fold(schema) { name =>
        val renamed = as.copy(options = as.options + (SideFormat.schemaFullName -> name))
        val changed = if (side == Side.Key) o.copy(key = renamed) else o.copy(value = renamed)
        schemaOf(changed, side, o.columns(side), o.topic, latest)
      }
  }

  private val saysName = Seq(SideFormat.schemaFullName, SideFormat.schemaText)

  /** The id of the schema that rows of these columns are written with. */
  private def derived(
      o: TopicObject,
      side: Side,
      objectName: String,
      format: Format,
      always: Boolean,
      registry: RegistryAdmin,
      listener: RegistrationListener
  ): Int = {
    val as = o.format(side)
    def of(latest: Option[RegisteredSchema]) = schemaOf(o, side, o.columns(side), objectName, latest)
    val first = of(None)
    val subject = Subjects.of(side, o.topic, as, Subjects.recordName(first.schemaType, first.schema))
    val latest = registry.latest(subject)
    latest.foreach(sameKind(side, format, subject, _))
    val schema = if (latest.isEmpty) first else of(latest)
    val auto = !says(as, SideFormat.autoRegister, "false")
    val mayUseLatest = !says(as, SideFormat.useLatest, "false")
    latest match {
      case Some(found) if says(as, SideFormat.useLatest, "true") => found.id
      case Some(found) if auto && mayUseLatest && !always && !as.options.contains(SideFormat.schemaText) => found.id
      case _ if auto =>
        register(side, subject, latest, format, named(o, side, schema, subject, latest, registry), registry, listener)
      case _ =>
        val equal = latest.flatMap(_ => registry.lookUp(subject, schema))
        equal.orElse(latest.filter(_ => mayUseLatest && registry.compatible(subject, schema))).map(_.id).getOrElse {
          throw KafkalystException(
            "SCHEMA_NOT_REGISTERED",
            "subject" -> subject,
            "side" -> side.name,
            "topic" -> o.topic,
            "found" -> latest.fold("the subject does not exist")(l =>
              s"its latest version ${l.version} (schema id ${l.id}) is another one"
            ),
            "schema" -> schema.schema
          )
        }
    }
  }

  private def register(
      side: Side,
      subject: String,
      latest: Option[RegisteredSchema],
      format: Format,
      schema: RegisteredSchema,
      registry: RegistryAdmin,
      listener: RegistrationListener
  ): Int = {
    // A key's bytes contain the schema id, so a new id would send equal keys to other partitions.
    val known = latest.filter(_ => side == Side.Key).map { there =>
      registry.lookUp(subject, schema).orElse(Some(there).filter(format.isSame(_, schema))).getOrElse {
        throw KafkalystException(
          "KEY_SCHEMA_CHANGED",
          "subject" -> subject,
          "id" -> there.id.toString,
          "found" -> there.schema,
          "wanted" -> schema.schema
        )
      }
    }
    known.map(_.id).getOrElse {
      val id = registry.register(subject, schema)
      if (latest.isEmpty) listener.onNewSubject(subject, schema)
      if (side == Side.Key) registry.protect(subject).foreach(listener.onWarning)
      id
    }
  }

  private def byId(side: Side, format: Format, id: Int, registry: RegistryClient): RegisteredSchema = {
    val property = RegistryProperties.schemaId(side).name
    val found = registry.byId(id).getOrElse {
      throw KafkalystException("SCHEMA_ID_NOT_FOUND", "property" -> property, "id" -> id.toString)
    }
    if (!format.schemaType.contains(found.schemaType)) {
      throw KafkalystException(
        "SCHEMA_ID_OF_OTHER_FORMAT",
        "property" -> property,
        "id" -> id.toString,
        "found" -> found.schemaType,
        "fitting" -> formatOf(found),
        "side" -> side.name,
        "format" -> format.name,
        "format_property" -> Properties.formatOf(side).name
      )
    }
    found
  }

  private def latest(
      topic: String,
      side: Side,
      format: Format,
      as: SideFormat,
      registry: RegistryClient
  ): RegisteredSchema = {
    val subject = Subjects.of(side, topic, as, None)
    val found = registry.latest(subject).getOrElse {
      throw KafkalystException(
        "SUBJECT_NOT_FOUND",
        "subject" -> subject,
        "topic" -> topic,
        "side" -> side.name,
        "format" -> format.name
      )
    }
    sameKind(side, format, subject, found)
    found
  }

  /** The format that uses this schema type. */
  private def formatOf(schema: RegisteredSchema): String =
    Formats.names.find(Formats(_).schemaType.contains(schema.schemaType)).getOrElse(schema.schemaType)

  private[catalog] def sameKind(side: Side, format: Format, subject: String, found: RegisteredSchema): Unit =
    if (!format.schemaType.contains(found.schemaType)) {
      throw KafkalystException(
        "SCHEMA_OF_OTHER_FORMAT",
        "subject" -> subject,
        "found" -> found.schemaType,
        "fitting" -> formatOf(found),
        "property" -> Properties.formatOf(side).name,
        "format" -> format.name
      )
    }

  private def needsSchemas(property: Property, side: Side, format: Format): Nothing = throw KafkalystException(
    "PROPERTY_NEEDS_SCHEMAS",
    "property" -> property.name,
    "side" -> side.name,
    "format" -> format.name,
    "format_property" -> Properties.formatOf(side).name,
    "formats" -> Formats.names.filter(n => Formats(n).schemaType.isDefined && Formats.events(n).isEmpty).mkString(", ")
  )

  private def says(as: SideFormat, option: String, value: String): Boolean =
    as.options.get(option).exists(_.equalsIgnoreCase(value))
}
