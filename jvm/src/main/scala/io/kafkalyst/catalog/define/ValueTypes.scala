package io.kafkalyst.catalog
package define

import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.formats.Format
import io.kafkalyst.formats.avro.{AvroFormat, AvroTypes}
import io.kafkalyst.model._
import io.kafkalyst.registry.{RegistryAdmin, Subjects}
import org.apache.spark.sql.types.{StringType, StructType}

/** VALUE_TYPES: several record types in one topic, each with its own subject. */
private[kafkalyst] object ValueTypes {

  /** Whether the side has VALUE_TYPES. */
  def has(as: SideFormat): Boolean = as.options.contains(SideFormat.types)

  /**
   * The value's columns: `_type`, and a STRUCT for each type, from the latest schema of the type's subject.
   *
   * @param as the side's format with the options as given
   * @throws io.kafkalyst.errors.KafkalystException INVALID_PROPERTY with the reason, SUBJECT_NOT_FOUND
   */
  def found(
      topic: String,
      format: Format,
      as: SideFormat,
      declared: Seq[TopicColumn],
      registry: RegistryAdmin
  ): (SideFormat, Seq[TopicColumn]) = {
    val given = as.options(SideFormat.types)
    def refuse(reason: String) = throw wrong(given, reason)
    val asked = given.split(',').toSeq.map(_.trim).filter(_.nonEmpty)
    if (format != AvroFormat) refuse(s"it is for VALUE_FORMAT='AVRO', not ${format.name}")
    if (asked.isEmpty || asked.distinct != asked)
      refuse("full names of different records are expected, separated by `,`")
    if (declared.nonEmpty)
      refuse(s"it gives the value's columns, so ${declared.map(_.name).mkString(", ")} cannot be declared")
    Seq(SideFormat.givenId, SideFormat.schemaFullName, SideFormat.subject).find(as.options.contains).foreach { other =>
      refuse(s"each type has a schema and a subject of its own, so VALUE_$other cannot stand beside it")
    }
    if (strategy(as) == SubjectStrategy.TopicName)
      refuse("the types have subjects by VALUE_SUBJECT_STRATEGY='RecordName' (default here) or 'TopicRecordName'")
    val names = asked.flatMap { name =>
      if (!name.endsWith("*")) Seq(name)
      else {
        val all = under(name.stripSuffix("*"), topic, as, registry)
        if (all.isEmpty) refuse(s"the registry has no subject ${subjectOf(topic, as, name)} of a record of that name")
        all
      }
    }.distinct
    val found = names.map { name =>
      val subject = subjectOf(topic, as, name)
      val schema = registry.latest(subject).getOrElse {
        throw KafkalystException(
          "SUBJECT_NOT_FOUND",
          "subject" -> subject,
          "topic" -> topic,
          "side" -> Side.Value.name,
          "format" -> format.name
        )
      }
      val record = Subjects.recordName(schema.schemaType, schema.schema)
      if (!record.contains(name)) refuse(s"the subject $subject has ${record.fold("no record")("the record " + _)}")
      (
        name,
        schema.id,
        StructType(format.columnsOf(schema, Side.Value, SideFormat(format.name)).map(c =>
          org.apache.spark.sql.types.StructField(c.name, c.dataType)
        ))
      )
    }
    val columns = TopicColumn(AvroTypes.typeColumn, StringType, Side.Value) +:
      AvroTypes.columns(names).zip(found).map { case (column, (_, _, struct)) =>
        TopicColumn(column, struct, Side.Value)
      }
    val kept = AvroTypes.kept(found.map { case (name, id, _) => (name, id) })
    as.copy(options = as.options - SideFormat.wrapSingle + (SideFormat.types -> kept)) -> columns
  }

  /** The record types with this name prefix that have their own subject, sorted. */
  private def under(prefix: String, topic: String, as: SideFormat, registry: RegistryAdmin): Seq[String] = {
    val before = subjectOf(topic, as, "")
    registry.subjects().filter(_.startsWith(before + prefix)).map(_.stripPrefix(before)).sorted.filter { name =>
      registry.latest(before + name).exists { schema =>
        schema.schemaType == "AVRO" && Subjects.recordName(schema.schemaType, schema.schema).contains(name)
      }
    }
  }

  /** Like [[found]], for a side whose types are already stored. */
  def again(topic: String, format: Format, as: SideFormat, registry: RegistryAdmin): (SideFormat, Seq[TopicColumn]) = {
    val names = AvroTypes.of(as).map(_.name).mkString(",")
    found(topic, format, as.copy(options = as.options + (SideFormat.types -> names)), Nil, registry)
  }

  /** Throws INVALID_PROPERTY for VALUE_TYPES on the sink of a query, whose columns are the query's. */
  def notInQuery(properties: Map[String, String]): Unit = properties.get(RegistryProperties.valueTypes.name).foreach {
    given => throw wrong(given, "it gives the value's columns, which are the query's here; INSERT INTO such a stream")
  }

  private def wrong(given: String, reason: String) = RegistryProperties.valueTypes.invalid(given, reason)

  /** The subject of one type. */
  def subjectOf(topic: String, as: SideFormat, name: String): String =
    Subjects.subject(Side.Value, topic, strategy(as), None, Some(name))

  private def strategy(as: SideFormat): SubjectStrategy =
    as.options.get(SideFormat.subjectStrategy).flatMap(SubjectStrategy.of).getOrElse(SubjectStrategy.RecordName)
}
