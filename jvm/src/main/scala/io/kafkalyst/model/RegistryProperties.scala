package io.kafkalyst.model

import io.kafkalyst.errors.KafkalystException

/** The properties of a WITH clause that concern schemas in a registry; a part of [[Properties]]. */
object RegistryProperties {
  import PropertyChecks.notBlank

  private def number(text: String): Option[String] =
    if (text.trim.toIntOption.exists(_ >= 0)) None else Some("a schema id is a whole number")

  private def truth(text: String): Option[String] = PropertyChecks.flag(text.trim)

  private def strategy(text: String): Option[String] =
    if (SubjectStrategy.of(text).isDefined) None
    else Some(s"one of ${SubjectStrategy.all.map(_.name).mkString(", ")} is expected")

  val keySchemaId: Property =
    Property(
      "KEY_SCHEMA_ID",
      "Id of the schema that keys have, from any subject; KEY_FORMAT must match it.",
      number
    )
  val valueSchemaId: Property = Property(
    "VALUE_SCHEMA_ID",
    "Id of the schema that values have, from any subject; VALUE_FORMAT must match it.",
    number
  )
  val keySubject: Property =
    Property("KEY_SUBJECT", "Subject of the key's schema, instead of the topic's name and `-key`.", notBlank)
  val valueSubject: Property =
    Property("VALUE_SUBJECT", "Subject of the value's schema, instead of the topic's name and `-value`.", notBlank)
  val keyStrategy: Property = Property(
    "KEY_SUBJECT_STRATEGY",
    "How the key's subject is named: TopicName (default), RecordName or TopicRecordName.",
    strategy
  )
  val valueStrategy: Property = Property(
    "VALUE_SUBJECT_STRATEGY",
    "How the value's subject is named: TopicName (default), RecordName or TopicRecordName.",
    strategy
  )
  val keyFullName: Property =
    Property("KEY_SCHEMA_FULL_NAME", "Full name of the key's record or message within its schema.", notBlank)
  val valueFullName: Property =
    Property("VALUE_SCHEMA_FULL_NAME", "Full name of the value's record or message within its schema.", notBlank)
  val valueAvroFullName: Property =
    Property("VALUE_AVRO_SCHEMA_FULL_NAME", "Older name of VALUE_SCHEMA_FULL_NAME.", notBlank)
  val keySchema: Property = Property(
    "KEY_SCHEMA",
    "Text of the AVRO schema that keys are written with, instead of the one of the columns; it has their fields.",
    notBlank
  )
  val valueSchema: Property = Property(
    "VALUE_SCHEMA",
    "Text of the AVRO schema that values are written with, instead of the one of the columns; it has their fields.",
    notBlank
  )
  val autoRegister: Property = Property(
    "AUTO_REGISTER",
    "`false`: no schema is registered; an equal or compatible one must exist. Default `true`.",
    truth
  )
  val useLatest: Property = Property(
    "USE_LATEST",
    "`true`: rows are written with the subject's latest schema if there is one; `false`: with one registered for " +
      "these columns. Default: `true` for CREATE, `false` for CREATE … AS SELECT.",
    truth
  )

  val guidHeaders: Property = Property(
    "SCHEMA_GUID_HEADERS",
    "`true`: records that are written name their schemas by GUID in the headers `__key_schema_id` and " +
      "`__value_schema_id`, not by id in their bytes. Default `false`.",
    truth
  )

  val valueTypes: Property = Property(
    "VALUE_TYPES",
    "Full names, separated by `,`, of the record types in the topic: the value's columns are `_type` and one STRUCT per " +
      "type. `com.shop.*` stands for all with such a name that have a subject now, `*` for all. Format AVRO.",
    notBlank
  )

  val all: Seq[Property] = Seq(
    keySchemaId,
    valueSchemaId,
    keySubject,
    valueSubject,
    keyStrategy,
    valueStrategy,
    keyFullName,
    valueFullName,
    valueAvroFullName,
    keySchema,
    valueSchema,
    autoRegister,
    useLatest,
    guidHeaders,
    valueTypes
  )

  def schemaId(side: Side): Property = pick(side, keySchemaId, valueSchemaId)
  def subject(side: Side): Property = pick(side, keySubject, valueSubject)
  def strategy(side: Side): Property = pick(side, keyStrategy, valueStrategy)
  def fullName(side: Side): Property = pick(side, keyFullName, valueFullName)
  def schema(side: Side): Property = pick(side, keySchema, valueSchema)

  private def pick(side: Side, key: Property, value: Property): Property = side match {
    case Side.Key => key
    case Side.Value => value
  }

  /** The properties without the schema ids: the columns of those schemas must be compared with a query's result. */
  def withoutIds(properties: Map[String, String]): Map[String, String] =
    properties -- Side.all.map(schemaId(_).name)

  /**
   * The schema properties of one side, by the names of [[SideFormat]].
   *
   * @throws io.kafkalyst.errors.KafkalystException SAME_PROPERTY_TWICE
   */
  def of(side: Side, properties: Map[String, String]): Map[String, String] = {
    val older = if (side == Side.Value) Some(valueAvroFullName) else None
    older.foreach(once(properties, _, valueFullName))
    once(properties, subject(side), strategy(side))
    val named = Seq(
      SideFormat.givenId -> schemaId(side),
      SideFormat.subject -> subject(side),
      SideFormat.subjectStrategy -> strategy(side),
      SideFormat.schemaFullName -> fullName(side),
      SideFormat.schemaText -> schema(side),
      SideFormat.autoRegister -> autoRegister,
      SideFormat.useLatest -> useLatest,
      SideFormat.guidHeaders -> guidHeaders
    ) ++ older.map(SideFormat.schemaFullName -> _) ++ older.map(_ => SideFormat.types -> valueTypes)
    named.flatMap { case (option, property) => properties.get(property.name).map(option -> _.trim) }.toMap
  }

  /** The first property that is set for this side alone; properties for both sides apply to the sides with schemas. */
  def given(side: Side, properties: Map[String, String]): Option[Property] =
    (Seq(schemaId(side), subject(side), strategy(side), fullName(side), schema(side)) ++
      (if (side == Side.Value) Seq(valueAvroFullName, valueTypes) else Nil)).find(p => properties.contains(p.name))

  private def once(properties: Map[String, String], one: Property, other: Property): Unit =
    if (properties.contains(one.name) && properties.contains(other.name)) {
      throw KafkalystException("SAME_PROPERTY_TWICE", "property" -> one.name, "other" -> other.name)
    }
}

/** How a schema's subject is named if it is not given explicitly: Confluent's three strategies. */
sealed abstract class SubjectStrategy(val name: String) extends Serializable

object SubjectStrategy {

  /** The topic's name, then `-key` or `-value`. */
  case object TopicName extends SubjectStrategy("TopicName")

  /** The full name of the record or message. */
  case object RecordName extends SubjectStrategy("RecordName")

  /** The topic's name, `-`, and the full name of the record or message. */
  case object TopicRecordName extends SubjectStrategy("TopicRecordName")

  val all: Seq[SubjectStrategy] = Seq(TopicName, RecordName, TopicRecordName)

  /** By its name ignoring case; also as TOPIC_NAME or as the name of Confluent's class. */
  def of(text: String): Option[SubjectStrategy] = {
    val plain = text.trim.split('.').last.replace("_", "")
    all.find(s => s.name.equalsIgnoreCase(plain) || s"${s.name}Strategy".equalsIgnoreCase(plain))
  }
}
