package io.kafkalyst.catalog
package define

import java.util.Locale

import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.formats.Formats
import io.kafkalyst.keys.{CanonicalMaps, PhysicalView}
import io.kafkalyst.metadata.{MetadataColumns, PseudoColumns, RowTime, WindowedKey}
import io.kafkalyst.model._
import io.kafkalyst.model.settings.Settings
import io.kafkalyst.model.flink.FlinkProperties
import io.kafkalyst.registry.{HttpRegistry, RegistryAdmin, SessionRegistry}
import org.apache.spark.sql.catalyst.util.{quoteIfNeeded, UnsafeRowUtils}
import org.apache.spark.sql.types.{ArrayType, DataType, MapType, StructType}

/** Builds a complete [[TopicObject]] from a statement's properties and declared columns; infers schemas if needed. */
object ObjectDefinition {

  /**
   * @param said       checked properties by upper-case name
   * @param declared   the declared columns; a side without any is inferred if its format has schemas
   * @param settings   the session's defaults
   * @param asDeclared whether columns keep their positions; otherwise keys come first, as in ksqlDB, and in its dialect
   *                   headers last
   * @throws io.kafkalyst.errors.KafkalystException MISSING_PROPERTY, NO_VALUE_FORMAT, UNKNOWN_FORMAT,
   *         SUBJECT_NOT_FOUND, NO_COLUMNS, TIMESTAMP_COLUMN, LOCKED_PROPERTY, SECRET_IN_DEFINITION, or the formats'
   *         errors about the columns
   */
  def of(
      kind: ObjectKind,
      said: Map[String, String],
      declared: Seq[TopicColumn],
      settings: Settings,
      registry: () => RegistryAdmin,
      asDeclared: Boolean = false,
      ofQuery: Boolean = false
  ): TopicObject = {
    val properties = EventColumns.withDefaults(said)
    val topic = required(properties, Properties.topic)
    // PARTITION BY ROWOFFSET creates a key column of that name.
    systemNames(if (ofQuery) declared.filterNot(PseudoColumns.isKeyOf) else declared)
    val (given, shapes) =
      if (PhysicalView.is(declared, marked = !ofQuery && !settings.isKsqldb)) PhysicalView.logical(declared)
      else (declared, Map.empty[Side, Boolean])
    if (!ofQuery && !asDeclared && !settings.isKsqldb && PhysicalView.hasStrayKey(declared))
      throw KafkalystException("ROWKEY_WITHOUT_KEY")
    val all = shapes.map { case (side, structured) =>
      Properties.wrappingOf(side)._2.name -> (if (structured) "STRUCTURED" else "PLAIN")
    } ++ KeyColumns.shaped(properties, given, settings)
    val sides = Side.all.map { side =>
      side -> sideOf(
        side,
        SideFormats.of(side, all, settings),
        topic,
        given,
        all,
        settings,
        registry,
        isInferred = !ofQuery
      )
    }.toMap
    val (found, around) = (Side.all.flatMap(sides(_)._2), given.filter(_.metadata.isDefined))
    val isWhole = found.size + around.size == given.size
    val columns =
      if (asDeclared && isWhole) given
      else {
        val (keys, values) = found.partition(_.isIn(Side.Key))
        val others = if (isWhole) given.filterNot(_.isIn(Side.Key)) else values ++ around
        val (headers, inPlace) = others.partition(c => settings.isKsqldb && MetadataColumns.isHeader(c))
        keys ++ windowBounds(properties, keys) ++ inPlace ++ headers
      }
    unique(columns)
    val (key, value) = (sides(Side.Key)._1, EventColumns.shaped(kind, sides(Side.Value)._1))
    if (!settings.isKsqldb) keyColumns(properties, columns)
    if (settings.isKsqldb) likeKsqldb(columns, ofQuery)
    KeyColumns.check(properties, columns)
    if (value.format == SideFormat.none) throw KafkalystException("VALUE_FORMAT_NONE")
    if (!columns.exists(_.isIn(Side.Value)) && !TopicObject.valueHasKey(properties)) {
      val isBare = kind == ObjectKind.Stream || Formats(value.format).emptyValue.isDefined
      // Flink's tables may consist of metadata columns only.
      val hasOther = columns.exists(c => c.isIn(Side.Key) || asDeclared && c.metadata.isDefined)
      val keys = columns.filter(_.isIn(Side.Key)).map(_.sqlName)
      if (ofQuery && keys.nonEmpty)
        throw KafkalystException("RESULT_WITHOUT_VALUE", "keys" -> keys.mkString(", "), "key" -> keys.head)
      if (ofQuery || !isBare || !hasOther)
        throw KafkalystException("NO_COLUMNS", "topic" -> topic, "format" -> value.format)
    }
    if (kind == ObjectKind.Table && !columns.exists(_.isIn(Side.Key))) throw KafkalystException("TABLE_WITHOUT_KEY")
    if (kind == ObjectKind.Table) binaryKeys(columns.filter(_.isIn(Side.Key)))
    val onError = properties.get(Properties.onError.name).flatMap(OnError.of).getOrElse(OnError.Fail)
    val deadLetters = properties.get(Properties.deadLetterTopic.name)
    val kept = properties.filter { case (name, value) =>
      Properties.isKept(name) && !FlinkProperties.defaults.get(name).exists(_.equalsIgnoreCase(value)) &&
      !(name == FlinkProperties.keyFields.name && KeyColumns.isOrdered(value, columns))
    }
    val named = EventColumns.checked(columns, value)
    sinkProperties(kind, kept, named)
    val whole = TopicObject(kind, topic, key, value, EventColumns.withRescued(named, kept), onError, deadLetters, kept)
    val defined = if (settings.isKsqldb && settings.foldsNames) RowTime.asInKsqldb(whole) else whole
    settings.allowClients(defined.clients)
    SchemaTexts.check(defined)
    checkDeadLetters(defined)
    schemaEvolution(defined)
    RowTime.of(defined)
    ScanRange.check(defined)
    kept.get(Properties.history.name).foreach { table =>
      if (kind != ObjectKind.Stream || !defined.isOne) {
        throw Properties.history.invalid(table, "only a stream of a single topic has a history")
      }
    }
    defined
  }

