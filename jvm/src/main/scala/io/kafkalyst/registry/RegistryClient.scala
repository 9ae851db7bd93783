package io.kafkalyst.registry

/**
 * A schema as the registry holds it. `schemaType` is AVRO, JSON or PROTOBUF.
 *
 * @param references all that it imports, directly and through others
 * @param imports    what it imports directly, as the registry has it
 * @param guid       its name in every registry, where this one has such names
 */
final case class RegisteredSchema(
    id: Int,
    schemaType: String,
    schema: String,
    subject: String = "",
    version: Int = 0,
    references: Seq[SchemaReference] = Nil,
    imports: Seq[SubjectReference] = Nil,
    guid: Option[String] = None
)

/** A schema that another one imports under a name; in a list each stands behind those that it needs itself. */
final case class SchemaReference(name: String, schema: String)

/** Where the registry has a schema that another one imports under a name. */
final case class SubjectReference(name: String, subject: String, version: Int)

/**
 * What readers and writers ask of a schema registry: Confluent's REST API as Confluent, Apicurio (ccompat), Karapace
 * and Redpanda speak it. Every call ends within the configured time limit.
 *
 * Errors: KafkalystException REGISTRY_UNREACHABLE where nobody answers in time, REGISTRY_DENIED where the login is
 * not taken or may not do this, REGISTRY_TOKEN where an OAuth server gives no token, REGISTRY_ERROR for an answer
 * that is neither what was asked for nor "not found".
 */
trait RegistryClient {

  /** The latest version under a subject; None where the subject does not exist. */
  def latest(subject: String): Option[RegisteredSchema]

  /** The schema of an id, cached for ever; None where the registry does not know it. */
  def byId(id: Int): Option[RegisteredSchema]

  /** The schema of a GUID, cached for ever; None where the registry does not know it. Its `id` is 0 if not told. */
  def byGuid(guid: String): Option[RegisteredSchema] = None

  /**
   * As [[byId]] for the id that a record begins with, which was registered before the record was written: waits while a
   * registry that lags behind may not know it yet.
   *
   * @param since System.nanoTime() at which the record was in its topic
   */
  def ofRecord(id: Int, since: Long): Option[RegisteredSchema] = byId(id)

  /** As [[byGuid]], likewise. */
  def ofRecord(guid: String, since: Long): Option[RegisteredSchema] = byGuid(guid)

  /**
   * Registers a schema and returns its id; the same schema again gives the same id.
   *
   * @throws io.kafkalyst.errors.KafkalystException SCHEMA_REFUSED where it is incompatible (409) or invalid (422)
   */
  def register(subject: String, schema: String, schemaType: String): Int

  /** Whether the subject exists. */
  def exists(subject: String): Boolean = latest(subject).isDefined

  /** Deletes a subject with all its versions, soft and hard; nothing where it does not exist. */
  def delete(subject: String): Unit
}

/** What statements ask of a registry beyond that: its subjects, and what may be done to them. */
trait RegistryAdmin extends RegistryClient {

  /** All subjects. */
  def subjects(): Seq[String]

  /** Runs the body, in which the latest version under a subject is asked for once. */
  def once[T](body: => T): T

  /** The version numbers of a subject; none where it does not exist. */
  def versions(subject: String): Seq[Int]

  /** One version of a subject; None where there is none. */
  def version(subject: String, version: Int): Option[RegisteredSchema]

  /** As the shorter one, with what the schema imports; its `id` and `subject` are not looked at. */
  def register(subject: String, schema: RegisteredSchema): Int

  /** This schema's id and version under the subject; None where it is not one of its versions. */
  def lookUp(subject: String, schema: RegisteredSchema): Option[RegisteredSchema]

  /** Whether the schema could be the subject's next version; true where the subject does not exist. */
  def compatible(subject: String, schema: RegisteredSchema): Boolean

  /** The subject's mode, such as READWRITE, or that of the whole registry; None where the registry has no modes. */
  def mode(subject: String): Option[String]

  /** Sets the subject's mode; what the registry said where it does not allow that. */
  def setMode(subject: String, mode: String): Option[String]

  /**
   * Sets a key's subject READONLY, unless the settings say otherwise: another schema would change the keys' bytes.
   * A registry that does not allow it is told of in the log, once.
   */
  def protect(subject: String): Unit
}
