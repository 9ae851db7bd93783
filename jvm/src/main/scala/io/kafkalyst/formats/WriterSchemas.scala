package io.kafkalyst.formats

import io.kafkalyst.errors.KafkalystTaskException
import io.kafkalyst.registry.{RegisteredSchema, RegistryClient, WireFormat}

/**
 * A decoder's programs for the schemas that records were written with, built once per schema id. Not thread-safe.
 *
 * @param make throws [[BadBytes]] for a schema that does not fit the columns; every record with it is then bad
 */
private[formats] final class WriterSchemas[T >: Null <: AnyRef](registry: RegistryClient)(make: RegisteredSchema => T) {
  private val known = new java.util.HashMap[Int, Either[BadBytes, T]]
  private var lastId = 0
  private var last: T = _

  /** For the schema id at the head of the bytes. Errors: [[BadBytes]] for a missing or unknown schema id. */
  def of(bytes: Array[Byte], offset: Int, length: Int): T = {
    if (length < WireFormat.headerLength || bytes(offset) != WireFormat.magic) {
      throw new BadBytes(WireFormat.fault(bytes, offset, length))
    }
    val id = WireFormat.schemaId(bytes, offset)
    if (last == null || id != lastId) {
      last = find(id)
      lastId = id
    }
    last
  }

  private def find(id: Int): T = {
    val met = known.get(id)
    (if (met != null) met else resolve(id)) match {
      case Right(made) => made
      case Left(bad) =>
        last = null
        throw bad
    }
  }

  private def resolve(id: Int): Either[BadBytes, T] = registry.byId(id) match {
    // Not cached: an unknown id may be registered later.
    case None => Left(new BadBytes(s"schema id $id is not known to the schema registry"))
    case Some(schema) =>
      val made =
        try Right(make(schema))
        catch { case BadBytes(bad) => Left(new BadBytes(s"schema id $id: ${bad.reason}")) }
      known.put(id, made)
      made
  }
}

private[formats] object WriterSchemas {

  /**
   * The schema that a side is written with, as parsed by `parse`.
   *
   * @throws io.kafkalyst.errors.KafkalystTaskException NO_SCHEMA_ID, UNKNOWN_SCHEMA_ID, or UNUSABLE_SCHEMA with the
   * reason from `parse`
   */
  def toWrite[T](format: Format, request: EncodeRequest)(parse: RegisteredSchema => Either[String, T]): T = {
    def fail(condition: String, more: (String, String)*) = throw KafkalystTaskException(
      null,
      condition,
      Seq("format" -> format.name, "side" -> request.side.name, "topic" -> request.topic) ++ more: _*
    )
    val id = request.format.schemaId.getOrElse(fail("NO_SCHEMA_ID"))
    val known = request.registry().byId(id).getOrElse(fail("UNKNOWN_SCHEMA_ID", "id" -> id.toString))
    parse(known).fold(reason => fail("UNUSABLE_SCHEMA", "reason" -> s"schema id $id: $reason"), identity)
  }

  /** The error for a schema of another type than the format's; None if the type matches. */
  def otherType(format: Format, schema: RegisteredSchema): Option[String] =
    format.schemaType.filter(_ != schema.schemaType).map(wanted => s"it is of type ${schema.schemaType}, not $wanted")
}