  /** A table's rows are told apart by the bytes of their keys, so equal keys must have equal bytes. */
  private def binaryKeys(keys: Seq[TopicColumn]): Unit =
    keys.find(key => !UnsafeRowUtils.isBinaryStable(key.dataType)).foreach { key =>
      throw KafkalystException("TABLE_KEY_COLLATION", "column" -> quoteIfNeeded(key.name), "type" -> key.dataType.sql)
    }

  /** Fills in missing properties from the session's defaults. */
  def withDefaults(properties: Map[String, String], settings: Settings): Map[String, String] = {
    val onError =
      if (properties.contains(Properties.deadLetterTopic.name)) OnError.DeadLetter.name else settings(Settings.onError)
    Map(Properties.onError.name -> onError) ++ properties
  }

  /**
   * A side's format and columns: the declared columns, otherwise those of the registry's schema if the side is
   * inferred.
   */
  private def sideOf(
      side: Side,
      as: SideFormat,
      topic: String,
      declared: Seq[TopicColumn],
      properties: Map[String, String],
      settings: Settings,
      registry: () => RegistryAdmin,
      isInferred: Boolean
  ): (SideFormat, Seq[TopicColumn]) = {
    val format = Formats(as.format)
    val given = declared.filter(_.isIn(side))
    SideSchemas.noColumnsBeside(side, as, given)
    if (ValueTypes.has(as)) ValueTypes.found(topic, format, as, given, registry())
    else if (isInferred && given.isEmpty && format.schemaType.isDefined) {
      val (found, id) = SideSchemas.found(topic, side, format, Inference.asked(as, settings), registry())
      val wrapped = SideFormats.wrapped(side, as, found, properties, settings).copy(schemaId = Some(id))
      Inference.check(side, found, Inference.asked(wrapped, settings), properties, registry().byId(id))
      wrapped -> Inference.named(found, wrapped, settings)
    } else {
      val wrapped = SideFormats.wrapped(side, as, given, properties, settings)
      if (given.nonEmpty && !EventColumns.elsewhere(side, as, properties)) format.validate(side, given, wrapped)
      wrapped -> given
    }
  }

