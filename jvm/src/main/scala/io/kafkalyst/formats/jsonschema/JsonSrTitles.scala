package io.kafkalyst.formats
package jsonschema

import io.kafkalyst.formats.json.JsonShape
import io.kafkalyst.model.{SideFormat, SubjectStrategy}
import io.kafkalyst.registry.{RegisteredSchema, Subjects}

/**
 * Checks by the titles of both schemas whether a value belongs to a table. If the title or the user chose the subject,
 * the title is the type's name. In a topic's own subject, the title may be an annotation that changes with each
 * version, so there a value is rejected only if it has none of the columns.
 */
private[formats] object JsonSrTitles {

  /** @throws BadBytes if the value does not belong to the table */
  def check(written: RegisteredSchema, shape: JsonShape, request: DecodeRequest): Unit = for {
    id <- request.format.schemaId if id != written.id
    table <- request.registry().byId(id)
    own <- title(table)
    other <- title(written) if other != own
  } {
    if (isOfSeveral(request.format)) throw new BadBytes(s"it is a $other, not the $own of the table's schema")
    shape match {
      case fields: JsonShape.Fields if fields.fields.nonEmpty =>
        val known = new FieldIndex(fields.fields.map(_.name).toSeq)
        if (!request.declared.exists(c => known.has(c.name)))
          throw new BadBytes(s"the $other has none of the columns")
      case _ =>
    }
  }

  private def title(schema: RegisteredSchema): Option[String] = Subjects.recordName("JSON", schema.schema)

  private def isOfSeveral(as: SideFormat): Boolean =
    as.options.get(SideFormat.subjectStrategy).flatMap(SubjectStrategy.of).exists(_ != SubjectStrategy.TopicName) ||
      Seq(SideFormat.subject, SideFormat.schemaFullName).exists(as.options.contains)
}
