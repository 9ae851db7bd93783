package io.kafkalyst.registry

/**
 * A schema as stored in the registry. `schemaType` is AVRO, JSON or PROTOBUF.
 *
 * @param references all direct and indirect imports
 * @param imports    the direct imports, as stored in the registry
 * @param guid       its global id across registries, if this registry has GUIDs
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

/** A schema that another one imports under a name; in a list, each schema follows its own imports. */
final case class SchemaReference(name: String, schema: String)

/** The subject and version in the registry of a schema that another one imports under a name. */
final case class SubjectReference(name: String, subject: String, version: Int)

/**
 * The operations of a schema registry that readers and writers use: Confluent's REST API as implemented by Confluent,
 * Apicurio (ccompat), Karapace and Redpanda. Every call ends within the configured time limit.
 *
 * Errors: KafkalystException REGISTRY_UNREACHABLE if no address answers in time, REGISTRY_DENIED if the login is
 * rejected or lacks permission, REGISTRY_TOKEN if an OAuth server issues no token, REGISTRY_ERROR for any answer that
 * is neither the expected one nor "not found".
 */
trait RegistryClient {

  /** The latest version under a subject; None if the subject does not exist. */
  def latest(subject: String): Option[RegisteredSchema]

  /** The schema of an id, cached forever; None if the registry does not know it. */
  def byId(id: Int): Option[RegisteredSchema]

  /**
   * The schema of a GUID, cached forever; None if the registry does not know it. Its `id` is 0 if the registry omits
   * it.
   */
  def byGuid(guid: String): Option[RegisteredSchema] = None

  /**
   * As [[byId]] for the id at the head of a record, which was registered before the record was written: waits while a
   * lagging registry may not know it yet.
   */
  def ofRecord(id: Int, patience: Patience): Option[RegisteredSchema] = byId(id)

  /** As [[byGuid]], with the waiting of [[ofRecord]]. */
  def ofRecord(guid: String, patience: Patience): Option[RegisteredSchema] = byGuid(guid)

  /**
   * Registers a schema and returns its id; registering it again returns the same id.
   *
   * @throws io.kafkalyst.errors.KafkalystException SCHEMA_REFUSED if it is incompatible (409) or invalid (422)
   */
  def register(subject: String, schema: String, schemaType: String): Int

  /** Whether the subject exists. */
  def exists(subject: String): Boolean = latest(subject).isDefined

  /** Deletes a subject with all its versions, soft and hard; does nothing if it does not exist. */
  def delete(subject: String): Unit
}

/** Additional operations for statements: a registry's subjects and changes to them. */
trait RegistryAdmin extends RegistryClient {

  /** All subjects. */
  def subjects(): Seq[String]

  /** Runs the body; within it, the latest version under a subject is requested only once. */
  def once[T](body: => T): T

  /** The version numbers of a subject; empty if it does not exist. */
  def versions(subject: String): Seq[Int]

  /** One version of a subject; None if it does not exist. */
  def version(subject: String, version: Int): Option[RegisteredSchema]

  /** As the overload above, including the schema's imports; ignores its `id` and `subject`. */
  def register(subject: String, schema: RegisteredSchema): Int

  /** This schema's id and version under the subject; None if it is not registered there. */
  def lookUp(subject: String, schema: RegisteredSchema): Option[RegisteredSchema]

  /** Whether the schema is compatible as the subject's next version; true if the subject does not exist. */
  def compatible(subject: String, schema: RegisteredSchema): Boolean

  /** The subject's mode, such as READWRITE, or that of the whole registry; None if the registry has no modes. */
  def mode(subject: String): Option[String]

  /** Sets the subject's mode; returns the registry's message if it rejects the change. */
  def setMode(subject: String, mode: String): Option[String]

  /**
   * Sets a key's subject to READONLY, unless the settings disable it: another schema would change the keys' bytes.
   *
   * @return a warning if the registry rejects it; the warning is then logged once, and the registry is not asked again
   */
  def protect(subject: String): Option[String]
}
