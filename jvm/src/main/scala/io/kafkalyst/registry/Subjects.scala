package io.kafkalyst.registry

import scala.util.Try

import com.fasterxml.jackson.databind.ObjectMapper
import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.model.{RegistryProperties, Side, SideFormat, SubjectStrategy}

/** Derives the registry subject for the schema of a topic's side. Pure functions. */
object Subjects {

  /**
   * The subject: the explicitly named one, else the strategy's result for topic, side and record.
   *
   * @param record full name of the record or message; evaluated only by the strategies that need it
   * @throws io.kafkalyst.errors.KafkalystException SUBJECT_NEEDS_RECORD_NAME
   */
  def subject(
      side: Side,
      topic: String,
      strategy: SubjectStrategy,
      explicit: Option[String],
      record: => Option[String]
  ): String = {
    def name: String = record.getOrElse {
      throw KafkalystException(
        "SUBJECT_NEEDS_RECORD_NAME",
        "side" -> side.name,
        "topic" -> topic,
        "strategy" -> strategy.name,
        "property" -> RegistryProperties.fullName(side).name,
        "subject" -> RegistryProperties.subject(side).name
      )
    }
    explicit.getOrElse(strategy match {
      case SubjectStrategy.TopicName => side.subject(topic)
      case SubjectStrategy.RecordName => name
      case SubjectStrategy.TopicRecordName => s"$topic-$name"
    })
  }

  /** As [[subject]], with the side's options; a SCHEMA_FULL_NAME among them is the record. */
  def of(side: Side, topic: String, format: SideFormat, record: => Option[String]): String = subject(
    side,
    topic,
    format.options.get(SideFormat.subjectStrategy).flatMap(SubjectStrategy.of).getOrElse(SubjectStrategy.TopicName),
    format.options.get(SideFormat.subject),
    format.options.get(SideFormat.schemaFullName).orElse(record)
  )

  /** The full name of an Avro record, or the title of a JSON schema; None for a schema with neither. */
  def recordName(schemaType: String, schema: String): Option[String] = Try(json.readTree(schema)).toOption.flatMap {
    node =>
      def text(field: String): Option[String] = Option(node.path(field)).filter(_.isTextual).map(_.asText)
      schemaType match {
        case "AVRO" if text("type").contains("record") =>
          text("name").map(n => if (n.contains('.')) n else (text("namespace").toSeq :+ n).mkString("."))
        case "JSON" => text("title")
        case _ => None
      }
  }

  private val json = new ObjectMapper
}