  /**
   * The object with what a statement declares about columns beyond their types. NOT NULL columns become required fields
   * of schemas that are derived from the columns.
   */
  def declaring(o: TopicObject, declared: Seq[DeclaredColumn]): TopicObject = {
    val all = o.copy(declared = declared)
    def side(s: Side): SideFormat = {
      val (as, option) = (o.format(s), SideFormat.requiredFields)
      val required = o.columns.filter(c => o.isIn(c, s) && all.isRequired(c)).map(o.named(_, s).name)
      val isOpen = !as.isEvent && !as.options.contains(option) && Formats(as.format).properties.contains(option)
      if (required.isEmpty || !isOpen) as else as.copy(options = as.options + (option -> required.mkString(";")))
    }
    all.copy(key = side(Side.Key), value = side(Side.Value))
  }

  /** The registry in the settings; NO_REGISTRY if none is set. */
  def registry(settings: Settings): RegistryAdmin =
    HttpRegistry(SessionRegistry.of(settings).getOrElse(throw KafkalystException("NO_REGISTRY")))

  /**
   * Registers each side's columns as a schema and stores the schema's id. An existing subject is unchanged, and rows
   * are written with its latest schema.
   *
   * @param always     whether to register a version even if the subject exists, as CREATE … AS SELECT does
   * @param objectName the record name in a new subject of AVRO keys; by default the topic's name
   */
  def registered(
      o: TopicObject,
      always: Boolean,
      registry: () => RegistryAdmin,
      listener: RegistrationListener,
      objectName: Option[String] = None
  ): TopicObject = {
    val named = objectName.getOrElse(o.topic)
    def side(s: Side): SideFormat = SideSchemas.registered(o, s, named, always, registry, listener)
    o.copy(key = side(Side.Key), value = side(Side.Value))
  }

  private def required(properties: Map[String, String], property: Property): String =
    properties.getOrElse(property.name, throw property.missing)

  private def checkDeadLetters(o: TopicObject): Unit = {
    o.deadLetterTopic.filter(_ => o.onError != OnError.DeadLetter).foreach { given =>
      throw Properties.deadLetterTopic.invalid(given, s"it goes with ON_ERROR='${OnError.DeadLetter.name}' only")
    }
    DeadLetters.elsewhere(o)
  }

  private def sinkProperties(kind: ObjectKind, given: Map[String, String], columns: Seq[TopicColumn]): Unit =
    SinkProperties.fault(kind, given, columns.exists(_.isIn(Side.Key))).foreach { case (property, reason) =>
      throw property.invalid(given(property.name), reason)
    }

  private[define] def schemaEvolution(o: TopicObject): Unit = {
    val (isClosed, isAdding) = (Properties.isClosed(o), Properties.isAdding(o))
    val wrong =
      if (!isClosed && !isAdding && !Properties.isRescuing(o.options)) None
      else if (ValueTypes.has(o.value)) Some("VALUE_TYPES say which records there are")
      else if (!EventColumns.tellsNewFields(o.value))
        Some(s"a record of ${o.value.format} does not say which fields it has")
      else if (isAdding) Growth.fault(o)
      else if (isClosed) o.columns.find(PseudoColumns.isRescued).map(c => s"the column ${c.name} has the new fields")
      else None
    wrong.foreach(reason =>
      throw Properties.schemaEvolution.invalid(o.options(Properties.schemaEvolution.name), reason)
    )
  }

