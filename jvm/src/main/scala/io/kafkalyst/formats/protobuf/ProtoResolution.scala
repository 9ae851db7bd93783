package io.kafkalyst.formats
package protobuf

import io.kafkalyst.model.SideFormat

/**
 * Checks by its unqualified name whether a message belongs to a table, as in AVRO. If a framework generated the name of
 * the table's message, a message is rejected only if it has none of the columns; a message with a generated name is
 * never rejected.
 */
private[formats] object ProtoResolution {

  /** @throws BadBytes if the message does not belong to the table */
  def check(message: ProtoMessage, request: DecodeRequest): Unit = ownName(request).foreach { own =>
    if (!isOfFramework(own) && !isOfFramework(message.fullName)) {
      if (simple(own) != simple(message.fullName))
        throw new BadBytes(s"it is a ${message.fullName}, not the $own of the table's schema")
    } else if (!isOfFramework(message.fullName)) {
      val fields = message.fields.map(_.name).toSeq ++ message.oneofs.map(_.column)
      val known = new FieldIndex(fields)
      if (fields.nonEmpty && !request.declared.exists(c => known.has(c.name)))
        throw new BadBytes(s"the message ${message.fullName} has none of the columns")
    }
  }

  /** The name of the table's message; None if its schema has several, and SCHEMA_FULL_NAME is not set. */
  private def ownName(request: DecodeRequest): Option[String] =
    request.format.options.get(SideFormat.schemaFullName).orElse(for {
      id <- request.format.schemaId
      known <- request.registry().byId(id)
      schema <- ProtoSchema.of(known).toOption if schema.file.messages.size == 1
    } yield schema.file.messages.head.fullName)

  private def simple(fullName: String): String = fullName.substring(fullName.lastIndexOf('.') + 1)

  private def isOfFramework(fullName: String): Boolean = simple(fullName).matches("ConnectDefault\\d*")
}
