package io.kafkalyst.catalog
package define

import io.kafkalyst.formats.Formats
import io.kafkalyst.formats.avro.AvroTypes
import io.kafkalyst.model._
import io.kafkalyst.registry.{RegistryAdmin, RegistryClient, Subjects}

/** An existing object's registry state: subjects, versions, and fields that are not columns. */
private[kafkalyst] object SideSubjects {

  /**
   * The subjects of a side's schemas, each with the schema's id; empty for a side without a schema, or if the record
   * name is needed but unknown.
   */
  def of(o: TopicObject, side: Side, registry: () => RegistryClient): Seq[(String, Option[Int])] = {
    val as = o.format(side)
    if (o.columns(side).isEmpty || Formats(as.format).schemaType.isEmpty) Nil
    else if (ValueTypes.has(as)) {
      AvroTypes.of(as).map(t => ValueTypes.subjectOf(o.topic, as, t.name) -> Some(t.schemaId))
    } else {
      lazy val record = as.schemaId.flatMap(registry().byId).flatMap(s => Subjects.recordName(s.schemaType, s.schema))
      // Only some subject name strategies need the record name; without it, these have no subject.
      val named = Seq(SideFormat.subject, SideFormat.schemaFullName).exists(as.options.contains)
      val byTopic = as.options.get(SideFormat.subjectStrategy).flatMap(SubjectStrategy.of)
        .forall(_ == SubjectStrategy.TopicName)
      if (named || byTopic || record.isDefined) Seq(Subjects.of(side, o.topic, as, record) -> as.schemaId) else Nil
    }
  }

  /** `subject, version n` for DESCRIBE; the subject alone if the schema is not one of its versions. */
  def described(o: TopicObject, side: Side, registry: () => RegistryAdmin): Option[String] = {
    val all = of(o, side, registry).map { case (subject, id) =>
      val version = id.flatMap(registry().byId).flatMap(registry().lookUp(subject, _))
      subject + version.fold("")(v => s", version ${v.version}")
    }
    if (all.isEmpty) None else Some(all.mkString("; "))
  }

  /**
   * The fields that inference left out, as `key: a, b` and `value: c.d`.
   *
   * @param declared the columns that the statement declares
   */
  def leftOut(o: TopicObject, declared: Seq[TopicColumn], registry: () => RegistryClient): Seq[String] =
    Side.all.flatMap { side =>
      val as = o.format(side)
      val format = Formats(as.format)
      if (declared.exists(_.isIn(side)) || format.schemaType.isEmpty) None
      else as.schemaId.flatMap(registry().byId).map(format.leftOut(_, side, as)).filter(_.nonEmpty).map { paths =>
        s"${side.name}: ${paths.mkString(", ")}"
      }
    }
}