  /**
   * KEY_FORMAT requires a key. FORMAT does not; nor does KEY_FORMAT in ksqlDB, where derived objects inherit it for
   * their keys, except with PARTITION BY NULL.
   *
   * @throws io.kafkalyst.errors.KafkalystException KEY_FORMAT_WITHOUT_KEY
   */
  private[kafkalyst] def keyColumns(properties: Map[String, String], columns: Seq[TopicColumn]): Unit =
    properties.get(Properties.keyFormat.name).filterNot(_.trim.equalsIgnoreCase(SideFormat.none)).foreach { format =>
      if (!columns.exists(_.isIn(Side.Key)))
        throw KafkalystException("KEY_FORMAT_WITHOUT_KEY", "format" -> format.trim.toUpperCase(Locale.ROOT))
    }

  /** WINDOWSTART and WINDOWEND for keys that WINDOW_TYPE declares as windowed. */
  private def windowBounds(properties: Map[String, String], keys: Seq[TopicColumn]): Seq[TopicColumn] = {
    val size = properties.get(Properties.windowSize.name).flatMap(Durations.millis)
    val kind = properties.get(Properties.windowType.name)
    val isSession = kind.exists(_.equalsIgnoreCase(WindowedKey.session))
    if (kind.isDefined && size.isEmpty && !isSession) throw Properties.windowSize.missing
    if (size.isDefined && (kind.isEmpty || isSession)) throw Properties.windowSize.invalid(
      properties(Properties.windowSize.name),
      s"only ${Properties.windowType.name} TUMBLING and HOPPING have a size"
    )
    if (kind.isDefined && keys.isEmpty) throw KafkalystException("WINDOWED_WITHOUT_KEY", "type" -> kind.get)
    if (kind.isEmpty) Nil else WindowedKey.columns(size)
  }

  /** A system column's name may only be declared for the system column itself. */
  private[catalog] def systemNames(columns: Seq[TopicColumn]): Unit =
    columns.find(c => PseudoColumns.isReserved(c)).foreach { column =>
      throw KafkalystException(
        "SYSTEM_COLUMN_NAME",
        "column" -> column.name,
        "names" -> PseudoColumns.reserved.mkString(", ")
      )
    }

  /**
   * @param eitherSide whether a name must not be in both the key and the value
   * @throws io.kafkalyst.errors.KafkalystException DUPLICATE_COLUMN
   */
  private[kafkalyst] def unique(columns: Seq[TopicColumn], eitherSide: Boolean = false): Unit = {
    if (eitherSide) onceEach("", columns.map(_.name))(identity)
    else onceEach("", columns.map(c => (c.name, c.side)))(_._1)
    columns.foreach(c => uniqueFields(c.name, c.dataType))
  }

  /**
   * In ksqlDB, a name is in either the key or the value, and keys contain no MAP. A query's names were checked with its
   * sources.
   */
  private def likeKsqldb(columns: Seq[TopicColumn], ofQuery: Boolean): Unit = {
    if (!ofQuery) unique(columns, eitherSide = true)
    columns.find(c => c.isIn(Side.Key) && CanonicalMaps.holdsMap(c.dataType)).foreach { column =>
      throw KafkalystException("NOT_IN_KSQLDB", "what" -> s"a MAP in a key, as in the column ${column.name}")
    }
  }

  private def uniqueFields(path: String, dataType: DataType): Unit = dataType match {
    case s: StructType =>
      onceEach(s"$path->", s.fieldNames.toSeq)(identity)
      s.foreach(f => uniqueFields(s"$path->${f.name}", f.dataType))
    case a: ArrayType => uniqueFields(path, a.elementType)
    case m: MapType => Seq(m.keyType, m.valueType).foreach(uniqueFields(path, _))
    case _ =>
  }

  private def onceEach[T](path: String, all: Seq[T])(name: T => String): Unit =
    all.diff(all.distinct).headOption.foreach { twice =>
      throw KafkalystException("DUPLICATE_COLUMN", "column" -> (path + name(twice)))
    }
}
